"""The audit and the trees of Lopes, Franqueira & Hobson, Efficient computation of hashes, as far as they are questions of yes and no.

    bench/run audits [--pfh PFH] [--megabytes 16] [--json] [--record]

Figure 1: `pfh audit demo`, a server that keeps digests and no data, under the plain challenge and under ours.
Incremental hashing: a byte of a file of MEGABYTES is changed, its tree of either Sakura mode updated, and the root compared with the digest of the whole file; pieces in
any order; a catalogue and a file that is not in it; a directory that is watched while it changes.
"""

import json
import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from . import record
from .answers import sums
from .files import noise
from .program import execute, pfh

MODES = {"leaf interleaving": "sakura-li-128,leaves=256,block=1344", "final node growing": "sakura-fng-128,block=4096"}


def lines(command, room):
    return [json.loads(line) for line in execute(command, cwd=room, may_fail=True).output.splitlines()]


def figure1(program, megabytes):
    names = {
        ("plain", "honest"): "honest, plain challenge", ("plain", "digests"): "digest alone, plain challenge",
        ("leaves", "honest"): "honest, challenge over leaves", ("leaves", "digests"): "digest alone, challenge over leaves",
        ("leaves", "replay"): "an earlier answer, challenge over leaves",
    }  # fmt: skip
    scenes = lines([program, "audit", "demo", "--json", "--size", f"{megabytes}MiB"], None)
    rows = [[names[one["challenge"], one["server"]], one["keeps_bytes"], one["question_bytes"], one["answer_bytes"], 1 if one["passes"] else 0, one["reason"]] for one in scenes]
    notes = [f"a file M of {megabytes} MiB; H is SHA-256; passes: 1, and 0 where the answer is rejected; `pfh audit demo` stages it"]
    return record.table("Fig. 1: the audit", ["server and challenge", "keeps, bytes", "question, bytes", "answer, bytes", "passes", "why not"], rows, notes=notes)


def digest(program, room, algorithm, name):
    return next(found[0] for found in sums(execute([program, "hash", "--no-progress", "-a", algorithm, name], cwd=room).output).values()).decode()


def increment(program, room, mode, algorithm, size):
    """A byte in the middle is another one."""
    name, tree = mode.split()[0], mode.split()[0] + ".tree"
    noise(room / name, size)
    execute([program, "tree", "build", "-a", algorithm, name, "--outboard", tree, "--no-progress"], cwd=room)
    with open(room / name, "r+b") as file:
        file.seek(size // 2)
        old = file.read(1)
        file.seek(size // 2)
        file.write(bytes([old[0] ^ 1]))
    done = lines([program, "tree", "update", name, "--outboard", tree, "--range", f"{size // 2}:1", "--json", "--no-progress"], room)[-1]
    read = sum(part["length"] for part in done["changed"])
    same = done["root"] == digest(program, room, algorithm, name)
    return [mode, f"{algorithm}, {size} bytes", round(read / size, 5), 1 if same else 0]


def pieces(program, room, size):
    noise(room / "whole", size)
    data, length = (room / "whole").read_bytes(), size // 7 + 1
    listed = []
    for at in range(0, size, length):
        (room / f"piece{at}").write_bytes(data[at : at + length])
        listed.append(f"{at} piece{at}")
    random.Random(7).shuffle(listed)
    (room / "pieces").write_text("\n".join(listed) + "\n")
    done = lines([program, "tree", "build", "-a", MODES["final node growing"], "--pieces-from", "pieces", "--outboard", "pieces.tree", "--json", "--no-progress"], room)[-1]
    return ["pieces in any order", f"{len(listed)} pieces, shuffled", None, 1 if done["root"] == digest(program, room, MODES["final node growing"], "whole") else 0]


def site(room, name, count=50):
    (room / name).mkdir()
    for number in range(count):
        (room / name / f"{number:03}").write_bytes(os.urandom(1000))


def dark(program, room):
    """Files that lie on the storage and are in no catalogue."""
    site(room, "dark")
    execute([program, "tree", "build", "dark"], cwd=room)
    (room / "dark/in no catalogue").write_text("dark data")
    found = execute([program, "tree", "check", "dark"], cwd=room, may_fail=True).output.decode()
    return ["a catalogue and a file beside it", "50 files, 1 of dark data", None, 1 if "1 added" in found and "0 changed" in found else 0]


def watched(program, room):
    """The root that is printed after a change is that of the directory."""
    site(room, "watched")
    execute([program, "tree", "build", "watched"], cwd=room)
    child = subprocess.Popen([str(program), "tree", "watch", "watched", "--json"], cwd=room, stdout=subprocess.PIPE, text=True)
    try:
        updates = lambda: next(line for line in map(json.loads, child.stdout) if line["type"] == "updated")
        updates()
        (room / "watched/007").write_text("changed")
        began = time.perf_counter()
        root, took = updates()["root"], time.perf_counter() - began
    finally:
        child.send_signal(signal.SIGINT)
        child.wait()
    execute([program, "tree", "build", "watched", "--outboard", "again.tree"], cwd=room)
    same = root == execute([program, "tree", "build", "watched", "--outboard", "again.tree"], cwd=room).output.split()[0].decode()
    return ["a watched directory", f"1 of 50 files changed, followed in {took:.2f} s", None, 1 if same else 0]


def main(words):
    ask = record.arguments("audits", __doc__)
    ask.add_argument("--megabytes", type=int, default=16, help="the file, in MiB (%(default)s)")
    said = record.parse(ask, words)
    program = pfh(said)
    tables = [figure1(program, said.megabytes)]
    with tempfile.TemporaryDirectory(prefix="pfh-audits-") as place:
        room = Path(place)
        rows = [increment(program, room, mode, algorithm, said.megabytes << 20) for mode, algorithm in MODES.items()]
        rows += [pieces(program, room, said.megabytes << 20), dark(program, room), watched(program, room)]
    notes = ["the root is that of the whole file: 1; another: 0; leaf interleaving deals blocks out to leaves, so a leaf has parts all over the file"]
    columns = ["what", "how", "read, of the file", "root is that of the whole file"]
    tables.append(record.table("incremental hashing, pieces and catalogues", columns, rows, notes=notes))
    record.finish("audits", said, tables, [[program, "--version"]])
