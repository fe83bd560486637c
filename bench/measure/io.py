"""`pfh hash --io plain` and `--io uring` on one tree.

    bench/run io DIR [--cache warm|cold] [--rounds 7]

The two take turns and their outputs must be equal. `--cache cold` empties the page cache before each run and needs root.
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
    said = record.parse(ask, words)
    program, cold = pfh(said), said.cache == "cold"
    if cold and not may_forget_cache():
        sys.exit(1)
    command = [program, "hash", "-r", "--no-progress", said.tree, "--io"]
    contenders = [Contender(f"--io {way}", [*command, way], sums) for way in ("plain", "uring")]
    if not cold:
        execute(contenders[0].command)
    runs = take_turns(contenders, said.rounds, forget_cache if cold else lambda: None)
    record.finish("io", said, [record.of_runs(f"{said.tree}, {said.cache} cache", runs, "--io plain")], [[program, "--version"]])
