"""The directory of a run: what was asked, the parts, and at the end their manifest."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow

import pfh

from . import again, part, reading, workers
from .part import Part
from .workers import Origin

#: The type that the documents of a run state.
TYPE = "pfh-cluster-run"
VERSION = 1
#: The room of parts that take the place of others, and the manifest that a run then has.
AGAIN = "again"
NEXT = "manifest.next.json"
#: How many units there are, until the run is complete.
UNITS = "units.json"


def encode(value: Any) -> bytes:
    """JSON whose bytes follow from the value alone."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def save(path: Path, value: Any) -> None:
    """Writes a document, whole or not at all."""
    temporary = path.with_name(f".{path.name}{part.UNFINISHED}")
    try:
        with open(temporary, "wb") as file:
            file.write(encode(value))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as wrong:
        temporary.unlink(missing_ok=True)
        raise pfh.OutputError(f"{path}: {wrong.strerror}", str(path), None, wrong.strerror) from wrong


def load(path: Path) -> Any:
    """Reads a document of a run; ``None`` if there is none.

    Raises ``pfh.UnreadError`` if it is not a document.
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

    A directory that holds the run of another request, or anything else, is refused by ``begin``.
    ``room`` is the directory of the parts: ``again`` while rows of a complete run are repeated.
    """

    def __init__(self, directory: str | os.PathLike[str], room: str = "parts") -> None:
        self.directory = Path(directory)
        self.parts_directory = self.directory / room
        self._room = room

    @property
    def _journal(self) -> Path:
        return self.directory / ("journal.jsonl" if self._room == "parts" else f"{self._room}.jsonl")

    @property
    def request(self) -> dict[str, Any] | None:
        """The request; ``None`` if there is no run."""
        found = load(self.directory / "run.json")
        return None if found is None else dict(found["request"])

    @property
    def manifest(self) -> dict[str, Any] | None:
        """The manifest; ``None`` while the run is not complete. Raises ``pfh.UnreadError`` if it is not as it was written."""
        if (self.directory / NEXT).exists():
            where = str(self.directory)
            raise pfh.UnreadError(f"{where}: ended while parts took the place of others: the same command goes on", where)
        return self._of(self.directory / "manifest.json")

    @staticmethod
    def _of(path: Path) -> dict[str, Any] | None:
        found = load(path)
        if found is None:
            return None
        stated = found.pop("digest", None)
        if stated != pfh.sha256(encode(found)).hexdigest():
            raise pfh.UnreadError(f"{path}: is not what was written: its digest is another", str(path))
        return dict(found)

    def begin(self, asked: dict[str, Any]) -> None:
        """Makes the directory, or finds in it the same run, to be resumed."""
        there = self.request
        if there is not None:
            if there != json.loads(encode(asked)):
                raise pfh.RequestError(f"{self.directory}: holds the run of another request", str(self.directory))
            self._replace()
        else:
            if self.directory.exists() and not self._is_free():
                raise pfh.RequestError(f"{self.directory}: is there, and holds no run", str(self.directory))
            self.directory.mkdir(parents=True, exist_ok=True)
            save(self.directory / "run.json", {"type": TYPE, "version": VERSION, "pfh": pfh.__version__, "request": asked})
        self.parts_directory.mkdir(exist_ok=True)
        (self.directory / again.FIRST).mkdir(exist_ok=True)

    def _is_free(self) -> bool:
        """Whether the directory is empty but for a run whose first document met a full disk."""
        return self.directory.is_dir() and all(path.name == f".run.json{part.UNFINISHED}" for path in self.directory.iterdir())

    def abandon(self) -> None:
        """Removes a run that was refused before it had any part."""
        (self.directory / "run.json").unlink(missing_ok=True)
        for directory in (self.parts_directory, self.directory / again.FIRST, self.directory):
            with suppress(OSError):
                directory.rmdir()

    def part(self, number: int) -> Path:
        """Where the part of a unit is."""
        return self.parts_directory / f"{number:06}.parquet"

    def note(self, number: int, made: Part, origin: Origin) -> None:
        """Notes that a part is whole, for a run that resumes."""
        part_of = {"name": made.name, "size": made.size, "sha256": made.sha256, "rows": made.rows, "facts": made.facts}
        origin_of = {"worker": origin.worker, "first": origin.first, "cause": origin.cause, "numbers": origin.numbers}
        with open(self._journal, "ab") as journal:
            journal.write(encode({"unit": number} | part_of | origin_of))

    def journal(self) -> dict[int, tuple[Part, Origin]]:
        """The noted parts, by unit; nothing is compared."""
        found: dict[int, tuple[Part, Origin]] = {}
        try:
            lines = self._journal.read_bytes().split(b"\n")
        except FileNotFoundError:
            return found
        for line in lines:
            # A line that was cut: the unit is carried out again.
            with suppress(ValueError, KeyError, TypeError):
                value = json.loads(line)
                made = Part(value["name"], value["size"], value["sha256"], value["rows"], value["facts"])
                origin = Origin(value.get("worker"), value.get("first"), value.get("cause"), tuple(value.get("numbers", ())))
                found[int(value["unit"])] = made, origin
        return found

    def noted(self) -> dict[int, tuple[Part, Origin]]:
        """The parts that are there as they were noted, by unit."""
        found = {}
        for number, (made, origin) in self.journal().items():
            path = self.parts_directory / made.name
            try:
                whole = path.stat().st_size == made.size and part.digest(path) == made.sha256
            except OSError:
                # A part that is gone: the unit is carried out again.
                continue
            if whole:
                found[number] = made, origin
            else:
                # The run wrote it, and it is not that any more.
                path.unlink(missing_ok=True)
        return found

    @property
    def units(self) -> int | None:
        """How many units a run has that is not complete; ``None`` before that is known."""
        found = load(self.directory / UNITS)
        return None if found is None else int(found["units"])

    @units.setter
    def units(self, count: int) -> None:
        save(self.directory / UNITS, {"type": TYPE, "version": VERSION, "units": count})

    def is_there(self, made: Part) -> bool:
        """Whether a part is seen here as its worker wrote it."""
        try:
            return (self.parts_directory / made.name).stat().st_size == made.size
        except OSError:
            return False

    def finish(self, parts: Iterable[Part], counts: dict[str, int], origins: Mapping[int, Origin], beside: Sequence[Path] = ()) -> None:
        """Writes the manifest: from then on the run is complete. It covers the files ``beside`` the parts as well."""
        made = self.directory / workers.NAME
        workers.write(made, origins)
        self._save("manifest.json", counts, map(_listed, parts), [made, *beside])
        for path in (self._journal, self.directory / UNITS):
            path.unlink(missing_ok=True)
        part.sweep(self.parts_directory)
        shutil.rmtree(self.directory / again.FIRST, ignore_errors=True)

    def _save(self, name: str, counts: dict[str, int], parts: Iterable[dict[str, Any]], beside: Iterable[Path]) -> None:
        listed = sorted(parts, key=lambda one: str(one["name"]))
        value = {"type": TYPE, "version": VERSION, "request": self.request, "counts": counts, "parts": listed}
        value["beside"] = [{"name": path.name, "size": path.stat().st_size, "sha256": part.digest(path)} for path in beside]
        value["digest"] = pfh.sha256(encode(value)).hexdigest()
        save(self.directory / name, value)

    def adopt(self, parts: Iterable[Part], counts: dict[str, int], origins: Mapping[int, Origin]) -> None:
        """Has parts of the room ``again`` take the place of those of a complete run, all or none."""
        manifest = self.manifest
        assert manifest is not None
        listed = {one["name"]: one for one in manifest["parts"]} | {made.name: _listed(made) for made in parts}
        made = self.directory / AGAIN / workers.NAME
        workers.write(made, self.origins() | dict(origins))
        self._save(NEXT, counts, listed.values(), [made])
        self._replace()

    def _replace(self) -> None:
        """Goes on where parts take the place of others, if they do: a run that ended meanwhile is completed by the next one."""
        room = self.directory / AGAIN
        if self._of(self.directory / NEXT) is None:
            return
        for path in room.glob("*.parquet"):
            os.replace(path, self.directory / path.name if path.name == workers.NAME else self.directory / "parts" / path.name)
        os.replace(self.directory / NEXT, self.directory / "manifest.json")
        for path in (self.directory / f"{AGAIN}.jsonl", self.directory / UNITS):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.directory / again.FIRST, ignore_errors=True)
        shutil.rmtree(room, ignore_errors=True)

    def verify(self, on_part: Callable[[int, int], object] | None = None) -> tuple[int, list[str]]:
        """Compares each part with the manifest, by SHA-256, and the files beside them.

        Gives the number of parts that are as they were written, and a sentence
        for each file that is not. Raises ``pfh.UnreadError`` if there is no
        manifest: there is nothing to compare with.
        """
        manifest = self.manifest
        if manifest is None:
            raise pfh.UnreadError(f"{self.directory}: nothing to compare with: the run has no manifest", str(self.directory))
        verified, faults = 0, []
        names = {listed["name"] for listed in manifest["parts"]}
        parts = [(self.parts_directory / listed["name"], listed, 1) for listed in manifest["parts"]]
        parts += [(self.directory / listed["name"], listed, 0) for listed in manifest.get("beside", ())]
        for number, (path, listed, counts) in enumerate(parts):
            try:
                differs = part.digest(path) != listed["sha256"]
            except OSError as wrong:
                faults.append(f"{path}: {wrong.strerror}")
            else:
                if differs:
                    faults.append(f"{path}: differs from what was written")
                else:
                    verified += counts
            if on_part:
                on_part(number + 1, len(parts))
        for path in sorted(self.parts_directory.glob("*.parquet")):
            if path.name not in names:
                faults.append(f"{path}: is not of the run")
        return verified, faults

    def parts(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """The parts of a complete run in the order of units, each with what the manifest has of it. Raises ``pfh.UnreadError`` if it is not complete."""
        manifest = self.manifest
        if manifest is None:
            raise pfh.UnreadError(f"{self.directory}: is not complete", str(self.directory))
        return ((self.parts_directory / listed["name"], listed) for listed in manifest["parts"])

    def origins(self) -> dict[int, Origin]:
        """Which worker made which unit of a complete run, as far as that is known."""
        manifest = self.manifest or {}
        listed = next((one for one in manifest.get("beside", ()) if one["name"] == workers.NAME), None)
        return {} if listed is None else workers.load(reading.content(self.directory / workers.NAME, listed))

    def table(self, columns: list[str] | None = None, *, worker: bool = False) -> pyarrow.Table:
        """All rows: of files in input order, of pairs in the order of the parts; with ``worker`` also who made each.

        Each part is compared with the manifest as it is read. Raises
        ``pfh.DiffersError`` if one is not what was written, ``pfh.UnreadError``
        if one cannot be read, or the run is not complete.
        """
        origins = self.origins() if worker else {}
        tables = []
        for path, listed in self.parts():
            with reading.opened(path, listed) as file:
                table = file.read(columns)
                if worker:
                    has_number = "number" in file.schema_arrow.names
                    numbers = file.read(["number"]).column(0).to_pylist() if has_number else [None] * table.num_rows
                    table = table.append_column("worker", workers.column(origins.get(int(path.stem)), numbers))
                tables.append(table)
        table = pyarrow.concat_tables(tables)
        return table.sort_by("number") if "number" in table.column_names else table


def _listed(made: Part) -> dict[str, Any]:
    """A part as the manifest has it."""
    return {"name": made.name, "size": made.size, "sha256": made.sha256, "rows": made.rows}
