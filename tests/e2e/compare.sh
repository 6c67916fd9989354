#!/bin/bash
# Runs side by side. Every figure, ratio, best, median and spread again, by Python from the journals.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v python3 >/dev/null && command -v pdftotext >/dev/null || skip "needs python3 and pdftotext"
export SOURCE_DATE_EPOCH=1800000000

for drive in enterprise client never-steady; do
	rc=0
	"$PLATEAU" run --device sim:$drive --erase $drive --test iops,lat,wsat --max-rounds 6 --duration 120m --seed 7 \
		--output $drive --quiet >/dev/null 2>&1 || rc=$?
	[ $rc = 0 ] || [ $rc = 5 ] || fail "sim:$drive ended with $rc"
done
expect 0 'not taken alike' compare enterprise client never-steady --output made
grep -q comparison.pdf out || fail "no path: $(cat out)"
pdftotext -layout made/comparison.pdf text
python3 - <<'P' || fail "figures"
import json, statistics
runs = ["enterprise", "client", "never-steady"]

def journal(run):
    return [json.loads(line) for line in open(run + "/journal.jsonl")]

def window(records, test):
    v = [r["verdict"] for r in records if r.get("stage") == "end" and r.get("test") == test and r.get("verb") == "rounds"][0]
    rounds = max(r["round"] for r in records if r["kind"] == "point" and r["test"] == test and r["phase"] == "round")
    return (v["first"], v["last"]) if v["first"] else (max(1, rounds - 4), rounds)

def cell(records, test, bs, mix, what):
    first, last = window(records, test)
    values = []
    for r in records:
        if r["kind"] == "point" and r["test"] == test and r["phase"] == "round" and first <= r["round"] <= last and \
                r["bs_b"] == bs and r["read_pct"] == mix:
            ios = sum(sum(d["cells"][1::2]) for d in (r["read"], r["write"]))
            ns = r["read"]["sum_ns"] + r["write"]["sum_ns"]
            values.append(ios / (r["t1_ns"] - r["t0_ns"]) * 1e9 if what == "IOPS" else ns / ios / 1e6)
    return statistics.mean(values)

made = json.load(open("made/comparison.json"))
text = open("text").read()
rows = {(r["test"], r["figure"]): r for r in made["figures"]}
records = [journal(run) for run in runs]
seen = 0
for test, what, suffix in (("iops", "IOPS", ""), ("lat", "ms", ", mean")):
    for bs in (4096, 8192):
        for mix in (100, 65, 0):
            row = rows[test, f"RND {bs // 1024} KiB, RW {mix}/{100 - mix}{suffix}"]
            want = [cell(r, test, bs, mix, what) for r in records]
            assert row["unit"] == what
            for a, b in zip(row["values"], want):
                assert abs(a / b - 1) < 1e-12, (row, want)
            middle = statistics.median(want)
            assert abs(row["median"] / middle - 1) < 1e-12
            assert abs(row["spread_pct"] - (max(want) - min(want)) / middle * 100) < 1e-9
            best = min(want) if what == "ms" else max(want)
            assert row["best"] == "ABC"[want.index(best)], row
            if bs == 4096:  # on paper: the median and the ratio to A
                assert f"{want[1] / want[0]:.3f}" in text and f"{want[2] / want[0]:.3f}" in text, (row, want)
                assert f"{row['spread_pct']:.1f}" in text
            seen += 1
assert seen == 12
floor = rows["wsat", "Floor"] if ("wsat", "Floor") in rows else None
fresh = rows["wsat", "Fresh plateau"]
assert any(v for v in fresh["values"])
differs = {g["property"]: g["differs"] for g in made["comparability"]}
assert differs["Write cache"] and differs["Deviations"] and not differs["Edition"] and not differs["TC/QD"]
assert made["differs"] == sum(differs.values()) and made["kind"] == "different drives"
assert "Not taken alike: Write cache, Deviations" in " ".join(text.split())
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
assert rows["tp", "SEQ 128 KiB, RW 100/0, TC 1 / QD 32"] == [None, 509.971]
P
pdftotext mixed/comparison.pdf - | grep -q IMPORTED || fail "not marked as imported"

expect 2 '2 to 20 runs, not 1' compare enterprise --output x
expect 2 'the same run' compare enterprise client ./enterprise --output x
expect 8 'nosuch' compare enterprise nosuch --output x
expect 2 'needs --output' compare enterprise client
[ ! -e x ] || fail "something was made of a refused comparison"
