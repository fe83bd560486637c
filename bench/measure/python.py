"""The module pfh beside hashlib, and beside the program: many messages, files, one file.

    bench/run python TREE --pfh VENV/bin/pfh --commit NAME [--program target/release/pfh] [--rounds 9]

VENV has a wheel that was built for release, and pyarrow. All contenders of a table take turns in one process of VENV's Python, in random order; answers are
compared before anything is measured. TREE is read from the page cache. `--program` is the native program (the wheel's command if it is not given).
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from . import record
from .turns import least, median


class Sample(NamedTuple):
    """One run within a process: seconds."""

    cpu: float
    wall: float
    peak: int = 0


#: The script that VENV's Python runs: it prints {table: {contender: [[cpu, wall], …]}}.
WORK = r"""
import hashlib, json, os, random, resource, subprocess, sys, time
import pfh
import pyarrow

tree, large, program, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
chance = random.Random(15)
messages = [chance.randbytes(4096) for _ in range(10_000)]


def loop():
    return [hashlib.sha256(message).digest() for message in messages]


column = pyarrow.array(messages, pyarrow.binary())


def many():
    return pfh.hash_many(messages, "sha256")


# On one thread, with objects of Python on both sides, and without any: the time of the kernels.
def objects():
    return pfh.hash_many(messages, "sha256", threads=1)


def kernels():
    return pfh.hash_many(column, "sha256", threads=1, into="arrow")


def walked():
    return list(pfh.hash_files([tree], ["sha256"], recursive=True))


def by_program():
    command = [program, "hash", "-r", "--no-progress", "-a", "sha256", "-f", "jsonl", tree]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def digests(answer):
    # Answers of files in one form; the time for this is not measured.
    if isinstance(answer, pfh.Column):
        return pyarrow.array(answer).to_pylist()
    if isinstance(answer, bytes):
        lines = map(json.loads, answer.splitlines())
        return sorted((line["path"], line["digests"]["sha256"]) for line in lines if line.get("type") == "file")
    return sorted((record.path, record["sha256"].hex()) for record in answer) if isinstance(answer[0], pfh.Hashed) else answer


def of_file(module):
    def digest():
        with open(large, "rb") as file:
            return module.file_digest(file, "sha256").hexdigest()
    return digest


TABLES = {
    "many": {"hashlib": loop, "pfh.hash_many": many},
    "objects": {"objects": objects, "kernels": kernels},
    "files": {"program": by_program, "pfh.hash_files": walked},
    "file": {"hashlib.file_digest": of_file(hashlib), "pfh.file_digest": of_file(pfh)},
}


def used():
    mine, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in (mine, theirs))


found = {}
for table, contenders in TABLES.items():
    # The first call of each loads its modules, and its answer is compared.
    answers = {name: digests(work()) for name, work in contenders.items()}
    one = next(iter(answers.values()))
    if not one or any(answer != one for answer in answers.values()):
        sys.exit(f"{table}: {' and '.join(answers)} disagree")
    found[table] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name in random.sample(list(contenders), len(contenders)):
            cpu, wall = used(), time.perf_counter()
            contenders[name]()
            found[table][name].append([used() - cpu, time.perf_counter() - wall])
print(json.dumps(found))
"""


def main(words):
    ask = record.arguments("python", __doc__, rounds=9)
    ask.add_argument("tree", type=Path)
    ask.add_argument("--program", type=Path, help="the native program, of the same commit")
    said = record.parse(ask, words)
    if not said.pfh or not (said.pfh.parent / "python").exists():
        sys.exit("--pfh must name the command of a wheel that is installed in an environment of its own")
    python, program = said.pfh.parent / "python", (said.program or said.pfh).resolve()
    large = said.room / "python-256MiB"
    if not large.exists():
        large.write_bytes(bytes(range(256)) * 4096 * 256)
    run = subprocess.run([python, "-c", WORK, said.tree, large, program, str(said.rounds)], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit(run.returncode)
    found = {table: {name: [Sample(*some) for some in runs] for name, runs in of.items()} for table, of in json.loads(run.stdout).items()}

    def gain(table, base, ours):
        """How many times as fast as the base: of minima, and of medians."""
        runs = found[table]
        return " and ".join(f"{which(runs[base], 'wall') / which(runs[ours], 'wall'):.2f}" for which in (least, median))

    tables = [
        record.of_runs("10,000 messages of 4 KiB, sha256", found["many"], "hashlib", [f"times as fast as hashlib, least and median: {gain('many', 'hashlib', 'pfh.hash_many')} (wanted: 5)"]),
        record.of_runs("the same on one thread: a list of bytes to a list of bytes, and an Arrow column to a column", found["objects"], "kernels", [
            f"speed with objects beside that of the kernels alone, least and median: {gain('objects', 'kernels', 'objects')} (wanted: 0.9)",
        ]),
        record.of_runs(f"{said.tree}, warm cache, sha256", found["files"], "program", [
            f"speed beside the program, least and median: {gain('files', 'program', 'pfh.hash_files')} (wanted: 0.95)",
            "the program is started each time, and writes its list into a pipe; the module makes a record of each file",
        ]),
        record.of_runs("one file of 256 MiB, warm cache, sha256", found["file"], "hashlib.file_digest", [f"times as fast as hashlib, least and median: {gain('file', 'hashlib.file_digest', 'pfh.file_digest')} (wanted: 1)"]),
    ]  # fmt: skip
    record.finish("python", said, tables, [[python, "--version"], [program, "--version"]])
