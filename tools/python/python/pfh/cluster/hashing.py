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

from . import part, ranges, units
from .adapter import Adapter
from .drive import Outcome, Unit, Watch, drive, same_version
from .part import Part
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
    """What the task of a unit needs; small, as each task carries it."""

    version: str
    unit: int
    #: The list of the unit and its digest.
    list_path: str
    list_sha256: str
    #: What names start from.
    base: bytes
    #: The numbers of those inputs that other units read, in ranges.
    apart: frozenset[int]
    #: The part.
    to: str
    algorithms: tuple[str, ...]
    threads: int | None
    memory: int | None

    def names(self) -> tuple[list[Entry], list[bytes]]:
        """The inputs, and their names as they are found from anywhere."""
        listed = [entry for entry in units.entries(Path(self.list_path), self.list_sha256) if entry.number not in self.apart]
        return listed, [entry.name if units.is_address(entry.name) else os.path.join(self.base, entry.name) for entry in listed]

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


def renamed(table: pyarrow.Table, listed: Sequence[Entry]) -> pyarrow.Table:
    """A table of files under the numbers and names that the plan has of them."""
    if table.num_rows != len(listed):
        raise pfh.AbortedError(f"{table.num_rows} records of {len(listed)} files")
    columns = {
        "number": pyarrow.array([entry.number for entry in listed], pyarrow.int64()),
        "path": pyarrow.array([text(entry.name) for entry in listed], pyarrow.large_string()),
        "path_bytes": pyarrow.array([entry.name for entry in listed], pyarrow.large_binary()),
    }
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), column)
    return table


def work(spec: Spec) -> Part:
    """The task: hashes the files of a unit, and gives its part. One that is there is left as it is."""
    same_version(spec.version)
    path = Path(spec.to)
    there = part.read(path, spec.wanted())
    if there is not None:
        return there
    listed, names = spec.names()
    files = pfh.hash_files(names, list(spec.algorithms), exactly=True, threads=spec.threads, memory=spec.memory)
    table = renamed(pyarrow.table(files), listed)
    with part.writing(path, table.schema) as made:
        made.add(table)
        made.facts = spec.wanted() | counts(table)
    return _made(path, spec.wanted())


def task(spec: Spec | ranges.Spec) -> Part:
    """A task of ``hash``: the files of a unit, or ranges of such."""
    return ranges.work(spec) if isinstance(spec, ranges.Spec) else work(spec)


def _made(path: Path, wanted: dict[str, str]) -> Part:
    """The part that was written, read back."""
    made = part.read(path, wanted)
    if made is None:
        raise part.Unwritten(f"{path}: is gone")
    return made


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
    return _made(run.part(number), wanted)


def total(parts: dict[int, Part]) -> dict[str, int]:
    """The counts of all parts."""
    names = sorted({name for made in parts.values() for name, value in made.facts.items() if value.isdecimal() and name != "unit"})
    return {name: sum(int(made.facts.get(name, 0)) for made in parts.values()) for name in names}


@dataclass(frozen=True, slots=True)
class Result:
    """What a run came to.

    ``counts`` has ``hashed``, ``skipped``, ``failed`` and ``bytes``;
    ``missing`` the units without a part, and why. A run without missing units
    is complete, and has a manifest.
    """

    run: Run
    counts: dict[str, int]
    missing: dict[int, str]
    #: Whether there was nothing left to do.
    repeated: bool = False


def request(source: Source, algorithms: Sequence[str], size: str, files: int, split: str | None = None) -> dict[str, Any]:
    """What makes two runs the same one."""
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
    """Refuses a directory within what is read: the run would list itself."""
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
    watch: Watch | None = None,
) -> Result:
    """Hashes files on the workers of an engine, into the run directory ``to``.

    A run that is there is resumed; one that is complete is compared with its
    manifest, and nothing is read. Each input is one row, of the same columns
    as ``pfh.hash_files`` gives. ``unit`` and ``files`` bound a unit as in
    ``pfh plan``, ``threads`` and ``memory`` what a task takes; files larger
    than ``split`` are read in ranges of that size, as by ``pfh plan --split``,
    by any workers. All see the files and ``to`` under the same names. Raises
    ``pfh.RequestError`` for what is refused, ``pfh.DiffersError`` if a complete
    run is not what was written.
    """
    where = Source.of(source, recursive)
    run = Run(os.path.abspath(to))
    guard(where, run.directory)
    if split is not None:
        # Refused before a tree is walked.
        ranges.length(algorithms, split)
    run.begin(request(where, algorithms, unit, files, split))
    repeated = complete(run)
    if repeated is not None:
        return repeated
    plan = prepare(run, where, algorithms, unit, files)
    names = schema(plan.algorithms)

    def spec(number: int, apart: Sequence[Entry] = ()) -> Spec:
        return specify(plan, run, number, algorithms, threads, memory, frozenset(entry.number for entry in apart))

    if split is None:
        whole = [Unit(number, plan.cost(number), (spec(number),)) for number in plan.numbers()]
        return end(run, of_units(plan, run, adapter, work, whole, names, watch))
    large = ranges.Large(run, plan, algorithms, split, unit)
    whole = []
    for number, apart in large.apart.items():
        cost = plan.cost(number) - sum(units.cost(entry.size) for entry in apart)
        # Of a unit that has nothing else there is no part.
        if cost:
            whole.append(Unit(number, cost, (spec(number, apart),)))
    outcome = of_units(plan, run, adapter, task, whole + large.units(threads, memory), names, watch)
    if not outcome.missing:
        outcome.parts = {number: made for number, made in outcome.parts.items() if number < large.first}
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
    return Spec(
        pfh.__version__, number, str(listed), plan.lists[number - 1], plan.base, apart, str(run.part(number)), tuple(algorithms), threads, memory
    )


def of_units(
    plan: Plan, run: Run, adapter: Adapter, function: Callable[..., Part], listed: Iterable[Unit], names: pyarrow.Schema, watch: Watch | None
) -> Outcome:
    """Has units of a plan carried out; what needs no reading is unit 0."""
    made = settled(plan, run, names)
    outcome = drive(adapter, run, function, listed, watch or Watch())
    outcome.parts[0] = made
    return outcome


def end(run: Run, outcome: Outcome, before: dict[str, int] | None = None) -> Result:
    """Writes the manifest if each unit has its part. ``before`` was counted before there were units."""
    counted = (before or {}) | total(outcome.parts)
    if not outcome.missing:
        run.finish(outcome.parts.values(), counted)
    return Result(run, counted, outcome.missing)


def complete(run: Run) -> Result | None:
    """The result of a run that was complete before; ``None`` if it was not."""
    manifest = run.manifest
    if manifest is None:
        return None
    _, faults = run.verify()
    if faults:
        raise pfh.DiffersError(f"{run.directory}: {'; '.join(faults[:3])}", str(run.directory))
    return Result(run, manifest["counts"], {}, repeated=True)
