"""How often unrelated files reach a score: the table that `pfh compare` reads its column `once_in` from.

    bench/run calibrate TREE PROGRAMS > algorithms/similarity/src/chance/table.txt

TREE is one of `bench/run corpus`, PROGRAMS one of `bench/run programs`. Two files are unrelated if neither holds 1 % of the other's
windows of 32 bytes, and, of programs, if they are of two source packages. Sizes are those of the smaller file. A line holds a method, the kind of
both files, their size, the unrelated pairs, and for each score how many of them reach it.
"""

import json
import sys
from collections import Counter, defaultdict
from itertools import combinations_with_replacement
from pathlib import Path

from . import record
from .detection import rows_of
from .program import execute, pfh

# The score from which pairs are taken, and the best one.
METHODS = {"ssdeep": (1, 100), "sdhash": (10, 100), "mrsh-v2": (1, 100), "tlsh": (120, 0), "strings": (5, 100), "imports": (30, 100)}
# Their digests are of programs alone.
OF_PROGRAMS = {"strings", "imports"}
# The kind of file that a digest of this method comes from.
KINDS = {"strings": "program", "text": "text", "pdq": "picture"}
SIZES = [("4k", 4096), ("64k", 65536), ("1m", 1 << 20), ("more", None)]


def compared(program, method, threshold, paths):
    rows, _ = rows_of(program, method, paths, ["--threshold", f"{method}={threshold}"])
    yield from (row for row in rows if row["algorithm"] == method)


def size_of(length):
    return next(name for name, end in SIZES if end is None or length < end)


def kinds_of(program, paths):
    """Of each file its kind and its length."""
    run = execute([program, "hash", "-r", "-a", ",".join(KINDS), "-f", "jsonl", "--no-progress", *paths], may_fail=True)
    found = {}
    for line in run.output.splitlines():
        row = json.loads(line)
        if row.get("type") == "file" and "digests" in row and row["size"]:
            kinds = [kind for method, kind in KINDS.items() if row["digests"][method] != "none"]
            found[row["path"]] = (kinds[0] if kinds else "other", row["size"])
    return found


def source_of(path, programs):
    """The source package of a program; of another file itself."""
    parts = Path(path).parts
    return parts[len(programs.parts) + 1] if path.startswith(f"{programs}/") else path


def classes(kinds, length):
    kind = kinds[0] if kinds[0] == kinds[1] else "mixed"
    size = size_of(length)
    return [(kind, size), (kind, "any"), ("any", size), ("any", "any")]


def main(words):
    ask = record.arguments("calibrate", __doc__, rounds=1)
    ask.add_argument("tree", type=Path)
    ask.add_argument("programs", type=Path)
    said = record.parse(ask, words)
    program, paths = pfh(said), [str(said.tree), str(said.programs)]
    files = kinds_of(program, paths)
    source = {path: source_of(path, said.programs) for path in files}
    related = set()
    for row in compared(program, "shingles", 1, paths):
        if max(int(row["a_in_b"]), int(row["b_in_a"])) >= 1:
            related.add(frozenset((row["a"], row["b"])))
    by_source = defaultdict(list)
    for path in files:
        by_source[source[path]].append(path)
    for same in by_source.values():
        related.update(frozenset((a, b)) for at, a in enumerate(same) for b in same[:at])
    # All pairs of each class, from how many files are of each kind and size; then less the related ones.
    sizes = [name for name, _ in SIZES]
    cells = Counter((kind, size_of(length)) for kind, length in files.values())
    pairs = Counter()
    for (one, first), (other, second) in combinations_with_replacement(sorted(cells), 2):
        same = (one, first) == (other, second)
        number = cells[one, first] * (cells[one, first] - 1) // 2 if same else cells[one, first] * cells[other, second]
        smaller = min(first, second, key=sizes.index)
        kind = one if one == other else "mixed"
        for cell in [(kind, smaller), (kind, "any"), ("any", smaller), ("any", "any")]:
            pairs[cell] += number
    for pair in related:
        a, b = pair
        if a in files and b in files:
            pairs.subtract(classes([files[a][0], files[b][0]], min(files[a][1], files[b][1])))
    print("# Made by bench/run calibrate: method, kind, size, unrelated pairs, and SCORE:HOW MANY REACH IT.")
    for method, (threshold, best) in METHODS.items():
        reached = defaultdict(Counter)
        for row in compared(program, method, threshold, paths):
            a, b = row["a"], row["b"]
            if a in files and b in files and frozenset((a, b)) not in related:
                for cell in classes([files[a][0], files[b][0]], min(files[a][1], files[b][1])):
                    reached[cell][int(row["score"])] += 1
        of = {cell: number for cell, number in pairs.items() if number > 0 and (method not in OF_PROGRAMS or cell[0] == "program")}
        for (kind, size), number in sorted(of.items()):
            steps, total = [], 0
            step = 1 if best == 0 else -1
            for score in range(best, threshold + step, step):
                total += reached[kind, size][score]
                # The worst score always: beyond it nothing is known.
                if reached[kind, size][score] or score == threshold:
                    steps.append(f"{score}:{total}")
            print(" ".join([method, kind, size, str(number), *steps]))
    print(f"{len(files)} files, {len(related)} related pairs", file=sys.stderr)
