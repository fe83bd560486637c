"""How far a run is, by its directory alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pfh

from .run import AGAIN, Run


def status(run: Run) -> dict[str, Any]:
    """The progress of a run.

    ``state`` is ``complete``, ``running or ended early``, or ``planning`` while
    the number of ``units`` is not known; ``done`` are the units with a part,
    ``counts`` what these came to, ``workers`` how many parts each made, and
    ``again`` the units that are being repeated. Nothing is compared:
    ``Run.verify`` does that. Raises ``pfh.RequestError`` for a directory that
    holds no run.
    """
    asked = run.request
    if asked is None:
        raise pfh.RequestError(f"{run.directory}: holds no run", str(run.directory))
    about = {"run": str(run.directory), "job": asked["job"]}
    manifest = run.manifest
    if manifest is not None:
        parts = len(manifest["parts"])
        workers = Counter(origin.worker for origin in run.origins().values())
        done = {"state": "complete", "units": parts, "done": parts, "counts": manifest["counts"], "workers": _named(workers)}
        repeated = Run(run.directory, AGAIN).journal()
        return about | done | ({"again": len(repeated)} if repeated else {})
    noted = run.journal()
    counts: Counter[str] = Counter()
    for made, _ in noted.values():
        counts.update({name: int(value) for name, value in made.facts.items() if value.isdecimal() and name != "unit"})
    workers = Counter(origin.worker for _, origin in noted.values())
    state = "planning" if run.units is None else "running or ended early"
    return about | {"state": state, "units": run.units, "done": len(noted), "counts": dict(counts), "workers": _named(workers)}


def _named(workers: Counter[str | None]) -> dict[str, int]:
    return {name or "not known": count for name, count in sorted(workers.items(), key=lambda pair: pair[0] or "")}
