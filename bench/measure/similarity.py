"""The tables of "Reducing time cost in hashing operations" (Breitinger & Petrov) on a corpus.

    bench/run similarity --corpus DIR [--rounds N] [--only TABLE …] [--hashes NAME …] [--json] [--record]

    I    one file of 500 MiB: each hash, one thread
    III  each hash: the original tool, pfh with simple threads, with prefetchers, adaptive; warm cache
    IV   the same from a cold cache (root)
    V    each against each, digests included: ssdeep -d and pfh
    VI   threads, cold (root)          VII  threads, warm
    VIII memory of the table           IX   prefetchers, cold (root)
    XII  the original ssdeep under GNU parallel and xargs, and pfh

The originals of mrsh-v2 and sdhash are in no distribution; their columns hold what the reference machine measured only in
docs/similarity.md. Answers of ssdeep are compared line by line with pfh's before a time counts.
"""

import os
import re
import sys
from pathlib import Path

from . import answers, record, turns
from .files import noise
from .program import execute, find, forget_cache, may_forget_cache, pfh, xargs
from .turns import Contender, take_turns

HASHES = ["sha1", "md5", "mrsh-v2", "ssdeep", "sdhash", "tlsh"]
ORIGINALS = {"sha1": "sha1sum", "md5": "md5sum", "ssdeep": "ssdeep -s"}


def form_of(name):
    """Each tool's own format, and what reads it. A file too short for sdhash has no line in sdbf: it would end the run."""
    if name == "ssdeep":
        return "ssdeep", answers.lines
    return {"mrsh-v2": ("mrsh", answers.lines), "sdhash": ("csv", answers.lines)}.get(name, ("sums", answers.sums))


def hash_contenders(pfh, corpus, name):
    own, read = form_of(name)
    run = [pfh, "hash", "-r", "--no-progress", "-a", name, "-f", own, "-t", "2"]
    found = [
        Contender(f"{name}: pfh adaptive", [*run, corpus], read),
        Contender(f"{name}: pfh --mode smt", [*run, "--mode", "smt", corpus], read),
        Contender(f"{name}: pfh --mode mtp -p 2", [*run, "--mode", "mtp", "-p", "2", corpus], read),
    ]
    original = ORIGINALS.get(name)
    if original and find(original.split()[0]):
        found.append(Contender(f"{name}: {original.split()[0]}", xargs(corpus, original), read))
    return found


def one(title, contenders, rounds, cold=False):
    """(title, runs) of contenders that took turns."""
    if cold:
        return title, take_turns(contenders, rounds, forget_cache)
    execute(contenders[0].command)
    return title, take_turns(contenders, rounds)


def table_i(said, pfh):
    file = said.room / "random-500"
    if not file.exists() or file.stat().st_size != 500 << 20:
        noise(file, 500 << 20)
    found = []
    for name in said.hashes:
        own, read = form_of(name)
        contenders = [Contender(f"{name}: pfh adaptive", [pfh, "hash", "--no-progress", "-t", "1", "-a", name, "-f", own, file], read)]
        original = ORIGINALS.get(name)
        if original and find(original.split()[0]):
            contenders.append(Contender(f"{name}: {original.split()[0]}", [*original.split(), file], read))
        found.append(one(f"Table I, {name}, one file of 500 MiB, one thread", contenders, said.rounds))
    return found


def table_iii(said, pfh):
    return [one(f"Table III, {name}, warm cache", hash_contenders(pfh, said.corpus, name), said.rounds) for name in said.hashes]


def table_iv(said, pfh):
    if not may_forget_cache():
        return []
    cat = ["sh", "-c", 'find "$1" -type f -print0 | xargs -0 -P 8 -n 64 cat > /dev/null', "sh", said.corpus]
    found = []
    for name in said.hashes:
        contenders = [*hash_contenders(pfh, said.corpus, name), Contender(f"{name}: only reading", cat, None)]
        found.append(one(f"Table IV, {name}, cold cache", contenders, said.rounds, cold=True))
    return found


def table_v(said, pfh):
    run = [pfh, "compare", "--no-progress", "-t", "2"]
    ours = Contender("pfh compare -a ssdeep", [*run, "-a", "ssdeep", said.corpus], pairs)
    theirs = Contender("ssdeep -d -r", ["ssdeep", "-s", "-l", "-d", "-r", said.corpus], pairs)
    found = [one("Table V, FULL mode, ssdeep, warm cache", [ours, theirs] if find("ssdeep") else [ours], said.rounds)]
    others = [
        Contender("pfh compare -a mrsh-v2", [*run, "-a", "mrsh-v2", said.corpus], None),
        Contender("pfh compare -a mrsh-v2 --evidence", [*run, "-a", "mrsh-v2", "--evidence", said.corpus], None),
        Contender("pfh compare -a tlsh", [*run, "-a", "tlsh", said.corpus], None),
        Contender("pfh compare -a sdhash --evidence", [*run, "-a", "sdhash", "--evidence", said.corpus], None),
        Contender("pfh compare -a sdhash", [*run, "-a", "sdhash", said.corpus], None),
    ]
    found.append(one("Table V, FULL mode, the other methods, warm cache", others, max(1, said.rounds // 3)))
    return found


def pairs(output):
    """{pair of names: score}, and how many: none is an answer too."""
    found = {}
    for line in output.splitlines():
        if match := re.fullmatch(rb"(.*) matches (.*) \((\d+)\)", line):
            a, b, score = match.groups()
            found[tuple(sorted((a, b)))] = score
    return found | {("pairs", ""): len(found)}


def threads(said, pfh, cold):
    if cold and not may_forget_cache():
        return []
    found = []
    for name in ("mrsh-v2", "sdhash"):
        contenders = [
            Contender(f"{name}: -t {n}", [pfh, "hash", "-r", "--no-progress", "-a", name, "-f", "csv", "-t", str(n), said.corpus], None)
            for n in (1, 2, 4, 8)
        ]
        title = f"Table {'VI' if cold else 'VII'}, threads, {name}, {'cold' if cold else 'warm'} cache"
        found.append(one(title, contenders, said.rounds, cold))
    return found


def table_viii(said, pfh):
    contenders = [
        Contender(f"-m {m} MiB", [pfh, "hash", "-r", "--no-progress", "-a", "mrsh-v2", "-f", "mrsh", "-t", "2", "-m", str(m), said.corpus], None)
        for m in (128, 1, 16, 64, 256, 512)
    ]
    return [one("Table VIII, memory, mrsh-v2, warm cache", contenders, said.rounds)]


def table_ix(said, pfh):
    if not may_forget_cache():
        return []
    run = [pfh, "hash", "-r", "--no-progress", "-a", "mrsh-v2", "-f", "mrsh", "-t", "2", "--mode", "mtp"]
    contenders = [Contender(f"-p {p}", [*run, "-p", str(p), said.corpus], None) for p in (1, 2, 3, 4, 8)]
    return [one("Table IX, prefetchers, mrsh-v2, cold cache", contenders, said.rounds, cold=True)]


def table_xii(said, pfh):
    contenders = [Contender("pfh", [pfh, "hash", "-r", "--no-progress", "-a", "ssdeep", "-f", "ssdeep", "-t", "2", said.corpus], answers.lines)]
    if find("ssdeep"):
        # The processes of xargs -P write into each other's lines, so these are not compared; GNU parallel keeps them apart.
        contenders.append(Contender("xargs -P 2 ssdeep", xargs(said.corpus, "-n 64 ssdeep -s", 2), None))
        if find("parallel"):
            script = 'find "$1" -type f -print0 | parallel --will-cite -0 -j 2 -n 64 ssdeep -s'
            contenders.append(Contender("parallel -j 2 ssdeep", ["sh", "-c", script, "sh", said.corpus], answers.lines))
    return [one("Table XII, against GNU parallel and xargs, ssdeep, warm cache", contenders, said.rounds)]


TABLES = {
    "I": table_i,
    "III": table_iii,
    "IV": table_iv,
    "V": table_v,
    "VI": lambda said, pfh: threads(said, pfh, True),
    "VII": lambda said, pfh: threads(said, pfh, False),
    "VIII": table_viii,
    "IX": table_ix,
    "XII": table_xii,
}

# ---- as the paper prints them --------------------------------------------------------------------------------------

# Seconds that are known of the paper: the original programs over a file of 500 MB. Its other figures are not known here.
PAPER_I = {"sha1": 2.33, "mrsh-v2": 5.23, "ssdeep": 6.48, "sdhash": 22.82}


def rows_of(measured):
    """{(hash or "", contender): runs} of what was measured."""
    found = {}
    for title, runs in measured:
        for whose, some in runs.items():
            name, _, what = whose.rpartition(": ")
            found[name, what] = some
    return found


def best(row, what="wall"):
    return round(turns.least(row, what), 3) if row else None


def printed(name, measured, said):
    """The paper's table out of what was measured: a row for each of the paper's, and the paper's own where its figures are known."""
    rows = rows_of(measured)
    hashes = list(dict.fromkeys(name for name, _ in rows))
    pick = lambda hash_name, start: next((row for (h, what), row in rows.items() if h == hash_name and what.startswith(start)), None)
    notes = [f"seconds of the wall clock, minimum of {said.rounds} rounds, {os.cpu_count()} processors"]
    originals = "the originals of mrsh-v2, sdhash and TLSH are in no distribution"
    paper = None
    if name == "I":
        columns = ["hash", "original, s", "pfh, s", "pfh, MB/s", "faster"]
        made = []
        for h in hashes:
            original, ours = pick(h, ORIGINALS.get(h, "none").split()[0]), best(pick(h, "pfh"))
            faster = round(best(original) / ours, 2) if original else None
            made.append([h, best(original), ours, round(500 * 1.048576 / ours), faster])
        paper = [[h, PAPER_I[h], None, None, None] if h in PAPER_I else None for h in hashes]
        notes += ["a file of 500 MiB of random bytes, in the page cache, one thread", originals]
    elif name in ("III", "IV"):
        cold = ["only reading"] if name == "IV" else []
        columns = ["hash", "original, s", "SMT, s", "MTP, s", "adaptive, s", *(f"{what}, s" for what in cold), "original, CPU s", "adaptive, CPU s"]
        made = []
        for h in hashes:
            original = pick(h, ORIGINALS.get(h, "none").split()[0])
            modes = [best(pick(h, f"pfh {mode}")) for mode in ("--mode smt", "--mode mtp", "adaptive")]
            reading = [best(pick(h, what)) for what in cold]
            made.append([h, best(original), *modes, *reading, best(original, "cpu"), best(pick(h, "pfh adaptive"), "cpu")])
        notes += [f"{'cold' if cold else 'warm'} cache, two threads, MTP with two prefetchers besides; the original under xargs, one process", originals]
    elif name == "V":
        columns = ["hash", "original, s", "pfh, s", "original, CPU s", "pfh, CPU s", "faster, CPU"]
        theirs = pick("", "ssdeep -d")
        made, paper = [], []
        for what, row in ((what, row) for (_, what), row in rows.items() if what.startswith("pfh compare")):
            h = what.removeprefix("pfh compare -a ")
            original = theirs if h == "ssdeep" else None
            faster = round(best(original, "cpu") / best(row, "cpu"), 1) if original else None
            made.append([h, best(original), best(row), best(original, "cpu"), best(row, "cpu"), faster])
            paper.append([h, "over 69 min", None, None, None, None] if h == "sdhash" else None)
        notes += ["warm cache, two threads, digests included; the original is ssdeep -d -r", originals]
        notes.append("of the paper's pfh one figure is known here: 187 s with 8 threads; of which hash is not")
    elif name in ("VI", "VII"):
        columns = ["threads", *(f"{h}, {unit}" for h in hashes for unit in ("s", "CPU s"))]
        counts = list(dict.fromkeys(what for _, what in rows))
        made = [[count.removeprefix("-t ")] + [best(rows[h, count], unit) for h in hashes for unit in ("wall", "cpu")] for count in counts]
        notes.append(f"{'cold' if name == 'VI' else 'warm'} cache")
    else:
        head = {"VIII": "table, MiB", "IX": "prefetchers", "XII": "program"}[name]
        columns = [head, "s", "CPU s", "peak, MiB"]
        made = [[re.sub(r"^-[mp] | MiB$", "", what), best(row), best(row, "cpu"), round(max(run.peak for run in row) / 2**20, 1)] for (_, what), row in rows.items()]
        if name == "VIII":
            made.sort(key=lambda row: int(row[0]))
        what = {
            "VIII": "mrsh-v2, warm cache, two threads",
            "IX": "mrsh-v2, cold cache, MTP: two threads hash, so many others read",
            "XII": "ssdeep, warm cache, two threads or processes",
        }
        notes.append(what[name])
        if name == "XII":
            notes.append("the peak of a pipeline is that of its largest process, and never less than what this script takes itself")
    return record.table(f"pfh Table {name}: {TITLES[name]}", columns, made, paper, notes)


TITLES = {
    "I": "one file of 500 MB",
    "III": "the hashes over the corpus, warm cache",
    "IV": "the hashes over the corpus, cold cache",
    "V": "FULL mode, each against each",
    "VI": "threads, cold cache",
    "VII": "threads, warm cache",
    "VIII": "memory for the table",
    "IX": "prefetchers, cold cache",
    "XII": "against GNU parallel and xargs",
}


def main(words):
    ask = record.arguments("similarity", __doc__, rounds=3)
    ask.add_argument("--corpus", type=Path, required=True, help="a folder of files; bench/run corpus builds one")
    ask.add_argument("--only", choices=TABLES, nargs="+", default=list(TABLES))
    ask.add_argument("--hashes", choices=HASHES, nargs="+", default=HASHES, help="for tables I, III and IV")
    said = record.parse(ask, words)
    program, tables, all_measured = pfh(said), [], []
    for name in said.only:
        measured = TABLES[name](said, program)
        if not measured:
            sys.exit(f"table {name} needs root: the page cache is emptied before each run")
        tables.append(printed(name, measured, said))
        all_measured += [record.of_runs(title, runs, next(iter(runs))) for title, runs in measured]
    if said.record is not None:
        which = [] if said.only == list(TABLES) else said.only
        said.record = "-".join(filter(None, [*which, *(said.hashes if said.hashes != HASHES else []), said.record])).lower()
    # First as the paper prints them, then, but for programs, all that was measured.
    versions = [[program, "--version"], ["ssdeep", "-V"], ["sha1sum", "--version"], ["parallel", "--version"]]
    record.finish("similarity", said, tables if said.json else tables + all_measured, versions)
