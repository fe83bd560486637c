"""`pfh bag validate` and `create` beside bagit.py.

    bench/run bag DIR [--algorithms md5;sha256;sha512;sha256,sha512] [--processes 1,2] [--rounds 5]

DIR is linked or copied below `data` of a bag in the room, packed by pfh with these algorithms (sets are parted by semicolons). Before a time counts both programs
must find the bag valid, and a copy with one byte changed not. Cached; the programs take turns. BAGIT.PY names bagit.py if it is not on the path.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from . import record
from .program import execute, find, pfh
from .turns import Contender, take_turns


def packed(room, tree, program, algorithms):
    """A bag of a tree, and one whose first file is damaged."""
    bag, damaged = room / "bag", room / "bag-damaged"
    for folder in (bag, damaged):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tree, bag / "data", symlinks=False)
    execute([program, "bag", "create", "-a", algorithms, "--no-progress", bag])
    largest = max((path for path in (bag / "data").rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    shutil.copytree(bag, damaged, copy_function=link)
    victim = damaged / largest.relative_to(bag)
    victim.unlink()
    shutil.copyfile(largest, victim)
    with open(victim, "r+b") as file:
        file.seek(victim.stat().st_size // 2)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 1]))
    return bag, damaged


def link(source, target):
    Path(target).hardlink_to(source)


def judged(command):
    """Whether a program finds a bag valid."""
    return subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def main(words):
    ask = record.arguments("bag", __doc__, rounds=5)
    ask.add_argument("tree", type=Path)
    ask.add_argument("--algorithms", default="md5;sha256;sha512;sha256,sha512", help="of the manifests (%(default)s)")
    ask.add_argument("--processes", default="1,2", help="processes or threads (%(default)s)")
    said = record.parse(ask, words)
    program, bagit, tables = pfh(said), find("bagit.py"), []
    for algorithms in said.algorithms.split(";"):
        bag, damaged = packed(said.room, said.tree, program, algorithms)
        for processes in said.processes.split(","):
            ours = [program, "bag", "validate", "--no-progress", "-q", "-t", processes]
            theirs = [bagit, "--validate", "--quiet", "--processes", processes] if bagit else None
            contenders = []
            for name, command in [("pfh bag validate", ours), ("bagit.py --validate", theirs)]:
                if not command:
                    continue
                if not judged([*command, bag]) or judged([*command, damaged]):
                    sys.exit(f"{name}: the bag must be valid, and the damaged one not")
                contenders.append(Contender(f"{name}, {processes}", [*command, bag]))
            runs = take_turns(contenders, said.rounds)
            title = f"{said.tree} as a bag with {algorithms}, {processes} at a time, warm"
            tables.append(record.of_runs(title, runs, contenders[0].name, ["both find it valid, and a copy with one bit changed not"]))
    record.finish("bag", said, tables, [[program, "--version"], [bagit or "bagit.py", "--version"]])
