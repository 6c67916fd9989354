#!/bin/bash
# The manual page, `plateau help` and `plateau COMMAND --help` name the same commands and options.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"

"$PLATEAU" help --man <"$PLATEAU_TOP/docs/plateau.8.in" >plateau.8
if command -v groff >/dev/null; then
	groff -ww -man -Tutf8 plateau.8 2>warnings >/dev/null
	[ ! -s warnings ] || fail "groff warns: $(cat warnings)"
fi
! grep -n '@[A-Z_]*@' plateau.8 || fail "a word of the template is left"

# The options of each command: from its help, and from the manual's list of commands.
"$PLATEAU" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >commands
[ "$(wc -l <commands)" -ge 9 ] || fail "commands: $(cat commands)"
sed 's/\\-/-/g; s/\\f[BRI]//g' plateau.8 >plain
while read -r c; do
	"$PLATEAU" help "$c" >help.txt
	"$PLATEAU" "$c" --help | cmp - help.txt || fail "$c --help differs from help $c"
	sed -n 's/^  --\([a-z-]*\).*/\1/p' help.txt | sort >from-help
	sed -n "/^\.B $c\$/,/^\.TP/s/^Options: \(.*\)\.\$/\1/p" plain | tr -d ' ' | tr , '\n' |
		sed 's/^--//' | sort >from-man
	[ -s from-help ] || fail "$c has no options"
	cmp from-help from-man || fail "$c: $(diff from-help from-man)"
	# Each is described below OPTIONS, and none of them is unknown to the parser.
	while read -r o; do
		grep -q "^\.BR --$o\b" plain || fail "--$o is not described"
		"$PLATEAU" "$c" "--$o" 2>err >/dev/null </dev/null || :
		! grep -q 'unknown option\|takes no option' err || fail "$c: $(cat err)"
	done <from-help
done <commands

# Exit codes: the same twelve in both.
"$PLATEAU" help | sed -n '/^exit status:/,/^$/s/^ *\([0-9]\{1,2\}\)  .*/\1/p' >from-help
sed -n '/^\.SH EXIT STATUS/,/^\.SH FILES/s/^\.B \([0-9]*\)$/\1/p' plateau.8 >from-man
cmp from-help from-man || fail "exit codes differ"
[ "$(tr '\n' ' ' <from-man)" = '0 1 2 3 4 5 6 7 8 9 10 11 ' ] || fail "exit codes: $(cat from-man)"
