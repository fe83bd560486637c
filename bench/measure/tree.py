"""Tree hashing: the table of Lopes, Franqueira & Hobson, updates and audits over file sizes, and one large file through `pfh hash`.

    bench/run tree [--megabytes 2000] [--rounds 5] [--greatest 34] [--only modes|programs|others|updates …] [--json] [--record]

modes     `examples/modes`: each mode over one buffer, on one core and on all
programs  the programs that are installed, and `pfh hash`, over a file of as many bytes in memory, on one CPU and on all, which includes
          reading it: sha512sum, OpenSSL's SHA-512, SHAKE128 and SHA3-256, b3sum (B3SUM names it if it is not on the path)
others    what PFH_TREE_PEER names, a program of yours that prints lines of Markdown: XKCP's K12, say
updates   `examples/incremental`: build, one-leaf update, proof and verification for files of 1 MiB to 2^GREATEST bytes

modes and updates need the project's sources. Answers are compared before times count: pfh's BLAKE3, SHA-512 and SHAKE128 with the peers'. The runs of one part take turns.
"""

import os
import sys
import tempfile
from pathlib import Path

from . import record, turns
from .program import PLAIN, build, execute, find, has_sources, pfh, target
from .turns import Contender, take_turns

PARTS = ["modes", "programs", "others", "updates"]
# MB/s, seconds, speed-up and efficiency over a buffer of 2 GB in memory, as printed.
PRINTED = [
    ["paper: Xeon 5645, 1 core", 208, 9.8, 1.0, 1.0],
    ["paper: 6 cores", 839, 2.4, 4.03, 0.67],
    ["paper: 12 cores", 1077, 1.9, 5.15, 0.43],
    ["paper: sha512sum, same machine, 5 s of it reading", None, 18.5, None, None],
]
# The paper's mode.
TREE = "sakura-li-256"
NOTES = "capacity, leaves and block length of the paper's leaf interleaving are not printed"


def from_markdown(title, text, notes):
    """The table in lines of Markdown."""
    heads, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return record.table(title, heads, rows, notes=notes)


def modes(said):
    notes = [f"a buffer of {said.megabytes} MB (the paper's: 2,000), {processors()} cores, minimum of {said.rounds} rounds", NOTES]
    output = execute([target() / "examples/modes", said.megabytes, said.rounds]).output.decode()
    return from_markdown("Table 1: tree modes over one buffer", output, notes)


def processors():
    return len(os.sched_getaffinity(0))


def whole_programs(program, file):
    openssl, sha512sum, b3sum = find("openssl"), find("sha512sum"), find("b3sum")
    if sha512sum:
        yield "sha512sum", "sha512", [sha512sum, file]
    for name, algorithm, words in (
        ("SHA-512", "sha512", ["-sha512"]), ("SHA-256", "sha256", ["-sha256"]), ("SHAKE128", "shake128", ["-shake128", "-xoflen", "32"]), ("SHA3-256", "sha3-256", ["-sha3-256"]),
    ):  # fmt: skip
        if openssl:
            yield f"OpenSSL {name}", algorithm, [openssl, "dgst", *words, "-r", file]
    if b3sum:
        yield "b3sum", "blake3", [b3sum, file]
    for algorithm in ("blake3", "kt128", "parallelhash128", TREE):
        yield f"pfh hash -a {algorithm}", algorithm, [program, "hash", "-a", algorithm, file]


def programs(said, program):
    every_cpu = sorted(os.sched_getaffinity(0))
    cpus = {"one": set(every_cpu[:1]), "all": set(every_cpu)}
    # The paper's numbers of cores, where there are more.
    some = {str(count): set(every_cpu[:count]) for count in (6, 12) if count < len(every_cpu)}
    with tempfile.NamedTemporaryFile(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as file:
        block = os.urandom(1 << 20)
        for number in range(said.megabytes):
            # No two blocks are alike.
            file.write((number.to_bytes(8, "little") + block)[:1_000_000])
        file.flush()
        every = list(whole_programs(program, file.name))
        runs, digest = {}, lambda output: {"file": output.split()[0].lstrip(b"\\")}
        for algorithm in dict.fromkeys(algorithm for _, algorithm, _ in every):
            contenders = [
                Contender(f"{name} on {place}", command, digest, {}, lambda few=few: os.sched_setaffinity(0, few))
                for name, own, command in every if own == algorithm for place, few in {**cpus, **(some if own == TREE else {})}.items()
            ]  # fmt: skip
            runs |= take_turns(contenders, said.rounds)
        plain = without_sha(said, every, digest)
    size, rows = said.megabytes * 1_000_000, []
    for name, _, _ in every:
        one, rest = runs[f"{name} on one"], runs[f"{name} on all"]
        # On one CPU the time that it had, not the time that others took from it.
        a, b = turns.least(one, "cpu"), turns.least(rest, "wall")
        speedup = turns.least(one, "wall") / b
        rates = [f"{size / least / 1e6:.0f} ({size / middle / 1e6:.0f})"
                 for least, middle in ((a, turns.median(one, "cpu")), (b, turns.median(rest, "wall")))]  # fmt: skip
        rows.append([name, round(a, 3), rates[0], round(b, 3), rates[1], round(speedup, 2), round(speedup / len(cpus["all"]), 2), 1])  # one answer: others end the benchmark
    # The paper's table, with our leaf interleaving below it.
    took = {1: turns.least(runs[f"pfh hash -a {TREE} on one"], "wall"), len(every_cpu): turns.least(runs[f"pfh hash -a {TREE} on all"], "wall")}
    took |= {int(count): turns.least(runs[f"pfh hash -a {TREE} on {count}"], "wall") for count in some}
    line = lambda name, seconds, count: [name, round(size / seconds / 1e6), round(seconds, 3), round(took[1] / seconds, 2), round(took[1] / seconds / count, 2)]
    here = [line(f"here: {TREE}, 1 core", took[1], 1)] + [line(f"here: {count} cores", seconds, count) for count, seconds in sorted(took.items()) if count > 1]
    here += [line(f"simulated: {count} cores", seconds, count) for count, seconds in simulated(took).items()]
    notes = [f"here: a file of {said.megabytes} MB in memory by `pfh hash`, seconds of the clock, reading included; the paper: a buffer",
             "simulated, not measured: the serial part of the run on one core and on all, after Amdahl, for the paper's numbers of cores", NOTES]  # fmt: skip
    columns = ["paper and here", "MB/s", "s", "S_p", "E_p"]
    first = record.table("Table 1: parallel Keccak in leaf interleaving", columns, PRINTED + here, notes=notes, conditions=record.conditions(False, rounds=said.rounds))
    columns = ["program", "1 CPU, s", "MB/s", "all CPUs, s", "MB/s", "speed-up", "efficiency", "answers"]
    notes = ["answers: how many different digests one CPU and all of them gave", f"a file of {said.megabytes} MB in memory, {processors()} cores, minima (medians) of {said.rounds} rounds", NOTES]
    beside = record.table("Table 1, beside it: whole programs over one file in memory, reading included", columns, rows, notes=notes, conditions=record.conditions(False, rounds=said.rounds))
    return [first, beside, *plain]


def without_sha(said, every, digest):
    """OpenSSL's functions on one CPU as on processors without SHA instructions: SHA-256 has none of its own then."""
    if not record.has_sha():
        return []
    some = [(name, own, command) for name, own, command in every if name.startswith("OpenSSL ")]
    one = set(sorted(os.sched_getaffinity(0))[:1])
    runs = {}
    for name, _, command in some:
        runs |= take_turns([Contender(name, command, digest, PLAIN, lambda: os.sched_setaffinity(0, one))], said.rounds)
    rows = [[name, round(turns.least(of, "cpu"), 3), round(said.megabytes / turns.least(of, "cpu"))] for name, of in runs.items()]
    notes = [f"OPENSSL_ia32cap={PLAIN['OPENSSL_ia32cap']}; a file of {said.megabytes} MB in memory, least of {said.rounds} rounds"]
    title = "without SHA instructions: Table 1, beside it"
    return [record.table(title, ["program", "1 CPU, s", "MB/s"], rows, notes=notes, conditions=record.without_sha(record.conditions(False, rounds=said.rounds)))] if rows else []


def simulated(took):
    """{cores: seconds} for 6 and 12 cores that are not here, from the seconds on one and on most: T_p = T_1 (s + (1 - s) / p), s the serial part."""
    most = max(took)
    if most == 1:
        return {}
    serial = min(max((took[most] / took[1] - 1 / most) / (1 - 1 / most), 0), 1)
    return {count: took[1] * (serial + (1 - serial) / count) for count in (6, 12) if count not in took}


def updates(said):
    lines = execute([target() / "examples/incremental", said.greatest]).output.decode().splitlines()
    return record.table("updates and audits over file sizes", ["`examples/incremental`"], [[f"`{line}`"] for line in lines if line.strip()])


def main(words):
    ask = record.arguments("tree", __doc__)
    ask.add_argument("--megabytes", type=int, default=2000, help="the buffer and the file, of 10^6 bytes (%(default)s)")
    ask.add_argument("--greatest", type=int, default=34, help="updates: to 2^N bytes (%(default)s)")
    ask.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    said = record.parse(ask, words)
    if not has_sources():
        said.only = [part for part in said.only if part in ("programs", "others")] or sys.exit("the project's sources are needed: run this in a checkout")
    if {"modes", "updates"} & set(said.only):
        build("-p", "pfh-tree", "--example", "modes", "--example", "incremental")
    tables, versions = [], [["openssl", "version"], ["b3sum", "--version"]]
    if "modes" in said.only:
        tables.append(modes(said))
    if "programs" in said.only:
        program = pfh(said)
        versions.insert(0, [program, "--version"])
        tables += programs(said, program)
    if "others" in said.only and "PFH_TREE_PEER" in os.environ:
        output = execute([os.environ["PFH_TREE_PEER"]]).output.decode()
        tables.append(from_markdown("others over one buffer", output, [os.environ["PFH_TREE_PEER"]]))
    if "updates" in said.only:
        tables.append(updates(said))
    record.finish("tree", said, tables, versions)
