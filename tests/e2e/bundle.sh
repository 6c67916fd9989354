#!/bin/bash
# A run for others: bundled with its sums, and reported without serial numbers and host names.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v jq >/dev/null && command -v pdftotext >/dev/null || skip "needs jq and pdftotext"

"$PLATEAU" run --device sim:enterprise --test lat --erase enterprise --seed 7 --max-rounds 6 --output run --quiet >/dev/null ||
	[ $? = 5 ]
expect 0 '' bundle run --output one.tar.gz
touch -d '2001-01-01' run/report.html
expect 0 '' bundle run --output two.tar.gz
cmp one.tar.gz two.tar.gz || fail "two bundles of one run differ"
expect 2 'ends in .tar.gz' bundle run --output one.zip
expect 0 '' bundle run --output 12:30.tgz
expect 0 '' verify 12:30.tgz
expect 2 'is there already' bundle run --output two.tar.gz
expect 0 '' verify one.tar.gz

# sha256sum is the judge of the manifest.
mkdir there
tar -C there -xzf one.tar.gz
(cd there/run && sha256sum --quiet -c SHA256SUMS) || fail "sha256sum disagrees"
[ "$(wc -l <there/run/SHA256SUMS)" = "$(find run -type f | wc -l)" ] || fail "files are not listed"
diff -r run there/run --exclude SHA256SUMS || fail "not the same files"
expect 0 '' verify there/run

echo >>there/run/report.html
echo >there/run/extra
rm there/run/csv/run.csv
expect 11 '' verify there/run
for line in 'report.html was changed' 'extra is not listed' 'csv/run.csv is missing'; do
	grep -qx "$line" out || fail "no '$line' in: $(cat out)"
done
tar -czf changed.tar.gz -C there run
expect 11 '' verify changed.tar.gz
head -c 2000 one.tar.gz >torn.tar.gz
expect 8 'torn.tar.gz: ' verify torn.tar.gz
[ "$(wc -l <err)" = 1 ] || fail "more than a sentence: $(cat err)"
rm there/run/SHA256SUMS
tar -czf bare.tar.gz -C there run
expect 8 'SHA256SUMS' verify bare.tar.gz
ln -s /etc/passwd run/link
expect 8 'no plain file' bundle run --output three.tar.gz
[ ! -e three.tar.gz ] || fail "half a bundle is left"
rm run/link

# A host's and a drive's names, also inside of arguments and sentences.
serial=$(jq -r .device.serial run/run.json)
jq --arg s "$serial" '.host.name = "lab-host-17" | .argv += ["--output", "/home/lab-host-17/\($s)"]' run/run.json >new
cp -r run named
mv new named/run.json
expect 0 '' report named --output plain
pdftotext plain/report.pdf plain.txt
grep -q "$serial" plain.txt && grep -q lab-host-17 plain.txt || fail "the plain report does not name them"
expect 2 'needs --output' report named --redact
expect 0 '' report named --redact --output redacted
pdftotext redacted/report.pdf redacted/text
! grep -rlaE "$serial|lab-host-17" redacted || fail "they are still there"
word=x$(printf %s "$serial" | sha256sum | cut -c 1-12)
grep -q "$word" redacted/text || fail "no $word in their place"
