"""The progress of a run on standard error."""

from __future__ import annotations

import sys
import time

from .drive import Watch

# : Seconds between two lines where standard error is not a terminal.
SELDOM = 30.0
#: Seconds between two on a terminal.
OFTEN = 0.2


def duration(seconds: float) -> str:
    """Seconds for people: 42 s, 3:07 min, 2:05 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02} h"


class Progress(Watch):
    """Units done, tasks that run, and when all will be done by the cost of the rest."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._began = self._shown = time.monotonic()
        self._units = self._cost = self._done = self._spent = 0
        self._waits = self._line = False

    def begin(self, units: int, cost: int) -> None:
        """See ``Watch``."""
        self._units, self._cost = units, cost
        self._began = time.monotonic()

    def waiting(self) -> None:
        """See ``Watch``."""
        if not self._waits:
            self._waits = True
            self.say("waiting for workers")

    def done(self, cost: int, slots: int) -> None:
        """See ``Watch``."""
        self._done += 1
        self._spent += cost
        now = time.monotonic()
        last = self._done == self._units
        if self._quiet or (now - self._shown < (OFTEN if self._terminal else SELDOM) and not (last and self._terminal)):
            return
        self._shown = now
        left = (now - self._began) * (self._cost - self._spent) / max(self._spent, 1)
        line = f"{self._done} of {self._units} units, {slots} at a time, {duration(left)} left"
        if self._terminal:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
            self._line = True
        else:
            print(f"pfh: {line}", file=sys.stderr, flush=True)

    def say(self, sentence: str) -> None:
        """See ``Watch``."""
        self.end()
        shown = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in sentence)
        print(f"pfh: {shown}", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leaves the line of a terminal."""
        if self._line:
            self._line = False
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
