# shellcheck shell=sh
# In the machine of tests/vm/drives.sh: /dev/nvme0n1 and n2 (one controller, VM1), /dev/nvme1n1 (VM2), /dev/sda and sdb (both SAME).
set -u
failed=0
not_ok() {
	echo "not ok - $*"
	failed=1
}

verdict() { # WHAT CONDITION
	if eval "$2"; then
		echo "ok - $1"
	else
		not_ok "$1 ($rc: $(cat said))"
	fi
}

# Exit 3, a sentence that matches, the device's checksum as before.
refuse() { # WHAT TARGET ID REGEX
	before=$(md5sum <"$2")
	plateau run --device "$2" --test iops --erase "$3" --round-time 100ms --max-rounds 1 --purge none --output refused \
		--discard-signatures >said 2>&1
	rc=$?
	if [ $rc = 3 ] && grep -qE "$4" said && [ "$(md5sum <"$2")" = "$before" ] && [ ! -e refused ]; then
		echo "ok - refused: $1"
	else
		not_ok "refused: $1 ($rc: $(cat said))"
	fi
	rm -rf refused
}

# The gate lets it through, and the write is done.
accept() { # WHAT TARGET ID
	if plateau io --device "$2" --erase "$3" --rw randwrite --bs 4k --qd 4 --tc 1 --runtime 100ms --discard-signatures >said 2>&1; then
		echo "ok - accepted: $1"
	else
		not_ok "accepted: $1 ($?: $(cat said))"
	fi
}

modprobe -a nvme virtio_scsi sd_mod loop dm-mod ext4 crc32c_generic raid1
modprobe null_blk nr_devices=0
sleep 2
mount -t configfs config /sys/kernel/config
plateau list

id1=$(cat /sys/block/nvme0n1/wwid)
id2=$(cat /sys/block/nvme0n2/wwid)
accept "a namespace by its WWID" /dev/nvme0n1 "$id1"
accept "its sibling" /dev/nvme0n2 "$id2"
accept "a drive of its own" /dev/nvme1n1 VM2
refuse "another drive's serial number" /dev/nvme1n1 VM1 "did not match"
refuse "a serial number that two namespaces show" /dev/nvme0n1 VM1 "shows the serial number 'VM1' as well; what identifies it is its WWID"
refuse "the sibling's WWID" /dev/nvme0n1 "$id2" "did not match"
refuse "two drives of one serial number" /dev/sda SAME "no serial number and no WWID that are its own"
plateau run --device /dev/nvme0 --test iops --erase VM1 --output refused >said 2>&1
rc=$?
verdict "a controller is no target, a usage error" "[ $rc = 2 ] && grep -q 'is an NVMe controller; its namespaces are nvme0n1, nvme0n2' said"

mkfs.ext4 -q -F /dev/nvme0n1
mount -o ro /dev/nvme0n1 /mnt
refuse "a mounted namespace" /dev/nvme0n1 "$id1" "mounted on /mnt"
accept "the sibling of a mounted namespace" /dev/nvme0n2 "$id2"
umount /mnt
accept "unmounted again" /dev/nvme0n1 "$id1"

mkswap /dev/nvme1n1 >/dev/null
swapon /dev/nvme1n1
refuse "swap" /dev/nvme1n1 VM2 "in use as swap"
swapoff /dev/nvme1n1
accept "no longer swap" /dev/nvme1n1 VM2

sleep 60 <>/dev/nvme1n1 &
refuse "opened by another program" /dev/nvme1n1 VM2 "opened by"
kill $!
wait $!

printf 'label: gpt\n,8M\n,8M\n' | sfdisk -q /dev/nvme1n1
mkfs.ext4 -q -F /dev/nvme1n1p1
mount -o ro /dev/nvme1n1p1 /mnt
refuse "a disk with a mounted partition" /dev/nvme1n1 VM2 "nvme1n1p1 mounted on"
refuse "a mounted partition" /dev/nvme1n1p1 VM2 "mounted on"
refuse "the partition beside a mounted one" /dev/nvme1n1p2 VM2 "nvme1n1p1 mounted on"
umount /mnt
accept "a partition that nobody uses" /dev/nvme1n1p2 VM2
dmsetup create part --table "0 8192 linear /dev/nvme1n1p1 0"
refuse "a partition below device mapper" /dev/nvme1n1 VM2 "held by"
dmsetup remove part
dd if=/dev/zero of=/dev/nvme1n1 bs=1M count=1 2>/dev/null
sfdisk -q --delete /dev/nvme1n1 2>/dev/null
blockdev --rereadpt /dev/nvme1n1

dmsetup create lin --table "0 8192 linear /dev/nvme1n1 0"
refuse "device mapper" /dev/nvme1n1 VM2 "held by"
dmsetup remove lin
accept "no longer held" /dev/nvme1n1 VM2

mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 /dev/nvme0n1 /dev/nvme0n2 >/dev/null 2>&1
refuse "a member of an md array" /dev/nvme0n1 "$id1" "held by"
mdadm --stop /dev/md0 >/dev/null 2>&1

losetup /dev/loop0 /dev/nvme1n1
refuse "behind a loop device" /dev/nvme1n1 VM2 "behind loop0|opened by"
losetup -d /dev/loop0

blockdev --setro /dev/nvme1n1
refuse "read-only" /dev/nvme1n1 VM2 "read-only"
blockdev --setrw /dev/nvme1n1

z=/sys/kernel/config/nullb/zoned
mkdir $z
echo 64 >$z/size
echo 1 >$z/memory_backed
echo 1 >$z/zoned
echo 16 >$z/zone_size
echo 1 >$z/power
refuse "zoned" /dev/zoned zoned "zoned"

# --- a run, and one whose drive is pulled out ---

dd if=/dev/zero of=/dev/nvme1n1 bs=1M count=64 2>/dev/null
plateau run --device /dev/nvme1n1 --test iops --erase VM2 --round-time 100ms --max-rounds 1 --purge none --output whole --quiet >said 2>&1
rc=$?
cp -r whole /host/
written=$(dd if=/dev/nvme1n1 bs=1M skip=32 count=1 2>/dev/null | tr -d '\000' | wc -c)
verdict "a run writes its drive" "[ $rc = 5 ] && [ $written -gt 1000000 ]"
plateau run --device /dev/nvme1n1 --test iops --erase VM2 --round-time 2s --max-rounds 5 --purge none --output pulled --quiet \
	--discard-signatures >end 2>&1 &
run=$!
until [ "$(grep -c '"kind":"point"' pulled/journal.jsonl 2>/dev/null)" -ge 3 ] 2>/dev/null; do
	kill -0 $run 2>/dev/null || break
	sleep 0.2
done
plateau io --device /dev/nvme1n1 --erase VM2 --rw randwrite --bs 4k --qd 1 --tc 1 --runtime 50ms >said 2>&1
rc=$?
verdict "refused: under a run of plateau" "[ $rc = 3 ]"
echo 1 >/sys/block/nvme1n1/device/device/remove
wait $run
rc=$?
cp -r pulled /host/
cp end said
verdict "pulled out under load: exit 7" "[ $rc = 7 ] && grep -q 'the device is gone' said"
exit $failed
