"""Programs in another release and texts in another form that `pfh compare` finds.

    bench/run detection-kinds TREE PROGRAMS

PROGRAMS is a tree of `bench/run programs`, TREE one of `bench/run corpus`. Two sets are labelled:

C  programs: related are those of one name in one package in two releases; strange are those of two source packages
D  texts of 2 to 160 kB out of TREE, and copies of each in other encodings, with other line ends and white space, in capitals;
   strange are those of two texts whose normal forms share less than 1 % of their windows of 32 bytes, counted by this program

Each set has two halves, of source packages and of texts. A threshold is chosen in the first: the least one without a false
alarm. The second tests it; each half is compared by itself.
"""

import base64
import csv
import io
import itertools
import os
import random
import re
import shutil
import zlib
from collections import defaultdict
from pathlib import Path

from . import record
from .detection import WINDOW, compared, percent, record_table
from .program import execute, pfh

THRESHOLDS = {"strings": (1, 5, 10, 15, 20, 25, 30, 40, 50), "imports": (20, 30, 40, 45, 50, 55, 60, 70, 80), "text": (1, 2, 3, 5, 10, 15, 20, 30, 50)}
OTHERS = "auto,shingles,mrsh-v2,sdhash,ssdeep,tlsh".split(",")


def scores_of(program, method, folder):
    """The score of each pair that shares anything."""
    run = execute([program, "compare", "-a", method, "--threshold", f"{method}=1", "-f", "csv", "--no-lists", "--no-progress", folder], may_fail=True)
    rows = csv.DictReader(io.StringIO(run.output.decode(errors="surrogateescape")))
    return {frozenset((row["a"], row["b"])): int(row["score"]) for row in rows if row["algorithm"] == method}


def sets_of(program, folder):
    """The names of the strings of each program, from its digest."""
    run = execute([program, "hash", "-r", "-a", "strings", "-f", "csv", "--no-progress", folder], may_fail=True)
    csv.field_size_limit(1 << 20)
    found = {}
    for row in csv.DictReader(line for line in io.StringIO(run.output.decode(errors="surrogateescape")) if not line.startswith("#")):
        digest = row["strings"]
        if row["type"] == "file" and digest != "none":
            names = base64.b64decode(digest.rsplit(":", 1)[1])
            found[row["path"]] = {names[at : at + 8] for at in range(0, len(names), 8)}
    return found


def alone(sets):
    """The score of each two programs that are compared without others."""
    holders, shared = defaultdict(list), defaultdict(int)
    for name, strings in sets.items():
        for string in strings:
            holders[string].append(name)
    for names in holders.values():
        for pair in itertools.combinations(names, 2):
            shared[pair] += 1
    return {frozenset(pair): 100 * n // (len(sets[pair[0]]) + len(sets[pair[1]]) - n) for pair, n in shared.items() if n >= 5}


def half_of(name):
    return zlib.crc32(name.encode()) & 1


def programs(tree, room):
    """Set C: for each half the related and the strange pairs."""
    halves = []
    for half in (0, 1):
        folder, files = room / f"c{half}", []
        for path in sorted(tree.rglob("*")):
            suite, source, *_ = path.relative_to(tree).parts + ("",)
            if path.is_file() and half_of(source) == half:
                target = folder / path.relative_to(tree)
                target.parent.mkdir(parents=True, exist_ok=True)
                os.link(path, target)
                files.append((suite, source, path.parent.name, path.name, str(target), zlib.crc32(path.read_bytes())))
        related, strange = set(), 0
        for a, b in itertools.combinations(files, 2):
            if a[1] != b[1]:
                strange += 1
            elif a[2:4] == b[2:4] and a[0] != b[0] and a[5] != b[5]:
                related.add(frozenset((a[4], b[4])))
        sources = {file[4]: file[1] for file in files}
        is_strange = lambda pair, sources=sources: len({sources[name] for name in pair}) > 1
        halves.append((folder, related, strange, is_strange, len(files)))
    return halves


def rewrapped(text):
    return "\n\n  ".join(re.findall(r".{1,60}(?:\s|$)", text.replace("\n", " "))) or text


CHANGES = {
    "line ends CR LF": lambda text: text.replace("\n", "\r\n").encode(),
    "UTF-8 with a mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16LE": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16BE": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "Latin-1": lambda text: text.encode("latin-1", errors="replace"),
    "capitals": lambda text: text.upper().encode(),
    "lines broken elsewhere": lambda text: rewrapped(text).encode(),
    "tabs for spaces": lambda text: text.replace(" ", "\t").encode(),
    "all of it, a half of the text": lambda text: b"\xff\xfe" + text[: len(text) // 2].upper().replace("\n", "\r\n").replace(" ", "  ").encode("utf-16-le"),
    "one line of ten changed": lambda text: "\r\n".join(f"changed {n}" if n % 10 == 0 else line for n, line in enumerate(text.split("\n"))).upper().encode(),
}


def texts_of(tree, number):
    found = []
    for path in sorted(tree.rglob("*")):
        if path.is_file() and 2_000 <= path.stat().st_size <= 160_000:
            data = path.read_bytes()
            try:
                text = data.decode()
            except UnicodeDecodeError:
                continue
            if not any(ord(letter) < 32 and letter not in "\t\n\r\f" for letter in text):
                found.append(text.replace("\r\n", "\n"))
    random.Random(1).shuffle(found)
    return found[:number]


def windows(text):
    data = " ".join(text.lower().split()).encode()
    return {data[at : at + WINDOW] for at in range(len(data) - WINDOW + 1) if zlib.crc32(data[at : at + WINDOW]) & 31 == 0}


def texts(tree, room, number):
    """Set D: for each half the related and the strange pairs, and the class of each copy."""
    halves, seeds = [], texts_of(tree, number)
    for half in (0, 1):
        folder, own = room / f"d{half}", seeds[half::2]
        folder.mkdir(parents=True)
        related, classes = set(), {}
        for place, text in enumerate(own):
            (folder / f"{place:03d}-00").write_bytes(text.encode())
            for change, (name, make) in enumerate(CHANGES.items(), 1):
                file = folder / f"{place:03d}-{change:02d}"
                file.write_bytes(make(text))
                pair = frozenset((str(folder / f"{place:03d}-00"), str(file)))
                related.add(pair)
                classes[pair] = name
        sets = [windows(text) for text in own]
        pairs = list(itertools.combinations(range(len(own)), 2))
        kin = {(a, b) for a, b in pairs if len(sets[a] & sets[b]) >= 0.01 * max(1, min(len(sets[a]), len(sets[b])))}
        strange = (len(pairs) - len(kin)) * (len(CHANGES) + 1) ** 2
        seed = lambda name: int(Path(name).name[:3])
        is_strange = lambda pair, kin=kin: len(set(map(seed, pair))) > 1 and tuple(sorted(map(seed, pair))) not in kin
        halves.append((folder, related, strange, is_strange, classes))
    return halves


def at(scores, half, threshold):
    """Related pairs found at a threshold, in percent, and false alarms."""
    _, related, _, is_strange, _ = half
    listed = {pair for pair, score in scores.items() if score >= threshold}
    return percent(len(listed & related), len(related)), sum(map(is_strange, listed))


def chosen(scores, half):
    """The least threshold without a false alarm."""
    return 1 + max((score for pair, score in scores.items() if half[3](pair)), default=0)


def thresholds(method, title, halves, scores, notes, more=()):
    """The table of a set."""
    found = record_table(title, ["threshold", "found, chosen in, %", "false alarms", "found, tested, %", "false alarms", *(name for name, _ in more)], notes)
    best = chosen(scores[0], halves[0])
    for threshold in sorted({*THRESHOLDS[method], best}):
        cells = [cell for half in (0, 1) for cell in at(scores[half], halves[half], threshold)]
        cells += [cell for _, own in more for cell in [" / ".join(map(str, at(own, halves[1], threshold)))]]
        found["rows"].append([f"{threshold} (chosen)" if threshold == best else threshold, *cells])
    pairs = ", ".join(f"{len(half[1])} related and {half[2]} strange pairs in the {name} half" for half, name in zip(halves, ("first", "second")))
    found["notes"].append(pairs)
    return found


def by_method(title, program, methods, half, notes=()):
    """The finds of each method in the half that tests, at its own threshold."""
    folder, related, strange, is_strange, _ = half
    found = record_table(title, ["", *methods], list(notes))
    listed = {method: compared(program, method, folder) for method in methods}
    found["rows"] = [
        ["found, %", *(percent(len(listed[method][0] & related), len(related)) for method in methods)],
        ["strange pairs listed", *(sum(map(is_strange, listed[method][0])) for method in methods)],
        ["of 100,000", *(round(1e5 * sum(map(is_strange, listed[method][0])) / strange, 2) for method in methods)],
        ["CPU s", *(round(listed[method][1], 2) for method in methods)],
    ]
    return found, listed


def main(words):
    ask = record.arguments("detection-kinds", __doc__, rounds=1)
    ask.add_argument("tree", type=Path)
    ask.add_argument("programs", type=Path)
    ask.add_argument("--texts", type=int, default=120, help="of set D (%(default)s)")
    said = record.parse(ask, words)
    program, room = pfh(said), said.room / "detection-kinds"
    shutil.rmtree(room, ignore_errors=True)
    halves = programs(said.programs, room)
    scores = [scores_of(program, "strings", half[0]) for half in halves]
    pairs = alone(sets_of(program, halves[1][0]))
    counted = "the list of common strings was counted over half of the binary packages, the halves here are of source packages: some of the tested half was among those counted"
    notes = [f"{halves[0][4]} and {halves[1][4]} programs", counted, "two alone: each two programs of the second half by themselves, without weights"]
    tables = [thresholds("strings", "C: programs in another release, by their strings", halves, scores, notes, [("two alone", pairs)])]
    scores = [scores_of(program, "imports", half[0]) for half in halves]
    tables.append(thresholds("imports", "C: the same by their imports, exports and sections", halves, scores, []))
    tables.append(by_method("C: by all methods, the second half", program, [*OTHERS, "strings", "imports"], halves[1])[0])
    halves = texts(said.tree, room, said.texts)
    scores = [scores_of(program, "text", half[0]) for half in halves]
    tables.append(thresholds("text", "D: texts in another form", halves, scores, [f"{sum(len(half[1]) for half in halves) // len(CHANGES)} texts"]))
    methods = [*OTHERS, "text"]
    table, listed = by_method("D: by all methods, the second half, found in %", program, methods, halves[1])
    classes = halves[1][4]
    for number, name in enumerate(CHANGES):
        own = {pair for pair, kind in classes.items() if kind == name}
        table["rows"].insert(number, [name, *(percent(len(listed[method][0] & own), len(own)) for method in methods)])
    tables.append(table)
    record.finish("detection-kinds", said, tables, [[program, "--version"]])
