"""A file that comes in N streams at once: hashed while it comes, beside transferred first and hashed then.

    bench/run transfer [--megabytes 2000] [--streams 1,2,4,8] [--rounds 5] [--algorithm blake3] [--json] [--record]

The streams are FIFOs, fed by `cat` from parts that are in the page cache. `pfh tree receive` takes them and has file, root and tree; its peers take the same streams by
`dd`, one a stream, into their places in the file, synced as receive's is, and then `pfh tree build` or `b3sum` (B3SUM names it if it is not on the path) reads the file.
Answers are compared before times count, and the received file with what was sent.
"""

import filecmp
import os
import shlex
import sys
import tempfile
from pathlib import Path

from . import record, turns
from .program import execute, find, pfh
from .turns import Contender, take_turns


def counts(text):
    return [int(count) for count in text.split(",")]


def sent(room, size, count):
    """The parts of a file as (offset, length), each in a file of its own beside its FIFO."""
    step = -(-size // count)
    found = []
    with open(room / "sent", "rb") as whole:
        for number, offset in enumerate(range(0, size, step)):
            length = min(step, size - offset)
            (room / f"part{number}").write_bytes(whole.read(length))
            os.mkfifo(room / f"fifo{number}")
            found.append((offset, length))
    return found


def script(room, parts, take):
    """The command that sends all parts and carries out `take`."""
    feed = [f"cat part{number} >fifo{number} &" for number in range(len(parts))]
    return ["sh", "-ec", "\n".join([f"cd {shlex.quote(str(room))}", "rm -f got got.pfhtree", *feed, take, "wait"])]


def contenders(said, program, room, parts):
    own = shlex.quote(str(program))
    streams = " ".join(f"{offset}+{length}=fifo{number}" for number, (offset, length) in enumerate(parts))
    receive = f"{own} tree receive --no-progress -a {said.algorithm} -o got {streams}"
    copies = "\n".join(
        [f"dd of=got bs=1M seek={offset} oflag=seek_bytes conv=notrunc,fsync status=none <fifo{number} &" for number, (offset, _) in enumerate(parts)] + ["wait"]
    )
    root = lambda output: {"root": output.split()[0]}
    yield Contender("pfh tree receive", script(room, parts, receive), root)
    yield Contender("dd, then pfh tree build", script(room, parts, f"{copies}\n{own} tree build --no-progress -a {said.algorithm} got"), root)
    if said.algorithm == "blake3" and (b3sum := find("b3sum")):
        yield Contender("dd, then b3sum", script(room, parts, f"{copies}\n{shlex.quote(str(b3sum))} got"), root)
    yield Contender("dd alone", script(room, parts, copies))


def over(said, program, count):
    """The table for one number of streams."""
    with tempfile.TemporaryDirectory(dir=said.room) as made:
        room, size = Path(made), said.megabytes * 1_000_000
        block = os.urandom(1 << 20)
        with open(room / "sent", "wb") as file:
            for number in range(said.megabytes):
                # No two blocks are alike.
                file.write((number.to_bytes(8, "little") + block)[:1_000_000])
        parts = sent(room, size, count)
        every = list(contenders(said, program, room, parts))
        runs = take_turns(every, said.rounds)
        for one in every:
            execute(one.command)
            if not filecmp.cmp(room / "sent", room / "got", shallow=False):
                sys.exit(f"{one.name}: the received file is not the one that was sent")
    alone = turns.median(runs["dd alone"], "wall")
    notes = [f"a file of {said.megabytes} MB in {count} streams, {said.algorithm}", *(f"`{name}`: {turns.median(some, 'wall') - alone:.3f} s more than the transfer alone" for name, some in runs.items() if name != "dd alone")]
    return record.of_runs(f"transfer in {count} streams", runs, "pfh tree receive", notes)


def main(words):
    ask = record.arguments("transfer", __doc__)
    ask.add_argument("--megabytes", type=int, default=2000, help="the file, of 10^6 bytes (%(default)s)")
    ask.add_argument("--streams", type=counts, default=[1, 2, 4, 8], help="numbers of streams (1,2,4,8)")
    ask.add_argument("--algorithm", default="blake3", help="of the tree (%(default)s)")
    said = record.parse(ask, words)
    program = Path(pfh(said)).resolve()
    tables = [over(said, program, count) for count in said.streams]
    record.finish("transfer", said, tables, [[program, "--version"], ["b3sum", "--version"], ["dd", "--version"]])
