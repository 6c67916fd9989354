#!/bin/bash
# Results of other programs: each format as it is written, the figures against a reader's own arithmetic.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v jq >/dev/null && command -v fio >/dev/null || skip "needs jq and fio"

# Numbers to six digits.
short() {
	awk '{ printf "%s %d %d %d %d %.6g %.6g %.6g\n", $1, $2, $3, $4, $5, $6, $7, $8 }'
}

figures() { # RUN: "RND 4096 100 TC QD IOPS BYTES NS" a line
	jq -r '.imported.figures[] | [.pattern, .bs_b, .read_pct, .tc, .qd, (.iops // 0), (.bytes_per_s // 0), (.lat_mean_ns // 0)] | @tsv' \
		"$1/run.json" | short
}

# Synthetic, in the form that CrystalDiskMark 6 saves.
cat >cdm6.txt <<'T'
-----------------------------------------------------------------------
CrystalDiskMark 6.0.2 x64 (C) 2007-2018 hiyohiyo
-----------------------------------------------------------------------
* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]

   Sequential Read (Q= 32,T= 1) :   262.144 MB/s
  Sequential Write (Q= 32,T= 2) :   131.072 MB/s
  Random Read 4KiB (Q=  8,T= 8) :    40.960 MB/s [  10000.0 IOPS]
 Random Write 4KiB (Q=  1,T= 1) :     4.096 MB/s [   1000.0 IOPS]

  Test : 1024 MiB [G: 0.0% (0.1/894.2 GiB)] (x5)  [Interval=0 sec]
  Date : 2019/09/15 22:02:39
    OS : Windows 10 Professional [10.0 Build 18362] (x64)
    ACME Grün 240
T
expect 0 '' import cdm6.txt --as cdm6
cat >want <<'T'
SEQ 131072 100 1 32 2000 2.62144e+08 0
SEQ 131072 0 2 32 1000 1.31072e+08 0
RND 4096 100 8 8 10000 4.096e+07 0
RND 4096 0 1 1 1000 4.096e+06 0
T
figures cdm6 | diff want - || fail "CrystalDiskMark 6"
[ "$(jq -r '.device.model + "|" + .imported.date + "|" + .imported.tool' cdm6/run.json)" = \
	"ACME Grün 240|2019/09/15 22:02:39|CrystalDiskMark 6.0.2" ] || fail "$(cat cdm6/run.json)"

# The same with Windows' line ends, in UTF-16 and in Windows-1252, and with a decimal comma.
sed 's/$/\r/' cdm6.txt | iconv -t UTF-16 >utf16.txt
iconv -t CP1252 cdm6.txt | sed 's/$/\r/' >cp1252.txt
sed -E 's/([0-9])\.([0-9]+ (MB|IOPS))/\1,\2/g' cdm6.txt >comma.txt
grep -q '262,144 MB' comma.txt
for f in utf16 cp1252 comma; do
	expect 0 '' import $f.txt --as $f
	figures $f | diff want - || fail "$f"
	[ "$(jq -r .device.model $f/run.json)" = "ACME Grün 240" ] || fail "$f: $(jq .device $f/run.json)"
done

cat >cdm9.txt <<'T'
------------------------------------------------------------------------------
CrystalDiskMark 9.0.1 x64 (C) 2007-2025 hiyohiyo
------------------------------------------------------------------------------
[Read]
  SEQ    1MiB (Q=  8, T= 1):  1048.576 MB/s [   1000.0 IOPS] <  8000.50 us>
  RND    4KiB (Q= 32, T=16):   409.600 MB/s [ 100000.0 IOPS] <   418.81 us>

[Write]
  SEQ  128KiB (Q= 32, T= 1):   131.072 MB/s [   1000.0 IOPS] < 29174.83 us>

[Mix] Read 70%/Write 30%
  RND    4KiB (Q=  1, T= 1):     4.096 MB/s [   1000.0 IOPS] <    93.19 us>

Profile: Default
   Date: 2026/10/10 22:06:50
     OS: Windows 11 Professional [10.0 Build 26100] (x64)
Comment: ACME 9
T
expect 0 '' import cdm9.txt --as cdm9
cat >want <<'T'
SEQ 1048576 100 1 8 1000 1.04858e+09 8.0005e+06
RND 4096 100 16 32 100000 4.096e+08 418810
SEQ 131072 0 1 32 1000 1.31072e+08 2.91748e+07
RND 4096 70 1 1 1000 4.096e+06 93190
T
figures cdm9 | diff want - || fail "CrystalDiskMark 9"

cat >asssd.txt <<'T'
AS SSD Benchmark 2.0.6485.19676
------------------------------
Name: ACME Z1
Firmware: A1
Controller: stornvme
Date: 2019/09/15 22:03:59
------------------------------
Sequential:
------------------------------
Read: 1600.00 MB/s
Write: 160.00 MB/s
------------------------------
4K:
------------------------------
Read: 40.00 MB/s
------------------------------
4K-64Threads:
------------------------------
Write: 321189 iops
------------------------------
Access Times:
------------------------------
Read: 0.036 ms
------------------------------
Score:
------------------------------
Read: 1664
T
expect 0 '' import asssd.txt --as asssd
cat >want <<'T'
SEQ 16777216 100 1 1 100 1.67772e+09 0
SEQ 16777216 0 1 1 10 1.67772e+08 0
RND 4096 100 1 1 10240 4.1943e+07 0
RND 4096 0 64 1 321189 1.31559e+09 0
RND 512 100 1 1 0 0 36000
T
figures asssd | diff want - || fail "AS SSD"

# fio's own output, of now, and with a message before it.
fio --name=mix --filename=scratch --size=8m --rw=randrw --rwmixread=65 --bs=8k --iodepth=4 --numjobs=2 --group_reporting \
	--direct=1 --ioengine=libaio --runtime=1 --time_based --output-format=json --output=fio.json
{ echo 'fio: a message {}' | tr -d '{}'; cat fio.json; } >noisy.json
for f in fio noisy; do
	expect 0 '' import $f.json --as $f
	jq -r '.jobs[0] | [.read, .write] as $d |
		["RND", 8192, 65, 2, 4, ([$d[].iops] | add), ([$d[].bw_bytes] | add),
		 ([$d[] | .lat_ns.mean * .total_ios] | add) / ([$d[].total_ios] | add)] | @tsv' fio.json |
		short >want
	figures $f | diff want - || fail "$f"
done

# Threads that fio lists one by one are one load; a mix may be given by its writes; depth and mix must make sense.
jq '.jobs[0] |= (."job options".rwmixwrite = "100" | del(."job options".rwmixread)) | .jobs += [.jobs[0]]' fio.json >each.json
expect 0 '' import each.json --as each
{ figures fio; figures each; } | awk 'function near(a, b) { return a / b > 0.9999 && a / b < 1.0001 }
	{ for (i = 3; i <= 8; i++) f[NR, i] = $i }
	END { exit !(NR == 2 && f[2, 3] == 0 && f[2, 4] == 2 && near(f[2, 6], 2 * f[1, 6]) && near(f[2, 7], 2 * f[1, 7]) && near(f[2, 8], f[1, 8])) }' ||
	fail "a load listed by thread: $(figures each)"
for wrong in '.rwmixread = "300"' '.iodepth = "4000000000"' '.bs = "8G"'; do
	jq ".jobs[0].\"job options\"$wrong" fio.json >odd.json
	expect 2 'odd.json' import odd.json --as x
done

# TKperf's, in the form that it writes: the mean over its steady rounds; latency in us; throughput in KiB/s.
python3 - >tkperf.xml <<'P'
import json
iops = [[[1000 * r + 10 * m + b for b in range(8)] for m in range(7)] for r in range(7)]
lat = [[[[1, 90, 10 + r + m + b] for b in range(3)] for m in range(3)] for r in range(6)]
tp = [[[1000 + b] * 6, [500 + b] * 6] for b in range(5)]
print("<acme><testdate>\"2014-08-25\"</testdate><ioperfversion>\"1.3\"</ioperfversion>"
      f"<iops><numjobs>4</numjobs><iodepth>16</iodepth><roundmat>{json.dumps(iops)}</roundmat><stdyrounds>[1, 2, 3, 4, 5]</stdyrounds></iops>"
      f"<lat><roundmat>{json.dumps(lat)}</roundmat></lat><tp><numjobs>1</numjobs><iodepth>16</iodepth><roundmat>{json.dumps(tp)}</roundmat></tp></acme>")
P
expect 0 '' import tkperf.xml --as tkperf
figures tkperf >got
[ "$(wc -l <got)" = $((56 + 9 + 10)) ] || fail "$(wc -l <got) figures of TKperf"
for line in 'RND 4096 0 4 16 3066 1.25583e+07 0' 'RND 1048576 100 4 16 3000 3.14573e+09 0' 'RND 512 65 1 1 0 0 16000' \
	'SEQ 65536 0 1 16 7.82812 513024 0'; do
	grep -qxF "$line" got || fail "no '$line' in: $(cat got)"
done

# One sentence for what cannot be read.
sed 's/10000.0 IOPS/many IOPS/; s/40.960/-/' cdm6.txt >broken.txt
expect 2 'broken.txt line 8 makes no sense' import broken.txt --as x
head -n 4 cdm6.txt >empty.txt
expect 2 'holds no result' import empty.txt --as x
head -c 300 fio.json >torn.json
expect 2 'no whole JSON' import torn.json --as x
jq '.jobs[0].error = 5' fio.json >failed.json
expect 2 'ended with error 5' import failed.json --as x
head -c 300 tkperf.xml >torn.xml
expect 2 'torn.xml' import torn.xml --as x
head -c 5000 /dev/urandom >noise
{ head -n 3 cdm6.txt; printf 'Sequential Read (Q=1,T=1) : \033[31mred\n'; } >escape.txt
expect 2 'line 4 makes no sense.*[?].31mred' import escape.txt --as x
expect 2 'is no result of' import noise --as x
expect 8 'nosuch' import nosuch --as x
expect 2 'not empty' import cdm6.txt --as cdm9
[ ! -e x ] || fail "a run directory is left of a failed import"
expect 2 'was imported' report cdm6
expect 2 'was imported' verify cdm6
