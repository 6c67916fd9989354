#!/bin/bash
# A drive that never settles: 25 rounds, then the report of the last five, which says on every page that they are not
# steady; and the line in the chart of the window is the one by which it was judged.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v jq >/dev/null && command -v pdftotext >/dev/null || skip "needs jq and pdftotext"

# A round is 9 points of 1 s.
"$PLATEAU" run --device sim:never-steady,capacity=64M,pages=16,drift=0.1,drift_every=9s --erase never-steady \
	--test lat --round-time 1s --seed 3 --output r --quiet >out 2>err || rc=$?
[ "${rc:-0}" = 5 ] || fail "the run ended with ${rc:-0}: $(cat err)"
[ "$(jq -s '[.[] | select(.phase == "round") | .round] | max' r/journal.jsonl)" = 25 ] || fail "not 25 rounds"

pdftotext -layout r/report.pdf pdf.txt
pages=$(pdfinfo r/report.pdf | awk '$1 == "Pages:" { print $2 }')
awk -v RS='\f' '/steady state not attained/ { said++ } END { print said + 0 }' pdf.txt >said
[ "$(cat said)" = "$pages" ] || fail "the notice stands on $(cat said) of $pages pages"
grep -q '21-25' pdf.txt || fail "the report does not name rounds 21-25"

python3 - r/charts/lat-window*.dat <<'PY' || fail "the window's chart"
import sys
blocks = {}
for block in open(sys.argv[1]).read().split("\n\n\n"):
    head, *points = block.strip().splitlines()
    blocks[head.split(": ", 1)[1]] = [tuple(map(float, p.split())) for p in points]
measured, drawn = blocks["Measured"], blocks["Least-squares line"]
xs, ys = zip(*measured)
assert list(xs) == [21, 22, 23, 24, 25], xs
mx, my = sum(xs) / 5, sum(ys) / 5
slope = sum((x - mx) * (y - my) for x, y in measured) / sum((x - mx) ** 2 for x in xs)
assert len(drawn) >= 2
for x, y in drawn:
    assert abs(y - (my + slope * (x - mx))) < 1e-4 * my, (x, y)
# The line through the first and the last point is another one.
assert abs((ys[4] - ys[0]) / 4 - slope) > 1e-3 * slope
PY
