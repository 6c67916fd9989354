#!/bin/bash
# A run that nobody looks after: its terminal closes, it is stopped for a while, its run directory cannot be written.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
need_root
command -v python3 >/dev/null && command -v jq >/dev/null || skip "needs python3 and jq"
short="--size 32M --test lat --seed 7 --round-time 50ms --max-rounds 6"

# Started on a terminal of its own, which then closes: EIO on every write there, and SIGHUP.
python3 - "$PLATEAU" $short <<'P' || fail "it did not outlive its terminal"
import os, pty, signal, sys, time
pid, terminal = pty.fork()
if not pid:
    os.execv(sys.argv[1], [sys.argv[1], "run", "--device", "s1", "--erase", "s1", "--output", "r1"] + sys.argv[2:])
while not (os.path.exists("r1/journal.jsonl") and b'"phase":"round"' in open("r1/journal.jsonl", "rb").read()):
    os.read(terminal, 4096)
os.close(terminal)
os.kill(pid, signal.SIGHUP)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(status not in (0, 5))
P
tail -n 1 r1/journal.jsonl | grep -q '"kind":"end"' || fail "no end: $(tail -n 1 r1/journal.jsonl)"
[ -s r1/report.pdf ] || fail "no report"
expect 0 '' verify r1

# SIGUSR1 is answered at once, also with --quiet; stopped for longer than a second, the point is marked.
"$PLATEAU" run --device s2 --erase s2 --size 32M --test lat --seed 7 --round-time 1s --max-rounds 1 --output r2 --quiet >out 2>err &
run=$!
until grep -q '"phase":"round"' r2/journal.jsonl 2>/dev/null; do sleep 0.05; done
kill -USR1 $run
for _ in $(seq 100); do
	grep -q '^lat' err && break
	sleep 0.05
done
grep -q '^lat.*round 1' err || fail "SIGUSR1 gave: $(cat err)"
kill -STOP $run
sleep 1.5
kill -CONT $run
rc=0
wait $run || rc=$?
[ $rc = 5 ] || fail "stopped for a while, it ended with $rc: $(cat err)"
jq -se 'map(select(.phase == "round")) | (map(select(.host_limited)) | length) as $n | $n >= 1' r2/journal.jsonl >/dev/null ||
	fail "no point is marked"

# The run directory's file system becomes read-only: what was stored stays, the drive is not left idle at once, exit 8, and the
# run goes on where it was.
truncate -s 64M disk
mkfs.ext4 -q -F disk
mkdir small
mount -o loop disk small 2>/dev/null || skip "cannot mount a loop device"
mounts="$PWD/small"
"$PLATEAU" run --device s3 --erase s3 $short --output small/r --quiet >out 2>err &
run=$!
until [ "$(grep -c '"phase":"round"' small/r/journal.jsonl 2>/dev/null || :)" -gt 3 ] 2>/dev/null; do
	kill -0 $run 2>/dev/null || fail "it did not begin: $(cat err)"
	sleep 0.05
done
mount -o remount,ro small 2>/dev/null || {
	# A file is open for writing there: the kernel's emergency remount is for such a case.
	python3 - small <<'P'
import fcntl, os, sys
EXT4_IOC_SHUTDOWN = 0x8004587d
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), EXT4_IOC_SHUTDOWN, (2).to_bytes(4, "little"))
P
}
stored=$(wc -l <small/r/journal.jsonl) || stored=0
rc=0
wait $run || rc=$?
[ $rc = 8 ] || fail "without its file system it ended with $rc: $(cat err)"
grep -q 'journal.jsonl: ' err || fail "the journal is not named: $(cat err)"
umount small
mount -o loop disk small
[ "$(wc -l <small/r/journal.jsonl)" -ge "$stored" ] || fail "records are lost"
expect 0 '' verify small/r
rc=0
"$PLATEAU" resume small/r --quiet >out 2>err || rc=$?
[ $rc = 0 ] || [ $rc = 5 ] || fail "resume ended with $rc: $(cat err)"
expect 0 '' verify small/r
