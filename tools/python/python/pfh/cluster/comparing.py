"""Similarity digests, all against all, on many machines: one Parquet part of pairs for each task.

ssdeep and TLSH are shared out by the terms of their indexes: each task has all
digests and a share of the terms, and a pair belongs to the share of the first
term that both have. sdhash and mrsh-v2 have no index that is exact; they are
shared out by blocks of pairs: each task has the digests of one block or two.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.parquet

import pfh
from pfh import _pfh

from . import part, reading
from .adapter import Adapter
from .again import Attempt
from .drive import Unit, Watch, drive, same_version
from .part import Part
from .result import Result, complete, end
from .run import TYPE, VERSION, Run, load, save
from .units import Paths, listed

#: The digests of a run, in input order.
DIGESTS = "digests.parquet"
#: Rows of a row group there, the least that a task reads.
GROUP = 1 << 14
#: Digests for a share of an index, and the bounds of their number.
SHARE = 125_000
LEAST, MOST = 8, 512
#: Bytes of digests in a block of pairs.
BLOCK = 64 << 20

PAIRS = pyarrow.schema(
    [
        ("a", pyarrow.int64()),
        ("b", pyarrow.int64()),
        ("score", pyarrow.int32()),
        ("degenerate", pyarrow.large_string()),
        ("path_a", pyarrow.large_binary()),
        ("path_b", pyarrow.large_binary()),
    ]
)
#: Why a score may mean nothing, by number.
DEGENERATE = (None, "few features", "low entropy", "saturated", "packed")
SATURATED = 3


@dataclass(frozen=True, slots=True)
class Share:
    """The work of a task: the rows of one range, with those of another if there is one, and a
    share of the search."""

    version: str
    number: int
    digests: str
    sha256: str
    algorithm: str
    rows: tuple[int, int]
    against: tuple[int, int] | None
    part: int
    of: int
    threshold: int | None
    saturated: bool
    to: str
    threads: int | None
    memory: int | None

    def wanted(self) -> dict[str, str]:
        """The part's description."""
        share = f"{self.rows}/{self.against}/{self.part}/{self.of}/{self.threshold}/{self.saturated}"
        return {"unit": str(self.number), "digests": self.sha256, "algorithm": self.algorithm, "share": share}


@functools.lru_cache(maxsize=2)
def _file(path: str, size: int, sha256: str) -> pyarrow.parquet.ParquetFile:
    """The digests, which are those that the run was begun with: looked at once in each process."""
    if part.digest(Path(path)) != sha256:
        raise pfh.DiffersError(f"{path}: is not what was written", path)
    return pyarrow.parquet.ParquetFile(path, memory_map=True)


def _column(file: pyarrow.parquet.ParquetFile, rows: tuple[int, int], name: str) -> Iterator[pyarrow.ChunkedArray]:
    """A column of a range of rows, a row group at a time."""
    for group in range(rows[0] // GROUP, -(-rows[1] // GROUP)):
        yield file.read_row_group(group, columns=[name]).column(0)


@functools.lru_cache(maxsize=1)
def _digests(path: str, size: int, sha256: str, algorithm: str, ranges: tuple[tuple[int, int], ...]) -> tuple[Any, pyarrow.Array]:
    """The digests of ranges of rows, and the row of each place; kept for the next task."""
    file = _file(path, size, sha256)
    digests = _pfh.Digests(algorithm)
    for number, rows in enumerate(ranges):
        if number:
            digests.begin_second_set()
        for column in _column(file, rows, "digest"):
            digests.add(column)
    count = len(digests)
    places = pyarrow.Array.from_buffers(pyarrow.uint32(), count, [None, pyarrow.py_buffer(digests.rows)])
    return digests, places


def _names(file: pyarrow.parquet.ParquetFile, ranges: Sequence[tuple[int, int]], wanted: pyarrow.Array) -> pyarrow.Array:
    """The names of rows of the ranges: only the row groups that have some are read."""
    columns, first = [], 0
    for rows in ranges:
        for group in range(rows[0] // GROUP, -(-rows[1] // GROUP)):
            columns.append((first, group))
            first += file.metadata.row_group(group).num_rows
    unique = pyarrow.compute.unique(wanted).sort()
    found = []
    for start, group in columns:
        end = start + file.metadata.row_group(group).num_rows
        within = unique.filter(pyarrow.compute.and_(pyarrow.compute.greater_equal(unique, start), pyarrow.compute.less(unique, end)))
        if len(within):
            names = file.read_row_group(group, columns=["path_bytes"]).column(0)
            found.append(names.take(pyarrow.compute.subtract(within.cast(pyarrow.int64()), start)).combine_chunks())
    taken = pyarrow.concat_arrays([column.cast(pyarrow.large_binary()) for column in found])
    return taken.take(pyarrow.compute.index_in(wanted, unique))


def work(_attempt: Attempt, share: Share) -> Part:
    """The task: the pairs of a share."""
    same_version(share.version)
    path = Path(share.to)
    there = part.read(path, share.wanted())
    if there is not None:
        return there
    size = os.stat(share.digests).st_size
    ranges = (share.rows,) if share.against is None else (share.rows, share.against)
    digests, places = _digests(share.digests, size, share.sha256, share.algorithm, ranges)
    file = _file(share.digests, size, share.sha256)
    segments = dict(digests.segments)
    offset = 0 if share.against is None else share.against[0] - (share.rows[1] - share.rows[0])
    found = saturated = 0

    def number(rows: pyarrow.Array) -> pyarrow.Array:
        """Rows of the task as rows of the run."""
        wide = rows.cast(pyarrow.int64())
        first = pyarrow.compute.add(wide, share.rows[0])
        if share.against is None:
            return first
        second = pyarrow.compute.add(wide, offset)
        return pyarrow.compute.if_else(pyarrow.compute.less(wide, share.rows[1] - share.rows[0]), first, second)

    def named(at: pyarrow.Array, rows: pyarrow.Array) -> pyarrow.Array:
        names = _names(file, ranges, rows)
        if not segments:
            return names
        both = zip(names.to_pylist(), at.to_pylist(), strict=True)
        return pyarrow.array([name + segments.get(place, b"") for name, place in both], pyarrow.large_binary())

    with part.writing(path, PAIRS) as made:

        def take(a: bytes, b: bytes, score: bytes, why: bytes) -> None:
            nonlocal found, saturated
            count = len(why)
            columns = {
                name: pyarrow.Array.from_buffers(kind, count, [None, pyarrow.py_buffer(data)])
                for name, kind, data in (
                    ("a", pyarrow.uint32(), a),
                    ("b", pyarrow.uint32(), b),
                    ("score", pyarrow.int32(), score),
                    ("why", pyarrow.uint8(), why),
                )
            }
            table = pyarrow.table(columns)
            doubtful = pyarrow.compute.equal(table.column("why"), SATURATED)
            left_out = pyarrow.compute.sum(doubtful).as_py() or 0
            saturated += left_out
            if left_out and not share.saturated:
                table = table.filter(pyarrow.compute.invert(doubtful))
            if not table.num_rows:
                return
            found += table.num_rows
            first, second = (table.column(name).combine_chunks() for name in "ab")
            rows_a, rows_b = places.take(first), places.take(second)
            reasons = pyarrow.array(DEGENERATE, pyarrow.large_string()).take(table.column("why").combine_chunks())
            values = [number(rows_a), number(rows_b), table.column("score").combine_chunks(), reasons]
            made.add(pyarrow.Table.from_arrays([*values, named(first, rows_a), named(second, rows_b)], schema=PAIRS))

        digests.pairs(take, share.part, share.of, threshold=share.threshold, threads=share.threads or 1, memory=share.memory)
        made.facts = share.wanted() | {"pairs": str(found), "saturated": str(saturated)}
    return part.made(path, share.wanted())


def _tables(source: str, algorithm: str) -> Iterator[pyarrow.Table]:
    """The digests of a source, with their names and numbers: a run of ``hash``, whose parts are compared with its manifest, or Parquet files.

    Raises ``pfh.RequestError`` if it is neither.
    """
    path = Path(source)
    try:
        if path.is_dir() and load(path / "run.json") is not None:
            files: list[tuple[str, dict[str, Any] | None]] = [(str(file), listed) for file, listed in Run(path).parts()]
        else:
            files = [(name, None) for name in sorted(pyarrow.parquet.ParquetDataset(source).files)]
            for name, _ in files:
                pyarrow.parquet.read_schema(name)
    except (OSError, pyarrow.ArrowException) as wrong:
        if isinstance(wrong, pfh.Error):
            raise
        raise pfh.RequestError(f"{source}: is neither a run nor Parquet: {wrong}", source) from wrong
    if not files:
        raise pfh.RequestError(f"{source}: holds no Parquet", source)
    for name, listed in files:
        with pyarrow.parquet.ParquetFile(name) if listed is None else reading.opened(Path(name), listed) as file:
            there = file.schema_arrow.names
            naming = next((column for column in ("path_bytes", "path", "name") if column in there), None)
            digests = next((column for column in (algorithm, "digest") if column in there), None)
            if naming is None or digests is None:
                raise pfh.RequestError(f"{name}: has no columns of names (path_bytes, path) and digests ({algorithm})", name)
            table = file.read([naming, digests] + ["number"] * ("number" in there))
        names = table.column(naming).cast(pyarrow.large_binary())
        text = table.column(digests).cast(pyarrow.large_string())
        numbers = table.column("number") if "number" in there else pyarrow.nulls(table.num_rows, pyarrow.int64())
        yield pyarrow.table({"number": numbers, "path_bytes": names, "digest": text})


def gather(sources: Sequence[str], algorithm: str, to: Path) -> dict[str, int]:
    """Writes the digests of sources as one file, in input order.

    Gives how many ``digests`` there are, inputs ``without`` one, and rows that
    are ``malformed``; those hold no digest of the method.
    """
    counted = {"without": 0}
    kept = pyarrow.schema([("path_bytes", pyarrow.large_binary()), ("digest", pyarrow.large_string())])
    all_rows = []
    for source in sources:
        table = pyarrow.concat_tables(_tables(source, algorithm))
        # Rows of a run have numbers; others are in the order of their files.
        all_rows.append(table if table.column("number").null_count else table.sort_by("number"))
    table = pyarrow.concat_tables(all_rows).select(["path_bytes", "digest"])
    table = table.filter(pyarrow.compute.is_valid(table.column("digest")))
    bad: list[int] = []
    first = 0
    for chunk in table.column("digest").chunks:
        probe = _pfh.Digests(algorithm)
        bad += [first + row for row, _ in probe.add(chunk)]
        counted["without"] += probe.without
        first += len(chunk)
    counted |= {"digests": table.num_rows - len(bad) - counted["without"], "malformed": len(bad)}
    if bad:
        rows = pyarrow.array(range(table.num_rows), pyarrow.int64())
        keep = pyarrow.compute.invert(pyarrow.compute.is_in(rows, value_set=pyarrow.array(bad, pyarrow.int64())))
        table = table.filter(keep)
    with part.writing(to, kept) as made:
        table = table.combine_chunks().cast(kept)
        for start in range(0, table.num_rows, GROUP):
            made.add(table.slice(start, GROUP))
        made.facts = {name: str(value) for name, value in counted.items()}
    return counted


def shares(rows: int, size: int, algorithm: str, parts: int | None) -> list[tuple[tuple[int, int], tuple[int, int] | None, int, int]]:
    """How a comparison is shared out: ranges of rows, and the share of the search. It follows from
    the digests alone, so that a run that resumes has the same."""
    if rows == 0:
        return []
    if algorithm in ("ssdeep", "tlsh"):
        of = parts or max(LEAST, min(MOST, -(-rows // SHARE)))
        return [((0, rows), None, number, of) for number in range(of)]
    groups = -(-rows // GROUP)
    # Blocks so that their pairs are at least as many as parts were asked for, and none is too large.
    blocks = max(1, -(-size // BLOCK))
    while parts and blocks * (blocks + 1) // 2 < parts:
        blocks += 1
    blocks = min(blocks, groups)
    ends = [min(rows, groups * number // blocks * GROUP) for number in range(blocks + 1)]
    ranges = list(zip(ends[:-1], ends[1:], strict=True))
    pairs = [(ranges[a], None if a == b else ranges[b]) for a in range(blocks) for b in range(a, blocks)]
    # Few blocks: the search of each pair of them is shared out further.
    of = max(1, -(-(parts or LEAST) // len(pairs)))
    return [(one, other, number, of) for one, other in pairs for number in range(of)]


def compare(
    sources: Paths,
    algorithm: str,
    to: str | os.PathLike[str],
    adapter: Adapter,
    *,
    threshold: int | None = None,
    saturated: bool = False,
    parts: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    watch: Watch | None = None,
) -> Result:
    """Compares digests all against all on the workers of an engine; the pairs are rows in ``to``.

    ``sources`` are runs of ``hash`` with this algorithm, or Parquet files with
    a column of names (``path_bytes``, ``path``) and one of digests, called as
    the algorithm or ``digest``. Each pair is there once, with the score that
    ``pfh compare`` gives; ``a`` and ``b`` are rows of the run's
    ``digests.parquet``. ``counts`` has ``digests``, ``without`` (inputs that
    have none), ``malformed``, ``pairs`` and ``saturated`` pairs, which are left
    out unless ``saturated``.
    """
    given = [os.path.abspath(path) for path in listed(sources)]
    _pfh.Digests(algorithm)
    run = Run(os.path.abspath(to))
    run.begin({"job": "compare", "algorithm": algorithm, "sources": given, "threshold": threshold, "saturated": saturated, "parts": parts})
    repeated = complete(run)
    if repeated is not None:
        return repeated
    digests = run.directory / DIGESTS
    noted = load(run.directory / f"{DIGESTS}.json")
    try:
        if noted is None:
            part.sweep(run.directory)
            digests.unlink(missing_ok=True)
            gather(given, algorithm, digests)
            noted = {"type": TYPE, "version": VERSION, "size": digests.stat().st_size, "sha256": part.digest(digests)}
            save(run.directory / f"{DIGESTS}.json", noted)
    except (OSError, pfh.Error, pyarrow.ArrowException):
        run.abandon()
        raise
    made = part.made(digests, {})
    if made.sha256 != noted["sha256"]:
        raise pfh.DiffersError(f"{digests}: differs from what was written", str(digests))
    planned = shares(made.rows, _size(digests), algorithm, parts)
    units = []
    for number, (rows, against, at, of) in enumerate(planned):
        share = Share(
            pfh.__version__, number, str(digests), made.sha256, algorithm, rows, against, at, of,
            threshold, saturated, str(run.part(number)), threads, memory,
        )  # fmt: skip
        units.append(Unit(number, 1, (share,)))
    outcome = drive(adapter, run, work, units, watch or Watch())
    return end(run, outcome, {name: int(value) for name, value in made.facts.items()}, [digests])


def _size(path: Path) -> int:
    """Bytes of the digests as they are in memory."""
    with pyarrow.parquet.ParquetFile(path) as file:
        metadata = file.metadata
        return sum(metadata.row_group(group).column(1).total_uncompressed_size for group in range(metadata.num_row_groups))
