#!/bin/bash
# The unit file is one that systemd takes, and a batch says to a service manager what that waits for.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v systemd-analyze >/dev/null || skip "no systemd-analyze here"
export HOME=$PWD XDG_CONFIG_HOME=
build=$(dirname "$PLATEAU")

# As `make install` puts it there, but for the path of the program, which must exist.
mkdir units
sed "s|^ExecStart=[^ ]*/plateau |ExecStart=$PLATEAU |" "$build/plateau-batch@.service" >units/plateau-batch@.service
grep -q "^ExecStart=$PLATEAU batch /etc/plateau/%i.ini --resume " units/plateau-batch@.service || fail "ExecStart"
grep -q '^ExecStart=/.*/sbin/plateau ' "$build/plateau-batch@.service" || fail "the installed path"
cp units/plateau-batch@.service units/plateau-batch@night.service
systemd-analyze verify --man=no ./units/plateau-batch@night.service 2>said || fail "verify: $(cat said)"
# Of other units of this machine it may complain; ours must not be among them.
! grep 'plateau' said || fail "verify says: $(cat said)"
printf '[Service]\nType=nonsense\nExecStart=%s\n' "$PLATEAU" >units/bad.service
systemd-analyze verify --man=no ./units/bad.service 2>&1 | grep -q nonsense || fail "verify finds nothing wrong with anything"

# sd_notify(3), in a manager's place: READY, a status, the watchdog twice as often as asked, STOPPING.
cat >manager.py <<'EOT'
import os, socket, sys
inbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
inbox.bind("notify")
inbox.settimeout(120)
open("bound", "w").close()
with open("heard", "w", buffering=1) as heard:
    while True:
        word = inbox.recv(4096).decode()
        heard.write(word + "\n")
        if word == "STOPPING=1":
            break
EOT
python3 manager.py &
manager=$!
until [ -e bound ]; do sleep 0.05; done
truncate -s 64M scratch
cat >night.ini <<EOT
[scratch]
device = scratch
test = wsat
EOT
NOTIFY_SOCKET=$PWD/notify WATCHDOG_USEC=400000 "$PLATEAU" batch night.ini 2>err >out &
pid=$!
until [ "$(grep -c WATCHDOG=1 heard)" -ge 3 ] && grep -q '"stage"' night/scratch/journal.jsonl 2>/dev/null; do
	kill -0 $pid || fail "the batch is gone: $(cat err)"
	sleep 0.1
done
kill -INT $pid
rc=0
wait $pid || rc=$?
[ $rc = 9 ] || fail "exit $rc: $(cat err)"
wait $manager || fail "no STOPPING=1: $(cat heard)"
[ "$(head -n 1 heard)" = READY=1 ] || fail "the first word: $(cat heard)"
grep -q '^STATUS=0 of 1 drives ended, 1 running$' heard || fail "status: $(cat heard)"

# Without a manager, or with one that is gone, nothing is different.
cat >sim.ini <<EOT
[sim]
device = sim:enterprise,capacity=512M
erase = enterprise
test = lat
round-time = 1s
EOT
NOTIFY_SOCKET=$PWD/gone "$PLATEAU" batch sim.ini --quiet >out || fail "a manager that is gone: $?"
