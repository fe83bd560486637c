"""The main claim of Breitinger & Petrov on an emulated rotating disk.

    bench/run rotating [--count 300] [--kib 419] [--hash md5]

A read-only FUSE file system of the test kit (tests/inject) charges each read what a disk of 7,200 turns a minute with an average seek of 8.5 ms
and 120 MB/s takes from where its head is; files lie at random places of 250 GB, as on a disk that is in use. The same reads cost the same in every run.
SMT and MTP are typed as the paper prints them; each run has a fresh mount, so that nothing is cached. The digests of all runs must be equal. Needs FUSE.
"""

from . import record, turns
from .device import Device
from .program import pfh
from .turns import Contender

# Table VI, mrsh: seconds with 2, 4 and 8 threads.
PRINTED = {"SMT, -t 2": 64.03, "SMT, -t 4": 66.39, "SMT, -t 8": 67.14, "MTP, -t 2": 51.79, "MTP, -t 4": 51.81, "MTP, -t 8": 52.02}

MODES = {"SMT, -t 2": "-t 2 -p 0", "SMT, -t 4": "-t 4 -p 0", "SMT, -t 8": "-t 8 -p 0", "MTP, -t 2": "-t 2", "MTP, -t 4": "-t 4", "MTP, -t 8": "-t 8", "MTP, -t 8 -p 2": "-t 8 -p 2"}


def main(words):
    ask = record.arguments("rotating", __doc__, rounds=2)
    ask.add_argument("--count", type=int, default=300, help="files (%(default)s)")
    ask.add_argument("--kib", type=int, default=419, help="their mean size; t5's is 418.91KB (%(default)s)")
    ask.add_argument("--hash", default="md5", help="the algorithm (%(default)s)")
    said = record.parse(ask, words)
    program = pfh(said)
    device = Device("spindle", said.count, said.kib, said.room.resolve())
    form = ["-m", "256", "-h", said.hash, "-d", "."]
    modes = {name: ["-c", "hash", *words.split(), *form] for name, words in MODES.items()}
    modes["adaptive"] = ["hash", "--no-progress", "-r", "-a", said.hash, "."]
    runs = [Contender(name, ["sh", "-c", 'cd "$0" && exec "$@"', device.link, program, *words], lambda output: {output: ()}) for name, words in modes.items()]
    try:
        seconds = {name: turns.least(some, "wall") for name, some in turns.take_turns(runs, said.rounds, device.fresh).items()}
    finally:
        device.close()
    base, paper = seconds["SMT, -t 2"], PRINTED["SMT, -t 2"]
    rows = []
    for name, took in seconds.items():
        theirs = PRINTED.get(name)
        rows.append([name, theirs, theirs and f"{theirs / paper:.0%}", took, f"{took / base:.0%}"])
    columns = ["row", "paper (Table VI, mrsh), s", "relative, computed", "here, s", "relative"]
    notes = [
        f"an emulated disk: 7,200 turns a minute, 8.5 ms average seek, 120 MB/s, {said.count} files of {said.kib} KiB on average at random places of 250 GB; "
        f"{said.hash}; cold; least of {said.rounds} rounds; relative to SMT with two threads"
    ]
    groups = {"paper": dict(PRINTED), "here": dict(seconds)}
    table = record.table("pfh Table VI on an emulated rotating disk", columns, rows, notes=notes, conditions=["emulated rotating disk", *record.conditions(True, rounds=said.rounds, least=min(seconds.values()))], bars=record.bars("s", groups))
    record.finish("rotating", said, [table], [[program, "--version"]])
