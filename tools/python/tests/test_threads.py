"""Objects that several threads use at once: with the interpreter's lock, and in a free-threaded build without it."""

import concurrent.futures
import gc
import hashlib
import sys
import sysconfig
import threading

import pytest

import pfh
from pfh.compat.blake3 import blake3
from pfh.compat.hashlib import blake2b

THREADS = 8


@pytest.fixture(autouse=True)
def quick_turns():
    """With a lock, threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(work, threads=THREADS):
    """Calls `work(number)` in that many threads, which begin at one moment; gives what they gave."""
    begin = threading.Barrier(threads)

    def one(number):
        begin.wait(30)
        return work(number)

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return [future.result(60) for future in [pool.submit(one, number) for number in range(threads)]]


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    room = tmp_path_factory.mktemp("threads")
    for number in range(400):
        (room / f"{number:03}").write_bytes(bytes([number % 251]) * (number * 37))
    return room


def test_a_free_threaded_build_stays_one():
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not sys._is_gil_enabled()
    else:
        assert getattr(sys, "_is_gil_enabled", lambda: True)()


@pytest.mark.parametrize("make", [pfh.sha256, pfh.blake3, pfh.ssdeep, lambda: blake3(max_threads=2), blake2b], ids=["sha256", "blake3", "ssdeep", "compat-blake3", "compat-blake2b"])
def test_one_hash_object_takes_each_update_once(make):
    # Short updates and long ones: the long ones let go of the lock.
    pieces, rounds = (b"x" * 100, b"x" * 5000), 60
    shared = make()

    def work(number):
        for turn in range(rounds):
            shared.update(pieces[turn % 2])
            if turn % 10 == number:
                # Others see meanwhile the digest of some number of whole updates.
                assert shared.copy().hexdigest() and shared.digest() is not None

    together(work)
    alone = make()
    alone.update(b"x" * (THREADS * rounds // 2 * 5100))
    assert shared.hexdigest() == alone.hexdigest()


def test_what_others_see_meanwhile_is_whole_updates():
    shared, block, updates = pfh.sha256(), b"y" * 64, 200
    wanted, whole = hashlib.sha256(), set()
    for _ in range(updates + 1):
        whole.add(wanted.hexdigest())
        wanted.update(block)

    def work(number):
        if number:
            return {shared.copy().hexdigest() for _ in range(400)}
        for _ in range(updates):
            shared.update(block)
        return {shared.hexdigest()}

    assert set().union(*together(work)) <= whole


def test_buffers_that_are_written_and_resized_meanwhile():
    shared, ended = bytearray(100_000), threading.Event()

    def work(number):
        if number == 0:
            for turn in range(300):
                shared[turn] = 255
                try:
                    shared.extend(b"z")
                except BufferError:
                    pass
            ended.set()
        else:
            while not ended.is_set():
                assert len(pfh.sha256(shared).digest()) == 32
                assert len(pfh.hash_many([shared] * 20, "md5")[0]) == 16

    together(work, 4)


def test_one_run_gives_each_record_to_one_thread(room):
    for turn in range(5):
        with pfh.hash_files(str(room), "md5", recursive=True, on_event=lambda progress: None) as files:

            def work(number, files=files):
                taken = []
                for record in files:
                    taken.append(record.number)
                    if len(taken) % 50 == number:
                        # A thread that makes objects while another one looks must not wait for it.
                        assert files.summary is None or files.summary["hashed"] == 400
                        assert files.messages == []
                        gc.collect(0)
                return taken

            assert sorted(sum(together(work), [])) == list(range(400))
            assert files.summary["hashed"] == 400


def test_a_run_with_a_cache_has_one_summary_for_all(room, tmp_path):
    with pfh.hash_files(str(room), "md5", recursive=True, cache=str(tmp_path / "cache")) as files:
        assert len(list(files)) == 400

        def work(number):
            found = [files.summary for _ in range(200)]
            gc.collect()
            return found

        assert all(found == files.summary for part in together(work) for found in part)


def test_closing_while_others_take(room):
    for turn in range(20):
        files = pfh.hash_files(str(room), "sha256", recursive=True)
        taken = []

        def work(number, files=files, taken=taken, turn=turn):
            try:
                for record in files:
                    taken.append(record.number)
                    if number == 0 and len(taken) > turn * 10:
                        files.close()
            except ValueError as error:
                return str(error)
            return "ended"

        said = together(work, 4)
        assert len(taken) == len(set(taken))
        # Closed is an error for those who would take more; only a run that had handed over all may end.
        assert len(set(said)) == 1 and ("closed" in said[0] or len(taken) == 400), (said, len(taken))


def test_one_token_ends_the_jobs_of_all_threads(room, tmp_path):
    token = pfh.Cancel()
    with open(tmp_path / "endless", "wb") as file:
        file.truncate(1 << 40)
    started = threading.Barrier(THREADS)

    def work(number):
        started.wait(30)
        if number == 0:
            token.cancel()
            return pfh.CancelledError
        try:
            if number % 2:
                pfh.HashTree(str(tmp_path / "endless"), tree=str(tmp_path / f"{number}.tree")).build(cancel=token)
            else:
                list(pfh.hash_files(str(tmp_path / "endless"), "md5", cancel=token))
        except pfh.CancelledError as error:
            return type(error)
        return None

    assert set(together(work)) == {pfh.CancelledError} and token.cancelled


def test_sets_are_asked_and_values_made_by_all(tmp_path):
    digests = [pfh.sha256(bytes([number])).digest() for number in range(100)]
    (tmp_path / "bad.txt").write_text("".join(digest.hex() + "\n" for digest in digests[:50]))
    known = pfh.Known.build(str(tmp_path / "set.pfhknown"), bad=str(tmp_path / "bad.txt"))

    def work(number):
        return [known.lookup(digest)[0].status for digest in digests]

    assert together(work) == [["known-bad"] * 50 + ["unknown"] * 50] * THREADS


def test_a_first_import_by_many_threads(room):
    # The classes of values are found once: in a process of its own, by threads that begin together.
    import subprocess

    program = """
import sys, threading
begin, found = threading.Barrier(8), []
def work():
    begin.wait()
    import pfh
    found.append([type(record).__name__ for record in pfh.hash_files([sys.argv[1] + "/001", "/nowhere"], "md5")])
threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join(60) for thread in threads]
assert found == [["Hashed", "Failed"]] * 8, found
"""
    done = subprocess.run([sys.executable, "-c", program, str(room)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
