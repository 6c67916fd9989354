#!/bin/bash
# The disk with the run directory fills up: exit 8, one sentence, and what was stored stays readable.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
need_root
mkdir small
mount -t tmpfs -o size=256k tmpfs small 2>/dev/null || skip "cannot mount a tmpfs"
mounts="$PWD/small"
short="--size 64M --test iops --round-time 20ms --max-rounds 25"

# Too small from the start: said before anything is done.
expect 8 'No space left' run --device scratch --erase scratch $short --output small/r
[ ! -e scratch ] && [ ! -e small/r ] || fail "something is left of a run that was not begun"

# Filled up by another while it runs: it goes on, what it measures waits in memory, and then it stops.
mount -o remount,size=16m small
"$PLATEAU" run --device scratch --erase scratch $short --output small/r >out 2>err &
run=$!
until [ "$(grep -c '"kind":"point"' small/r/journal.jsonl 2>/dev/null || :)" -gt 5 ] 2>/dev/null; do
	kill -0 $run 2>/dev/null || fail "it did not begin: $(cat err)"
	sleep 0.02
done
cat /dev/zero >small/filler 2>/dev/null || :
stored=$(wc -l <small/r/journal.jsonl)
rc=0
wait $run || rc=$?
cat err
[ $rc = 8 ] || fail "the run ended with $rc"
grep -q '^plateau: .*No space left' err || fail "the disk is not named"
df -k small
[ "$(wc -l <small/r/journal.jsonl)" -ge "$stored" ] || fail "what was stored is gone"
[ -z "$(tail -c 1 small/r/journal.jsonl | tr -d '\n')" ] || fail "half a line is left"
expect 0 '' status small/r
expect 0 '' verify small/r
expect 0 'incomplete' report small/r --output full-report
[ -s full-report/report.pdf ] || fail "no report"

# Full at any moment of drawing: the disk is named, not what gnuplot warns of.
cp -r small/r kept
mkdir draw
mount -t tmpfs -o size=1536k tmpfs draw
mounts="$mounts $PWD/draw"
drawn=
for free in $(seq 50 25 1500); do
	rm -rf draw/*
	head -c $((1536 - free))k /dev/zero >draw/filler
	rc=0
	"$PLATEAU" report kept --output draw/o >out 2>err || rc=$?
	[ $rc != 0 ] || { drawn=1; break; }
	[ $rc = 8 ] || fail "a report with $free KiB left ended with $rc: $(cat err)"
	tail -n 1 err | grep -q '^plateau: .*No space left' || fail "with $free KiB left: $(cat err)"
done
[ -n "$drawn" ] || fail "1.5 MiB are not enough"

# The run directory itself may be impossible; then nothing was done to the target.
rm -r small/r
fallocate -l 4M small/filler 2>/dev/null || dd if=/dev/zero of=small/filler bs=4k 2>/dev/null || :
rc=0
"$PLATEAU" run --device new --size 16M --test lat --erase new --output small/r >out 2>err || rc=$?
[ $rc = 8 ] || fail "no room for run.json ended with $rc: $(cat err)"
[ ! -e new ] || fail "the scratch file is left"
