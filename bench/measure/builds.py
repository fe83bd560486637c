"""Two builds of pfh over ten jobs, in turns: what a profile, a compiler or a change costs.

    bench/run builds OTHER --corpus DIR [--pfh PFH] [--rounds 9] [--isa auto,avx2]

CPU seconds (user and system) of whole processes with warm caches. Answers of the two are compared before a time counts; the image that each acquires is
verified by the other. The corpus is copied into memory, and a medium of 400 MB is made of its files.
"""

import os
import statistics
import sys
import tempfile
from pathlib import Path

from . import record, turns
from .answers import lines, sums
from .program import execute, pfh
from .turns import Contender, take_turns

HASHED = ["sha256", "md5", "sha512", "sha3-256", "kt128", "ssdeep", "tlsh"]
MEDIUM = 400_000_000


def lay_out(corpus, room):
    """The corpus in memory, and a medium made of it."""
    execute(["cp", "-r", str(corpus), str(room / "corpus")])
    with (room / "medium").open("wb") as medium:
        for file in sorted(path for path in (room / "corpus").rglob("*") if path.is_file()):
            medium.write(file.read_bytes()[: MEDIUM - medium.tell()])
            if medium.tell() == MEDIUM:
                return


def jobs(room, first):
    """(name, words of the command, reader of its answers or None)."""
    corpus, medium = room / "corpus", room / "medium"
    for name in HASHED:
        yield f"hash -a {name} -t 1", ["hash", "-r", "--no-progress", "-a", name, "-t", "1", corpus], lines if name in ("ssdeep", "tlsh") else sums
    yield "hash -a md5,sha1,sha256 -t 2", ["hash", "-r", "--no-progress", "-a", "md5,sha1,sha256", "-t", "2", corpus], lines
    for algorithm, kept in (("sha256", room / "sums"), ("ssdeep", room / "ssdeep")):
        kept.write_bytes(execute([first, "hash", "-r", "--no-progress", "-a", algorithm, corpus], may_fail=True).output)
    yield "check", ["check", room / "sums"], lines
    yield "compare (ssdeep)", ["compare", room / "ssdeep"], lines
    yield "acquire, raw", ["acquire", "--force", medium, "--to", room / "acquired" / "raw"], None
    yield "acquire, E01", ["acquire", "--force", medium, "--to", room / "acquired" / "case.E01"], None


def main(words):
    ask = record.arguments("builds", __doc__, rounds=9)
    ask.add_argument("other", type=Path, help="the other build")
    ask.add_argument("--corpus", type=Path, required=True, help="a folder, as `bench/run corpus` makes it")
    ask.add_argument("--isa", default="auto", help="levels of PFH_ISA (%(default)s)")
    said = record.parse(ask, words)
    builds, tables = {"pfh": pfh(said), "other": said.other}, []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        room = Path(folder)
        lay_out(said.corpus, room)
        (room / "acquired").mkdir()
        for isa in said.isa.split(","):
            rows = []
            for name, command, answers in jobs(room, builds["pfh"]):
                empty = lambda: [file.unlink() for file in (room / "acquired").iterdir()]
                level = {} if isa == "auto" else {"PFH_ISA": isa}
                both = [Contender(build, [program, *command], answers, level, may_fail="ssdeep" in name or "tlsh" in name) for build, program in builds.items()]
                if answers:
                    execute(both[0].command, may_fail=both[0].may_fail)
                runs = take_turns(both, said.rounds, prepare=empty, quiet=True)
                image = command[-1] if answers is None else None
                if image:
                    for program in builds.values():
                        execute([program, "verify", image])
                us, them = runs["pfh"], runs["other"]
                figures = [round(what(some, "cpu"), 3) for some in (us, them) for what in (turns.least, turns.median)]
                rows.append([name, *figures, round(figures[0] / figures[2], 3), round(figures[1] / figures[3], 3)])
                print(f"  {isa} {name:30} {rows[-1][-2]:.3f} {rows[-1][-1]:.3f}", file=sys.stderr, flush=True)
            mean = ["geometric mean", *[None] * 4, *[round(statistics.geometric_mean(row[at] for row in rows), 3) for at in (-2, -1)]]
            columns = ["job", "pfh, least", "median", "other, least", "median", "pfh ÷ other, least", "median"]
            notes = [f"CPU s, {said.rounds} rounds; answers equal; other: {said.other}", "acquired images were verified by both builds"]
            tables.append(record.table(f"two builds, PFH_ISA={isa}", columns, [*rows, mean], notes=notes))
    record.finish("builds", said, tables, [[program, "--version"] for program in builds.values()])
