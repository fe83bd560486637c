"""Units of files: a plan of the program's (``pfh plan``), as tasks read it."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

import pfh

from .part import Unseen

#: Rows of a Parquet listing that are read at a time.
ROWS = 1 << 16


#: One path, or several.
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


#: The beginnings of names of objects in stores, as the program has them.
SCHEMES = (b"s3://", b"s3a://", b"gs://", b"az://", b"https://", b"http://")


def is_address(name: bytes) -> bool:
    """Whether a name is the address of an object in a store, which starts from nowhere."""
    return name.startswith(SCHEMES)


def listed(paths: Paths) -> tuple[str, ...]:
    """Paths as text, one or several."""
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    return tuple(os.fspath(path) for path in several)


@dataclass(frozen=True, slots=True)
class Source:
    """The input: the operands of ``pfh plan``, or a listing.

    ``listing`` is a Parquet file or a directory of such, with a column
    ``path_bytes`` or ``path``, or the one that ``column`` names. ``options``
    are those of ``pfh plan`` that select the files of trees.
    """

    paths: tuple[str, ...] = ()
    listing: str | None = None
    column: str | None = None
    options: tuple[str, ...] = field(default=())

    @staticmethod
    def of(given: Source | Paths, recursive: bool) -> Source:
        """A source, or paths: with all below them if ``recursive``."""
        if isinstance(given, Source):
            return given
        return Source(listed(given), options=("--recursive",) if recursive else ())

    def names(self) -> Iterator[bytes]:
        """The names of the listing, exactly. Raises ``ValueError`` for a name that cannot be one."""
        assert self.listing is not None
        dataset = pyarrow.parquet.ParquetDataset(self.listing)
        there = dataset.schema.names
        column = self.column or next((name for name in ("path_bytes", "path") if name in there), None)
        if column not in there:
            raise ValueError(f"{self.listing}: has no column {column or 'path_bytes or path'}: there are {', '.join(there)}")
        for path in dataset.files:
            with pyarrow.parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(ROWS, columns=[column]):
                    for value in batch.column(0).to_pylist():
                        name = os.fsencode(value) if isinstance(value, str) else value
                        if not isinstance(name, bytes) or not name or b"\0" in name:
                            raise ValueError(f"{path}: a row of {column} is not a path: {name!r}")
                        yield name


def make(source: Source, algorithms: Sequence[str], directory: Path, size: str, files: int) -> None:
    """Plans the input, by the program itself, unless the plan is there.

    Raises ``pfh.RequestError`` if it refuses.
    """
    options = ["-a", ",".join(algorithms), "--unit", size, "--files", str(files), *source.options]
    if source.listing is not None:
        plan(options, directory, source.names(), of=source.listing)
    else:
        plan([*options, *(["--", *source.paths] if source.paths else [])], directory)


def plan(options: Sequence[str], directory: Path, names: Iterable[bytes] | None = None, *, of: str | None = None, base: str | None = None) -> None:
    """Has ``pfh plan`` make a plan in a directory, unless it is there.

    ``names`` are the input, if ``options`` do not state it; they come from
    ``of``, and start from ``base``. Raises ``pfh.RequestError`` if the program
    refuses, or a name cannot be one.
    """
    if (directory / "plan.json").exists():
        return
    # A plan that was interrupted: it is ours, and none yet.
    shutil.rmtree(directory, ignore_errors=True)
    words = [sys.executable, "-m", "pfh", "plan", "--no-progress", "-f", "jsonl", "-o", str(directory.absolute())]
    words += ["--files-from", "-", "-0", *options] if names is not None else options
    wrong: Exception | None = None
    feed = subprocess.PIPE if names is not None else None
    # Into a file: a pipe that nobody reads meanwhile would fill.
    with tempfile.TemporaryFile() as errors, subprocess.Popen(words, stdin=feed, stdout=errors, stderr=errors, cwd=base) as child:
        if child.stdin is not None and names is not None:
            try:
                with child.stdin as pipe:
                    for name in names:
                        pipe.write(name + b"\0")
            except BrokenPipeError:
                pass
            except (OSError, ValueError, pyarrow.ArrowException) as error:
                wrong = error
                child.kill()
        child.wait()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
    if wrong is not None:
        shutil.rmtree(directory, ignore_errors=True)
        raise pfh.RequestError(str(wrong), of) from wrong
    # 3: something could not be listed, and is a record of the plan.
    if child.returncode not in (0, 3):
        said = said.removeprefix("pfh: ") or f"pfh plan: exit {child.returncode}"
        raise {2: pfh.RequestError, 4: pfh.OutputError}.get(child.returncode, pfh.AbortedError)(said, str(directory))


def _name(value: Any) -> bytes:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else str(value).encode()


def cost(size: int) -> int:
    """The cost of a file of a size: its bytes, and opening it."""
    return size + (1 << 16)


@dataclass(frozen=True, slots=True)
class Entry:
    """An input of a unit: its number among all, the size that was planned, and its name."""

    number: int
    size: int
    name: bytes


class Plan:
    """A plan in its directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        document = json.loads((directory / "plan.json").read_bytes())
        self.algorithms: list[str] = document["algorithms"]
        #: The SHA-256 of the list of each unit, from unit 1 on.
        self.lists: list[str] = document["units"]
        self.entries: int = document["entries"]
        relative = document["relative"]
        #: The directory in which names start, where they do.
        self.base: bytes = _name(document["working_directory"]) if relative else b""

    def numbers(self) -> range:
        """The numbers of the units."""
        return range(1, len(self.lists) + 1)

    def place(self, entry: Entry) -> bytes:
        """The name of an input as it is found from anywhere."""
        return entry.name if is_address(entry.name) else os.path.join(self.base, entry.name)

    def read(self, unit: int) -> list[Entry]:
        """The inputs of a unit, from 1. Raises ``Unseen`` if its list is another than planned."""
        path = self.directory / "units" / f"{unit:06}"
        return entries(path, self.lists[unit - 1])

    def cost(self, unit: int) -> int:
        """The cost of a unit by the sizes that were planned."""
        data = (self.directory / "units" / f"{unit:06}").read_bytes()
        return sum(cost(int(text.split(b" ", 2)[1])) for text in data.split(b"\0")[:-1])

    def settled(self) -> list[dict[str, Any]]:
        """The records of inputs that are not read: skipped, or not to be listed. Rows of ``hash_files``."""
        rows = []
        for path in sorted((self.directory / "parts").glob("000000.*")):
            for about, record in records(path):
                name = base64.b64decode(record["path_b64"]) if "path_b64" in record else record["path"].encode()
                row = {"number": about["number"], "path_bytes": name, "status": about["kind"], "cause": record["cause"]}
                rows.append(row | {"stage": record.get("stage"), "offset": record.get("offset")})
        return sorted(rows, key=lambda row: row["number"])


def records(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The records of a part of the program's: a line about each, and what the manifest has of it; of a range that was read nothing."""
    data = path.read_bytes()
    at = data.index(b"\n") + 1
    while True:
        end = data.index(b"\n", at)
        about = json.loads(data[at:end])
        if about.get("type") == "end":
            return
        at = end + 1 + about["length"]
        is_range = about["kind"] == "hashed" and "range" in about
        yield about, {} if is_range else json.loads(data[end + 1 : at].decode(errors="replace"))


def entries(path: Path, sha256: str) -> list[Entry]:
    """The inputs that a unit's list holds. Raises ``Unseen`` if it cannot be read, or has not this digest."""
    try:
        data = path.read_bytes()
    except OSError as wrong:
        raise Unseen(f"{path}: {wrong.strerror}") from wrong
    if pfh.sha256(data).hexdigest() != sha256:
        raise Unseen(f"{path}: is not the list that was planned")
    found = []
    for text in data.split(b"\0")[:-1]:
        number, size, name = text.split(b" ", 2)
        found.append(Entry(int(number), int(size), name))
    return found
