#!/bin/bash
# All four tests on a loop device, from one command to the report; then what the run directory says.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
need_loop
command -v jq >/dev/null || skip "needs jq"

make_loop backing 128M
rc=0
"$PLATEAU" run --device "$loop" --test iops,tp,lat,wsat --erase "${loop#/dev/}" --round-time 100ms \
	--max-rounds 5 --output r >out 2>err || rc=$?
cat out err
[ $rc = 0 ] || [ $rc = 5 ] || fail "the run ended with $rc"

# stdout: the summary, and last the path of a PDF that is one.
pdf=$(tail -n 1 out)
[ "$(head -c 5 "$pdf")" = %PDF- ] || fail "no PDF at '$pdf'"
[ "$pdf" -ef r/report.pdf ] || fail "'$pdf' is not in the run directory"
for f in run.json journal.jsonl report.html console.log; do
	[ -s r/$f ] || fail "no $f"
done
grep -q '^plateau: .*deviation' r/console.log || fail "console.log has no deviation"
grep -q "^plateau: PTS-E 2.0.2: iops,tp,lat,wsat on $loop (134 MB)" r/console.log || fail "how large is it?"
! grep -q $'\r' r/console.log || fail "console.log holds live lines"

# The order of the specification: RW mix outside, block size inside, both as they stand there.
bs=$(for b in 1048576 131072 65536 32768 16384 8192 4096 512; do
	[ $((b % $(blockdev --getss "$loop"))) != 0 ] || echo $b
done)
for rw in 100 95 65 50 35 5 0; do
	for b in $bs; do echo "$rw $b"; done
done >order
points=$(wc -l <order)
jq -r 'select(.kind == "point" and .test == "iops" and .phase == "round") | "\(.read_pct) \(.bs_b)"' \
	r/journal.jsonl >done-points
head -n "$points" done-points | cmp - order || fail "the first $points points are not in order"
[ $(($(wc -l <done-points) % points)) = 0 ] || fail "a round is not whole"

# Seeds differ from point to point, and every interval is complete and without error.
jq -r 'select(.kind == "point" and .phase == "round") | .seed' r/journal.jsonl | sort | uniq -d >twice
[ ! -s twice ] || fail "seeds used twice: $(cat twice)"
[ "$(jq -s 'map(select(.kind == "point" and (.errors > 0 or .complete == false))) | length' r/journal.jsonl)" = 0 ] ||
	fail "points with errors, or cut short"

# Fills: twice the capacity, exactly, for each test that has one (two cycles of throughput).
size=$(blockdev --getsize64 "$loop")
for t in iops tp lat; do
	jq -s --arg t $t 'map(select(.kind == "point" and .test == $t and .phase == "fill")) |
		group_by(.loop_bs_b) | map(map(.write.bytes) | add) | unique | .[]' r/journal.jsonl >fills
	[ "$(cat fills)" = $((2 * size)) ] || fail "$t filled $(cat fills), not 2 x $size"
done

expect 0 '' verify r
grep -q 'short-rounds' out || fail "verify does not name the short rounds: $(cat out)"
expect 0 '' verify r --json
jq -e '.exit_code == 0 and .differs == 0 and (.deviations | length) > 1' out >/dev/null || fail "verify --json"
expect 0 '' status r --json
jq -e --argjson rc $rc '.state == "finished" and .exit_code == $rc' out >/dev/null || fail "status: $(cat out)"

# Raw data that was changed: without a new checksum the line is named, with one the verdict differs.
change() { # FROM TO checksum|keep
	python3 - "$@" <<'PY'
import json, sys, zlib
source, to, checksum = sys.argv[1:]
lines = open(source + "/journal.jsonl").read().splitlines()
want = {"kind": "point", "test": "iops", "phase": "round", "round": 5, "read_pct": 0, "bs_b": 4096}
for i, line in enumerate(lines):
    point = json.loads(line)
    assert line[-20:] == ',"crc32":"%08x"}' % zlib.crc32(line[:-20].encode())
    if all(point.get(k) == v for k, v in want.items()):
        body = line[:-20].replace('"t1_ns":%d' % point["t1_ns"], '"t1_ns":%d' % (point["t1_ns"] + 50000000))
        assert body != line[:-20]
        crc = zlib.crc32(body.encode()) if checksum == "checksum" else int(point["crc32"], 16)
        lines[i] = body + ',"crc32":"%08x"}' % crc
        print(i + 1)
open(to + "/journal.jsonl", "w").write("\n".join(lines) + "\n")
PY
}
cp -r r changed
line=$(change r changed keep)
expect 8 "line $line\b" verify changed
change r changed checksum >/dev/null
expect 11 '' verify changed
