"""A cluster of Ray."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any

from .adapter import ClusterLost, Done, Reply, Task, WorkerLost, answer

#: Seconds between two looks for signals while tasks run.
LOOK = 0.5
#: How often Ray itself repeats a task whose worker died.
REPEATS = 3
#: Seconds that a list of nodes is good for.
FRESH = 1.0


def _work(function: Callable[..., Any], *args: Any) -> Reply:
    import ray

    return answer(ray.get_runtime_context().get_node_id(), function, *args)


class Ray:
    """The nodes of Ray at an address, or of the cluster that ``ray.init()`` finds or starts."""

    def __init__(self, address: str | None = None) -> None:
        try:
            import ray
        except ImportError as missing:
            raise ImportError(f"Ray is not installed: pip install pfh[ray] ({missing})") from missing
        self._ray = ray
        self._began = not ray.is_initialized()
        if self._began:
            ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
        self._work = ray.remote(max_retries=REPEATS, num_cpus=1)(_work)
        self._tasks: dict[Any, Task] = {}
        self._count = 0
        self._nodes: list[str] = []
        self._looked = float("-inf")

    @property
    def slots(self) -> int:
        """See ``Adapter``: the processors that Ray counts."""
        return int(self._ray.cluster_resources().get("CPU", 0))

    @property
    def workers(self) -> Collection[str]:
        """See ``Adapter``: the nodes, by their numbers. Processes of a node are alike."""
        if time.monotonic() - self._looked > FRESH:
            self._nodes = [node["NodeID"] for node in self._ray.nodes() if node["Alive"]]
            self._looked = time.monotonic()
        return self._nodes

    def submit(self, function: Callable[..., Any], /, *args: Any, avoid: Collection[str] = ()) -> Task:
        """See ``Adapter``. Ray chooses the node itself unless one is avoided."""
        self._count += 1
        task = Task(self._count)
        work = self._work
        others = [node for node in self.workers if node not in avoid] if avoid else []
        if others:
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            # Soft: a node that goes away meanwhile does not take the task with it.
            strategy = NodeAffinitySchedulingStrategy(others[self._count % len(others)], soft=True)
            work = work.options(scheduling_strategy=strategy)
        self._tasks[work.remote(function, *args)] = task
        return task

    def as_completed(self) -> Iterator[Done]:
        """See ``Adapter``."""
        errors = self._ray.exceptions
        while self._tasks:
            ended, _ = self._ray.wait(list(self._tasks), num_returns=1, timeout=LOOK, fetch_local=True)
            for reference in ended:
                task = self._tasks.pop(reference)
                try:
                    reply = self._ray.get(reference)
                except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError) as lost:
                    yield Done(task, None, None, WorkerLost(str(lost)))
                except errors.RaySystemError as lost:
                    raise ClusterLost(str(lost)) from lost
                except errors.RayError as error:
                    yield Done(task, None, None, error)
                else:
                    yield Done(task, reply.worker, reply.value, reply.error)

    def scatter(self, data: bytes) -> Any:
        """See ``Adapter``: an object of Ray's store, which each node fetches once."""
        return self._ray.put(data)

    def close(self) -> None:
        """See ``Adapter``."""
        for reference in self._tasks:
            self._ray.cancel(reference, force=True)
        self._tasks.clear()
        if self._began:
            self._ray.shutdown()
