"""pfh cluster compare: the pairs of pfh compare, each once, by any number of tasks."""

import csv
import io
import json
import os
import pathlib
import random

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: `tools/python/check -k cluster_compare` installs it")

import pyarrow  # noqa: E402
import pyarrow.parquet  # noqa: E402
from clusters import parts, pfh  # noqa: E402

import pfh as module  # noqa: E402
from pfh.cluster import Run, comparing  # noqa: E402

METHODS = ["ssdeep", "tlsh", "sdhash", "mrsh-v2"]


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """Files in families, and their digests as a run."""
    room = tmp_path_factory.mktemp("compare")
    chance = random.Random(4)
    (room / "files").mkdir()
    for family in range(4):
        base = bytearray(chance.randbytes(40_000))
        for member in range(8):
            made = bytearray(base)
            for _ in range(member):
                at = chance.randrange(len(made))
                made[at : at + 300] = chance.randbytes(chance.randrange(600))
            (room / "files" / f"{family}-{member}").write_bytes(made)
    (room / "files" / "empty").write_bytes(b"")
    for copy in ("x", "y"):
        (room / "files" / f"short-{copy}").write_bytes(b"short")
    pfh("cluster", "hash", "-r", "files", "-a", ",".join(METHODS), "--unit", "300KiB", "--to", "hashes", "--scheduler", "local:2", cwd=room)
    return room


def of_program(room, method, *options):
    """The pairs as the program writes them, but for equal files without a digest: a cluster compares digests alone."""
    done = pfh("compare", "-r", "files", "-a", method, "-f", "csv", "--no-progress", *options, cwd=room, code=None)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    pairs = sorted((row["a"], row["b"], int(row["score"])) for row in rows)
    if method != "ssdeep":
        # One pair by content, exactly: nothing else may be missing from a run.
        pairs.remove(("files/short-x", "files/short-y", 100))
        assert not [pair for pair in pairs if "short-" in pair[0] + pair[1]]
    return pairs


def of_run(run):
    rows = Run(run).table().to_pylist()
    return sorted((os.fsdecode(row["path_a"]), os.fsdecode(row["path_b"]), row["score"]) for row in rows)


@pytest.mark.parametrize(("method", "threshold"), [*((method, None) for method in METHODS), ("ssdeep", 60), ("tlsh", 60)])
def test_the_pairs_are_those_of_the_program(room, method, threshold):
    options = [] if threshold is None else ["--threshold", threshold]
    to = f"{method}-{threshold}"
    words = ["cluster", "compare", "hashes", "-a", method, *options, "--to", to, "--scheduler", "local:2", "--json"]
    counts = json.loads(pfh(*words, cwd=room).stdout)
    wanted = of_program(room, method, *options)
    assert of_run(room / to) == wanted
    assert counts["pairs"] == len(wanted) > 20
    assert counts["digests"] + counts["without"] == 35
    before = parts(room / to)
    assert json.loads(pfh(*words, cwd=room).stdout) == counts and parts(room / to) == before


@pytest.mark.parametrize("method", METHODS)
def test_any_number_of_tasks_gives_the_same(room, method, monkeypatch):
    """Also with small row groups and blocks, so that pairs of blocks are compared."""
    wanted = of_program(room, method)
    monkeypatch.setattr(comparing, "GROUP", 4)
    for parts_wanted in (1, 7, 30):
        to = room / f"{method}-parts-{parts_wanted}"
        comparing.compare(room / "hashes", method, to, Here(), parts=parts_wanted)
        assert of_run(to) == wanted
    assert len(list((room / f"{method}-parts-30" / "parts").iterdir())) >= 30


class Here:
    """An engine that runs tasks where they are submitted."""

    slots = 1
    workers = ()

    def __init__(self):
        self.ended = []

    def submit(self, function, /, *args, avoid=()):
        from pfh.cluster import Done, Task

        task = Task(len(self.ended) + id(args) * 1000)
        self.ended.append(Done(task, "here", function(*args), None))
        return task

    def as_completed(self):
        while self.ended:
            yield self.ended.pop()

    def scatter(self, data):
        return data

    def close(self):
        pass


def test_rows_point_into_the_digests(room):
    pfh("cluster", "compare", "hashes", "-a", "ssdeep", "--to", "rows", "--scheduler", "local:1", cwd=room)
    digests = pyarrow.parquet.read_table(room / "rows" / "digests.parquet").to_pylist()
    for row in Run(room / "rows").table().to_pylist():
        a, b = digests[row["a"]], digests[row["b"]]
        assert (a["path_bytes"], b["path_bytes"]) == (row["path_a"], row["path_b"]) and row["a"] < row["b"]
        assert module.ssdeep.compare(a["digest"], b["digest"]) == row["score"]


def test_digests_of_other_files(tmp_path):
    """Any Parquet with names and digests; a text that is not a digest is counted, and in the exit."""
    stock = "".join(random.Random(1).choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=200))
    texts = [f"{3 << number % 2}:{stock[number : number + 50]}:{stock[number : number + 30]}" for number in range(100)]
    table = pyarrow.table({"name": [f"n{number}" for number in range(102)], "digest": [*texts, "spam", None]})
    pyarrow.parquet.write_table(table, tmp_path / "made.parquet")
    words = ["cluster", "compare", "made.parquet", "-a", "ssdeep", "--scheduler", "local:2", "--json"]
    counts = json.loads(pfh(*words, "--to", "run", cwd=tmp_path, code=3).stdout)
    assert counts["malformed"] == 1 and counts["digests"] == 100
    (tmp_path / "list").write_text("ssdeep,1.1--blocksize:hash:hash,filename\n" + "".join(f'{text},"n{at}"\n' for at, text in enumerate(texts)))
    done = pfh("compare", "list", "-f", "csv", "--no-progress", cwd=tmp_path, code=None)
    wanted = sorted((*sorted((row["a"], row["b"])), int(row["score"])) for row in csv.DictReader(io.StringIO(done.stdout.decode())))
    assert sorted((*sorted(pair[:2]), pair[2]) for pair in of_run(tmp_path / "run")) == wanted and len(wanted) > 100
    pyarrow.parquet.write_table(table.slice(0, 1), tmp_path / "one.parquet")
    pfh("cluster", "compare", "one.parquet", "-a", "ssdeep", "--to", "one", "--scheduler", "local:1", cwd=tmp_path, code=3)
    for words in (["one.parquet", "-a", "sha256"], ["one.parquet", "-a", "spam"], ["missing", "-a", "ssdeep"], ["list", "-a", "ssdeep"]):
        pfh("cluster", "compare", *words, "--to", "refused", cwd=tmp_path, code=2)
        assert not pathlib.Path(tmp_path / "refused").exists()
