"""What the raw data of a run say, computed with nothing of plateau's; and how figures are printed."""
import math


def bucket_low(i):
    """Lowest ns of a histogram cell: exact below 128, then 128 cells an octave."""
    if i < 256:
        return i
    octave, step = divmod(i, 128)
    return (128 + step) << (octave - 1)


def iops(p):
    return (p["read"]["ios"] + p["write"]["ios"]) / ((p["t1_ns"] - p["t0_ns"]) / 1e9)


def mbps(p):
    return (p["read"]["bytes"] + p["write"]["bytes"]) / ((p["t1_ns"] - p["t0_ns"]) / 1e9) / 1e6


def art(p):
    n = p["read"]["ios"] + p["write"]["ios"]
    return (p["read"]["sum_ns"] + p["write"]["sum_ns"]) / n / 1e6 if n else 0.0


def mrt(p):
    return max(p["read"]["max_ns"], p["write"]["max_ns"]) / 1e6


def cells(some):
    counts = {}
    for p in some:
        for way in ("read", "write"):
            at = 0
            flat = p[way]["cells"]
            for step, n in zip(flat[::2], flat[1::2]):
                at += step
                counts[at] = counts.get(at, 0) + n
    return counts


def percentile(some, percent, per):
    """In ms, None where fewer than ten samples lie beyond; and how many do. percent/per exactly."""
    counts = cells(some)
    total = sum(counts.values())
    if not total:
        return None, 0
    rank = max(1, -(-total * percent // per))
    beyond = total - rank
    if beyond < 10:
        return None, beyond
    seen = 0
    for i in sorted(counts):
        seen += counts[i]
        if seen >= rank:
            low, high = bucket_low(i), bucket_low(i + 1) - 1
            ways = [p[w] for p in some for w in ("read", "write") if p[w]["ios"]]
            ns = min(max(low + (high - low) // 2, min(w["min_ns"] for w in ways)),
                     max(w["max_ns"] for w in ways))
            return ns / 1e6, beyond


def fixed(v, steps, last):
    for limit, decimals in steps:
        if v >= limit:
            return f"{v:.{decimals}f}"
    return f"{v:.{last}f}"


def number(unit, v):
    if v is None:
        return "n/a"
    if unit == "IOPS":
        return fixed(v, [(1000, 0), (100, 1)], 2)
    if unit == "MB/s":
        return fixed(v, [(1000, 1)], 2)
    return fixed(v, [(100, 1), (10, 2), (1, 3), (0.1, 4)], 5)


def kib(bs_b):
    return f"{bs_b / 1024:g}"


def line_of(y, first):
    """Least squares by the normal equations over round numbers."""
    n = len(y)
    x = [first + i for i in range(n)]
    sx, sy = math.fsum(x), math.fsum(y)
    sxx, sxy = math.fsum(v * v for v in x), math.fsum(a * b for a, b in zip(x, y))
    k = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return k, (sy - k * sx) / n


def shape_of(y):
    """docs/measurement.md, "The shape of a write saturation", on the values of the minutes."""
    n = len(y)
    if n < 10:
        return None
    mean = lambda v: math.fsum(v) / len(v)
    tail = y[-max(5, n // 3):]
    falls = [i for i in range(1, n - 2) if max(y[i:i + 3]) < 0.8 * mean(y[:i])]
    cliff = falls[0] if falls and mean(tail) < 0.8 * mean(y[:falls[0]]) else n
    k, _ = line_of(tail, 0)
    s = {"cliff": cliff if cliff < n else None, "fresh": mean(y[:cliff]), "floor_from": None}
    if mean(tail) <= 0 or abs(k) * (len(tail) - 1) > 0.05 * mean(tail):
        return s
    air = 0.05 * mean(tail)
    out = [v < min(tail) - air or v > max(tail) + air for v in y]
    start = cliff if cliff < n else 0
    if cliff < n:
        pairs = [i for i in range(cliff + 1, n - len(tail)) if out[i] and out[i - 1]]
        start = pairs[-1] + 1 if pairs else cliff + out[cliff]
    rest = y[start:]
    s.update(floor_from=start, floor=mean(rest), swing=100 * (max(rest) - min(rest)) / mean(rest))
    return s
