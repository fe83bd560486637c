"""Read from models of AArch64 cores what each kernel costs, without such a machine: llvm-mca over the compiled loops.

    rustc --target aarch64-unknown-linux-gnu --edition 2024 --crate-type rlib --crate-name pfh_kernel -C opt-level=3 \\
        -C codegen-units=4 --emit asm,link --out-dir DIR algorithms/kernel/src/lib.rs
    LLVM_MCA=llvm-mca bench/run kernel-models DIR

For each row of the tables, in the order of algorithms/kernel/src/table.rs, and for each stitched set: instructions per byte, and cycles per
byte of all lanes by the models of Neoverse N1, N2, V1 and V2. The outermost loop of the kernel's function is taken as one block; an inner
loop counts as often as the function's rounds want it. Memory beyond the first cache is not in it, nor wrong guesses of branches. These are
models: no time was measured. Then, for each pair of models, what the costs of one are worth as a table on the other: schedules of 1 to
96 messages within 1 % of the best, mean loss and worst loss, in %.
"""

import collections
import os
import re
import subprocess
from pathlib import Path

from . import record
from .program import ROOT

MODELS = ["neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"]
BLOCK = {"MD5": 64, "SHA1": 64, "SHA256": 64, "SHA512": 128, "KECCAK24": 136, "KECCAK12": 168, "RIPEMD160": 64}
# How often the inner loop of the generic body runs for a block.
INNER = {"SHA256": 3, "SHA512": 4, "KECCAK24": 12, "KECCAK12": 6}
LACKING = re.compile(r"(sha512|eor3|bcax|xar|rax1)")
MESSAGES = 96


def read(directory):
    """Lines of each function, and per table the symbols of its rows in order."""
    functions, order = {}, collections.defaultdict(list)
    for path in sorted(directory.glob("*.s")):
        current = None
        for line in path.read_text().splitlines():
            label = re.match(r"(_ZN\S+|_R\S+):", line)
            if label:
                current = label[1]
                functions[current] = []
                continue
            if line.startswith(".Lfunc_end"):
                current = None
            row = re.search(r"\.xword\s+(_ZN10pfh_kernel5table\d+([A-Z0-9]+)8function17h\w+E)", line)
            if row:
                order[row[2]].append(row[1])
            if current:
                functions[current].append(line)
    return functions, order


def names():
    """Name and lanes of the rows that AArch64 has, per table."""
    found, table = collections.defaultdict(list), None
    source = ROOT / "algorithms/kernel/src/table.rs"
    for line in source.read_text().splitlines():
        static = re.match(r"pub static (\w+):", line)
        table = static[1] if static else table
        row = re.search(r'(\d+) (?:Words|Messages) "([^"]+)"', line)
        if table and row and "x86_64" not in line:
            found[table].append((row[2], int(row[1])))
    return found


def parse(lines):
    """Instructions, and the loops among them as first and last."""
    instructions, labels, loops = [], {}, {}
    for line in lines:
        text = line.split("//")[0].strip()
        label = re.match(r"(\.L\w+):$", text)
        if label:
            labels[label[1]] = len(instructions)
        elif text and not text.startswith((".", "/*")) and not text.endswith(":"):
            instructions.append(text)
    for at, text in enumerate(instructions):
        branch = re.match(r"(?:b|b\.\w+|cbz|cbnz|tbz|tbnz)\s.*?(\.L\w+)$", text)
        if branch and labels.get(branch[1], at + 1) <= at:
            loops[labels[branch[1]]] = at
    return instructions, list(loops.items())


def cycles(instructions, model):
    command = [os.environ.get("LLVM_MCA", "llvm-mca"), "-mtriple=aarch64", "-mcpu=" + model]
    command += ["-mattr=+sha2,+sha3,+aes", "-iterations=200", "-"]
    text = "\n".join(instructions) + "\n"
    output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return int(re.search(r"Total Cycles:\s+(\d+)", output)[1]) / 200


def price(lines, table):
    """Instructions of a block of all lanes, and its cycles by each model; none where the model's CPU lacks an instruction."""
    instructions, loops = parse(lines)
    first, last = max(loops, key=lambda loop: loop[1] - loop[0])
    body = instructions[first : last + 1]
    parts = [(1, body)]
    inner = [loop for loop in loops if first <= loop[0] and loop[1] <= last and loop != (first, last) and loop[1] - loop[0] > 40]
    if inner:
        begin, end = max(inner, key=lambda loop: loop[1] - loop[0])
        rest = instructions[first:begin] + instructions[end + 1 : last + 1]
        parts = [(1, rest), (INNER.get(table, 1), instructions[begin : end + 1])]
    lacks = any(LACKING.match(text) for text in body)
    totals = []
    for model in MODELS:
        absent = lacks and model == "neoverse-n1"
        totals.append(None if absent else sum(times * cycles(part, model) for times, part in parts))
    return sum(times * len(part) for times, part in parts), totals


def schedule(rows):
    times, begins = [0], [0]
    for n in range(1, MESSAGES + 1):
        able = ((cost + times[max(0, n - lanes)], i) for i, (lanes, cost) in enumerate(rows) if n > 1 or lanes == 1)
        cost, begin = min(able)
        times.append(cost)
        begins.append(begin)
    return times, begins


def worth(tables, own, other):
    """The worth of the costs of model `own` on `other`: share of good schedules, mean loss, worst loss."""
    losses = []
    for rows in tables.values():
        rows = [(lanes, totals) for lanes, totals in rows if totals[other] is not None]
        # A row that the table's own CPU lacks has the price of the first that has it.
        known = [(lanes, totals[own] if totals[own] is not None else totals[1]) for lanes, totals in rows]
        best, _ = schedule([(lanes, totals[other]) for lanes, totals in rows])
        _, begins = schedule(known)
        times = [0]
        for n in range(1, MESSAGES + 1):
            lanes, totals = rows[begins[n]]
            times.append(totals[other] + times[max(0, n - lanes)])
            losses.append(times[n] / best[n] - 1)
    good = sum(loss <= 0.01 for loss in losses)
    return f"{100 * good / len(losses):.0f} / {100 * sum(losses) / len(losses):.1f} / {100 * max(losses):.0f}"


def main(words):
    ask = record.arguments("kernel-models", __doc__)
    ask.add_argument("directory", type=Path, help="where rustc wrote the assembly and the library")
    said = record.parse(ask, words)
    functions, order = read(said.directory)
    rows = names()
    tables = collections.defaultdict(list)
    short = [model.removeprefix("neoverse-").upper() for model in MODELS]
    figures = []

    def price_of(function, name, lines, length):
        count, totals = price(lines, function)
        figures.append([function, name, round(count / length, 2), *(total and round(total / length, 2) for total in totals)])
        return totals

    for table, symbols in order.items():
        assert len(symbols) == len(rows[table]), f"{table}: rows and functions differ in number"
        for (name, lanes), symbol in zip(rows[table], symbols):
            tables[table].append((lanes, price_of(table, name, functions[symbol], lanes * BLOCK[table])))
    for symbol, lines in functions.items():
        stitched = re.search(r"stitched7kernels\d+(\w+?)17h", symbol)
        if stitched and "_" in stitched[1]:
            price_of("stitched", stitched[1].replace("_", "+"), lines, 64)
    kernels = record.table("instructions and modelled cycles a byte", ["function", "kernel", "instructions", *short], figures)
    worths = [[name, *(worth(tables, own, other) for other in range(len(MODELS)))] for own, name in enumerate(short)]
    notes = ["share of schedules within 1 % of the best, mean loss, worst loss, in %"]
    costs = record.table("the table of costs of one core on another", ["table of", *(f"on {name}" for name in short)], worths, notes=notes)
    record.finish("kernel-models", said, [kernels, costs], [[os.environ.get("LLVM_MCA", "llvm-mca"), "--version"]])
