"""`pfh hash` on one tree by ways of reading, or by orders of reading.

    bench/run io DIR [--cache warm|cold] [--rounds 7]
        --io plain and --io uring.
    bench/run io DIR --orders [--memories 1MB,20MB,128MB] [--hash md5] [--cache warm|cold]
        --order path, size and balanced (Listing 3 of Breitinger & Petrov), with fixed roles (--mode mtp) and a table of each of these
        sizes: where the table is small beside the files, a reader that picks what fits waits less.

The contenders take turns and their outputs must be equal. `--cache cold` empties the page cache before each run and needs root.
"""

import sys
from pathlib import Path

from . import record
from .answers import sums
from .program import execute, forget_cache, may_forget_cache, pfh
from .turns import Contender, take_turns


def main(words):
    ask = record.arguments("io", __doc__, rounds=7)
    ask.add_argument("tree", type=Path)
    ask.add_argument("--cache", choices=["warm", "cold"], default="warm")
    ask.add_argument("--orders", action="store_true", help="orders of reading in place of ways")
    ask.add_argument("--memories", default="1MB,20MB,128MB", help="orders: sizes of the table (%(default)s)")
    ask.add_argument("--hash", default="md5", help="orders: the algorithm (%(default)s)")
    said = record.parse(ask, words)
    program, cold = pfh(said), said.cache == "cold"
    if cold and not may_forget_cache():
        sys.exit(1)
    command, tables = [program, "hash", "-r", "--no-progress", said.tree], []
    if said.orders:
        groups = [
            (f"table of {memory}, {said.hash}", [
                Contender(f"--order {order}", [*command, "--mode", "mtp", "-p", "1", "-t", "1", "-a", said.hash, "-m", memory, "--order", order], sums)
                for order in ("path", "size", "balanced")
            ])
            for memory in said.memories.split(",")
        ]  # fmt: skip
    else:
        groups = [("ways of reading", [Contender(f"--io {way}", [*command, "--io", way], sums) for way in ("plain", "uring")])]
    if not cold:
        execute(groups[0][1][0].command)
    for title, contenders in groups:
        runs = take_turns(contenders, said.rounds, forget_cache if cold else lambda: None)
        tables.append(record.of_runs(f"{said.tree}, {said.cache} cache, {title}", runs, contenders[0].name))
    record.finish("io", said, tables, [[program, "--version"]])
