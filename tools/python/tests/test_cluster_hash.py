"""pfh cluster hash and match: the records of one run of the program, even if workers fail."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import threading
import time

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: `tools/python/check -k cluster_hash` installs it")

import clusters  # noqa: E402
import pyarrow  # noqa: E402
import pyarrow.parquet  # noqa: E402
from clusters import PFH, SLOW, parts, pfh, tree  # noqa: E402

import pfh as module  # noqa: E402
from pfh.cluster import Run  # noqa: E402

#: Small units, so that there are many.
UNITS = ["--unit", "100KiB", "--files", "7"]


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A tree, and a run of it by two local processes that nothing disturbed."""
    room = tmp_path_factory.mktemp("room")
    tree(room / "tree")
    pfh("cluster", "hash", "-r", "tree", "missing", "-a", "sha256,ssdeep", *UNITS, "--to", "quiet", "--scheduler", "local:2", cwd=room, code=3)
    return room


def again(room, to, *options, code=3, **variables):
    words = ["cluster", "hash", "-r", "tree", "missing", "-a", "sha256,ssdeep", *UNITS, "--to", to, *options]
    return pfh(*words, cwd=room, code=code, env=os.environ | variables)


def test_the_rows_are_those_of_hash_files(room):
    found = Run(room / "quiet").table()
    here = os.getcwd()
    os.chdir(room)
    try:
        wanted = pyarrow.table(module.hash_files(["tree", "missing"], ["sha256", "ssdeep"], recursive=True))
    finally:
        os.chdir(here)
    assert found.schema.equals(wanted.schema)
    assert found.to_pylist() == wanted.to_pylist()
    assert len(parts(room / "quiet")) > 10


def test_the_list_is_that_of_the_program(room):
    listed = pfh("cluster", "list", "quiet", cwd=room, code=3).stdout
    assert listed == pfh("hash", "-r", "tree", "missing", "-a", "sha256", "--no-progress", cwd=room, code=3).stdout
    (room / "SUMS").write_bytes(listed)
    assert pfh("check", "--no-progress", "SUMS", cwd=room).returncode == 0
    done = subprocess.run(["sha256sum", "--check", "--quiet", "SUMS"], cwd=room, capture_output=True)
    assert done.returncode == 0, done.stderr
    similar = pfh("cluster", "list", "quiet", "-a", "ssdeep", cwd=room, code=3).stdout
    assert similar.count(b"\n") == listed.count(b"\n") and b":" in similar
    assert pfh("cluster", "list", "quiet", "-a", "md5", cwd=room, code=2).stdout == b""


def test_a_complete_run_is_compared_and_not_repeated(room):
    before = parts(room / "quiet")
    assert b"was complete" in again(room, "quiet").stdout
    assert parts(room / "quiet") == before
    assert pfh("cluster", "verify", "quiet", cwd=room).stdout == b"verified: %d parts are as the manifest has them by SHA-256\n" % len(before)


def test_a_changed_part_is_found(room, tmp_path):
    shutil.copytree(room / "quiet", tmp_path / "run")
    victim = tmp_path / "run" / "parts" / "000003.parquet"
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(data)
    done = pfh("cluster", "verify", "run", "--json", cwd=tmp_path, code=1)
    assert json.loads(done.stdout)["verdict"] == "differs" and b"000003.parquet" in done.stderr
    victim.unlink()
    pfh("cluster", "verify", "run", cwd=tmp_path, code=1)
    (tmp_path / "run" / "manifest.json").write_text('{"type":"pfh-cluster-run","version":1}')
    pfh("cluster", "verify", "run", cwd=tmp_path, code=3)
    (tmp_path / "run" / "manifest.json").unlink()
    done = pfh("cluster", "verify", "run", "--json", cwd=tmp_path, code=3)
    assert json.loads(done.stdout)["verdict"] == "nothing-to-compare-with"
    pfh("cluster", "verify", tmp_path, code=2)


def test_refusals_change_nothing(room, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("not a run")
    tree = room / "tree"
    for words in (
        ["hash", "-r", tree, "--to", tmp_path / "full"],
        ["hash", "-r", tree, "--to", tree / "below" / "run"],
        ["hash", "-r", tree, "--to", room / "quiet"],
        ["hash", "-a", "spam", "-r", tree, "--to", tmp_path / "new"],
        ["hash", "-r", tree, "--unit", "spam", "--to", tmp_path / "new"],
        ["hash", "--to", tmp_path / "new"],
        ["hash", "--listing", tmp_path / "full" / "file", "--to", tmp_path / "new"],
        ["hash", "-r", tree, "--to", tmp_path / "new", "--scheduler", "local:0"],
        ["hash", "-r", tree, "--to", tmp_path / "new", "--spam"],
        ["spam"],
        [],
    ):
        before = sorted(tmp_path.rglob("*")), parts(room / "quiet")
        done = pfh("cluster", *words, code=2)
        assert done.stderr and not done.stdout, words
        assert (sorted(tmp_path.rglob("*")), parts(room / "quiet")) == before, words


def test_lists_and_listings_name_files_exactly(room, tmp_path):
    names = [os.fsencode(path) for path in sorted((room / "tree").rglob("*")) if path.is_file() and not path.is_symlink()]
    pyarrow.parquet.write_table(pyarrow.table({"path_bytes": names}), tmp_path / "listing.parquet")
    (tmp_path / "list").write_bytes(b"".join(name + b"\0" for name in names))
    pfh("cluster", "hash", "--listing", tmp_path / "listing.parquet", *UNITS, "--to", "a", "--scheduler", "local:1", cwd=tmp_path)
    pfh("cluster", "hash", "--files-from", tmp_path / "list", "-0", *UNITS, "--to", "b", "--scheduler", "local:1", cwd=tmp_path)
    assert parts(tmp_path / "a") == parts(tmp_path / "b")
    table = Run(tmp_path / "a").table()
    assert table.column("path_bytes").to_pylist() == names and set(table.column("status").to_pylist()) == {"hashed"}
    # Absolute names: the parts are those of any other directory.
    pyarrow.parquet.write_table(pyarrow.table({"name": [b"a\0b"]}), tmp_path / "bad.parquet")
    pfh("cluster", "hash", "--listing", tmp_path / "bad.parquet", "--column", "name", "--to", "c", cwd=tmp_path, code=2)
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_is_resumed(room, number):
    to = room / f"interrupted-{number}"
    words = ["hash", "-r", "tree", "missing", "-a", "sha256,ssdeep", *UNITS, "--to", to.name, "--scheduler", "local:2"]
    child = subprocess.Popen([PFH, "cluster", *words], cwd=room, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while len(list(to.glob("parts/*.parquet"))) < 4 and child.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    child.send_signal(number)
    said = child.stderr.read()
    assert child.wait(60) in (128 + number, -number), said
    assert not (to / "manifest.json").exists()
    again(room, to.name, "--scheduler", "local:2")
    assert parts(to) == parts(room / "quiet")
    assert not list(to.rglob("*.unfinished")) and not list(to.glob("journal*"))


def test_what_was_written_twice_or_is_damaged_changes_nothing(room):
    """Parts without a journal stay, those that differ from it are made again."""
    to = room / "resumed"
    shutil.copytree(room / "quiet", to)
    manifest = json.loads((to / "manifest.json").read_text())
    (to / "manifest.json").unlink()
    lines = []
    for listed in manifest["parts"][2:8]:
        number = int(listed["name"][:6])
        lines.append(json.dumps({"unit": number, "facts": {}} | listed))
    (to / "journal.jsonl").write_text("\n".join(lines) + '\n{"unit": 9, "na')
    victim = to / "parts" / manifest["parts"][4]["name"]
    victim.write_bytes(victim.read_bytes()[:-100])
    (to / "parts" / ".000009.parquet.dead.unfinished").write_text("left by a worker that was killed")
    kept = (to / "parts" / "000010.parquet").stat().st_mtime_ns
    again(room, "resumed", "--scheduler", "local:2")
    assert parts(to) == parts(room / "quiet")
    assert (to / "parts" / "000010.parquet").stat().st_mtime_ns == kept


def test_match_gives_the_programs_verdicts(room):
    sums = pfh("cluster", "list", "quiet", cwd=room, code=3).stdout.splitlines()
    (room / "bad.txt").write_bytes(b"".join(line.lstrip(b"\\")[:64] + b"\n" for line in sums[3:9]))
    (room / "good.txt").write_bytes(b"".join(line.lstrip(b"\\")[:64] + b"\n" for line in sums[20:40]))
    pfh("known", "build", "--no-progress", "--bad", "bad.txt", "--good", "good.txt", "set.pfhknown", cwd=room)
    words = ["cluster", "match", "-r", "tree", "missing", "-k", "set.pfhknown", *UNITS, "--scheduler", "local:2"]
    done = pfh(*words, "--to", "matched", "--json", cwd=room, code=3)
    counts = json.loads(done.stdout)
    assert counts["verdict-known-bad"] == 6 and counts["failed"] == 1
    rows = Run(room / "matched").table().to_pylist()
    here = os.getcwd()
    os.chdir(room)
    try:
        wanted = module.match(["tree", "missing"], "set.pfhknown", recursive=True)
    finally:
        os.chdir(here)
    assert [os.fsencode(one.path) for one in wanted] == [row["path_bytes"] for row in rows]
    for row, one in zip(rows, wanted, strict=True):
        assert row["verdict"] == (one.verdict and one.verdict.status)
        assert [(found["name"], found["class"]) for found in row["sets"] or []] == (one.verdict.sets if one.verdict else [])
        assert row["sha256"] == (one.record.digests["sha256"] if isinstance(one.record, module.Hashed) else None)
    # Sent by the engine, the set gives the same bytes.
    pfh(*words, "--to", "sent", "--send", cwd=room, code=3)
    assert parts(room / "sent") == parts(room / "matched")
    # The exit is that of a bad file, and of nothing to compare with.
    (room / "alone").mkdir()
    bad = next(line for line in sums[3:9] if not line.startswith(b"\\"))
    shutil.copy(room / os.fsdecode(bad[66:]), room / "alone" / "bad")
    pfh("cluster", "match", "-r", "alone", "-k", "set.pfhknown", "--to", "negative", "--scheduler", "local:1", cwd=room, code=1)
    (room / "none.txt").write_bytes(b"no digest\n")
    pfh("cluster", "match", "-r", "alone", "-k", "none.txt", "--to", "none", cwd=room, code=3)
    assert not (room / "none").exists()


def test_workers_over_tls_are_killed(room, tmp_path):
    """kill -9 at random moments, 50 of them in the slow tier; the workers have two kinds of processor."""
    kills = 50 if SLOW else 3
    chance = random.Random(15)
    with clusters.two_workers(tmp_path) as cluster:
        rounds = killed = 0
        while killed < kills and rounds < 60:
            rounds += 1
            to = f"killed-{rounds}"
            ended = threading.Event()

            def kill():
                nonlocal killed
                while not ended.wait(chance.uniform(0.05, 2.5)) and killed < kills:
                    cluster.revive()
                    killed += cluster.kill_one(chance)
                # Nothing is killed any more, and the run needs a worker.
                while not ended.wait(0.5):
                    cluster.revive()

            # Only once there is work that can be lost.
            killer = threading.Thread(target=kill)
            killer.start()
            try:
                again(room, to, "--scheduler", cluster.file, **cluster.environment)
            finally:
                ended.set()
                killer.join()
            assert parts(room / to) == parts(room / "quiet")
            pfh("cluster", "verify", to, cwd=room)
        assert killed >= kills
        # No port of the cluster is open beyond loopback, and none speaks without TLS.
        ports = subprocess.run(["ss", "--listening", "--tcp", "--numeric", "--processes"], capture_output=True, text=True).stdout
        pids = [pid for child in cluster.processes for pid in (child.pid, *clusters.children(child.pid))]
        ours = [line.split()[3] for line in ports.splitlines() if any(f"pid={pid}," in line for pid in pids)]
        assert ours and all(place.startswith("127.0.0.1:") for place in ours), ports
        plain = pfh("cluster", "hash", "tree/large", "--to", "plain", "--scheduler", "tcp://" + ours[0], cwd=room, code=4, env=cluster.environment)
        assert b"traceback" not in plain.stderr.lower()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a file system: `sudo make python`")
def test_a_worker_whose_disk_is_full(room, tmp_path):
    """One worker sees a file system of one page in place of the run's parts; the other, of another processor, does all."""
    to = room / "full"
    (to / "parts").mkdir(parents=True)
    mount = f'mount -t tmpfs -o size=4k none "{to}/parts" && exec "$@"'
    with clusters.two_workers(tmp_path, before=["unshare", "--mount", "sh", "-c", mount, "sh"]) as cluster:
        # The directory has nothing but the files of the test: it becomes a run.
        shutil.copy(room / "quiet" / "run.json", to / "run.json")
        done = again(room, "full", "--scheduler", cluster.file, **cluster.environment)
        assert b"cannot write" in done.stderr, done.stderr
        assert parts(to) == parts(room / "quiet")


def test_a_worker_of_another_version_is_refused(room):
    from pfh.cluster import drive

    drive.same_version(module.__version__)
    with pytest.raises(module.RequestError, match="has pfh"):
        drive.same_version("0.0.0")


def test_the_command_without_its_packages(tmp_path):
    """Its words say what to install; the native program says where the command is."""
    blocked = tmp_path / "pyarrow"
    blocked.mkdir()
    (blocked / "__init__.py").write_text("raise ImportError('no pyarrow')")
    done = pfh("cluster", "verify", ".", code=2, env=os.environ | {"PYTHONPATH": str(tmp_path)})
    assert b"pip install pfh[dask]" in done.stderr
    native = os.environ.get("PFH_NATIVE")
    if native:
        done = subprocess.run([native, "cluster", "hash"], capture_output=True)
        assert done.returncode == 2 and b"Python package" in done.stderr and pathlib.Path(native).exists()
