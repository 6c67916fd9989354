#!/bin/bash
# Whole runs on simulated drives, from the command line through to the PDF: full-length ones, and in a sanitizer build
# short ones on a small drive.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"

full=1 small='' options='' trouble=''
if [ -n "${PLATEAU_SANITIZED:-}" ]; then
	full='' small=,capacity=64M,pages=16 options='--round-time 1s' trouble=5s
fi

run() { # DIR CODE TARGET TESTS OPTION...
	local dir=$1 code=$2 target=$3 tests=$4 name=${3%%,*} rc=0
	shift 4
	# shellcheck disable=SC2086
	"$PLATEAU" run --device "sim:$target$small" --erase "$name" --test "$tests" --output "$dir" $options "$@" \
		>"$dir.out" 2>"$dir.err" || rc=$?
	[ $rc = "$code" ] || fail "$dir ended with $rc, not $code: $(cat "$dir.err")"
	[ "$(jq -r 'select(.kind == "end") | .exit_code' "$dir/journal.jsonl")" = "$code" ] || fail "$dir: the end record"
	expect 0 '' verify "$dir"
	grep -q SIMULATED out || fail "$dir: verify is not marked: $(cat out)"
	marked "$dir"
}

# SIMULATED on every page, every chart, in the HTML, the summary and run.json.
marked() { # DIR
	local svg
	grep -q SIMULATED "$1.out" || fail "$1: the summary is not marked: $(cat "$1.out")"
	expect 0 '' status "$1"
	grep -q SIMULATED out || fail "$1: status is not marked: $(cat out)"
	expect 0 '' status "$1" --json
	jq -e .simulated out >/dev/null || fail "$1: status --json is not marked: $(cat out)"
	[ "$(jq -r .device.kind "$1/run.json")" = sim ] || fail "$1: run.json is not marked"
	grep -q SIMULATED "$1/report.html" || fail "$1: report.html is not marked"
	for svg in "$1"/charts/*.svg; do
		[ ! -e "$svg" ] || grep -q SIMULATED "$svg" || fail "$svg is not marked"
	done
	[ "$(head -c 5 "$1/report.pdf")" = %PDF- ] || fail "$1: no PDF"
	on_every_page "$1" SIMULATED
}

on_every_page() { # DIR WORDS
	command -v pdftotext >/dev/null || return 0
	pdftotext -layout "$1/report.pdf" "$1.txt"
	awk -v RS='\f' -v words="$2" 'NF && !index($0, words) { print NR; bad = 1 } END { exit bad }' "$1.txt" ||
		fail "$1: pages without '$2'"
}

# IOPS of the points of a phase, one a line, from their counts and times alone: round, RW, BS, IOPS.
iops() { # DIR TEST PHASE
	jq -r "select(.kind == \"point\" and .test == \"$2\" and .phase == \"$3\") |
		[.round, .read_pct, .bs_b, (.read.ios + .write.ios) / (.t1_ns - .t0_ns) * 1e9] | @tsv" "$1/journal.jsonl"
}

# What 4 dies do at the write amplification of greedy collection, 28 % over-provisioning, 256-page blocks: Desnoyers 2012,
# Eq. 12, with the Lambert function by Newton's method; 800 us a program, 400 us a read, 10 ms an erase.
floor() {
	awk 'BEGIN {
		np = 1024; k = 1 + 1 / (2 * np); u = 4194304
		a = k * (int(u * 1.28 / np) - 2) * np / u
		z = -a * exp(-a); w = -0.5
		for (i = 0; i < 50; i++) w -= (w * exp(w) - z) / (exp(w) * (1 + w))
		wa = a / (a + w) / k
		print 4 / (wa * 800e-6 + (wa - 1) * 400e-6 + wa * 10e-3 / 256)
	}'
}

near() { # VALUE EXPECTED PERCENT WHAT
	awk -v v="$1" -v e="$2" -v p="$3" 'BEGIN { d = v / e - 1; exit !(d * d <= p * p / 1e4) }' ||
		fail "$4: $1, expected $2 within $3 %"
}

# The same seed: the same journal; another: another.
small='' options='' run same-1 5 client,slc=16M,capacity=64M,pages=16 lat,tp --seed 5 --round-time 1s --max-rounds 2
small='' options='' run same-2 5 client,slc=16M,capacity=64M,pages=16 lat,tp --seed 5 --round-time 1s --max-rounds 2
small='' options='' run other 5 client,slc=16M,capacity=64M,pages=16 lat,tp --seed 6 --round-time 1s --max-rounds 2
cmp same-1/journal.jsonl same-2/journal.jsonl || fail "the same seed wrote another journal"
! cmp -s same-1/journal.jsonl other/journal.jsonl || fail "another seed wrote the same journal"

# A drive in trouble ends any test with 7, and what was measured is reported.
for t in iops tp lat wsat; do
	run "failing-$t" 7 "failing${trouble:+,fail_after=$trouble}" $t --seed 1
	run "vanishing-$t" 7 "vanishing${trouble:+,vanish_after=$trouble}" $t --seed 1
	grep -q 'Input/output error' "failing-$t.err" || fail "failing: $(cat "failing-$t.err")"
	grep -q 'the device is gone' "vanishing-$t.err" || fail "vanishing: $(cat "vanishing-$t.err")"
	on_every_page "failing-$t" 'NOT A VALID RESULT'
done

run hot 10 "throttling${trouble:+,throttle_after=$trouble}" lat --seed 1
grep -q 'steady but throttled' hot.err || fail "throttling: $(cat hot.err)"
grep -q 'steady but throttled' hot/report.html || fail "the report does not say throttled"
jq -es 'any(.kind == "health" and .throttle_events == 1 and .temperature_c == 75)' hot/journal.jsonl >/dev/null ||
	fail "no health record shows it"

# The engine alone, and the plan.
expect 0 '' io --device sim:enterprise --rw randread --runtime 1s
grep -q SIMULATED out || fail "io is not marked: $(cat out)"
expect 0 '' io --device sim:enterprise --rw randread --runtime 1s --json
jq -e .simulated out >/dev/null || fail "io --json is not marked: $(cat out)"
expect 0 '' plan --device sim:enterprise,capacity=1G --test iops --json
grep -q SIMULATED out || fail "plan --json is not marked: $(cat out)"

# Wrong names and values.
expect 2 'never-steady' plan --device sim:nosuch --test iops
expect 2 'vanish_after' plan --device sim:enterprise,nosuch=1 --test iops
expect 2 'ratio' plan --device sim:enterprise,op=much --test iops
expect 3 'did not match' run --device sim:enterprise --erase client --test iops
expect 3 'without --erase|needs --erase' run --device sim:enterprise --erase '' --test iops
expect 0 '' list --sim
grep -q 'sim:never-steady' out || fail "list --sim: $(cat out)"
expect 0 '' list --sim --json
[ "$(jq '.simulated | length' out)" = 9 ] || fail "list --sim --json: $(cat out)"

[ -n "$full" ] || exit 0

# All four tests at full length.
run all 0 enterprise iops,tp,lat,wsat --seed 1
steady=$(jq -r 'select(.kind == "end") | .tests[] | select(.test == "iops") | .round' all/journal.jsonl)
[ "$steady" = 5 ] || [ "$steady" = 6 ] || fail "IOPS: steady in round $steady"
near "$(iops all iops round | awk '$1 >= 2 && $2 == 100 && $3 == 4096 { s += $4; n++ } END { print s / n }')" 10000 2 "reads"
near "$(iops all iops round | awk '$1 >= 2 && $2 == 0 && $3 == 4096 { s += $4; n++ } END { print s / n }')" "$(floor)" 3 "writes"
near "$(iops all wsat minute | awk '$1 == 1 { print $4 }')" 5000 1 "fresh writes"

# A day of write saturation: plateau, cliff, floor, in 1440 minutes without a gap.
run day 0 enterprise wsat --seed 1 --duration 24h --no-steady-stop
iops day wsat minute >day.tsv
[ "$(wc -l <day.tsv)" = 1440 ] || fail "a day has $(wc -l <day.tsv) minutes"
near "$(sed -n 10p day.tsv | cut -f 4)" 5000 1 "the plateau"
near "$(tail -n 720 day.tsv | awk '{ s += $4 } END { print s / NR }')" "$(floor)" 2 "the floor"
awk '{ v[NR] = $4 } NR > 2 && v[NR] < 0.65 * v[NR - 2] { cliff++ } END { exit cliff < 1 }' day.tsv || fail "no cliff"

# 25 rounds of a drive that drifts.
run drift 5 never-steady iops --seed 1
[ "$(iops drift iops round | wc -l)" = $((25 * 56)) ] || fail "not 25 rounds of 56"
on_every_page drift 'steady state not attained'
iops drift iops round | awk '$2 == 0 && $3 == 4096 { if ($1 > 5 && $4 > 0.97 * was) { print; bad = 1 } was = $4 } END { exit bad }' ||
	fail "a round lost less than 3 %"
