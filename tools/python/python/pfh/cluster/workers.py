"""Which worker made which rows: a file beside the parts, since their bytes are to follow from the unit alone."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow
import pyarrow.parquet

from . import part

NAME = "workers.parquet"
SCHEMA = pyarrow.schema(
    [
        ("unit", pyarrow.int64()),
        ("number", pyarrow.int64()),
        ("worker", pyarrow.large_string()),
        ("first", pyarrow.large_string()),
        ("cause", pyarrow.large_string()),
    ]
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Who made a part: ``worker``, as the engine names it; ``None`` if that is not known.

    ``first`` could not read files that ``worker`` then tried, for ``cause``: those with the
    ``numbers``, all of the unit if there are none.
    """

    worker: str | None
    first: str | None = None
    cause: str | None = None
    numbers: tuple[int, ...] = ()


def write(path: Path, origins: Mapping[int, Origin]) -> None:
    """Writes a row for each unit, and one for each file of it that another worker read than the rest."""
    rows = []
    for unit, origin in sorted(origins.items()):
        second = {"unit": unit, "worker": origin.worker, "first": origin.first, "cause": origin.cause}
        rows.append({"unit": unit, "worker": origin.first} if origin.numbers else second)
        rows += [second | {"number": number} for number in origin.numbers]
    path.unlink(missing_ok=True)
    with part.writing(path, SCHEMA) as made:
        made.add(pyarrow.Table.from_pylist(rows, schema=SCHEMA))


def load(data: bytes) -> dict[int, Origin]:
    """The origins in such a file, by unit."""
    found: dict[int, Origin] = {}
    for row in pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist():
        before = found.get(row["unit"])
        numbers = () if row["number"] is None or before is None else (*before.numbers, row["number"])
        found[row["unit"]] = Origin(row["worker"], row["first"], row["cause"], numbers)
    return found


def column(origin: Origin | None, numbers: Iterable[int | None]) -> pyarrow.Array:
    """The worker of each row of a part, by the numbers of the rows."""
    if origin is None:
        origin = Origin(None)
    second = set(origin.numbers)
    rest = origin.first if second else origin.worker
    return pyarrow.array([origin.worker if number in second else rest for number in numbers], pyarrow.large_string())
