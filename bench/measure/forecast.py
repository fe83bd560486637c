"""Validates `pfh bench forecast`: three corpora of different laws of size are made, forecast from their sizes alone, hashed, and compared.

    bench/run forecast [--pfh PFH] [--directory /tmp] [--runs 5] [--cold 2] [--sample 768MiB] [--rounds 5]
                       [-a md5,sha1,…] [--corpora home,photos,disk] [--gigabytes 2] [--record]

home    log-normal sizes, median 8 KiB, ln spreads by 2.2: a home directory, most of its bytes in few files
photos  log-normal sizes, median 3 MiB, ln spreads by .7
disk    three files with half of the bytes, beside them Pareto sizes from 2 KiB with exponent 1.1

Each corpus is forecast by `pfh bench forecast --histogram` of the sizes that `pfh bench sizes` lists, so the forecast never sees its files. Then every
algorithm has its RUNS over it with warm pages, in random order, and COLD with pages dropped. The comparison is of CPU seconds (user and system, of
the whole process), which the load of the machine disturbs least; seconds that pass stand beside them. The error is that of the forecast against
the median of the runs; an interval covers a run when the run lies in it. Exits with 1 when an error is above 15 % or the 95 % intervals cover fewer
than 9 of 10 warm runs. The corpora's bytes are random, from a seed; they take 1.1 times GIGABYTES at a time and are removed.
"""

import json
import math
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from . import record
from .program import execute, pfh

ALL = "md5,sha1,sha256,sha512,sha3-256,ssdeep"


def sizes(law, total, chance):
    """Sizes of one law until their sum is `total`."""
    found, left = [], total
    if law == "disk":
        found = [total // 6] * 3
        left -= sum(found)
    while left > 0:
        if law == "home":
            size = math.exp(chance.gauss(math.log(8192), 2.2))
        elif law == "photos":
            size = math.exp(chance.gauss(math.log(3 << 20), 0.7))
        else:
            size = 2048 * chance.paretovariate(1.1)
        size = min(int(size), total // 8)
        found.append(size)
        left -= size
    chance.shuffle(found)
    return found


def make(root, found, chance):
    """Writes the files, a hundred to a folder."""
    block = chance.randbytes(64 << 20)
    for at, size in enumerate(found):
        folder = root / f"{at // 100:04}"
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / f"{at % 100:02}", "wb") as file:
            left = size
            while left > 0:
                start = chance.randrange(len(block) // 2)
                part = block[start : start + min(left, len(block) // 2)]
                file.write(part)
                left -= len(part)
    os.sync()


def evict(root):
    for path in root.rglob("*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def load():
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


def validate(name, options, program, room, chance):
    """Lines of one corpus: a dictionary per algorithm, and what it was."""
    root = room / name
    found = sizes(name, int(options.gigabytes * 1e9), chance)
    print(f"{name}: {len(found)} files, {sum(found)} bytes", file=sys.stderr)
    make(root, found, chance)
    listed = room / f"{name}.sizes"
    listed.write_bytes(execute([program, "bench", "sizes", root]).output)
    forecast = [program, "bench", "forecast", "--histogram", listed, "-a", options.algorithms, "--json", "--scratch", room]
    before, start = load(), time.perf_counter()
    said = json.loads(execute([*forecast, "--sample", options.sample, "--rounds", options.rounds]).output)
    took = time.perf_counter() - start
    assert (said["files"], said["bytes"]) == (len(found), sum(found)), "the case is not what was made"

    lines = {line["algorithm"]: {"forecast": line, "warm": [], "cold": []} for line in said["lines"]}
    hashing = lambda algorithm: [program, "hash", "-r", "-a", algorithm, root]
    execute(hashing("xxh3-128"))
    turns = [(algorithm, "warm") for algorithm in lines] * options.runs + [(algorithm, "cold") for algorithm in lines] * options.cold
    chance.shuffle(turns)
    for algorithm, how in turns:
        if how == "cold":
            evict(root)
        lines[algorithm][how].append(execute(hashing(algorithm))._replace(output=b""))
        print(f"{name} {algorithm} {how}: {lines[algorithm][how][-1].cpu:.3f} CPU s", file=sys.stderr)
    shutil.rmtree(root)
    about = f"{len(found)} files, {sum(found) / 1e9:.2f} GB; sample of {said['sample'][1] / 1e9:.2f} GB in {said['sample'][0]} files, "
    about += f"measured in {took:.0f} s; load before the forecast {before}, after the runs {load()}"
    return about, lines


def covered(expected, values):
    return sum(expected["low"] <= value <= expected["high"] for value in values)


def table(name, about, lines):
    """The table of a corpus, what was off by more than 15 %, how many runs lie in their intervals, and how many there are."""
    rows, wrong, inside = [], [], 0
    for algorithm, line in lines.items():
        expected, seen = line["forecast"]["cpu_warm"], [run.cpu for run in line["warm"]]
        middle = statistics.median(seen)
        error, hits = expected["seconds"] / middle - 1, covered(expected, seen)
        inside += hits
        if abs(error) > 0.15:
            wrong.append(f"{name} {algorithm} {error:+.0%}")
        cold = [None, None]
        if line["cold"] and line["forecast"]["cpu_cold"]:
            cpu, takes = statistics.median(run.cpu for run in line["cold"]), line["forecast"]["takes_cold"]
            said = line["forecast"]["cpu_cold"]["seconds"]
            passed = " ".join(f"{run.wall:.1f}" for run in line["cold"])
            cold = [f"{said:.2f}, {cpu:.2f}, {said / cpu - 1:+.1%}", f"{takes['seconds']:.1f} ({takes['low']:.1f} to {takes['high']:.1f}), {passed}"]
        interval = f"{expected['low']:.3f} to {expected['high']:.3f}"
        runs = f"{middle:.3f} ({min(seen):.3f} to {max(seen):.3f})"
        rows.append([algorithm, round(expected["seconds"], 3), interval, runs, f"{error:+.1%}", f"{hits} of {len(seen)}", *cold])
    columns = ["algorithm", "CPU s forecast", "95 %", "runs, median (least to most)", "error", "covered"]
    columns += ["cold CPU s: forecast, runs, error", "cold s: forecast (95 %), runs"]
    return record.table(name, columns, rows, notes=[about]), wrong, inside, sum(len(line["warm"]) for line in lines.values())


def main(words):
    ask = record.arguments("forecast", __doc__)
    ask.add_argument("--directory", default=tempfile.gettempdir(), type=Path)
    ask.add_argument("--runs", default=5, type=int)
    ask.add_argument("--cold", default=2, type=int)
    ask.add_argument("--sample", default="768MiB")
    ask.add_argument("-a", "--algorithms", default=ALL)
    ask.add_argument("--corpora", default="home,photos,disk")
    ask.add_argument("--gigabytes", default=2.0, type=float)
    ask.add_argument("--seed", default=2015, type=int)
    options = record.parse(ask, words)
    program, tables, wrong, inside, runs = pfh(options), [], [], 0, 0
    with tempfile.TemporaryDirectory(dir=options.directory, prefix="pfh-forecast-") as room:
        for name in options.corpora.split(","):
            about, lines = validate(name, options, program, Path(room), random.Random(f"{options.seed} {name}"))
            one, *counts = table(name, about, lines)
            tables.append(one)
            wrong, inside, runs = wrong + counts[0], inside + counts[1], runs + counts[2]
    verdict = f"errors above 15 %: {', '.join(wrong) or 'none'}; the intervals cover {inside} of {runs} warm runs ({inside / runs:.0%})"
    tables[-1]["notes"].append(verdict)
    record.finish("forecast", options, tables, [[program, "--version"]])
    sys.exit(1 if wrong or inside < 0.9 * runs else 0)
