# shellcheck shell=bash
# For tests/vm, after e2e.sh: a machine of busybox and Debian's stock kernel, under software emulation.
#   vm_initrd PROGRAM... -- MODULE...   makes ./initrd: plateau, the programs with their libraries, the modules
#   vm_run SCRIPT [QEMU ARGUMENT...]    runs SCRIPT in it (sh; ./share is its /host, both ways); its exit code,
#                                       its output in share/out, the kernel's in ./console; 125: it never ended
# The kernel is downloaded, never installed, and kept in $PLATEAU_VM (default ~/.cache/plateau-vm).
# Two processors always: with one, QEMU loses the doorbells of its NVMe drives.
PATH=$PATH:/usr/sbin:/sbin
vm_cache=${PLATEAU_VM:-$HOME/.cache/plateau-vm}

vm_need() {
	local tool
	need_root
	for tool in qemu-system-x86_64 busybox modprobe cpio "$@"; do
		command -v "$tool" >/dev/null || skip "no $tool here"
	done
	ls "$vm_cache"/kernel/boot/vmlinuz-* >/dev/null 2>&1 || vm_kernel || skip "no kernel: $(tail -n 1 kernel.log)"
	vm_kv=$(ls "$vm_cache/kernel/lib/modules")
}

vm_kernel() {
	local package
	mkdir -p "$vm_cache"
	package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-6.*\)/\1/p' | head -n 1)
	(cd "$vm_cache" && apt-get -q -o APT::Sandbox::User=root download "$package") >kernel.log 2>&1 || return
	rm -rf "$vm_cache/kernel" "$vm_cache/kernel.tmp"
	dpkg-deb -x "$(find "$vm_cache" -name "${package}_*.deb" | head -n 1)" "$vm_cache/kernel.tmp" >>kernel.log 2>&1 || return
	depmod -b "$vm_cache/kernel.tmp" "$(ls "$vm_cache/kernel.tmp/lib/modules")"
	mv "$vm_cache/kernel.tmp" "$vm_cache/kernel"
}

vm_program() { # FILE
	local lib
	install -D -m 755 "$1" "first/bin/$(basename "$1")"
	for lib in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
		[ -e "first$lib" ] || install -D -m 755 "$(realpath "$lib")" "first$lib"
	done
}

vm_initrd() {
	local m f
	mkdir -p first/bin first/sbin first/usr/bin first/proc first/sys first/dev first/tmp first/run first/host first/mnt first/etc
	cp "$(command -v busybox)" first/bin/busybox
	vm_program "$PLATEAU"
	for (( ; $# > 0; )); do
		f=$1
		shift
		[ "$f" != -- ] || break
		vm_program "$(command -v "$f")"
	done
	for m in virtio_pci 9pnet_virtio 9p "$@"; do
		modprobe -d "$vm_cache/kernel" -S "$vm_kv" --show-depends "$m" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
	done | sort -u >modules
	while read -r f; do
		install -D -m 644 "$f" "first/lib/modules/$vm_kv/${f#*/modules/"$vm_kv"/}"
	done <modules
	cp "$vm_cache/kernel/lib/modules/$vm_kv"/modules.builtin* "$vm_cache/kernel/lib/modules/$vm_kv/modules.order" \
		"first/lib/modules/$vm_kv/"
	depmod -b first "$vm_kv"
	cat >first/init <<'EOT'
#!/bin/busybox sh
/bin/busybox --install -s /usr/bin
export PATH=/bin:/usr/bin HOME=/tmp DM_DISABLE_UDEV=1 LC_ALL=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
modprobe -a virtio_pci 9pnet_virtio 9p
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=none host /host
cd /tmp
sh /host/script >/host/out 2>&1 </dev/null
echo $? >/host/rc
dmesg >/host/dmesg
umount /host
poweroff -f
EOT
	chmod +x first/init
	(cd first && find . | cpio -o -H newc -R 0:0 --quiet) >initrd
}

vm_run() { # SCRIPT [QEMU ARGUMENT...]
	local script=$1
	shift
	mkdir -p share
	rm -f share/rc
	cp "$script" share/script
	timeout -k 5 500 qemu-system-x86_64 -machine q35 -accel tcg,thread=multi -cpu max -smp 2 -m 1024 -nodefaults \
		-display none -no-reboot -serial file:console -qmp unix:qmp,server=on,wait=off \
		-kernel "$vm_cache/kernel/boot/vmlinuz-$vm_kv" -initrd initrd \
		-append "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable no_timer_check random.trust_cpu=on audit=0" \
		-fsdev local,id=host,path=share,security_model=none,multidevs=remap \
		-device virtio-9p-pci,fsdev=host,mount_tag=host "$@" >qemu.log 2>&1 || :
	return "$(cat share/rc 2>/dev/null || echo 125)"
}
