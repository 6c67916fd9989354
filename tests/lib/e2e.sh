# shellcheck shell=bash
# For tests/e2e: `. "$PLATEAU_TOP/tests/lib/e2e.sh"`. Loop devices made here go away at the end.
cd "$T_DIR"
loops=
mounts=

cleanup() {
	local l m
	for m in $mounts; do umount "$m" || :; done
	for l in $loops; do
		# the next user of the loop device would inherit partitions and protection
		partx -d "$l" 2>/dev/null || :
		blockdev --setrw "$l" || :
		losetup -d "$l" || :
	done
}
trap cleanup EXIT

skip() {
	echo "$*"
	exit 77
}

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

need_loop() {
	need_root
	losetup -f >/dev/null 2>&1 || skip "no loop devices here"
}

# A loop device over a new file; its path in $loop. O_DIRECT on it reaches the file's disk.
make_loop() { # FILE SIZE
	truncate -s "$2" "$1"
	loop=$(losetup --direct-io=on --show -f "$1" 2>/dev/null || losetup --show -f "$1")
	loops="$loops $loop"
}

# Run plateau; it must end with CODE, say one sentence that matches REGEX (extended) on stderr where
# REGEX is not empty, and nothing on stdout where it failed by usage, safety or host.
expect() { # CODE REGEX ARGUMENT...
	local code=$1 regex=$2 rc=0
	shift 2
	"$PLATEAU" "$@" >out 2>err </dev/null || rc=$?
	[ "$rc" = "$code" ] || fail "plateau $* ended with $rc, not $code: $(cat err)"
	[ -z "$regex" ] || grep -qE "^plateau: .*$regex" err || fail "plateau $* said: $(cat err)"
	case $code in
	2 | 3 | 8) [ ! -s out ] || fail "plateau $* failed and printed: $(cat out)" ;;
	esac
}
