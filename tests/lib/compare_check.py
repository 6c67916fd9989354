#!/usr/bin/python3
"""
compare_check.py DIR RUN...: a comparison against the raw data of its runs.

Computes every figure, statistic and ratio again, from each run's journal.jsonl (of an import: run.json) and with nothing of
plateau's, and looks for them in comparison.json, figures.csv, the PDF's text, the HTML and the data of the charts.
Prints what differs.
"""
import csv, glob, json, math, os, re, statistics, subprocess, sys
from html import unescape

sys.dont_write_bytecode = True
from raw import *

where, names = sys.argv[1], sys.argv[2:]
made = json.load(open(f"{where}/comparison.json"))
failures = []


def check(ok, what):
    if not ok:
        failures.append(what)


def mean(v):
    return math.fsum(v) / len(v)


class Run:
    """A PTS run: {(test, figure): (value, range in the window or None)}."""

    def __init__(self, path):
        self.run = json.load(open(f"{path}/run.json"))
        self.records = [json.loads(line) for line in open(f"{path}/journal.jsonl")]
        self.points = [r for r in self.records if r["kind"] == "point"]
        self.imported = "imported" in self.run
        self.figures = {}
        if not self.imported:
            for test, loop in {(p["test"], p["loop_bs_b"]) for p in self.points}:
                self.saturation(test) if test == "wsat" else self.rounds(test, loop)

    def rounds(self, test, loop):
        cycle = [p for p in self.points if p["test"] == test and p["loop_bs_b"] == loop and p["phase"] == "round"]
        verdict = next(r["verdict"] for r in self.records if r.get("stage") == "end" and r.get("test") == test
                       and r.get("loop_bs_b") == loop and r.get("verb") == "rounds")
        last = max(p["round"] for p in cycle)
        window = (verdict["first"], verdict["last"]) if verdict["steady"] else (max(1, last - 4), last)
        cycle = [p for p in cycle if window[0] <= p["round"] <= window[1]]
        metric = {"iops": iops, "tp": mbps, "lat": art}[test]
        for cell in {(p["pattern"], p["bs_b"], p["read_pct"]) for p in cycle}:
            some = [p for p in cycle if (p["pattern"], p["bs_b"], p["read_pct"]) == cell]
            y = [metric(p) for p in some]
            words = f"{cell[0]} {kib(cell[1])} KiB, RW {cell[2]}/{100 - cell[2]}"
            self.figures[test, words + (", mean" if test == "lat" else "")] = \
                (mean(y), max(y) - min(y) if verdict["steady"] else None)
            if test == "lat":
                self.figures[test, words + ", maximum"] = (max(mrt(p) for p in some), None)
                ms, _ = percentile(some, 99999, 100000)
                if ms is not None:
                    self.figures[test, words + ", 99.999 %"] = (ms, None)

    def saturation(self, test):
        minutes = [p for p in self.points if p["test"] == test and p["phase"] == "minute"]
        s = shape_of([iops(p) for p in minutes])
        if s and s["cliff"] is not None:
            self.figures[test, "Fresh plateau"] = (s["fresh"], None)
            self.figures[test, "Written before the cliff"] = \
                (sum(p["write"]["bytes"] for p in minutes[:s["cliff"]]) / 1e9, None)
        if s and s["floor_from"] is not None:
            self.figures[test, "Floor"] = (s["floor"], s["floor"] * s["swing"] / 100)

    def of_import(self, test, words):
        """What the file says of this figure: all that have its pattern, block size and mix, and its depth where it names one."""
        m = re.fullmatch(r"(RND|SEQ) ([\d.]+) KiB, RW (\d+)/\d+(?:, mean)?(?:, TC (\d+) / QD (\d+))?", words)
        if not m:
            return []
        some = [f for f in self.run["imported"]["figures"] if (f["pattern"], kib(f["bs_b"]), f["read_pct"]) ==
                (m[1], m[2], int(m[3])) and (not m[4] or (f["tc"], f["qd"]) == (int(m[4]), int(m[5])))]
        if test == "lat":
            return [f["lat_mean_ns"] / 1e6 for f in some if f["lat_mean_ns"] and f["tc"] * f["qd"] == 1]
        return [f["iops"] if test == "iops" else f["bytes_per_s"] / 1e6 for f in some
                if f["iops"] and (test == "iops") == (m[1] == "RND")]


runs = [Run(name) for name in names]


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def statistics_of(row, known, ranges):
    """docs/measurement.md, "Runs side by side"."""
    values = [v for _, v in known]
    middle = statistics.median(values)
    best = (min if row["unit"] == "ms" else max)(values)
    check(near(row["median"], middle), f"{row['figure']}: median")
    if len(values) < 2:
        check(row["best"] is None and row["spread_pct"] is None, f"{row['figure']}: one run has no spread")
        return
    check(near(row["values"]["ABCDEFGHIJKLMNOPQRST".index(row["best"])], best), f"{row['figure']}: best")
    check(near(row["spread_pct"], (max(values) - min(values)) / middle * 100), f"{row['figure']}: spread")
    off = [abs(v - middle) for v in values]
    odd = max(off) > 3 * statistics.median(off) and max(off) > 0.05 * middle and len(values) >= 4
    check((row["outlier"] is not None) == odd, f"{row['figure']}: outlier {row['outlier']}")
    if odd:
        out = row["values"]["ABCDEFGHIJKLMNOPQRST".index(row["outlier"])]
        check(near(abs(out - middle), max(off)), f"{row['figure']}: another outlier")
    if None in ranges:
        check(row["within_noise"] is None, f"{row['figure']}: noise that nobody knows")
    else:
        apart = max(values) - min(values)
        check(near(apart, max(ranges)) or row["within_noise"] == (apart <= max(ranges)), f"{row['figure']}: noise")


def check_figures():
    seen = set()
    for row in made["figures"]:
        key = row["test"], row["figure"]
        check(key not in seen, f"{key} twice")
        seen.add(key)
        known, ranges = [], []
        for i, run in enumerate(runs):
            got = row["values"][i]
            if run.imported:
                said = run.of_import(*key)
                check(got is None or any(near(got, v) for v in said), f"{key} of {names[i]}: {got}, the file says {said}")
                want = (got, None) if got is not None else None
            else:
                want = run.figures.get(key)
                check((got is None) == (want is None) and (got is None or near(got, want[0])),
                      f"{key} of {names[i]}: {got}, the journal says {want}")
            if want:
                known.append((i, want[0]))
                ranges.append(want[1])
        statistics_of(row, known, ranges)
    for name, run in zip(names, runs):
        for key in run.figures:
            check(key in seen, f"{key} of {name} is left out")


# --- what is printed -----------------------------------------------------------------------------


def lines_of_pdf():
    text = subprocess.run(["pdftotext", "-layout", f"{where}/comparison.pdf", "-"], check=True, capture_output=True, text=True)
    return [" ".join(line.split()) for line in text.stdout.splitlines()]


def lines_of_html():
    text = open(f"{where}/comparison.html", encoding="utf-8").read()
    return [" ".join(unescape(re.sub("<[^>]*>", " ", tr)).split()) for tr in re.findall("<tr>(.*?)</tr>", text, re.S)]


def printed(row, i, wraps):
    value = row["values"][i]
    if value is None:
        return "n/a"
    depth = ""
    if runs[i].imported and "TC " not in row["figure"]:
        depth = r" \(\d+/\d+\)"
    unit = "MB/s" if row["unit"] == "GB" else row["unit"]
    more = depth + (r" \*" if row["best"] == "ABCDEFGHIJKLMNOPQRST"[i] else "")
    return re.escape(number(unit, value)) + (f"({more})?" if wraps and depth else more)


def check_printed(lines, what, wraps):
    """`wraps`: what stands behind an imported value may be on the next line."""
    text = "\n".join(lines)
    for row in made["figures"]:
        unit = "MB/s" if row["unit"] == "GB" else row["unit"]
        spread = "n/a" if row["spread_pct"] is None else f"{row['spread_pct']:.1f}"
        for start in range(0, len(runs), 5):
            words = " ".join(printed(row, i, wraps) for i in range(start, min(start + 5, len(runs)))) + \
                f" {row['unit']} {re.escape(number(unit, row['median']))} {spread}"
            check(re.search(words, text), f"{what}: {row['figure']}: no '{words}'")
        known = [v for v in row["values"] if v is not None]
        if row["key"] and row["values"][0] and len(known) > 1:
            for start in range(1, len(runs), 10):
                some = row["values"][start:start + 10]
                words = ("lower " if row["unit"] == "ms" else "higher ") + \
                    " ".join("n/a" if v is None else f"{v / row['values'][0]:.3f}" for v in some)
                check(words in text, f"{what}: {row['figure']}: no ratios '{words}'")


def check_csv():
    rows = list(csv.reader(open(f"{where}/figures.csv", newline="")))[1:]
    want = [[r["test"], r["figure"], r["unit"], *r["values"], r["median"], r["spread_pct"]] for r in made["figures"]]
    check(len(rows) == len(want), "figures.csv: another number of rows")
    for got, row in zip(rows, want):
        check(got[:3] == row[:3] and [float(v) if v else None for v in got[3:]] == row[3:], f"figures.csv: {got}")


# --- charts --------------------------------------------------------------------------------------


def series(chart):
    blocks = re.split(r"(?m)^# \d+: .*\n", open(f"{where}/charts/{chart}.dat").read())[1:]
    return [[tuple(map(float, line.split())) for line in block.splitlines() if line] for block in blocks]


def check_by_block(test, mix):
    suffix = ", mean" if test == "lat" else ""
    want = []
    for i in range(len(runs)):
        line = []
        for row in made["figures"]:
            m = re.fullmatch(rf"... ([\d.]+) KiB, RW {mix}/{100 - mix}{suffix}", row["figure"])
            if m and row["test"] == test and row["values"][i] is not None:
                line.append((float(m[1]), row["values"][i]))
        if line:
            want.append(sorted(line))
    got = series(f"{test}-{mix}")
    check(len(got) == len(want) and all(len(g) == len(w) and all(
        math.isclose(a, b, rel_tol=1e-8) for p, q in zip(g, w) for a, b in zip(p, q)) for g, w in zip(got, want)),
        f"{test}-{mix}.dat: not the figures")


def check_drawn(path):
    """A frame that can be read, and lines that differ without their colour where a colour comes again."""
    text = open(path).read()
    top, bottom = (float(re.search(rf"set {side}margin at screen ([-\d.]+)", text)[1]) for side in "tb")
    check(top - bottom > 0.4, f"{path}: the frame has {top - bottom:.2f} of the height")
    styles = re.findall(r"with (.*?) (?:title|notitle)", text)
    check(len(styles) == len(set(styles)), f"{path}: two lines look the same")


check_figures()
check_printed(lines_of_pdf(), "PDF", True)
check_printed(lines_of_html(), "HTML", False)
check_csv()
for test, mixes in ("iops", (100, 65, 0)), ("tp", (100, 0)), ("lat", (100, 65, 0)):
    for mix in mixes:
        if os.path.exists(f"{where}/charts/{test}-{mix}.dat"):
            check_by_block(test, mix)
for path in glob.glob(f"{where}/charts/*.gp"):
    check_drawn(path)
for failure in failures:
    print(failure)
print(f"{len(made['figures'])} figures of {len(runs)} runs, {len(failures)} differ")
sys.exit(bool(failures))
