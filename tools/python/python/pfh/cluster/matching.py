"""Files looked up in known sets on many machines: one Parquet part of verdicts for each unit."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow

import pfh

from . import part, units
from .adapter import Adapter
from .again import Attempt, Doubtful
from .drive import Unit, Watch, same_version
from .hashing import FIRST, LAST, Spec, attempted, counts, guard, of_units, prepare, request, specify
from .part import Part, digest
from .result import Result, complete, end, repeated_of
from .run import Run
from .units import Paths, Source

#: The verdict of a file: the fields of ``pfh.Matched``.
VERDICT = (
    ("verdict", pyarrow.large_string()),
    ("sets", pyarrow.large_list(pyarrow.struct([("name", pyarrow.large_string()), ("class", pyarrow.large_string())]))),
    ("empty", pyarrow.bool_()),
)


@dataclass(frozen=True, slots=True)
class Set:
    """A known set: its path where all see it, its digest, and the bytes if they were sent."""

    path: str
    sha256: str
    #: The result of ``scatter``; the engine turns it into the bytes where it is an argument by
    #: itself.
    sent: bool


@functools.lru_cache(maxsize=64)
def _checked(path: str, size: int, mtime_ns: int, sha256: str) -> None:
    """Compares a set with the one that the run was begun with: once in each process."""
    if digest(Path(path)) != sha256:
        raise pfh.DiffersError(f"{path}: is another set than the one that the run was begun with", path)


def _kept(known: Set, data: bytes) -> str:
    """A set that was sent, as a file of this machine that each of its processes uses."""
    directory = Path(tempfile.gettempdir()) / f"pfh-known-{os.getuid()}"
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        if directory.stat().st_uid != os.getuid() or directory.stat().st_mode & 0o077:
            raise part.Unwritten(f"{directory}: is not this user's alone")
        path = directory / f"{known.sha256}{Path(known.path).suffix}"
        if not path.exists():
            with tempfile.NamedTemporaryFile(dir=directory, delete=False) as file:
                file.write(data)
            os.replace(file.name, path)
    except OSError as wrong:
        raise part.Unwritten(f"{directory}: {wrong.strerror}") from wrong
    return str(path)


def _open(known: Sequence[Set], sent: Sequence[bytes]) -> list[str]:
    """Where the sets are on this machine; each is the one that was meant."""
    left = iter(sent)
    paths = [_kept(one, next(left)) if one.sent else one.path for one in known]
    for one, path in zip(known, paths, strict=True):
        try:
            state = os.stat(path)
        except OSError as wrong:
            raise part.Unseen(f"{path}: {wrong.strerror}: --send sends sets that not all workers see") from wrong
        _checked(path, state.st_size, state.st_mtime_ns, one.sha256)
    return paths


def schema(algorithms: Sequence[str]) -> pyarrow.Schema:
    """The columns of a part: those of ``hash_files``, with the verdict."""
    digests = [(name, pyarrow.large_binary()) for name in algorithms]
    return pyarrow.schema([pyarrow.field(*column) for column in (*FIRST, *VERDICT, *digests, *LAST)])


def _row(matched: pfh.Matched) -> dict[str, Any]:
    record, verdict = matched.record, matched.verdict
    row: dict[str, Any] = {"number": 0, "path_bytes": b"", "status": type(record).__name__.lower()}
    if verdict is not None:
        sets = [{"name": name, "class": kind} for name, kind in verdict.sets]
        row |= {"verdict": verdict.status, "sets": sets, "empty": verdict.empty}
    if isinstance(record, pfh.Hashed):
        row |= {"size": record.size, "mtime_ns": record.mtime_ns} | record.digests
    elif isinstance(record, pfh.Failed):
        row |= {"stage": record.stage, "offset": record.offset, "cause": record.cause}
    else:
        row |= {"cause": record.reason}
    return row


def work(attempt: Attempt, spec: Spec, known: Sequence[Set], wanted: dict[str, str], cls: str | None, *sent: bytes) -> Part | Doubtful:
    """The task: a verdict on each file of a unit."""
    same_version(spec.version)
    path = Path(spec.to)
    wanted = spec.wanted() | wanted
    there = part.read(path, wanted)
    if there is not None:
        return there

    def read(names: Sequence[bytes]) -> pyarrow.Table:
        matched = pfh.match(names, _open(known, sent), cls=cls, exactly=True, threads=spec.threads, memory=spec.memory)
        return pyarrow.Table.from_pylist([_row(one) for one in matched], schema=schema(spec.algorithms))

    table, numbers, doubtful = attempted(attempt, spec, read)
    if doubtful is not None:
        return doubtful
    with part.writing(path, table.schema) as made:
        made.add(table)
        made.facts = wanted | counts(table) | verdicts(table)
    return part.made(path, wanted, numbers)


def verdicts(table: pyarrow.Table) -> dict[str, str]:
    """How many files have which verdict, as a part states it."""
    found = table.column("verdict").drop_null().value_counts().to_pylist()
    return {f"verdict-{row['values']}": str(row["counts"]) for row in found}


def match(
    source: Source | Paths,
    known: Paths,
    to: str | os.PathLike[str],
    adapter: Adapter,
    *,
    recursive: bool = False,
    cls: str | None = None,
    send: bool = False,
    unit: str = "2GiB",
    files: int = 100_000,
    threads: int | None = None,
    memory: int | None = None,
    repeat: bool = False,
    watch: Watch | None = None,
) -> Result:
    """Looks files up in known sets on the workers of an engine: a verdict for each, in ``to``.

    ``known`` are sets as ``pfh.match`` takes them; lists are read again by each
    task, so that ``pfh known build`` pays. Workers open them where they lie,
    unless ``send``: then each machine gets them once, by the engine. Else as
    ``hash``. ``counts`` of the result has ``verdict-known-bad`` and so on.
    Raises ``pfh.UnreadError`` if no set holds a digest.
    """
    where = Source.of(source, recursive)
    paths = [os.path.abspath(path) for path in units.listed(known)]
    opened = pfh.Known.open(paths, cls=cls)
    if opened.gaps and not opened.sets:
        raise pfh.UnreadError("nothing to compare with: no set holds a digest", paths[0])
    algorithms = tuple(_algorithms(paths, cls))
    run = Run(os.path.abspath(to))
    guard(where, run.directory)
    digests = [digest(Path(path)) for path in paths]
    asked = request(where, algorithms, unit, files) | {"job": "match", "known": digests, "class": cls}
    run.begin(asked)
    watch = watch or Watch()
    before = complete(run)
    if before is not None and not (repeat and before.counts["failed"]):
        return before
    plan = prepare(run, where, algorithms, unit, files)
    sets = tuple(Set(path, sha256, send) for path, sha256 in zip(paths, digests, strict=True))
    sent = tuple(adapter.scatter(Path(path).read_bytes()) for path in paths) if send else ()
    wanted = {"known": ",".join(digests)}

    def arguments(room: Run, number: int) -> tuple[Any, ...]:
        return (specify(plan, room, number, algorithms, threads, memory), sets, wanted, cls, *sent)

    result = before
    if result is None:
        listed = [Unit(number, plan.cost(number), arguments(run, number)) for number in plan.numbers()]
        result = end(run, of_units(plan, run, adapter, work, listed, schema(algorithms), watch))
    if not repeat or result.missing or not result.counts["failed"]:
        return result
    return repeated_of(run, adapter, work, arguments, watch)


def _algorithms(paths: Sequence[str], cls: str | None) -> list[str]:
    """The algorithms that the sets need: a file of no bytes shows them."""
    with tempfile.NamedTemporaryFile(prefix="pfh-empty-") as empty:
        (matched,) = pfh.match(empty.name, list(paths), cls=cls)
    record = matched.record
    assert isinstance(record, pfh.Hashed)
    return list(record.digests)
