"""Hash objects against hashlib and blake3."""

import array
import copy
import hashlib
import io
import mmap
import os
import threading

import blake3
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pfh

#: Algorithms that hashlib has as well: its name, ours.
BOTH = [
    ("md5", "md5"),
    ("sha1", "sha1"),
    ("sha224", "sha224"),
    ("sha256", "sha256"),
    ("sha384", "sha384"),
    ("sha512", "sha512"),
    ("sha3_224", "sha3-224"),
    ("sha3_256", "sha3-256"),
    ("sha3_384", "sha3-384"),
    ("sha3_512", "sha3-512"),
]


@given(st.lists(st.binary(max_size=5000), max_size=5))
def test_any_split_gives_the_digest_of_hashlib(pieces):
    for theirs, ours in BOTH:
        one, other = hashlib.new(theirs), pfh.new(ours)
        for piece in pieces:
            one.update(piece)
            other.update(piece)
        assert other.digest() == one.digest()
        assert other.hexdigest() == one.hexdigest()
        assert (other.digest_size, other.block_size) == (one.digest_size, one.block_size)


@given(st.binary(max_size=9000), st.integers(1, 200))
def test_stated_lengths(data, length):
    assert pfh.new("shake128", data).digest(length) == hashlib.shake_128(data).digest(length)
    assert pfh.shake_256(data).hexdigest(length) == hashlib.shake_256(data).hexdigest(length)
    assert pfh.blake3(data).digest() == blake3.blake3(data).digest()
    assert pfh.blake3(data).digest(length) == blake3.blake3(data).digest(length=length)
    assert pfh.new(f"blake3:{length}", data).digest() == blake3.blake3(data).digest(length=length)


def test_each_algorithm_is_a_function_and_copies():
    for name in pfh.algorithms_available:
        function = getattr(pfh, name.replace("-", "_").replace(".", "_"))
        message = bytes(range(256)) * 40
        hashed = function(message[:100])
        assert hashed.name == name and name in repr(hashed)
        twin = hashed.copy()
        other = copy.deepcopy(hashed)
        hashed.update(message[100:])
        assert twin.digest() == other.digest() == pfh.new(name, message[:100]).digest()
        assert hashed.digest() == pfh.new(name.upper(), message).digest()
        assert len(hashed.digest()) == hashed.digest_size or hashed.digest_size == 0


def test_buffers_of_every_kind(tmp_path):
    data = bytes(range(256)) * 100
    wanted = hashlib.sha256(data).digest()
    (tmp_path / "file").write_bytes(data)
    with open(tmp_path / "file", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        kinds = [data, bytearray(data), memoryview(data), array.array("I", data), mapped]
        kinds += [memoryview(data).cast("B", shape=[100, 256]), io.BytesIO(data).getbuffer()]
        for kind in kinds:
            assert pfh.sha256(kind).digest() == wanted, kind
        del kinds, kind
    with pytest.raises(BufferError):
        pfh.sha256(memoryview(data)[::2])
    for wrong in ("text", 5, None, [1], object()):
        with pytest.raises(TypeError):
            pfh.sha256().update(wrong)
    with pytest.raises(TypeError, match="encoded"):
        pfh.sha256("text")


def test_a_buffer_is_given_back():
    room = bytearray(b"abc" * 1000)
    pfh.sha256(room)
    pfh.hash_many([room], "sha256")
    room += b"it may grow again"


def test_other_threads_run_while_a_long_buffer_is_hashed():
    data = bytes(64 << 20)
    turns = 0
    done = threading.Event()

    def work():
        pfh.new("sha3-512", data)
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.wait(0.001):
        turns += 1
    worker.join()
    assert turns > 2


def test_one_object_is_shared_by_threads():
    shared = pfh.sha1()
    piece = b"x" * 5000
    threads = [threading.Thread(target=lambda: [shared.update(piece) for _ in range(50)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared.digest() == hashlib.sha1(piece * 400).digest()


def test_file_digest(tmp_path):
    data = bytes(range(251)) * 4000
    path = tmp_path / "file"
    path.write_bytes(data)
    wanted = hashlib.sha256(data).digest()
    with open(path, "rb") as file:
        assert pfh.file_digest(file, "sha256").digest() == wanted
    with open(path, "rb", buffering=0) as file:
        file.seek(1000)
        assert pfh.file_digest(file, hashlib.sha256).digest() == hashlib.sha256(data[1000:]).digest()
    assert pfh.file_digest(io.BytesIO(data), pfh.sha256).digest() == wanted
    with open(path, encoding="latin-1") as file, pytest.raises(ValueError, match="binary reading mode"):
        pfh.file_digest(file, "sha256")
    with open(tmp_path / "out", "wb") as file, pytest.raises(ValueError, match="binary reading mode"):
        pfh.file_digest(file, "sha256")
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with open(reading, "rb", buffering=0) as file, open(writing, "wb"), pytest.raises(BlockingIOError):
        pfh.file_digest(file, "sha256")


def test_unknown_names_and_lengths():
    for name in ("spam", "", "sha256:31"):
        with pytest.raises(ValueError, match="unsupported hash type"):
            pfh.new(name)
    for length in (-1, 31, 1 << 62):
        with pytest.raises(ValueError):
            pfh.sha256().digest(length)
    with pytest.raises(OverflowError):
        pfh.shake_128().digest(1 << 64)
    with pytest.raises(TypeError):
        pfh.new(1)


def test_a_missing_value_has_no_digest():
    for call in (lambda: pfh.sha256(None), lambda: pfh.new("sha256", None), lambda: pfh.ssdeep(data=None)):
        with pytest.raises(TypeError):
            call()
    assert pfh.sha256().digest() == pfh.sha256(b"").digest() == hashlib.sha256().digest()
