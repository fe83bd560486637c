"""Files in images and archives: pfh with one and with several threads, beside the programs that unpack them.

    bench/run decoding DIR [--pfh PFH] [--former PFH] [--threads 2] [--rounds 5]

DIR is the tree that goes into each container (some 10,000 files of 200 MB). All containers are made of it first. Seconds by the clock and of the
processor (user and system) of whole processes that take turns; the rows of pfh are compared before a time counts.

The last table is a model: n processors take all seconds of one thread / n, and never less than the listing of the names, which one thread does: its
processor time by `--stats json` (names_s) of a run with several threads, which decode ahead of it. It knows no waiting for memory or locks.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import record, turns
from .program import find, pfh
from .turns import Contender, take_turns

MAKE = {
    "files.sqsh": ["mksquashfs", "{tree}", "{to}", "-quiet", "-no-progress", "-noappend"],
    "files.erofs": ["mkfs.erofs", "--quiet", "-zlz4", "{to}", "{tree}"],
    "files.zip": ["sh", "-c", 'cd "$0" && zip -qr "$1" .', "{tree}", "{to}"],
    "files.tar": ["tar", "-cf", "{to}", "-C", "{tree}", "."],
    "files.tgz": ["tar", "-czf", "{to}", "-C", "{tree}", "."],
    "files.txz": ["sh", "-c", 'tar -cf - -C "$0" . | xz -T2 -1 --block-size=4MiB >"$1"', "{tree}", "{to}"],
    "files.tbz": ["sh", "-c", 'tar -cf - -C "$0" . | bzip2 -1 >"$1"', "{tree}", "{to}"],
    "files.tzst": ["sh", "-c", 'tar -cf - -C "$0" . | pzstd -q -3 >"$1"', "{tree}", "{to}"],
    "files.tlz4": ["sh", "-c", 'tar -cf - -C "$0" . | lz4 -q >"$1"', "{tree}", "{to}"],
    "files.7z": ["7z", "a", "-bso0", "-bsp0", "-mx1", "{to}", "{tree}/."],
    "files.raw": ["sh", "-c", 'truncate -s "$2" "$1" && mkfs.ext4 -q -d "$0" "$1"', "{tree}", "{to}", "{size}"],
    "files.E01": ["sh", "-c", 'ewfacquire -u -q -c fast -S 7EiB -t "${1%.E01}" "${1%.E01}.raw" >/dev/null 2>&1', "-", "{to}"],
    "files.qcow2": ["sh", "-c", 'qemu-img convert -c -O qcow2 "${1%.qcow2}.raw" "$1"', "-", "{to}"],
}
PEERS = {
    "files.sqsh": [["7z", "t"]],
    "files.zip": [["unzip", "-qt"], ["7z", "t"]],
    "files.tar": [["bsdtar", "-xOf"], ["tar", "-xOf"]],
    "files.tgz": [["bsdtar", "-xOf"], ["tar", "-xzOf"]],
    "files.txz": [["bsdtar", "-xOf"], ["tar", "-xJOf"]],
    "files.tbz": [["bsdtar", "-xOf"], ["tar", "-xjOf"]],
    "files.tzst": [["bsdtar", "-xOf"], ["tar", "--zstd", "-xOf"]],
    "files.tlz4": [["bsdtar", "-xOf"]],
    "files.7z": [["7z", "t"]],
    "files.E01": [["ewfverify", "-q"]],
}


# Containers whose names stand apart from the contents: the names of a compressed tar are in its stream.
LISTED = (".sqsh", ".erofs", ".zip", ".raw", ".E01", ".qcow2")


def rows(output):
    return {line[66:]: line[:64] for line in output.splitlines() if not line.startswith(b"#")}


def contenders(said, program, container):
    for name, binary in [("pfh", program), ("former pfh", said.former)]:
        for threads in (1, said.threads) if binary else ():
            command = [binary, "hash", "--inside", "-q", "-t", str(threads), container]
            yield Contender(f"{name} -t {threads}", command, rows)
    for words in PEERS.get(container.name, []):
        if find(words[0]):
            yield Contender(" ".join(words), [*words, container])


def names_seconds(run):
    """Processor seconds of the thread that listed the names."""
    said = subprocess.run(run, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).stderr
    return json.loads(next(line for line in said.splitlines() if line.startswith(b"{")))["names_s"]


def modelled(said, program, container, alone):
    """Times of one thread for 2 to 64 processors."""
    run = [program, "hash", "-t", str(said.threads), "--inside", "--no-progress", "--stats", "json", container]
    listing = min(names_seconds(run) for _ in range(said.rounds))
    return [container.name, round(alone, 3), round(listing, 3), *(round(alone / max(alone / n, listing), 1) for n in (2, 4, 8, 16, 64))]


def make(room, tree):
    """The containers that the programs here can make."""
    size = sum(file.stat().st_size + 4096 for file in tree.rglob("*") if file.is_file()) * 5 // 4 + (64 << 20)
    # Whole chunks: ewfverify refuses what ewfacquire makes of others.
    size = -(-size // (1 << 20)) << 20
    for name, words in MAKE.items():
        if shutil.which(words[0]):
            line = [word.format(tree=tree, to=room / name, size=size) for word in words] if words[0] != "sh" else [
                {"{tree}": str(tree), "{to}": str(room / name), "{size}": str(size)}.get(word, word) for word in words
            ]
            subprocess.run(line, stdout=subprocess.DEVNULL, check=True)
            yield room / name


def main(words):
    ask = record.arguments("decoding", __doc__, rounds=5)
    ask.add_argument("tree", type=Path)
    ask.add_argument("--former", type=Path, help="another build to compare with")
    ask.add_argument("--threads", default=2, type=int, help="threads beside one (%(default)s)")
    said = record.parse(ask, words)
    program, tables, model = pfh(said), [], []
    with tempfile.TemporaryDirectory() as room:
        for container in make(Path(room), said.tree.resolve()):
            runs = take_turns(list(contenders(said, program, container)), said.rounds)
            alone = turns.least(runs["pfh -t 1"], "wall")
            table = []
            for name, some in runs.items():
                wall = [round(turns.least(some, "wall"), 3), round(turns.median(some, "wall"), 3)]
                cpu = [round(turns.least(some, "cpu"), 3), round(turns.median(some, "cpu"), 3)]
                table.append([name, *wall, *cpu, round(alone / turns.least(some, "wall"), 2)])
            columns = ["program", "wall s, least", "median", "CPU s, least", "median", "times pfh -t 1"]
            tables.append(record.table(container.name, columns, table, notes=["rows of pfh equal"]))
            if container.suffix in LISTED:
                model.append(modelled(said, program, container, turns.least(runs["pfh -t 1"], "cpu")))
    columns = ["container", "CPU s of one thread", "of them names", *(f"{n} processors: times" for n in (2, 4, 8, 16, 64))]
    tables.append(record.table("A model of more processors", columns, model))
    record.finish("decoding", said, tables, [[program, "--version"], ["7z", "--help"], ["unzip", "-v"], ["bsdtar", "--version"]])
