#!/bin/bash
# report, verify and status work from the run directory alone: no device, no root, the same bytes twice;
# a killed run is reported as incomplete; a missing gnuplot costs the charts and nothing else.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"

"$PLATEAU" run --device scratch --size 64M --test lat --erase scratch --round-time 50ms --max-rounds 5 \
	--output r >out 2>err || [ $? = 5 ] || fail "the run: $(cat err)"
rm scratch

python3 "$PLATEAU_TOP/tests/lib/report_check.py" r || fail "the report of a file"

export SOURCE_DATE_EPOCH=1700000000
expect 0 '' report r --output one
expect 0 '' report r --output two
[ -s one/report.pdf ] && [ -s one/report.html ] || fail "no report: $(ls one)"
diff -r one two || fail "two reports of one run differ"
if command -v pdftotext >/dev/null; then
	pdftotext -layout one/report.pdf one.txt
	grep -q '2023-11-14' one.txt || fail "the report's date is not SOURCE_DATE_EPOCH"
fi
SOURCE_DATE_EPOCH=tomorrow expect 2 'SOURCE_DATE_EPOCH' report r --output three

# On Letter too. Neither a locale that writes 0,5 nor another directory changes a byte.
expect 0 '' report r --paper letter --output letter
pdfinfo letter/report.pdf | grep -q '^Page size: *612 x 792' || fail "not Letter: $(pdfinfo letter/report.pdf)"
pdfinfo one/report.pdf | grep -q '^Page size: *595.* x 841.*A4' || fail "not A4: $(pdfinfo one/report.pdf)"
expect 2 'letter' report r --paper a5
localedef -i de_DE -f UTF-8 "$PWD/de_DE.UTF-8"
german() { env LOCPATH="$PWD" LC_ALL=de_DE.UTF-8 "$@"; }
[ "$(german locale decimal_point)" = , ] || fail "no locale with a decimal comma"
german "$PLATEAU" report r --output komma >out 2>err || fail "with a decimal comma: $(cat err)"
diff -r one komma || fail "the locale changes the report"

# What is missing or shut is one sentence, after the summary.
refused() { # REGEX COMMAND...
	local regex=$1 rc=0
	shift
	"$@" >out 2>err || rc=$?
	[ $rc = 8 ] && grep -qE "^plateau: .*$regex" err || fail "$* ended with $rc: $(cat err)"
}
mkdir no-svg no-fonts shut
cat >no-svg/gnuplot <<'SH'
#!/bin/sh
[ "$1" = --version ] || { sed -n 's/.*/\n         line 0: unknown or ambiguous terminal type/p;q' >&2; exit 1; }
SH
chmod +x no-svg/gnuplot
refused 'gnuplot did not draw .*terminal' env PATH="$PWD/no-svg:$PATH" "$PLATEAU" report r --output refused
echo '<?xml version="1.0"?><fontconfig><dir>/nonexistent</dir></fontconfig>' >no-fonts/fonts.conf
refused 'fonts-dejavu-core' env FONTCONFIG_FILE="$PWD/no-fonts/fonts.conf" XDG_CACHE_HOME="$PWD/no-fonts" \
	"$PLATEAU" report r --output refused
if [ "$(id -u)" = 0 ] && mount -t tmpfs tmpfs shut 2>/dev/null; then
	mounts="$mounts $PWD/shut"
	cp -r r shut/r
	mount -o remount,ro shut
	refused 'Read-only file system' "$PLATEAU" report shut/r
	grep -q -- '--output' err || fail "no way out is named: $(cat err)"
	expect 0 '' report shut/r --output opened
	diff -r one opened || fail "a read-only run gives another report"
fi

# As nobody, without any device to open, and where the run directory cannot be written.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	away=$(mktemp -d /var/tmp/plateau-e2e.XXXXXX)
	cp "$PLATEAU" "$away/plateau"
	cp -r r "$away/r"
	mkdir "$away/out"
	chown nobody "$away/out"
	chmod 755 "$away"
	as_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/ ASAN_OPTIONS=detect_leaks=0 "$@"; }
	rc=0
	(
		cd /
		as_nobody "$away/plateau" report "$away/r" --output "$away/out/o" &&
			as_nobody "$away/plateau" verify "$away/r" &&
			as_nobody "$away/plateau" status "$away/r" &&
			diff -r "$away/out/o" "$T_DIR/one"
	) >nobody.log 2>&1 || rc=$?
	rm -rf "$away"
	[ $rc = 0 ] || fail "as nobody: $(cat nobody.log)"
fi

# No gnuplot on PATH: the report is refused by name, a run goes on to its end.
mkdir empty
rc=0
PATH=$PWD/empty "$PLATEAU" report r --output none >out 2>err || rc=$?
[ $rc = 8 ] && grep -q '^plateau: .*gnuplot' err || fail "without gnuplot: $rc, $(cat err)"
[ ! -e none ] || fail "a report without gnuplot left $(ls none)"
rc=0
PATH=$PWD/empty "$PLATEAU" run --device scratch --size 64M --test lat --erase scratch --round-time 20ms \
	--max-rounds 5 --output ungraphed >out 2>err || rc=$?
[ $rc = 0 ] || [ $rc = 5 ] || fail "a run without gnuplot ended with $rc: $(cat err)"
head -n 8 err | grep -q gnuplot || fail "gnuplot is not missed at the start: $(cat err)"
[ -s out ] || fail "no summary"
expect 0 '' report ungraphed
[ -s ungraphed/report.pdf ] || fail "no report afterwards"

# Until the journal of run DIR has N lines with TEXT; a minute at most.
wait_for() { # DIR TEXT N
	local n
	for _ in $(seq 600); do
		n=$(grep -c "$2" "$1/journal.jsonl" 2>/dev/null) || :
		[ "${n:-0}" -lt "$3" ] || return 0
		sleep 0.1
	done
	fail "$1 got no $3 lines with $2: $(cat err)"
}

# Killed in the middle.
"$PLATEAU" run --device scratch --test lat,iops --erase scratch --round-time 100ms --max-rounds 5 \
	--output killed >out 2>err &
pid=$!
wait_for killed '"test":"iops"' 20
expect 0 '' status killed --json
grep -q '"state": "running"' out || fail "status of a running run: $(cat out)"
kill -9 $pid
wait $pid 2>/dev/null || :
points=$(grep -c '"kind":"point"' killed/journal.jsonl)
expect 0 '' status killed --json
grep -q '"state": "stopped"' out || fail "status of a killed run: $(cat out)"
expect 0 'incomplete' report killed
[ -s killed/report.pdf ] || fail "no report of the killed run"
if command -v pdftotext >/dev/null; then
	pdftotext -layout killed/report.pdf - | grep -qi incomplete || fail "the report is not marked incomplete"
fi
[ "$(grep -c '"kind":"point"' killed/journal.jsonl)" = "$points" ] || fail "the report changed the journal"
expect 0 '' verify killed

# A torn last line is left out, and said.
printf '{"kind":"point","seq":' >>killed/journal.jsonl
expect 0 'torn' report killed

# An interrupt ends in order: 9, everything kept.
"$PLATEAU" run --device scratch --test iops --erase scratch --round-time 100ms --max-rounds 5 \
	--output stopped >out 2>err &
pid=$!
wait_for stopped '"phase":"round"' 5
kill -TERM $pid
rc=0
wait $pid || rc=$?
[ $rc = 9 ] || fail "an interrupted run ended with $rc: $(cat err)"
expect 0 '' status stopped --json
grep -q '"exit_code": 9' out || fail "status of an interrupted run: $(cat out)"
