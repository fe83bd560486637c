"""The cost of ranges of one long file under a tree, and by a model the rates of 1 to 64 processors.

    bench/run ranges [--example PATH]

Runs `cargo run --release -p pfh-engine --example ranges`, which compares the joined digest with that of the whole and then measures, in processor
seconds a GiB of one thread, the copy from the page cache, the hash and the join. The model shares out all but the join: n processors take (copy +
hash + join) / n, never less than the join, which alone goes in order, and never less than the file's way over a memory bus of 40, 200 or 400
GB/s. It knows no contention in the kernel, and no other sockets. GB/s are of 10^9 bytes.

Leaf interleaving, whose leaves lie all over the file, goes in order: the shares of n threads, from the code that hands them out, run one
after the other, and n processors take as long as the slowest of each buffer, never less than the copy, which one of them does meanwhile, nor than
an nth of both. PFH_ISA lowers the lanes.
"""

from pathlib import Path

from . import record
from .program import build, execute, target


def main(words):
    ask = record.arguments("ranges", __doc__)
    ask.add_argument("--example", type=Path, help="the example ranges (built here)")
    said = record.parse(ask, words)
    if not said.example:
        build("-p", "pfh-engine", "--example", "ranges")
    lines = execute([said.example or target() / "examples/ranges"]).output.decode().splitlines()
    tables, title, columns, rows = [], None, None, []
    copy = next(line for line in lines if line.startswith("copy"))
    for line in [*lines, ""]:
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if cells and cells[0] == "processors":
            columns = cells
        elif cells:
            rows.append([float(cell) for cell in cells])
        elif rows:
            tables.append(record.table(title, columns, rows, notes=[copy]))
            rows = []
        if line and not cells:
            title = line
    record.finish("ranges", said, tables, [])
