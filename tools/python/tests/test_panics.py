"""A panic of any thread of the module is an exception, never a shorter result. Debug builds alone have fail points: `make python`."""

import os
import subprocess
import sys

import pytest

import pfh

#: Scripts that run in a process of their own: the first words name the fail point.
CASES = {
    "job:1": "pfh.compare([A, B], 'ssdeep')",
    "files:1": "list(pfh.hash_files(D, 'sha256', recursive=True))",
    "walk:1": "list(pfh.hash_files(D, 'sha256', recursive=True))",
    "list:1": "list(pfh.hash_files(D, 'sha256', recursive=True))",
    "read:1": "list(pfh.hash_files(D, 'sha256', recursive=True))",
    "write:3": "list(pfh.hash_files(D, 'sha256', recursive=True))",
    "walk:2": "pfh.compare([A, B, D], 'sha256')",
    "runs:1": "pfh.Known.build(OUT, bad=LIST)",
    "index:1": "pfh.Known.build(OUT, bad=LIST)",
    "image-hash:1": "pfh.acquire(A, OUT)",
}


@pytest.fixture
def room(tmp_path):
    (tmp_path / "d").mkdir()
    for number in range(8):
        (tmp_path / "d" / str(number)).write_bytes(bytes([number]) * 5000)
    (tmp_path / "list").write_text("".join(f"{pfh.sha256(bytes([n])).hexdigest()}  {n}\n" for n in range(8)))
    return tmp_path


def ran(room, point, call):
    names = {"A": "d/1", "B": "d/2", "D": "d", "LIST": "list", "OUT": "out"}
    names = "\n".join(f"{name} = {str(room / path)!r}" for name, path in names.items())
    # PanicException is not an Exception; the remains of a thread must not end the process before.
    script = f"import pfh\n{names}\ntry:\n    {call}\n    print('done')\nexcept BaseException as error:\n    print(type(error).__name__, error)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=os.environ | {"PFH_FAIL_POINT": point}, timeout=120)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.skipif("WHEEL" in os.environ, reason="the wheel that is released has no fail points")
@pytest.mark.parametrize(("point", "call"), CASES.items())
def test_a_panic_of_any_thread_is_an_exception(room, point, call):
    done = ran(room, point, call)
    assert done.stdout.startswith(("PanicException", "AbortedError")), (done.stdout, done.stderr)
    assert "the fail point" in done.stderr
    unnamed = not (room / "out").exists() or point.startswith("image") and not pfh.verify(room / "out")
    assert unnamed, "an output has its name"


@pytest.mark.parametrize("call", sorted(set(CASES.values())))
def test_without_a_fail_point_the_same_jobs_end_well(room, call):
    assert ran(room, "nowhere:1", call).stdout == "done\n"
