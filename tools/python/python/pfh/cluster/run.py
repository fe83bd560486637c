"""The directory of a run: what was asked, the parts, and at the end their manifest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

import pfh

from . import part
from .part import Part

#: The type that the documents of a run state.
TYPE = "pfh-cluster-run"
VERSION = 1


def encode(value: Any) -> bytes:
    """JSON whose bytes follow from the value alone."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def save(path: Path, value: Any) -> None:
    """Writes a document, whole or not at all."""
    temporary = path.with_name(f".{path.name}{part.UNFINISHED}")
    with open(temporary, "wb") as file:
        file.write(encode(value))
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def load(path: Path) -> Any:
    """Reads a document of a run; ``None`` if there is none.

    Raises ``pfh.UnreadError`` for what is none.
    """
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as wrong:
        raise pfh.UnreadError(f"{path}: {wrong}", str(path), None, str(wrong)) from wrong
    if not isinstance(value, dict) or value.get("type") != TYPE or value.get("version") != VERSION:
        raise pfh.UnreadError(f"{path}: is not a document of a run", str(path), None, "is not a document of a run")
    return value


class Run:
    """A run of ``pfh cluster`` in its directory.

    ``asked`` is the request; a directory that holds the run of another one is
    refused with ``pfh.RequestError``, and so is one that holds anything else.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        self.parts_directory = self.directory / "parts"
        self._journal = self.directory / "journal.jsonl"

    @property
    def request(self) -> dict[str, Any] | None:
        """What was asked; ``None`` if the directory holds no run."""
        found = load(self.directory / "run.json")
        return None if found is None else dict(found["request"])

    @property
    def manifest(self) -> dict[str, Any] | None:
        """The parts with their digests, and the counts; ``None`` while the run is not complete."""
        found = load(self.directory / "manifest.json")
        if found is None:
            return None
        stated = found.pop("digest", None)
        if stated != pfh.sha256(encode(found)).hexdigest():
            where = self.directory / "manifest.json"
            raise pfh.UnreadError(f"{where}: is not what was written: its digest is another", str(where))
        return dict(found)

    def begin(self, asked: dict[str, Any]) -> None:
        """Makes the directory, or finds in it the same run, to be resumed."""
        there = self.request
        if there is not None:
            if there != json.loads(encode(asked)):
                raise pfh.RequestError(f"{self.directory}: holds the run of another request", str(self.directory))
        else:
            if self.directory.exists() and (not self.directory.is_dir() or any(self.directory.iterdir())):
                raise pfh.RequestError(f"{self.directory}: is there, and holds no run", str(self.directory))
            self.directory.mkdir(parents=True, exist_ok=True)
            save(self.directory / "run.json", {"type": TYPE, "version": VERSION, "pfh": pfh.__version__, "request": asked})
        self.parts_directory.mkdir(exist_ok=True)

    def abandon(self) -> None:
        """Removes a run that was refused before it had any part."""
        (self.directory / "run.json").unlink(missing_ok=True)
        for directory in (self.parts_directory, self.directory):
            with suppress(OSError):
                directory.rmdir()

    def part(self, number: int) -> Path:
        """Where the part of a unit is."""
        return self.parts_directory / f"{number:06}.parquet"

    def note(self, number: int, made: Part) -> None:
        """Notes that a part is whole, for a run that resumes."""
        line = encode({"unit": number, "name": made.name, "size": made.size, "sha256": made.sha256, "rows": made.rows, "facts": made.facts})
        with open(self._journal, "ab") as journal:
            journal.write(line)

    def noted(self) -> dict[int, Part]:
        """The parts that are there as they were noted, by unit."""
        found: dict[int, Part] = {}
        try:
            lines = self._journal.read_bytes().split(b"\n")
        except FileNotFoundError:
            return found
        for line in lines:
            try:
                value = json.loads(line)
                made = Part(value["name"], value["size"], value["sha256"], value["rows"], value["facts"])
                path = self.parts_directory / made.name
                whole = path.stat().st_size == made.size and part.digest(path) == made.sha256
            except (ValueError, KeyError, TypeError, OSError):
                # A line that was cut, or a part that is gone: the unit is carried out again.
                continue
            if whole:
                found[int(value["unit"])] = made
            else:
                # The run wrote it, and it is not that any more.
                path.unlink(missing_ok=True)
        return found

    def is_there(self, made: Part) -> bool:
        """Whether a part is seen here as its worker wrote it."""
        try:
            return (self.parts_directory / made.name).stat().st_size == made.size
        except OSError:
            return False

    def finish(self, parts: Iterable[Part], counts: dict[str, int]) -> None:
        """Writes the manifest: from then on the run is complete."""
        listed = [{"name": made.name, "size": made.size, "sha256": made.sha256, "rows": made.rows} for made in sorted(parts, key=lambda made: made.name)]
        value = {"type": TYPE, "version": VERSION, "request": self.request, "counts": counts, "parts": listed}
        value["digest"] = pfh.sha256(encode(value)).hexdigest()
        save(self.directory / "manifest.json", value)
        self._journal.unlink(missing_ok=True)
        part.sweep(self.parts_directory)

    def verify(self, on_part: Callable[[int, int], object] | None = None) -> tuple[int, list[str]]:
        """Compares each part with the manifest, by SHA-256.

        Gives the number of parts that are as they were written, and a sentence
        for each that is not. Raises ``pfh.UnreadError`` if there is no
        manifest: there is nothing to compare with.
        """
        manifest = self.manifest
        if manifest is None:
            raise pfh.UnreadError(f"{self.directory}: nothing to compare with: the run has no manifest", str(self.directory))
        verified, faults = 0, []
        names = {listed["name"] for listed in manifest["parts"]}
        for number, listed in enumerate(manifest["parts"]):
            path = self.parts_directory / listed["name"]
            try:
                differs = part.digest(path) != listed["sha256"]
            except OSError as wrong:
                faults.append(f"{path}: {wrong.strerror}")
            else:
                if differs:
                    faults.append(f"{path}: differs from what was written")
                else:
                    verified += 1
            if on_part:
                on_part(number + 1, len(names))
        for path in sorted(self.parts_directory.glob("*.parquet")):
            if path.name not in names:
                faults.append(f"{path}: is not of the run")
        return verified, faults

    def paths(self) -> list[Path]:
        """The parts of a complete run, in order."""
        manifest = self.manifest
        if manifest is None:
            raise pfh.UnreadError(f"{self.directory}: is not complete", str(self.directory))
        return [self.parts_directory / listed["name"] for listed in manifest["parts"]]

    def table(self, columns: list[str] | None = None) -> pyarrow.Table:
        """All rows: of files in input order, of pairs in the order of the parts."""
        tables = [pyarrow.parquet.read_table(path, columns=columns) for path in self.paths()]
        table = pyarrow.concat_tables(tables)
        return table.sort_by("number") if "number" in table.column_names else table
