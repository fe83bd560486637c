"""Errors are Python's as well: errno, filename and the right subclass of OSError; one missing file is one exception."""

import errno
import os
import pickle
import subprocess
import sys
import textwrap

import pytest

import pfh
import pfh.audit

#: Jobs of one file. Those of many have a record for a file that cannot be read.
JOBS = {
    "hash_file": lambda path, out: pfh.hash_file(path, "md5"),
    "check": lambda path, out: pfh.check(path),
    "known": lambda path, out: pfh.Known.open(path),
    "build": lambda path, out: pfh.Known.build(out, bad=path),
    "match": lambda path, out: pfh.match("/etc/passwd", path),
    "acquire": lambda path, out: pfh.acquire(path, out),
    "tree": lambda path, out: pfh.HashTree(path, tree=out).build(),
    "tree-check": lambda path, out: pfh.HashTree("/etc/passwd", tree=path).check(),
    "verify": lambda path, out: pfh.verify(path),
    "diff": lambda path, out: pfh.diff(path, "/etc"),
    "bag": lambda path, out: pfh.validate_bag(path),
    "export": lambda path, out: pfh.export(path, "bodyfile", out),
    "update": lambda path, out: pfh.update_manifest(path),
    "audit": lambda path, out: pfh.audit.commit(path, out),
    "key": lambda path, out: pfh.hash_files("/etc/passwd", "hmac-sha256", key_file=path),
}


@pytest.mark.parametrize("job", JOBS)
def test_one_missing_file_is_one_exception(job, tmp_path):
    path = tmp_path / "none"
    with pytest.raises(pfh.UnreadError) as caught:
        JOBS[job](path, tmp_path / "out")
    error = caught.value
    assert isinstance(error, FileNotFoundError), repr(error)
    assert error.errno == errno.ENOENT and error.strerror == os.strerror(errno.ENOENT)
    assert error.filename == error.path and str(path) in str(error.path)
    assert "os error" not in str(error) and "none" in str(error)
    assert not (tmp_path / "out").exists()


def test_records_of_many_files_are_the_same_exception(tmp_path):
    path = tmp_path / "none"
    records = [*pfh.hash_files(path, "md5"), *pfh.compare([path, "/etc/passwd"], "md5")[1]]
    assert len(records) == 2
    for record in records:
        error = record.error()
        assert isinstance(error, FileNotFoundError) and error.errno == record.errno and error.filename == str(path)
        assert type(error).__name__ == "UnreadError" and error.code == "ENOENT"


def test_what_may_not_be_read_is_a_permission_error(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"x")
    secret.chmod(0)
    program = f"""
        import os, json, base64, pfh
        if os.getuid() == 0:
            os.setgroups([]); os.setgid(65534); os.setuid(65534)
        for job in (lambda: pfh.hash_file({str(secret)!r}, "md5"), lambda: pfh.Known.open({str(secret)!r}), lambda: pfh.check({str(secret)!r})):
            try:
                job()
            except PermissionError as error:
                print(type(error).__name__, error.errno, error.filename)
    """
    for directory in [tmp_path, *tmp_path.parents]:
        if directory.owner() == "root" and str(directory) != "/" and directory.stat().st_mode & 0o1 == 0:
            directory.chmod(directory.stat().st_mode | 0o5)
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert done.stdout.splitlines() == [f"UnreadError 13 {secret}"] * 3, done.stderr


def test_errors_pickle(tmp_path):
    for error in (
        pfh.UnreadError("a: gone", "a", 7, "gone", errno.ENOENT, "ENOENT"),
        pfh.OutputError("b: full", "b", None, "full", errno.ENOSPC),
        pfh.RequestError("no"),
        pfh.AbortedError("late", "c"),
    ):
        other = pickle.loads(pickle.dumps(error))
        assert type(other).__mro__[1:3] == type(error).__mro__[1:3] and str(other) == str(error)
        assert vars(other) == vars(error) and isinstance(other, FileNotFoundError) == isinstance(error, FileNotFoundError)
        if isinstance(error, OSError):
            assert (other.errno, other.filename, other.strerror) == (error.errno, error.filename, error.strerror)
    assert isinstance(pfh.UnreadError("x", code="not-found"), FileNotFoundError)
    assert not isinstance(pfh.UnreadError("x"), FileNotFoundError) and pfh.UnreadError("x").errno is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: pfh.new("spam"),
        lambda: pfh.hash_many([b""], "spam"),
        lambda: pfh.hash_files([], "md5"),
        lambda: pfh.hash_files("/etc/passwd", []),
        lambda: pfh.hash_files("/etc/passwd", "md5", threads=0),
        lambda: pfh.hash_files("/etc/passwd", "md5", threads=-1),
        lambda: pfh.hash_files("/etc/passwd", "md5", threads=10**9),
        lambda: pfh.hash_files("/etc/passwd", "md5", threads=10**30),
        lambda: pfh.hash_many([b""], "md5", threads=0),
        lambda: pfh.compare("/etc/passwd", "md5", threads=1025),
        lambda: pfh.check("/etc/passwd", threads=0),
        lambda: pfh.match("/etc/passwd", "/etc/passwd", threads=0),
        lambda: pfh.hash_files("/etc/passwd", "md5", include="[", recursive=True),
        lambda: pfh.hash_files("/etc/passwd", "md5", order="spam"),
        lambda: pfh.hash_files("/etc/passwd", "md5", inside="spam"),
        lambda: pfh.hash_files("/etc/passwd", "md5", deleted=True),
        lambda: pfh.hash_files("/etc/passwd", "md5", inside=True, depth=65),
        lambda: pfh.hash_files("/etc/passwd", "md5", inside=True, container_timeout=0),
        lambda: pfh.hash_files("/etc/passwd", "md5", stall_timeout=0),
        lambda: pfh.hash_files("/etc/passwd", "md5", image=True, recursive=True),
        lambda: pfh.hash_files("/etc/passwd", "md5", cache="/nowhere/cache", cache_verify=2.0),
        lambda: pfh.hash_files("/etc/passwd", "hmac-sha256"),
        lambda: pfh.hash_files("/etc/passwd", "md5", key_file="/etc/passwd"),
        lambda: pfh.hash_files("/etc/passwd", "md5", filesystem=object(), recursive=True),
        lambda: pfh.sha256().digest(5),
        lambda: pfh.shake_128().digest(1 << 29),
        lambda: pfh.shake_128().digest(-1),
        lambda: pfh.check("/etc/passwd", strict=True, lenient=True),
        lambda: pfh.Known.build("/nowhere/x"),
        lambda: pfh.list_files("/etc", only="spam"),
        lambda: pfh.Similarity("md5"),
        lambda: pfh.ssdeep.compare("x", "y"),
    ],
)
def test_what_is_refused_is_a_request_error(call):
    with pytest.raises(pfh.RequestError) as caught:
        call()
    assert isinstance(caught.value, pfh.Error) and isinstance(caught.value, ValueError)


def test_long_outputs_are_those_of_hashlib():
    import hashlib

    length = (1 << 24) + 3
    assert pfh.shake_128(b"x").digest(length) == hashlib.shake_128(b"x").digest(length)
    assert pfh.shake_256(b"x").hexdigest(70_000) == hashlib.shake_256(b"x").hexdigest(70_000)
    assert len(pfh.kt128(b"x").digest(100_000)) == 100_000 and pfh.shake_128().digest(0) == b""
    blake3 = pytest.importorskip("blake3")
    assert pfh.blake3(b"x").digest(length) == blake3.blake3(b"x").digest(length)


@pytest.mark.skipif(os.getuid() != 0, reason="a limit of processes is set for another user: `sudo tools/python/check -k limit`")
@pytest.mark.parametrize("spare", [0, 1, 2, 3])
def test_a_limit_of_threads_is_an_error_or_only_slower(spare, tmp_path):
    """No PanicException, which `except Exception` does not hold; and no other result."""
    for number in range(20):
        (tmp_path / str(number)).write_bytes(b"%d" % number * 5000)
    (tmp_path / "sums").write_text("".join(f"{pfh.sha256(b'%d' % n * 5000).hexdigest()}  {tmp_path}/{n}\n" for n in range(20)))
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents:
        if str(parent) not in ("/", "/tmp"):
            parent.chmod(parent.stat().st_mode | 0o5)
    program = f"""
        import os, resource, json, base64, pfh
        room = {str(tmp_path)!r}
        jobs = [
            lambda: list(pfh.hash_files(room, "md5", recursive=True)),
            lambda: pfh.check(room + "/sums"),
            lambda: pfh.compare(room, "ssdeep", recursive=True),
            lambda: pfh.match(room, room + "/sums", cls="bad", recursive=True),
            lambda: pfh.hash_many([bytes(1 << 20)] * 21, "sha256"),
            lambda: pfh.blake3(bytes(8 << 20)).digest(),
        ]
        wanted = [job() for job in jobs]
        os.setgroups([]); os.setgid(65533); os.setuid(65533)
        here, = [int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("Threads")]
        resource.setrlimit(resource.RLIMIT_NPROC, (here + {spare},) * 2)
        for job, expected in zip(jobs, wanted):
            try:
                print(job() == expected)
            except pfh.Error as error:
                print("an error:", error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "panicked" not in done.stderr, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 6 and all(line == "True" or line.startswith("an error:") and line.endswith("(EAGAIN)") for line in lines), (lines, done.stderr)
