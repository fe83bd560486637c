"""Programs that take turns."""

import random
import statistics
import sys
from typing import Callable, NamedTuple, Optional

from .program import execute


class Contender(NamedTuple):
    """One of several programs that answer the same question."""

    name: str
    command: list
    answers: Optional[Callable] = None  # output -> {name: digests}; None if it prints none
    environment: dict = {}
    before: Optional[Callable] = None  # runs in the child before the program
    may_fail: bool = False  # a status of program.ANSWERED is an answer: files too short for sdhash, no pair that matches


def take_turns(contenders, rounds, prepare=lambda: None, quiet=False):
    """{name: [Run]}: all contenders in each of `rounds` rounds, in random order, `prepare` before each run.

    Answers that differ between two contenders or two rounds end the benchmark: a fast wrong program has no time."""
    runs = {contender.name: [] for contender in contenders}
    expected = None
    for number in range(rounds):
        for contender in random.sample(contenders, len(contenders)):
            prepare()
            run = execute(contender.command, environment=contender.environment, before=contender.before, may_fail=contender.may_fail)
            if contender.answers:
                found = contender.answers(run.output)
                expected = expected or (contender.name, found)
                agree(expected, (contender.name, found))
            runs[contender.name].append(run._replace(output=b""))
            if not quiet:
                words = f"{number + 1}/{rounds} {contender.name:34} cpu {run.cpu:8.3f}  wall {run.wall:8.3f}"
                print("  " + words, file=sys.stderr, flush=True)
    return runs


def agree(one, other):
    """Ends the benchmark if two (name, answers) differ, or there are none."""
    if one[1] == other[1] and one[1]:
        return
    paths = sorted(set(one[1]) ^ set(other[1])) or [path for path in one[1] if one[1][path] != other[1][path]]
    sys.exit(f"{one[0]} and {other[0]} disagree on {len(paths)} files, {paths[0]!r} among them" if paths else f"{one[0]}: no answer")


def least(runs, what):
    return min(getattr(run, what) for run in runs)


def median(runs, what):
    return statistics.median(getattr(run, what) for run in runs)
