"""The figures of Gueron & Krasnov, Simultaneous hashing of multiple messages (2012), as measured here: SHA-256 in lanes.

    bench/run lanes [--rounds 9] [--pfh PFH] [--directory DIR] [--only fig2|files …] [--json] [--record]

Figure 2: messages of 4 KiB that are in the first, second and third cache and in memory, as many as in the paper and, beside them, enough to fill
wider lanes, by `examples/shash fig2`: pfh's lanes, its kernel with a vector schedule (n-SMS), its single kernel, OpenSSL and AWS-LC in one program, in turns, processor time; and one message of 8 KiB.
Figures 3 and 4: the directories DIVERSE (350 files, the sizes of the paper's Table 1) and UNIFORM (8 copies of a file of 18,623,835 bytes), from a cold cache as in the
paper (root) and warm, in this process (`examples/shash directory`) and as whole programs in turns: `pfh hash` on one and on all threads beside `openssl dgst`; at half the
clock where the clock can be set. The rows without SHA instructions are the paper's case: PFH_ISA=avx2 for pfh, OPENSSL_ia32cap for OpenSSL and AWS-LC.
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
from contextlib import contextmanager
from pathlib import Path

from . import record, turns
from .answers import sums
from .program import PLAIN, build, execute, forget_cache, has_sources, may_forget_cache, pfh, target
from .turns import Contender, take_turns

UNIFORM = [18_623_835] * 8


# OpenSSL 1.0.1 and n-SMS of the paper, cycles per byte.
ALONE, N_SMS_ALONE, S_HASH, FASTER, FASTER_THAN_N_SMS = 17.55, 11.58, 5.18, 3.42, 2.25


def diverse():
    """The 350 sizes in bytes of the paper's Table 1."""
    lines = Path(__file__).with_name("diverse.txt").read_text().splitlines()
    return [int(size) for line in lines if not line.startswith("#") for size in line.split()]


# Features of the processor that a program may use: all, no SHA-256 instructions, and besides only the paper's registers of 128 bits.
WAYS = {"": {}, "without SHA instructions": PLAIN, "four lanes, without SHA instructions": {**PLAIN, "PFH_ISA": "sse4.1"}}
WARM = 500


def shash(*words, **environment):
    """The lines of `examples/shash`, and the clock in GHz that it found."""
    output = execute([target() / "examples/shash", *words], environment=environment).output
    lines = [json.loads(line) for line in output.splitlines()]
    return lines, next(line["clock_ghz"] for line in lines if "clock_ghz" in line)


def ways():
    """The ways that make a difference here: without SHA instructions the first is the second."""
    return {way: of for way, of in WAYS.items() if way != "without SHA instructions" or record.has_sha()}


def figure2(rounds, way, environment, warm=WARM):
    """The table of figure 2, and the clock in GHz."""
    lines, clock = shash("fig2", rounds, "sha256", PFH_WARM=str(warm), **environment)
    found = {}
    for line in (line for line in lines if "table" in line):
        found.setdefault(line["messages"], {})[line["by"]] = (line["min_ns_per_byte"], line["median_ns_per_byte"])
    rows, paper, groups = [], [], {}
    for place, by in found.items():
        rates = [round(1e3 / by[name][0]) for name in ("many", "openssl")]
        cycles = [round(by[name][0] * clock, 2) if name in by else None for name in ("many", "n-sms", "one", "openssl", "aws-lc")]
        if place == "8 KiB alone":
            cycles[0] = None
            rows.append([place, *cycles, None, None, None, None, rates[1]])
            paper.append([place, None, N_SMS_ALONE, None, ALONE, *[None] * 6])
            continue
        over = [round(by["openssl"][0] / by["many"][0], 2), round(by["openssl"][1] / by["many"][1], 2)]
        over.append(round(by["n-sms"][0] / by["many"][0], 2) if "n-sms" in by else None)
        rows.append([place, *cycles, *over, *rates])
        known = place.split(", ")[1] in ("4", "64", "512", "8,192")
        paper.append([place, S_HASH, None, None, None, None, FASTER, None, FASTER_THAN_N_SMS, None, None] if known else None)
        if known:
            groups[place] = {"S-HASH": rates[0], "n-SMS": round(1e3 / by["n-sms"][0]) if "n-sms" in by else None, "OpenSSL": rates[1]}
    columns = ["messages", "S-HASH (pfh)", "n-SMS (pfh)", "pfh, single", "OpenSSL", "AWS-LC", "OpenSSL / S-HASH", "of medians", "n-SMS / S-HASH"]
    columns += ["S-HASH MB/s", "OpenSSL MB/s"]
    notes = [
        f"cycles per byte; minima of {rounds} interleaved rounds of processor time, at an estimated {clock:.2f} GHz; {warm} runs over each of the paper's sets come first, as in the paper",
        f"the paper's, on an i5-2500 with AVX: 4 lanes; memory a little slower than {S_HASH}",
        "n-SMS (pfh): the kernel with one message's schedule in vector registers; `single`: the one that is chosen here, by the SHA extensions where there are any",
        "rows without the paper's: sets that fill more than 4 lanes",
        *([f"{' '.join(f'{name}={value}' for name, value in environment.items())}: for pfh, and for OpenSSL and AWS-LC"] if environment else []),
    ]
    title = f"{way + ': ' if way else ''}S-HASH Fig. 2: SHA-256 of messages of 4 KiB"
    conditions = record.conditions(False, rounds=rounds)
    conditions = record.without_sha(conditions) if environment else conditions
    return record.table(title, columns, rows, paper, notes, conditions=conditions, bars=record.bars("MB/s", groups)), clock


# The paper's cold figures at 3.3 GHz: S-HASH, n-SMS and OpenSSL in cycles per byte, how much faster S-HASH is than OpenSSL and than n-SMS; at 1.6 GHz.
COLD = {"DIVERSE": (None, None, None, 1.73, None), "UNIFORM": (8.65, 14.45, 19.55, 2.26, 1.67)}
HALF = {"DIVERSE": (None, None, None, 2.16, None), "UNIFORM": (6.73, None, None, 2.86, None)}
CPUS = Path("/sys/devices/system/cpu")


@contextmanager
def half_clock(cpus=CPUS):
    """All processors at half of their greatest clock. Gives None, or why the clock cannot be set."""
    places = sorted(cpus.glob("cpu[0-9]*/cpufreq/scaling_max_freq"))
    if not places or not all(os.access(place, os.W_OK) for place in places):
        yield f"one clock: {cpus}/cpu0/cpufreq cannot be written; the paper's two were 3.3 and 1.6 GHz"
        return
    before = {place: place.read_text() for place in places}
    try:
        for place, most in before.items():
            least = place.with_name("cpuinfo_min_freq")
            place.write_text(str(max(int(most) // 2, int(least.read_text()) if least.exists() else 0)))
        yield None
    finally:
        for place, most in before.items():
            place.write_text(most)


def in_process(rounds, directory, cold, size, environment=None):
    """Cells of a row: cycles a byte, ratios and MB/s of `examples/shash directory`."""
    lines, clock = shash("directory", rounds, directory, PFH_COLD="1" if cold else "0", **(environment or {}))
    by = {line["by"]: line for line in lines if "table" in line}
    cycles = [round(by[who]["min_ns_per_byte"] * clock, 2) if who in by else None for who in ("many", "n-sms", "openssl")]
    seconds = {who: line["min_seconds"] for who, line in by.items()}
    ratios = [round(seconds[who] / seconds["many"], 2) if who in by else None for who in ("openssl", "n-sms")]
    rates = [round(size / seconds[who] / 1e6) if who in by else None for who in ("many", "n-sms", "openssl")]
    return [*cycles, *ratios, *rates]


def make(directory, name, sizes):
    """The files of a directory: UNIFORM's are copies of one, as in the paper."""
    directory.mkdir()
    law = random.Random(len(sizes))
    for number, size in enumerate(sizes):
        law = random.Random(len(sizes)) if name == "UNIFORM" else law
        (directory / f"{number:03}").write_bytes(law.randbytes(size))
    os.sync()


def figure(said, program, clock, room, number, name, sizes):
    """Figure 3 or 4: a directory, in this process and by whole programs."""
    openssl = shutil.which("openssl") or sys.exit("openssl is not installed")
    rows, paper = [], []
    directory, size = room / name, sum(sizes)
    make(directory, name, sizes)
    files = sorted(directory.iterdir())
    command = [program, "hash", "-a", "sha256", "-f", "sums"]
    notes = [
        f"minima of {said.rounds} interleaved rounds; ratios and MB/s: of seconds of the clock, reading included; cycles per byte: of processor time",
        f"at an estimated {clock:.2f} GHz" if clock else "the clock is known only where the project's sources are, and so is what this process does",
        f"in process: a list of names, open, size, read, digest, one thread; the paper maps the files; {size:,} bytes in {len(files)} files",
    ]

    def add(row, cells, printed=None):
        rows.append([row, *cells])
        paper.append([row, *printed, None, None, None] if printed else None)

    for cold in [True, False] if may_forget_cache() else [False]:
        cache = "cold" if cold else "warm"
        if clock:
            add(f"in process, {cache}", in_process(said.rounds, directory, cold, size), COLD[name] if cold else None)
            for way, environment in ways().items():
                if way:
                    add(f"in process, {cache}, {way}", in_process(said.rounds, directory, cold, size, environment))
        for way, environment in ways().items():
            if way.startswith("four"):
                continue
            contenders = [
                Contender("one", [*command, "-t", "1", *files], sums, environment),
                Contender("all", [*command, *files], sums, environment),
                Contender("openssl", [openssl, "dgst", "-sha256", "-r", *files], sums, environment),
            ]
            execute(contenders[0].command)
            runs = take_turns(contenders, said.rounds, forget_cache if cold else lambda: None, quiet=True)
            cycles = [clock and round(turns.least(runs[by], "cpu") * clock * 1e9 / size, 2) for by in ("one", "openssl")]
            seconds = {by: turns.least(runs[by], "wall") for by in runs}
            rate = lambda by: round(size / seconds[by] / 1e6)
            for by, what in (("one", "one thread"), ("all", "all threads")):
                add(f"programs, {cache}, {what}{', ' + way if way else ''}",
                    [cycles[0] if by == "one" else None, None, cycles[1], round(seconds["openssl"] / seconds[by], 2), None, rate(by), None, rate("openssl")])  # fmt: skip
    with half_clock() as why:
        if why:
            notes.append(why)
        elif clock and may_forget_cache():
            add("in process, cold, half clock", in_process(said.rounds, directory, True, size), HALF[name])
    shutil.rmtree(directory)
    columns = ["row", "S-HASH c/B", "n-SMS c/B", "OpenSSL c/B", "OpenSSL / S-HASH", "n-SMS / S-HASH", "S-HASH MB/s", "n-SMS MB/s", "OpenSSL MB/s"]
    groups = {row[0]: {"S-HASH": row[6], "n-SMS": row[7], "OpenSSL": row[8]} for row in rows if row[0].startswith("in process")}
    groups = groups or {row[0]: {"pfh": row[6], "OpenSSL": row[8]} for row in rows}
    title = f"S-HASH Fig. {number}: SHA-256 of the files of {name}"
    return record.table(title, columns, rows, paper if any(paper) else None, notes, conditions=record.conditions(True, room, rounds=said.rounds), bars=record.bars("MB/s", groups))


def main(words):
    ask = record.arguments("lanes", __doc__, rounds=9)
    ask.add_argument("--directory", type=Path, help="where the directories are made (a temporary directory)")
    ask.add_argument("--only", nargs="+", choices=["fig2", "files"], default=["fig2", "files"])
    said = record.parse(ask, words)
    tables, versions, clock = [], [["openssl", "version"]], None
    if has_sources():
        # Also for the directories: it knows the clock.
        build("-p", "pfh-digest", "--features", "peers", "--example", "shash")
        if "fig2" in said.only:
            for way, environment in ways().items():
                one, found = figure2(said.rounds, way, environment)
                tables.append(one)
                clock = clock or found
        else:
            _, clock = figure2(1, "", {}, 0)
    elif said.only == ["fig2"]:
        sys.exit("Figure 2 needs the project's sources: run this in a checkout")
    if "files" in said.only:
        program = pfh(said)
        versions.append([program, "--version"])
        with tempfile.TemporaryDirectory(dir=said.directory) as room:
            tables += [figure(said, program, clock, Path(room), *one) for one in ((3, "DIVERSE", diverse()), (4, "UNIFORM", UNIFORM))]
    record.finish("lanes", said, tables, versions)
