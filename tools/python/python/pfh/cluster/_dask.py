"""A cluster of Dask.distributed."""

from __future__ import annotations

import os
import queue
import time
from asyncio import CancelledError
from collections.abc import Callable, Collection, Iterator
from typing import Any

from .adapter import ClusterLost, Done, Reply, Task, WorkerLost, answer

#: Seconds that a count of workers is good for.
FRESH = 1.0
#: Seconds until a scheduler has answered.
PATIENCE = 30


def _work(function: Callable[..., Any], *args: Any) -> Reply:
    from distributed import get_worker

    return answer(get_worker().address, function, *args)


class Dask:
    """The workers of a scheduler. Certificates of TLS are those of Dask's configuration
    (``DASK_DISTRIBUTED__COMM__TLS__CA_FILE`` and so on), as for all of its clients."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError as missing:
            raise ImportError(f"Dask is not installed: pip install pfh[dask] ({missing})") from missing
        place: dict[str, Any] = {"scheduler_file": address} if os.path.exists(address) else {"address": address}
        # A client that is deleted closes itself and waits for its loop. Where Ctrl-C ended the start, that waits for ever.
        closed_by_hand = type("Client", (Client,), {"__del__": lambda _: None})
        self._client = closed_by_hand(timeout=PATIENCE, set_as_default=False, **place)
        self._done: queue.SimpleQueue[Done] = queue.SimpleQueue()
        self._tasks: dict[Task, Any] = {}
        self._workers: dict[str, int] = {}
        self._looked = float("-inf")
        self._count = 0

    def _look(self) -> dict[str, int]:
        """The threads of each worker."""
        if time.monotonic() - self._looked > FRESH:
            try:
                self._workers = dict(self._client.nthreads())
            except (OSError, ValueError) as lost:
                raise ClusterLost(f"the scheduler does not answer: {lost}") from lost
            self._looked = time.monotonic()
        return self._workers

    @property
    def slots(self) -> int:
        """See ``Adapter``: the threads of all workers."""
        return sum(self._look().values())

    @property
    def workers(self) -> Collection[str]:
        """See ``Adapter``: by their addresses."""
        return self._look().keys()

    def submit(self, function: Callable[..., Any], /, *args: Any, avoid: Collection[str] = ()) -> Task:
        """See ``Adapter``."""
        where: dict[str, Any] = {}
        if avoid:
            others = [worker for worker in self._look() if worker not in avoid]
            # Soft: a worker that goes away meanwhile does not keep the task waiting for ever.
            where = {"workers": others, "allow_other_workers": True} if others else {}
        self._count += 1
        task = Task(self._count)
        future = self._client.submit(_work, function, *args, pure=False, **where)
        self._tasks[task] = future
        self._client.loop.add_callback(self._follow, task, future)
        return task

    async def _follow(self, task: Task, future: Any) -> None:
        """Fetches what a task came to as soon as it has ended, several beside each other: a reply takes 10 ms and more on its way."""
        try:
            (reply,) = await self._client.gather([future], asynchronous=True)
            done = Done(task, reply.worker or None, reply.value, reply.error)
        except (Exception, CancelledError) as error:
            # An error of the task itself is in its reply: this is the engine's, or could not be unpickled.
            ours = future.status == "error" and isinstance(error, Exception)
            done = Done(task, None, None, self._of(error) if ours else WorkerLost(str(error) or f"the task was {future.status}"))
        self._done.put(done)

    def as_completed(self) -> Iterator[Done]:
        """See ``Adapter``."""
        while self._tasks:
            try:
                done = self._done.get(timeout=FRESH)
            except queue.Empty:
                done = None
            if self._client.status != "running":
                raise ClusterLost("the connection to the scheduler is lost")
            if done is not None:
                del self._tasks[done.task]
                yield done

    @staticmethod
    def _of(error: BaseException) -> BaseException:
        """The engine's own failures are lost workers; others come from unpickling, say."""
        from distributed import KilledWorker

        return WorkerLost(str(error)) if isinstance(error, KilledWorker) else error

    def scatter(self, data: bytes) -> Any:
        """See ``Adapter``: broadcast from worker to worker."""
        (future,) = self._client.scatter([data], broadcast=True, hash=False)
        return future

    def close(self) -> None:
        """See ``Adapter``."""
        futures = list(self._tasks.values())
        self._tasks.clear()
        if futures and self._client.status == "running":
            self._client.cancel(futures, force=True)
        self._client.close(timeout=5)
