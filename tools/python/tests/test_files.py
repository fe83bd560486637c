"""Files as records and as an Arrow stream; Ctrl-C."""

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
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
    list(pfh.hash_files(tree, "sha256", recursive=True, on_event=seen.append))
    assert seen and {progress.phase for progress in seen} == {"hashing"} and {progress.unit for progress in seen} == {"bytes"}
    steps = [(progress.files, progress.done) for progress in seen]
    assert steps == sorted(steps)


@pytest.mark.parametrize("times", [1, 3, 1000])
def test_a_callback_that_raises_loses_no_record(tmp_path, times):
    for number in range(500):
        (tmp_path / f"{number:03}").write_bytes(b"x" * number)
    raised = 0

    def fail(progress):
        nonlocal raised
        if raised < times:
            raised += 1
            raise LookupError("no more")

    files = pfh.hash_files(tmp_path, "sha256", recursive=True, on_event=fail)
    numbers = []
    while True:
        try:
            numbers.append(next(files).number)
        except LookupError:
            continue
        except StopIteration:
            break
    assert raised and numbers == list(range(500)) and files.summary["hashed"] == 500


def test_a_run_that_was_closed_is_not_one_that_ended(tree):
    with pfh.hash_files(tree, "sha256", recursive=True) as files:
        next(files)
    for take in (list, next, pyarrow.table):
        with pytest.raises(ValueError, match="closed"):
            take(files)
    assert files.summary is None
    # One that had ended before it was closed did end.
    with pfh.hash_files(tree, "sha256", recursive=True) as files:
        assert len(list(files)) == 52
    assert list(files) == [] and files.summary["hashed"] == 51
    partly = pfh.hash_files(tree, "sha256", recursive=True)
    next(partly)
    del partly


def test_threads_that_take_from_a_run_which_is_closed_all_raise(tmp_path):
    names = [str(tmp_path / f"{number}") for number in range(200_000)]
    files = pfh.hash_files(names, "sha256")
    ends = []

    def take():
        try:
            for _ in files:
                pass
            ends.append(None)
        except Exception as error:
            ends.append(type(error))

    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    next(files)
    files.close()
    for thread in threads:
        thread.join(30)
    assert len(ends) == 3 and all(end is not None and issubclass(end, ValueError) for end in ends), ends


def test_a_token_ends_a_run_from_another_thread(tmp_path):
    with open(tmp_path / "large", "wb") as large:
        large.truncate(1 << 40)
    token = pfh.Cancel()
    assert not token.cancelled
    threading.Timer(0.3, token.cancel).start()
    files = pfh.hash_files(tmp_path / "large", "sha3-512", cancel=token)
    with pytest.raises(pfh.CancelledError):
        list(files)
    with pytest.raises(pfh.CancelledError):
        next(files)
    assert token.cancelled and files.summary is None and issubclass(pfh.CancelledError, pfh.AbortedError)
    # One that was cancelled before ends at once, and the other way round a run that ends cancels no token.
    with pytest.raises(pfh.CancelledError):
        list(pfh.hash_files(tmp_path / "large", "sha3-512", cancel=token))
    other = pfh.Cancel()
    pfh.hash_files(tmp_path / "large", "sha3-512", cancel=other).close()
    assert not other.cancelled


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


def test_streams_take_the_records_with_their_first_batch(tree):
    """Some readers ask for a stream to see its schema, and for another to read."""
    files = pfh.hash_files(tree, "sha256", recursive=True)
    readers = [pyarrow.RecordBatchReader.from_stream(files) for _ in range(3)]
    assert readers[0].schema == readers[2].schema == pyarrow.schema(files)
    readers[0].close()
    del readers[0]
    assert readers[1].read_all().num_rows == 52
    with pytest.raises((OSError, ValueError), match="taken"):
        readers[0].read_all()
    # Records that were taken before are not in the stream.
    files = pfh.hash_files(tree, "sha256", recursive=True)
    next(files)
    assert pyarrow.table(files).column("number").to_pylist() == list(range(1, 52))
    with pytest.raises(ValueError, match="taken"):
        pyarrow.table(files)


def test_a_stream_that_is_cut_is_not_one_that_ended(tmp_path):
    names = [str(tmp_path / f"{number}") for number in range(100_000)]
    files = pfh.hash_files(names, "md5")
    reader = pyarrow.RecordBatchReader.from_stream(files)
    reader.read_next_batch()
    files.close()
    with pytest.raises(OSError, match="ended before its time|cancelled"):
        reader.read_all()
    for take in (list, pyarrow.table):
        with pytest.raises(pfh.CancelledError):
            take(files)


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
    reader = pyarrow.RecordBatchReader.from_stream(pfh.hash_files([str(tree)] * 50, "sha256", recursive=True))
    child = os.fork()
    if child == 0:
        raised = 0
        for take in (lambda: next(files), lambda: list(files), lambda: pyarrow.table(files), reader.read_next_batch):
            try:
                take()
            except (pfh.AbortedError, OSError) as error:
                raised += "fork" in str(error)
        files.close()
        os._exit(raised)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    assert len(list(files)) > 50 and reader.read_all().num_rows > 50, "the parent goes on"


def test_records_for_async(tree, tmp_path):
    # The last file ends only when another task of the loop has written it.
    late = tmp_path / "late"
    os.mkfifo(late)

    async def main():
        files = pfh.hash_files([str(tree)] * 30 + [str(late)], "sha256", recursive=True, special=True)
        beats, written = 0, False

        async def beat():
            nonlocal beats, written
            while True:
                beats += 1
                if beats > 5 and not written:
                    try:
                        writer = os.open(late, os.O_WRONLY | os.O_NONBLOCK)
                    except OSError:
                        writer = None
                    if writer is not None:
                        os.write(writer, b"late")
                        os.close(writer)
                        written = True
                await asyncio.sleep(0)

        beating = asyncio.create_task(beat())
        numbers = [record.number async for record in files]
        beating.cancel()
        return numbers, beats, files.summary

    numbers, beats, summary = asyncio.run(main())
    assert numbers == list(range(52 * 30 + 1)) and beats > 5 and summary["hashed"] == 51 * 30 + 1


def test_a_task_that_leaves_the_loop_loses_no_record(tree):
    async def main():
        files = pfh.hash_files([str(tree)] * 30, "sha256", recursive=True)
        numbers = []
        async for record in files:
            numbers.append(record.number)
            if record.number == 7:
                break
        numbers.append(next(files).number)
        async for record in files:
            numbers.append(record.number)
            if record.number == 700:
                raise LookupError(numbers)

    with pytest.raises(LookupError) as raised:
        asyncio.run(main())
    assert raised.value.args[0] == list(range(701))


def test_a_task_that_is_cancelled_ends_at_once(tmp_path):
    with open(tmp_path / "large", "wb") as large:
        large.truncate(1 << 40)
    began = time.monotonic()

    async def main():
        files = pfh.hash_files(tmp_path / "large", "sha3-512")

        async def take():
            async for _ in files:
                pass

        task = asyncio.create_task(take())
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    # The limit is against hangs alone: nobody waits for the file.
    assert time.monotonic() - began < 20
