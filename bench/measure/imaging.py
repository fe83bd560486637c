"""Acquisition beside dd, dc3dd, dcfldd and ewfacquire. Root, for loop devices.

    bench/run imaging throttled [--sizes 64,128,256] [--rates 131:57,221:105]
        Tables II and III of "Multi-threading in disk cloner" (Panichprecha et al.): two loop devices, reading throttled to R MB/s and
        writing to W MB/s by the kernel's block controller, against dd bs=64M with direct input and output. Sizes in MB of 10^6 bytes; the
        paper's 1, 5, 10 and 20 GB are 1024, 5120, 10240 and 20480 of them. It prints no rates of its disks: these two pairs follow
        from its times (IDE, SATA). The bound is max(size/R, size/W).
    bench/run imaging blocks [--sizes 256] [--blocks 1MiB,4MiB,16MiB,64MB] [--counts 2,3,5,16]
        The optimum of blocks and buffers that the paper leaves to future work: `pfh acquire --block --blocks` on the same throttled
        devices, over sizes of a block and numbers of blocks; the paper's are 64 MB and at most five.
    bench/run imaging hashing [--mib 512]   CPU seconds per GiB with digests on the fly, from and to memory
    bench/run imaging e01 [--mib 512] [--corpus DIR]   E01 with fast compression against ewfacquire -c fast
    bench/run imaging all

Copies are compared, and digests must agree with hashlib's, before any time counts.
"""

import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from . import record, turns
from .files import noise
from .program import execute, find, pfh

# Seconds of dd and of the paper's threads, as printed, by the rates that follow from them and the size in MB.
PRINTED = {
    (131, 57): {1024: (25.8861, 18.1065), 5120: (132.7290, 90.6395), 10240: (272.7912, 184.5390), 20480: (571.5106, 384.6210)},
    (221, 105): {1024: (14.3621, 10.1556), 5120: (72.0524, 49.0263), 10240: (143.9062, 97.4820), 20480: (287.5482, 194.5674)},
}
BLKIO = Path("/sys/fs/cgroup/blkio")


def digest(path, name):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, name).hexdigest()


@contextmanager
def loop(path, *options):
    command = ["losetup", "-f", "--show", "--direct-io=on", *options, str(path)]
    device = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    try:
        yield device
    finally:
        subprocess.run(["losetup", "-d", device], check=True)


@contextmanager
def throttle(source, target, read, write):
    """A control group whose members read `source` and write `target` no faster than so many bytes a second."""
    group = BLKIO / f"pfh-bench-{os.getpid()}"
    group.mkdir()

    def number(device):
        found = os.stat(device).st_rdev
        return f"{os.major(found)}:{os.minor(found)}"

    (group / "blkio.throttle.read_bps_device").write_text(f"{number(source)} {read}")
    (group / "blkio.throttle.write_bps_device").write_text(f"{number(target)} {write}")
    try:
        yield lambda: (group / "tasks").write_text(str(os.getpid()))
    finally:
        group.rmdir()


def in_turns(ways, rounds, check, prepare=lambda: None, **words):
    """{name: [Run]}: `check` ends the benchmark if a run made another copy or said another digest."""
    runs = {name: [] for name in ways}
    for _ in range(rounds):
        for name in random.sample(list(ways), len(ways)):
            prepare()
            run = execute(ways[name], errors=True, **words)
            if not check(name, run.output):
                sys.exit(f"{name}: not the source's copy or digest")
            runs[name].append(run._replace(output=b""))
    return runs


def clone(said, program, room, read, write, size):
    """Seconds of dd, of threads with the paper's blocks, and of those with the default ones."""
    source, target, length = room / "source", room / "target", size * 1_000_000 // 512 * 512
    noise(source, length)
    target.write_bytes(b"")
    os.truncate(target, length)
    with loop(source, "-r") as read_from, loop(target) as write_to:
        with throttle(read_from, write_to, read * 1_000_000, write * 1_000_000) as enter:
            ours = [program, "acquire", read_from, "--to", write_to, "--force", "--no-progress", "--log", room / "log", "--map", room / "map"]
            ways = {
                "dd": ["dd", f"if={read_from}", f"of={write_to}", "bs=64M", "iflag=direct,fullblock", "oflag=direct", "conv=fsync"],
                "paper": [*ours, "--block", "64MB", "--blocks", "5"],
                "default": ours,
            }
            same = digest(source, "md5")
            equal = lambda name, output: digest(target, "md5") == same
            runs = in_turns(ways, said.rounds, equal, before=enter)
    return [round(turns.least(runs[name], "wall"), 3) for name in ways]


def throttled_table(said, program, room, read, write):
    printed = PRINTED.get((read, write), {})
    measured = {int(size): None for size in said.sizes.split(",")}
    rows, paper, groups = [], [], {}
    for size in sorted({*measured, *printed}):
        theirs = printed.get(size)
        found = clone(said, program, room, read, write, size) if size in measured else [None] * 3
        bound = round(max(size / read, size / write), 3)
        rows.append([f"{size} MB", *found, bound, f"{found[0] / found[1]:.2f}x" if found[0] else None])
        paper.append([f"{size} MB", *theirs, None, None, f"{theirs[0] / theirs[1]:.2f}x"] if theirs else None)
        bars = {"dd, paper": theirs[0], "threads, paper": theirs[1]} if theirs else {}
        bars |= {"dd, here": found[0], "threads, here": found[1]} if found[0] else {}
        groups[f"{size} MB"] = bars
    notes = [
        "loop devices, throttled by the kernel's block controller; direct input and output; "
        f"minimum of {said.rounds} rounds; the bound is max(size/R, size/W)",
        "threads: `pfh acquire`, with the paper's at most five blocks of 64 MB, and with its own; the gain is that of the paper's",
        "the paper's rates follow from its times: it prints none; the times of a table are drawn on one scale",
    ]
    name = {(131, 57): "Table II and Figure 2, IDE", (221, 105): "Table III and Figure 3, SATA"}.get((read, write), "as Tables II and III")
    title = f"{name}: cloning, {read} MB/s read, {write} MB/s written"
    columns = ["size", "dd bs=64M, s", "threads, 64 MB x 5, s", "threads, 1 MiB x 64 (default), s", "bound, s", "faster"]
    return record.table(title, columns, rows, paper if any(paper) else None, notes, conditions=["throttled", *record.conditions(True, rounds=said.rounds)], bars=record.bars("s", groups))


def throttled(said, program, room):
    if os.geteuid() != 0 or not BLKIO.is_dir():
        sys.exit(f"needs root and the block controller of cgroup version 1 in {BLKIO}")
    rates = [tuple(int(rate) for rate in pair.split(":")) for pair in said.rates.split(",")]
    return [throttled_table(said, program, room, read, write) for read, write in rates]


def blocks_table(said, program, room, read, write):
    """Seconds of one copy over sizes of a block and numbers of blocks."""
    size = int(said.sizes.split(",")[-1])
    source, target, length = room / "source", room / "target", size * 1_000_000 // 512 * 512
    noise(source, length)
    target.write_bytes(b"")
    os.truncate(target, length)
    blocks, counts = said.blocks.split(","), said.counts.split(",")
    with loop(source, "-r") as read_from, loop(target) as write_to:
        with throttle(read_from, write_to, read * 1_000_000, write * 1_000_000) as enter:
            ours = [program, "acquire", read_from, "--to", write_to, "--force", "--no-progress", "--log", room / "log", "--map", room / "map"]
            ways = {f"{block} x {count}": [*ours, "--block", block, "--blocks", count] for block in blocks for count in counts}
            ways["default"], ways["auto"] = ours, [*ours, "--block", "auto"]
            equal = lambda name, output: digest(source, "md5") == digest(target, "md5")
            runs = in_turns(ways, said.rounds, equal, before=enter)
    took = {name: round(turns.least(some, "wall"), 3) for name, some in runs.items()}
    rows = [[block, *(took[f"{block} x {count}"] for count in counts)] for block in blocks]
    rows.append(["default (1MiB x 64)", took["default"], *[None] * (len(counts) - 1)])
    rows.append(["auto", took["auto"], *[None] * (len(counts) - 1)])
    notes = [f"{size} MB at {read} MB/s read and {write} MB/s written; minimum of {said.rounds} rounds; the bound is {max(size / read, size / write):.2f} s"]
    return record.table(f"the cloner's blocks, {read}:{write} MB/s", ["block", *(f"{count} blocks, s" for count in counts)], rows, notes=notes)


def blocks(said, program, room):
    if os.geteuid() != 0 or not BLKIO.is_dir():
        sys.exit(f"needs root and the block controller of cgroup version 1 in {BLKIO}")
    rates = [tuple(int(rate) for rate in pair.split(":")) for pair in said.rates.split(",")]
    return [blocks_table(said, program, room, read, write) for read, write in rates]


def hashing(said, program, room):
    source, image = room / "source", room / "image"
    noise(source, said.mib << 20)
    ways = {
        f"pfh {names}": [program, "acquire", source, "--to", image, "--force", "--cached", "--no-progress", "-a", names]
        for names in ("md5,sha256", "md5,sha1,sha256", "sha256,blake3")
    }
    if dc3dd := find("dc3dd"):
        ways["dc3dd md5,sha256"] = [dc3dd, f"if={source}", f"of={image}", "hash=md5", "hash=sha256"]
    if dcfldd := find("dcfldd"):
        ways["dcfldd md5,sha256"] = [dcfldd, f"if={source}", f"of={image}", "hash=md5,sha256", "bs=1M"]
    right = {name: digest(source, name).encode() for name in ("md5", "sha256")}
    check = lambda name, output: all(value in output for kind, value in right.items() if kind in name)
    runs = in_turns(ways, said.rounds, check, lambda: image.unlink(missing_ok=True))
    rows = [[name, *per_gib(some, said.mib / 1024)] for name, some in runs.items()]
    columns = ["program and digests", "CPU s a GiB, least", "median", "wall s a GiB, least"]
    return [record.table(f"digests on the fly, {said.mib} MiB, memory to memory", columns, rows)]


def per_gib(runs, gib):
    figures = turns.least(runs, "cpu"), turns.median(runs, "cpu"), turns.least(runs, "wall")
    return [round(figure / gib, 3) for figure in figures]


def e01(said, program, room):
    source = room / "source"
    if said.corpus:
        with open(source, "wb") as file:
            for path in sorted(said.corpus.rglob("*")):
                if path.is_file() and file.tell() < said.mib << 20:
                    file.write(path.read_bytes())
            file.truncate(file.tell() // 512 * 512)
    else:
        noise(source, said.mib << 20)
    md5, sizes = digest(source, "md5").encode(), {}
    options = ["--force", "--cached", "--no-progress", "-a", "md5,sha1", "--split", "2000000000"]
    ways = {"pfh acquire": [program, "acquire", source, "--to", room / "ours.E01", *options]}
    if ewfacquire := find("ewfacquire"):
        options = ["-u", "-q", "-c", "fast", "-d", "sha1", "-S", "2000000000", "-t", room / "theirs"]
        ways["ewfacquire -c fast"] = [ewfacquire, *options, source]

    def clear():
        for old in [*room.glob("theirs*"), *room.glob("ours*")]:
            old.unlink()

    def check(name, output):
        sizes[name] = sum(path.stat().st_size for path in [*room.glob("theirs.E*"), *room.glob("ours.E*")])
        return md5 in output

    runs = in_turns(ways, said.rounds, check, clear)
    rows = [
        [name, *(round(of(some, what), 3) for what, of in (("wall", turns.least), ("wall", turns.median), ("cpu", turns.least))), sizes[name]]
        for name, some in runs.items()
    ]
    columns = ["program", "wall s, least", "median", "CPU s, least", "bytes"]
    return [record.table(f"E01 with fast compression, {source.stat().st_size >> 20} MiB", columns, rows)]


PARTS = {"throttled": throttled, "blocks": blocks, "hashing": hashing, "e01": e01}


def main(words):
    ask = record.arguments("imaging", __doc__, rounds=3)
    ask.add_argument("what", choices=[*PARTS, "all"])
    ask.add_argument("--sizes", default="64,128,256", help="throttled: MB (%(default)s)")
    ask.add_argument("--rates", default="131:57,221:105", help="throttled: MB/s read:written (%(default)s)")
    ask.add_argument("--full", action="store_true", help="throttled: the paper's 1, 5, 10 and 20 GB, as far as the disk has room for two copies")
    ask.add_argument("--blocks", default="1MiB,4MiB,16MiB,64MB", help="blocks: sizes of a block (%(default)s)")
    ask.add_argument("--counts", default="2,3,5,16", help="blocks: numbers of blocks (%(default)s)")
    ask.add_argument("--mib", type=int, default=512, help="hashing and e01: size of the source (%(default)s)")
    ask.add_argument("--corpus", type=Path, help="e01: files to make the source of (random bytes)")
    said = record.parse(ask, words)
    if said.full:
        room = shutil.disk_usage(tempfile.gettempdir()).free // 2_000_000 - 1024
        said.sizes = ",".join(str(size) for size in (1024, 5120, 10240, 20480) if size <= room) or said.sizes
    program, tables = pfh(said), []
    for what in list(PARTS) if said.what == "all" else [said.what]:
        # Throttled devices lie on a disk: loop devices over memory take no direct input and output.
        with tempfile.TemporaryDirectory(dir=None if what in ("throttled", "blocks") else "/dev/shm", prefix="pfh-imaging-") as room:
            tables += PARTS[what](said, program, Path(room))
    if said.record is not None:
        said.record = "-".join(filter(None, [said.what, said.record]))
    record.finish("imaging", said, tables, [[program, "--version"], ["dd", "--version"], ["dc3dd", "--version"], ["ewfacquire", "-V"]])
