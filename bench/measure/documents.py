"""Copies of documents that `pfh compare --inside` finds by their members, and different documents that it links.

    bench/run documents TREE [--limit N]

TREE is a tree of `bench/run corpus`: its office files are the originals. Each has three copies: packed again, packed without
compression, and with one word changed. Related are the copies of one original. Wrong links are pairs of two originals, or of their
copies, unless the originals share half of what the smaller one has for itself: windows of 32 bytes of the members, without those that
more than four originals hold, counted by this program. A method links two documents if it lists them, or a member of each.
"""

import io
import itertools
import random
import re
import shutil
import zipfile
import zlib
from collections import defaultdict
from pathlib import Path

from . import record
from .detection import percent, record_table, rows_of, windows_of
from .program import pfh

KINDS = "docx xlsx pptx odt".split()
METHODS = "auto,shingles,mrsh-v2,sdhash,ssdeep,tlsh,sha256".split(",")
TEXTS = re.compile(r"(word/document|xl/sharedStrings|xl/worksheets/sheet\d+|ppt/slides/slide\d+|content)\.xml$")
WORD = re.compile(rb">[^<>]*?([A-Za-z]{4,})[^<>]*<")


def members(data):
    """The files in an archive, or none if it is damaged, encrypted or large."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if sum(info.file_size for info in infos) > 30_000_000:
                return None
            return [(info.filename, archive.read(info)) for info in infos]
    except Exception:
        return None


def packed(files, **how):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", **how) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, **{"compress_type": how["compression"]})
    return out.getvalue()


def edited(files, rng):
    """One word of the text is another one; none if there is no text."""
    places = [(number, found.span(1)) for number, (name, data) in enumerate(files) if TEXTS.search(name) for found in WORD.finditer(data)]
    if not places:
        return None
    number, (begin, end) = rng.choice(places)
    word = bytes(rng.choice(b"abcdefghijklmnopqrstuvwxyz") for _ in range(end - begin))
    name, data = files[number]
    return [*files[:number], (name, data[:begin] + word + data[end:]), *files[number + 1 :]]


def make(room, tree, limit):
    """{document: (original, class)}, and the members of each original."""
    rng, labels, contents, seen = random.Random(5), {}, {}, set()
    room.mkdir(parents=True)
    for kind in KINDS:
        for path in sorted((tree / kind).rglob("*"))[:limit]:
            data = path.read_bytes() if path.is_file() else b""
            files = members(data) if data and zlib.crc32(data) not in seen else None
            changed = files and edited(files, rng)
            if not changed:
                continue
            seen.add(zlib.crc32(data))
            deflated = dict(compression=zipfile.ZIP_DEFLATED, compresslevel=9)
            copies = {
                "original": data, "packed again": packed(files, **deflated),
                "stored": packed(files, compression=zipfile.ZIP_STORED), "one word": packed(changed, **deflated),
            }  # fmt: skip
            for place, (name, bytes_) in enumerate(copies.items()):
                (room / f"{path.stem}-{place}.{kind}").write_bytes(bytes_)
                labels[f"{path.stem}-{place}.{kind}"] = (path.name, name)
            contents[path.name] = files
    return labels, contents


def windows(files):
    # A document in a document is its members, too.
    inner = (windows(members(data) or []) for _, data in files if data[:2] == b"PK")
    return set().union(*(windows_of(data) for _, data in files), *inner)


def kin_of(contents):
    """Pairs of originals that share half of what the smaller one has for itself."""
    own = {name: windows(files) for name, files in contents.items()}
    holders = defaultdict(int)
    for found in own.values():
        for window in found:
            holders[window] += 1
    rare = {name: {window for window in found if holders[window] <= 4} for name, found in own.items()}
    return {
        frozenset(pair)
        for pair in itertools.combinations(rare, 2)
        if 2 * len(rare[pair[0]] & rare[pair[1]]) >= max(1, min(len(rare[name]) for name in pair))
    }


def linked(program, method, folder):
    """Pairs of documents that are linked, rows, and the processor's seconds."""
    options = ["--inside=lenient"]
    if method.startswith("auto="):
        method, options = "auto", [*options, "--threshold", f"shingles={method.removeprefix('auto=')}"]
    rows, cpu = rows_of(program, method, [folder], options)
    rows = list(rows)
    pairs = {frozenset(Path(row[side].split("!/")[0]).name for side in "ab") for row in rows}
    return {pair for pair in pairs if len(pair) == 2}, len(rows), cpu


def main(words):
    ask = record.arguments("documents", __doc__, rounds=1)
    ask.add_argument("tree", type=Path)
    ask.add_argument("--limit", type=int, help="originals of each kind")
    ask.add_argument("--methods", default=",".join(METHODS), help="(%(default)s)")
    said = record.parse(ask, words)
    program, methods, room = pfh(said), said.methods.split(","), said.room / "documents"
    shutil.rmtree(room, ignore_errors=True)
    labels, contents = make(room, said.tree, said.limit)
    kin = kin_of(contents)
    names = sorted(contents)
    different = len(names) * (len(names) - 1) // 2 - len(kin)
    notes = [f"{len(names)} originals, {len(labels)} files; {different} pairs of different originals; {len(kin)} pairs share half of what the smaller one has for itself"]
    table = record_table("Documents: copies found in %, and different originals that are linked", ["", *methods], notes)
    results = {method: linked(program, method, room) for method in methods}
    classes = ["packed again", "stored", "one word"]
    of = {original: {name for name, (own, _) in labels.items() if own == original} for original in names}
    related = {kind: set() for kind in classes}
    for files in of.values():
        for pair in itertools.combinations(sorted(files), 2):
            kinds = {labels[name][1] for name in pair}
            related[max((kind for kind in kinds if kind in classes), key=classes.index)].add(frozenset(pair))
    for kind in classes:
        table["rows"].append([kind, *(percent(len(related[kind] & results[method][0]), len(related[kind])) for method in methods)])
    wrong = {method: {frozenset(labels[name][0] for name in pair) for pair in results[method][0]} for method in methods}
    wrong = {method: {pair for pair in pairs if len(pair) == 2 and pair not in kin} for method, pairs in wrong.items()}
    table["rows"] += [
        ["different originals linked", *(len(wrong[method]) for method in methods)],
        ["rows", *(results[method][1] for method in methods)],
        ["CPU s", *(round(results[method][2], 2) for method in methods)],
    ]
    table["wrong"] = sorted(" ".join(sorted(pair)) for pair in wrong.get("auto", ()))[:50]
    record.finish("documents", said, [table], [[program, "--version"]])
