"""Acquisition beside dd, dc3dd, dcfldd and ewfacquire. Root, for loop devices.

    bench/run imaging modelled [--disks ide,sata] [--scale 16]
        Tables II and III of "Multi-threading in disk cloner" (Panichprecha et al.) row by row, on disks of the test kit (FUSE) that are read and
        written at the rates of that row and never faster. The paper prints no rates: they follow from the two times of each row, for dd reads and
        writes in turn, and its threads wait for the first block alone. Sizes and blocks are divided by the scale; the start of a program,
        measured over disks of a sector, is not. `--scale 1` is as printed.
    bench/run imaging many [--sizes 256] [--sources 1,2,4] [--targets 1,2,3] [--rates 131:57]
        Several sources at once, each to several targets, on the same kind of disks: `pfh acquire` beside dd, a copy after the other.
    bench/run imaging throttled [--sizes 64,128,256] [--rates 131:57,221:105]
        Tables II and III on two loop devices, reading throttled to R MB/s and writing to W MB/s by the kernel's block controller, against
        dd bs=64M with direct input and output. Sizes in MB of 10^6 bytes; the paper's 1, 5, 10 and 20 GB are 1024, 5120, 10240 and
        20480 of them. The bound is max(size/R, size/W).
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
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from . import record, turns
from .disks import Disk, Disks
from .files import noise
from .program import ROOT, execute, find, pfh

# Seconds of dd and of the paper's threads, as printed, by the rates that follow from them and the size in MB.
PRINTED = {
    (131, 57): {1024: (25.8861, 18.1065), 5120: (132.7290, 90.6395), 10240: (272.7912, 184.5390), 20480: (571.5106, 384.6210)},
    (221, 105): {1024: (14.3621, 10.1556), 5120: (72.0524, 49.0263), 10240: (143.9062, 97.4820), 20480: (287.5482, 194.5674)},
}
NAMES = {"ide": ("Table II and Figure 2, IDE", PRINTED[131, 57]), "sata": ("Table III and Figure 3, SATA", PRINTED[221, 105])}
# The paper's block, in bytes.
BLOCK = 64_000_000
BLKIO = Path("/sys/fs/cgroup/blkio")


def rates(size, dd, threads):
    """Bytes a second read and written, from the seconds of a row: dd = size/R + size/W, threads = BLOCK/R + size/W."""
    size *= 1_000_000
    read = (size - BLOCK) / (dd - threads)
    return read, size / (dd - size / read)


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


def whole(ways, rounds, disks, targets):
    """{name: least seconds}; `targets` must be whole copies after each run."""
    return {name: turns.least(some, "wall") for name, some in in_turns(ways, rounds, lambda name, output: disks.copies() == targets).items()}


def modelled_row(said, program, size, printed):
    """Least seconds of dd, of threads with the paper's blocks and of those with the default ones, as if nothing were divided; and the bound."""
    read, written = rates(size, *printed)
    # Blocks are whole pages.
    block, small = (max(length // said.scale // 4096, 1) * 4096 for length in (BLOCK, 1 << 20))
    seconds = []
    # The start alone: a sector, which takes no time.
    for length in (512, size * 1_000_000 // said.scale // 512 * 512):
        with Disks([Disk("source", 0, length, read), Disk("target", 0, length, written, is_target=True)]) as disks:
            operands = [f"if={disks / 'source'}", f"of={disks / 'target'}", f"bs={block}"]
            ours = [program, "dd", *operands, "--force"]
            ways = {
                "dd": ["dd", *operands, "iflag=fullblock", "conv=fsync"],
                "paper": [*ours, "--block", str(block), "--blocks", "5"],
                "default": [*ours, "--block", str(small), "--blocks", "64"],
            }
            seconds.append(whole(ways, said.rounds, disks, {"target"}))
    start, part = seconds
    return [*(start[name] + (part[name] - start[name]) * said.scale for name in ways), size * 1e6 / min(read, written), read, written]


def modelled_table(said, program, disk):
    title, printed = NAMES[disk]
    rows, paper, groups = [], [], {}
    for size, theirs in printed.items():
        *found, read, written = modelled_row(said, program, size, theirs)
        rows.append([f"{size} MB", *(round(value, 3) for value in found), f"{found[0] / found[1]:.2f}x", f"{read / 1e6:.1f}, {written / 1e6:.1f}"])
        paper.append([f"{size} MB", *theirs, None, None, f"{theirs[0] / theirs[1]:.2f}x", None])
        groups[f"{size} MB"] = {"dd, paper": theirs[0], "threads, paper": theirs[1], "dd, here": found[0], "threads, here": found[1]}
        print(f"{disk}, {rows[-1]}", file=sys.stderr, flush=True)
    divided = f"sizes and blocks divided by {said.scale}, seconds multiplied again, but for those of the start, over disks of a sector" if said.scale > 1 else "sizes and blocks as printed"
    notes = [
        f"disks of the test kit, at the rates that follow from the times of each row of the paper; {divided}; least of {said.rounds} rounds",
        "threads: `pfh dd`, with the paper's five blocks of 64 MB, and with its own; the gain is that of the paper's; the bound is max(size/R, size/W)",
    ]
    columns = ["size", "dd bs=64M, s", "threads, 64 MB x 5, s", "threads, 1 MiB x 64 (default), s", "bound, s", "faster", "MB/s read, written"]
    conditions = ["modelled", *record.conditions(True, rounds=said.rounds)]
    return record.table(f"{title}: cloning, each row at its own rates", columns, rows, paper, notes, conditions=conditions, bars=record.bars("s", groups))


def modelled(said, program, room):
    if not (ROOT / "tests/inject").is_dir():
        # Without the test kit: one pair of rates for all rows, by the kernel.
        names = {"ide": "131:57", "sata": "221:105"}
        said.rates = ",".join(names[disk] for disk in said.disks.split(","))
        return throttled(said, program, room)
    return [modelled_table(said, program, disk) for disk in said.disks.split(",")]


def at_once(lines):
    """A command that runs shell lines at once, and fails if one of them does."""
    lines = "".join(f"{{ {line}; }} & jobs=\"$jobs $!\"\n" for line in lines)
    return ["sh", "-c", f"{lines}for job in $jobs; do wait $job || exit 1; done"]


def many(said, program, room):
    """N sources at once, each to M targets: one table for each pair of rates."""
    tables = []
    for pair in said.rates.split(",")[:1]:
        read, written = (int(rate) for rate in pair.split(":"))
        size, rows = int(said.sizes.split(",")[-1]), []
        length = size * 1_000_000 // 512 * 512
        bound = max(size / read, size / written)
        for sources in map(int, said.sources.split(",")):
            for targets in map(int, said.targets.split(",")):
                names = [[f"target{one}-{other}" for other in range(targets)] for one in range(sources)]
                every = [Disk(f"source{one}", one, length, read * 1e6) for one in range(sources)]
                every += [Disk(name, one, length, written * 1e6, is_target=True) for one, some in enumerate(names) for name in some]
                with Disks(every) as disks:
                    path = lambda name: shlex.quote(str(disks / name))
                    ours, theirs = [], []
                    for one, some in enumerate(names):
                        records = f"--log {shlex.quote(str(room / f'log{one}'))} --map {shlex.quote(str(room / f'map{one}'))}"
                        ours.append(f"rm -f {shlex.quote(str(room))}/*{one}*; {shlex.quote(str(program))} acquire {path(f'source{one}')} {' '.join(f'--to {path(name)}' for name in some)} --force --no-progress {records}")
                        theirs.append(" && ".join(f"dd if={path(f'source{one}')} of={path(name)} bs=64M iflag=fullblock conv=fsync" for name in some))
                    ways = {"pfh": at_once(ours), "dd": at_once(theirs)}
                    runs = in_turns(ways, said.rounds, lambda name, output: disks.copies() == {name for some in names for name in some})
                took = {name: turns.least(some, "wall") for name, some in runs.items()}
                rows.append([f"{sources} x {targets}", round(took["pfh"], 3), round(took["dd"], 3), round(bound, 3), round(sources * targets * size / took["pfh"]), round(turns.least(runs["pfh"], "cpu"), 3)])
                print(f"many, {rows[-1]}", file=sys.stderr, flush=True)
        notes = [
            f"disks of the test kit, {size} MB each, {read} MB/s read and {written} MB/s written, a disk for each source and target; least of {said.rounds} rounds",
            "pfh: one `pfh acquire` for each source, all at once, with SHA-256 and BLAKE3; dd: one after the other for the targets of a source, the sources at once; the bound is that of one pair",
        ]
        tables.append(record.table(f"several sources and targets at once, {read}:{written} MB/s", ["sources x targets", "pfh, s", "dd, s", "bound, s", "MB/s written by pfh", "its CPU s"], rows, notes=notes))
    return tables


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


PARTS = {"modelled": modelled, "many": many, "throttled": throttled, "blocks": blocks, "hashing": hashing, "e01": e01}


def main(words):
    ask = record.arguments("imaging", __doc__, rounds=3)
    ask.add_argument("what", choices=[*PARTS, "all"])
    ask.add_argument("--disks", default="ide,sata", help="modelled: the paper's (%(default)s)")
    ask.add_argument("--scale", type=int, default=16, help="modelled: divides sizes and blocks (%(default)s)")
    ask.add_argument("--sources", default="1,2,4", help="many: sources at once (%(default)s)")
    ask.add_argument("--targets", default="1,2,3", help="many: targets of each (%(default)s)")
    ask.add_argument("--sizes", default="64,128,256", help="throttled: MB; many and blocks: the last one (%(default)s)")
    ask.add_argument("--rates", default="131:57,221:105", help="throttled: MB/s read:written; many: the first pair (%(default)s)")
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
