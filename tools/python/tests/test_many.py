"""Many messages at once."""

import hashlib
import struct

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pfh


@given(st.lists(st.binary(max_size=700), max_size=40))
def test_many_are_one_after_the_other(messages):
    for theirs, ours in (("sha256", "sha256"), ("md5", "md5"), ("sha3_256", "sha3-256")):
        assert pfh.hash_many(messages, ours) == [hashlib.new(theirs, message).digest() for message in messages]
    assert pfh.hash_many(iter(messages), "blake3") == [pfh.blake3(message).digest() for message in messages]


def test_threads_change_no_digest():
    messages = [bytes([number % 251]) * (number * 37 % 9000) for number in range(2000)]
    wanted = [hashlib.sha256(message).digest() for message in messages]
    for threads in (None, 1, 2, 3, 100):
        assert pfh.hash_many(messages, "sha256", threads=threads) == wanted
    assert pfh.hash_many(pyarrow.array(messages), "sha256", threads=2) == wanted


@given(st.lists(st.none() | st.binary(max_size=40), max_size=40), st.integers(0, 10))
def test_columns_of_arrow(values, offset):
    wanted = [None if value is None else hashlib.sha256(value).digest() for value in values]
    for kind in (pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view()):
        column = pyarrow.array(values, kind)
        assert pfh.hash_many(column, "sha256") == wanted, kind
        assert pfh.hash_many(column[offset:], "sha256") == wanted[offset:], kind
        chunks = pyarrow.chunked_array([column, column[offset:]], kind)
        assert pfh.hash_many(chunks, "sha256") == wanted + wanted[offset:], kind


def test_text_and_fixed_lengths():
    texts = ["", "abc", "ä" * 50, None]
    wanted = [None if text is None else hashlib.md5(text.encode()).digest() for text in texts]
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        assert pfh.hash_many(pyarrow.array(texts, kind), "md5") == wanted
    fixed = pyarrow.array([b"abcd", None, b"efgh"], pyarrow.binary(4))
    assert pfh.hash_many(fixed, "md5") == [hashlib.md5(b"abcd").digest(), None, hashlib.md5(b"efgh").digest()]


def test_what_is_no_column_of_bytes():
    with pytest.raises(TypeError, match="Arrow format \"l\""):
        pfh.hash_many(pyarrow.array([1, 2]), "sha256")
    with pytest.raises(TypeError):
        pfh.hash_many(pyarrow.array(["a", "a"]).dictionary_encode(), "sha256")
    with pytest.raises(TypeError):
        pfh.hash_many(["text"], "sha256")
    with pytest.raises(TypeError):
        pfh.hash_many(5, "sha256")
    with pytest.raises(ValueError):
        pfh.hash_many([b""], "spam")


def views(*rows, buffers):
    views = b"".join(struct.pack("<iiii", *row) for row in rows)
    given = [None, pyarrow.py_buffer(views), *map(pyarrow.py_buffer, buffers)]
    return pyarrow.Array.from_buffers(pyarrow.binary_view(), len(rows), given)


def test_views_outside_of_their_buffers():
    data = bytes(range(100))
    whole = views((100, 0, 0, 0), (50, 0, 0, 50), buffers=[data])
    assert pfh.hash_many(whole, "sha256") == [hashlib.sha256(part).digest() for part in (data, data[50:])]
    for row in ((100, 0, 0, 50), (13, 0, 99, 0), (13, 0, -1, 0), (13, 0, 0, -1), (50, 0, 0, 2**31 - 1), (-1, 0, 0, 0)):
        with pytest.raises(ValueError, match="make no sense"):
            pfh.hash_many(views(row, buffers=[data]), "sha256")
    with pytest.raises(ValueError, match="make no sense"):
        pfh.hash_many(views((13, 0, 0, 0), buffers=[]), "sha256")
