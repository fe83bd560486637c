"""Files hashed on many machines: one Parquet part for each unit of a plan."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.compute

import pfh

from . import again, part, ranges, units
from .adapter import Adapter
from .again import Attempt, Doubtful
from .drive import Outcome, Unit, Watch, drive, same_version
from .part import Part
from .result import Result, complete, end, repeated_of
from .run import Run
from .units import Entry, Paths, Plan, Source

#: The columns of ``hash_files`` before the digests and after them.
FIRST = (
    ("number", pyarrow.int64()),
    ("path", pyarrow.large_string()),
    ("path_bytes", pyarrow.large_binary()),
    ("status", pyarrow.large_string()),
    ("size", pyarrow.int64()),
    ("mtime_ns", pyarrow.int64()),
)
LAST = (("stage", pyarrow.large_string()), ("offset", pyarrow.int64()), ("cause", pyarrow.large_string()))


@dataclass(frozen=True, slots=True)
class Spec:
    """The arguments of the task of a unit; small, as each task carries it."""

    version: str
    unit: int
    #: The list of the unit and its digest.
    list_path: str
    list_sha256: str
    #: The directory in which names start.
    base: bytes
    #: The numbers of those inputs that other units read, in ranges.
    apart: frozenset[int]
    #: The part.
    to: str
    algorithms: tuple[str, ...]
    threads: int | None
    memory: int | None

    def entries(self) -> list[Entry]:
        """The inputs."""
        return [entry for entry in units.entries(Path(self.list_path), self.list_sha256) if entry.number not in self.apart]

    def places(self, names: Iterable[bytes]) -> list[bytes]:
        """Names as they are found from anywhere."""
        return [name if units.is_address(name) else os.path.join(self.base, name) for name in names]

    def wanted(self) -> dict[str, str]:
        """The part's description."""
        return {"unit": str(self.unit), "list": self.list_sha256, "algorithms": ",".join(self.algorithms)}


def schema(algorithms: Sequence[str]) -> pyarrow.Schema:
    """The columns of a part, those of ``hash_files``."""
    with pfh.hash_files([os.devnull], list(algorithms)) as files:
        found = pyarrow.RecordBatchReader.from_stream(files).schema
    assert [found.field(at) for at in range(len(FIRST))] == [pyarrow.field(*column) for column in FIRST]
    return found


def counts(table: pyarrow.Table) -> dict[str, str]:
    """How many inputs came to what, and the bytes, as a part states them."""
    found = {row["values"]: row["counts"] for row in table.column("status").value_counts().to_pylist()}
    size = pyarrow.compute.sum(table.column("size")).as_py() or 0
    return {name: str(found.get(name, 0)) for name in ("hashed", "skipped", "failed")} | {"bytes": str(size)}


def text(name: bytes) -> str | None:
    """A name as text, if it is some."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return None


def renamed(table: pyarrow.Table, numbers: Sequence[int], names: Sequence[bytes]) -> pyarrow.Table:
    """A table of files under the numbers and names that the plan has of them."""
    if table.num_rows != len(names):
        raise pfh.AbortedError(f"{table.num_rows} records of {len(names)} files")
    columns = {
        "number": pyarrow.array(numbers, pyarrow.int64()),
        "path": pyarrow.array([text(name) for name in names], pyarrow.large_string()),
        "path_bytes": pyarrow.array(names, pyarrow.large_binary()),
    }
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), column)
    return table


def causes(table: pyarrow.Table) -> list[str | None]:
    """Why files could not be read, by row; ``None`` for others."""
    pairs = zip(table.column("status").to_pylist(), table.column("cause").to_pylist(), strict=True)
    return [str(cause) if status == "failed" else None for status, cause in pairs]


def attempted(
    attempt: Attempt, spec: Spec, read: Callable[[Sequence[bytes]], pyarrow.Table]
) -> tuple[pyarrow.Table, Sequence[int], Doubtful | None]:
    """The rows of an attempt, the numbers of those that it added to an earlier one, and whether another worker should try.

    ``read`` makes the table of files of these names.
    """
    if attempt.rows is None:
        listed = spec.entries()
        names = [entry.name for entry in listed]
        table = renamed(read(spec.places(names)), [entry.number for entry in listed], names)
        numbers: Sequence[int] = ()
        tried = table.num_rows
    else:
        table = again.load(attempt.rows)
        places = again.pending(causes(table), attempt.every)
        some = table.take(pyarrow.array(places, pyarrow.int64()))
        numbers, names = some.column("number").to_pylist(), some.column("path_bytes").to_pylist()
        table = again.replaced(table, places, renamed(read(spec.places(names)), numbers, names))
        tried = len(places)
    return table, numbers, again.doubt(attempt, table, causes(table), tried, Path(spec.to))


def work(attempt: Attempt, spec: Spec) -> Part | Doubtful:
    """The task: hashes the files of a unit, and gives its part. One that is there is left as it is."""
    same_version(spec.version)
    path = Path(spec.to)
    there = part.read(path, spec.wanted())
    if there is not None:
        return there

    def read(names: Sequence[bytes]) -> pyarrow.Table:
        return pyarrow.table(pfh.hash_files(names, list(spec.algorithms), exactly=True, threads=spec.threads, memory=spec.memory))

    table, numbers, doubtful = attempted(attempt, spec, read)
    if doubtful is not None:
        return doubtful
    with part.writing(path, table.schema) as made:
        made.add(table)
        made.facts = spec.wanted() | counts(table)
    return part.made(path, spec.wanted(), numbers)


def task(attempt: Attempt, spec: Spec | ranges.Spec) -> Part | Doubtful:
    """A task of ``hash``: the files of a unit, or ranges of such."""
    return ranges.work(attempt, spec) if isinstance(spec, ranges.Spec) else work(attempt, spec)


def settled(plan: Plan, run: Run, names: pyarrow.Schema) -> Part:
    """The part of what needs no reading, which is unit 0."""
    return of_rows(run, 0, plan.settled(), names)


def of_rows(run: Run, number: int, rows: Iterable[dict[str, Any]], names: pyarrow.Schema) -> Part:
    """The part of a unit whose rows are known."""
    full = [{name: row.get(name) for name in names.names} | {"path": text(row["path_bytes"])} for row in rows]
    table = pyarrow.Table.from_pylist(full, schema=names)
    wanted = {"unit": str(number)}
    there = part.read(run.part(number), wanted)
    if there is not None:
        return there
    with part.writing(run.part(number), names) as made:
        made.add(table)
        made.facts = wanted | counts(table)
    return part.made(run.part(number), wanted)


def request(source: Source, algorithms: Sequence[str], size: str, files: int, split: str | None = None) -> dict[str, Any]:
    """The request: two runs with equal ones are the same."""
    asked = {} if split is None else {"split": split}
    return asked | {
        "job": "hash",
        "algorithms": list(algorithms),
        "paths": [os.fsencode(path).hex() if text(os.fsencode(path)) is None else path for path in source.paths],
        "options": list(source.options),
        "listing": source.listing,
        "column": source.column,
        "working_directory": os.getcwd(),
        "unit": size,
        "files": files,
    }


def guard(source: Source, to: Path) -> None:
    """Refuses a directory within the input: the run would list itself."""
    inside = to.absolute().resolve()
    for path in source.paths:
        if units.is_address(os.fsencode(path)):
            continue
        root = Path(path).absolute().resolve()
        if root == inside or root in inside.parents:
            raise pfh.RequestError(f"{to}: lies within {path}, which is read", str(to))


def hash(  # noqa: A001  (the job's name, as in the program)
    source: Source | Paths,
    to: str | os.PathLike[str],
    adapter: Adapter,
    algorithms: Sequence[str] = ("sha256",),
    *,
    recursive: bool = False,
    unit: str = "2GiB",
    files: int = 100_000,
    threads: int | None = None,
    memory: int | None = None,
    split: str | None = None,
    repeat: bool = False,
    watch: Watch | None = None,
) -> Result:
    """Hashes files on the workers of an engine, into the run directory ``to``.

    A run that is there is resumed; one that is complete is compared with its
    manifest, and nothing is read, but for files without a digest with
    ``repeat``. A file that one worker cannot read is tried once on another.
    Each input is one row, of the same columns as ``pfh.hash_files`` gives. ``unit`` and ``files`` bound a unit as in
    ``pfh plan``, ``threads`` and ``memory`` what a task takes; files larger
    than ``split`` are read in ranges of that size, as by ``pfh plan --split``,
    by any workers. All see the files and ``to`` under the same names. Raises
    ``pfh.RequestError`` if the request is refused, ``pfh.DiffersError`` if a complete
    run is not as it was written.
    """
    where = Source.of(source, recursive)
    run = Run(os.path.abspath(to))
    guard(where, run.directory)
    if split is not None:
        # Refused before a tree is walked.
        ranges.length(algorithms, split)
    run.begin(request(where, algorithms, unit, files, split))
    watch = watch or Watch()
    before = complete(run)
    if before is not None and not (repeat and before.counts["failed"]):
        return before
    plan = prepare(run, where, algorithms, unit, files)

    def arguments(room: Run, number: int, apart: Iterable[Entry] = ()) -> tuple[Any, ...]:
        return (specify(plan, room, number, algorithms, threads, memory, frozenset(entry.number for entry in apart)),)

    if before is not None:
        return repeated_of(run, adapter, work, arguments, watch)
    if split is None:
        listed = [Unit(number, plan.cost(number), arguments(run, number)) for number in plan.numbers()]
        result = end(run, of_units(plan, run, adapter, work, listed, schema(plan.algorithms), watch))
    else:
        large = ranges.Large(run, plan, algorithms, split, unit)
        if large.shares_nothing_out:
            watch.say(f"--split shares nothing out: all ranges are in one unit of up to {unit}: give a smaller --unit")
        result = _with_ranges(run, plan, adapter, large, arguments, large.units(threads, memory), watch)
    if not repeat or result.missing or not result.counts["failed"]:
        return result
    return repeated_of(run, adapter, work, arguments, watch)


def _with_ranges(
    run: Run,
    plan: Plan,
    adapter: Adapter,
    large: ranges.Large,
    arguments: Callable[[Run, int, Iterable[Entry]], tuple[Any, ...]],
    listed: list[Unit],
    watch: Watch,
) -> Result:
    """Has the units of a plan carried out but for the large files of it, which are read by the units of ranges that are listed."""
    names = schema(plan.algorithms)
    for number, apart in large.apart.items():
        cost = plan.cost(number) - sum(units.cost(entry.size) for entry in apart)
        # Of a unit that has nothing else there is no part.
        if cost:
            listed.append(Unit(number, cost, arguments(run, number, apart)))
    outcome = of_units(plan, run, adapter, task, listed, names, watch)
    if not outcome.missing:
        outcome.parts = {number: made for number, made in outcome.parts.items() if number < large.first}
        outcome.origins = {number: origin for number, origin in outcome.origins.items() if number < large.first}
        outcome.parts[large.first] = of_rows(run, large.first, large.rows(), names)
    result = end(run, outcome)
    if not outcome.missing:
        large.remove()
    return result


def prepare(run: Run, source: Source, algorithms: Sequence[str], size: str, files: int) -> Plan:
    """The plan of a run, made unless it is there."""
    directory = run.directory / "plan"
    try:
        units.make(source, algorithms, directory, size, files)
    except pfh.RequestError:
        # Refused: as if it had never been asked.
        run.abandon()
        raise
    return Plan(directory)


def specify(
    plan: Plan, run: Run, number: int, algorithms: Sequence[str], threads: int | None, memory: int | None, apart: frozenset[int] = frozenset()
) -> Spec:
    """The task of a unit, but for those files that are ``apart``."""
    listed = plan.directory / "units" / f"{number:06}"
    # The part of the files that were read in ranges has no list.
    sha256 = plan.lists[number - 1] if number <= len(plan.lists) else ""
    return Spec(pfh.__version__, number, str(listed), sha256, plan.base, apart, str(run.part(number)), tuple(algorithms), threads, memory)


def of_units(
    plan: Plan, run: Run, adapter: Adapter, function: Callable[..., Part | Doubtful], listed: Iterable[Unit], names: pyarrow.Schema, watch: Watch
) -> Outcome:
    """Has units of a plan carried out; what needs no reading is unit 0."""
    made = settled(plan, run, names)
    outcome = drive(adapter, run, function, listed, watch)
    outcome.parts[0] = made
    return outcome
