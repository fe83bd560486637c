"""Files as records and as an Arrow stream; Ctrl-C."""

import hashlib
import os
import signal
import subprocess
import sys
import textwrap
import time

import pyarrow
import pytest

import pfh


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    (root / "below").mkdir(parents=True)
    for number in range(50):
        (root / "below" / f"{number:02}").write_bytes(os.urandom(number * 100))
    (root / "link").symlink_to("below/01")
    with open(os.path.join(os.fsencode(root), b"\xff\xfe"), "wb") as file:
        file.write(b"bytes")
    return root


def test_each_input_is_one_record(tree):
    files = pfh.hash_files([tree, tree / "missing"], ["md5", "sha256"], recursive=True)
    assert files.summary is None
    records = list(files)
    assert [record.number for record in records] == list(range(len(records)))
    kinds = {kind: [r for r in records if isinstance(r, kind)] for kind in (pfh.Hashed, pfh.Skipped, pfh.Failed)}
    assert [len(kind) for kind in kinds.values()] == [51, 1, 1]
    assert files.summary == {"hashed": 51, "skipped": 1, "failed": 1, "bytes": sum(range(50)) * 100 + 5}
    for record in kinds[pfh.Hashed]:
        with open(record.path, "rb") as file:
            data = file.read()
        assert record.digests == {"md5": hashlib.md5(data).digest(), "sha256": hashlib.sha256(data).digest()}
        assert record.hexdigests["md5"] == record["md5"].hex()
        assert (record.size, record.mtime_ns) == (len(data), os.stat(record.path).st_mtime_ns)
    assert any(record.path.endswith("\udcff\udcfe") for record in kinds[pfh.Hashed])
    assert kinds[pfh.Skipped][0].reason == "symbolic link"
    (failed,) = kinds[pfh.Failed]
    assert (failed.stage, failed.code, failed.errno, failed.offset) == ("open", "ENOENT", 2, None)
    error = failed.error()
    assert isinstance(error, pfh.UnreadError) and isinstance(error, OSError)
    assert error.path == str(tree / "missing") and "ENOENT" in error.cause and "missing" in str(error)
    with pytest.raises(KeyError):
        kinds[pfh.Hashed][0]["sha1"]


def test_settings_change_no_record(tree):
    def digests(**settings):
        return [(r.path, r.digests) for r in pfh.hash_files(tree, "sha256", recursive=True, **settings) if hasattr(r, "digests")]

    assert digests() == digests(threads=1, memory=1 << 20) == digests(threads=7)


def test_progress_is_reported(tree):
    seen = []
    list(pfh.hash_files(tree, "sha256", recursive=True, on_event=lambda files, size: seen.append((files, size))))
    assert seen and seen == sorted(seen)


def test_an_exception_of_the_callback_is_raised(tree):
    def fail(files, size):
        raise LookupError("no more")

    with pytest.raises(LookupError):
        list(pfh.hash_files(tree, "sha256", recursive=True, on_event=fail))


def test_what_is_left_of_an_iterator_ends(tree):
    with pfh.hash_files(tree, "sha256", recursive=True) as files:
        next(files)
    assert list(files) == []
    partly = pfh.hash_files(tree, "sha256", recursive=True)
    next(partly)
    del partly


def test_arrow_has_every_record(tree):
    paths = [tree, tree / "missing"]
    records = list(pfh.hash_files(paths, ["sha256", "ssdeep"], recursive=True))
    files = pfh.hash_files(paths, ["sha256", "ssdeep"], recursive=True)
    table = pyarrow.table(files)
    table.validate(full=True)
    assert table.num_rows == len(records) and files.summary["hashed"] == 51
    columns = table.to_pydict()
    for row, record in enumerate(records):
        assert columns["path_bytes"][row] == os.fsencode(record.path)
        assert columns["status"][row] == type(record).__name__.lower()
        if isinstance(record, pfh.Hashed):
            assert columns["sha256"][row] == record["sha256"]
            assert columns["ssdeep"][row].encode() == record["ssdeep"]
            assert (columns["size"][row], columns["mtime_ns"][row]) == (record.size, record.mtime_ns)
            assert columns["cause"][row] is None
        else:
            assert columns["sha256"][row] is None and columns["cause"][row]
    assert None in columns["path"] and str(tree / "below" / "07") in columns["path"]
    with pytest.raises(ValueError, match="taken"):
        pyarrow.table(files)


def test_batches_are_bounded(tmp_path):
    names = [str(tmp_path / f"{number}") for number in range(9000)]
    reader = pyarrow.RecordBatchReader.from_stream(pfh.hash_files(names, "md5"))
    assert [batch.num_rows for batch in reader] == [8192, 808]


def test_a_stream_that_is_not_read_ends():
    stream = pfh.hash_files("/usr", "md5", recursive=True).__arrow_c_stream__()
    del stream


def test_requests_that_make_no_sense(tree):
    for call in (
        lambda: pfh.hash_files([], "md5"),
        lambda: pfh.hash_files(tree, "spam"),
        lambda: pfh.hash_files(tree, []),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        pfh.hash_files(5, "md5")


@pytest.mark.parametrize(
    "work",
    [
        "list(pfh.hash_files('-', 'sha256'))",
        "list(pfh.hash_files('large', ['sha3-512', 'md5', 'tlsh', 'sdhash'], threads=1))",
        "pfh.compare(['large', 'large'], 'sdhash', threads=1)",
        "pfh.HashTree('large').build()",
    ],
)
def test_ctrl_c_ends_what_takes_long(work, tmp_path):
    with open(tmp_path / "large", "wb") as large:
        large.truncate(40 << 30)
    program = f"""
        import pfh, time
        print("ready", flush=True)
        try:
            {work}
        except KeyboardInterrupt:
            print("interrupted", time.monotonic(), flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    asked = time.monotonic()
    child.send_signal(signal.SIGINT)
    words = child.stdout.readline().split()
    assert words and words[0] == "interrupted", words
    # Usually 50 ms; the limit is against hangs alone.
    assert float(words[1]) - asked < 20
    assert child.wait(60) == 0


def test_a_fork_does_not_wait_for_the_run_of_its_parent(tree):
    files = pfh.hash_files([str(tree)] * 50, "sha256", recursive=True)
    next(files)
    child = os.fork()
    if child == 0:
        try:
            next(files)
        except pfh.AbortedError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert len(list(files)) > 50, "the parent goes on"
