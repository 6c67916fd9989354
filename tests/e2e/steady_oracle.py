#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""plateau steady against exact arithmetic: every verdict and figure worked out in fractions, from
the text of the rules, by the general least-squares formula."""
import csv, json, math, os, random, subprocess, sys
from fractions import Fraction as F

PLATEAU, TOP = os.environ["PLATEAU"], os.environ["PLATEAU_TOP"]
WINDOW = {"pts": 5, "band": 4}
failures = []


def usable(ys):
    return all(math.isfinite(y) and y >= 0 for y in ys) and any(y > 0 for y in ys)


def line(xs, ys):
    """Slope and intercept of the least-squares line, by the general formula."""
    n, sx, sy = len(xs), sum(xs), sum(ys)
    slope = (n * sum(a * b for a, b in zip(xs, ys)) - sx * sy) / (n * sum(a * a for a in xs) - sx**2)
    return slope, (sy - slope * sx) / n


def judge(rule, ys, last):
    """The figures and the verdict of the window that ends with ys[-1] in round `last`."""
    n = WINDOW[rule]
    window = ys[-n:]
    if len(window) < n or not usable(window):
        return {"steady": False, "round": last, "window": window, "average": None}
    xs, y = [F(last - n + 1 + i) for i in range(n)], [F(v) for v in window]
    average, (slope, intercept) = sum(y) / n, line(xs, y)
    fitted = [intercept + slope * x for x in xs]
    spread, excursion = max(y) - min(y), max(fitted) - min(fitted)
    if rule == "pts":
        steady = spread <= average * F(20, 100) and excursion <= average * F(10, 100)
    else:
        steady = min(fitted) >= average * F(90, 100) and max(fitted) <= average * F(110, 100)
    return {"steady": steady, "round": last, "window": window, "average": average, "range": spread,
            "range_pct": 100 * spread / average, "slope": slope, "intercept": intercept,
            "excursion": excursion, "excursion_pct": 100 * excursion / average,
            "line_low_pct": 100 * min(fitted) / average, "line_high_pct": 100 * max(fitted) / average}


def first_steady(rules, ys, first):
    """The first round in which all the rules hold, or None."""
    for k in range(1, len(ys) + 1):
        if all(judge(r, ys[:k], first + k - 1)["steady"] for r in rules):
            return first + k - 1
    return None


def expect(rule, ys, first):
    rules = ["pts", "band"] if rule == "both" else [rule]
    at = first_steady(rules, ys, first)
    if rule == "both" and at is None:
        at = first_steady(["pts"], ys, first)
    last = first + len(ys) - 1 if at is None else at
    got = {r: judge(r, ys[:last - first + 1], last) for r in rules}
    if rule != "both":
        return got[rule]
    pts_first = first_steady(["pts"], ys, first)
    later = [judge("pts", ys[:k], 0)["steady"] for k in range(pts_first - first + 2, len(ys) + 1)] if pts_first else []
    return {"steady": at is not None, "round": last, **got, "pts_first": pts_first or 0,
            "band_first": first_steady(["band"], ys, first) or 0, "later": len(later), "later_failed": later.count(False)}


def compare(got, want, where):
    for key, value in want.items():
        have = got[key]
        if isinstance(value, dict):
            compare(have, value, f"{where} {key}")
        elif key == "window":
            if [v if v is not None else "-" for v in have] != [v if math.isfinite(v) else "-" for v in value]:
                failures.append(f"{where}: window {have}, not {value}")
        elif isinstance(value, F):
            scale = abs(want["average"]) if key in ("slope", "intercept", "range", "excursion") else F(100)
            if have is None or abs(F(have) - value) > F(1, 10**9) * abs(value) + F(1, 10**15) * scale:
                failures.append(f"{where}: {key} {have}, not {float(value)}")
        elif have != value:
            failures.append(f"{where}: {key} {have}, not {value}")
    if want.get("average", 0) is None and any(got[k] is not None for k in ("average", "slope", "line_low_pct")):
        failures.append(f"{where}: figures of a window that has none")
    if not got["reason"]:
        failures.append(f"{where}: no reason")


def run(rule, text, *more):
    return subprocess.run([PLATEAU, "steady", "--rule", rule, *more, "-"], input=text.encode(), capture_output=True)


def as_text(style, ys, first):
    rounds = range(first, first + len(ys))
    if style == "column":
        return "".join(f"{y!r}\n" for y in ys)
    if style == "csv":
        return "round,value\r\n" + "".join(f"{x},{y!r}\r\n" for x, y in zip(rounds, ys))
    return "# a comment\n\n" + "".join(f"  {x}\t{y!r}  # more\n" for x, y in zip(rounds, ys))[:-1]


def check(name, rule, ys, first=1, style="blanks"):
    done = run(rule, as_text(style, ys, first), "--json")
    want = expect(rule, ys, 1 if style == "column" else first)
    where = f"{name} ({rule}, {ys})"
    if done.returncode != (0 if want["steady"] else 5):
        failures.append(f"{where}: exit {done.returncode}: {done.stderr.decode()}")
        return
    text = done.stdout.decode()
    if "nan" in text.lower() or "inf" in text.lower():
        failures.append(f"{where}: nan or inf in the output")
    got = json.loads(text)
    if got["rule"] != rule:
        failures.append(f"{where}: rule {got['rule']}")
    compare(got, want, where)


def random_series(r):
    n, kind = r.choice([1, 3, 4, 5, 6, 8, 13, 25, 40]), r.randrange(8)
    scale = 10 ** r.uniform(-9, 12)
    if kind == 0:    # whole numbers near the limits
        base = r.randrange(5, 60)
        return [float(base + r.randrange(0, base // 5 + 2)) for _ in range(n)]
    if kind == 1:    # settling
        return [scale * (1 + 3 * math.exp(-i / 3)) * r.uniform(0.95, 1.05) for i in range(n)]
    if kind == 2:    # drifting
        slope = r.uniform(-0.04, 0.04)
        return [scale * max(0.0, 1 + slope * i) * r.uniform(0.98, 1.02) for i in range(n)]
    if kind == 3:    # oscillating
        return [scale * (1 + 0.12 * math.sin(i * 1.7)) for i in range(n)]
    if kind == 4:    # constant
        return [r.choice([1e-9, 1.0, 6.6e13, scale])] * n
    if kind == 5:    # spikes
        return [scale * (r.uniform(1.1, 2) if r.random() < 0.2 else r.uniform(0.97, 1.03)) for _ in range(n)]
    if kind == 6:    # what no window should hold
        ys = [scale * r.uniform(0.95, 1.05) for _ in range(n)]
        for _ in range(1 + n // 8):
            ys[r.randrange(n)] = r.choice([0.0, -0.0, -scale, float("nan"), float("inf"), float("-inf")])
        return ys
    return [scale * r.uniform(0.85, 1.15) for _ in range(n)]


def rows(name):
    with open(f"{TOP}/fixtures/series/{name}", newline="") as f:
        return [{**row, "ys": [float(v) for v in row.get("values", "").split()]} for row in csv.DictReader(f)]


def check_random():
    r = random.Random(20260)
    for k in range(300):
        ys = random_series(r)
        for rule in ("pts", "band", "both"):
            check(f"random {k}", rule, ys, r.choice([0, 1, 1, 7, 1000]), r.choice(["column", "csv", "blanks"]))


# What a value of the fixtures is in the unit that its publisher printed.
PRINTED = {"IOPS": 1, "ms": 1e6, "MB/s": 1e6 / 2**20}


def step(text):
    """One unit of the last digit of a number as text."""
    digits, _, exponent = text.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def check_published(row, cell):
    """As far as both the printed figure and the values were rounded."""
    first, last = int(row["first"]), int(row["last"])
    factor = PRINTED[cell["unit"].split()[0]]
    texts = cell["values"].split()[first - 1:last]
    got = json.loads(run("pts", as_text("blanks", [float(t) for t in texts], first), "--json").stdout)
    rounding = max(map(step, texts)) / 2
    have = {"average": got["average"] * factor, "max": max(got["window"]) * factor, "min": min(got["window"]) * factor,
            "slope": got["slope"] * factor, "intercept": got["intercept"] * factor,
            "half_excursion_pct": got["excursion_pct"] / 2}
    for key, value in have.items():
        slack = 200 * rounding / got["average"] if key == "half_excursion_pct" else 2 * rounding * factor * last
        if abs(value - float(row[key])) > step(row[key]) + slack:
            failures.append(f"published {row['run']} {row['block']}: {key} {value}, printed {row[key]}")


def check_printed_line(row, got):
    """A printed line goes through the printed average; ours of the values read off the chart is as near as these."""
    average, slope, error = float(row["average"]), float(row["slope"]), float(row["reading_error"])
    middle = (int(row["first"]) + int(row["last"])) / 2
    if abs(float(row["intercept"]) + slope * middle - average) > step(row["average"]):
        failures.append(f"{row['id']}: the printed line misses the printed average")
    # Five values, each off by no more than the error: the slope is off by no more than 6/10 of it.
    if abs(got["slope"] - slope) > 0.6 * error or abs(got["range"] - float(row["range"])) > 2 * error:
        failures.append(f"{row['id']}: slope {got['slope']}, range {got['range']}, printed {slope}, {row['range']}")


def check_real():
    """Every series of the fixtures; and the figures that others published for theirs."""
    by_cell, published = {}, 0
    for row in rows("ssspt_rounds.csv") + rows("ssspt_printed.csv"):
        check(row["run"] + " " + row["block"] + " " + row["read_pct"], "both", row["ys"])
        by_cell[row["run"], row["block"], row["read_pct"]] = row
    for row in rows("ssspt_windows.csv"):
        check_published(row, by_cell[row["run"], row["block"], row["mix"].split(":")[0]])
        published += 1
    for row in rows("digitised_reports.csv"):
        first, last = int(row["first"]), int(row["last"])
        window = row["ys"][first - 1:last]
        got = json.loads(run("pts", as_text("blanks", window, first), "--json").stdout)
        if not got["steady"] or abs(got["average"] - float(row["average"])) > float(row["reading_error"]):
            failures.append(f"{row['id']}: {got['steady']} {got['average']}, printed {row['average']}")
        check(row["id"], "both", row["ys"])
        if row["slope"]:
            check_printed_line(row, got)
        published += 1
    if published < 30:
        failures.append(f"{published} published windows were compared")


def check_certified():
    """The formula that all of this rests on, against the values that NIST certified."""
    points = [row for row in rows("nist.csv") if row["dataset"] == "norris"]
    xs, ys = [F(row["x"]) for row in points], [F(row["y"]) for row in points]
    certified = next(row for row in rows("nist_certified.csv") if row["dataset"] == "norris")
    slope, intercept = line(xs, ys)
    rest = sum((y - intercept - slope * x) ** 2 for x, y in zip(xs, ys))
    whole = sum((y - sum(ys) / len(ys)) ** 2 for y in ys)
    have = {"slope": slope, "intercept": intercept, "r_squared": 1 - rest / whole,
            "residual_sd": math.sqrt(rest / (len(ys) - 2))}
    for key, value in have.items():
        if f"{float(value):.15g}" != certified[key]:
            failures.append(f"norris: {key} {float(value):.15g}, certified {certified[key]}")


def report():
    print("\n".join(failures[:20] + [f"{len(failures)} differences"]))
    sys.exit(bool(failures))


if __name__ == "__main__":
    check_certified()
    check_random()
    check_real()
    report()
