"""Records for ``async for``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import Failed, Files, Hashed, Skipped

#: Seconds that a thread waits for a record: as long as a task that is cancelled keeps one busy.
LOOK = 0.05
#: Seconds after which other tasks have their turn where records are always there.
TURN = 0.005


async def records(files: Files) -> AsyncIterator[Hashed | Skipped | Failed]:
    """The records of a run, in input order; other tasks run meanwhile.

    A thread waits, and takes nothing: a task that leaves the loop or is
    cancelled loses no record.
    """
    began = time.monotonic()
    while True:
        if not files._wait(0):
            while not await asyncio.to_thread(files._wait, LOOK):
                pass
            began = time.monotonic()
        elif time.monotonic() - began > TURN:
            await asyncio.sleep(0)
            began = time.monotonic()
        try:
            record = next(files)
        except StopIteration:
            return
        yield record
