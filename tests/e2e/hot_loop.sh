#!/bin/bash
# What the engine asks of the host while it measures: which system calls, how much memory, and how much
# of the asked depth it keeps up.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v jq >/dev/null && command -v strace >/dev/null || skip "needs jq and strace"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # a tracer is in its way

zram=
remove_zram() {
	[ -z "$zram" ] || echo "$zram" >/sys/class/zram-control/hot_remove || :
	cleanup
}
trap remove_zram EXIT

"$PLATEAU" io --device file --size 64M --rw write --bs 1M --qd 4 --runtime 500ms --erase file --quiet >/dev/null

# The calls of each thread from its first io_submit on to its last, counted: "THREAD CALL COUNT".
calls() { # ARGUMENT...
	strace -f -qq -o trace "$PLATEAU" io --json --quiet "$@" >io.json
	grep -q io_submit trace || fail "no io_submit in the trace"
	awk '{ call = $2 == "<..." ? "" : $2; sub(/\(.*/, "", call) }
		call == "" || call ~ /^(---|\+\+\+)/ { next }
		call == "io_submit" { for (c in since) if (split(c, k, " ") && k[1] == $1) { n[c] += since[c]; delete since[c] }
				      seen[$1] = 1; n[$1 " " call]++; next }
		$1 in seen { since[$1 " " call]++ }
		END { for (c in n) print c, n[c] }' trace
}

# The end of the interval is read once; nothing but the I/O itself is asked for again and again.
check_calls() {
	awk '$2 == "io_submit" || $2 == "io_getevents" { next }
		$2 !~ /^(clock_gettime|getrusage|pread64|futex)$/ || $3 > 2 { print "thread " $1 " called " $2 " " $3 " times"; bad = 1 }
		END { exit bad }' <<<"$1" || fail "system calls in the hot loop"
}

for rw in randread randrw read; do
	set -- --device file --rw $rw --qd 32 --tc 2 --runtime 300ms
	[ $rw != randrw ] || set -- "$@" --erase file
	found=$(calls "$@")
	echo "$rw:" $found
	check_calls "$found"
done

# RAM completes inside io_submit: the ring is never empty, and io_getevents is never needed.
if [ "$(id -u)" = 0 ] && [ -e /sys/class/zram-control/hot_add ]; then
	zram=$(cat /sys/class/zram-control/hot_add)
	echo 64M >"/sys/block/zram$zram/disksize"
	found=$(calls --device "/dev/zram$zram" --rw randread --qd 32 --runtime 300ms)
	echo "zram:" $found
	check_calls "$found"
	! grep -q io_getevents <<<"$found" || fail "io_getevents although the ring was not empty"
	# Nothing is gained by small calls there.
	awk -v ios="$(jq .read.ios io.json)" '$2 == "io_submit" { exit ios / $3 < 30 }' <<<"$found" ||
		fail "less than 30 of 32 I/Os to a call"
	# It is erased by its name, having nothing else.
	expect 3 'zram' io --device "/dev/zram$zram" --rw randwrite --runtime 100ms --erase zram
	expect 0 '' io --device "/dev/zram$zram" --rw randwrite --runtime 100ms --erase "zram$zram"
fi

# One completion is enough to go on: the depth is kept up on a device that completes later.
kept=$(for _ in 1 2 3; do
	"$PLATEAU" io --device file --rw randread --qd 32 --runtime 500ms --json --quiet | jq .achieved_qd
done | sort -g | sed -n 2p)
echo "depth: $kept of 32"
[ -n "$PLATEAU_SANITIZED" ] || awk -v d="$kept" 'BEGIN { exit d < 0.98 * 32 }' || fail "a depth of $kept was kept of 32"

[ -z "$PLATEAU_SANITIZED" ] || exit 0
# Buffers of 32 MiB in the direction that is used, and little else; no more at the end than soon after the start.
memory() { awk -v f="$1:" '$1 == f { print $2 }' "/proc/$pid/status"; }
for rw in read write; do
	"$PLATEAU" io --device file --rw $rw --bs 128k --qd 128 --tc 2 --runtime 2500ms --quiet \
		--erase file >/dev/null &
	pid=$!
	sleep 1
	early=$(memory VmRSS)
	sleep 1
	late=$(memory VmRSS) most=$(memory VmHWM)
	wait $pid
	echo "$rw: $early KiB after a second, $late after two, $most at most"
	[ $((late - early)) -le 128 ] || fail "memory grows while measuring"
	[ "$most" -le $(((32 + 32) * 1024)) ] || fail "$most KiB are in use"
done
