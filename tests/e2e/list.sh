#!/bin/bash
# What `plateau list` shows, as a table and as JSON, held against the kernel's own figures.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"

need_loop
make_loop disk 3000001024 # no multiple of 4 KiB
name=${loop#/dev/}
expect 0 '' list
grep -qE "^$loop +$name +- +.* 512/512 +loop " out || fail "table: $(cat out)"
expect 0 '' list --json
jq -e --arg p "$loop" --argjson size "$(blockdev --getsize64 "$loop")" \
	'.devices[] | select(.path == $p) | .size_bytes == $size and .erase_id == $ARGS.named.name
		and .nvme == null and .link.now == null and .unread == null and .remarks == []' \
	--arg name "$name" out >/dev/null || fail "JSON: $(cat out)"
# Whole disks that lsblk shows with a size, but not memory and optical ones, are all there and nothing else.
lsblk -bdnpo NAME,SIZE,TYPE | awk '$2 > 0 && $1 !~ /zram|\/ram|\/sr|\/fd/ { print $1, $2 }' | sort >want
jq -r '.devices[] | "\(.path) \(.size_bytes)"' out | sort >got
# Other tests make and remove loop devices meanwhile.
diff <(grep -v /dev/loop want) <(grep -v /dev/loop got) >&2 || fail "not the disks that lsblk shows"
blockdev --setro "$loop"
expect 0 '' list
grep -q "^$loop: it is read-only: it cannot be tested" out || fail "read-only is not told: $(cat out)"
