#!/bin/bash
# report.html in a browser: nothing to complain about, tables sort by a click on a header and back, light and
# dark differ. (What it says without script is its source, which tests/lib/report_check.py reads.)
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "chromium is not installed"
[ -z "${PLATEAU_SANITIZED:-}" ] || skip "the browser is the same under sanitizers"

"$PLATEAU" run --device sim:enterprise,capacity=1G --test lat,wsat --erase enterprise --seed 7 --output r >out 2>err ||
	fail "the run: $(cat err)"

headless() {
	HOME=$PWD timeout 120 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-extensions \
		--user-data-dir="$PWD/profile" --enable-logging=stderr "$@" 2>browser.log
}

# The click is the test's own script, appended to a copy.
sed 's|</body>|<script>\
var t=Array.from(document.querySelectorAll("table.sort")).find(function(x){return x.caption.textContent==="Key figures";});\
var b=t.tHead.querySelectorAll("button")[2];b.click();\
var v=function(){return Array.from(t.tBodies[0].rows).map(function(r){return r.cells[2].textContent;}).join("\|");};\
var up=v();b.click();document.title=up+"#"+v()+"#"+b.parentNode.getAttribute("aria-sort");\
</script></body>|' r/report.html >clicked.html
headless --dump-dom "file://$PWD/clicked.html" >dom || fail "the browser: $(cat browser.log)"
! grep -E 'CONSOLE|Uncaught' browser.log || fail "the page complains"
python3 - dom r/report.html <<'PY' || fail "sorting is wrong"
import re, sys
dom, page = (open(p, encoding="utf-8").read() for p in sys.argv[1:])
up, down, way = re.search(r"<title>(.*?)</title>", dom)[1].split("#")
number = lambda w: float("-inf") if w.startswith("n/a") else float(w)
table = page[page.index("<caption>Key figures"):]
table = table[:table.index("</table>")]
want = sorted(number(row.split("<td")[2].split(">")[1].split("<")[0]) for row in table.split("<tr>")[2:])
assert len(want) > 3, want
assert [number(w) for w in up.split("|")] == want, (up, want)
assert [number(w) for w in down.split("|")] == want[::-1], (down, want)
assert way == "descending", way
PY

for scheme in 0 1; do # dark, light
	headless --blink-settings=preferredColorScheme=$scheme --hide-scrollbars --window-size=1000,800 \
		--screenshot="$PWD/$scheme.png" "file://$PWD/r/report.html" >out || fail "the browser: $(cat browser.log)"
	[ -s $scheme.png ] || fail "no picture"
done
! cmp -s 0.png 1.png || fail "light and dark look the same"
