"""pfh cluster hash --split: files in ranges that any worker reads, and the rows of one run of the program."""

import os
import random
import shutil
import signal
import subprocess
import time

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: `tools/python/check -k cluster_split` installs it")

import clusters  # noqa: E402
import pyarrow  # noqa: E402
from clusters import PFH, parts, pfh, tree  # noqa: E402

import pfh as module  # noqa: E402
from pfh.cluster import Run  # noqa: E402

#: Of a tree with a file of 1,500,000 bytes: it is read in 23 ranges, by 12 units.
WORDS = ["-r", "tree", "missing", "-a", "blake3,kt128,sakura-fng-256", "--unit", "131072", "--files", "7", "--split", "65536"]


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A tree with large files, one of a name that is not text and one behind a link, and a run that nothing disturbed."""
    room = tmp_path_factory.mktemp("room")
    large = tree(room / "tree") / "large"
    shutil.copy(large, os.fsencode(room / "tree") + b"/more \xff\n")
    (room / "missing").symlink_to("tree/large")
    (room / "tree" / "gap").symlink_to("nowhere")
    (room / "tree" / "one range").write_bytes(random.Random(2).randbytes(65536))
    pfh("cluster", "hash", *WORDS, "--to", "quiet", "--scheduler", "local:2", cwd=room)
    return room


def test_the_rows_are_those_of_one_run(room):
    found = Run(room / "quiet").table()
    here = os.getcwd()
    os.chdir(room)
    try:
        wanted = pyarrow.table(module.hash_files(["tree", "missing"], WORDS[4].split(","), recursive=True))
    finally:
        os.chdir(here)
    assert found.schema.equals(wanted.schema)
    assert found.to_pylist() == wanted.to_pylist()
    assert found.column("size").to_pylist().count(1_500_000) == 3
    # The ranges are gone, their files have a part; so has each unit with other files.
    assert not (room / "quiet" / "ranges").exists()
    for name in WORDS[4].split(","):
        listed = pfh("cluster", "list", "quiet", "-a", name, cwd=room).stdout
        assert listed == pfh("hash", *WORDS[:3], "-a", name, "--no-progress", cwd=room).stdout
        checked = subprocess.run([PFH, "check", "--no-progress", "-"], input=listed, cwd=room, capture_output=True)
        assert checked.returncode == 0 and checked.stdout.count(b": OK\n") == found.num_rows - 3, checked.stderr
    assert b"was complete" in pfh("cluster", "hash", *WORDS, "--to", "quiet", cwd=room).stdout
    assert pfh("cluster", "verify", "quiet", cwd=room).stdout.startswith(b"verified: %d parts" % len(parts(room / "quiet")))


def test_ranges_are_read_by_several_units(room):
    """Stopped before the end, a run has ranges of a file in parts of their own; the same command ends it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        to = room / f"stopped-{number}"
        child = subprocess.Popen([PFH, "cluster", "hash", *WORDS, "--to", to.name, "--scheduler", "local:2"], cwd=room, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        ranges = to / "ranges" / "plan" / "parts"
        while len(list(ranges.glob("0*.*"))) < 4 and child.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        child.send_signal(number)
        assert child.wait(60) in (128 + number, -number)
        there = {path.name: path.stat().st_mtime_ns for path in ranges.glob("0*.*")}
        assert len(there) >= 4 and not (to / "manifest.json").exists()
        # One that is not as it was written is made again.
        victim = max(there)
        (ranges / victim).write_bytes((ranges / victim).read_bytes()[:-20])
        pfh("cluster", "hash", *WORDS, "--to", to.name, "--scheduler", "local:1", cwd=room)
        assert parts(to) == parts(room / "quiet")


def test_a_file_that_changes_has_no_digest(room, tmp_path):
    """Between its plan and its ranges a file gets another byte: it is a failure for each reader."""
    subprocess.run(["cp", "-a", room / "tree", tmp_path / "tree"], check=True)
    words = [*WORDS[:2], *WORDS[3:], "--to", "run", "--scheduler", "local:2"]
    child = subprocess.Popen([PFH, "cluster", "hash", *words], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not (tmp_path / "run" / "ranges" / "plan" / "plan.json").exists() and time.monotonic() < end:
        time.sleep(0.001)
    child.kill()
    child.wait()
    assert not (tmp_path / "run" / "manifest.json").exists()
    with open(tmp_path / "tree" / "large", "r+b") as file:
        file.write(b"X")
    done = pfh("cluster", "hash", *words, cwd=tmp_path, code=3)
    assert b" 1 failed" in done.stdout
    (row,) = (row for row in Run(tmp_path / "run").table().to_pylist() if row["status"] == "failed")
    assert row["path"] == "tree/large" and "changed" in row["cause"] and row["blake3"] is None and row["size"] is None
    # Tried again, it is read as a whole, as it is now.
    done = pfh("cluster", "hash", *words, "--again", cwd=tmp_path)
    assert b" 0 failed" in done.stdout
    (row,) = (row for row in Run(tmp_path / "run").table(worker=True).to_pylist() if row["path"] == "tree/large")
    assert row["blake3"] == module.blake3((tmp_path / "tree" / "large").read_bytes()).digest() and row["worker"]
    assert pfh("cluster", "verify", "run", cwd=tmp_path).stdout.startswith(b"verified: ")


def test_workers_that_are_killed(room, tmp_path):
    chance = random.Random(7)
    with clusters.two_workers(tmp_path) as cluster:
        child = subprocess.Popen(
            [PFH, "cluster", "hash", *WORDS, "--to", "killed", "--scheduler", cluster.file],
            cwd=room, env=cluster.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        killed = 0
        while child.poll() is None:
            time.sleep(chance.uniform(0.5, 2))
            cluster.revive()
            killed += killed < 3 and cluster.kill_one(chance)
        assert child.returncode == 0, child.stderr.read()
        assert killed and parts(room / "killed") == parts(room / "quiet")


@pytest.mark.parametrize("sizes", [(), (1, 65_536), (65_537, 200_000), (1, 65_537, 0)])
def test_trees_of_few_files(tmp_path, sizes):
    """No file, none longer than a range, only such files, and both; with bounds for what a task takes."""
    (tmp_path / "tree").mkdir()
    for number, size in enumerate(sizes):
        (tmp_path / "tree" / str(number)).write_bytes(bytes(size))
    words = ["-r", "tree", "-a", "blake3", "--split", "64KiB", "-t", "1", "-m", "64MiB", "--to", "run", "--scheduler", "local:1"]
    pfh("cluster", "hash", *words, cwd=tmp_path)
    assert pfh("cluster", "verify", "run", cwd=tmp_path).stdout.startswith(b"verified: ")
    listed = pfh("cluster", "list", "run", "-a", "blake3", cwd=tmp_path).stdout
    assert listed == pfh("hash", "-r", "tree", "-a", "blake3", "--no-progress", cwd=tmp_path).stdout
    assert listed.count(b"\n") == len(sizes)


def test_refusals_change_nothing(room, tmp_path):
    for words in (["-a", "sha256", "--split", "64KiB"], ["-a", "blake3", "--split", "spam"], ["-a", "blake3", "--split", "3000"]):
        done = pfh("cluster", "hash", "-r", room / "tree", *words, "--to", tmp_path / "new", code=2)
        assert done.stderr and not done.stdout and not list(tmp_path.iterdir()), words
    # Another size of ranges is another run.
    pfh("cluster", "hash", *WORDS[:-1], "131072", "--to", "quiet", cwd=room, code=2)
