"""Known sets: build and look-up, beside hfind, md5deep and SQLite.

    bench/run known DIR [--algorithm md5|sha1] [--entries 1000000] [--lookups 100000] [--rounds 3]
                        [--steps pfh,rds,hfind,deep,sqlite] [--only build|look] [--corpus DIR] [--pfh PFH]

DIR takes the made-up lists and the sets built of them (100 bytes for each entry, 400 with rds). Every tool looks up the same digests,
half of which are there; a tool with another count of hits has no time. hfind (MD5 only) takes 2 s and md5deep/sha1deep 610 MB for each
million entries: name fewer steps for large sets, and take one after the other with --only if the machine is not yours for long (sets
stay). --corpus adds a walk of DIR that is hashed, and hashed and matched with the set. --prepare makes the lists and nothing else.
"""

import hashlib
import os
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from . import record, turns
from .program import execute, pfh


class Step(NamedTuple):
    """One thing that one tool does; `run` gives a Run whose answer was compared."""

    tool: str
    what: str
    run: Callable
    built: Optional[Path] = None


def must(said, what):
    if not said:
        sys.exit(what)


def digest(said, number):
    return hashlib.new(said.algorithm, b"file %d" % number).hexdigest()


def lists(said):
    """A list of `entries` digests, as md5sum writes it, and the questions: every second one is of the list."""
    known = said.dir / f"list-{said.algorithm}-{said.entries}.txt"
    if not known.exists():
        hasher = getattr(hashlib, said.algorithm)
        with open(known, "w") as out:
            for start in range(0, said.entries, 4096):
                numbers = range(start, min(start + 4096, said.entries))
                out.write("".join([hasher(b"file %d" % number).hexdigest() + "  name\n" for number in numbers]))
    asked = said.dir / f"asked-{said.algorithm}-{said.entries}-{said.lookups}.txt"
    stride = max(1, said.entries // (said.lookups // 2))
    hits = 0
    with open(asked, "w") as out:
        for number in range(said.lookups):
            present = number % 2 == 0 and (number // 2) * stride < said.entries
            hits += present
            out.write(digest(said, (number // 2) * stride if present else -1 - number) + "\n")
    return known, asked, hits


def of_pfh(said, program, known, asked, hits):
    built = said.dir / f"set-{said.algorithm}-{said.entries}.pfhknown"

    def build():
        built.unlink(missing_ok=True)
        return execute([program, "known", "build", built, "--good", known])

    def look():
        # Digests that are not known are its exit status 1.
        run = execute([program, "lookup", "--known", built], stdin=asked, may_fail=True)
        found = sum(line.startswith(b"known-good ") for line in run.output.splitlines())
        must(found == hits, f"pfh found {found} of {hits}")
        return run

    return [Step("pfh", "build", build, built), Step("pfh", f"look up {said.lookups}", look)]


def corpus(said, program, known, asked, hits):
    """The cost that matching adds to hashing: the same walk, one algorithm."""
    built = said.dir / f"set-{said.algorithm}-{said.entries}.pfhknown"
    files = sum(len(names) for _, _, names in os.walk(said.corpus))
    walk = lambda *words: lambda: execute([program, *words, "--no-progress", "-r", said.corpus])
    return [
        Step("pfh", f"look: hash {files} files", walk("hash", "-a", said.algorithm)),
        Step("pfh", f"look: match {files} files", walk("match", "-a", said.algorithm, "--known", built)),
    ]


def rds(said, program, known, asked, hits):
    """The same files as a minimal edition of NSRL's RDSv3: three digests of each, as text, and no index."""
    base, built = said.dir / f"rds-{said.entries}.db", said.dir / "rds.pfhknown"
    if not base.exists():
        connection = sqlite3.connect(base)
        connection.execute(
            "CREATE TABLE FILE (sha256 TEXT, sha1 TEXT, md5 TEXT, crc32 TEXT, file_name TEXT, file_size INTEGER, package_id INTEGER)"
        )
        names = ((f(b"file %d" % n).hexdigest().upper() for f in (hashlib.sha256, hashlib.sha1, hashlib.md5)) for n in range(said.entries))
        rows = ((*digests, "00000000", "name.dll", 1, 1) for digests in names)
        connection.executemany("INSERT INTO FILE VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        connection.commit()
        connection.close()

    def build():
        built.unlink(missing_ok=True)
        run = execute([program, "known", "build", built, "--good", base], errors=True)
        must(f"{said.entries} sha256".encode() in run.output, run.output)
        return run

    return [Step("pfh", "build from RDSv3, 3 digests a row", build, built)]


def hfind(said, program, known, asked, hits):
    must(said.algorithm == "md5", "hfind's md5sum index knows MD5 alone")
    copy = said.dir / "hfind" / f"list-{said.entries}.txt"
    copy.parent.mkdir(exist_ok=True)
    if not copy.exists():
        os.link(known, copy)

    def build():
        for old in copy.parent.glob("*.idx*"):
            old.unlink()
        return execute(["hfind", "-i", "md5sum", copy], may_fail=True)

    def look():
        run = execute(["hfind", "-f", asked, copy], may_fail=True)
        found = sum(b"Hash Not Found" not in line for line in run.output.splitlines())
        must(found == hits, f"hfind found {found} of {hits}")
        return run

    return [Step("hfind", "build", build, copy.parent / f"{copy.name}-md5.idx"), Step("hfind", f"look up {said.lookups}", look)]


def deep(said, program, known, asked, hits):
    tree = said.dir / "tree"
    tree.mkdir(exist_ok=True)
    (tree / "known").write_bytes(b"file 0")
    (tree / "unknown").write_bytes(b"no such file")

    def look():
        run = execute([f"{said.algorithm}deep", "-m", known, tree / "known", tree / "unknown"], may_fail=range(64))  # its statuses are sums of bits
        must(run.output.splitlines() == [str(tree / "known").encode()], run.output)
        return run

    return [Step(f"{said.algorithm}deep -m", "load, and match 2 files", look)]


def sqlite(said, program, known, asked, hits):
    base, digits = said.dir / f"set-{said.algorithm}-{said.entries}.db", len(digest(said, 0))
    text = said.dir / "script.sql"

    def script(words):
        text.write_text(words + "\n")
        return execute(["sqlite3", base], stdin=text)

    def build():
        base.unlink(missing_ok=True)
        return script(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; CREATE TABLE known(digest TEXT PRIMARY KEY) WITHOUT ROWID;"
            f"CREATE TEMP TABLE lines(line TEXT);\n.mode list\n.separator |\n.import {known} lines\n"
            f"INSERT INTO known SELECT substr(line, 1, {digits}) AS digest FROM lines ORDER BY digest;"
        )

    def look():
        run = script(
            f"CREATE TEMP TABLE asked(line TEXT);\n.mode list\n.separator |\n.import {asked} asked\n"
            "SELECT count(*) FROM asked JOIN known ON known.digest = line;"
        )
        must(int(run.output) == hits, f"SQLite found {run.output} of {hits}")
        return run

    return [Step("SQLite", "build", build, base), Step("SQLite", f"look up {said.lookups}", look)]


TOOLS = {"pfh": of_pfh, "rds": rds, "corpus": corpus, "hfind": hfind, "deep": deep, "sqlite": sqlite}


def main(words):
    ask = record.arguments("known", __doc__, rounds=3)
    ask.add_argument("dir", type=Path)
    ask.add_argument("--entries", type=int, default=1_000_000)
    ask.add_argument("--lookups", type=int, default=100_000)
    ask.add_argument("--algorithm", choices=["md5", "sha1"], default="md5")
    ask.add_argument("--steps", default="pfh,rds,hfind,deep,sqlite")
    ask.add_argument("--only", choices=["build", "look"])
    ask.add_argument("--corpus", type=Path)
    ask.add_argument("--prepare", action="store_true")
    said = record.parse(ask, words)
    said.dir.mkdir(parents=True, exist_ok=True)
    known, asked, hits = lists(said)
    if said.prepare:
        return
    program = pfh(said)
    needs = {"hfind": "hfind", "deep": f"{said.algorithm}deep", "sqlite": "sqlite3"}
    steps = []
    for name in said.steps.split(",") + (["corpus"] if said.corpus else []):
        if name in needs and shutil.which(needs[name]) is None:
            print(f"{needs[name]} is not installed: left out", file=sys.stderr)
            continue
        steps += TOOLS[name](said, program, known, asked, hits)
    steps = [step for step in steps if said.only is None or step.what.startswith(said.only)]
    runs, sizes = {step: [] for step in steps}, {}
    for _ in range(said.rounds):
        for step in steps:
            runs[step].append(step.run())
            if step.built and step.built.exists():
                sizes[step] = round(step.built.stat().st_size / said.entries, 1)
    rows = []
    for step, some in runs.items():
        figures = [round(of(some, what), 2) for what in ("cpu", "wall") for of in (turns.least, turns.median)]
        rows.append([step.tool, step.what, *figures, round(max(run.peak for run in some) / 2**20) or None, sizes.get(step)])
    columns = ["tool", "step", "CPU s, least", "median", "wall s, least", "median", "peak MiB", "bytes an entry"]
    title = f"{said.entries:,} {said.algorithm}, {said.lookups:,} look-ups"
    versions = [[program, "--version"], ["sqlite3", "--version"], ["hfind", "-V"], [f"{said.algorithm}deep", "-V"]]
    record.finish("known", said, [record.table(title, columns, rows, notes=[f"{said.rounds} rounds"])], versions)
