"""Whole programs beside their peers.

    bench/run compare three  --corpus DIR    md5+sha1+sha256 of a real corpus from one read, warm cache
    bench/run compare small  [--files N]     200,000 files of 1 to 4 KiB, sha256, warm cache
    bench/run compare cold   --corpus DIR    cold cache, against parallel cat with as many readers (root)
    bench/run compare memory [--names N] [--gib N]   peak memory on 1,000,000 names and on a 20 GiB sparse file
    bench/run compare start                  one empty file
    bench/run compare modes  --corpus DIR    adaptive, mtp and smt, warm and (root) cold
    bench/run compare bound  --corpus DIR    warm, one thread: kernel time and time of cat ÷ time of the whole program
    bench/run compare all    --corpus DIR
"""

import random
import re
import sys
from pathlib import Path

from . import answers, files, record
from .program import build, execute, find, forget_cache, may_forget_cache, pfh, target, xargs
from .turns import Contender, take_turns

PEERS = [["hashdeep", "-V"], ["rhash", "--version"], ["sha256sum", "--version"], ["b3sum", "--version"]]


def table(title, contenders, said, reference, prepare=None, **words):
    """The table of contenders that took turns, warm unless `prepare` empties the cache."""
    if prepare is None:
        execute(contenders[0].command)
    return record.of_runs(title, take_turns(contenders, said.rounds, prepare or (lambda: None), **words), reference)


def three(said, program):
    command = [program, "hash", "--no-progress", "-r", "-a", "md5,sha1,sha256", "-f", "hashdeep"]
    contenders = [Contender(f"pfh -t {n}", [*command, "-t", str(n), said.corpus], answers.hashdeep) for n in (1, 2)]
    if rhash := find("rhash"):
        template = r"%{md5} %{sha1} %{sha-256} %p\n"
        contenders.append(Contender("rhash", [rhash, "-r", "--printf", template, said.corpus], answers.fields))
    if hashdeep := find("hashdeep"):
        for threads in (0, 2):
            words = [hashdeep, "-r", "-c", "md5,sha1,sha256", f"-j{threads}", said.corpus]
            contenders.append(Contender(f"hashdeep -j{threads}", words, answers.hashdeep))
    return [table("md5+sha1+sha256 in one read, warm cache", contenders, said, "pfh -t 2")]


def small(said, program):
    folder = said.room / f"small-{said.files}"
    if not folder.exists():
        files.small(folder, said.files)
    command = [program, "hash", "--no-progress", "-r", folder]
    contenders = [
        Contender("pfh sha256", command, answers.sums),
        Contender("find, xargs sha256sum", xargs(folder, "sha256sum"), answers.sums),
        Contender("find, xargs -P 2 -n 500 sha256sum", xargs(folder, "-n 500 sha256sum", 2)),
    ]
    if rhash := find("rhash"):
        contenders.append(Contender("rhash --sha256", [rhash, "-r", "--printf", r"%{sha-256}  %p\n", folder], answers.sums))
    if hashdeep := find("hashdeep"):
        for threads in (0, 2):
            words = [hashdeep, "-r", "-c", "sha256", f"-j{threads}", folder]
            contenders.append(Contender(f"hashdeep -j{threads} sha256", words, answers.hashdeep))
    tables = [table(f"{said.files:,} files of 1 to 4 KiB, sha256, warm cache", contenders, said, "pfh sha256")]
    if b3sum := find("b3sum"):
        contenders = [
            Contender("pfh blake3", [*command, "-a", "blake3"], answers.sums),
            Contender("pfh sha256", command),
            Contender("find, xargs b3sum", xargs(folder, b3sum), answers.sums),
        ]
        tables.append(table(f"{said.files:,} files of 1 to 4 KiB, blake3, warm cache", contenders, said, "pfh sha256"))
    return tables


def cold(said, program):
    tables = []
    for readers in said.readers if may_forget_cache() else []:
        command = [program, "hash", "--no-progress", "-r", "-p", str(readers), said.corpus]
        contenders = [
            Contender(f"pfh -p {readers}", command, answers.sums),
            Contender(f"pfh -p {readers} --order extent", [*command, "--order", "extent"], answers.sums),
            Contender(f"cat, {readers} at a time", xargs(said.corpus, "-n 16 cat > /dev/null", readers)),
        ]
        title = f"cold cache, {readers} readers, sha256 against cat"
        tables.append(table(title, contenders, said, f"pfh -p {readers}", prepare=forget_cache))
    return tables


def memory(said, program):
    names, sparse = said.room / f"names-{said.names}", said.room / f"sparse-{said.gib}"
    if not names.exists():
        files.names(names, said.names)
    if not sparse.exists():
        files.sparse(sparse, said.gib)
    rows = []
    for what, path in ((f"{said.names:,} names", names), (f"{said.gib} GiB sparse file", sparse)):
        for mib in (16, 256):
            peak = execute([program, "hash", "--no-progress", "-r", "-m", str(mib), path]).peak / 2**20
            rows.append([what, mib, round(peak, 1), round(peak - mib, 1)])
    columns = ["hashed", "table, MiB", "peak, MiB", "above the table, MiB"]
    return [record.table("peak memory", columns, rows, notes=["goal: the table and 32 MiB"])]


def start(said, program):
    empty = said.room / "empty"
    empty.touch()
    contenders = [
        Contender("pfh hash", [program, "hash", "--no-progress", empty], answers.sums),
        Contender("sha256sum", ["sha256sum", empty], answers.sums),
    ]
    if rhash := find("rhash"):
        contenders.append(Contender("rhash", [rhash, "--sha256", "--printf", r"%{sha-256}  %p\n", empty], answers.sums))
    runs = take_turns(contenders, 40 * said.rounds, quiet=True)
    return [record.of_runs("start: one empty file", runs, "pfh hash", ["goal: 5 ms by the clock"])]


def modes(said, program):
    command = [program, "hash", "--no-progress", "-r", "-a", "md5,sha1,sha256", "-f", "hashdeep", said.corpus]
    contenders = [Contender(f"pfh --mode {mode}", [*command, "--mode", mode], answers.hashdeep) for mode in ("adaptive", "mtp", "smt")]
    reference = "pfh --mode adaptive"
    tables = [table("modes, md5+sha1+sha256, warm cache", contenders, said, reference)]
    if may_forget_cache():
        tables.append(table("modes, md5+sha1+sha256, cold cache", contenders, said, reference, prepare=forget_cache))
    return tables


BOUND = ["sha256", "md5", "sha512", "sha3-256", "md5,sha1,sha256"]


def bound(said, program):
    """The share of the kernels and of reading in the whole time: the goal is .85."""
    build("-p", "pfh-digest", "--example", "bound")
    kernel = target() / "examples/bound"
    took = {}
    for number in range(said.rounds):
        for algorithms in random.sample(BOUND, len(BOUND)):
            words = execute([kernel, "kernel", algorithms, "--rounds", "1", said.corpus]).output
            seconds = {
                "kernel": float(re.search(rb"least ([0-9.]+) s", words)[1]),
                "cat": execute(xargs(said.corpus, "cat > /dev/null")).cpu,
                "pfh": execute([program, "hash", "--no-progress", "-r", "-t", "1", "-a", algorithms, said.corpus]).cpu,
            }
            for what, value in seconds.items():
                took.setdefault(algorithms, {}).setdefault(what, []).append(value)
        print(f"  {number + 1}/{said.rounds}", file=sys.stderr, flush=True)
    rows = []
    for algorithms in BOUND:
        least = {what: min(values) for what, values in took[algorithms].items()}
        rows.append([algorithms, *(round(value, 3) for value in least.values()), round((least["kernel"] + least["cat"]) / least["pfh"], 2)])
    columns = ["algorithms", "kernel, CPU s", "cat, CPU s", "pfh, CPU s", "share"]
    notes = [f"minima of {said.rounds} rounds, one thread, warm; share: (kernel + cat) ÷ pfh, goal .85"]
    return [record.table("the bound: what kernels and reading take of the whole program", columns, rows, notes=notes, samples=took)]


PARTS = {"three": three, "small": small, "cold": cold, "memory": memory, "start": start, "modes": modes, "bound": bound}


def main(words):
    ask = record.arguments("compare", __doc__)
    ask.add_argument("what", choices=[*PARTS, "all"])
    ask.add_argument("--corpus", type=Path, help="a folder of files; bench/run corpus builds one")
    ask.add_argument("--files", type=int, default=200_000, help="small: so many files (%(default)s)")
    ask.add_argument("--names", type=int, default=1_000_000, help="memory: so many names (%(default)s)")
    ask.add_argument("--gib", type=int, default=20, help="memory: size of the sparse file (%(default)s)")
    ask.add_argument("--readers", type=int, nargs="+", default=[2, 6], help="cold: readers at a time")
    said = record.parse(ask, words)
    chosen = list(PARTS) if said.what == "all" else [said.what]
    if not said.corpus and {"three", "cold", "modes", "bound"} & set(chosen):
        ask.error("--corpus is needed: bench/run corpus builds one")
    if said.record is not None:
        said.record = "-".join(filter(None, [said.what, said.record]))
    program = pfh(said)
    tables = [table for name in chosen for table in PARTS[name](said, program)]
    record.finish("compare", said, tables, [[program, "--version"], *PEERS])
