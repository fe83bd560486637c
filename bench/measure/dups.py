"""`pfh dups` beside fclones and jdupes on one tree: bytes read, processor time, time that passes.

    bench/run dups DIR [--cache warm|cold] [--rounds 7] [--threads 1,2]
    bench/run dups --small 200000 [--rounds 7]
        that many files of 1 to 4 KiB, made first, of which a tenth is there twice.

Before a time counts, the answers are compared: the same groups, by inode. The bytes are those of read(2) and its kin (rchar in /proc/PID/io) over a run of its own,
and of them those that came from the device with a cold cache (read_bytes). `--cache cold` empties the page cache before each run and needs root. FCLONES names fclones if
it is not on the path (`cargo install fclones`). jdupes has one thread.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from . import record
from .files import noise
from .program import execute, find, forget_cache, may_forget_cache, pfh
from .turns import Contender, take_turns


def inode(path):
    stat = os.stat(path)
    return stat.st_dev, stat.st_ino


def grouped(groups):
    """{group: its size}: a group by the inodes of its files, of which it has two at least."""
    found = {}
    for size, paths in groups:
        members = frozenset(map(inode, paths))
        if len(members) > 1:
            found[str(sorted(members))] = size
    return found


def ours(output):
    lines = [json.loads(line) for line in output.decode().splitlines()]
    return grouped((line["size"], [copy["path"] for copy in line["copies"]]) for line in lines if line["type"] == "group")


def theirs(output):
    return grouped((group["file_len"], group["files"]) for group in json.loads(output)["groups"])


def jdupes(output):
    sets = json.loads(output).get("matchSets", [])
    return grouped((one["fileSize"], [file["filePath"] for file in one["fileList"]]) for one in sets)


def bytes_of(command):
    """Bytes that one run read: by system calls, and from devices."""
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # A process that has ended keeps its counts until somebody asks for its status.
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    counts = dict(line.split(": ") for line in Path(f"/proc/{child.pid}/io").read_text().splitlines())
    child.wait()
    return int(counts["rchar"]), int(counts["read_bytes"])


def small(room, count):
    """A tree of so many small files, each tenth a copy of the one before; made once."""
    tree = room / f"small-{count}"
    if (tree / "done").exists():
        return tree
    noise(room / "small.noise", 4096 + count)
    content = (room / "small.noise").read_bytes()
    for number in range(count):
        folder = tree / f"{number // 1000:04}"
        folder.mkdir(parents=True, exist_ok=True)
        start = number - (number % 10 == 9)
        (folder / str(number)).write_bytes(content[start : start + 1024 + start % 3072])
    (tree / "done").write_bytes(b"")
    return tree


def main(words):
    ask = record.arguments("dups", __doc__, rounds=7)
    ask.add_argument("tree", type=Path, nargs="?")
    ask.add_argument("--small", type=int, help="make and take a tree of so many small files")
    ask.add_argument("--cache", choices=["warm", "cold"], default="warm")
    ask.add_argument("--threads", default="2", help="numbers of threads (%(default)s)")
    said = record.parse(ask, words)
    if (said.tree is None) == (said.small is None):
        ask.error("name a tree, or --small N")
    program, fclones, cold = pfh(said), find("fclones"), said.cache == "cold"
    if cold and not may_forget_cache():
        sys.exit(1)
    tree, tables = said.tree or small(said.room, said.small), []
    for threads in said.threads.split(","):
        contenders = [Contender(f"pfh dups -t {threads}", [program, "dups", "--json", "--no-progress", "-t", threads, tree], ours)]
        if fclones:
            command = [fclones, "group", "--format", "json", "--threads", threads, "--hidden", "--no-ignore", tree]
            contenders.append(Contender(f"fclones -t {threads}", command, theirs))
        if find("jdupes"):
            contenders.append(Contender("jdupes", ["jdupes", "--recurse", "--quiet", "--json", tree], jdupes))
        prepare = forget_cache if cold else lambda: None
        if not cold:
            execute(contenders[0].command)
        runs = take_turns(contenders, said.rounds, prepare)
        notes = []
        for contender in contenders:
            prepare()
            read, device = bytes_of(contender.command)
            notes.append(f"{contender.name}: {read / 1e6:.1f} MB by system calls, {device / 1e6:.1f} MB from devices")
        tables.append(record.of_runs(f"{tree}, {said.cache} cache", runs, contenders[0].name, notes))
    record.finish("dups", said, tables, [[program, "--version"], [fclones or "fclones", "--version"], ["jdupes", "--version"]])
