"""`pfh plan`, `run` and `merge` over a million files; how even the units are; and a model of up to thousands of workers.

    bench/run plans [TREE] --pfh PROGRAM --commit NAME [--former PROGRAM] [--count 1000000]

`million` makes empty files, plans them, carries out their units and merges them; then it gives the files sizes and plans them again: seconds, memory, size of
the plan. `even` plans TREE with both programs, and compares the units' seconds by two kinds of storage. `model` takes the units of the files with sizes and
the costs that were measured here, and the figures of a site from its options, through measure/plans_model.py. Sizes are drawn from a lognormal
distribution with a fixed seed, and the files are sparse.
"""

import os
import random
import shutil
import statistics
from pathlib import Path

from . import files, record
from .plans_model import Costs, Site, check, least, simulate
from .program import build, execute, target

#: Milliseconds of an open and MB a second of one process: a network file system, and a local disk.
STORAGE = {"network: 1 ms, 1000 MB/s": (1e-3, 1e9), "local: 0.05 ms, 500 MB/s": (5e-5, 5e8)}
#: Median and spread of the sizes that are drawn.
MEDIAN, SIGMA, LARGEST = 4.4e6, 2.5, 5e10
WORKERS = [1, 10, 100, 300, 1000, 3000]


def main(words):
    ask = record.arguments("plans", __doc__)
    ask.add_argument("tree", type=Path, nargs="?", help="the tree of `even`; without it that table is left out")
    ask.add_argument("--former", type=Path, help="another program, whose units are compared")
    ask.add_argument("--count", type=int, default=1_000_000, help="files that are made (%(default)s)")
    ask.add_argument("--unit", default="16GiB", help="of the sparse files (%(default)s)")
    ask.add_argument("--opening", type=float, default=1.0, help="of the model: milliseconds of an open (%(default)s)")
    ask.add_argument("--rate", type=float, default=1000.0, help="of the model: MB a second of a worker (%(default)s)")
    ask.add_argument("--storage", type=float, default=200.0, help="of the model: GB a second of the storage (%(default)s)")
    ask.add_argument("--opens", type=float, default=50_000.0, help="of the model: opens a second of the storage (%(default)s)")
    ask.add_argument("--failures", type=float, default=0.1, help="of the model: failures of a worker in an hour (%(default)s)")
    said = record.parse(ask, words)
    if not said.pfh:
        build("-p", "pfh-cli")
        said.pfh = target() / "pfh"
    said.pfh = said.pfh.resolve()
    check()
    room = said.room / "plans"
    room.mkdir(parents=True, exist_ok=True)
    made, units, costs = million(said, room)
    tables = [made] + ([even(said, room)] if said.tree else [])
    tables += [model(said, units, costs), sizes(said, units, costs)]
    record.finish("plans", said, tables, [[said.pfh, "--version"]])


def sums(plan):
    """Bytes and files of each unit of a plan."""
    for path in sorted((plan / "units").iterdir()):
        entries = [entry.split(b" ", 2) for entry in path.read_bytes().split(b"\0")[:-1]]
        yield sum(int(entry[1]) for entry in entries), len(entries)


def grow(root):
    """Gives empty files sizes, and no content."""
    draw = random.Random(1)
    for path in sorted(root.glob("*/*")):
        os.truncate(path, int(min(draw.lognormvariate(0, SIGMA) * MEDIAN, LARGEST)))


def planned(said, tree, plan, *words, program=None):
    shutil.rmtree(plan, ignore_errors=True)
    return execute([program or said.pfh, "plan", "--no-progress", "-r", tree, *words, "-o", plan])


def weight(plan):
    return sum(path.stat().st_size for path in plan.rglob("*") if path.is_file())


def million(said, room):
    tree, plan = room / f"tree-{said.count}", room / "plan"
    if not tree.exists():
        files.names(tree, said.count)
    for path in (path for path in tree.glob("*/*") if path.stat().st_size):
        os.truncate(path, 0)
    rows = []
    run = planned(said, tree, plan, "--files", "20000")
    count = len(list((plan / "units").iterdir()))
    rows.append(["plan empty files, 20,000 in a unit", count, round(run.wall, 1), round(run.cpu, 1), mib(run.peak), mib(weight(plan))])
    runs = [execute([said.pfh, "run", plan, "--no-progress", "--unit", unit]) for unit in range(1, count + 1)]
    wall = sum(run.wall for run in runs)
    rows.append(["run, one unit after the other", count, round(wall, 1), round(sum(run.cpu for run in runs), 1), mib(max(run.peak for run in runs)), None])
    run = execute([said.pfh, "merge", plan, "-o", room / "merged", "--force", "--no-progress"])
    rows.append(["merge", count, round(run.wall, 1), round(run.cpu, 1), mib(run.peak), mib((room / "merged").stat().st_size)])
    if (room / "merged").read_bytes() != execute([said.pfh, "hash", "-r", "--no-progress", tree]).output:
        raise SystemExit("the merged manifest is not that of one run")
    merging = run.wall / said.count
    grow(tree)
    run = planned(said, tree, plan, "--unit", said.unit)
    units = list(sums(plan))
    total = sum(size for size, _ in units)
    rows.append([f"plan {total / 1e12:.0f} TB in units of {said.unit}", len(units), round(run.wall, 1), round(run.cpu, 1), mib(run.peak), mib(weight(plan))])
    # A unit of one small file: the process, its plan and its part.
    (room / "one").mkdir(exist_ok=True)
    (room / "one/file").write_bytes(b"x" * 1000)
    planned(said, room / "one", room / "one.plan")
    start = statistics.median(execute([said.pfh, "run", room / "one.plan", "--unit", "1", "--again", "--no-progress"]).wall for _ in range(20))
    rows.append(["run a unit of one small file, median of 20", 1, round(start, 3), None, None, None])
    columns = [f"{said.count:,} files", "units", "wall s", "CPU s", "peak MiB", "MiB written"]
    return record.table("A plan, its units and the merge", columns, rows, conditions=record.conditions(False)), units, (start, merging)


def mib(size):
    return round(size / 2**20, 1) or None


def even(said, room):
    rows = []
    for name, program in (("this program", said.pfh), *([("the former one", said.former)] if said.former else [])):
        planned(said, said.tree, room / "even.plan", "--unit", "64MiB", program=program)
        units = list(sums(room / "even.plan"))
        folders = 0
        for path in (room / "even.plan/units").iterdir():
            folders += len({os.path.dirname(entry.split(b" ", 2)[2]) for entry in path.read_bytes().split(b"\0")[:-1]})
        for storage, (opening, rate) in STORAGE.items():
            took = [count * opening + size / rate for size, count in units]
            middle = statistics.mean(took)
            rows.append([f"{name}, {storage}", len(units), max(count for _, count in units), folders, round(middle, 2), round(max(took), 2), round(max(took) / middle, 1)])
    columns = ["units of 64 MiB", "units", "most files", "folders of all units", "mean s", "longest s", "longest ÷ mean"]
    return record.table(f"How even the units of {said.tree} are", columns, rows)


def site_of(said, **others):
    return Site(**{"opens": said.opens, "bytes": said.storage * 1e9, "failures": said.failures, **others})


def model(said, units, measured):
    start, merging = measured
    costs = Costs(start, said.opening / 1e3, said.rate * 1e6)
    rows = []
    merge = merging * sum(count for _, count in units)
    alone = None
    for workers in WORKERS:
        took, busy, _ = simulate(units, workers, costs, site_of(said, slow=0, failures=0))
        _, bound = least(units, workers, costs, site_of(said))
        alone = alone or took
        slow, _, _ = simulate(units, workers, costs, site_of(said, failures=0))
        array, _, lost = simulate(units, workers, costs, site_of(said))
        engine, _, _ = simulate(units, workers, costs, site_of(said, lost="engine"))
        folded, _, _ = simulate(fold(units, 1000), workers, costs, site_of(said))
        rows.append([workers, round(took), f"{alone / took / workers:.0%}", bound, round(slow), lost, round(array), round(engine), round(folded), round(array + merge)])
    columns = ["workers", "s, none fails", "efficiency", "bound by", "s, 2 % slow", "units lost", "s, array again", "s, engine", "s, 1,000 tasks", "s with merge"]
    size = sum(size for size, _ in units)
    notes = [
        f"{len(units)} units of {said.unit}, {size / 1e12:.0f} TB; the longest has {max(size for size, _ in units) / 1e9:.0f} GB",
        f"measured here: {start:.3f} s of a unit's start, {merge:.1f} s of the merge; taken: {said.opening} ms an open, {said.rate:.0f} MB/s a worker, "
        f"{said.opens:.0f} opens/s and {said.storage:.0f} GB/s of all, 20 starts a second, {said.failures} failures of a worker in an hour, back after 600 s",
        "slow: 2 % of the workers at a quarter of the speed; array again: with these and with failures, lost units start when all others have ended",
        "engine: lost units start at once; 1,000 tasks: `run --array-size 1000`, each task a chain of units, all lost with it",
    ]
    return record.table("A model of workers", columns, rows, notes=notes)


def fold(units, size):
    """The units of each task as `run --array-size` takes them, as one unit."""
    tasks = [[0, 0] for _ in range(min(size, len(units)))]
    for at, (weight, count) in enumerate(units):
        turn, place = divmod(at, size)
        task = tasks[place if turn % 2 == 0 else size - 1 - place]
        task[0] += weight
        task[1] += count
    return [tuple(task) for task in tasks]


def sizes(said, units, measured):
    """The same total in units of other sizes, all alike but the files that are units by themselves."""
    costs = Costs(measured[0], said.opening / 1e3, said.rate * 1e6)
    whole = [unit for unit in units if unit[1] == 1]
    size, count = (sum(unit[at] for unit in units if unit[1] > 1) for at in (0, 1))
    rows = []
    for number in (100, 1000, 10_000, 100_000):
        alike = [(size // number, max(count // number, 1))] * number
        row = [number]
        for workers in (100, 1000):
            for these in (alike, sorted([*whole, *alike], reverse=True)):
                took, _, _ = simulate(these, workers, costs, site_of(said))
                row.append(round(took))
        rows.append(row)
    columns = ["units", "100 workers, s", "with the large files", "1000 workers, s", "with the large files"]
    return record.table("The same model by the number of units", columns, rows, notes=["with 2 % slow workers and failures; the large files are those above the unit"])
