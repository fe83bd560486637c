"""A model of `pfh run` on many workers: events, by the costs that were measured, for units as a plan has them.

A scheduler starts a fixed number of units a second, in the order of the plan. A unit opens its files and reads their bytes. Opens are
shared by all workers up to what the metadata server answers, bytes up to what the storage gives: where more is asked for, all get an equal share. Some
workers are slow. A worker that fails loses its unit and comes back later; what is lost is started again, at once (an engine) or when all others have
ended and `merge` has named it (an array of Slurm). Times are seconds; the same seed gives the same run.
"""

import heapq
import random
from typing import NamedTuple


class Costs(NamedTuple):
    """Costs of one worker."""

    start: float  # seconds of a process that starts and writes its part
    opening: float  # seconds of a file that is opened, with nobody else
    rate: float  # bytes a second, with nobody else


class Site(NamedTuple):
    """What all workers share, and how they fail."""

    opens: float = 50_000.0  # opens a second of the metadata server
    bytes: float = 200e9  # bytes a second of the storage
    starts: float = 20.0  # tasks that the scheduler starts in a second
    slow: float = 0.02  # share of the workers that are slow
    factor: float = 0.25  # their speed
    failures: float = 0.1  # failures of a worker in an hour
    away: float = 600.0  # seconds until a worker that failed is back
    lost: str = "array"  # "array": lost units are started again at the end; "engine": at once


class Shared:
    """A resource that all who ask have in equal shares, none more than its own speed: a queue in virtual time."""

    def __init__(self, limit, each):
        self.limit, self.each, self.now, self.virtual, self.weight = limit, each, 0.0, 0.0, 0.0
        self.waiting = []

    def speed(self):
        """Work a second of a worker of weight 1."""
        return min(self.each, self.limit / self.weight) if self.weight > 0 else self.each

    def advance(self, now):
        self.virtual += (now - self.now) * self.speed()
        self.now = now

    def add(self, now, job, work, weight):
        self.advance(now)
        self.weight += weight
        heapq.heappush(self.waiting, (self.virtual + work / weight, job))

    def next(self):
        """When the next one is done, if nobody comes."""
        return self.now + max(self.waiting[0][0] - self.virtual, 0.0) / self.speed() if self.waiting else float("inf")

    def take(self, now, weight_of):
        self.advance(now)
        _, job = heapq.heappop(self.waiting)
        self.weight = max(self.weight - weight_of(job), 0.0) if self.waiting else 0.0
        return job


def simulate(units, workers, costs, site, seed=1):
    """Seconds until all units have results, the seconds that workers were busy, and how many units were lost. `units`: (bytes, files) in the
    order of the plan."""
    chance = random.Random(seed)
    speeds = [site.factor if chance.random() < site.slow else 1.0 for _ in range(workers)]
    speeds = speeds if workers > 1 else [1.0]
    chance.shuffle(speeds)
    opens, reads = Shared(site.opens, 1 / costs.opening), Shared(site.bytes, costs.rate)
    queue, again = list(reversed(range(len(units)))), []
    idle, timers, scheduler = list(range(workers)), [], 0.0
    running, began = {}, {}
    now = busy = 0.0
    lost = done = 0
    hazard = site.failures / 3600

    def weight(worker):
        return speeds[worker]

    def dispatch():
        nonlocal scheduler, queue, again
        if not queue and again and (site.lost == "engine" or not running):
            queue, again = list(reversed(again)), []
        while queue and idle:
            worker, unit = idle.pop(), queue.pop()
            scheduler = max(scheduler, now) + 1 / site.starts
            running[worker], began[worker] = unit, scheduler
            heapq.heappush(timers, (scheduler + costs.start / speeds[worker], "started", worker))

    dispatch()
    while done < len(units):
        at = min(opens.next(), reads.next(), timers[0][0] if timers else float("inf"))
        now = at
        if timers and timers[0][0] <= at:
            _, what, worker = heapq.heappop(timers)
            if what == "back":
                idle.append(worker)
            elif units[running[worker]][1]:
                opens.add(now, worker, units[running[worker]][1], weight(worker))
            else:
                reads.add(now, worker, units[running[worker]][0], weight(worker))
        elif opens.next() <= at:
            worker = opens.take(now, weight)
            reads.add(now, worker, units[running[worker]][0], weight(worker))
        else:
            worker = reads.take(now, weight)
            unit, took = running.pop(worker), now - began.pop(worker)
            busy += took
            # Whether it failed while it was at it; the time of a failed unit is spent half on the average, and here whole.
            if chance.random() < 1 - (1 - hazard) ** took:
                lost += 1
                again.append(unit)
                heapq.heappush(timers, (now + site.away, "back", worker))
            else:
                done += 1
                idle.append(worker)
        dispatch()
    return now, busy, lost


def least(units, workers, costs, site):
    """The bounds, in seconds, that no order of units undercuts, and their names."""
    files, size = sum(count for _, count in units), sum(size for size, _ in units)
    alone = [costs.start + count * costs.opening + size / costs.rate for size, count in units]
    bounds = {
        "workers": sum(alone) / workers,
        "the longest unit": max(alone),
        "opens": files / site.opens,
        "bytes of the storage": size / site.bytes,
        "the scheduler": len(units) / site.starts,
    }
    name = max(bounds, key=bounds.get)
    return bounds[name], name


def check():
    """The model where the answer is known: a mistake in it is no measurement."""
    costs, calm = Costs(0.1, 1e-3, 1e9), Site(opens=1e9, bytes=1e15, failures=0.0, slow=0.0, starts=1e9)
    unit = (int(2e9), 1000)
    one = 0.1 + 1.0 + 2.0
    for workers, seconds in ((1, 60 * one), (6, 10 * one), (60, one), (600, one)):
        took, busy, lost = simulate([unit] * 60, workers, costs, calm)
        assert abs(took - seconds) < 1e-6 * seconds and abs(busy - 60 * one) < 1e-3 and lost == 0, (workers, took, seconds)
    # Storage that gives half of what sixty ask for; a scheduler that starts one a second; a metadata server.
    assert abs(simulate([unit] * 60, 60, costs, calm._replace(bytes=30e9))[0] - (one + 2.0)) < 1e-3
    assert abs(simulate([unit] * 60, 60, costs, calm._replace(starts=1.0))[0] - (60 + one)) < 1e-3
    assert abs(simulate([unit] * 60, 60, costs, calm._replace(opens=30_000))[0] - (one + 1.0)) < 1e-3
    # All slow: four times as long. Each unit has a result however many are lost, and an array waits for its end.
    assert abs(simulate([unit] * 60, 60, costs, calm._replace(slow=1.0))[0] - 4 * one) < 1e-3
    unlucky = calm._replace(failures=900.0, away=0.0)
    engine, array = (simulate([unit] * 60, 10, costs, unlucky._replace(lost=how)) for how in ("engine", "array"))
    assert engine[2] > 10 and array[0] >= engine[0] > 6 * one
