"""The interface of an engine that runs tasks for the jobs of ``pfh.cluster``."""

from __future__ import annotations

import os
import socket
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Task:
    """A task that was submitted, by a number of its adapter's."""

    number: int


@dataclass(frozen=True, slots=True)
class Done:
    """The outcome of a task.

    ``worker`` is where it ran, as the engine names it. Either ``error`` is
    ``None``, and ``value`` what the function returned, or it is the exception:
    the function's own, or ``WorkerLost``.
    """

    task: Task
    worker: str | None
    value: Any
    error: BaseException | None


class WorkerLost(Exception):
    """The worker of a task died, or went away, as often as the engine bears it."""


class ClusterLost(Exception):
    """The scheduler went away: nothing more can be submitted."""


class Adapter(Protocol):
    """An engine: four methods, how many tasks it runs at a time, and who runs them.

    Functions are module-level functions, arguments can be pickled. A task may
    run more than once, also at the same time; no engine promises less.
    """

    @property
    def slots(self) -> int:
        """Tasks that run at the same time now; 0 while there is no worker."""

    @property
    def workers(self) -> Collection[str]:
        """The workers now, as ``Done`` names them and ``submit`` can avoid them; none where all are
        alike."""

    def submit(self, function: Callable[..., Any], /, *args: Any, avoid: Collection[str] = ()) -> Task:
        """Has a worker call ``function(*args)``; not one of those to avoid, if there are others and
        the engine can choose. A result of ``scatter`` arrives as the bytes."""

    def as_completed(self) -> Iterator[Done]:
        """The outcome of each task, as they end, also of those that are submitted meanwhile. Ends
        when each task that was submitted has been handed out."""

    def scatter(self, data: bytes) -> Any:
        """Has the bytes sent to each worker once, and gives an object that stands for them in ``submit``."""

    def close(self) -> None:
        """Leaves the engine: tasks that wait are given up. Processes that it started itself end."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A task's end as it travels: an exception of the function is not a failure of the engine."""

    worker: str
    value: Any
    error: BaseException | None


def answer(worker: str | None, function: Callable[..., Any], *args: Any) -> Reply:
    """Calls a function where it is, and catches what it raises."""
    name = worker or f"{socket.gethostname()}:{os.getpid()}"
    try:
        return Reply(name, function(*args), None)
    except Exception as error:
        # A traceback does not travel; its text does.
        error.add_note(f"on {name}:\n{traceback.format_exc()}")
        return Reply(name, None, error)


def connect(address: str) -> Adapter:
    """The engine at an address.

    ``local`` or ``local:N`` is a pool of N processes of this machine, one for
    each processor unless N says otherwise; ``ray`` or ``ray:ADDRESS`` is Ray;
    anything else is a Dask scheduler, ``tls://host:8786``, ``tcp://…``,
    ``host:port``, or the scheduler's file. Raises ``ValueError`` if it is
    none of these, ``ImportError`` if the engine is not installed, ``OSError``
    if nobody answers.
    """
    kind, _, rest = address.partition(":")
    if kind == "local":
        if rest and not (rest.isdecimal() and int(rest) > 0):
            raise ValueError(f"{address}: local:N wants a number of processes")
        from ._local import LocalPool

        return LocalPool(int(rest) if rest else None)
    if kind == "ray":
        from ._ray import Ray

        return Ray(rest or None)
    if ":" not in address and not os.path.exists(address):
        raise ValueError(f"{address}: no scheduler: an address of Dask, its scheduler file, ray or local[:N]")
    from ._dask import Dask

    return Dask(address)
