#!/bin/bash
# Runs side by side. Every figure and statistic again, by Python from the journals.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v python3 >/dev/null && command -v pdftotext >/dev/null && command -v jq >/dev/null || skip "needs python3, pdftotext and jq"
export SOURCE_DATE_EPOCH=1800000000

for drive in enterprise client never-steady; do
	rc=0
	"$PLATEAU" run --device sim:$drive --erase $drive --test iops,tp,lat,wsat --max-rounds 6 --duration 120m --seed 7 \
		--output $drive --quiet >/dev/null 2>&1 || rc=$?
	[ $rc = 0 ] || [ $rc = 5 ] || fail "sim:$drive ended with $rc"
done
expect 0 'not taken alike' compare enterprise client never-steady --output made
grep -q comparison.pdf out || fail "no path: $(cat out)"
python3 "$PLATEAU_TOP/tests/lib/compare_check.py" made enterprise client never-steady || fail "figures"
pdftotext -layout made/comparison.pdf text
python3 - <<'P' || fail "what differs"
import json
made, text = json.load(open("made/comparison.json")), " ".join(open("text").read().split("\f")[0].split())
differs = {g["property"]: g["differs"] for g in made["comparability"]}
assert differs["Write cache"] and differs["Deviations"] and not differs["Edition"] and not differs["TC/QD"]
assert made["differs"] == sum(differs.values()) and made["kind"] == "different drives"
assert "Not taken alike: Write cache, Deviations" in text
P
head -n 1 made/figures.csv | tr -d '\r' | grep -qx 'test,figure,unit,A: plateau simulated enterprise,B: plateau simulated client,C: plateau simulated never-steady,median,spread_pct' ||
	fail "$(head -n 1 made/figures.csv)"
for chart in iops-100 lat-0 wsat-time wsat-fills lat-nines wsat-nines ratios; do
	[ -s made/charts/$chart.svg ] || fail "no chart $chart"
done

# The same again is the same; --strict says what --json holds.
expect 11 'not taken alike' compare enterprise client never-steady --output again --strict --json
python3 -c 'import json; assert json.load(open("out"))["differs"] == 2'
diff -r made again || fail "the same comparison twice differs"

# The same drive again is one drive, and without a difference within its noise; a slower one is not.
cp -r enterprise later
expect 0 '' compare enterprise later --output twice
python3 - <<'P' || fail "one drive"
import json
c = json.load(open("twice/comparison.json"))
assert c["kind"] == "one drive at several times" and c["differs"] == 0
assert all(r["within_noise"] for r in c["figures"] if r["test"] == "iops" and r["within_noise"] is not None)
P
[ -s twice/charts/ageing.svg ] || fail "no chart of its ageing"

# Ten of one model, one of them slow: an outlier; each has a line of its own in charts that still have room for them.
many=
for n in 0 1 2 3 4 5 6 7 8 9; do
	from=enterprise
	[ $n = 4 ] && from=never-steady
	cp -r $from unit$n
	jq --arg n $n '.device.model = "one" | .device.serial = "S" + $n' $from/run.json >unit$n/run.json
	many="$many unit$n"
done
# shellcheck disable=SC2086
expect 0 '' compare $many --output many
# shellcheck disable=SC2086
python3 "$PLATEAU_TOP/tests/lib/compare_check.py" many $many || fail "ten runs"
python3 - <<'P' || fail "one model"
import json
c = json.load(open("many/comparison.json"))
assert c["kind"] == "several drives of one model"
assert {r["outlier"] for r in c["figures"] if r["test"] == "iops"} == {"E"}
P
jq '.options.round_time_ns = 1000000000' enterprise/run.json >later/run.json
expect 11 '(1)' compare enterprise later --output shorter --strict
pdftotext shorter/comparison.pdf - | grep -q 'Not taken alike: Round time' || fail "another round time is not named"

# Results of another program: what both have stands side by side, what one has not stays empty.
cat >2018.txt <<'T'
CrystalDiskMark 6.0.0 x64 (C) 2007-2017 hiyohiyo
  Sequential Read (Q= 32,T= 1) :   509.971 MB/s
  Random Read 4KiB (Q=  8,T= 8) :   312.081 MB/s [  76191.7 IOPS]
 Random Write 4KiB (Q=  1,T= 1) :    94.851 MB/s [  23157.0 IOPS]
  Date : 2018/03/01 1:41:52
T
sed 's/23157.0/16352.5/; s/94.851/66.980/; s/2018/2023/' 2018.txt >2023.txt
for year in 2018 2023; do
	expect 0 '' import $year.txt --as $year --drive 'ACME 1'
done
expect 0 '' compare 2018 2023 --output aged --json
python3 - <<'P' || fail "ageing"
import json
c = json.load(open("out"))
assert c["kind"] == "one drive at several times"
row = {r["figure"]: r for r in c["figures"]}["RND 4 KiB, RW 0/100, TC 1 / QD 1"]
assert row["values"] == [23157.0, 16352.5] and row["best"] == "A" and row["within_noise"] is None
P
pdftotext -layout aged/comparison.pdf - | grep -q '0\.706' || fail "16352.5 / 23157.0 is not printed"
expect 11 '' compare enterprise 2018 --output mixed --strict
python3 - <<'P' || fail "mixed"
import json
rows = {(r["test"], r["figure"]): r["values"] for r in json.load(open("mixed/comparison.json"))["figures"]}
assert rows["iops", "RND 4 KiB, RW 100/0"][1] == 76191.7
assert rows["iops", "RND 8 KiB, RW 100/0"][1] is None
assert rows["tp", "SEQ 128 KiB, RW 100/0"][1] == 509.971
P
python3 "$PLATEAU_TOP/tests/lib/compare_check.py" mixed enterprise 2018 || fail "figures of a run and an import"
pdftotext mixed/comparison.pdf - | grep -q IMPORTED || fail "not marked as imported"

expect 2 '2 to 20 runs, not 1' compare enterprise --output x
expect 2 'the same run' compare enterprise client ./enterprise --output x
expect 8 'nosuch' compare enterprise nosuch --output x
expect 2 'needs --output' compare enterprise client
[ ! -e x ] || fail "something was made of a refused comparison"
