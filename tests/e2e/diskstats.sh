#!/bin/bash
# Bytes that the engine reports are the bytes that the kernel counted for the device, within 1 %.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
need_loop
command -v jq >/dev/null || skip "needs jq"

make_loop backing 256M
name=${loop#/dev/}
counted() { # bytes read and written so far
	awk '{ printf "%.0f %.0f\n", $3 * 512, $7 * 512 }' "/sys/block/$name/stat"
}

check() { # ARGUMENT...
	local before after
	read -ra before <<<"$(counted)"
	expect 0 '' io --device "$loop" --erase "$name" --json --runtime 2s "$@"
	read -ra after <<<"$(counted)"
	jq -r '.read.bytes, .write.bytes' out | paste -s |
		awk -v r=$((after[0] - before[0])) -v w=$((after[1] - before[1])) -v what="$*" '
		# Beside the 1 %: what was in flight at the end, and the probing of the gate and of udev.
		function off(kernel, ours) { return kernel < 0.99 * ours || kernel > 1.01 * ours + 4e6 }
		{ printf "%s: read %.0f of %.0f, written %.0f of %.0f\n", what, $1, r, $2, w
		  if ($1 + $2 < 1e6 || off(r, $1) || off(w, $2)) exit 1 }' ||
		fail "diskstats disagree"
	# Completions times block size are the bytes, and Little's law holds for the interval as a whole; I/Os that
	# span its ends may count on one side only, so that long ones make it less exact.
	jq -e '(.read.ios + .write.ios) / (.elapsed_ns / 1e9) / .iops | . > 0.999 and . < 1.001' out >/dev/null ||
		fail "iops is not I/Os over time: $(cat out)"
	jq -e '(0.03 + 2 * ([.read.lat_ns.max, .write.lat_ns.max] | map(. // 0) | max) / .elapsed_ns) as $off
		| ((.read.ios * (.read.lat_ns.mean // 0)) + (.write.ios * (.write.lat_ns.mean // 0)))
		/ .elapsed_ns / .achieved_qd | . > 1 - $off and . < 1 + $off' out >/dev/null ||
		fail "Little's law: $(cat out)"
}

check --rw write --bs 128k --qd 8
check --rw randwrite --bs 4k --qd 32
check --rw randread --bs 4k --qd 16 --tc 2
check --rw randrw --rwmixread 65 --bs 8k --qd 16
check --rw read --bs 128k --qd 8

# Reading needs no --erase; writing does, and the right one.
expect 0 '' io --device "$loop" --rw randread --runtime 100ms
expect 2 'destroys data' io --device "$loop" --rw randwrite --runtime 100ms
expect 3 '' io --device "$loop" --rw randwrite --runtime 100ms --erase "${name}x"
