#!/bin/bash
# Instructions that the hot loop takes for an I/O, by callgrind over a scripted completion ring: the
# numbers in docs/measurement.md, within 5 %. More is a loop that became slower, less is a document out of date.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
build=$(dirname "$PLATEAU")
[ -z "$PLATEAU_SANITIZED" ] || skip "a sanitizer's instructions are not the loop's"
[ "$(uname -m) $(cut -d ' ' -f 1 "$build/.flags") $(cc -dumpversion)" = "x86_64 cc 12" ] && grep -q ' -O2 ' "$build/.flags" ||
	skip "the numbers are those of gcc 12 -O2 on x86-64"
command -v valgrind >/dev/null || skip "needs valgrind"

instructions() { # RW BS QD IOS
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=__wrap_io_submit --collect-atstart=yes \
		"$build/tests/bench/scripted" "$@" 2>&1 | sed -n 's/.*Collected : //p'
}

# The difference of two lengths: whatever happens once a run falls out.
n=0
while read -r rw bs qd want; do
	few=$(instructions "$rw" "$bs" "$qd" 20000)
	many=$(instructions "$rw" "$bs" "$qd" 60000)
	got=$(((many - few) / 40000))
	echo "$rw $bs QD $qd: $got, documented $want"
	[ $((got * 100)) -ge $((want * 95)) ] && [ $((got * 100)) -le $((want * 105)) ] ||
		fail "$got instructions for a $rw of $bs at QD $qd, documented are $want"
	n=$((n + 1))
done < <(sed -nE 's/^\| (rand[a-z]*|read|write) \| ([0-9]+) \| ([0-9]+) \| ([0-9]+) \|$/\1 \2 \3 \4/p' \
	"$PLATEAU_TOP/docs/measurement.md")
[ $n -ge 5 ] || fail "only $n rows in docs/measurement.md"
