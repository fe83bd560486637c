"""One large cached file under tree algorithms: pfh, another build of it, and b3sum, in turns.

    bench/run warm [--pfh PFH] [--former PFH] [--megabytes 1024] [--rounds 9] [--isa auto,avx2,sse4.1,portable]

CPU seconds (user and system) of whole processes, with page faults; seconds that pass beside them. Before a time counts the digests of all programs,
with each number of threads and PFH_ISA, are compared. B3SUM names b3sum if it is not on the path. The file is random bytes in memory.
"""

import os
import tempfile
from pathlib import Path

from . import record, turns
from .files import noise
from .program import find, pfh
from .turns import Contender, take_turns


def first_word(output):
    return {"file": next(line for line in output.decode().splitlines() if not line.startswith("#")).split()[0]}


def contenders(algorithm, said, program, file):
    for name, binary in [("pfh", program), ("former pfh", said.former)]:
        for isa in said.isa.split(",") if binary else []:
            for threads in [1, 2] if isa == "auto" else [1]:
                level = {} if isa == "auto" else {"PFH_ISA": isa}
                command = [binary, "hash", "-a", algorithm, "-t", str(threads), file]
                yield Contender(f"{name} -t {threads}, {isa}", command, first_word, level)
    b3sum = find("b3sum") if algorithm == "blake3" else None
    for words in (["--no-mmap", "--num-threads", "1"], ["--num-threads", "1"], ["--no-mmap"], []) if b3sum else []:
        yield Contender(" ".join(["b3sum", *words]), [b3sum, *words, file], first_word)


def main(words):
    ask = record.arguments("warm", __doc__, rounds=9)
    ask.add_argument("--former", type=Path, help="another build to compare with")
    ask.add_argument("--megabytes", default=1024, type=int, help="size of the file, of 2^20 bytes (%(default)s)")
    ask.add_argument("--isa", default="auto,avx2,sse4.1,portable", help="levels of PFH_ISA (%(default)s)")
    said = record.parse(ask, words)
    program, tables = pfh(said), []
    with tempfile.NamedTemporaryFile(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as file:
        noise(file.name, said.megabytes << 20)
        for algorithm in ["blake3", "kt128"]:
            runs = take_turns(list(contenders(algorithm, said, program, file.name)), said.rounds)
            rows = []
            for name, some in runs.items():
                figures = [round(turns.least(some, "cpu"), 3), round(turns.median(some, "cpu"), 3)]
                parts = f"{turns.least(some, 'user'):.2f} + {turns.least(some, 'system'):.2f}"
                wall = [round(turns.least(some, "wall"), 2), round(turns.median(some, "wall"), 2)]
                rows.append([name, *figures, parts, int(turns.median(some, "faults")), *wall])
            columns = ["program", "CPU s, least", "median", "user + system, least", "page faults", "wall s, least", "median"]
            notes = [f"{said.megabytes} MiB in memory, {said.rounds} rounds; digests equal in each row"]
            tables.append(record.table(f"{algorithm} of one warm file", columns, rows, notes=notes))
    record.finish("warm", said, tables, [[program, "--version"], ["b3sum", "--version"]])
