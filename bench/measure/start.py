"""What a start costs: pfh beside programs that hash one small file.

    bench/run start [--pfh PFH] [--former PFH] [--rounds 101]

Milliseconds of the processor (user and system) of whole processes that take turns, on a file of two bytes; digests are compared before a time counts.
Threads and system calls are counted by strace in a run of their own.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import record, turns
from .program import find, pfh
from .turns import Contender, take_turns


def digest(output):
    return {"file": re.search(rb"\b[0-9a-f]{64}\b", output).group()}


def contenders(said, program, file):
    for name, binary in [("pfh", program), ("former pfh", said.former)]:
        if binary:
            yield Contender(f"{name} hash FILE", [binary, "hash", file], digest)
            yield Contender(f"{name} --version", [binary, "--version"])
    for name, words in [("sha256sum", []), ("hashdeep", ["-c", "sha256"]), ("rhash", ["--sha256"])]:
        if find(name):
            yield Contender(name, [find(name), *words, file], digest)
    if find("b3sum"):
        yield Contender("b3sum", [find("b3sum"), file])


def calls(command):
    """(threads beside the first, system calls) of a command."""
    if not shutil.which("strace"):
        return "", ""
    with tempfile.NamedTemporaryFile() as log:
        subprocess.run(["strace", "-f", "-q", "-o", log.name, *map(str, command)], stdout=subprocess.DEVNULL, check=True)
        lines = Path(log.name).read_text(errors="replace").splitlines()
    made = [line for line in lines if re.search(r" clone3?\(", line) and "unfinished" not in line or "<... clone" in line]
    return len(made), sum("resumed>" not in line and "+++" not in line and "---" not in line for line in lines)


def main(words):
    ask = record.arguments("start", __doc__, rounds=101)
    ask.add_argument("--former", type=Path, help="another build to compare with")
    said = record.parse(ask, words)
    program = pfh(said)
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"a\n")
        file.flush()
        all_of_them = list(contenders(said, program, file.name))
        runs = take_turns(all_of_them, said.rounds, quiet=True)
        rows = []
        for contender in all_of_them:
            some = runs[contender.name]
            figures = [round(1000 * turns.least(some, "cpu"), 2), round(1000 * turns.median(some, "cpu"), 2)]
            rows.append([contender.name, *figures, *calls(contender.command)])
    columns = ["program", "CPU ms, least", "median", "threads beside the first", "system calls"]
    tables = [record.table("One file of two bytes", columns, rows, notes=[f"{said.rounds} rounds; digests of SHA-256 equal"])]
    record.finish("start", said, tables, [[program, "--version"], ["sha256sum", "--version"], ["b3sum", "--version"], ["hashdeep", "-V"], ["rhash", "--version"]])
