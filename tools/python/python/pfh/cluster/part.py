"""Parts: Parquet files that are there as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import pyarrow
import pyarrow.parquet

import pfh

#: The ending of names of parts that are being written.
UNFINISHED = ".unfinished"
#: Rows of a row group: all of a unit, whose files are bounded.
ROWS = 1 << 20


class Unwritten(Exception):
    """A part could not be written where the worker runs: its disk is full, say."""


class Unseen(Exception):
    """The worker does not see the directory of the run, or sees another."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part that is whole: its bytes, and its description.

    ``numbers`` are those of the rows that a second attempt read, if it did not
    read all. ``found`` says that the task found the part and did not write it.
    """

    name: str
    size: int
    sha256: str
    rows: int
    facts: dict[str, str]
    numbers: tuple[int, ...] = ()
    found: bool = True


def digest(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal digits."""
    with open(path, "rb") as file:
        found: str = pfh.file_digest(file, "sha256").hexdigest()
        return found


def read(path: Path, wanted: Mapping[str, str]) -> Part | None:
    """The part of this name; ``None`` if there is none.

    ``wanted`` is the required description, by name. Raises ``Unwritten`` if
    the file has another description, or is not a part.
    """
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            metadata = file.metadata
            said = {key.decode(): value.decode() for key, value in (metadata.metadata or {}).items() if key.startswith(b"pfh.")}
            rows = metadata.num_rows
    except FileNotFoundError:
        return None
    except (pyarrow.ArrowInvalid, OSError) as wrong:
        raise Unwritten(f"{path}: is there, and is not a part: {wrong}") from wrong
    facts = {key.removeprefix("pfh."): value for key, value in said.items()}
    for name, value in wanted.items():
        if facts.get(name) != value:
            raise Unwritten(f"{path}: is there, and is the part of another run")
    return Part(path.name, path.stat().st_size, digest(path), rows, facts)


def made(path: Path, wanted: Mapping[str, str], numbers: Sequence[int] = ()) -> Part:
    """The part that was written, read back, with the numbers of the rows that a second attempt read."""
    there = read(path, wanted)
    if there is None:
        raise Unwritten(f"{path}: is gone")
    return replace(there, numbers=tuple(numbers), found=False)


@contextmanager
def _writes(path: Path) -> Iterator[None]:
    """Failures of writing are ``Unwritten``; others, of reading say, are not."""
    try:
        yield
    except OSError as wrong:
        raise Unwritten(f"{path}: {wrong.strerror or wrong}") from wrong


class Writing:
    """A part on its way: tables, and at the end its description."""

    def __init__(self, path: Path, writer: pyarrow.parquet.ParquetWriter) -> None:
        self._path = path
        self._writer = writer
        self.facts: dict[str, str] = {}

    def add(self, table: pyarrow.Table) -> None:
        """Adds rows. Raises ``Unwritten``."""
        with _writes(self._path):
            self._writer.write_table(table.combine_chunks(), row_group_size=ROWS)


@contextmanager
def writing(path: Path, schema: pyarrow.Schema) -> Iterator[Writing]:
    """Writes a part under a temporary name, and gives it its own at the end.

    A part of the name that is there by then stays: a task that runs twice, or
    late, changes nothing. The bytes follow from the rows alone. Raises
    ``Unwritten`` if the part cannot be written.
    """
    name = path.with_name(f".{path.name}.{secrets.token_hex(8)}{UNFINISHED}")
    with ExitStack() as left:
        left.callback(_remove, name)
        with _writes(path):
            file = open(name, "xb")
            left.callback(_close, file)
            writer = pyarrow.parquet.ParquetWriter(file, schema, compression="zstd", compression_level=3, version="2.6")
            left.callback(_close, writer)
        made = Writing(path, writer)
        yield made
        with _writes(path):
            writer.add_key_value_metadata({f"pfh.{key}": made.facts[key] for key in sorted(made.facts)})
            writer.close()
            file.flush()
            os.fsync(file.fileno())
            _appear(name, path)


def _close(opened: IO[bytes] | pyarrow.parquet.ParquetWriter) -> None:
    with suppress(OSError):
        opened.close()


def _remove(name: Path) -> None:
    with suppress(OSError):
        name.unlink()


def _appear(name: Path, path: Path) -> None:
    """Gives a file its name unless there is one; a file system without links has the last one."""
    try:
        os.link(name, path)
    except FileExistsError:
        return
    except OSError:
        if not path.exists():
            os.rename(name, path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def sweep(directory: Path) -> None:
    """Removes what workers that were killed left unfinished."""
    for path in directory.glob(f".*{UNFINISHED}"):
        path.unlink(missing_ok=True)
