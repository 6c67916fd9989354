#!/bin/bash
# Settings files: what stands in them, what goes before them, and what is wrong with them.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
export HOME=$PWD XDG_CONFIG_HOME=

say() { printf '%s\n' "$@"; }
plan() { # what jq's FILTER says of the plan
	local filter=$1
	shift
	"$PLATEAU" plan --device sim:enterprise,capacity=512M --json "$@" | jq -r "$filter"
}

# The command line goes before the user's file, and --config FILE before both files of the machine.
mkdir -p .config/plateau xdg/plateau
say 'test = lat' 'max-rounds = 7' 'no-steady-stop = yes' '[lab]' 'sponsor = ACME' >.config/plateau/config
[ "$(plan '[.steps[].max_rounds] | max')" = 7 ] || fail "the user's file does not count"
[ "$(plan '[.steps[].max_rounds] | max' --max-rounds 9)" = 9 ] || fail "the file went before the command line"
say 'test = iops' 'max-rounds = 8' >xdg/plateau/config
[ "$(XDG_CONFIG_HOME=$PWD/xdg plan '[.steps[].max_rounds] | max')" = 8 ] || fail "XDG_CONFIG_HOME does not count"
say 'test = lat' >mine
[ "$(plan '[.steps[].max_rounds] | max' --config mine)" = 25 ] || fail "--config does not stand alone"

# Header fields, from the file and from the command line.
say 'device = sim:enterprise,capacity=512M' 'test = lat' 'round-time = 1s' 'wipc-passes = 1' 'quiet = yes' '[lab]' \
	'sponsor = ACME  ; the customer' 'tested-by = R. Roe' 'form-factor = U.2' 'nand = TLC' >lab
"$PLATEAU" run --config lab --erase enterprise --output r --lab-tested-by 'J. Doe' >out
[ "$(jq -r '[.lab[] | . // "-"] | join(",")' r/run.json)" = 'ACME,J. Doe,-,-,-,-,U.2,TLC' ] ||
	fail "lab: $(jq -c .lab r/run.json)"
for what in 'J. Doe' ACME U.2 TLC; do
	grep -q "$what" r/report.html || fail "the report does not say $what"
done

# What is wrong: one sentence, with file and line.
bad() { # REGEX LINE...
	local regex=$1
	shift
	say "$@" >bad.conf
	expect 2 "bad.conf:$regex" plan --config bad.conf --device sim:enterprise --test lat
}
bad "2: unknown key 'round-tmie'; did you mean 'round-time'\?" '# mine' 'round-tmie = 3s'
bad "1: --tc: 'many' is not a whole number" 'tc = many'
bad "1: --round-time: 'soon' is not a duration" 'round-time = soon'
bad "2: --lab-nand needs a value" '[lab]' 'nand ='
bad "1: unknown section \[labs\]" '[labs]'
bad "3: tc is given twice" 'tc = 1' '' 'tc = 2'
bad "1: quiet is yes or no, not 'maybe'" 'quiet = maybe'
bad "2: unknown key 'lab-tc'" '[lab]' 'tc = 3'
bad "1: this is neither" 'quiet'
# Consent to erase is typed each time.
bad '1: --erase is for the command line alone' 'erase = enterprise'
bad '1: --discard-signatures is for the command line alone' 'discard-signatures = yes'
expect 2 'nowhere' plan --config nowhere --device sim:enterprise --test lat
