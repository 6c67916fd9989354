#!/bin/bash
# plateau on emulated drives: what the gate refuses, a run with its data on the drive, a drive that is pulled out under load.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
. "$PLATEAU_TOP/tests/lib/vm.sh"
programs="mkfs.ext4 mdadm dmsetup sfdisk"
# shellcheck disable=SC2086
vm_need $programs
# shellcheck disable=SC2086
vm_initrd $programs -- nvme virtio_scsi sd_mod null_blk dm-mod md-mod raid1 ext4 crc32c_generic loop
# shellcheck disable=SC2054 # the commas are QEMU's
args=()
drive() { # NAME MB: a backing file
	truncate -s "${2}M" "$1"
	args+=(-drive "file=$1,format=raw,if=none,id=$1")
}
drive n1 32
drive n2 32
drive n3 64
drive s1 32
drive s2 32
# shellcheck disable=SC2054
args+=(-device nvme,id=nvme0,serial=VM1 -device nvme-ns,drive=n1,bus=nvme0,nsid=1
	-device nvme-ns,drive=n2,bus=nvme0,nsid=2 -device nvme,id=nvme1,serial=VM2,drive=n3
	-device virtio-scsi-pci,id=scsi -device scsi-hd,bus=scsi.0,drive=s1,serial=SAME
	-device scsi-hd,bus=scsi.0,drive=s2,serial=SAME)
rc=0
vm_run "$PLATEAU_TOP/tests/vm/guest/drives.sh" "${args[@]}" || rc=$?
cat share/out || tail -n 20 console qemu.log
[ $rc = 0 ] || fail "the machine's script ended with $rc"
for run in whole pulled; do
	"$PLATEAU" report --output "report-$run" "share/$run" >report.log 2>&1 || fail "report of $run: $(cat report.log)"
	"$PLATEAU" verify "share/$run" >verify.log 2>&1 || fail "verify of $run: $(cat verify.log)"
done
