#!/bin/bash
# What `plateau run` refuses, with exit 3 and not one byte changed, and what --discard-signatures lets through.
. "$PLATEAU_TOP/tests/lib/e2e.sh"
need_loop
for tool in mkfs.ext4 mkfs.xfs sfdisk partx pvcreate mkswap strace jq python3; do
	command -v $tool >/dev/null || skip "needs $tool"
done

# Whatever fails, nothing of this stays in use.
tidy() {
	local l
	for l in $loops; do swapoff "$l" 2>/dev/null || :; done
	jobs -p | xargs -r kill 2>/dev/null || :
	cleanup
}
trap tidy EXIT

sum() {
	sync
	sha256sum <"$1" # buffered: what a reader of the target sees
}

# Refused: code 3, a sentence that matches REGEX, nothing changed, nothing made.
refuse() { # TARGET ID REGEX [OPTION...]
	local target=$1 id=$2 regex=$3 before
	shift 3
	before=$(sum "$target")
	expect 3 "$regex" run --device "$target" --test iops --erase "$id" --round-time 100ms \
		--max-rounds 1 --output refused "$@"
	[ "$(sum "$target")" = "$before" ] || fail "$target was changed by a run that was refused ($regex)"
	[ ! -e refused ] || fail "a run that was refused left its directory ($regex)"
}

# Let through: one purge and a short random write, by the command with the same gate.
accept() { # TARGET ID [OPTION...]
	local target=$1 id=$2
	shift 2
	expect 0 '' io --device "$target" --erase "$id" --rw randwrite --bs 4k --qd 1 --tc 1 --runtime 50ms "$@"
}

new_loop() { # SIZE
	rm -f disk
	make_loop disk "$1"
	name=${loop#/dev/}
}

drop_loop() {
	losetup -d "$loop"
	loops=${loops/ $loop/}
}

# --- the id ---

new_loop 24M
refuse "$loop" wrong "--erase 'wrong' did not match, its id is '$name'"
refuse "$loop" '' "without --erase"
refuse "$loop" "$loop" "did not match"
before=$(sum "$loop")
expect 2 "needs --erase" run --device "$loop" --test iops --round-time 100ms --max-rounds 1 --output refused
[ "$(sum "$loop")" = "$before" ] || fail "changed without --erase"

# --- in use: nothing waives it ---

mkdir mnt
mkfs.ext4 -q -F "$loop"
mount -o ro "$loop" mnt # so that the file system itself writes nothing
mounts=$PWD/mnt
refuse "$loop" "$name" "mounted on $PWD/mnt"
refuse "$loop" "$name" "mounted on $PWD/mnt" --discard-signatures
expect 3 "it holds the run directory|mounted on" run --device "$loop" --test iops --erase "$name" \
	--round-time 100ms --max-rounds 1 --output mnt/r --discard-signatures
"$PLATEAU" list | grep -q "^$loop .*mounted on $PWD/mnt" || fail "list does not say who uses it"
umount mnt
mounts=

unshare -m sh -c "mount -o ro '$loop' mnt && : >mounted && exec sleep 60" &
until [ -e mounted ]; do
	kill -0 $! 2>/dev/null || fail "no mount namespace of its own could be made"
	sleep 0.1
done
refuse "$loop" "$name" "mounted on $PWD/mnt" --discard-signatures
kill $!
wait $! || :

mkswap -q "$loop" >/dev/null 2>&1 || mkswap "$loop" >/dev/null
swapon "$loop"
expect 3 "in use as swap" run --device "$loop" --test iops --erase "$name" --round-time 100ms \
	--max-rounds 1 --output refused --discard-signatures
swapoff "$loop"
refuse "$loop" "$name" "it holds swap"

(exec 9<"$loop" && exec sleep 60) &
until [ "$(cat /proc/$!/comm)" = sleep ]; do
	kill -0 $! 2>/dev/null || fail "the other program has ended"
	sleep 0.1
done
refuse "$loop" "$name" "opened by sleep \(pid $!\)" --discard-signatures
kill $!
wait $! || :

# A partition: by addpart, because not every kernel reads partition tables.
wipefs -qa "$loop"
printf 'label: gpt\n,8M\n,8M\n' | sfdisk -q --no-reread "$loop" 2>/dev/null
[ -e "${loop}p1" ] || partx -a "$loop"
refuse "$loop" "$name" "it holds gpt"
mkfs.ext4 -q -F "${loop}p1"
mount -o ro "${loop}p1" mnt
mounts=$PWD/mnt
refuse "$loop" "$name" "${name}p1 mounted on $PWD/mnt" --discard-signatures
refuse "${loop}p1" "${name}p1" "mounted on $PWD/mnt" --discard-signatures
refuse "${loop}p2" "${name}p2" "${name}p1 mounted on" --discard-signatures
umount mnt
mounts=
partx -d "$loop"
accept "$loop" "$name" --discard-signatures
drop_loop

losetup -r "$loop" disk
loops="$loops $loop"
refuse "$loop" "$name" read-only --discard-signatures
refuse disk disk "behind $name"
refuse disk disk "behind $name" --discard-signatures
losetup --show -f "$loop" >upper
loops="$(cat upper) $loops"
drop_loop
losetup -d "$(cat upper)" || :
loops=

# --- signatures on a device that nobody uses ---

signature() { # SIZE WORD COMMAND...
	local size=$1 word=$2
	shift 2
	new_loop "$size"
	"$@" "$loop" >/dev/null 2>&1 || fail "$* failed"
	refuse "$loop" "$name" "it holds $word;"
	refuse "$loop" wrong "did not match" --discard-signatures
	accept "$loop" "$name" --discard-signatures
	drop_loop
}

partition_table() {
	printf 'label: dos\n,8M\n' | sfdisk -q --no-reread "$1"
}

# The member of an array that is not assembled, made without the md driver.
md_member() {
	python3 - "$1" <<'PY'
import struct, sys
sb = bytearray(256)
struct.pack_into("<II", sb, 0, 0xa92b4efc, 1)        # magic, major version
struct.pack_into("<Q", sb, 144, 8)                   # super_offset: sector 8, version 1.2
words = struct.unpack("<64I", sb)
total = sum(words)
struct.pack_into("<I", sb, 216, (total & 0xffffffff) + (total >> 32) & 0xffffffff)
with open(sys.argv[1], "r+b") as f:
    f.seek(4096)
    f.write(sb)
PY
}

signature 24M ext4 mkfs.ext4 -q -F
signature 320M xfs mkfs.xfs -q -f
signature 24M dos partition_table
signature 24M LVM2_member pvcreate -y --config 'devices { use_devicesfile=0 }'
signature 24M linux_raid_member md_member
signature 24M swap mkswap

# --- files ---

echo 'three years of work' >thesis.tex
refuse thesis.tex thesis.tex "holds data and plateau did not make it|is empty" --discard-signatures
head -c 8M /dev/urandom >foreign
refuse foreign foreign "holds data and plateau did not make it" --discard-signatures
truncate -s 8M holes
ln holes second
refuse holes holes "2 names"
rm second
accept holes holes
accept holes holes # marked by the first
cp -a holes copy
refuse copy copy "changed or copied"
cat foreign foreign >holes
refuse holes holes "changed or copied"
rm holes
expect 0 '' io --device holes --size 8M --erase holes --rw randwrite --bs 4k --qd 1 --tc 1 --runtime 50ms
(flock 9 && exec sleep 60) 9<holes &
until ! flock -n holes true; do sleep 0.1; done
refuse holes holes "opened by|another plateau is using it"
kill $!
wait $! || :
ln -s holes link
accept link holes

# --- no open for writing where it matters most ---

no_write_open() { # TARGET ID
	# LeakSanitizer cannot work under strace.
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=open,openat,openat2,creat -o trace "$PLATEAU" run --device "$1" --test iops \
		--erase "$2" --round-time 100ms --max-rounds 1 --output refused --discard-signatures \
		>out 2>err && fail "$1 was let through" || rc=$?
	[ "$rc" = 3 ] || fail "$1 ended with $rc: $(cat err)"
	[ -s trace ] || fail "no trace"
	# Nothing at all but devices that swallow everything.
	grep -E 'O_RDWR|O_WRONLY|O_CREAT|O_TRUNC|creat\(' trace | grep -v '"/dev/null"' >writes || :
	[ ! -s writes ] || fail "open for writing before the refusal of $1: $(cat writes)"
}

no_write_open foreign foreign
root=$(findmnt -n -o SOURCE /)
if [ -b "$root" ]; then
	id=$("$PLATEAU" list --json | jq -r --arg p "$root" '.devices[] | select(.path == $p) | .erase_id')
	no_write_open "$root" "$id"
	grep -q 'system disk' err || fail "the root disk: $(cat err)"
fi

# --- what is no target at all ---

mkfifo pipe
expect 2 "is a pipe" run --device pipe --test iops --erase pipe --output refused
expect 2 "is a directory" run --device mnt --test iops --erase mnt --output refused
expect 2 "is a character device" run --device /dev/null --test iops --erase null --output refused
expect 2 "No such file" run --device nothing --test iops --erase nothing --output refused
: >empty
expect 2 "is empty" run --device empty --test iops --erase empty --output refused
