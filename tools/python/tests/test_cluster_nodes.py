"""Workers that do not see the same: what one cannot read another one tries, and the rows are those of a run that nothing disturbed."""

import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: `tools/python/check -k cluster_nodes` installs it")

import clusters  # noqa: E402
from clusters import PFH, parts, pfh, tree  # noqa: E402

import pfh as module  # noqa: E402
from pfh import cluster  # noqa: E402
from pfh.cluster import Done, Run, Task, Watch, again, hashing, matching  # noqa: E402

root = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a file system: `sudo make python`")
#: Small units, so that there are many.
UNITS = {"unit": "100KiB", "files": 7}


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A tree, and a run of it that nothing disturbed."""
    room = tmp_path_factory.mktemp("nodes")
    tree(room / "tree")
    engine = cluster.connect("local:2")
    cluster.hash(str(room / "tree"), room / "quiet", engine, recursive=True, **UNITS)
    engine.close()
    return room


class Two:
    """An engine of two workers in this process: names that the first one is blind for are not there."""

    slots = 2
    workers = ("blind", "seeing")

    def __init__(self, monkeypatch, blind, raises=None):
        self.waiting, self.count, self.read, self.raises = [], 0, {"blind": [], "seeing": []}, raises
        self.worker = None
        for library, function in ((hashing.pfh, "hash_files"), (matching.pfh, "match")):
            before = getattr(module, function)

            def seen(names, *words, _before=before, **options):
                if self.worker is None:
                    return _before(names, *words, **options)
                self.read[self.worker] += names
                hidden = [b"/nowhere" + name if self.worker == "blind" and blind(name) else name for name in names]
                return _before(hidden, *words, **options)

            monkeypatch.setattr(library, function, seen)

    def submit(self, function, /, *args, avoid=()):
        self.count += 1
        self.waiting.append((Task(self.count), "seeing" if "blind" in avoid else "blind", function, args))
        return Task(self.count)

    def as_completed(self):
        while self.waiting:
            task, worker, function, args = self.waiting.pop(0)
            self.worker = worker
            try:
                if worker == "blind" and self.raises:
                    raise self.raises
                done = Done(task, worker, function(*args), None)
            except (cluster.Unwritten, cluster.Unseen, module.Error) as error:
                done = Done(task, worker, None, error)
            self.worker = None
            yield done

    def scatter(self, data):
        return data

    def close(self):
        pass


class Said(Watch):
    def __init__(self):
        self.sentences = []

    def say(self, sentence):
        self.sentences.append(sentence)


def test_a_worker_that_sees_no_data_is_named_and_avoided(room, monkeypatch):
    said, engine = Said(), Two(monkeypatch, lambda name: True)
    found = cluster.hash(str(room / "tree"), room / "blind", engine, recursive=True, watch=said, **UNITS)
    assert found.counts["failed"] == 0 and parts(room / "blind") == parts(room / "quiet")
    assert "worker blind read none of" in said.sentences[0] and "ENOENT" in said.sentences[0]
    assert "that worker blind could not read were read by others" in said.sentences[1] and len(said.sentences) == 2
    # It drew the units that were on their way, and no more.
    assert len(engine.read["blind"]) < len(engine.read["seeing"]) / 2
    table = Run(room / "blind").table(worker=True)
    assert {row["worker"] for row in table.to_pylist() if row["status"] == "hashed"} == {"seeing"}
    assert not (room / "blind" / "first").exists()


def test_single_files_are_tried_once_elsewhere(room, monkeypatch):
    def blind(name):
        return name.endswith((b"/003", b"/014", b"/031"))

    said, engine = Said(), Two(monkeypatch, blind)
    found = cluster.hash(str(room / "tree"), room / "some", engine, recursive=True, watch=said, **UNITS)
    assert found.counts["failed"] == 0 and parts(room / "some") == parts(room / "quiet")
    # No other file of their units is read twice.
    assert sorted(os.path.basename(name) for name in engine.read["seeing"]) == [b"003", b"014", b"031"]
    assert "3 files that worker blind could not read" in said.sentences[-1]
    rows = Run(room / "some").table(worker=True).to_pylist()
    by = {os.path.basename(row["path_bytes"]): row["worker"] for row in rows if row["status"] == "hashed"}
    assert {name for name, worker in by.items() if worker == "seeing"} == {b"003", b"014", b"031"}
    assert set(by.values()) == {"blind", "seeing"}


def test_a_file_that_nobody_reads_blames_nobody(room, tmp_path, monkeypatch):
    names = [str(room / "tree" / "empty"), str(tmp_path / "gone")]
    said, engine = Said(), Two(monkeypatch, lambda name: False)
    found = cluster.hash(names, tmp_path / "run", engine, watch=said, files=1)
    assert found.counts["failed"] == 1 and said.sentences == []
    assert engine.read["blind"].count(os.fsencode(names[1])) == engine.read["seeing"].count(os.fsencode(names[1])) == 1
    local = cluster.connect("local:1")
    cluster.hash(names, tmp_path / "local", local, files=1)
    local.close()
    assert parts(tmp_path / "run") == parts(tmp_path / "local")


def test_matches_and_checks_are_tried_elsewhere(room, tmp_path, monkeypatch):
    (tmp_path / "bad.txt").write_text(module.sha256((room / "tree" / "large").read_bytes()).hexdigest() + "\n")
    engine = Two(monkeypatch, lambda name: name.endswith(b"0"))
    found = cluster.match(str(room / "tree"), str(tmp_path / "bad.txt"), tmp_path / "matched", engine, cls="bad", recursive=True, **UNITS)
    assert found.counts["failed"] == 0 and found.counts["verdict-known-bad"] == 1
    quiet = cluster.match(str(room / "tree"), str(tmp_path / "bad.txt"), tmp_path / "wanted", cluster.connect("local:1"), cls="bad", recursive=True, **UNITS)
    assert quiet.counts == found.counts and parts(tmp_path / "matched") == parts(tmp_path / "wanted")


def test_a_worker_that_does_not_see_the_run_is_named_and_avoided(room, tmp_path, monkeypatch):
    said, engine = Said(), Two(monkeypatch, lambda name: False, raises=cluster.Unseen("RUN/plan/units/000001: No such file or directory"))
    found = cluster.hash(str(room / "tree"), room / "unseen", engine, recursive=True, watch=said, **UNITS)
    assert not found.missing and parts(room / "unseen") == parts(room / "quiet")
    assert len(said.sentences) == 1 and "worker blind does not see" in said.sentences[0]
    assert engine.read["blind"] == []


def test_again_repeats_what_failed_and_nothing_else(tmp_path):
    (tmp_path / "tree").mkdir()
    for number in range(30):
        (tmp_path / "tree" / f"{number:02}").write_bytes(bytes([number]) * 1000)
    os.rename(tmp_path / "tree" / "07", tmp_path / "away")
    names = "".join(f"tree/{number:02}\n" for number in range(30)) + "tree/never\n"
    (tmp_path / "names").write_text(names)
    words = ["cluster", "hash", "--files-from", "names", "--files", "5", "--to", "run", "--scheduler", "local:1"]
    assert b"2 failed" in pfh(*words, cwd=tmp_path, code=3).stdout
    before = {path.name: path.stat().st_ino for path in (tmp_path / "run" / "parts").iterdir()}
    os.rename(tmp_path / "away", tmp_path / "tree" / "07")
    # A file that was read is not read again: it may have gone meanwhile.
    (tmp_path / "tree" / "06").unlink()
    assert b"2 failed; was complete" in pfh(*words, cwd=tmp_path, code=3).stdout
    done = pfh(*words, "--again", cwd=tmp_path, code=3)
    assert b"30 files, 30000 bytes; 0 skipped, 1 failed" in done.stdout, done.stdout
    after = {path.name: path.stat().st_ino for path in (tmp_path / "run" / "parts").iterdir()}
    assert 1 <= sum(before[name] != after[name] for name in before) <= 2 and len(before) == len(after)
    pfh("cluster", "verify", "run", cwd=tmp_path)
    listed = pfh("cluster", "list", "run", cwd=tmp_path, code=3).stdout
    assert listed.count(b"\n") == 30
    assert not list((tmp_path / "run").glob("again*")) and not (tmp_path / "run" / "manifest.next.json").exists()
    table = Run(tmp_path / "run").table()
    assert [row["path"] for row in table.to_pylist() if row["status"] == "failed"] == ["tree/never"]
    assert table.column("number").to_pylist() == list(range(31))


def test_again_that_ends_in_the_middle_goes_on(tmp_path, monkeypatch):
    (tmp_path / "tree").mkdir()
    paths = [str(tmp_path / "tree" / f"{number}") for number in range(12)]
    engine = cluster.connect("local:1")
    cluster.hash(paths, tmp_path / "run", engine, files=2)
    for path in paths:
        pathlib.Path(path).write_text("there now")
    # The power fails between two parts.
    before, done = os.replace, []

    def replace(source, target):
        if "again" in str(source) and str(source).endswith(".parquet"):
            done.append(source)
            if len(done) == 3:
                raise KeyboardInterrupt
        before(source, target)

    monkeypatch.setattr("pfh.cluster.run.os.replace", replace)
    with pytest.raises(KeyboardInterrupt):
        cluster.hash(paths, tmp_path / "run", engine, files=2, repeat=True)
    with pytest.raises(module.UnreadError, match="goes on"):
        Run(tmp_path / "run").table()
    monkeypatch.undo()
    found = cluster.hash(paths, tmp_path / "run", engine, files=2)
    assert found.counts["hashed"] == 12 and found.repeated
    cluster.hash(paths, tmp_path / "wanted", engine, files=2)
    assert Run(tmp_path / "run").table().drop(["mtime_ns"]).equals(Run(tmp_path / "wanted").table().drop(["mtime_ns"]))
    engine.close()


def test_causes_that_may_be_those_of_a_worker():
    causes = ["No such file or directory (ENOENT)", None, "changed while it was read", "Stale file handle (ESTALE)", "Input/output error (EIO)", "Permission denied (EACCES)"]
    assert again.pending(causes) == [0, 3, 4, 5] and again.pending(causes, every=True) == [0, 2, 3, 4, 5]
    # In these words the program says it.
    (failed,) = module.hash_files("/nowhere", "md5")
    assert again.pending([failed.cause]) == [0]


@root
def test_mounts_that_one_worker_lacks(room, tmp_path):
    """Real workers: the first has an empty file system in place of the data, of one run, and of a manifest's root."""
    shutil.copytree(room / "tree", tmp_path / "tree", symlinks=True, ignore=shutil.ignore_patterns("fifo"))
    for name in ("tree", "unseen"):
        (tmp_path / name).mkdir(exist_ok=True)
    words = ["-r", "tree", "-a", "sha256", "--unit", "100KiB", "--files", "7"]
    pfh("cluster", "hash", *words, "--to", "wanted", "--scheduler", "local:2", cwd=tmp_path)
    pfh("hash", "-r", "tree", "-o", "SUMS", "--no-progress", cwd=tmp_path)
    mount = f'for at in tree unseen; do mount -t tmpfs none "{tmp_path}/$at"; done && exec "$@"'
    with clusters.two_workers(tmp_path / "dask", before=["unshare", "--mount", "sh", "-c", mount, "sh"]) as dask:
        for to in ("seen", "unseen"):
            # Of the run that it does not see, the worker does not see the plan either.
            done = pfh("cluster", "hash", *words, "--to", to, "--scheduler", dask.file, cwd=tmp_path, env=dask.environment)
            assert parts(tmp_path / to) == parts(tmp_path / "wanted"), to
            assert b"its units go to others" in done.stderr, done.stderr
        done = pfh("cluster", "check", "SUMS", "--files", "5", "--to", "checked", "--scheduler", dask.file, cwd=tmp_path, env=dask.environment)
        assert done.stdout.startswith(b"verified: ") and b" 0 absent" in done.stdout


@root
def test_a_plan_that_met_a_full_disk_is_resumed(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "full").mkdir()
    for number in range(300):
        (tmp_path / "tree" / f"{number}").write_bytes(b"x")
    script = """
        mount -t tmpfs -o size=48k none full
        "$0" cluster hash -r tree --files 10 --to full/RUN --scheduler local:1; echo "first $?"
        mount -o remount,size=8m full
        "$0" cluster hash -r tree --files 10 --to full/RUN --scheduler local:1; echo "second $?"
        "$0" cluster verify full/RUN
    """
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script, PFH], cwd=tmp_path, capture_output=True, text=True)
    assert "first 4" in done.stdout and "ENOSPC" in done.stderr, done
    assert "second 0" in done.stdout and "verified: 31 parts" in done.stdout, done


def test_a_scheduler_that_dies_is_one_line(tmp_path):
    with open(tmp_path / "large", "wb") as file:
        file.truncate(200 << 30)
    dask = clusters.Cluster(tmp_path / "dask")
    try:
        dask.worker()
        dask.ready(1)
        words = ["hash", "large", "-a", "sha3-512", "--to", "run", "--scheduler", dask.file]
        child = subprocess.Popen([PFH, "cluster", *words], cwd=tmp_path, env=dask.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + 60
        while not (tmp_path / "run" / "units.json").exists() and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(2)
        dask.processes[0].kill()
        out, said = child.communicate(timeout=120)
        assert child.returncode == 4 and not out
        assert len(said.splitlines()) == 1 and b"scheduler" in said and b"resumes" in said, said.decode()
    finally:
        dask.close()


def test_ranges_that_share_nothing_out(tmp_path):
    with open(tmp_path / "large", "wb") as file:
        file.truncate(10 << 20)
    words = ["large", "-a", "blake3", "--split", "1MiB"]
    done = pfh("cluster", "hash", *words, "--to", "one", "--scheduler", "local:1", cwd=tmp_path)
    assert b"--split shares nothing out" in done.stderr
    done = pfh("cluster", "hash", *words, "--unit", "2MiB", "--to", "many", "--scheduler", "local:1", cwd=tmp_path)
    assert b"shares" not in done.stderr
    assert json.loads((tmp_path / "many" / "manifest.json").read_text())["counts"]["hashed"] == 1
