"""The result of a run: its counts, its manifest, and rows of it that are tried again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pfh

from . import again, part
from .adapter import Adapter
from .again import Attempt, Doubtful
from .drive import Outcome, Unit, Watch, drive
from .part import Part
from .run import AGAIN, Run


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a run.

    ``counts`` has ``hashed``, ``skipped``, ``failed`` and ``bytes``;
    ``missing`` the units without a part, and why. A run without missing units
    is complete, and has a manifest.
    """

    run: Run
    counts: dict[str, int]
    missing: dict[int, str]
    #: Whether there was nothing left to do.
    repeated: bool = False


def total(parts: dict[int, Part]) -> dict[str, int]:
    """The counts of all parts."""
    names = sorted({name for made in parts.values() for name, value in made.facts.items() if value.isdecimal() and name != "unit"})
    return {name: sum(int(made.facts.get(name, 0)) for made in parts.values()) for name in names}


def end(run: Run, outcome: Outcome, before: dict[str, int] | None = None, beside: Sequence[Path] = ()) -> Result:
    """Writes the manifest if each unit has its part. ``before`` was counted before there were units."""
    counted = (before or {}) | total(outcome.parts)
    if not outcome.missing:
        run.finish(outcome.parts.values(), counted, outcome.origins, beside)
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


def repeated_of(
    run: Run, adapter: Adapter, function: Callable[..., Part | Doubtful], arguments: Callable[[Run, int], tuple[Any, ...]], watch: Watch
) -> Result:
    """Has rows of a complete run tried again that have no result, if a worker can read them.

    ``arguments`` are those of the task of a unit, whose part goes into another room. New parts
    take the place of the old ones at the end, all of them or none.
    """
    room = Run(run.directory, AGAIN)
    room.parts_directory.mkdir(exist_ok=True)
    (run.directory / again.FIRST).mkdir(exist_ok=True)
    parts, origins, listed_units = {}, run.origins(), []
    for path, listed in run.parts():
        number = int(path.stem)
        made = parts[number] = part.read(path, {})
        # Of unit 0 nothing was read: names that could not be listed are not in the plan.
        if made is not None and number and int(made.facts.get("failed", "0")):
            attempt = Attempt(rows=(str(path), listed["sha256"]), every=True)
            worker = origins[number].worker if number in origins else None
            avoid = frozenset([worker]) if worker else frozenset()
            listed_units.append(Unit(number, int(made.facts["failed"]), arguments(room, number), attempt, avoid))
    outcome = drive(adapter, room, function, listed_units, watch)
    if not outcome.missing:
        parts |= outcome.parts
        counted = total({number: made for number, made in parts.items() if made is not None})
        before = (run.manifest or {})["counts"]
        run.adopt(outcome.parts.values(), before | dict.fromkeys(before, 0) | counted, outcome.origins)
    return Result(run, (run.manifest or {})["counts"], outcome.missing)
