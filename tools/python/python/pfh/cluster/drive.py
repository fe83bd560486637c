"""Units on an engine: each until its part is there."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import pfh

from .adapter import Adapter, Task, WorkerLost
from .again import Attempt, Doubtful
from .part import Part, Unseen, Unwritten
from .run import Run
from .workers import Origin

#: How often a unit is submitted until it is given up.
ATTEMPTS = 5
#: Tasks in flight for each that runs: enough that no worker waits, few enough that a scheduler
#: bears any number of units.
AHEAD = 2
#: A worker is avoided after this number of units that it could not read and another one could.
STRIKES = 2
#: Seconds until a part that another machine wrote must be seen here.
APPEARS = 10.0


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its number, what it costs in any measure, and the arguments of the task behind the attempt.

    ``attempt`` is the first one, which workers of the names in ``avoid`` should not make.
    """

    number: int
    cost: int
    arguments: tuple[Any, ...]
    attempt: Attempt = Attempt()
    avoid: frozenset[str] = frozenset()


class Watch:
    """Receives the progress of a run. Methods log, or do nothing, unless they are overridden."""

    def begin(self, units: int, cost: int) -> None:
        """That much is to be done."""

    def done(self, cost: int, slots: int) -> None:
        """A unit is done; ``running`` tasks run at the same time."""

    def waiting(self) -> None:
        """No worker has come yet."""

    def say(self, sentence: str) -> None:
        """Something that a person should know."""
        logging.getLogger("pfh.cluster").warning("%s", sentence)


@dataclass(slots=True)
class Outcome:
    """The outcome of the units: their parts, why others have none, and who made them."""

    parts: dict[int, Part] = field(default_factory=dict)
    missing: dict[int, str] = field(default_factory=dict)
    origins: dict[int, Origin] = field(default_factory=dict)


@dataclass(slots=True)
class _State:
    """Where a unit stands: its next attempt, who should not make it, how often it was submitted, and who made the first attempt."""

    attempt: Attempt
    avoid: frozenset[str]
    count: int = 0
    first: tuple[str | None, Doubtful] | None = None


class _Driver:
    def __init__(self, adapter: Adapter, run: Run, function: Callable[..., Part | Doubtful], watch: Watch) -> None:
        self.adapter, self.run, self.function, self.watch = adapter, run, function, watch
        self.outcome = Outcome()
        self.waiting: list[Unit] = []
        self.running: dict[Task, Unit] = {}
        self.states: dict[int, _State] = {}
        #: Workers that get no unit if there are others, and why.
        self.unfit: dict[str, str] = {}
        #: Those that read nothing of units which another one tries now.
        self.suspects: dict[str, set[int]] = {}
        #: Workers that read a file; and in how many units since then, which others read, they read nothing.
        self.good: set[str] = set()
        self.strikes: dict[str, int] = {}
        #: Files that a worker could not read, and others did.
        self.elsewhere: dict[str, int] = {}

    def fill(self) -> None:
        slots = self.adapter.slots
        while self.waiting and slots == 0 and not self.running:
            self.watch.waiting()
            time.sleep(0.5)
            slots = self.adapter.slots
        while self.waiting and len(self.running) < AHEAD * slots:
            unit = self.waiting.pop()
            state = self.states.setdefault(unit.number, _State(unit.attempt, unit.avoid))
            state.count += 1
            workers = self.adapter.workers
            attempt = replace(state.attempt, elsewhere=state.first is None and len(workers) > 1)
            avoid = self.avoided(workers, state.avoid)
            self.running[self.adapter.submit(self.function, attempt, *unit.arguments, avoid=avoid)] = unit

    def avoided(self, workers: Collection[str], own: Collection[str]) -> Collection[str]:
        """Who does not get a unit: the most of the reasons that leave a worker."""
        unfit, suspects = set(self.unfit), set(self.suspects)
        for avoid in (unfit | suspects | set(own), unfit | set(own), unfit):
            if set(workers) - avoid:
                return avoid
        return ()

    def lost(self, unit: Unit, error: BaseException, worker: str | None) -> None:
        """A unit whose worker died, could not write, or does not see the run: submitted again, up to a limit."""
        if isinstance(error, Unwritten | Unseen):
            what = "cannot write" if isinstance(error, Unwritten) else "does not see what the run needs"
            self.avoid(worker, f"worker {worker} {what}, its units go to others: {error}")
        if self.states[unit.number].count < ATTEMPTS:
            self.waiting.append(unit)
        else:
            self.outcome.missing[unit.number] = str(error)

    def avoid(self, worker: str | None, why: str) -> None:
        """From now on a worker gets no unit if there are others."""
        if worker and worker not in self.unfit:
            self.unfit[worker] = why
            self.watch.say(why)

    def does_read(self, worker: str) -> None:
        """A worker read a file: what it reads nothing of later may be its disk, or the file's."""
        self.good.add(worker)
        self.strikes.pop(worker, None)

    def doubted(self, unit: Unit, doubtful: Doubtful, worker: str | None) -> None:
        """A first attempt that another worker makes good, perhaps."""
        state = self.states[unit.number]
        state.first, state.attempt = (worker, doubtful), Attempt(rows=doubtful.rows, every=doubtful.rows is None)
        state.count -= 1
        if worker:
            state.avoid |= {worker}
            if doubtful.altogether:
                self.suspects.setdefault(worker, set()).add(unit.number)
        self.waiting.append(unit)

    def settled(self, unit: Unit, made: Part, worker: str | None) -> None:
        """A unit that has its part."""
        origin = Origin(None if made.found else worker)
        first = self.states[unit.number].first
        if worker and made.rows > int(made.facts.get("failed", "0")):
            self.does_read(worker)
        if first is not None:
            before, doubtful = first
            if before and unit.number in self.suspects.get(before, ()):
                self.suspects[before].discard(unit.number)
                if not self.suspects[before]:
                    del self.suspects[before]
            read = doubtful.failed - int(made.facts.get("failed") or made.facts.get("ranges-failed", "0"))
            if before and read > 0 and worker != before and not made.found:
                self.elsewhere[before] = self.elsewhere.get(before, 0) + read
                self.strikes[before] = self.strikes.get(before, 0) + doubtful.altogether
                if self.strikes[before] >= STRIKES or (doubtful.altogether and doubtful.failed > 1 and before not in self.good):
                    what = f"read none of {doubtful.failed} files of unit {unit.number}, which {worker} reads"
                    self.avoid(before, f"worker {before} {what}: its units go to others: {doubtful.cause}")
            if before and not doubtful.altogether:
                self.does_read(before)
            origin = replace(origin, first=before, cause=doubtful.cause, numbers=made.numbers)
        self.outcome.parts[unit.number], self.outcome.origins[unit.number] = made, origin
        self.run.note(unit.number, made, origin)
        self.watch.done(unit.cost, self.adapter.slots)

    def drive(self, units: Iterable[Unit]) -> Outcome:
        for number, (made, origin) in self.run.noted().items():
            self.outcome.parts[number], self.outcome.origins[number] = made, origin
        every = list(units)
        self.run.units = len(every)
        left = [unit for unit in every if unit.number not in self.outcome.parts]
        self.waiting = sorted(left, key=lambda unit: (unit.cost, -unit.number))
        self.watch.begin(len(self.waiting), sum(unit.cost for unit in self.waiting))
        self.fill()
        while self.running:
            for done in self.adapter.as_completed():
                unit = self.running.pop(done.task)
                error, value = done.error, done.value
                if error is None and isinstance(value, Part) and not _appears(self.run, value):
                    error = Unwritten(f"{self.run.part(unit.number)}: was written, and is not seen here: do all see one file system?")
                if error is None and isinstance(value, Doubtful):
                    self.doubted(unit, value, done.worker)
                elif error is None:
                    self.settled(unit, value, done.worker)
                elif isinstance(error, WorkerLost | Unwritten | Unseen):
                    self.lost(unit, error, done.worker)
                else:
                    raise error
                self.fill()
            self.fill()
        for worker, count in sorted(self.elsewhere.items()):
            self.watch.say(f"{count} files that worker {worker} could not read were read by others")
        return self.outcome


def drive(adapter: Adapter, run: Run, function: Callable[..., Part | Doubtful], units: Iterable[Unit], watch: Watch) -> Outcome:
    """Has each unit carried out that is not noted as done, the costly ones first.

    ``function(attempt, *arguments)`` writes the part of a unit, and gives it;
    or it gives ``Doubtful``, and the unit is tried on another worker once. A
    unit whose worker dies, cannot write, or does not see the run, is submitted
    again. Another exception of the function's own ends the run: another worker
    would raise it as well.
    """
    return _Driver(adapter, run, function, watch).drive(units)


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
