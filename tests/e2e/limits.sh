#!/bin/bash
# Limits: judged by what was measured, told in the report, in junit.xml and by the exit code.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
export HOME=$PWD XDG_CONFIG_HOME=

run() { # DIR CODE OPTION...
	local dir=$1 code=$2 rc=0
	shift 2
	"$PLATEAU" run --device sim:enterprise,capacity=512M --erase enterprise --test iops,wsat --round-time 1s \
		--max-rounds 6 --duration 100s --seed 5 --output "$dir" "$@" >out 2>err || rc=$?
	[ $rc = "$code" ] || fail "exit $rc, not $code: $(cat err)"
}

# The figures again, from the raw points: 4 KiB writes over rounds 2 to 6, fills of the saturation.
run plain 0
iops=$(jq -s '[.[] | select(.kind == "point" and .test == "iops" and .phase == "round" and .round >= 2 and
	.bs_b == 4096 and .read_pct == 0) | ((.read.ios // 0) + .write.ios) * 1e9 / (.t1_ns - .t0_ns)] |
	if length == 5 then add / 5 else error("rounds") end' plain/journal.jsonl)
fills=$(jq -s '[.[] | select(.kind == "point" and .phase == "minute") | .write.bytes] | add / 536870912' plain/journal.jsonl)
below=$(jq -n "$iops * 0.999 | floor") above=$(jq -n "$iops * 1.001 | ceil")
[ ! -e plain/junit.xml ] || fail "junit.xml without limits"

cat >good.ini <<EOT
# What a product sheet would say
iops.4KiB.0/100 >= $below
iops.4k.0/100.iops <= $above
  wsat.fills == $fills
health.temperature_c.max <= 90 ; of the composite sensor
run.io_errors == 0
EOT
# shellcheck disable=SC2016
run good 0 --limits good.ini --on-end 'echo "$PLATEAU_VERDICT/$PLATEAU_EXIT_CODE/$PLATEAU_RUN/$PLATEAU_DEVICE" >ended; exit 3'
[ "$(cat ended)" = "complete/0/$PWD/good/sim:enterprise,capacity=512M" ] || fail "--on-end saw $(cat ended)"
grep -q 'on-end: its command ended with 3' err || fail "the command's failure is not said: $(cat err)"
python3 - good/junit.xml <<'EOT'
import sys, xml.etree.ElementTree as et
suite = et.parse(sys.argv[1]).getroot()
assert suite.get("tests") == "5" and suite.get("failures") == "0", suite.attrib
assert suite[0].get("name").startswith("iops.4KiB.0/100 >= "), suite[0].attrib
assert not suite.findall(".//failure")
EOT
grep -q '>Limit by limit<' good/report.html || fail "the report has no limits"

cat >bad.ini <<EOT
iops.4KiB.0/100 >= $above
iops.4KiB.0/100.p50 <= 1ns
iops.4KiB.50/50.p99.999 <= 10s
wsat.floor >= 90%
lat.4KiB.100/0.art <= 1s
tp.128KiB.100/0 >= 1
health.no_such_figure == 0
iops.4KiB.0/100 <= $above
EOT
run bad 6 --limits bad.ini
python3 - bad/junit.xml <<'EOT'
import sys, xml.etree.ElementTree as et
suite = et.parse(sys.argv[1]).getroot()
kinds = [(c.find("failure").get("type") if c.find("failure") is not None else "ok") for c in suite]
want = ["limit", "limit", "not measured", "not measured", "not measured", "not measured", "not measured", "ok"]
assert kinds == want, kinds
assert suite.get("failures") == "7", suite.attrib
EOT
tail -n 1 bad/journal.jsonl | jq -e '.exit_code == 6 and (.reason | startswith("7 of 8 limits failed: iops.4KiB.0/100 >= "))' \
	>/dev/null || fail "end record: $(tail -n 1 bad/journal.jsonl)"
[ "$(grep -c '^  FAIL ' out)" = 7 ] || fail "printed: $(cat out)"
grep -q '^  FAIL  iops.4KiB.50/50.p99.999 <= 10s *not measured: too few samples$' out || fail "few samples: $(cat out)"
grep -q 'not measured' bad/report.html || fail "the report does not say what was not measured"

# A stored run: by its own limits again, and by others.
"$PLATEAU" report bad --output again >out
cmp bad/junit.xml again/junit.xml || fail "the limits of the run are judged otherwise later"
rc=0
"$PLATEAU" report plain --limits bad.ini --output other >out || rc=$?
[ $rc = 6 ] && cmp other/junit.xml bad/junit.xml || fail "report --limits: exit $rc"
"$PLATEAU" report bad --limits good.ini --output good2 >out || fail "report --limits good: $?"

# What is no limit: said before the run begins, with file and line.
wrong() { # REGEX LINE...
	local regex=$1
	shift
	printf '%s\n' "$@" >wrong.ini
	expect 2 "wrong.ini:$regex" run --device sim:enterprise,capacity=512M --erase enterprise --test iops --limits wrong.ini --output never
	[ ! -e never ] || fail "the run was begun"
}
wrong "1: 'iosp' is no test" 'iosp.4k.0/100 >= 3'
wrong "2: '5' is not a value for lat.p99; write it like 800us" '' 'lat.4KiB.100/0.p99 <= 5'
wrong "1: 'p100' is no figure of iops" 'iops.4KiB.0/100.p100 <= 5ms'
wrong '1: 40/50 is no mix' 'iops.4KiB.40/50 >= 3'
wrong '1: iops needs block size and mix' 'iops.fast >= 3'
wrong '1: limits compare with' 'iops.4KiB.0/100 = 3'
wrong '1: this is neither' 'iops.4KiB.0/100 > 3'
wrong "1: 'ceiling' is no figure of wsat" 'wsat.ceiling >= 3'
wrong '1: \[x\]: limits stand in no section' '[x]'
printf '# none\n' >none
expect 2 'none has no limits' report plain --limits none

# A refusal is told to --on-end too.
rc=0
"$PLATEAU" run --device sim:enterprise --erase other --test lat --on-end 'env >refused' 2>err || rc=$?
[ $rc = 3 ] && grep -q '^PLATEAU_EXIT_CODE=3$' refused && grep -q '^PLATEAU_RUN=$' refused || fail "refused: $rc"
