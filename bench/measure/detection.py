"""Related files that `pfh compare` finds, and unrelated ones that it lists.

    bench/run detection DIR [--seeds 90] [--methods auto,shingles,mrsh-v2,sdhash,ssdeep,tlsh]

DIR is a tree of real files: `bench/run corpus DIR --small` builds one from Debian's packages. Three sets are labelled:

A  seeds of 10 to 160 kB out of DIR, of up to ten kinds, and 27 changed copies of each: edits, noise, insertions, fragments, blocks in strange files
B  the files of DIR as they are: two are unrelated if they share less than 1 % of their windows of 32 bytes, counted by this program
E  pieces of 64 bytes to 8 KiB: equal ones, and ones with a changed bit

Recall is the share of related pairs that are listed; false alarms are listed pairs of unrelated files, of 100,000 such pairs.
"""

import csv
import io
import itertools
import os
import random
import shutil
import time
import zlib
from collections import defaultdict
from pathlib import Path

from . import record
from .program import execute, pfh

WINDOW = 32
SMALL = [(16, 63), (64, 127), (128, 255), (256, 511), (512, 1023), (1024, 2047), (2048, 4095), (4096, 8191)]


def noise(rng, length):
    return rng.randbytes(length)


def edits(data, rng, number):
    data = bytearray(data)
    for _ in range(number):
        at = rng.randrange(len(data))
        data[at] ^= 1 + rng.randrange(255)
    return bytes(data)


def block(data, rng, share):
    """A strange file of the same length with a block of `data` at another place."""
    length = int(len(data) * share)
    at, to = rng.randrange(len(data) - length + 1), rng.randrange(len(data) - length + 1)
    strange = bytearray(noise(rng, len(data)))
    strange[to : to + length] = data[at : at + length]
    return bytes(strange)


def fragment(data, rng, share):
    length = max(1, int(len(data) * share))
    at = rng.randrange(len(data) - length + 1)
    return data[at : at + length]


def embedded(data, rng, share):
    """`data` is this share of the file."""
    around = int(len(data) / share) - len(data)
    before = rng.randrange(around + 1)
    return noise(rng, before) + data + noise(rng, around - before)


def shuffled(data, rng):
    size = -(-len(data) // 8)
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    rng.shuffle(parts)
    return b"".join(parts)


CLASSES = {
    "identical": lambda data, rng: data,
    "1 edit": lambda data, rng: edits(data, rng, 1),
    "10 edits": lambda data, rng: edits(data, rng, 10),
    "100 edits": lambda data, rng: edits(data, rng, 100),
    "1,000 edits": lambda data, rng: edits(data, rng, 1000),
    "1 % noise": lambda data, rng: edits(data, rng, len(data) // 100),
    "5 % noise": lambda data, rng: edits(data, rng, len(data) // 20),
    "1 byte in front": lambda data, rng: noise(rng, 1) + data,
    "100 bytes in front": lambda data, rng: noise(rng, 100) + data,
    "10 % in front": lambda data, rng: noise(rng, len(data) // 10) + data,
    "eight parts shuffled": shuffled,
    **{f"common block of {share} %": (lambda data, rng, share=share: block(data, rng, share / 100)) for share in (50, 25, 10, 5)},
    **{f"fragment of {share} %": (lambda data, rng, share=share: fragment(data, rng, share / 100)) for share in (90, 50, 25, 10, 5)},
    **{f"embedded, {share} % of the file": (lambda data, rng, share=share: embedded(data, rng, share / 100)) for share in (50, 25, 10)},
    **{f"head of {share} %": (lambda data, rng, share=share: data[: len(data) * share // 100]) for share in (75, 50, 25)},
    "behind another file": None,
}


def seeds_of(tree, number):
    """As many files of each kind, in an order that depends on the tree alone."""
    kinds = defaultdict(list)
    for path in sorted(tree.rglob("*")):
        if path.is_file() and 10_000 <= path.stat().st_size <= 160_000:
            kinds[path.suffix or "none"].append(path)
    rng, chosen = random.Random(1), []
    each = -(-number // max(1, len(kinds)))
    for kind in sorted(kinds):
        rng.shuffle(kinds[kind])
        chosen += kinds[kind][:each]
    return [path.read_bytes() for path in chosen[:number]]


def make_changed(room, seeds):
    """Set A: {file: (seed, class)}."""
    rng, labels = random.Random(2), {}
    room.mkdir(parents=True)
    for number, data in enumerate(seeds):
        copies = {"seed": data}
        for name, change in CLASSES.items():
            copies[name] = change(data, rng) if change else noise(rng, len(data)) + data
        for place, (name, bytes_) in enumerate(copies.items()):
            file = room / f"{number:03d}-{place:02d}"
            file.write_bytes(bytes_)
            labels[file.name] = (number, name)
    return labels


def make_small(room):
    """Set E: {file: (piece, class)}."""
    rng, labels = random.Random(3), {}
    room.mkdir(parents=True)
    for least, most in SMALL:
        for number in range(40):
            data = noise(rng, rng.randrange(least, most + 1))
            for name, bytes_ in [("seed", data), ("identical", data), ("one bit", edits(data, rng, 1))]:
                file = room / f"{least:04d}-{number:02d}-{name[0]}"
                file.write_bytes(bytes_)
                labels[file.name] = (f"{least:04d}-{number:02d}", f"{name} {least} to {most}")
    return labels


def rows_of(program, method, paths, options=()):
    """The rows of a comparison by a method, or by all, and the processor's seconds."""
    words = [*([] if method == "auto" else ["-a", method]), *options]
    run = execute([program, "compare", *words, "-f", "csv", "--no-lists", "--no-progress", *paths], may_fail=True)
    return csv.DictReader(io.StringIO(run.output.decode(errors="surrogateescape"))), run.cpu


def compared(program, method, folder):
    """The pairs that are listed, and the processor's seconds."""
    rows, cpu = rows_of(program, method, [folder])
    return {frozenset((row["a"], row["b"])) for row in rows if row["a"] != row["b"]}, cpu


def windows_of(data):
    """Windows of 32 bytes with enough different ones, one in 32 by a checksum of their own."""
    found = set()
    for at in range(len(data) - WINDOW + 1):
        window = data[at : at + WINDOW]
        if zlib.crc32(window) & 31 == 0 and len(set(window)) > 3:
            found.add(hash(window))
    return found


def related_of(files):
    """Pairs of files that share 1 % of the smaller one's windows, with the share."""
    by_window, sizes, shared = defaultdict(list), [], defaultdict(int)
    for number, path in enumerate(files):
        own = windows_of(path.read_bytes())
        sizes.append(len(own))
        for window in own:
            by_window[window].append(number)
    for holders in by_window.values():
        for pair in itertools.combinations(holders, 2):
            shared[pair] += 1
    related = {}
    for (a, b), number in shared.items():
        share = number / min(sizes[a], sizes[b])
        if share >= 0.01:
            related[frozenset((str(files[a]), str(files[b])))] = share
    return related


def percent(part, whole):
    return round(100 * part / whole, 1) if whole else None


def by_class(labels, folder, pairs, kin=frozenset()):
    """{class: (found, of)} of the seeds with their copies, and listed pairs of different seeds; `kin` are seeds that share bytes."""
    of_seed = {seed: name for name, (seed, kind) in labels.items() if kind.startswith("seed")}
    found = defaultdict(lambda: [0, 0])
    for name, (seed, kind) in labels.items():
        if not kind.startswith("seed"):
            found[kind][1] += 1
            found[kind][0] += frozenset((str(folder / of_seed[seed]), str(folder / name))) in pairs
    seeds = [frozenset(labels[Path(name).name][0] for name in pair) for pair in pairs]
    strange = sum(len(two) > 1 and two not in kin for two in seeds)
    return found, strange


def main(words):
    ask = record.arguments("detection", __doc__, rounds=1)
    ask.add_argument("tree", type=Path)
    ask.add_argument("--seeds", type=int, default=90, help="of set A (%(default)s)")
    ask.add_argument("--methods", default="auto,shingles,mrsh-v2,sdhash,ssdeep,tlsh", help="(%(default)s)")
    said = record.parse(ask, words)
    program, methods = pfh(said), said.methods.split(",")
    room = said.room / "detection"
    shutil.rmtree(room, ignore_errors=True)
    changed, small = make_changed(room / "a", seeds_of(said.tree, said.seeds)), make_small(room / "e")
    seeds = len({seed for seed, _ in changed.values()})
    copies = len(CLASSES) + 1
    began = time.perf_counter()
    shared = related_of([room / "a" / f"{number:03d}-00" for number in range(seeds)])
    kin = {frozenset(changed[Path(name).name][0] for name in pair) for pair in shared}
    strangers = (seeds * (seeds - 1) // 2 - len(kin)) * copies**2
    paths = [path for path in sorted(said.tree.rglob("*")) if path.is_file()]
    files, related = len(paths), related_of(paths)
    unrelated = files * (files - 1) // 2 - len(related)
    half = {pair for pair, share in related.items() if share >= 0.5}
    notes = [f"{seeds} seeds, {len(changed)} files, {strangers} pairs of different seeds that share less than 1 %; {len(kin)} pairs of seeds share more"]
    results = {method: compared(program, method, room / "a") for method in methods}
    table_a = record_table("A: changed copies of real files, found in %", ["change", *methods], notes)
    classes = {method: by_class(changed, room / "a", results[method][0], kin) for method in methods}
    for kind in CLASSES:
        table_a["rows"].append([kind, *(percent(*classes[method][0][kind]) for method in methods)])
    total = [percent(sum(n for n, _ in found.values()), sum(of for _, of in found.values())) for found, _ in classes.values()]
    table_a["rows"] += [
        ["all", *total],
        ["false alarms, of 100,000", *(round(1e5 * strange / strangers, 2) for _, strange in classes.values())],
        ["CPU s", *(round(results[method][1], 2) for method in methods)],
    ]
    notes = [f"{files} files, {files * (files - 1) // 2} pairs, {unrelated} of them unrelated, {len(half)} share half of the smaller one",
             f"the truth took {time.perf_counter() - began:.0f} s"]  # fmt: skip
    table_b = record_table("B: real files as they are", ["", *methods], notes)
    listed = {method: compared(program, method, said.tree) for method in methods}
    false = {method: sum(pair not in related for pair in listed[method][0]) for method in methods}
    table_b["rows"] = [
        ["listed", *(len(listed[method][0]) for method in methods)],
        ["of them unrelated", *false.values()],
        ["false alarms, of 100,000", *(round(1e5 * number / unrelated, 2) for number in false.values())],
        ["found of those that share half, %", *(percent(len(half & listed[method][0]), len(half)) for method in methods)],
        ["CPU s", *(round(listed[method][1], 2) for method in methods)],
    ]
    table_e = record_table("E: small pieces, found of 40", ["bytes", *methods], ["identical / one bit changed"])
    pieces = {method: by_class(small, room / "e", compared(program, method, room / "e")[0])[0] for method in methods}
    for least, most in SMALL:
        cell = lambda method: "/".join(str(pieces[method][f"{name} {least} to {most}"][0]) for name in ("identical", "one bit"))
        table_e["rows"].append([f"{least} to {most}", *map(cell, methods)])
    record.finish("detection", said, [table_a, table_b, table_e], [[program, "--version"]])


def record_table(title, columns, notes):
    return {"table": title, "columns": columns, "rows": [], "paper": None, "notes": notes}
