"""Files against a manifest on many machines: one Parquet part of results for each stretch of its records."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow

import pfh
from pfh import _pfh

from . import again, part
from .adapter import Adapter
from .again import Attempt, Doubtful
from .drive import Unit, Watch, drive, same_version
from .hashing import text
from .part import Part
from .result import Result, complete, end, repeated_of
from .run import Run

#: The result of each record; ``found`` is the result of ``pfh.check`` for a file.
ROWS = pyarrow.schema(
    [
        ("number", pyarrow.int64()),
        ("path", pyarrow.large_string()),
        ("path_bytes", pyarrow.large_binary()),
        ("found", pyarrow.large_string()),
        ("stage", pyarrow.large_string()),
        ("offset", pyarrow.int64()),
        ("cause", pyarrow.large_string()),
    ]
)
#: The most records of a unit, and the units of a manifest with fewer: files may be large.
RECORDS, UNITS = 100_000, 256


@dataclass(frozen=True, slots=True)
class Stretch:
    """The work of a task: the records of a manifest from one place to another."""

    version: str
    number: int
    manifest: str
    sha256: str
    first: int
    end: int
    root: str | None
    options: tuple[tuple[str, Any], ...]
    to: str

    def wanted(self) -> dict[str, str]:
        """The part's description."""
        return {"unit": str(self.number), "manifest": self.sha256, "records": f"{self.first}-{self.end}"}


def causes(table: pyarrow.Table) -> list[str | None]:
    """Why files were not read, by row; ``None`` for others."""
    pairs = zip(table.column("found").to_pylist(), table.column("cause").to_pylist(), strict=True)
    return [str(cause) if found in ("unread", "absent") else None for found, cause in pairs]


def _compare(stretch: Stretch, places: Sequence[int]) -> pyarrow.Table:
    """The rows of some records."""
    found = _pfh._check_records(stretch.manifest, list(places), root=stretch.root, **dict(stretch.options))
    if len(found["rows"]) != len(places):
        raise pfh.AbortedError(f"{len(found['rows'])} results of {len(places)} records")
    columns = list(zip(*found["rows"], strict=True)) or [(), (), (), (), ()]
    names = list(columns[0])
    values = [list(places), [text(name) for name in names], names, *map(list, columns[1:])]
    arrays = [pyarrow.array(value, field.type) for value, field in zip(values, ROWS, strict=True)]
    return pyarrow.Table.from_arrays(arrays, schema=ROWS)


def work(attempt: Attempt, stretch: Stretch) -> Part | Doubtful:
    """The task: compares the files of a stretch of records, each with its record."""
    same_version(stretch.version)
    path = Path(stretch.to)
    there = part.read(path, stretch.wanted())
    if there is not None:
        return there
    try:
        if part.digest(Path(stretch.manifest)) != stretch.sha256:
            raise part.Unseen(f"{stretch.manifest}: is another manifest than the one that the run was begun with")
    except OSError as wrong:
        raise part.Unseen(f"{stretch.manifest}: {wrong.strerror}") from wrong
    numbers: Sequence[int] = ()
    try:
        if attempt.rows is None:
            table = _compare(stretch, range(stretch.first, stretch.end))
            tried = table.num_rows
        else:
            table = again.load(attempt.rows)
            places = again.pending(causes(table), attempt.every)
            numbers = [stretch.first + place for place in places]
            table, tried = again.replaced(table, places, _compare(stretch, numbers)), len(places)
    except pfh.UnreadError as unread:
        # The root is not there, or not to be entered: another worker may see it.
        if attempt.elsewhere and attempt.rows is None:
            return Doubtful(None, stretch.end - stretch.first, True, str(unread))
        raise
    doubtful = again.doubt(attempt, table, causes(table), tried, path)
    if doubtful is not None:
        return doubtful
    with part.writing(path, table.schema) as made:
        made.add(table)
        made.facts = stretch.wanted() | counts(table)
    return part.made(path, stretch.wanted(), numbers)


def counts(table: pyarrow.Table) -> dict[str, str]:
    """How many records came to what, as a part states it; ``failed`` counts those whose file was not read."""
    found = {row["values"]: row["counts"] for row in table.column("found").value_counts().to_pylist()}
    counted = {name: found.get(name, 0) for name in ("right", "wrong", "absent", "unread")}
    return {name: str(count) for name, count in (counted | {"failed": counted["absent"] + counted["unread"]}).items()}


@dataclass(frozen=True, slots=True)
class Audited(Result):
    """The result of a check: ``verdict`` is the program's, of files and manifest.

    ``broken`` says that the manifest breaks off, ``not_compared`` what of it no file was compared with.
    """

    verdict: str = "incomplete"
    broken: bool = False
    not_compared: tuple[str, ...] = ()


def _stretches(records: int, files: int | None) -> list[tuple[int, int]]:
    """The places where stretches of records begin and end."""
    length = files or max(1, min(RECORDS, -(-records // UNITS)))
    return [(first, min(first + length, records)) for first in range(0, records, length)]


def _root(given: str | None, found: bytes | None) -> str | None:
    """Where names start, for workers that run in other directories; ``None`` if all are absolute."""
    if given is not None:
        return os.path.abspath(given)
    return None if found is None else os.path.abspath(os.fsdecode(found))


def check(
    manifest: str | os.PathLike[str],
    to: str | os.PathLike[str],
    adapter: Adapter,
    *,
    root: str | os.PathLike[str] | None = None,
    algorithms: Sequence[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    strict: bool = False,
    lenient: bool = False,
    files: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    repeat: bool = False,
    watch: Watch | None = None,
) -> Audited:
    """Compares the files that a manifest lists on the workers of an engine, into the run directory ``to``.

    The manifest, its seal, its algorithms and where its names start are
    understood as ``pfh.check`` does; ``counts`` has ``right``, ``wrong``,
    ``absent`` and ``unread`` records. A unit has ``files`` records. A
    file that one worker cannot read is tried once on another; with ``repeat``
    those that no worker read are tried again. All workers see the manifest, the
    files and ``to`` under the same names. Raises as ``pfh.check`` and ``hash``.
    """
    watch = watch or Watch()
    path = os.path.abspath(manifest)
    options: dict[str, Any] = {"algorithms": list(algorithms) if algorithms else None, "strict": strict, "lenient": lenient}
    options["key"] = None if key is None else os.path.abspath(key)
    start = None if root is None else os.fspath(root)
    about = _pfh._check_records(path, [], root=start, **options)
    sha256 = part.digest(Path(path))
    start = _root(start, about["root"])
    run = Run(os.path.abspath(to))
    run.begin({"job": "check", "manifest": path, "sha256": sha256, "root": start, "files": files} | options)
    bounds = {"threads": threads, "memory": memory}
    stretches = _stretches(about["records"], files)

    def arguments(room: Run, number: int) -> tuple[Any, ...]:
        first, last = stretches[number - 1]
        made = str(room.part(number))
        return (Stretch(pfh.__version__, number, path, sha256, first, last, start, tuple((options | bounds).items()), made),)

    result = complete(run)
    if result is None:
        listed = [Unit(number, last - first, arguments(run, number)) for number, (first, last) in enumerate(stretches, 1)]
        result = end(run, drive(adapter, run, work, listed, watch))
    if repeat and not result.missing and result.counts.get("failed"):
        result = repeated_of(run, adapter, work, arguments, watch)
    return _audited(result, about, lenient)


def _audited(result: Result, about: _pfh._Records, lenient: bool) -> Audited:
    counted = dict.fromkeys(("right", "wrong", "absent", "unread"), 0) | result.counts
    verdict = _pfh._check_verdict(counted["right"], counted["wrong"], counted["absent"], counted["unread"])
    not_compared = tuple(about["not_compared"])
    # Lines that are not records are a difference where the check is strict, even if all files are
    # right.
    if about["conclusion"] == "differs":
        verdict = "differs"
    elif result.missing and verdict != "differs":
        verdict = "incomplete"
    elif verdict == "verified" and not_compared and not lenient:
        verdict = "incomplete"
    return Audited(result.run, counted, result.missing, result.repeated, verdict, about["broken"], not_compared)
