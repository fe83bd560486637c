"""Progress, cancellation and the log of long jobs."""

import asyncio
import logging
import os
import subprocess
import sys
import sysconfig
import threading
import time

import pytest

import pfh

#: Jobs over the file `large` and the files beside it.
JOBS = {
    "acquire": lambda **hooks: pfh.acquire("large", algorithms="sha3-512", **hooks),
    "verify": lambda **hooks: pfh.verify("large", digests={"sha3-512": "0" * 128}, **hooks),
    "check": lambda **hooks: pfh.check("list", **hooks),
    "match": lambda **hooks: pfh.match("large", "set.pfhknown", **hooks),
    "compare": lambda **hooks: pfh.compare(["large", "small"], "sdhash", **hooks),
    "dups": lambda **hooks: pfh.dups(["large", "same"], **hooks),
    "dups by chunks": lambda **hooks: pfh.dups(["large"], chunks="cdc", **hooks),
    "group_similar": lambda **hooks: pfh.group_similar(["large", "small"], "sdhash", **hooks),
    "match_sectors": lambda **hooks: pfh.match_sectors("large", "blocks.pfhknown", [512], any_offset=True, **hooks),
    "diff": lambda **hooks: pfh.diff("list", "here", **hooks),
    "update_manifest": lambda **hooks: pfh.update_manifest("old", **hooks),
    "validate_bag": lambda **hooks: pfh.validate_bag("bag", **hooks),
    "HashTree.build": lambda **hooks: pfh.HashTree("large", tree="tree").build(**hooks),
    "hash_files": lambda **hooks: list(pfh.hash_files("large", "sha3-512", **hooks)),
}


def room(directory, size):
    """Files of that many bytes, without content, and lists of them."""
    (directory / "bag" / "data").mkdir(parents=True)
    (directory / "here").mkdir()
    for name in ("large", "same", "bag/data/large", "here/large"):
        with open(directory / name, "wb") as file:
            file.truncate(size)
    (directory / "small").write_bytes(b"small" * 1000)
    line = "0" * 128 + "  large\n"
    (directory / "list").write_text("# sha3-512\n" + line)
    (directory / "old").write_text("0" * 64 + "  large\n")
    (directory / "bag" / "bagit.txt").write_text("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    (directory / "bag" / "manifest-sha512.txt").write_text("0" * 128 + "  data/large\n")
    os.chdir(directory)
    (directory / "bad.txt").write_text(pfh.sha3_512(b"other").hexdigest() + "\n")
    pfh.Known.build("set.pfhknown", bad="bad.txt")
    (directory / "known").write_bytes(bytes(range(256)) * 8)
    subprocess.run([sysconfig.get_path("scripts") + "/pfh", "known", "build", "blocks.pfhknown", "--blocks", "512", "--bad", "known"], check=True)


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """Files that nobody reads to their end."""
    before = os.getcwd()
    directory = tmp_path_factory.mktemp("endless")
    room(directory, 1 << 42)
    os.chdir(before)
    return directory


@pytest.mark.parametrize("job", JOBS)
def test_a_token_ends_each_job_from_another_thread(endless, monkeypatch, job):
    monkeypatch.chdir(endless)
    token, seen = pfh.Cancel(), []

    def on_event(progress):
        assert progress.phase and progress.unit in ("bytes", "steps") and progress.done >= 0
        seen.append(progress.done)

    timer = threading.Timer(0.6, token.cancel)
    timer.start()
    with pytest.raises(pfh.CancelledError):
        JOBS[job](on_event=on_event, cancel=token)
    assert token.cancelled and seen == sorted(seen)
    # How far a job is comes while it runs: these count bytes or files from the beginning.
    assert seen, job
    began = time.monotonic()
    with pytest.raises(pfh.CancelledError):
        JOBS[job](cancel=token)
    # The limit is against hangs alone.
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("job", JOBS)
def test_a_callback_that_raises_ends_each_job(endless, monkeypatch, job):
    monkeypatch.chdir(endless)

    def on_event(progress):
        raise LookupError(repr(progress))

    with pytest.raises(LookupError, match="pfh.Progress"):
        JOBS[job](on_event=on_event)


def test_hooks_change_no_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"x" * 10_000_000)
    (tmp_path / "SUMS").write_text(pfh.sha256(b"x" * 10_000_000).hexdigest() + "  file\n")
    seen, token = [], pfh.Cancel()
    done = pfh.check("SUMS", on_event=seen.append, cancel=token)
    assert done and done.verified == 1 and not token.cancelled
    assert seen and seen[-1].done == 10_000_000 and "10000000" in repr(seen[-1])
    assert pfh.HashTree("file").build(on_event=seen.append, cancel=token).root == pfh.HashTree("file").check().root


def test_a_task_of_asyncio_is_cancelled_by_its_token(endless, monkeypatch):
    monkeypatch.chdir(endless)

    async def main():
        token = pfh.Cancel()
        task = asyncio.create_task(asyncio.to_thread(pfh.check, "list", cancel=token))
        await asyncio.sleep(0.2)
        token.cancel()
        with pytest.raises(pfh.CancelledError):
            await task

    asyncio.run(main())


def test_the_log_says_what_jobs_do(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "SUMS").write_text(pfh.sha256(b"").hexdigest() + "  100 %s\nnot a record\n")
    (tmp_path / "100 %s").write_bytes(b"")
    with caplog.at_level(logging.DEBUG, "pfh"):
        pfh.check("SUMS")
        list(pfh.hash_files("SUMS", "md5"))
        with pytest.raises(pfh.Error):
            pfh.acquire("nowhere")
        pfh.dups(["nowhere", "100 %s"])
    said = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert ("DEBUG", "check begins") in said and ("DEBUG", "hash_files ended") in said and ("DEBUG", "dups begins") in said
    assert any(level == "WARNING" and "line" in sentence for level, sentence in said), said
    assert any(level == "WARNING" and "nowhere" in sentence for level, sentence in said), said
    assert all(record.name == "pfh" for record in caplog.records)


def test_without_a_handler_nothing_is_shown(tmp_path):
    program = "import pfh; pfh.dups(['nowhere', '/dev/null'])"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
