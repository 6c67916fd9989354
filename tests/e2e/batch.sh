#!/bin/bash
# A batch of four simulated and two loop drives, one of them failing and one vanishing.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
need_loop
export HOME=$PWD XDG_CONFIG_HOME=

make_loop l1 64M
l1=$loop
make_loop l2 64M
l2=$loop
cat >night.ini <<EOT
[defaults]
test = lat
round-time = 1m
wipc-passes = 1
[lab]
device = sim:enterprise,capacity=512M
erase = enterprise
lab-sponsor = ACME
[failing]
device = sim:failing,capacity=512M
[other]
device = sim:enterprise,capacity=512M,seed=7
erase = enterprise
[vanishing]
device = sim:vanishing,capacity=512M
# Found by its ID alone.
[${l1#/dev/}]
test = wsat
round-time = 200ms
duration = 1s
[second-loop]
device = $l2
erase = ${l2#/dev/}
test = wsat
round-time = 200ms
duration = 1s
EOT
drives="lab failing other vanishing ${l1#/dev/} second-loop"

# The whole plan, and nothing touched. The sum of the parts, since one runs after another.
"$PLATEAU" batch night.ini --dry-run --json >dry.json
[ ! -e night ] || fail "the dry run left something"
[ "$(jq '.drives | length' dry.json)" = 6 ] || fail "dry run: $(cat dry.json)"
jq -e '.total.worst_ns == ([.drives[].estimate.worst_ns] | add) and
	.total.worst_bytes == ([.drives[].estimate.worst_bytes] | add)' dry.json >/dev/null || fail "sums: $(cat dry.json)"
"$PLATEAU" batch night.ini --dry-run --json --jobs 6 >side.json
jq -e '.total.worst_ns == ([.drives[].estimate.worst_ns] | max)' side.json >/dev/null || fail "side by side: $(cat side.json)"
same_as_plan() { # NAME OPTION...
	local name=$1
	shift
	"$PLATEAU" plan --json --wipc-passes 1 "$@" >plan.json
	[ "$(jq .estimate.worst_ns plan.json)" = "$(jq --arg d "$name" '.drives[] | select(.name == $d).estimate.worst_ns' dry.json)" ] ||
		fail "$name: plan and dry run differ"
}
same_as_plan lab --device sim:enterprise,capacity=512M --test lat --round-time 1m
same_as_plan "${l1#/dev/}" --device "$l1" --test wsat --round-time 200ms --duration 1s

rc=0
"$PLATEAU" batch night.ini --jobs 2 >out 2>err || rc=$?
[ $rc = 7 ] || fail "exit $rc: $(cat err)"
codes=$(jq -r '[.drives[] | "\(.name)=\(.exit_code)"] | join(" ")' night/batch.json)
[ "$codes" = "lab=0 failing=7 other=0 vanishing=7 ${l1#/dev/}=0 second-loop=0" ] || fail "codes: $codes"
[ "$(jq .exit_code night/batch.json)" = 7 ] || fail "batch.json: $(cat night/batch.json)"
jq -e '.drives[1].reason | test("Input/output error")' night/batch.json >/dev/null || fail "failing: $(cat night/batch.json)"
jq -e '.drives[3].reason | test("device is gone")' night/batch.json >/dev/null || fail "vanishing: $(cat night/batch.json)"
for d in $drives; do
	grep -q "^$d " out || fail "the table leaves $d out: $(cat out)"
	[ -s "night/$d/report.pdf" ] && [ -s "night/$d.log" ] || fail "$d has no report or log"
done
# Their figures side by side, as each run's own summary has them; those of drives that failed are marked.
row=$(grep '^Latency .*RND 4 KiB, RW 100/0, ART' out)
for d in lab other; do
	want=$(sed -n 's|^ *Latency .*RND 4 KiB, RW 100/0, ART *\([0-9.]*\) ms$|\1|p' "night/$d.log")
	[ -n "$want" ] && [[ $row == *" $want"* ]] || fail "$d: $want is not in: $row"
	[ "$(jq -r --arg d "$d" '.drives[] | select(.name == $d).figures[0].value' night/batch.json)" = "$want" ] || fail "figures of $d"
done
grep -q '^TEST .* lab .* failing (7) .* other .* vanishing (7) ' out || fail "the figures' heading: $(cat out)"
[ "$(jq -r .lab.sponsor night/lab/run.json)" = ACME ] || fail "a setting of the section is lost"
if "$PLATEAU" help | grep -q '^  compare '; then
	[ -n "$(find night/comparison -name '*.html')" ] || fail "no comparison: $(cat err)"
fi

# What has ended is left alone; the second batch is refused while it stands.
sums=$(cat night/*/journal.jsonl | sha256sum)
rc=0
"$PLATEAU" batch night.ini --resume --json >again.json 2>err || rc=$?
[ $rc = 7 ] && jq -e 'all(.drives[]; .ran_before)' again.json >/dev/null || fail "resumed: $rc, $(cat again.json)"
[ "$sums" = "$(cat night/*/journal.jsonl | sha256sum)" ] || fail "a run that had ended was changed"
expect 2 "is there already" batch night.ini

# One drive that is not here, and one that must not be touched, keep none from running.
seq 1000000 >thesis.tex
sum=$(md5sum thesis.tex)
cat >some.ini <<EOT
[defaults]
test = lat
round-time = 1m
[NO-SUCH-SERIAL]
[thesis.tex]
device = thesis.tex
[good]
device = sim:enterprise,capacity=512M
erase = enterprise
EOT
rc=0
"$PLATEAU" batch some.ini --quiet >out 2>err || rc=$?
[ $rc = 3 ] || fail "exit $rc: $(cat out err)"
[ "$(jq -c '[.drives[].exit_code]' some/batch.json)" = '[2,3,0]' ] || fail "some: $(cat some/batch.json)"
[ "$sum" = "$(md5sum thesis.tex)" ] || fail "thesis.tex changed"

# A signal goes on to the drive that runs, ends it cleanly, and the rest is not begun.
cat >long.ini <<EOT
[defaults]
test = wsat
round-time = 200ms
duration = 4s
[${l1#/dev/}]
on-end = echo \$PLATEAU_EXIT_CODE >>ends
[waiting]
device = sim:enterprise,capacity=512M
erase = enterprise
EOT
"$PLATEAU" batch long.ini >out 2>err &
pid=$!
until grep -q '"stage"' "long/${l1#/dev/}/journal.jsonl" 2>/dev/null; do
	kill -0 $pid || fail "the batch is gone: $(cat err)"
	sleep 0.1
done
expect 2 'another batch is running' batch long.ini --resume
kill -INT $pid
rc=0
wait $pid || rc=$?
[ $rc = 9 ] || fail "interrupted: exit $rc"
[ "$(jq -c '[.drives[].exit_code]' long/batch.json)" = '[9,9]' ] || fail "interrupted: $(cat long/batch.json)"
tail -n 1 "long/${l1#/dev/}/journal.jsonl" | jq -e '.kind == "end" and .exit_code == 9' >/dev/null || fail "no end record"
[ ! -e long/waiting ] || fail "a drive was begun after the signal"

# It goes on: begins what waits; where another plateau has the run in hand, that is said, and not why it ended before.
exec 9<"long/${l1#/dev/}"
flock -n 9
rc=0
"$PLATEAU" batch long.ini --resume >out 2>err 9<&- || rc=$?
exec 9<&-
[ $rc = 2 ] || fail "a run in hand: exit $rc: $(cat err)"
jq -e '.drives[1].exit_code == 0 and .drives[0].exit_code == 2 and (.drives[0].reason | test("interrupted") | not)' long/batch.json >/dev/null ||
	fail "a run in hand: $(cat long/batch.json)"

# And with the one that was interrupted.
"$PLATEAU" batch long.ini --resume >out 2>err || fail "gone on with: $?: $(cat err)"
grep -q "${l1#/dev/}: resumed, " err || fail "resumed: $(cat err)"
[ "$(jq -c '[.drives[].exit_code]' long/batch.json)" = '[0,0]' ] || fail "gone on with: $(cat long/batch.json)"
[ "$(tr '\n' ' ' <ends)" = '9 2 0 ' ] || fail "--on-end: $(cat ends)"

# A file with a mistake: nothing is begun.
bad() { # REGEX LINE...
	local regex=$1
	shift
	printf '%s\n' "$@" >bad.ini
	expect 2 "bad.ini$regex" batch bad.ini
	[ ! -e bad ] || fail "a bad file began something"
}
bad ":2: unknown key 'tets'; did you mean 'test'" '[a]' 'tets = lat'
bad ":2: --tc: 'x' is not a whole number" '[a]' 'tc = x'
bad ":1: 'tc' stands above all sections" 'tc = 3'
bad ":2: 'erase' stands in the section of the drive" '[defaults]' 'erase = x'
bad ":2: 'output' is for the command line" '[a]' 'output = x'
bad ":3: section \[a\] stands twice" '[a]' 'test = lat' '[a]'
bad ":3: tc is given twice" '[a]' 'tc = 3' 'numjobs = 4'
bad ':1: \[../x\] cannot name a directory' '[../x]'
bad ': \[a\] has no test' '[a]'
bad ' names no drive' '[defaults]' 'test = lat'
expect 2 'nowhere' batch nowhere.ini
