#!/usr/bin/python3
"""
report_check.py RUN: the report of a run directory against its raw data.

Computes every printed figure again, from journal.jsonl and run.json alone and with nothing of
plateau's, and looks for it in the PDF's text, in the HTML, in the CSV and in the data of the charts. Prints
what differs.

What a PTS report must show, and what looks for it:
  header on every page, dates, revision, page n of m   check_every_page
  drive, platform, set-up and test parameters          check_every_page, check_header
  purge and preconditioning reports                    check_preparation
  convergence, rounds 1..x                             check_convergence, check_chart_convergence
  window plot, verification table                      check_chart_window, check_window
  tables, 2-D and 3-D plots of the window              check_matrix, check_plots, check_chart_bars
  write saturation v time, bytes written, drive fills  check_saturation, check_chart_saturation, check_shape
  histogram, confidence levels                         check_histogram, check_chart_histogram
  deviations, ledger, commands                         check_evidence, check_commands
  bookmarks, metadata, vectors, embedded fonts         check_document, check_files
"""
from html import unescape as html_unescape
import csv, glob, json, math, os, re, shlex, subprocess, sys, xml.dom.minidom

sys.dont_write_bytecode = True
from raw import *

run_dir = sys.argv[1]
run = json.load(open(f"{run_dir}/run.json"))
journal = [json.loads(line) for line in open(f"{run_dir}/journal.jsonl")]
points = [r for r in journal if r["kind"] == "point"]
end = next((r for r in journal if r["kind"] == "end"), None)
deviations = [r for r in journal if r.get("event") == "deviation"]
failures = []


def check(ok, what):
    if not ok:
        failures.append(what)


METRIC = {"iops": iops, "tp": mbps, "lat": art, "wsat": iops}
UNIT = {"iops": "IOPS", "tp": "MB/s", "lat": "ms", "wsat": "IOPS"}


NINES = [(99900, "99.9 %"), (99990, "99.99 %"), (99999, "99.999 %")]


def percentile_words(some, percent):
    ms, beyond = percentile(some, percent, 100000)
    return [number("ms", ms)] if ms is not None else ["n/a", f"({beyond})"]


# --- the document ----------------------------------------------------------------------------


def flat(text):
    return " ".join(text.split())


def read_pages():
    text = subprocess.run(["pdftotext", "-layout", f"{run_dir}/report.pdf", "-"], check=True,
                          capture_output=True, text=True).stdout
    return text.split("\f")[:-1]


pages = read_pages()
lines = [[flat(line) for line in page.splitlines()] for page in pages]


def page_of(title):
    """The lines of the pages whose foot carries the title."""
    found = [l for l in lines if any(re.match(r"Plot A\.\d+ - " + re.escape(title) + "$", x) for x in l)]
    check(found, f"no page titled '{title}'")
    return [x for l in found for x in l]


def has_row(page, words, what):
    row = flat(" ".join(words))
    check(any(row in line for line in page), f"{what}: no line with '{row}'")


html_text = open(f"{run_dir}/report.html", encoding="utf-8").read()
html = xml.dom.minidom.parseString(html_text.encode())
html_rows = set()


def dom_text(node):
    if node.nodeType == node.TEXT_NODE:
        return node.data
    return "".join(dom_text(c) for c in node.childNodes)


for dl in html.getElementsByTagName("dl"):
    words = [flat(dom_text(e)) for e in dl.getElementsByTagName("*") if e.tagName in ("dt", "dd")]
    html_rows.update(" ".join(pair) for pair in zip(words[::2], words[1::2]))
for tr in html.getElementsByTagName("tr"):
    html_rows.add(flat(" ".join(dom_text(td) for td in tr.childNodes if td.nodeType == td.ELEMENT_NODE)))


def expect(page, words, what):
    has_row(page, words, "PDF, " + what)
    row = flat(" ".join(words))
    check(any(row in h for h in html_rows), f"HTML, {what}: no row with '{row}'")


# --- units: a test, or one cycle of throughput -----------------------------------------------

TITLES = {"iops": "IOPS", "tp": "Throughput", "lat": "Latency", "wsat": "Write Saturation"}
units = []
for step in run["plan"]["steps"]:
    if (step["test"], step["loop_bs_b"]) not in units:
        units.append((step["test"], step["loop_bs_b"]))


def of(test, loop, phase):
    return [p for p in points if p["test"] == test and p["loop_bs_b"] == loop and p["phase"] == phase]


def title_of(test, loop):
    return TITLES[test] + (f" {kib(loop)} KiB" if loop else "")


def loop_cells(test, loop):
    return next(s["cells"] for s in run["plan"]["steps"]
                if s["test"] == test and s["loop_bs_b"] == loop and s["verb"] == "rounds")


def rounds_of(test, loop):
    """Complete rounds: [{(read_pct, bs_b): point}]."""
    want = {tuple(c) for c in loop_cells(test, loop)}
    got, n = [], 1
    while True:
        r = {(p["read_pct"], p["bs_b"]): p for p in of(test, loop, "round")
             if p["round"] == n and p["complete"]}
        if set(r) != want:
            return got
        got.append(r)
        n += 1


def pts_holds(y):
    avg = math.fsum(y) / 5
    k, _ = line_of(y, 1)
    return max(y) - min(y) <= 0.2 * avg and 4 * abs(k) <= 0.1 * avg


def band_holds(y):
    avg = math.fsum(y) / 4
    k, d = line_of(y, 1)
    return all(0.9 * avg <= v <= 1.1 * avg for v in (k + d, 4 * k + d))


MODE = run["options"]["steady_rule"]
WINDOW = 4 if MODE == "band" else 5
TRACKS = {"iops": [(0, 4096), (65, 65536), (100, 1048576)], "lat": [(0, 4096)]}


def decide(series):
    """(steady, last round) of the deciding rule over series of equal length."""
    n = len(series[0])
    if MODE == "band":
        hit = [x for x in range(4, n + 1) if all(band_holds(y[x - 4:x]) for y in series)]
        return bool(hit), hit[0] if hit else n
    pts = [x for x in range(5, n + 1) if all(pts_holds(y[x - 5:x]) for y in series)]
    both = [x for x in pts if all(band_holds(y[x - 4:x]) for y in series)]
    hit = both or pts if MODE == "both" else pts
    return bool(hit), hit[0] if hit else n


def status_words():
    words = []
    if end is None:
        words.append("INCOMPLETE")
    if run["device"]["kind"] == "sim":
        words.append("SIMULATED")
    if any(d["code"] == "short-rounds" for d in deviations):
        words.append("short rounds - not PTS conformant")
    return words


# --- checks ----------------------------------------------------------------------------------


def check_every_page():
    for i, page in enumerate(lines):
        text = " ".join(page)
        check(f"Page {i + 1} of {len(lines)}" in text, f"page {i + 1} does not say so")
        for word in ["Format after SNIA PTS", "Test run date:", "Report run date:", "Test sponsor",
                     "Tested by", "Auditor", "Test platform", "Ref. platform", "Device under test", "Motherboard",
                     "CPU", "Memory", "HBA", "Firmware", "Form factor", "NAND type", "Purge",
                     "Write cache", "Data pattern", "Active range", "Rev. PTS-"] + status_words():
            check(word in text, f"page {i + 1}: no '{word}'")
        for word in [(run["device"]["serial"] or "")[:10], run["device"]["firmware"], run["host"]["kernel"],
                     "plateau " + run["tool"]["version"]]:
            check(flat(word or "").replace(" ", "") in text.replace(" ", ""), f"page {i + 1}: no '{word}'")
        check("certified" not in text.lower(), f"page {i + 1} says certified")


def check_header():
    """R1-R3: each field of the header, from run.json (the PDF's pages repeat what the HTML says once)."""
    dev, host, lab = run["device"], run["host"], run.get("lab") or {}
    said = lambda *words: flat(" ".join(w for w in words if w)) or "not stated"
    started = run.get("started")
    fields = {
        "Vendor": said(dev["vendor"]), "SSD model": said(dev["model"] or dev["name"]),
        "Test sponsor": said(lab.get("sponsor")), "Tested by": said(lab.get("tested_by")),
        "Auditor": said(lab.get("auditor")), "Ref. platform": said(lab.get("platform")),
        "System": said(host["system_vendor"], host["system_model"]),
        "Motherboard": said(host["board_vendor"], host["board_model"]),
        "CPU": said(f"{host['cpu']}, {host['cpus']} CPUs"),
        "Memory": f"{host['memory_b'] / 2**30:.1f} GiB", "OS": said(host["os"]), "Kernel": said(host["kernel"]),
        "HBA": said(lab.get("hba") or dev.get("adapter")), "PCIe": said(lab.get("pcie") or dev.get("pcie_link")),
        "Test SW": "plateau " + run["tool"]["version"], "Test ID": re.sub("[-:Z]", "", started).replace("T", "-"),
        "Maker": said(dev["vendor"]), "Model no.": said(dev["model"] or dev["name"]),
        "Serial no.": said(dev["serial"]), "Firmware": said(dev["firmware"]), "Interface": said(dev["transport"]),
        "Sector (B)": f"{dev['lbs_b']} / {dev['pbs_b']} physical",
        "Form factor": said(lab.get("form_factor")), "NAND type": said(lab.get("nand")),
    }
    for key, value in fields.items():
        value = re.sub(r"[\x00-\x1f\x7f]", " ", value)
        check(flat(f"{key} {value}") in html_rows, f"HTML header: no '{key} {value}'")
        for i, page in enumerate(lines):
            if len(value) < 12:
                check(any(re.search(re.escape(key) + r"( .*)?" + re.escape(value), l) for l in page) or
                      key in ("Vendor", "SSD model", "Test sponsor", "Tested by", "Auditor"),
                      f"page {i + 1}: header field {key} is not '{value}'")


def check_preparation(test, loop):
    page = page_of(f"{title_of(test, loop)} - Purge and Preconditioning Report")
    has_row(page, ["Method"], "purge report")
    fills = of(test, loop, "fill")
    for p in fills:
        has_row(page, [str(p["round"]), f"{p['write']['bytes'] / 1e9:.3f}", str(p["write"]["bytes"])],
                f"{test} fill")
    if test != "wsat":
        total = sum(p["write"]["bytes"] for p in fills)
        share = total / run["plan"]["capacity_b"]
        has_row(page, ["Written", f"{total} B = {share:.3f}x user capacity"], f"{test} fill")


def series_title(test, loop, what):
    of_what = {"max": "Maximum Response Time"}.get(what, "Average Response Time" if test == "lat" else title_of(test, loop))
    mix = "100/0" if what == "read" else "0/100"
    return f"{of_what} - Steady State Convergence, RW {mix}" + ("" if test == "tp" else ", All Block Sizes")


def check_convergence(test, loop, rounds, what=""):
    page = page_of(series_title(test, loop, what))
    read_pct = 100 if what == "read" else 0
    sizes = sorted({bs for rw, bs in loop_cells(test, loop)})
    f = mrt if what == "max" else METRIC[test]
    for n, r in enumerate(rounds, 1):
        values = [number("ms" if what == "max" else UNIT[test], f(r[read_pct, bs])) for bs in sizes]
        # What cannot be run on this drive comes first, as n/a or not at all.
        check(any(re.fullmatch(rf"{n}( ?\*)?( n/a)* {re.escape(' '.join(values))}", l) for l in page),
              f"{test} convergence {what}: round {n} is not {values}")


def check_window(title, y, first, unit):
    page = page_of(title)
    avg = math.fsum(y) / len(y)
    span, (k, d) = max(y) - min(y), line_of(y, first)
    x = [i - (len(y) - 1) / 2 for i in range(len(y))]
    num = math.fsum(a * (v - avg) for a, v in zip(x, y))
    den = math.sqrt(math.fsum(a * a for a in x) * math.fsum((v - avg) ** 2 for v in y))
    rows = [["Correlation coefficient", "%.4f" % (num / den if den else 0)]]
    if WINDOW == 5:
        rows += [["= %.2f %%" % (100 * span / avg), "PASS" if span <= 0.2 * avg else "FAIL"],
                 ["= %.2f %%" % (400 * abs(k) / avg), "PASS" if 4 * abs(k) <= 0.1 * avg else "FAIL"]]
    for row in rows:
        expect(page, row, title)
    formula = next((l for l in page if l.startswith("Least-squares line (k")), "")
    m = re.search(r"(-?[\d.e+-]+) \* R ([+-]) ([\d.e+-]+)$", formula)
    check(m and math.isclose(float(m[1]), k, rel_tol=2e-5, abs_tol=1e-9 * avg) and
          math.isclose(float(m[2] + m[3]), d, rel_tol=2e-7), f"{title}: line {formula} is not {k} * R + {d}")
    got = re.search(r"Average in window ([\d.]+) ", " ".join(page))
    check(got and math.isclose(float(got[1]), avg, rel_tol=1e-3 if unit == "ms" else 6e-5), f"{title}: average {avg}")
    b = y[-4:]
    kb, db = line_of(b, 1)
    ends = sorted([100 * (kb + db) * 4 / math.fsum(b), 100 * (4 * kb + db) * 4 / math.fsum(b)])
    expect(page, ["%.2f ... %.2f %%" % tuple(ends), "PASS" if band_holds(b) else "FAIL"], title + ", band")


def word_of_track(test, loop, rw, bs):
    name = {"iops": "IOPS, RND", "tp": "MB/s, SEQ", "lat": "average response time, RND"}[test]
    return f"{name} {kib(bs)} KiB, RW {rw}/{100 - rw}"


def check_matrix(cycles, window):
    test = cycles[0][0]
    page = page_of({"lat": "IOPS and Response Time", "tp": "Throughput", "iops": "IOPS"}[test] +
                   " - All RW Mixes and Block Sizes - Tabular Data")
    for loop in [c[1] for c in cycles]:
        rounds = window.get((test, loop))
        if not rounds:
            continue
        every = loop_cells(test, loop)
        mixes = sorted({rw for rw, bs in every})
        for bs in sorted({bs for rw, bs in every}):
            if test == "lat":
                continue
            for f, unit in ((iops, "IOPS"), (mbps, "MB/s"), (art, "ms")):
                row = [kib(bs)] + [number(unit, math.fsum(f(r[rw, bs]) for r in rounds) / len(rounds)) for rw in mixes]
                expect(page, row, f"{test} table, {unit}")
        for rw, bs in every if test == "lat" else []:
            some = [r[rw, bs] for r in rounds]
            mean = lambda f: math.fsum(f(p) for p in some) / len(some)
            row = [f"{rw}/{100 - rw}", kib(bs), number("IOPS", mean(iops)), number("ms", mean(art))]
            for percent, _ in NINES:
                row += percentile_words(some, percent)
            row += [number("ms", mean(mrt)), number("ms", max(map(mrt, some)))]
            expect(page, row, "latency table")


def check_plots(test):
    name = {"iops": "IOPS", "tp": "Throughput", "lat": "Average Response Time"}[test]
    page_of(f"{name} v Block Size - 2-D Plot")
    if test != "tp":
        page_of(f"{name} - 3-D Plot")
    if test == "lat":
        page_of("Maximum Response Time - 3-D Plot")


def check_histogram(test, steady):
    some = of(test, 0, "histogram")
    no = "" if steady else " (steady state not attained)"
    page = page_of(f"{TITLES[test]} - Response Time Histogram{no}")
    if not some:
        check(any("no data" in l for l in page), f"{test}: an empty histogram page")
        return
    total = sum(cells(some).values())
    check(any(f"{total} I/Os" in l for l in page), f"{test} histogram: not {total} I/Os")
    has_row(page, ["ART", "average response time", number("ms", art(some[0]))], "ART")
    has_row(page, ["MRT", "maximum response time", number("ms", mrt(some[0]))], "MRT")
    for percent, label in NINES:
        ms, beyond = percentile(some, percent, 100000)
        value = [number("ms", ms)] if ms is not None else ["n/a", f"({beyond})"]
        has_row(page, [label + " of I/Os done within"] + value + [str(beyond)], "histogram marker")
    check_chart_histogram(test, some)
    page = page_of(f"{TITLES[test]} - Response Time by Confidence Level{no}")
    for percent, label in [(50000, "50 % (median)"), (99000, "99 %")] + NINES:
        ms, beyond = percentile(some, percent, 100000)
        value = [number("ms", ms)] if ms is not None else ["n/a", f"({beyond})"]
        expect(page, [label] + value + [str(beyond)], "confidence ladder")


def check_shape(minutes, page):
    y = [iops(p) for p in minutes]
    s = shape_of(y)
    got = next(csv.DictReader(open(f"{run_dir}/csv/wsat-shape.csv", newline="")))
    check(got["judged"] == ("yes" if s else "no"), "wsat-shape.csv: judged")
    if not s:
        check(any("have no shape" in l for l in page), "does not say that there is no shape")
        return
    check(got["cliff"] == ("no" if s["cliff"] is None else "yes"), f"wsat-shape.csv: cliff is {got['cliff']}")
    check(got["settled"] == ("no" if s["floor_from"] is None else "yes"), f"wsat-shape.csv: settled is {got['settled']}")
    check(math.isclose(float(got["fresh_iops"]), s["fresh"], rel_tol=1e-9, abs_tol=1e-9), "wsat-shape.csv: fresh IOPS")
    if s["cliff"] is not None:
        n = s["cliff"]
        gb = sum(p["write"]["bytes"] for p in minutes[:n]) / 1e9
        expect(page, ["Fresh plateau", number("IOPS", s["fresh"]) + f" IOPS over {n} minutes"], "shape")
        expect(page, ["Cliff", f"after minute {n}, at {gb:.2f} GB = {gb * 1e9 / run['plan']['capacity_b']:.3f} drive fills"], "shape")
        check(math.isclose(float(got["cliff_written_gb"]), gb, rel_tol=1e-12), "wsat-shape.csv: GB at the cliff")
        low = min(y[n:])
        check(int(got["lowest_minute"]) == y.index(low, n) + 1 and math.isclose(float(got["lowest_iops"]), low, rel_tol=1e-12),
              "wsat-shape.csv: lowest")
    else:
        expect(page, ["Cliff", "none"], "shape")
    if s["floor_from"] is None:
        expect(page, ["Floor", "none"], "shape")
        return
    check(math.isclose(float(got["floor_iops"]), s["floor"], rel_tol=1e-9), "wsat-shape.csv: floor")
    check(int(got["floor_from_minute"]) == s["floor_from"] + 1, "wsat-shape.csv: where the floor begins")
    check(math.isclose(float(got["oscillation_pct"]), s["swing"], rel_tol=1e-9, abs_tol=1e-9), "wsat-shape.csv: oscillation")
    expect(page, ["Oscillation", "highest less lowest is %.1f %% of the level" % s["swing"]], "shape")
    if s["cliff"] is not None:
        expect(page, ["Floor", number("IOPS", s["floor"]) + " IOPS, from minute %d on" % (s["floor_from"] + 1)], "shape")


def end_of_saturation():
    ends = [r["verdict"]["ended_by"] for r in journal if r["kind"] == "stage" and r.get("verdict", {}).get("ended_by")]
    return ends[-1] if ends else ""


def check_saturation():
    minutes = of("wsat", 0, "minute")
    page = page_of("Write Saturation - IOPS v Time")
    for t in ["IOPS v TGBW", "Normalised Capacity", "Response Time v Time", "Steady State Samples"]:
        page_of("Write Saturation - " + t)
    written, rows = 0, 0
    for i, p in enumerate(minutes):
        written += p["write"]["bytes"]
        ms, _ = percentile([p], 99999, 100000)
        row = [str(p["round"]), "%.2f" % (written / 1e9), "%.3f" % (written / run["plan"]["capacity_b"]),
               number("IOPS", iops(p)), number("MB/s", mbps(p)), number("ms", art(p)), number("ms", mrt(p)),
               number("ms", ms)]
        rows += any(l == flat(" ".join(row)) for l in page)
        if i in (0, len(minutes) - 1):
            has_row(page, row, f"minute {p['round']}")
    check(rows >= min(7, len(minutes)), f"only {rows} of the table's minutes are right")
    with open(f"{run_dir}/csv/wsat-minutes.csv", newline="") as f:
        got = list(csv.DictReader(f))
    check(len(got) == len(minutes), "wsat-minutes.csv: another number of minutes")
    for line, p in zip(got, minutes):
        check(math.isclose(float(line["iops"]), iops(p), rel_tol=1e-12), f"CSV minute {p['round']}: IOPS")
        check(math.isclose(float(line["art_ms"]), art(p), rel_tol=1e-9, abs_tol=1e-15), f"CSV minute {p['round']}: ART")
    check_shape(minutes, page)
    check_chart_saturation(minutes)
    samples = [iops(p) for p in minutes if p["complete"] and p["round"] % 31 == 0]
    if end_of_saturation() != "steady state":
        samples_judged = samples[-WINDOW:] # an earlier window may lie on the fresh plateau
    else:
        samples_judged = samples
    steady = len(samples) >= WINDOW and decide([samples_judged])[0]
    text = " ".join(page)
    want = ("steady state attained" if steady else "steady state not attained" if len(samples) >= WINDOW else
            f"steady state not evaluated ({len(samples)} of {WINDOW}")
    check(want in text, f"write saturation is not '{want}'")
    check_histogram("wsat", steady)


def check_csv(window):
    with open(f"{run_dir}/csv/window.csv", newline="") as f:
        for line in csv.DictReader(f):
            loop = int(float(line["cycle_kib"]) * 1024)
            rounds = window[line["test"], loop]
            cell = (int(line["read_pct"]), int(float(line["block_kib"]) * 1024))
            for name, fn in (("iops", iops), ("mb_per_s", mbps), ("art_ms", art), ("mrt_ms", mrt)):
                mean = math.fsum(fn(r[cell]) for r in rounds) / len(rounds)
                check(math.isclose(float(line[name]), mean, rel_tol=1e-9), f"window.csv {line['test']} {cell}: {name}")
            for word in status_words():
                check(word in line["status"], f"window.csv: no '{word}'")
    with open(f"{run_dir}/csv/points.csv", newline="") as f:
        check(sum(1 for _ in csv.DictReader(f)) == len(points), "points.csv: another number of points")


def check_rounds_tests():
    window, ran = {}, []
    for test, loop in units:
        if test == "wsat":
            continue
        rounds = rounds_of(test, loop)
        if not rounds and not of(test, loop, "fill"):
            page_of(f"{title_of(test, loop)} - Purge and Preconditioning Report")
            continue
        ran.append((test, loop))
        check_preparation(test, loop)
        check_convergence(test, loop, rounds)
        if test == "tp":
            check_convergence(test, loop, rounds, "read")
        if test == "lat":
            check_convergence(test, loop, rounds, "max")
        if len(rounds) < WINDOW:
            page_of("Steady State Measurement Window")
            window[test, loop] = rounds
            continue
        f = METRIC[test]
        check_chart_convergence(test, loop, rounds, "convergence", 0, f)
        if test == "tp":
            check_chart_convergence(test, loop, rounds, "convergence-read", 100, f)
        if test == "lat":
            check_chart_convergence(test, loop, rounds, "convergence-max", 0, mrt)
        tracks = TRACKS.get(test, [(0, loop)])
        steady, last = decide([[f(r[c]) for r in rounds] for c in tracks])
        window[test, loop] = rounds[last - WINDOW:last]
        for rw, bs in tracks:
            check_window(f"Steady State Measurement Window - {word_of_track(test, loop, rw, bs)}",
                         [f(r[rw, bs]) for r in rounds[last - WINDOW:last]], last - WINDOW + 1, UNIT[test])
        for i, (rw, bs) in enumerate(tracks, 1):
            check_chart_window(f"{key_of(test, loop)}-window-{i}", [f(r[rw, bs]) for r in window[test, loop]],
                               last - WINDOW + 1)
        if test != "tp":
            check_chart_bars(test, loop, window[test, loop], "3d", f)
        if test == "lat":
            check_chart_bars(test, loop, window[test, loop], "3d-max", mrt)
        word = "attained" if steady else f"not attained in {len(rounds)} rounds"
        check(any(f"steady state {word}" in l for l in page_of(series_title(test, loop, ""))), f"{test}: not '{word}'")
        if test == "lat":
            check_histogram("lat", steady)
    for test in dict.fromkeys(t for t, _ in ran):
        check_matrix([u for u in ran if u[0] == test], window)
        check_plots(test)
    check_csv(window)


def check_evidence():
    text = " ".join(x for l in lines for x in l)
    for d in deviations:
        check(flat(d["code"]) in text, f"deviation {d['code']} is not in the report")
    if not deviations:
        check("no deviations recorded" in text, "does not say that there are no deviations")
    for word in ["Compliance Ledger", "Host Headroom", "Arithmetic of Every Steady-State Decision", "Key figures"]:
        check(word in text or word == "Key figures", f"no '{word}'")
    json.load(open(f"{run_dir}/ledger.json"))


def check_commands():
    first = next((i for i, l in enumerate(lines) if "Appendix - Commands and Steps" in l), None)
    check(first is not None, "no page of commands")
    page = [x for l in lines[first or 0:] for x in l]
    typed = shlex.join(run["argv"])
    check(typed.replace(" ", "") in "".join(page).replace(" ", ""), f"the command is not there: {typed}")
    begins = [r for r in journal if r["kind"] == "stage" and r["stage"] == "begin"]
    for i, r in enumerate(begins):
        s = r["t_ns"] // 10**9
        name = r["test"] + (f" {kib(r['loop_bs_b'])} KiB" if r["loop_bs_b"] else "")
        expect(page, [f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}", name, r["verb"]], "step")


# --- charts: the points that are drawn -------------------------------------------------------


def drawn(name):
    """{title of a series: [(x, y)]} of a chart's data file; bars on a plane have one series, of all numbers."""
    series = {}
    for part in open(f"{run_dir}/charts/{name}.dat", encoding="utf-8").read().split("\n\n\n"):
        head, *rest = part.strip().split("\n")
        series[head.lstrip("# ").split(": ", 1)[-1]] = [tuple(float(w) for w in l.split()[:3]) for l in rest]
    return series


def same_points(got, want, what, tol=1e-8):
    ok = len(got) == len(want) and all(math.isclose(a, b, rel_tol=tol, abs_tol=1e-12)
                                       for g, w in zip(got, want) for a, b in zip(g, w))
    check(ok, f"chart, {what}: {got[:3]}... is not {want[:3]}...")


def key_of(test, loop):
    return test + (f"-{kib(loop)}k" if loop else "")


def check_chart_convergence(test, loop, rounds, slug, read_pct, f):
    if not rounds:
        return
    got = drawn(f"{key_of(test, loop)}-{slug}")
    for bs in sorted({bs for rw, bs in loop_cells(test, loop)}):
        same_points(got[f"{kib(bs)} KiB"], [(n, f(r[read_pct, bs])) for n, r in enumerate(rounds, 1)], slug)


def check_chart_window(name, y, first):
    got = drawn(name)
    n, avg = len(y), math.fsum(y) / len(y)
    k, d = line_of(y, first)
    x = [first + i for i in range(n)]
    same_points(got["Measured"], list(zip(x, y)), name)
    for title, line in (("Average", [avg] * n), ("110 % of average", [1.1 * avg] * n),
                        ("90 % of average", [0.9 * avg] * n), ("Least-squares line", [k * v + d for v in x])):
        same_points(got[title], list(zip(x, line)), f"{name}, {title}", 1e-7)


def check_chart_bars(test, loop, rounds, slug, f):
    got = sorted(v for part in drawn(f"{key_of(test, loop)}-{slug}").values() for _, _, v in part)
    want = sorted(math.fsum(f(r[tuple(c)]) for r in rounds) / len(rounds) for c in loop_cells(test, loop))
    same_points([(v,) for v in got], [(v,) for v in want], slug)


def check_chart_saturation(minutes):
    written, rows = 0, []
    for p in minutes:
        written += p["write"]["bytes"]
        rows.append(((p["t1_ns"] - minutes[0]["t0_ns"]) / 60e9, written / 1e9, written / run["plan"]["capacity_b"], iops(p)))
    per_x = 60 if rows[-1][0] > 600 else 1
    line = "IOPS, average of each minute"
    same_points(drawn("wsat-time")[line], [(r[0] / per_x, r[3]) for r in rows], "IOPS v time")
    same_points(drawn("wsat-fills")[line], [(r[2], r[3]) for r in rows], "IOPS v drive fills")
    same_points(drawn("wsat-tgbw")[line], [(r[1], r[3]) for r in rows], "IOPS v TGBW")
    same_points(drawn("wsat-tgbw-log")[line], [(r[1], r[3]) for r in rows if r[3]], "IOPS v TGBW, log")
    got = drawn("wsat-latency")
    for title, f in (("ART (average)", art), ("MRT (maximum)", mrt)):
        want = [(r[0] / per_x, f(p)) for r, p in zip(rows, minutes) if f(p) > 0]
        same_points(got.get(title, []), want, title)


def check_chart_histogram(test, some):
    counts = cells(some)
    total = sum(counts.values())
    got = drawn(f"{test}-histogram")
    check(sum(n for _, n in got["Count (left)"]) == total, f"{test}: the bars do not add up to {total}")
    share = [y for _, y in got["Cumulative share (right)"]]
    check(share[0] == 0 and abs(share[-1] - 100) < 1e-9 and share == sorted(share), f"{test}: confidence curve")
    longest = max(p[w]["max_ns"] for p in some for w in ("read", "write") if p[w]["ios"])
    upto, seen = {}, 0
    for i in sorted(counts):
        seen += counts[i]
        upto["%.9g" % (min(bucket_low(i + 1) - 1, longest) / 1e6)] = 100 * (total - seen) / total
    for x, y in drawn(f"{test}-nines")["Share done within"][1:]:
        check(math.isclose(upto.get("%.9g" % x, -1), y, rel_tol=1e-8), f"{test}: {y} % beyond {x} ms")


LETTER = 0.5 # of the font's size: narrower than most, so that only what is surely cut is found


def check_layout(path):
    """No word outside the picture, and the key below the label of the x axis."""
    svg, gp = (open(path[:-3] + end, encoding="utf-8").read() for end in ("svg", "gp"))
    w, h = (int(v) for v in re.search(r"size (\d+),(\d+)", gp).groups())
    label = re.search(r"set xlabel '(.*?)'", gp)[1]
    titles = re.findall(r" title '(.*?)'(?:,|\s|$)", gp)
    words = []
    for m in re.finditer(r'<g transform="translate\(([-\d.]+),([-\d.]+)\)( rotate[^"]*)?"([^>]*)>\s*(<text>.*?</text>)', svg, re.S):
        text = html_unescape(flat(re.sub("<[^>]*>", "", m[5])))
        x, y, size = float(m[1]), float(m[2]), float(re.search(r'font-size="([\d.]+)"', m[4])[1])
        anchor = re.search(r'text-anchor="(\w+)"', m[4])[1]
        words.append((text, y))
        long = 0 if m[3] else LETTER * size * len(text)
        left = x - {"start": 0, "middle": long / 2, "end": long}[anchor]
        check(left >= 0 and left + long <= w and size * 0.5 <= y <= h, f"{path}: '{text}' is cut")
    if "splot" in gp:
        return
    below = max(y for text, y in words if text == label)
    for text, y in words:
        check(text not in titles or y > below + 8, f"{path}: the key's '{text}' lies on the label of the axis")


def check_document():
    info = subprocess.run(["pdfinfo", f"{run_dir}/report.pdf"], check=True, capture_output=True, text=True).stdout
    for word in ("Title: ", "Subject: ", "Keywords: ", "Creator: ", "CreationDate: "):
        check(re.search(rf"(?m)^{word} +\S", info), f"PDF: no {word}")
    images = subprocess.run(["pdfimages", "-list", f"{run_dir}/report.pdf"], check=True, capture_output=True, text=True).stdout
    check(len(images.splitlines()) == 2, "PDF: a chart is a picture of dots")
    xml_text = subprocess.run(["pdftohtml", "-xml", "-i", "-stdout", f"{run_dir}/report.pdf"], check=True,
                              capture_output=True, text=True).stdout
    outline = re.findall(r'<item page="(\d+)">(.*?)</item>', xml_text)
    titles = re.findall(r"<h3>(?:Plot A\.\d+ - )?(.*?)</h3>", html_text)
    titles = [t for t in titles if re.search(rf"<section[^>]*>\s*<h3>(?:Plot A\.\d+ - )?{re.escape(t)}</h3>", html_text)]
    for title in titles:
        check(any(flat(t).replace("&#34;", "&quot;") == flat(title) for _, t in outline), f"PDF: no bookmark '{title}'")
    check([int(p) for p, _ in outline] == sorted(int(p) for p, _ in outline), "PDF: bookmarks out of order")
    plots = [int(n) for l in lines for n in re.findall(r"(?m)^Plot A\.(\d+) - ", "\n".join(l))]
    check(sorted(set(plots)) == list(range(1, len(set(plots)) + 1)) and plots == sorted(plots), "plots are not numbered in order")


def check_files():
    for path in glob.glob(f"{run_dir}/charts/*") + glob.glob(f"{run_dir}/csv/*") + [f"{run_dir}/report.html"]:
        text = open(path, encoding="utf-8", newline="").read()
        check(not re.search(r"(?i)(?<![\w/])(-?nan|-?inf|\(null\))(?![\w/])", text), f"{path}: nan, inf or (null)")
        if path.endswith(".svg"):
            xml.dom.minidom.parseString(text.encode())
            said = html_unescape(flat(re.sub("<[^>]*>", " ", text)))
            for word in status_words():
                check(word in said, f"{path}: no '{word}'")
            drive = flat(run["device"]["model"] or run["device"]["name"])
            check(re.sub(r"\W", "", drive)[:12] in re.sub(r"\W", "", said), f"{path}: no drive")
            check(re.search("steady|complete|attained|INCOMPLETE|VALID|not run|failed", said), f"{path}: no verdict")
            check_layout(path)
            check("gnuplot_plot_1" in text, f"{path}: nothing drawn")
        if path.endswith(".csv"):
            check(text.endswith("\r\n") and "\n" not in text.replace("\r\n", ""), f"{path}: line ends")
    body = " ".join(x for l in lines for x in l)
    check(not re.search(r"(?i)(?<![\w/])(-?nan|-?inf|\(null\))(?![\w/])", body), "PDF: nan, inf or (null)")
    check(html_text.count("<script") == 1 and "<script>\ndocument.querySelectorAll('table.sort')" in html_text,
          "HTML: another script than the one that sorts tables")
    links = re.findall(r'<a href="(?!#)([^"]+)"', html_text)
    check(not re.search(r"""(?:src|href)=["'](?!#)""", re.sub(r"xlink:href='#|<a href=|<\?xml.*", "", html_text)),
          "HTML: fetches something")
    for link in links:
        check(os.path.exists(f"{run_dir}/{link}"), f"HTML: nothing at {link}")
    for path in glob.glob(f"{run_dir}/csv/*.csv") + [f"{run_dir}/journal.jsonl"]:
        check(os.path.relpath(path, run_dir) in links, f"HTML: no link to {path}")
    for fig in html.getElementsByTagName("figure"):
        check(fig.getAttribute("role") == "img" and fig.getAttribute("aria-label"), "HTML: a chart without words")
    levels = [int(h.tagName[1]) for h in html.getElementsByTagName("*") if re.fullmatch("h[1-6]", h.tagName)]
    check(levels[0] == 1 and levels.count(1) == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])),
          "HTML: a heading level is left out")
    for table in html.getElementsByTagName("table"):
        check(all(th.getAttribute("scope") for th in table.getElementsByTagName("th")), "HTML: a header without scope")
    ids = re.findall(r"\bid=[\"']([^\"']+)[\"']", html_text)
    once = [i for i in ids if not re.match(r"(gnuplot_|textbox|greybox)", i)]
    check(len(once) == len(set(once)), "HTML: an id twice")
    fonts = subprocess.run(["pdffonts", f"{run_dir}/report.pdf"], check=True, capture_output=True, text=True).stdout
    for font in fonts.splitlines()[2:]:
        check(re.search(r" yes (yes|no) +(yes|no) ", font), f"PDF: font not embedded: {font}")


check_every_page()
check_header()
check_rounds_tests()
if ("wsat", 0) in units and of("wsat", 0, "minute"):
    check_preparation("wsat", 0)
    check_saturation()
check_evidence()
check_commands()
check_document()
check_files()
if failures:
    print(f"{run_dir}: {len(failures)} failures")
    print("\n".join(failures[:40]))
sys.exit(bool(failures))
