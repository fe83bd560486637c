"""`pfh cluster` on this machine: two workers beside one, and beside one run of the program.

    bench/run cluster TREE --pfh VENV/bin/pfh --commit NAME [--digests 1000000] [--rounds 5]

VENV has the wheel with its extra `dask`, built for release. A scheduler and workers of Dask, one thread each, are started before; tasks
take one thread. `start` is the same run of no file: what a cluster costs beyond it on a tree is the overhead. The list of digests of each
run must be that of `pfh hash`. Then made ssdeep digests, all against all: families of 50, as many pairs from each contender.
With `--only scaling` 1, 2, 4 and 8 workers over storage of the test kit (FUSE), where each worker has a latency and a rate of its own: reading
bounds them, and not the processors here. With `--only unit`, the processor seconds of a task beside its `pfh.hash_files`.
"""

import os
import random
import shlex
import subprocess
import sys
import time
from pathlib import Path

from . import record
from .answers import sums
from .program import ROOT, execute, target
from .turns import Contender, least, median, take_turns

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
#: Digests of a family, which differ in some letters.
FAMILY = 50
MAKE = """
import sys, pyarrow, pyarrow.parquet
names, digests = [], []
for line in sys.stdin:
    digest, name = line.rstrip("\\n").rsplit(",", 1)
    if name != "filename":
        names.append(name.strip('"')), digests.append(digest)
pyarrow.parquet.write_table(pyarrow.table({"path": names, "digest": digests}), sys.argv[1])
"""


def main(words):
    ask = record.arguments("cluster", __doc__)
    ask.add_argument("tree", type=Path)
    ask.add_argument("--digests", type=int, default=1_000_000, help="ssdeep digests that are made (%(default)s)")
    ask.add_argument("--unit", default="32MiB", help="bytes of a unit (%(default)s)")
    ask.add_argument("--algorithms", default="sha256", help="of hash: names, separated by commas; answers are compared in the first (%(default)s)")
    ask.add_argument("--only", choices=["hash", "compare", "scaling", "unit"], help="one table; without it hash and compare")
    ask.add_argument("--latency", type=float, default=1.0, help="of scaling: milliseconds of an open and of a read (%(default)s)")
    ask.add_argument("--rate", type=float, default=20.0, help="of scaling: MB that a worker reads in a second (%(default)s)")
    ask.add_argument("--workers", default="1,2,4,8", help="of scaling (%(default)s)")
    said = record.parse(ask, words)
    if not said.pfh or not (said.pfh.parent / "dask").exists():
        sys.exit("--pfh must name the command of a wheel that is installed beside dask: pip install pfh[dask]")
    kinds = {"hash": hashes, "compare": pairs, "scaling": scaling, "unit": tasks}
    chosen = [said.only] if said.only else ["hash", "compare"]
    tables = [kinds[name](said, said.room / "cluster") for name in chosen]
    python = said.pfh.parent / "python"
    record.finish("cluster", said, tables, [[said.pfh, "--version"], [said.pfh.parent / "dask", "--version"], [python, "--version"]])


def fresh(run, *commands):
    """A shell that removes a run, and carries out commands."""
    return ["sh", "-c", " && ".join([f"rm -rf {shlex.quote(str(run))}", *(shlex.join(map(str, command)) for command in commands)])]


class Workers:
    """A scheduler on loopback with so many workers."""

    def __init__(self, said, room, count):
        self.file, program = room / f"scheduler-{count}.json", said.pfh.parent / "dask"
        self.file.unlink(missing_ok=True)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        words = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
        self.processes = [subprocess.Popen([program, *words, "--scheduler-file", self.file], **quiet)]
        while not self.file.exists():
            time.sleep(0.1)
        words = ["worker", "--scheduler-file", self.file, "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1", "--no-dashboard"]
        self.processes += [subprocess.Popen([program, *words, "--local-directory", room], **quiet) for _ in range(count)]

    def close(self):
        for child in reversed(self.processes):
            child.terminate()
            child.wait()


def hashes(said, room):
    room.mkdir(parents=True, exist_ok=True)
    (room / "empty").mkdir(exist_ok=True)
    clusters = {count: Workers(said, room, count) for count in (1, 2)}
    program, run = said.pfh.resolve(), room / "run"

    def of(count, tree, *more):
        words = ["-a", said.algorithms, "--unit", said.unit, "-t", "1", "--no-progress", "--scheduler", clusters[count].file, "--to", run]
        return fresh(run, [program, "cluster", "hash", "-r", tree, *words], *more)

    listed = [program, "cluster", "list", run]
    # Each worker has loaded its modules, and the tree is cached.
    for count in clusters:
        check = execute([*of(count, said.tree, listed)]).output
        wanted = execute([program, "hash", "-r", "--no-progress", "-a", said.algorithms.split(",")[0], said.tree]).output
        digests = sums(b"".join(line + b"\n" for line in check.splitlines() if b" " in line and b" bytes; " not in line))
        if digests != sums(wanted):
            sys.exit("the run has other digests than the program")
    alone = lambda threads: [program, "hash", "-r", "--no-progress", "-a", said.algorithms, "-f", "jsonl", "-t", threads, said.tree]
    contenders = [
        Contender("pfh hash -t 1", alone("1")),
        Contender("pfh hash -t 2", alone("2")),
        *(Contender(f"{count} worker{'s' * (count > 1)}", of(count, said.tree)) for count in clusters),
        Contender("start: 2 workers, no file", of(2, room / "empty")),
    ]
    try:
        runs = take_turns(contenders, said.rounds)
    finally:
        for cluster in clusters.values():
            cluster.close()
    walls = {name: least(some, "wall") for name, some in runs.items()}
    start = walls["start: 2 workers, no file"]
    gain = (walls["1 worker"] - start) / max(walls["2 workers"] - start, 1e-9)
    overhead = walls["2 workers"] - start - walls["pfh hash -t 2"]
    notes = [
        f"two workers beside one: {walls['1 worker'] / walls['2 workers']:.2f} ×, without the start {gain:.2f} × (wanted: 1.8)",
        f"overhead beyond the start: {overhead:.2f} s (wanted: at most 1.5 on 1.2 GB)",
        "CPU seconds are those of the command alone; the workers were there before",
    ]
    return record.of_runs(f"{said.tree}, warm cache, {said.algorithms}, units of {said.unit}", runs, "pfh hash -t 2", notes)


class Storage:
    """The tree as storage with a latency and a rate for each process that reads."""

    def __init__(self, said, place):
        command = ["cargo", "build", "--quiet", "--release", "--manifest-path", ROOT / "Cargo.toml", "-p", "pfh-inject", "--example", "storage"]
        subprocess.run(command, check=True)
        place.mkdir(parents=True, exist_ok=True)
        words = [target() / "examples/storage", said.tree.resolve(), place, str(said.latency), str(int(said.rate * 1e6))]
        self.child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.child.stdout.readline() != b"mounted\n":
            sys.exit("the storage could not be mounted")

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def scaling(said, room):
    room.mkdir(parents=True, exist_ok=True)
    (room / "empty").mkdir(exist_ok=True)
    counts = [int(count) for count in said.workers.split(",")]
    program, run, mount = said.pfh.resolve(), room / "run", room / "storage"
    storage = Storage(said, mount)
    clusters = {}
    try:
        answer = lambda output: {name: digest for name, digest in sums(b"".join(line + b"\n" for line in output.splitlines() if b"  " in line)).items()}
        reference = execute([program, "hash", "-r", "--no-progress", "-a", "sha256", said.tree.resolve()]).output
        wanted = {os.path.relpath(os.fsdecode(name), said.tree.resolve()): value for name, value in sums(reference).items()}

        def of(count, tree):
            words = ["-a", said.algorithms, "--unit", said.unit, "-t", "1", "--no-progress", "--scheduler", clusters[count].file, "--to", run]
            return fresh(run, [program, "cluster", "hash", "-r", tree, *words])

        runs, starts, units = {}, {}, 0
        for count in counts:
            clusters[count] = Workers(said, room, count)
            # Each worker has loaded its modules.
            execute(of(count, room / "empty"))
            for _ in range(said.rounds):
                starts.setdefault(count, []).append(execute(of(count, room / "empty")))
                runs.setdefault(f"{count} worker{'s' * (count > 1)}", []).append(execute(of(count, mount)))
            found = answer(execute([program, "cluster", "list", run]).output)
            if {os.path.relpath(os.fsdecode(name), mount): value for name, value in found.items()} != wanted:
                sys.exit(f"the run of {count} workers has other digests than the program")
            units = sum(1 for _ in (run / "parts").glob("*.parquet")) - 1
            clusters.pop(count).close()
    finally:
        for cluster in clusters.values():
            cluster.close()
        storage.close()
    walls = {count: least(some, "wall") for count, some in zip(counts, runs.values())}
    first, rows = counts[0], []
    for count in counts:
        start = least(starts[count], "wall")
        gain, net = walls[first] / walls[count], (walls[first] - least(starts[first], "wall")) / (walls[count] - start)
        most = units / -(-units // count)
        rows.append([count, round(walls[count], 2), round(start, 2), round(gain, 2), f"{gain * first / count:.0%}", round(net, 2), f"{net * first / count:.0%}", round(most, 2)])
    columns = ["workers", "wall s, least", "start s: no file", "speed-up", "efficiency", "without the start", "efficiency", "units share out to"]
    notes = [
        f"storage of the test kit: {said.latency:g} ms for an open and for a read, {said.rate:g} MB/s for each worker; answers equal to those of `pfh hash`",
        f"{units} units; the last column is the speed-up of units of equal cost",
        f"load average {os.getloadavg()[0]:.1f} at the end, of {os.cpu_count()} processors",
    ]
    title = f"{said.tree}, {said.algorithms}, units of {said.unit}: workers that storage bounds"
    return record.table(title, columns, rows, notes=notes, conditions=record.conditions(False, rounds=said.rounds, least=min(walls.values())))


TASKS = """
import os, shutil, sys, time
from pathlib import Path
import pyarrow, pfh
from pfh.cluster import hashing, units
from pfh.cluster.again import Attempt
from pfh.cluster.run import Run

tree, room, size, algorithms, rounds = sys.argv[1:]
algorithms, source = algorithms.split(","), units.Source.of(tree, True)

def counted(attempt, spec, read):
    def reading(names):
        global inside
        before = time.process_time()
        found = read(names)
        inside += time.process_time() - before
        return found

    return attempted(attempt, spec, reading)

attempted, hashing.attempted = hashing.attempted, counted
least = [1e9, 1e9]
for _ in range(int(rounds) + 1):
    shutil.rmtree(room, ignore_errors=True)
    run = Run(room)
    run.begin(hashing.request(source, algorithms, size, 100_000))
    plan = hashing.prepare(run, source, algorithms, size, 100_000)
    specs = [hashing.specify(plan, run, number, algorithms, 1, None) for number in plan.numbers()]
    inside, before = 0.0, time.process_time()
    rows = sum(hashing.work(Attempt(), spec).rows for spec in specs)
    whole = time.process_time() - before
    assert rows == plan.entries, (rows, plan.entries)
    # The work beside the reading, and the reading.
    least = [min(least[0], whole - inside), min(least[1], inside)]
print(len(specs), *least)
"""


def tasks(said, room):
    room.mkdir(parents=True, exist_ok=True)
    words = [said.pfh.parent / "python", "-c", TASKS, said.tree, room / "tasks", said.unit, said.algorithms, str(said.rounds)]
    units, beside, alone = execute(words).output.split()
    units, beside, alone = int(units), float(beside), float(alone)
    rows = [["hash_files, in the tasks", round(alone, 3)], ["all else of the tasks", round(beside, 3)]]
    notes = [f"{units} units: {beside / units * 1e3:.2f} ms beside the hashing of each, {beside / alone:.1%} of it", f"least of {said.rounds + 1} rounds"]
    return record.table(f"{said.tree}, {said.algorithms}, units of {said.unit}: a task, one thread", ["work", "CPU s, least"], rows, notes=notes)


def made(path, count):
    """A list of digests, the same each time."""
    chance = random.Random(15)
    with open(path, "w") as out:
        out.write("ssdeep,1.1--blocksize:hash:hash,filename\n")
        for number in range(count):
            if number % FAMILY == 0:
                letters, size = chance.choices(LETTERS, k=96), 3 << chance.randrange(4, 18)
            changed = list(letters)
            for _ in range(6):
                changed[chance.randrange(96)] = chance.choice(LETTERS)
            text = "".join(changed)
            out.write(f'{size}:{text[:64]}:{text[64:]},"f{number}"\n')


def pairs(said, room):
    listed, parquet, run = room / f"made-{said.digests}.ssdeep", room / f"made-{said.digests}.parquet", room / "pairs"
    if not parquet.exists():
        made(listed, said.digests)
        with open(listed) as lines:
            subprocess.run([said.pfh.parent / "python", "-c", MAKE, parquet], stdin=lines, check=True)
    program = said.pfh.resolve()
    count = lambda output: {"pairs": int(output.split()[0])}
    words = lambda workers: ["cluster", "compare", parquet, "-a", "ssdeep", "--to", run, "--no-progress", "--scheduler", f"local:{workers}"]
    alone = shlex.join(map(str, [program, "compare", listed, "-f", "csv", "--no-progress"]))
    contenders = [
        Contender("pfh compare", ["sh", "-c", f"{alone} | tail -n +2 | wc -l"], count),
        *(Contender(f"local:{workers}", fresh(run, [program, *words(workers)]), count) for workers in (1, 2)),
    ]
    runs = take_turns(contenders, min(said.rounds, 3))
    ratio = median(runs["local:1"], "wall") / median(runs["local:2"], "wall")
    notes = [f"two local workers beside one: {ratio:.2f} × (wanted: 1.8)", f"load average {os.getloadavg()[0]:.1f} at the end"]
    return record.of_runs(f"{said.digests} made ssdeep digests, all against all", runs, "pfh compare", notes)
