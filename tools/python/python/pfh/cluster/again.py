"""Files that one worker could not read are tried on another: first attempts, and second ones."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow
import pyarrow.parquet

import pfh

from . import part

#: Causes that may lie in the machine and not in the file: a mount that is missing, say.
CAUSES = re.compile(r"\((ENOENT|ENOTDIR|ESTALE|EIO|EACCES|EPERM|ENOTCONN|ETIMEDOUT|EHOSTDOWN)\)")
#: The directory of first attempts in a run.
FIRST = "first"


@dataclass(frozen=True, slots=True)
class Attempt:
    """Which attempt a task is.

    ``elsewhere`` says that there is another worker, to try what this one cannot
    read. ``rows`` are those of an earlier attempt, as a file and its SHA-256:
    then only rows without a result are tried, with ``every`` those of any
    cause, even if a part is there already.
    """

    elsewhere: bool = False
    rows: tuple[str, str] | None = None
    every: bool = False


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A first attempt, some of whose files should be tried on another worker.

    ``rows`` is as in ``Attempt``; ``None`` if all of the unit is tried again.
    ``failed`` counts rows without a result, ``altogether`` says that the worker
    read nothing of what it tried, ``cause`` is that of the first file.
    """

    rows: tuple[str, str] | None
    failed: int
    altogether: bool
    cause: str


def pending(causes: Sequence[str | None], every: bool = False) -> list[int]:
    """The places of rows that another worker may read, by their causes."""
    return [at for at, cause in enumerate(causes) if cause is not None and (every or CAUSES.search(cause))]


def load(rows: tuple[str, str]) -> pyarrow.Table:
    """The rows of an earlier attempt. Raises ``Unwritten`` if they are not what was written."""
    path, sha256 = rows
    try:
        data = Path(path).read_bytes()
    except OSError as wrong:
        raise part.Unwritten(f"{path}: {wrong.strerror}") from wrong
    if pfh.sha256(data).hexdigest() != sha256:
        raise part.Unwritten(f"{path}: differs from what was written")
    return pyarrow.parquet.read_table(pyarrow.BufferReader(data))


def doubt(attempt: Attempt, table: pyarrow.Table, causes: Sequence[str | None], tried: int, to: Path) -> Doubtful | None:
    """The attempt at the part ``to`` as a first one, if there is another worker and a row that it may read.

    ``causes`` are those of the rows without a result, ``None`` for others; ``tried`` is the number of rows that were read now.
    """
    doubtful = pending(causes) if attempt.elsewhere else []
    if not doubtful:
        return None
    failed = sum(cause is not None for cause in causes)
    altogether, cause = len(doubtful) >= tried, str(causes[doubtful[0]])
    if attempt.rows is None and len(doubtful) == len(causes):
        return Doubtful(None, failed, altogether, cause)
    path = to.parent.parent / FIRST / f"{to.stem}-{secrets.token_hex(8)}.parquet"
    with part.writing(path, table.schema) as made:
        made.add(table)
    return Doubtful((str(path), part.digest(path)), failed, altogether, cause)


def replaced(table: pyarrow.Table, places: Sequence[int], rows: pyarrow.Table) -> pyarrow.Table:
    """A table with other rows at some places."""
    order = list(range(table.num_rows))
    for at, place in enumerate(places):
        order[place] = table.num_rows + at
    # Parquet names the items of lists otherwise: the bytes are to follow from the rows alone.
    return pyarrow.concat_tables([table.cast(rows.schema), rows]).take(pyarrow.array(order, pyarrow.int64()))
