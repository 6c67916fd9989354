#!/bin/bash
# A batch under a real systemd, whose machine is reset in the middle of a write saturation on its NVMe drive:
# the enabled unit goes on with it at the next boot, and it ends complete.
# The image is made of Debian packages (debootstrap) once, and kept in $PLATEAU_VM (default ~/.cache/plateau-vm).
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
PATH=$PATH:/usr/sbin:/sbin
need_root
for tool in qemu-system-x86_64 debootstrap busybox modprobe mke2fs debugfs cpio; do
	command -v $tool >/dev/null || skip "no $tool here"
done
cache=${PLATEAU_VM:-$HOME/.cache/plateau-vm}
id=VMNVME1
mkdir -p "$cache"

# --- the machine: a root tree with systemd, and an initial one that finds it ---

kernel_package() {
	apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-6.*\)/\1/p' | head -n 1
}

make_base() {
	local deb
	rm -rf "$cache/base" "$cache/kernel"
	(cd "$cache" && apt-get -q -o APT::Sandbox::User=root download "$(kernel_package)") >base.log 2>&1 || return
	deb=$(ls -t "$cache"/linux-image-*.deb | head -n 1)
	dpkg-deb -x "$deb" "$cache/kernel" || return
	depmod -b "$cache/kernel" "$(ls "$cache/kernel/lib/modules")"
	debootstrap --variant=minbase --include=systemd,systemd-sysv,udev,kmod bookworm "$cache/base" >>base.log 2>&1 || return
	touch "$cache/systemd-base"
}
[ -e "$cache/systemd-base" ] || make_base || skip "no image can be made: $(tail -n 1 base.log)"
kv=$(ls "$cache/kernel/lib/modules")

modules() { # MODULE...: their files, with those that they need
	local m
	for m in "$@"; do
		modprobe -d "$cache/kernel" -S "$kv" --show-depends "$m" 2>/dev/null | sed -n 's/^insmod \([^ ]*\).*/\1/p'
	done | sort -u
}

put_modules() { # TREE MODULE...
	local tree=$1 f
	shift
	for f in $(modules "$@"); do
		install -D -m 644 "$f" "$tree/lib/modules/$kv/${f#*/modules/"$kv"/}"
	done
	cp "$cache/kernel/lib/modules/$kv"/modules.builtin* "$cache/kernel/lib/modules/$kv/modules.order" "$tree/lib/modules/$kv/"
	depmod -b "$tree" "$kv"
}

put_program() { # TREE FILE PATH: with its libraries
	local lib
	install -D -m 755 "$2" "$1$3"
	for lib in $(ldd "$2" | grep -o '/[^ ]*'); do
		[ -e "$1$lib" ] || install -D -m 755 "$(realpath "$lib")" "$1$lib"
	done
}

mkdir -p first/bin first/proc first/dev first/root first/lib
cp "$(command -v busybox)" first/bin/busybox
put_modules first virtio_pci virtio_blk ext4 crc32c_generic
cat >first/init <<'EOT'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox modprobe -a virtio_pci virtio_blk crc32c_generic ext4
until [ -e /dev/vda ]; do /bin/busybox usleep 100000; done
/bin/busybox mount -t ext4 /dev/vda /root
/bin/busybox umount /proc
exec /bin/busybox switch_root /root /sbin/init
EOT
chmod +x first/init
(cd first && find . | cpio -o -H newc -R 0:0 --quiet) >initrd

cp -a "$cache/base" root
put_modules root nvme virtio_pci
put_program root "$PLATEAU" /usr/sbin/plateau
install -D -m 644 /dev/stdin root/etc/plateau/night.ini <<EOT
[$id]
test = wsat
round-time = 1s
duration = 60s
EOT
unit="plateau-batch@night.service" wants=root/etc/systemd/system/multi-user.target.wants
mkdir -p $wants
sed 's|^ExecStart=[^ ]*/plateau |ExecStart=/usr/sbin/plateau |' "$(dirname "$PLATEAU")/plateau-batch@.service" \
	>root/lib/systemd/system/plateau-batch@.service
ln -s /lib/systemd/system/plateau-batch@.service "$wants/$unit" # systemctl enable
cat >root/lib/systemd/system/watch.service <<EOT
[Service]
StandardOutput=file:/dev/ttyS0
ExecStart=/bin/sh -c 'echo "BOOT \$(cat /proc/sys/kernel/random/boot_id)"; while sleep 1; do sync; \\
	echo "STATE \$(systemctl show -P ActiveState $unit) \$(wc -l 2>/dev/null </var/lib/plateau/night/$id/journal.jsonl)"; done'
[Install]
WantedBy=multi-user.target
EOT
ln -s /lib/systemd/system/watch.service $wants/watch.service
for off in getty@.service serial-getty@.service systemd-timesyncd.service apt-daily.timer apt-daily-upgrade.timer; do
	ln -sf /dev/null "root/etc/systemd/system/$off"
done
echo uninitialized >root/etc/machine-id
truncate -s 1G disk
mke2fs -q -t ext4 -d root -L root disk
truncate -s 128M nvme

# --- the run ---

timeout 500 qemu-system-x86_64 -machine q35 -accel tcg,thread=multi -cpu max -smp 2 -m 768 -nodefaults -display none \
	-serial file:console -qmp unix:qmp,server=on,wait=off -kernel "$cache/kernel/boot/vmlinuz-$kv" -initrd initrd \
	-append "console=ttyS0 quiet mitigations=off tsc=reliable no_timer_check random.trust_cpu=on audit=0 panic=-1" \
	-drive file=disk,format=raw,if=virtio,cache=writeback \
	-drive file=nvme,format=raw,if=none,id=nvme,discard=unmap -device nvme,drive=nvme,serial=$id &
vm=$!
trap 'kill $vm 2>/dev/null || :; cleanup' EXIT

qmp() { # COMMAND
	python3 - "$1" <<'EOT'
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("qmp")
f = s.makefile("rw")
f.readline()
for command in ("qmp_capabilities", sys.argv[1]):
    f.write(json.dumps({"execute": command}) + "\n")
    f.flush()
    while "return" not in json.loads(f.readline()):
        pass
EOT
}
lines() { # of the journal, as the guest last saw it
	tr -d '\r' <console | sed -n 's/^STATE [a-z]* \([0-9]*\)$/\1/p' | tail -n 1
}
until [ "$(lines)" -ge 15 ] 2>/dev/null; do
	kill -0 $vm || fail "the machine is gone: $(tail -n 20 console)"
	! grep -q 'STATE failed' console || fail "the unit failed: $(tail -n 20 console)"
	sleep 0.5
done
grep -q '^STATE active ' console || fail "the unit is not active while its batch runs: $(tail -n 5 console)"
before=$(lines)
qmp system_reset
until [ "$(grep -c '^BOOT' console)" = 2 ] && tail -n 1 console | grep -qE '^STATE (inactive|failed)'; do
	kill -0 $vm || fail "the machine is gone: $(tail -n 20 console)"
	sleep 0.5
done
qmp quit
wait $vm || :

# --- what is on its disk ---

e2fsck -p disk >fsck.log 2>&1 || [ $? = 1 ] || fail "$(cat fsck.log)" # replays its journal
debugfs -R "rdump /var/lib/plateau/night ." disk 2>/dev/null
n=$(wc -l <"night/$id/journal.jsonl")
[ "$n" -ge "$before" ] || fail "$before records were there before the reset, and $n after it"
"$PLATEAU" status --json "night/$id" >status.json || fail "the journal is damaged"
echo "reset after $before records; $n in the end"
[ "$(jq .exit_code night/batch.json)" = 0 ] || fail "not complete: $(cat night/batch.json "night/$id.log")"
[ "$(jq -r .state status.json)" = finished ] || fail "not finished: $(cat status.json)"
"$PLATEAU" verify "night/$id" || fail "verify: $?"
