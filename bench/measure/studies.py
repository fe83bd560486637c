"""The questions of published studies, asked of the methods again over what can be had.

    bench/run studies TREE PROGRAMS

TREE is one of `bench/run corpus`, PROGRAMS one of `bench/run programs`. The studies' own files may not be redistributed or are malware.

F  FRASH (Breitinger, Stivaktakis & Baier 2013): the smallest fragment and common block that are found, how much may be put in front,
   how much may be changed; over files of 100 to 512 KiB. Its efficiency: processor seconds, and the size of the digests
P  Pagani, Dell'Amico & Balzarotti 2018: C programs built with five levels of optimisation and stripped, and with one constant changed
   in the source; related are builds of one program. Scores between two builds with the changed constant
O  Oliver, Cheng & Chen 2013: TLSH by its threshold, over copies with some edits and over the files of TREE as they are
B  Botacin et al. 2021: groups among the programs by the threshold
"""

import csv
import io
import os
import random
import re
import shutil
import statistics
import subprocess
import tarfile
from collections import defaultdict
from pathlib import Path

from . import record
from .detection import block, edits, fragment, noise, percent, record_table, related_of, rows_of
from .program import execute, pfh
from .programs import fetch

METHODS = "auto,shingles,strings,mrsh-v2,sdhash,ssdeep,tlsh".split(",")
FRAGMENTS = (95, 75, 50, 40, 30, 20, 15, 10, 7, 5, 4, 3, 2, 1)
BLOCKS = (50, 40, 30, 25, 20, 15, 10, 7, 5, 4, 3, 2, 1)
FRONTS = (1, 5, 10, 25, 50, 100, 200, 400)
CHANGES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10)
# Source packages, and how each is built into which programs.
SOURCES = {
    "bzip2": (["make", "bzip2", "bzip2recover"], "CFLAGS", ["bzip2", "bzip2recover"]),
    "lua5.4": (["make", "-C", "src", "linux"], "MYCFLAGS", ["src/lua", "src/luac"]),
    "tree": (["make", "tree"], "CFLAGS", ["tree"]),
    "figlet": (["make", "figlet", "chkfont"], "CFLAGS", ["figlet", "chkfont"]),
    "lz4": (["make", "-C", "programs", "lz4"], "CFLAGS", ["programs/lz4"]),
    "xxhash": (["make", "xxhsum"], "CFLAGS", ["xxhsum"]),
}
LEVELS = "-O0 -O1 -O2 -O3 -Os".split()
# A constant of each source that is changed.
CONSTANTS = {
    "bzip2": ("blocksort.c", r"#define MAIN_QSORT_SMALL_THRESH 20", "#define MAIN_QSORT_SMALL_THRESH 21"),
    "lua5.4": ("src/llimits.h", r"#define LUAI_MAXCCALLS\t+200", "#define LUAI_MAXCCALLS 201"),
    "tree": ("tree.c", "Level = -1", "Level = -2"),
    "figlet": ("figlet.c", r"#define DEFAULTCOLUMNS 80", "#define DEFAULTCOLUMNS 79"),
    "lz4": ("lib/lz4.c", "LZ4_skipTrigger = 6", "LZ4_skipTrigger = 7"),
    "xxhash": ("cli/xsum_bench.h", r"#define NBLOOPS_DEFAULT +3", "#define NBLOOPS_DEFAULT 4"),
}


def scores(program, method, paths, threshold=None):
    """The pairs that are listed, with their scores, and the processor's seconds."""
    options = [] if threshold is None else ["--threshold", f"{method}={threshold}"]
    rows, cpu = rows_of(program, method, paths, options)
    return {frozenset((row["a"], row["b"])): int(row["score"]) for row in rows if row["a"] != row["b"]}, cpu


def front(data, rng, percents):
    return noise(rng, len(data) * percents // 100) + data


TESTS = [
    ("smallest fragment found, %", FRAGMENTS, lambda data, rng, step: fragment(data, rng, step / 100), min),
    ("smallest common block found, %", BLOCKS, lambda data, rng, step: block(data, rng, step / 100), min),
    ("most in front, %", FRONTS, front, max),
    ("most bytes changed, %", CHANGES, lambda data, rng, step: edits(data, rng, int(len(data) * step / 100)), max),
]


def frash(program, room, tree, number=20):
    rng = random.Random(7)
    paths = [path for path in sorted(tree.rglob("*")) if path.is_file() and 100 << 10 <= path.stat().st_size <= 512 << 10]
    seeds = [path.read_bytes() for path in rng.sample(paths, number)]
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir(parents=True)
    labels = {}
    for number, data in enumerate(seeds):
        (room / f"{number:02d}").write_bytes(data)
        for test, (_, steps, change, _) in enumerate(TESTS):
            for step in steps:
                name = f"{number:02d}-{test}-{step}"
                (room / name).write_bytes(change(data, rng, step))
                labels[name] = (number, test, step)
    table = record_table("F: FRASH, the median of the files", ["", *METHODS], [f"{len(seeds)} files, {len(labels)} changed copies"])
    found = {method: scores(program, method, [room]) for method in METHODS}
    for test, (name, steps, _, best) in enumerate(TESTS):
        row = [name]
        for method in METHODS:
            pairs, reached = found[method][0], defaultdict(list)
            for copy, (seed, of, step) in labels.items():
                if of == test and frozenset((str(room / f"{seed:02d}"), str(room / copy))) in pairs:
                    reached[seed].append(step)
            values = [best(reached[seed]) if reached[seed] else None for seed in range(len(seeds))]
            known = [value for value in values if value is not None]
            row.append(statistics.median(known) if 2 * len(known) > len(seeds) else None)
        table["rows"].append(row)
    size = sum((room / name).stat().st_size for name in os.listdir(room))
    speed, space = ["digests, MB per processor second"], ["digest, % of the file"]
    for method in METHODS:
        if method == "auto":
            speed.append(None), space.append(None)
            continue
        run = execute([program, "hash", "-r", "-t", "1", "-a", method, "-f", "sums", "--no-progress", room], may_fail=True)
        names = sum(len(str(room)) + len(name) + 4 for name in os.listdir(room))
        speed.append(round(size / 1e6 / run.cpu))
        share = round(100 * (len(run.output) - names) / size, 2)
        space.append(share if share > 0 else None)
    table["rows"] += [speed, space]
    return table


def build(room):
    """{program file: (source, program, how)} of all builds."""
    cache, built = room.with_suffix(".src").resolve(), {}
    shutil.rmtree(room, ignore_errors=True)
    if not list(cache.glob("*.orig.tar.*")):
        fetch("bookworm", cache, "deb-src", ("source", "--download-only", *SOURCES))
    room.mkdir(parents=True)
    for source, (command, variable, programs) in SOURCES.items():
        archive = next(cache.glob(f"{source}_*.orig.tar.*"))
        for how in [*LEVELS, "changed"]:
            folder = room / f"{source}{how}"
            with tarfile.open(archive) as tar:
                tar.extractall(folder, filter="data")
            folder = next(folder.iterdir())
            if how == "changed":
                file, pattern, text = CONSTANTS[source]
                before = (folder / file).read_text(errors="surrogateescape")
                after = re.sub(pattern, text, before, count=1)
                assert after != before, (source, pattern)
                (folder / file).write_text(after, errors="surrogateescape")
            flags = "-O2" if how == "changed" else how
            subprocess.run([*command, f"{variable}={flags}"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for name in programs:
                for stripped in (False, True):
                    target = room / "built" / f"{source}-{Path(name).name}{how}{'-stripped' if stripped else ''}"
                    target.parent.mkdir(exist_ok=True)
                    shutil.copyfile(folder / name, target)
                    if stripped:
                        subprocess.run(["strip", target], check=True)
                    built[str(target)] = (source, Path(name).name, how, stripped)
    return built


def pagani(program, built):
    classes = {
        "level next to level": lambda a, b: a[2] != b[2] and "changed" not in (a[2], b[2]) and a[3] == b[3],
        "-O0 and -O3": lambda a, b: {a[2], b[2]} == {"-O0", "-O3"} and a[3] == b[3],
        "-O2 and stripped": lambda a, b: a[2] == b[2] == "-O2" and a[3] != b[3],
        "a constant changed": lambda a, b: {a[2], b[2]} == {"-O2", "changed"} and a[3] == b[3],
    }
    names, folder = sorted(built), Path(next(iter(built))).parent
    pairs = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
    same = [(a, b) for a, b in pairs if built[a][:2] == built[b][:2]]
    strange = [(a, b) for a, b in pairs if built[a][0] != built[b][0]]
    table = record_table("P: builds of C programs, found in %", ["", *METHODS], [f"{len(built)} builds of {len({of[:2] for of in built.values()})} programs, {len(strange)} pairs of two sources"])
    found = {method: scores(program, method, [folder])[0] for method in METHODS}
    for name, of in classes.items():
        related = [pair for pair in same if of(built[pair[0]], built[pair[1]])]
        table["rows"].append([name, *(percent(sum(frozenset(pair) in found[method] for pair in related), len(related)) for method in METHODS)])
    table["rows"].append(["two sources, pairs listed", *(sum(frozenset(pair) in found[method] for pair in strange) for method in METHODS)])
    small = [pair for pair in same if classes["a constant changed"](built[pair[0]], built[pair[1]])]
    least = ["least score, a constant changed"]
    for method in METHODS:
        every = scores(program, method, [folder], 300 if method == "tlsh" else 1)[0] if method != "auto" else found["auto"]
        values = [every.get(frozenset(pair), 0) for pair in small]
        least.append(max(values) if method == "tlsh" else min(values))
    table["rows"].append(least)
    return table


def oliver(program, room, tree):
    """Copies with 1 to 1,000 edits, insertions and parts left out; and unrelated files."""
    rng = random.Random(11)
    paths = [path for path in sorted(tree.rglob("*")) if path.is_file() and path.stat().st_size >= 512]
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir(parents=True)
    related = []
    for number, path in enumerate(rng.sample(paths, min(200, len(paths)))):
        data = path.read_bytes()[: 1 << 20]
        copy = edits(data, rng, rng.choice((1, 10, 100, 1000)))
        at = rng.randrange(len(copy))
        copy = copy[:at] + noise(rng, len(copy) // 50) + copy[at:]
        names = [room / f"{number:03d}-{half}" for half in "ab"]
        for name, bytes_ in zip(names, (data, copy), strict=True):
            name.write_bytes(bytes_)
        related.append(frozenset(map(str, names)))
    distances, _ = scores(program, "tlsh", [room], 300)
    plain, _ = scores(program, "tlsh", [tree], 100)
    known = related_of(paths)
    unrelated = len(paths) * (len(paths) - 1) // 2 - len(known)
    table = record_table(
        "O: TLSH by its threshold", ["distance at most", "found, %", "false alarms, %", "paper: found", "paper: false alarms"],
        [f"{len(related)} changed copies; {unrelated} unrelated pairs of {len(paths)} files; the paper's figures as the documentation of OSCAR 2301 quotes them"],
    )  # fmt: skip
    for most in (20, 30, 40, 50, 60, 70, 80, 90, 100):
        found = sum(distances.get(pair, 999) <= most for pair in related)
        false = sum(distance <= most and pair not in known for pair, distance in plain.items())
        theirs = {40: (49.6, 0.07), 100: (94.5, 6.43)}.get(most, (None, None))
        table["rows"].append([most, percent(found, len(related)), round(100 * false / unrelated, 4), *theirs])
    return table


def botacin(program, programs):
    table = record_table(
        "B: groups of programs by the threshold", ["method", "threshold", "groups", "of two or three, %", "files in the largest", "files in groups"],
        ["chains of pairs (--linkage single), as the study has them"],
    )  # fmt: skip
    for method, thresholds in {"ssdeep": (1, 20, 60, 80), "sdhash": (1, 10, 30, 60), "tlsh": (100, 60, 30, 10), "strings": (10, 20, 40, 60)}.items():
        for threshold in thresholds:
            words = ["compare", "-a", method, "--threshold", f"{method}={threshold}", "--cluster", "--linkage", "single", "-f", "csv", "--no-progress"]
            run = execute([program, *words, programs], may_fail=True)
            sizes = defaultdict(int)
            for row in csv.DictReader(io.StringIO(run.output.decode(errors="surrogateescape"))):
                if row["algorithm"] == method:
                    sizes[row["cluster"]] += 1
            small = sum(size <= 3 for size in sizes.values())
            table["rows"].append([method, threshold, len(sizes), percent(small, len(sizes)), max(sizes.values(), default=0), sum(sizes.values())])
    return table


def main(words):
    ask = record.arguments("studies", __doc__, rounds=1)
    ask.add_argument("tree", type=Path)
    ask.add_argument("programs", type=Path)
    said = record.parse(ask, words)
    program, room = pfh(said), said.room / "studies"
    built = build(room / "programs")
    tables = [frash(program, room / "frash", said.tree), pagani(program, built), oliver(program, room / "oliver", said.tree), botacin(program, said.programs)]
    record.finish("studies", said, tables, [[program, "--version"], ["gcc", "--version"]])
