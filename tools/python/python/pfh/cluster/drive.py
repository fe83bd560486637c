"""Units on an engine: each until its part is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pfh

from .adapter import Adapter, Task, WorkerLost
from .part import Part, Unwritten
from .run import Run

#: How often a unit is submitted until it is given up.
ATTEMPTS = 5
#: Tasks in flight for each that runs: enough that no worker waits, few enough that a scheduler
#: bears any number of units.
AHEAD = 2
#: Seconds until a part that another machine wrote must be seen here.
APPEARS = 10.0


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its number, what it costs in any measure, and the arguments of the task."""

    number: int
    cost: int
    arguments: tuple[Any, ...]


class Watch:
    """Receives the progress of a run. Methods do nothing unless they are overridden."""

    def begin(self, units: int, cost: int) -> None:
        """That much is to be done."""

    def done(self, cost: int, slots: int) -> None:
        """A unit is done; ``running`` tasks run at the same time."""

    def waiting(self) -> None:
        """There is no worker yet."""

    def say(self, sentence: str) -> None:
        """Something that a person should know."""


@dataclass(slots=True)
class Outcome:
    """The outcome of the units: their parts, and why others have none."""

    parts: dict[int, Part] = field(default_factory=dict)
    missing: dict[int, str] = field(default_factory=dict)


def drive(
    adapter: Adapter,
    run: Run,
    function: Callable[..., Part],
    units: Iterable[Unit],
    watch: Watch,
) -> Outcome:
    """Has each unit carried out that is not noted as done, the costly ones first.

    ``function(*arguments)`` writes the part of a unit, and gives it. A unit
    whose worker dies, or cannot write, is submitted again. An exception of the
    function's own ends the run: another worker would raise it as well.
    """
    outcome = Outcome(parts=run.noted())
    waiting = sorted((unit for unit in units if unit.number not in outcome.parts), key=lambda unit: (unit.cost, -unit.number))
    watch.begin(len(waiting), sum(unit.cost for unit in waiting))
    attempts: dict[int, int] = {}
    unfit: dict[str, str] = {}
    running: dict[Task, Unit] = {}

    def fill() -> None:
        slots = adapter.slots
        while waiting and slots == 0 and not running:
            watch.waiting()
            time.sleep(0.5)
            slots = adapter.slots
        while waiting and len(running) < AHEAD * slots:
            unit = waiting.pop()
            attempts[unit.number] = attempts.get(unit.number, 0) + 1
            running[adapter.submit(function, *unit.arguments, avoid=unfit)] = unit

    fill()
    while running:
        for done in adapter.as_completed():
            unit = running.pop(done.task)
            error = done.error
            if error is None and not _appears(run, done.value):
                error = Unwritten(f"{run.part(unit.number)}: was written, and is not seen here: do all see one file system?")
            if error is None:
                outcome.parts[unit.number] = done.value
                run.note(unit.number, done.value)
                watch.done(unit.cost, adapter.slots)
            elif isinstance(error, WorkerLost | Unwritten):
                if isinstance(error, Unwritten) and done.worker and done.worker not in unfit:
                    unfit[done.worker] = str(error)
                    watch.say(f"worker {done.worker} cannot write, its units go to others: {error}")
                if attempts[unit.number] < ATTEMPTS:
                    waiting.append(unit)
                else:
                    outcome.missing[unit.number] = str(error)
            else:
                raise error
            fill()
        fill()
    return outcome


def _appears(run: Run, made: Part) -> bool:
    """Whether a part is seen, if need be after the seconds that a network file system hides it."""
    end = time.monotonic() + APPEARS
    while not run.is_there(made):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def same_version(version: str) -> None:
    """Raises ``pfh.RequestError`` on a worker that has another version of pfh."""
    if pfh.__version__ != version:
        raise pfh.RequestError(f"the worker has pfh {pfh.__version__}, the run was begun with {version}")
