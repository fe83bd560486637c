"""A cluster of Dask.distributed."""

from __future__ import annotations

import os
import time
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
            from distributed import Client, as_completed
        except ImportError as missing:
            raise ImportError(f"Dask is not installed: pip install pfh[dask] ({missing})") from missing
        place: dict[str, Any] = {"scheduler_file": address} if os.path.exists(address) else {"address": address}
        self._client = Client(timeout=PATIENCE, set_as_default=False, **place)
        self._completed = as_completed(loop=self._client.loop, with_results=False)
        self._tasks: dict[Any, tuple[Any, Task]] = {}
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
        self._tasks[future.key] = (future, task)
        self._completed.add(future)
        return task

    def as_completed(self) -> Iterator[Done]:
        """See ``Adapter``."""
        while self._tasks:
            try:
                future = next(self._completed)
            except StopIteration:
                raise ClusterLost("the scheduler lost its tasks") from None
            _, task = self._tasks.pop(future.key)
            if future.status == "finished":
                reply = self._reply(future)
                reply = self._reply(future)
                yield Done(task, reply.worker or None, reply.value, reply.error)
            elif future.status == "error":
                yield Done(task, None, None, self._of(future.exception()))
            else:
                if self._client.status != "running":
                    raise ClusterLost("the connection to the scheduler is lost")
                yield Done(task, None, None, WorkerLost(f"the task was {future.status}"))

    def _reply(self, future: Any) -> Reply:
        try:
            reply = future.result()
        except Exception as gone:
            # The worker died after it had reported the end, and before it handed over the reply.
            return Reply("", None, WorkerLost(str(gone)))
        assert isinstance(reply, Reply)
        return reply

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
        futures = [future for future, _ in self._tasks.values()]
        self._tasks.clear()
        if futures and self._client.status == "running":
            self._client.cancel(futures, force=True)
        self._client.close(timeout=5)
