#!/bin/bash
# plateau steady: figures and verdicts against exact fractions; series that cannot be read.
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v python3 >/dev/null || skip "needs python3"
python3 "$PLATEAU_TOP/tests/e2e/steady_oracle.py" || fail "see above"

# shellcheck disable=SC2059 # the bytes are written as a format
refused() { # REGEX BYTES...
	local regex=$1
	shift
	printf -- "$@" >series
	expect 2 "$regex" steady --json series
}
refused 'holds no values' ''
refused 'holds no values' '# a comment\n\n'
refused 'holds no values' 'round,value\n'
refused "line 1: '1e400' is beyond" '1e400\n'
refused "line 3: 'fast' is no number" '100\r\n100\r\nfast\r\n'
refused "line 2: '0x64' is no number" '100\n0x64\n'
refused "line 1: '12abc' is no number" '12abc\n100\n'
refused 'line 2: round 3 follows round 1' '1 100\n3 100\n'
refused 'line 2: round 1 follows round 1' '1,100\n1,100\n'
refused 'line 2: round 4 follows round 5' '5 100\n4 100\n'
refused "line 1: '1.5' is no round" '1.5 100\n'
refused "line 1: '-1' is no round" '-1 100\n'
refused 'line 2: a decimal comma' '1 238.21\n2 238,21\n'
refused 'line 1: a decimal comma' '1;238,21\n'
refused 'line 1: .*separate' '1;238\n'
refused 'line 1: more than a round and a value' '1 2 3\n'
refused 'line 1: more than a round and a value' '1,,100\n'
refused 'line 2: 1 field, but 2' '1 100\n100\n'
refused 'line 2: it ends in a comma' '1,100\n2,\n'
refused 'line 1: it holds a NUL byte' '100\0\n'
expect 2 'No such file' steady missing
expect 2 'Is a directory' steady .
expect 2 "'half' is no" steady --rule half series
expect 2 '' steady

# Words for a person: the arithmetic can be redone by hand.
printf '%s\n' 228.90 240.21 240.60 240.71 240.71 >series
expect 0 '' steady --rule pts series
grep -q 'range 4.96 % of the average 238.2 (limit 20 %): holds; line 4.05 % (limit 10 %): holds' out || fail "$(cat out)"
printf '%s\n' 110 90 90 110 110 >series
expect 0 '' steady series
grep -q 'band not attained' out || fail "$(cat out)"
expect 5 '' steady --rule band <(printf '%s\n' 90 90 110 110)
for bad in 0 nan inf -5; do
	printf '%s\n' $bad $bad $bad $bad $bad >series
	expect 5 '' steady series
	grep -qE 'every value is 0|is no finite number|is negative' out || fail "$(cat out)"
done
