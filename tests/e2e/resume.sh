#!/bin/bash
# Going on with a run: after kill -9, after SIGINT, on a drive that changed, in a journal that is damaged.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v jq >/dev/null || skip "needs jq"

shows() { # CODE REGEX ARGUMENT...: on stdout
	local regex=$2 code=$1
	shift 2
	expect "$code" '' "$@"
	grep -qE "$regex" out || fail "plateau $* printed: $(cat out)"
}

short="--seed 7 --round-time 20ms --quiet"
begin() { # DIR: a run that is killed in its rounds
	"$PLATEAU" run --device scratch --size 32M --test lat --erase scratch $short --output "$1" >/dev/null 2>&1 &
	until grep -q '"phase":"round"' "$1/journal.jsonl" 2>/dev/null; do sleep 0.02; done
	kill -9 $!
	wait $! || :
}

begin killed
shows 0 'stopped.*plateau resume killed' status killed
shows 0 '"state": "stopped"' status killed --json

# Every byte of the last records, cut off and flipped: resumed, or refused with the line; never a crash.
cp -r killed whole
n=$(stat -c %s whole/journal.jsonl)
last=$(tail -n 2 whole/journal.jsonl | wc -c)
for how in cut flip; do
	for at in $(seq $((n - last)) 97 $((n - 1))) $((n - 1)); do
		cp whole/journal.jsonl killed/journal.jsonl
		if [ $how = cut ]; then
			truncate -s "$at" killed/journal.jsonl
		else
			byte=$(od -An -tu1 -j "$at" -N 1 killed/journal.jsonl)
			printf "\\x$(printf %x $((byte ^ 1)))" |
				dd of=killed/journal.jsonl bs=1 seek="$at" conv=notrunc status=none
		fi
		rc=0
		"$PLATEAU" verify killed >out 2>err || rc=$?
		case $rc in
		0) ;;
		8) grep -q 'line [0-9]' err || fail "$how at $at: $(cat err)" ;;
		*) fail "$how at $at: exit $rc: $(cat out err)" ;;
		esac
	done
done
cp whole/journal.jsonl killed/journal.jsonl
# Torn in the last record: cut off, said, and gone on with.
truncate -s -5 killed/journal.jsonl
rc=0
"$PLATEAU" resume killed >out 2>err || rc=$?
[ $rc = 0 ] || [ $rc = 5 ] || fail "resume ended with $rc: $(cat err)"
grep -q 'never finished' err || fail "the torn record is not mentioned: $(cat err)"
head -n -1 whole/journal.jsonl | cmp -n "$(head -n -1 whole/journal.jsonl | wc -c)" - killed/journal.jsonl ||
	fail "what was there has changed"
shows 0 'interrupted for' verify killed
jq -se 'map(select(.event == "resumed")) | length == 1' killed/journal.jsonl >/dev/null || fail "no record of it"
expect 2 'nothing is left' resume killed
pdftotext killed/report.pdf - | grep -q 'interrupted for' || fail "the report is silent about it"

# Once SIGINT: exit 9, and twice gone on with; each interruption counts.
rm scratch
begin twice
"$PLATEAU" resume twice --quiet >/dev/null 2>&1 &
until [ "$(grep -c '"event":"resumed"' twice/journal.jsonl)" = 1 ]; do sleep 0.02; done
kill -INT $!
rc=0
wait $! || rc=$?
[ $rc = 9 ] || fail "SIGINT ended it with $rc"
shows 0 'stopped, interrupted .exit 9.' status twice
rc=0
"$PLATEAU" resume twice --quiet >out 2>err || rc=$?
[ $rc = 0 ] || [ $rc = 5 ] || fail "resume ended with $rc: $(cat err)"
shows 0 'the latest of several' verify twice

# Only the end is missing: nothing is measured again, and the window stays where it was.
points=$(grep -c '"kind":"point"' twice/journal.jsonl)
while ! tail -n 1 twice/journal.jsonl | grep -q '"stage":"end"'; do sed -i '$d' twice/journal.jsonl; done
rc=0
"$PLATEAU" resume twice --quiet >out 2>err || rc=$?
[ $rc = 0 ] || [ $rc = 5 ] || fail "resume at its end ended with $rc: $(cat err)"
[ "$(grep -c '"kind":"point"' twice/journal.jsonl)" = "$points" ] || fail "something was measured again"
shows 0 'no difference' verify twice

# While it runs nobody else may go on with it.
rm scratch
begin busy
"$PLATEAU" resume busy --quiet >/dev/null 2>&1 &
until grep -q '"event":"resumed"' busy/journal.jsonl; do sleep 0.02; done
rc=0
"$PLATEAU" resume busy >out 2>err || rc=$?
[ $rc = 3 ] && grep -qE 'in use|opened by plateau' err || fail "two at once: exit $rc: $(cat err)"
kill -INT $!
wait $! || :

# Another drive in its place, and a damaged record in the middle.
mv scratch elsewhere
expect 2 'scratch' resume busy
"$PLATEAU" io --device scratch --size 16M --rw write --bs 1M --runtime 100ms --erase scratch --quiet >/dev/null
expect 3 'has changed since' resume busy
rm scratch
mv elsewhere scratch
sed -i '3s/"seq":2/"seq":3/' busy/journal.jsonl
expect 8 'line 3' resume busy
