"""The results of a complete run are those that were written: each reader compares parts with the manifest as it reads them."""

import io
import json
import random
import resource
import shutil
import signal
import subprocess

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: `tools/python/check -k cluster_truth` installs it")

import pyarrow.parquet  # noqa: E402
from clusters import PFH, parts, pfh  # noqa: E402

import pfh as module  # noqa: E402
from pfh.cluster import Run, cli, compare, connect, listing  # noqa: E402

#: Flipped bits for each reader.
FLIPS = 60


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A run of similar files in ten parts, which nothing has touched."""
    room = tmp_path_factory.mktemp("truth")
    chance = random.Random(41)
    (room / "tree").mkdir()
    base = chance.randbytes(5000)
    for number in range(100):
        (room / "tree" / f"{number:03}").write_bytes(base + chance.randbytes(1000))
    pfh("cluster", "hash", "-r", "tree", "-a", "sha256,ssdeep", "--files", "10", "--to", "run", "--scheduler", "local:2", cwd=room)
    return room


@pytest.fixture
def run(room, tmp_path):
    shutil.copytree(room / "run", tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def handlers():
    """The command catches signals: they are caught as before at the end."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def flipped(run, seed):
    """One part after the other with a random bit flipped, and put back."""
    chance = random.Random(seed)
    files = sorted((run / "parts").iterdir())
    for _ in range(FLIPS):
        path = chance.choice(files)
        data = path.read_bytes()
        changed = bytearray(data)
        at = chance.randrange(8 * len(data))
        changed[at // 8] ^= 1 << at % 8
        path.write_bytes(changed)
        yield path
        path.write_bytes(data)


def test_a_flipped_bit_is_never_listed(run, handlers, capfdbinary):
    assert cli.main(["list", str(run)]) == 0
    whole = capfdbinary.readouterr().out
    assert whole.count(b"\n") == 100
    silent = 0
    for path in flipped(run, 1):
        code = cli.main(["list", str(run)])
        said = capfdbinary.readouterr()
        silent += code == 0
        # 1: differs from the manifest. Not one line is there by then.
        assert (code, said.out) == (1, b"") and path.name.encode() in said.err
    assert silent == 0


def test_a_flipped_bit_is_in_no_table(run):
    whole = Run(run).table()
    for path in flipped(run, 2):
        with pytest.raises(module.DiffersError, match=path.name) as raised:
            Run(run).table()
        assert raised.value.path == str(path)
    assert Run(run).table().equals(whole)


def test_a_flipped_bit_is_not_compared(run, tmp_path):
    engine = connect("local:1")
    for path in flipped(run, 3):
        with pytest.raises(module.DiffersError, match=path.name):
            compare(run, "ssdeep", tmp_path / "pairs", engine)
        assert not (tmp_path / "pairs" / "run.json").exists()
        shutil.rmtree(tmp_path / "pairs", ignore_errors=True)
    engine.close()


def test_a_flipped_bit_of_the_manifest_is_seen(run, handlers, capfdbinary):
    chance = random.Random(4)
    path = run / "manifest.json"
    data = path.read_bytes()
    for _ in range(FLIPS):
        changed = bytearray(data)
        at = chance.randrange(8 * len(data))
        changed[at // 8] ^= 1 << at % 8
        path.write_bytes(changed)
        assert cli.main(["list", str(run)]) == 3
        assert capfdbinary.readouterr().out == b""


def test_parts_that_are_gone_are_named(run):
    victim = run / "parts" / "000003.parquet"
    victim.unlink()
    with pytest.raises(module.UnreadError, match=victim.name):
        Run(run).table()
    assert victim.name.encode() in pfh("cluster", "list", run, code=3).stderr
    pfh("cluster", "verify", run, code=1)


def test_digests_that_a_comparison_was_begun_with_do_not_change(room, tmp_path):
    """A comparison that was stopped before its first part, and whose digests are damaged by then."""
    pfh("cluster", "compare", room / "run", "-a", "ssdeep", "--to", "pairs", "--scheduler", "local:1", cwd=tmp_path)
    pairs = tmp_path / "pairs"
    wanted = parts(pairs)
    assert sum(pyarrow.parquet.read_table(path).num_rows for path in (pairs / "parts").iterdir()) > 100
    path = pairs / "digests.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 4
    path.write_bytes(data)
    assert b"digests.parquet" in pfh("cluster", "verify", pairs, code=1).stderr
    shutil.rmtree(pairs / "parts")
    (pairs / "manifest.json").unlink()
    words = ["cluster", "compare", room / "run", "-a", "ssdeep", "--to", "pairs", "--scheduler", "local:1"]
    assert b"digests.parquet" in pfh(*words, cwd=tmp_path, code=1).stderr
    data[len(data) // 3] ^= 4
    path.write_bytes(data)
    pfh(*words, cwd=tmp_path)
    assert parts(pairs) == wanted


def test_more_parts_than_open_files(room, tmp_path):
    (tmp_path / "tree").symlink_to(room / "tree")
    pfh("cluster", "hash", "-r", "tree/", "--files", "1", "--to", "run", "--scheduler", "local:2", cwd=tmp_path)
    assert len(parts(tmp_path / "run")) > 100
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48))  # noqa: E731
    done = subprocess.run([PFH, "cluster", "list", "run"], cwd=tmp_path, capture_output=True, preexec_fn=limit)
    assert done.returncode == 0, done.stderr
    assert done.stdout == pfh("hash", "-r", "tree/", "--no-progress", cwd=tmp_path).stdout


@pytest.mark.parametrize("most", [1, 1000, 5000])
def test_lists_are_sorted_in_bounded_memory(run, most, monkeypatch):
    whole = io.BytesIO()
    assert listing.write(Run(run), "ssdeep", whole)
    monkeypatch.setattr(listing, "MOST", most)
    monkeypatch.setattr(listing, "STRETCH", 100)
    parted = io.BytesIO()
    assert listing.write(Run(run), "ssdeep", parted)
    assert parted.getvalue() == whole.getvalue()


def test_status_is_that_of_the_directory(run, tmp_path):
    found = json.loads(pfh("cluster", "status", run, "--json").stdout)
    assert (found["state"], found["job"], found["units"], found["done"]) == ("complete", "hash", 11, 11)
    assert found["counts"]["hashed"] == 100 and sum(found["workers"].values()) == 10
    assert b"hash: complete, 11 of 11 units" in pfh("cluster", "status", run).stdout
    pfh("cluster", "status", tmp_path, code=2)
    # A run that ended early: the notes of its journal.
    (run / "manifest.json").unlink()
    listed = [{"name": path.name, "size": 1, "sha256": "", "rows": 1, "facts": {"unit": "1", "hashed": "10"}} for path in sorted((run / "parts").iterdir())]
    lines = "".join(json.dumps({"unit": at, "worker": "w"} | one) + "\n" for at, one in enumerate(listed[1:4], 1))
    (run / "journal.jsonl").write_text(lines + '{"unit": 4, "na')
    (run / "units.json").write_text('{"type":"pfh-cluster-run","version":1,"units":10}')
    found = json.loads(pfh("cluster", "status", run, "--json", code=3).stdout)
    assert (found["state"], found["units"], found["done"], found["counts"], found["workers"]) == ("running or ended early", 10, 3, {"hashed": 30}, {"w": 3})
    assert len(list((run / "parts").iterdir())) == 11, "nothing is removed"


