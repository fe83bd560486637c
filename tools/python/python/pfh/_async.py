"""Records for ``async for``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import Failed, Files, Hashed, Skipped

#: Records that a thread takes at a time, if they are there.
MOST = 1024


async def records(files: Files) -> AsyncIterator[Hashed | Skipped | Failed]:
    """The records of a run, in input order; the event loop runs meanwhile.

    A task that is cancelled while it waits ends the run: a record that a thread
    took meanwhile would be lost.
    """
    while True:
        try:
            taken = await asyncio.to_thread(files._take, MOST)
        except asyncio.CancelledError:
            files.close()
            raise
        if not taken:
            return
        for record in taken:
            yield record
