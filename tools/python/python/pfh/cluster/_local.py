"""A pool of processes on this machine."""

from __future__ import annotations

import atexit
import functools
import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .adapter import Done, Reply, Task, WorkerLost, answer

#: Seconds between two looks for signals while tasks run.
LOOK = 0.5


@dataclass(frozen=True, slots=True)
class _Scattered:
    """Bytes in a file that all processes see."""

    path: str


@functools.lru_cache(maxsize=4)
def _read(path: str) -> bytes:
    return Path(path).read_bytes()


def _begin(parent: int) -> None:
    """Ctrl-C is the parent's; a child that outlives its parent ends itself, as nobody else does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _work(function: Callable[..., Any], *args: Any) -> Reply:
    args = tuple(_read(arg.path) if isinstance(arg, _Scattered) else arg for arg in args)
    return answer(None, function, *args)


class LocalPool:
    """Processes that are spawned, so that they have no threads or locks of this one. A process
    that dies takes its pool with it: a new one is made, and its tasks are lost."""

    def __init__(self, processes: int | None = None) -> None:
        self.slots: int = processes or len(os.sched_getaffinity(0))
        self._pool: ProcessPoolExecutor | None = None
        self._tasks: dict[Future[Reply], Task] = {}
        self._count = 0
        self._files: list[str] = []
        atexit.register(self._kill)

    def _executor(self) -> ProcessPoolExecutor:
        if self._pool is None:
            spawn = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.slots, spawn, initializer=_begin, initargs=(os.getpid(),))
        return self._pool

    @property
    def workers(self) -> Collection[str]:
        """See ``Adapter``: processes of one machine are alike."""
        return ()

    def submit(self, function: Callable[..., Any], /, *args: Any, avoid: Collection[str] = ()) -> Task:
        """See ``Adapter``. Processes of one machine are alike: none is avoided."""
        try:
            future = self._executor().submit(_work, function, *args)
        except BrokenProcessPool:
            self._pool = None
            future = self._executor().submit(_work, function, *args)
        self._count += 1
        task = self._tasks[future] = Task(self._count)
        return task

    def as_completed(self) -> Iterator[Done]:
        """See ``Adapter``."""
        try:
            while self._tasks:
                ended, _ = wait(self._tasks, timeout=LOOK, return_when=FIRST_COMPLETED)
                for future in ended:
                    task = self._tasks.pop(future)
                    try:
                        reply = future.result()
                    except BrokenProcessPool as broken:
                        yield Done(task, None, None, WorkerLost(str(broken)))
                    else:
                        yield Done(task, reply.worker, reply.value, reply.error)
        except BaseException:
            # Ctrl-C, or nobody takes the rest: the interpreter would wait for these tasks at its end.
            self._kill()
            self._tasks.clear()
            raise

    def scatter(self, data: bytes) -> Any:
        """See ``Adapter``: a temporary file, which each process reads once."""
        with tempfile.NamedTemporaryFile(prefix="pfh-scatter-", delete=False) as file:
            self._files.append(file.name)
            file.write(data)
        return _Scattered(file.name)

    def _kill(self) -> None:
        if self._pool is not None:
            # A native job in a process does not wait for the end of others.
            for process in list((self._pool._processes or {}).values()):
                process.kill()
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def close(self) -> None:
        """See ``Adapter``."""
        if self._tasks:
            self._kill()
        elif self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        self._tasks.clear()
        for name in self._files:
            Path(name).unlink(missing_ok=True)
        self._files.clear()
        atexit.unregister(self._kill)
