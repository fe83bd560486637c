"""Similarity digests of files in memory by one thread, at several levels of PFH_ISA, beside a former build, in turns.

    bench/run digests PATH... [--former SPEED] [--speed SPEED] [--isa avx512,avx2,portable] [--methods sdhash,sdhash-dd,tlsh] [--rounds 7]

SPEED is the example `speed` of pfh-similarity (`cargo build --release -p pfh-similarity --example speed`, made first without --speed). Each
run of it makes the digests of all files once; the seconds are those of its thread on a processor. That builds agree is not checked here but by
the tests `generated` of that package (`make inputs`: a million inputs).
"""

import os
import subprocess
import sys
from pathlib import Path

from . import record
from .program import ROOT, execute


def built():
    """The example of this tree."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "--package", "pfh-similarity", "--example", "speed"], cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/speed"


def rates(program, method, level, paths):
    """MB/s of each method whose name contains this one, by one run."""
    run = execute([program, "--rounds", "1", "--only", method, *paths], environment={"PFH_ISA": level})
    lines = [line.rsplit(maxsplit=2) for line in run.output.decode().splitlines()[2:]]
    return {words[0]: int(words[1]) for words in lines}


def main(words):
    ask = record.arguments("digests", __doc__, rounds=7)
    ask.add_argument("paths", nargs="+", metavar="PATH", help="files, or directories with all below")
    ask.add_argument("--speed", type=Path, help="the example to measure (that of this tree, made first)")
    ask.add_argument("--former", type=Path, help="another build of it to compare with")
    ask.add_argument("--isa", default="avx512,avx2,portable", help="levels of PFH_ISA (%(default)s)")
    ask.add_argument("--methods", default="sdhash,sdhash-dd,tlsh", help="which (%(default)s)")
    said = record.parse(ask, words)
    programs = [("former", said.former)] if said.former else []
    programs.append(("now", said.speed or built()))
    found = {}
    for number in range(said.rounds):
        for level in said.isa.split(","):
            for method in said.methods.split(","):
                # Turn about, so that neither is always the first.
                for name, program in programs[:: 1 if number % 2 else -1]:
                    rate = rates(program, method, level, said.paths)[method]
                    found.setdefault((method, level), {}).setdefault(name, []).append(rate)
        print(f"  {number + 1}/{said.rounds}", file=sys.stderr, flush=True)
    middle = lambda some: sorted(some)[len(some) // 2]
    rows = []
    for (method, level), by_name in found.items():
        row = [method, level]
        for which in (max, middle):
            row += [which(by_name[name]) for name, _ in programs]
            row.append(round(which(by_name["now"]) / which(by_name["former"]), 2) if said.former else None)
        rows.append(row)
    heads = lambda word: [f"{name}, {word}" for name, _ in programs] + [f"ratio, {word}"]
    columns = ["method", "PFH_ISA", *heads("best"), *heads("median")]
    notes = [f"MB/s (10^6 bytes) of one thread's processor time, {said.rounds} rounds; digests of files in memory"]
    record.finish("digests", said, [record.table("similarity digests", columns, rows, notes=notes)], [])
