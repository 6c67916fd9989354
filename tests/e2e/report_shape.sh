#!/bin/bash
# The shape that the report finds in a write saturation is that of the simulated drive, which was told where to
# fall: when its spare blocks are used up, when its SLC cache is full, when it gets hot; or not at all.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"

saturate() { # NAME TARGET DURATION
	local erase=${2#sim:}
	"$PLATEAU" run --device "$2" --test wsat --erase "${erase%%,*}" --seed 7 --duration "$3" --no-steady-stop \
		--output "$1" >out 2>err || fail "$2: $(cat err)"
	python3 "$PLATEAU_TOP/tests/lib/report_check.py" "$1" || fail "the report of $2"
}

# What it throws away is the drive's own: a throttled run is no valid result, but has its shape.
throttled() {
	rc=0
	"$PLATEAU" run --device sim:throttling,capacity=64G --test wsat --erase throttling --seed 7 --duration 30m \
		--output hot >out 2>err || rc=$?
	[ $rc = 10 ] || fail "a throttled run ended with $rc: $(cat err)"
}

saturate spare28 sim:enterprise,capacity=4G,op=0.28 4h
saturate spare50 sim:enterprise,capacity=4G,op=0.5 4h
saturate slc sim:client,capacity=8G,slc=2G 2h
saturate drift sim:never-steady,capacity=4G 8h
saturate stalls sim:stutter,capacity=4G,stall_every=12m,stall=40s 6h
saturate flat sim:enterprise,capacity=64G 40m
throttled

python3 - <<'PY' || fail "another shape"
import csv

def shape(name):
    return next(csv.DictReader(open(f"{name}/csv/wsat-shape.csv", newline="")))

def minutes(name):
    return list(csv.DictReader(open(f"{name}/csv/wsat-minutes.csv", newline="")))

def near(value, want, share):
    assert abs(float(value) - want) <= share * want, (value, want)

# The cliff lies in the minute in which the last spare block is written, 1 + op drive fills.
for name, op in ("spare28", 0.28), ("spare50", 0.5):
    s, fresh = shape(name), int(shape(name)["fresh_minutes"])
    fills = [float(m["drive_fills"]) for m in minutes(name)]
    assert s["cliff"] == s["settled"] == "yes", s
    assert fills[fresh - 1] <= 1 + op <= fills[fresh + 1], (name, fills[fresh - 1:fresh + 2])

s = shape("slc") # full after 2 GiB, within the second minute
assert s["cliff"] == "yes"
assert float(minutes("slc")[0]["written_gb"]) <= 1.01 * float(s["cliff_written_gb"]) <= 1.1 * 2.147, s

s = shape("drift") # slower by 5 % in every 56 minutes, for ever
assert s["cliff"] == "yes" and s["settled"] == "no" and s["floor_iops"] == "", s

s = shape("stalls") # 40 s of every 12 minutes
near(s["period_minutes"], 12, 0.05)
assert float(s["oscillation_pct"]) > 30, s

s = shape("flat") # 40 minutes are no whole fill
assert s["cliff"] == "no" and s["settled"] == "yes" and float(s["oscillation_pct"]) < 1, s

s = shape("hot") # after 10 minutes, by 40 %
assert s["cliff"] == "yes" and s["fresh_minutes"] == "10" and s["floor_from_minute"] in ("11", "12"), s
near(float(s["floor_iops"]) / float(s["fresh_iops"]), 0.6, 0.01)
PY
