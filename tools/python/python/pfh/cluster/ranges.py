"""Large files in ranges that several workers read, for algorithms that are trees: a plan of their own (``pfh plan --split``).

The result of a range is a part of the program's; at the end ``pfh merge`` joins them, and the rows of the
files are one Parquet part.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pfh

from . import again, part, units
from .again import Attempt, Doubtful
from .drive import Unit, same_version
from .part import Part
from .run import TYPE, VERSION, Run, load, save
from .units import Entry, Plan

#: A nanosecond count that a column holds.
INT64 = range(-(1 << 63), 1 << 63)
#: Where names of ranges start from: they are whole paths, and a plan is carried out where it was made.
ROOT = "/"


def length(algorithms: Sequence[str], size: str) -> int:
    """The bytes of a range. Raises ``pfh.RequestError`` for algorithms that are not trees, and other sizes."""
    with tempfile.TemporaryDirectory(prefix="pfh-split-") as room:
        directory = Path(room) / "plan"
        units.plan(["-a", ",".join(algorithms), "--split", size], directory, [])
        return int(json.loads((directory / "plan.json").read_bytes())["split"])


@dataclass(frozen=True, slots=True)
class Spec:
    """The arguments of the task of a unit of ranges."""

    version: str
    #: The plan of the ranges, and the unit of it.
    plan: str
    unit: int
    threads: int | None
    memory: int | None
    #: The directory from which the name of the part starts.
    parts: str


def work(attempt: Attempt, spec: Spec) -> Part | Doubtful:
    """The task: hashes the ranges of a unit. A part that is there is left as it is, unless its ranges were doubtful."""
    same_version(spec.version)
    words = [sys.executable, "-m", "pfh", "run", spec.plan, "--no-progress", "--unit", str(spec.unit)]
    if attempt.every:
        words.append("--again")
    if spec.threads is not None:
        words += ["-t", str(spec.threads)]
    if spec.memory is not None:
        words += ["-m", str(spec.memory)]
    done = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True)
    # 3: a range could not be read, which its file's record says.
    if done.returncode not in (0, 3):
        said = done.stderr.decode(errors="replace").strip().removeprefix("pfh: ") or f"pfh run: exit {done.returncode}"
        # Refused, or not written: its disk is full, or something has ended it.
        raise pfh.RequestError(said, spec.plan) if done.returncode == 2 else part.Unwritten(said)
    found = sorted((Path(spec.plan) / "parts").glob(f"{spec.unit:06}.*"))
    if len(found) != 1:
        raise part.Unwritten(f"{spec.plan}: unit {spec.unit} has {len(found)} parts")
    made = found[0]
    records = list(units.records(made))
    causes = [str(record["cause"]) if about["kind"] == "failed" else None for about, record in records]
    doubtful = again.pending(causes) if attempt.elsewhere else []
    failed = sum(cause is not None for cause in causes)
    if doubtful:
        return Doubtful(None, failed, len(doubtful) == len(causes), str(causes[doubtful[0]]))
    facts = {"ranges-failed": str(failed)}
    return Part(os.path.relpath(made, spec.parts), made.stat().st_size, part.digest(made), 0, facts, found=False)


class Large:
    """The files of a run that are read in ranges. They are noted once, even if their sizes change."""

    def __init__(self, run: Run, plan: Plan, algorithms: Sequence[str], size: str, unit: str) -> None:
        self._run = run
        self._directory = run.directory / "ranges"
        noted = load(self._directory / "files.json")
        if noted is None:
            self._directory.mkdir(exist_ok=True)
            noted = {"type": TYPE, "version": VERSION, "numbers": sorted(_large(plan, length(algorithms, size)))}
            save(self._directory / "files.json", noted)
        numbers = frozenset(noted["numbers"])
        #: The files by the unit of the run's plan that has them.
        self.apart = {unit: [entry for entry in plan.read(unit) if entry.number in numbers] for unit in plan.numbers()}
        #: The files, in input order.
        self.files = sorted((entry for entries in self.apart.values() for entry in entries), key=lambda entry: entry.number)
        options = ["-a", ",".join(algorithms), "--unit", unit, "--split", size]
        units.plan(options, self._directory / "plan", map(plan.place, self.files), base=ROOT)
        self._plan = Plan(self._directory / "plan")
        #: The first number of the units of ranges, and that of the part with the rows of all files.
        self.first = len(plan.lists) + 1

    @property
    def shares_nothing_out(self) -> bool:
        """Whether all ranges are in one unit, which one worker reads."""
        return len(self._plan.lists) == 1

    def units(self, threads: int | None, memory: int | None) -> list[Unit]:
        """The units of ranges, and what a task of theirs takes."""
        there, parts = str(self._plan.directory), str(self._run.parts_directory)
        specs = [Spec(pfh.__version__, there, unit, threads, memory, parts) for unit in self._plan.numbers()]
        return [Unit(self.first + spec.unit - 1, self._plan.cost(spec.unit), (spec,)) for spec in specs]

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows of the files, when each unit has been carried out. Raises ``pfh.UnreadError`` if they cannot be joined."""
        words = [sys.executable, "-m", "pfh", "merge", str(self._plan.directory), "--no-progress"]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        records = [record for record in records if record["type"] in ("file", "error", "skipped")]
        if done.returncode not in (0, 3) or len(records) != len(self.files):
            said = done.stderr.decode(errors="replace").strip().removeprefix("pfh: ") or f"pfh merge: exit {done.returncode}"
            raise pfh.UnreadError(said, str(self._plan.directory), None, said)
        for entry, record in zip(self.files, records, strict=True):
            yield _row(entry, record)

    def remove(self) -> None:
        """Removes the ranges of a run that is complete: their values can be a 128th of the files."""
        shutil.rmtree(self._directory, ignore_errors=True)


def _large(plan: Plan, least: int) -> Iterator[int]:
    """The numbers of the files larger than a range. Devices and objects of stores stay whole."""
    for unit in plan.numbers():
        for entry in plan.read(unit):
            if entry.size > least and not units.is_address(entry.name) and os.path.isfile(plan.place(entry)):
                yield entry.number


def _row(entry: Entry, record: dict[str, Any]) -> dict[str, Any]:
    """The record of a merged manifest as a row of ``hash_files``, under the name that the run has of it."""
    status = {"file": "hashed", "error": "failed", "skipped": "skipped"}[record["type"]]
    row = {"number": entry.number, "path_bytes": entry.name, "status": status}
    if status != "hashed":
        return row | {name: record.get(name) for name in ("stage", "offset", "cause")}
    digests = {name: bytes.fromhex(digits) for name, digits in record["digests"].items()}
    return row | {"size": record["size"], "mtime_ns": nanoseconds(record["mtime"])} | digests


def nanoseconds(text: str) -> int | None:
    """A time as manifests have it, ``2026-11-23T07:54:04.446347430Z``, since 1970; ``None`` beyond what a column holds."""
    whole, _, fraction = text.removesuffix("Z").partition(".")
    try:
        since = datetime.datetime.fromisoformat(whole + "+00:00") - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    except ValueError:
        # A year before 1 or behind 9999.
        return None
    count = (since.days * 86_400 + since.seconds) * 10**9 + int(fraction.ljust(9, "0")[:9] or "0")
    return count if count in INT64 else None
