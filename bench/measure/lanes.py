"""The figures of Gueron & Krasnov, Simultaneous hashing of multiple messages (2012), as measured here: SHA-256 in lanes.

    bench/run lanes [--rounds 9] [--pfh PFH] [--directory DIR] [--only fig2|files …] [--json] [--record]

Figure 2: messages of 4 KiB that are in the first, second and third cache and in memory, as many as in the paper and, beside them, enough to fill
wider lanes, by `examples/shash fig2`: pfh's lanes, its kernel with a vector schedule (n-SMS), its single kernel, OpenSSL and AWS-LC in one program, in turns, processor time; and one message of 8 KiB.
Figures 3 and 4: the directories UNIFORM (8 copies of a file of 18,623,835 bytes) and DIVERSE (350 files, the sizes of the paper's Table 1), from a cold cache as in the
paper (root) and warm, in this process (`examples/shash directory`) and as whole programs in turns: `pfh hash` on one and on all threads beside `openssl dgst`.
Their digests are compared before a time counts. The directories are made in DIR and removed again.

The paper's figures beside ours are those of its text; the bars of its figures have no numbers. Without the project's sources only the whole programs are measured.
Cycles are estimated from times by the clock that a chain of dependent operations runs at. Two cells of Table 1 are garbled in print and left out.
"""

import json
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


# OpenSSL 1.0.1 and n-SMS of the paper, cycles per byte.
ALONE, N_SMS_ALONE, S_HASH, FASTER, FASTER_THAN_N_SMS = 17.55, 11.58, 5.18, 3.42, 2.25


def diverse():
    """The 350 sizes in bytes of the paper's Table 1."""
    lines = Path(__file__).with_name("diverse.txt").read_text().splitlines()
    return [int(size) for line in lines if not line.startswith("#") for size in line.split()]


def shash(*words, **environment):
    """The lines of `examples/shash`, and the clock in GHz that it found."""
    output = execute([target() / "examples/shash", *words], environment=environment).output
    lines = [json.loads(line) for line in output.splitlines()]
    return lines, next(line["clock_ghz"] for line in lines if "clock_ghz" in line)


def figure2(rounds):
    """The table of figure 2, and the clock in GHz."""
    lines, clock = shash("fig2", rounds, "sha256")
    found = {}
    for line in (line for line in lines if "table" in line):
        found.setdefault(line["messages"], {})[line["by"]] = (line["min_ns_per_byte"], line["median_ns_per_byte"])
    rows, paper = [], []
    for place, by in found.items():
        cycles = [round(by[name][0] * clock, 2) if name in by else None for name in ("many", "n-sms", "one", "openssl", "aws-lc")]
        if place == "8 KiB alone":
            cycles[0] = None
            rows.append([place, *cycles, None, None])
            paper.append([place, None, N_SMS_ALONE, None, ALONE, None, None, None])
            continue
        rows.append([place, *cycles, round(by["openssl"][0] / by["many"][0], 2), round(by["openssl"][1] / by["many"][1], 2)])
        known = place.split(", ")[1] in ("4", "64", "512", "8,192")
        paper.append([place, S_HASH, None, None, None, None, FASTER, None] if known else None)
    columns = ["messages", "S-HASH (pfh)", "n-SMS (pfh)", "pfh, single", "OpenSSL", "AWS-LC", "OpenSSL / S-HASH", "of medians"]
    notes = [
        f"minima of {rounds} interleaved rounds of processor time, at an estimated {clock:.2f} GHz",
        f"the paper's, on an i5-2500 with AVX: 4 lanes; memory a little slower than {S_HASH}; n-SMS takes {FASTER_THAN_N_SMS} times S-HASH's cycles",
        "n-SMS (pfh): the kernel with one message's schedule in vector registers; `single`: the one that is chosen here, by the SHA extensions where there are any",
        "rows without the paper's: sets that fill more than 4 lanes",
    ]
    return record.table("S-HASH Fig. 2: SHA-256 of messages of 4 KiB, cycles per byte", columns, rows, paper, notes), clock


# The paper's cold figures at 3.3 GHz: S-HASH and OpenSSL in cycles per byte, and how much faster S-HASH is.
COLD = {"DIVERSE": (None, None, 1.73), "UNIFORM": (8.65, 19.55, 2.26)}


def in_process(rounds, name, directory, sizes, cold):
    lines, clock = shash("directory", rounds, directory, PFH_COLD="1" if cold else "0")
    by = {line["by"]: line for line in lines if "table" in line}
    cycles = [round(by[who]["min_ns_per_byte"] * clock, 2) for who in ("many", "openssl")]
    ratios = [round(by["openssl"][of] / by["many"][of], 2) for of in ("min_ns_per_byte", "median_ns_per_byte")]
    wall = [round(by[who]["min_seconds"] * 1e3, 1) for who in ("many", "openssl")]
    return [f"{name}, in process", "cold" if cold else "warm", *cycles, *ratios, wall[0], None, wall[1], round(wall[1] / wall[0], 2)]


def make(directory, name, sizes):
    """The files of a directory: UNIFORM's are copies of one, as in the paper."""
    directory.mkdir()
    law = random.Random(len(sizes))
    for number, size in enumerate(sizes):
        law = random.Random(len(sizes)) if name == "UNIFORM" else law
        (directory / f"{number:03}").write_bytes(law.randbytes(size))
    os.sync()


def figures34(said, program, clock, room):
    rows, paper = [], []
    openssl = shutil.which("openssl") or sys.exit("openssl is not installed")
    caches = [True, False] if may_forget_cache() else [False]
    for name, sizes in (("DIVERSE", diverse()), ("UNIFORM", UNIFORM)):
        directory = room / name
        make(directory, name, sizes)
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
            paper.append(None)
            if clock:
                rows.append(in_process(said.rounds, name, directory, sizes, cold))
                # The paper times its own process, from a cold cache.
                paper.append([name, "cold", *COLD[name], *[None] * 5] if cold else None)
        shutil.rmtree(directory)
    columns = ["directory", "cache", "pfh c/B", "OpenSSL c/B", "OpenSSL / pfh", "of medians"]
    columns += ["pfh -t 1 ms", "pfh ms", "OpenSSL ms", "OpenSSL / pfh, wall"]
    notes = [
        f"minima of {said.rounds} interleaved rounds; cycles per byte and the first two ratios: user and kernel time of the whole program, "
        "reading included, one thread that hashes; milliseconds: wall",
        f"at an estimated {clock:.2f} GHz" if clock else "the clock is known only where the project's sources are",
        f"in process: a list of names, open, size, read, digest; the paper maps the files; DIVERSE {sum(diverse()):,} bytes",
        "the paper at 1.6 GHz: 2.16 times (DIVERSE), 6.73 cycles per byte and 2.86 times (UNIFORM); n-SMS 14.45 cycles per byte (UNIFORM)",
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
