#!/bin/bash
# Wrong use: one clear sentence, the documented exit code, nothing left behind.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"

expect 2 'which command'
expect 2 "unknown command 'rnu'; did you mean 'run'\?" rnu
expect 2 "unknown command 'fill'" fill x
expect 2 "unknown option '--iodpeth'; did you mean '--iodepth'\?" io --iodpeth 3
expect 2 'needs --device' run --test lat --erase x
expect 2 'needs --erase' run --test lat --device x
expect 2 'nowhere' run --device nowhere --test lat --erase nowhere
expect 2 'nowhere' plan --device nowhere --test lat
expect 2 '' plan --device / --test lat
expect 2 '' plan --device /dev/null --test lat
expect 2 "'12parsecs' is not a size" run --device s --size 12parsecs --test lat --erase s
expect 2 "'soon' is not a duration" io --device s --rw read --runtime soon
expect 8 '' report nowhere
expect 8 '' verify nowhere
expect 8 '' status nowhere
[ "$(ls)" = "$(printf 'err\nout')" ] || fail "left behind: $(ls)"

# What goes wrong after the scratch file was made takes the file away again.
expect 2 "'lta'" run --device s --size 16M --test lta --erase s --output r
expect 2 "'pts-z'" run --device s --size 16M --test lat --edition pts-z --erase s --output r
expect 3 '' run --device s --size 16M --test lat --erase wrong --output r
expect 3 '' run --device s --size 16M --test lat --erase '' --output r
expect 2 'no multiple of the block size' run --device s --size 16777217 --test lat --erase s --output r
expect 2 'cannot create nowhere/s' run --device nowhere/s --size 16M --test lat --erase s --output r
mkdir full && touch full/thing
expect 2 'full' run --device s --size 16M --test lat --erase s --output full
[ "$(ls full)" = thing ] || fail "the full directory changed: $(ls full)"
expect 2 'destroys data' io --device s --size 16M --rw randwrite
expect 2 '' io --device s --size 16M --rw read --bs 513
rm -r full
[ "$(ls)" = "$(printf 'err\nout')" ] || fail "left behind: $(ls)"

# A file that plateau did not make is not touched, whatever is typed.
seq 100000 >thesis.tex
sum=$(md5sum thesis.tex)
expect 3 '' run --device thesis.tex --test lat --erase thesis.tex --output r
expect 3 '' io --device thesis.tex --rw randwrite --erase thesis.tex
[ "$sum" = "$(md5sum thesis.tex)" ] || fail "thesis.tex changed"
[ ! -e r ] || fail "a refusal made the run directory"

# A closed standard output is noticed; a closed one never becomes the target.
rc=0
"$PLATEAU" help >/dev/full 2>err || rc=$?
[ $rc = 8 ] && grep -q 'No space left' err || fail "stdout on a full device: $rc, $(cat err)"
rc=0
"$PLATEAU" help >&- 2>err || rc=$?
[ $rc = 8 ] || fail "closed stdout: $rc"

# A limit of the shell on file sizes is an error like a full disk, and no sudden death.
rc=0
(ulimit -f 100 && exec "$PLATEAU" io --device big --size 16M --rw read) >out 2>err || rc=$?
[ $rc = 8 ] && grep -q 'File too large' err || fail "file-size limit: $rc, $(cat err)"
[ ! -e big ] || fail "a file that could not be made is left"

[ "$("$PLATEAU" --version)" = "plateau $(cat "$PLATEAU_TOP/VERSION")" ] || fail "version"
