#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fixtures/series/verdicts.csv: for each series the round in which plateau first finds it steady, the round in which
others did, and the rule that explains a difference. Every column is worked out again: ours by plateau, theirs from what
they recorded or by their rule, the explanation from both. --write makes the table, ours from exact fractions."""
import csv, json, os, sys
from fractions import Fraction as F
from steady_oracle import TOP, failures, first_steady, line, report, rows, run, as_text

TABLE = f"{TOP}/fixtures/series/verdicts.csv"
COLUMNS = ["series", "ours", "theirs", "peer", "why"]
NEVER = "never"


def figures(window):
    y = [F(v) for v in window]
    average = sum(y) / len(y)
    slope, _ = line([F(i) for i in range(len(y))], y)
    return y, average, max(y) - min(y), slope


# What a window breaks of a rule; nothing: it holds. Limits are shares of the average.
def pts(window):
    y, average, spread, slope = figures(window)
    return [name for name, part, limit in (("range", spread, F(20, 100)), ("line", 4 * abs(slope), F(10, 100)))
            if part > limit * average or not average]


def ssspt(window):
    """Every value and both ends of the line within 10 % of the average."""
    y, average, _, slope = figures(window)
    return ["value"] * any(abs(v - average) > average / 10 for v in y) + ["line"] * (2 * abs(slope) > average / 10)


def strict(window):
    """The rule with < in place of <=."""
    _, average, spread, slope = figures(window)
    return ["limit"] * (spread >= average / 5 or 4 * abs(slope) >= average / 10)


def fio_mean(window):
    """Every value within 20 % of the average."""
    y, average, _, _ = figures(window)
    return ["value"] * any(abs(v - average) > average / 5 for v in y)


def fio_slope(window):
    """A slope of no more than 10 % of the average a sample, and nothing else."""
    _, average, _, slope = figures(window)
    return ["line"] * (abs(slope) > average / 10)


def rounded(window):
    """Values in ms whose line is rounded to 0.1 ms before it is judged."""
    _, average, spread, slope = figures(window)
    return ["range"] * (spread > average / 5) + ["line"] * (round(4 * abs(slope), 1) > average / 10)


def no_abs(window):
    """A falling line is below any limit."""
    _, average, spread, slope = figures(window)
    return ["range"] * (spread > average / 5) + ["line"] * (4 * slope > average / 10)


def four(window):
    """The rule over four rounds, the distance from x-4 to x taken for their number."""
    _, average, spread, slope = figures(window[-4:])
    return ["range"] * (spread > average / 5) + ["line"] * (3 * abs(slope) > average / 10)


RULES = {"ssspt": ssspt, "strict": strict, "fio-mean": fio_mean, "fio-slope": fio_slope, "rounded": rounded,
         "no-abs": no_abs, "four": four}
# A drive whose results the publisher withdrew: it "suffers from performance oscillation".
WITHDRAWN = "rockpro64/iops/1"
# fixtures/series/README.md says what each means.
WHY = {"range", "line", "value", "limit", "rounds", "together", "withdrawn", "unexplained"}


def first(rule, ys):
    return next((n for n in range(5, len(ys) + 1) if not rule(ys[n - 5:n])), NEVER)


def explain(series, peer, ys, ours, theirs):
    """Why theirs is not ours."""
    if ours == theirs or not peer:
        return ""
    if series.startswith(WITHDRAWN):
        return "withdrawn"
    if peer == "transcend":
        return "together"
    if peer == "four" and len(ys) < 5:
        return "rounds"
    rule = RULES.get(peer)
    if rule and theirs != first(rule, ys):
        return "unexplained"
    if not rule or ours == NEVER or (theirs != NEVER and ours > theirs):
        return "+".join(pts(ys[theirs - 5:theirs]))
    return "+".join(rule(ys[ours - 5:ours]))


def corpus():
    """(series, values, peer, theirs) of every series that somebody judged, or that has a known verdict."""
    for row in rows("ssspt_rounds.csv") + rows("ssspt_printed.csv"):
        yield f"{row['run']} {row['block']} {row['read_pct']}", row["ys"], "ssspt", int(row["peer_stop_round"])
    for row in rows("digitised_reports.csv"):
        yield row["id"], row["ys"], row["id"].split("-")[0], int(row["last"])
    for row in rows("vectors.csv"):
        peer = row["peer"]
        steady = peer and not RULES[peer](row["ys"])
        yield row["id"], row["ys"], peer, (len(row["ys"]) if steady else NEVER) if peer else ""


def table():
    for series, ys, peer, theirs in corpus():
        ours = first_steady(["pts"], ys, 1) or NEVER
        yield [str(v) for v in (series, ours, theirs, peer, explain(series, peer, ys, ours, theirs))]


def by_plateau(ys):
    """The round that plateau names, or never; its exit status must say the same."""
    done = run("pts", as_text("blanks", ys, 1), "--json")
    got = json.loads(done.stdout)
    if done.returncode != (0 if got["steady"] else 5):
        failures.append(f"{ys}: steady {got['steady']} with exit {done.returncode}")
    return str(got["round"]) if got["steady"] else NEVER


def check():
    with open(TABLE, newline="") as f:
        stored = [[row[c] for c in COLUMNS] for row in csv.DictReader(f)]
    worked_out = list(table())
    if len(stored) != len(worked_out):
        failures.append(f"verdicts.csv has {len(stored)} rows for {len(worked_out)} series")
    for have, want in zip(stored, worked_out):
        if have != want:
            failures.append(f"verdicts.csv: {have}, worked out {want}")
    for (series, ours, *_), (_, ys, *_) in zip(stored, corpus()):
        if by_plateau(ys) != ours:
            failures.append(f"{series}: plateau says {by_plateau(ys)}, the table {ours}")
    words = {word for row in stored for word in row[4].split("+")} - {""}
    if words != WHY:
        failures.append(f"explained by {sorted(words)}, not {sorted(WHY)}")


if "--write" in sys.argv[1:]:
    with open(TABLE, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([COLUMNS, *table()])
    sys.exit(0)
check()
report()
