"""Hash, match, check and compare on many machines, over Dask.distributed, Ray or local processes.

``connect`` gives the adapter of an engine; ``hash``, ``match``, ``check`` and ``compare``
carry a job out on it, into a run directory that all machines see: one Parquet
part for each unit, and a manifest of them. ``docs/cluster.md`` has the rest.
"""

from __future__ import annotations

from .adapter import Adapter, ClusterLost, Done, Task, WorkerLost, connect
from .checking import Audited, check
from .comparing import compare
from .drive import Watch
from .hashing import hash  # noqa: A004  (the job's name, as in the program)
from .matching import match
from .part import Part, Unseen, Unwritten
from .result import Result
from .run import Run
from .status import status
from .units import Source

__all__ = [
    "Adapter",
    "Audited",
    "ClusterLost",
    "Done",
    "Part",
    "Result",
    "Run",
    "Source",
    "Task",
    "Unseen",
    "Unwritten",
    "Watch",
    "WorkerLost",
    "check",
    "compare",
    "connect",
    "hash",
    "match",
    "status",
]
