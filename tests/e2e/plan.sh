#!/bin/bash
# plateau plan: the rate that an estimate goes by, and the share of rated endurance.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v jq >/dev/null || skip "needs jq"

plan() { # TARGET OPTION...
	local target=$1
	shift
	expect 0 '' plan --device "$target" --test lat --json "$@"
}
# near HAVE WANT PCT
near() {
	awk -v a="$1" -v b="$2" -v pct="$3" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= b * pct / 100) }' ||
		fail "$1 is not within $3 % of $2"
}

# A real target: assumed, or as its fill went before.
rc=0
"$PLATEAU" run --device f --size 16M --test lat --erase f --output r --purge none --round-time 20ms --max-rounds 1 \
	--quiet >log 2>&1 || rc=$?
[ $rc = 5 ] || fail "the run ended with $rc: $(cat log)"
plan f
[ "$(jq -r '.estimate | "\(.rate) \(.fill_bytes_per_s)"' out)" = 'assumed 500000000' ] || fail "$(cat out)"
plan f --fill-rate-from r
[ "$(jq -r .estimate.rate out)" = measured ] || fail "$(cat out)"
want=$(jq -s '[.[] | select(.kind == "point" and .phase == "fill")] |
	(map(.write.bytes) | add) / (map(.t1_ns - .t0_ns) | add) * 1e9' r/journal.jsonl)
near "$(jq .estimate.fill_bytes_per_s out)" "$want" 0.001
expect 0 '' plan --device f --test lat --fill-rate-from r
grep -q 'at the measured ' out || fail "$(cat out)"

# What cannot be: another drive, a run without a fill, no run.
truncate -s 16M g
expect 2 "another drive: f" plan --device g --test lat --fill-rate-from r
expect 2 'another drive' plan --device sim:enterprise,capacity=16M,pages=16 --test lat --fill-rate-from r
"$PLATEAU" run --device f --test lat --erase f --output bare --purge none --round-time 20ms --max-rounds 1 \
	--wipc-passes 0 --quiet >log 2>&1 || :
expect 2 'no fill' plan --device f --test lat --fill-rate-from bare
expect 8 '' plan --device f --test lat --fill-rate-from nowhere
expect 2 "'0'" plan --device f --test lat --endurance-tbw 0

# Endurance: shares of N x 10^12 B.
plan f --endurance-tbw 3
near "$(jq .estimate.worst_endurance_pct out)" "$(jq '.estimate.worst_b / 3e10' out)" 1e-9
[ "$(jq .estimate.endurance_b out)" = 3000000000000 ] || fail "$(cat out)"

# A simulated drive is filled in virtual time: two passes, of which the second erases first. A die takes a page in 0.8 ms
# and a superblock's share of 256 pages is erased in 10 ms; 4 dies.
plan sim:enterprise,capacity=256M,jitter=0
[ "$(jq -r .estimate.rate out)" = simulated ] || fail "$(cat out)"
near "$(jq .estimate.fill_bytes_per_s out)" \
	"$(awk 'BEGIN { print 2 * 4 * 4096 / (0.0008 + 0.0008 + 0.01 / 256) }')" 2
