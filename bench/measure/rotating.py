"""The claims of Breitinger & Petrov about disks, on modelled devices.

    bench/run rotating [--count 300] [--kib 419] [--hash md5] [--only threads,hashes,flash]

threads  Table VI on a rotating disk, and two machines that share it: SMT and MTP with 2, 4 and 8 threads
hashes   Table IV on the same disk: MTP with each hash beside the original programs, with two fifths of the files
flash    SMT and MTP with 2, 4 and 8 threads on a device without a moving head

A read-only FUSE file system of the test kit (tests/inject) charges each read what a disk of 7,200 turns a minute with an average seek of 8.5 ms
and 120 MB/s takes from where its head is; files lie at random places of 250 GB, as on a disk that is in use. The same reads cost the same in every run.
SMT and MTP are typed as the paper prints them; each run has a fresh mount, so that nothing is cached. The digests of all runs must be equal. Needs FUSE.
"""

from contextlib import contextmanager

from . import record, turns
from .device import KINDS, Device
from .devices import PEERS, inside
from .originals import SOURCES, original
from .program import find, pfh
from .turns import Contender

# Table VI, mrsh: seconds with 2, 4 and 8 threads.
PRINTED = {"SMT, -t 2": 64.03, "SMT, -t 4": 66.39, "SMT, -t 8": 67.14, "MTP, -t 2": 51.79, "MTP, -t 4": 51.81, "MTP, -t 8": 52.02}
# Table IV: of the original programs, and of MTP.
HASHES = {"md5": (51.65, 51.74), "mrsh-v2": (75.61, 51.79), "ssdeep": (83.67, 52.19), "sdhash": (145.38, 89.09)}

MODES = {"SMT, -t 2": "-t 2 -p 0", "SMT, -t 4": "-t 4 -p 0", "SMT, -t 8": "-t 8 -p 0", "MTP, -t 2": "-t 2", "MTP, -t 4": "-t 4", "MTP, -t 8": "-t 8", "MTP, -t 8 -p 2": "-t 8 -p 2"}
# One machine that reads all files, and two that read every other one each, at the same time.
MACHINES = {
    "one machine": """ls | xargs "$1" hash --no-progress -a "$2" --mode mtp -p 1 -t 2""",
    "two machines": """one=$(mktemp) two=$(mktemp); ls | awk 'NR % 2' | xargs "$1" hash --no-progress -a "$2" --mode mtp -p 1 -t 2 >"$one" & first=$!
        ls | awk 'NR % 2 == 0' | xargs "$1" hash --no-progress -a "$2" --mode mtp -p 1 -t 2 >"$two" & second=$!
        wait $first && wait $second && cat "$one" "$two" && rm "$one" "$two" """,
}


@contextmanager
def mounted(kind, count, said):
    device = Device(kind, count, said.kib, said.room.resolve())
    try:
        yield device
    finally:
        device.close()


def seconds(device, contenders, said):
    return {name: turns.least(some, "wall") for name, some in turns.take_turns(contenders, said.rounds, device.fresh).items()}


def in_modes(device, said, program, modes):
    form = ["-m", "256", "-h", said.hash, "-d", "."]
    commands = {name: ["-c", "hash", *words.split(), *form] for name, words in modes.items()}
    commands["adaptive"] = ["hash", "--no-progress", "-r", "-a", said.hash, "."]
    return [Contender(name, inside(device.link, 'exec "$@"', program, *words), lambda output: {output: ()}) for name, words in commands.items()]


def table(title, heads, rows, said, notes, conditions, printed):
    """A table of seconds: name, printed, relative as printed, here, relative."""
    groups = {"paper": printed, "here": {name: took for name, *_, took, _ in rows}}
    least = min(groups["here"].values())
    return record.table(title, heads, rows, notes=notes, conditions=[*conditions, *record.conditions(True, rounds=said.rounds, least=least)], bars=record.bars("s", groups))


def relative(found, printed, first):
    rows = []
    for name, took in found.items():
        theirs = printed.get(name)
        base = first(name)
        rows.append([name, theirs, f"{theirs / printed[base]:.0%}" if theirs else None, round(took, 3), f"{took / found[base]:.0%}"])
    return rows


def threads(said, program):
    with mounted("spindle", said.count, said) as device:
        found = seconds(device, in_modes(device, said, program, MODES), said)
        shell = [Contender(name, inside(device.link, line, program, said.hash), PEERS["md5"][2]) for name, line in MACHINES.items()]
        found |= seconds(device, shell, said)
    rows = relative(found, PRINTED, lambda name: "one machine" if "machine" in name else "SMT, -t 2")
    notes = [
        f"an emulated disk: {KINDS['spindle'].split(': ')[1]}, {said.count} files of {said.kib} KiB on average; "
        f"{said.hash}; cold; least of {said.rounds} rounds; relative to SMT with two threads",
        "two machines: two processes with half of the files each, at the same time, relative to one with all of them",
    ]
    columns = ["row", "paper (Table VI, mrsh), s", "relative, computed", "here, s", "relative"]
    return table("pfh Table VI on an emulated rotating disk", columns, rows, said, notes, ["emulated rotating disk"], dict(PRINTED))


def hashes(said, program):
    count, printed = max(said.count * 2 // 5, 1), {}
    with mounted("spindle", count, said) as device:
        contenders = []
        for name, (theirs, ours) in HASHES.items():
            tool, line, answers, form = PEERS[name]
            is_similarity = name in ("ssdeep", "sdhash", "mrsh-v2")
            printed |= {f"original {name}": theirs, f"MTP {name}": ours}
            runs = [Contender(f"MTP {name}", inside(device.link, f'"$1" hash --no-progress -a {name} {form} --mode mtp -p 1 -t 2 *', program), answers, may_fail=is_similarity)]
            path = original(tool) if tool in SOURCES else find(tool)
            if path:
                runs.insert(0, Contender(f"original {name}", inside(device.link, line.replace(tool, f"'{path}'", 1)), answers, may_fail=is_similarity))
            contenders.append(runs)
        # Each group has digests of its own.
        found = {}
        for runs in contenders:
            found |= seconds(device, runs, said)
    rows = relative(found, printed, lambda name: next(first for first in (f"original {name.split()[1]}", name) if first in found))
    notes = [f"the same disk with {count} files; two threads, and one of them reads; the cache is cold; seconds are the least of {said.rounds} rounds; relative to the original"]
    columns = ["row", "paper (Table IV), s", "relative, computed", "here, s", "relative"]
    return table("pfh Table IV on an emulated rotating disk", columns, rows, said, notes, ["emulated rotating disk"], printed)


def flash(said, program):
    with mounted("ssd", said.count * 4, said) as device:
        found = seconds(device, in_modes(device, said, program, {name: words for name, words in MODES.items() if "-p 2" not in words}), said)
    rows = relative(found, PRINTED, lambda name: "SMT, -t 2")
    notes = [f"a modelled device without a moving head: {KINDS['ssd']}; {said.count * 4} files of {said.kib} KiB on average; {said.hash}; cold; least of {said.rounds} rounds; the paper's had one"]
    columns = ["row", "paper (Table VI, mrsh), s", "relative, computed", "here, s", "relative"]
    many = [word for word in record.conditions(True, threads=4) if word == "few processors"]
    return table("pfh Table VI on a modelled device without a moving head", columns, rows, said, notes, ["modelled flash", *many], dict(PRINTED))


PARTS = {"threads": threads, "hashes": hashes, "flash": flash}


def main(words):
    ask = record.arguments("rotating", __doc__, rounds=2)
    ask.add_argument("--count", type=int, default=300, help="files (%(default)s)")
    ask.add_argument("--kib", type=int, default=419, help="their mean size; t5's is 418.91KB (%(default)s)")
    ask.add_argument("--hash", default="md5", help="the algorithm of threads and flash (%(default)s)")
    ask.add_argument("--only", default=",".join(PARTS), help="which (%(default)s)")
    said = record.parse(ask, words)
    program = pfh(said)
    tables = [PARTS[part](said, program) for part in said.only.split(",")]
    record.finish("rotating", said, tables, [[program, "--version"]])
