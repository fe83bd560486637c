"""The figures of Gueron & Krasnov, Simultaneous hashing of multiple messages (2012), as measured here: SHA-256 in lanes.

    bench/run lanes [--rounds 9] [--pfh PFH] [--directory DIR] [--only fig2|files …] [--json] [--record]

Figure 2: messages of 4 KiB that are in the first, second and third cache and in memory, by `examples/shash fig2`: pfh's lanes, pfh's single
kernel, OpenSSL and AWS-LC in one program, in turns, processor time. Figures 3 and 4: the directories UNIFORM (8 files of 18,623,835 bytes)
and DIVERSE (350 files), warm and, if this may empty the page cache (root), cold: whole programs in turns, `pfh hash` on one and on all
threads beside `openssl dgst`. Their digests are compared before a time counts. The directories are made in DIR and removed again.

The paper lists DIVERSE's 350 sizes in its appendix, which was not at hand: here they follow a log-normal law, median 125 kB, sigma 1.55,
from a fixed seed. The paper's figures beside ours are those of its abstract (J. Information Security 3, 319-325) and the two factors that the
project's goals take from it; what is not known is left empty, and nothing is estimated. Without the project's sources Figure 2 is left out.

Cycles are estimated from times by the clock that a chain of dependent operations runs at.
"""

import json
import math
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from . import record, turns
from .answers import sums
from .program import build, execute, forget_cache, has_sources, may_forget_cache, pfh, target
from .turns import Contender, take_turns

UNIFORM = [18_623_835] * 8


def diverse():
    """350 sizes in bytes: the law that `examples/shash` uses too."""
    law = random.Random(350)
    return [int(125_000 * math.exp(1.55 * law.gauss(0, 1))) for _ in range(350)]


def figure2(rounds):
    """The table of figure 2, and the clock in GHz."""
    output = execute([target() / "examples/shash", "fig2", rounds, "sha256"]).output
    lines = [json.loads(line) for line in output.splitlines()]
    clock = next(line["clock_ghz"] for line in lines if "clock_ghz" in line)
    found = {}
    for line in (line for line in lines if "table" in line):
        found.setdefault(line["messages"], {})[line["by"]] = (line["min_ns_per_byte"], line["median_ns_per_byte"])
    rows = []
    for place, by in found.items():
        cycles = [round(by[name][0] * clock, 2) if name in by else None for name in ("many", "one", "openssl", "aws-lc")]
        rows.append([place, *cycles, round(by["openssl"][0] / by["many"][0], 2), round(by["openssl"][1] / by["many"][1], 2)])
    columns = ["messages in", "S-HASH (pfh)", "pfh, single", "OpenSSL", "AWS-LC", "OpenSSL / S-HASH", "of medians"]
    notes = [
        f"minima of {rounds} interleaved rounds of processor time, at an estimated {clock:.2f} GHz",
        "the paper's (abstract): 5.2 in every cache and memory, 3.42 times OpenSSL 1.0.1, on a 2nd generation Core with AVX",
    ]
    paper = [[row[0], 5.2, None, None, None, 3.42, None] for row in rows]
    return record.table("S-HASH Fig. 2: SHA-256 of messages of 4 KiB, cycles per byte", columns, rows, paper, notes), clock


def make(directory, sizes):
    directory.mkdir()
    law = random.Random(len(sizes))
    for number, size in enumerate(sizes):
        (directory / f"{number:03}").write_bytes(law.randbytes(size))
    os.sync()


def figures34(said, program, clock, room):
    rows, paper = [], []
    openssl = shutil.which("openssl") or sys.exit("openssl is not installed")
    caches = [False, True] if may_forget_cache() else [False]
    for name, sizes, factor in (("DIVERSE", diverse(), 1.73), ("UNIFORM", UNIFORM, 2.26)):
        directory = room / name
        make(directory, sizes)
        files = sorted(directory.iterdir())
        command = [program, "hash", "-a", "sha256", "-f", "sums"]
        contenders = [
            Contender("one", [*command, "-t", "1", *files], sums),
            Contender("all", [*command, *files], sums),
            Contender("openssl", [openssl, "dgst", "-sha256", "-r", *files], sums),
        ]
        for cold in caches:
            execute(contenders[0].command)
            runs = take_turns(contenders, said.rounds, forget_cache if cold else lambda: None, quiet=True)
            cycles = [clock and round(turns.least(runs[by], "cpu") * clock * 1e9 / sum(sizes), 2) for by in ("one", "openssl")]
            ratios = [round(of(runs["openssl"], "cpu") / of(runs["one"], "cpu"), 2) for of in (turns.least, turns.median)]
            times = [round(turns.least(runs[by], "wall") * 1e3, 1) for by in ("one", "all", "openssl")]
            rows.append([name, "cold" if cold else "warm", *cycles, *ratios, *times, round(times[2] / times[1], 2)])
            paper.append(None if cold else [name, "warm", None, None, factor, *[None] * 5])
        shutil.rmtree(directory)
    columns = ["directory", "cache", "pfh c/B", "OpenSSL c/B", "OpenSSL / pfh", "of medians"]
    columns += ["pfh -t 1 ms", "pfh ms", "OpenSSL ms", "OpenSSL / pfh, wall"]
    notes = [
        f"minima of {said.rounds} interleaved rounds; cycles per byte and the first two ratios: user and kernel time of the whole program, "
        "reading included, one thread that hashes; milliseconds: wall",
        f"at an estimated {clock:.2f} GHz" if clock else "the clock is known only where the project's sources are",
        f"DIVERSE: 350 files of a log-normal law, {sum(diverse()):,} bytes; the sizes of the paper's appendix were not at hand",
        "the paper's factors: those that the project's goals quote",
    ]
    return record.table("S-HASH Figs. 3 and 4: SHA-256 of the files of a directory, whole programs", columns, rows, paper, notes)


def main(words):
    ask = record.arguments("lanes", __doc__, rounds=9)
    ask.add_argument("--directory", type=Path, help="where the directories are made (a temporary directory)")
    ask.add_argument("--only", nargs="+", choices=["fig2", "files"], default=["fig2", "files"])
    said = record.parse(ask, words)
    tables, versions, clock = [], [["openssl", "version"]], None
    if has_sources():
        # Also for the directories: it knows the clock.
        build("-p", "pfh-digest", "--features", "peers", "--example", "shash")
        first, clock = figure2(said.rounds if "fig2" in said.only else 1)
        tables += [first] if "fig2" in said.only else []
    elif said.only == ["fig2"]:
        sys.exit("Figure 2 needs the project's sources: run this in a checkout")
    if "files" in said.only:
        program = pfh(said)
        versions.append([program, "--version"])
        with tempfile.TemporaryDirectory(dir=said.directory) as room:
            tables.append(figures34(said, program, clock, Path(room)))
    record.finish("lanes", said, tables, versions)
