"""Many messages at once."""

import hashlib
import hmac
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


@given(st.lists(st.binary(max_size=700), max_size=40), st.binary(min_size=1, max_size=300))
def test_codes_under_a_key(messages, key):
    for theirs in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512"):
        wanted = [hmac.digest(key, message, theirs) for message in messages]
        assert pfh.hash_many(messages, "hmac-" + theirs.replace("_", "-"), key=key) == wanted


def test_a_key_is_asked_for_and_fits():
    message = [b"abc"] * 3
    assert pfh.hash_many(message, "hmac-sha256", key=memoryview(b"k"), threads=2) == [hmac.digest(b"k", b"abc", "sha256")] * 3
    for name, key in (("sha256", b"k"), ("hmac-sha256", b""), ("hmac-sha256", None), ("blake3-keyed", b"short")):
        with pytest.raises(pfh.RequestError):
            pfh.hash_many(message, name, key=key)
    with pytest.raises(TypeError):
        pfh.hash_many(message, "hmac-sha256", key="text")


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


@given(st.lists(st.none() | st.sampled_from(["", "a", "ä" * 50, "other"]), max_size=40), st.integers(0, 10))
def test_columns_with_a_dictionary(texts, offset):
    wanted = [None if text is None else hashlib.md5(text.encode()).digest() for text in texts]
    for values in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        for number in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
            encoded = pyarrow.array(texts, pyarrow.string()).dictionary_encode()
            column = pyarrow.DictionaryArray.from_arrays(encoded.indices.cast(number), encoded.dictionary.cast(values))
            assert pfh.hash_many(column, "md5") == wanted, (values, number)
            assert pfh.hash_many(column[offset:], "md5") == wanted[offset:], (values, number)
            # Each chunk with a dictionary of its own.
            chunks = pyarrow.chunked_array([column, pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1], number), pyarrow.array(["x", None], values))])
            assert pfh.hash_many(chunks, "md5") == [*wanted, hashlib.md5(b"x").digest(), None]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_categories_of_frames(package):
    frames, texts = pytest.importorskip(package), ["a", "b", None, "a"]
    wanted = [None if text is None else hashlib.sha256(text.encode()).digest() for text in texts]
    kinds = ["category"] if package == "pandas" else [frames.Categorical, frames.Enum(["b", "a"])]
    for kind in kinds:
        column = frames.Series(texts, dtype=kind)
        assert pfh.hash_many(column, "sha256") == wanted, kind
        assert pyarrow.array(pfh.hash_many(column, "sha256", into="arrow")).to_pylist() == wanted


def test_rows_that_refer_to_no_value_of_the_dictionary():
    for number, format in ((-1, "int8"), (2, "int8"), (255, "uint8"), (2**31 - 1, "int32"), (-(2**63), "int64"), (2**64 - 1, "uint64")):
        indices = pyarrow.array([0, number], format)
        column = pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array(["a", "b"]), safe=False)
        with pytest.raises(ValueError, match="make no sense"):
            pfh.hash_many(column, "md5")
    # A null row refers to nothing, with any number in its place.
    indices = pyarrow.Array.from_buffers(pyarrow.int8(), 2, [pyarrow.py_buffer(b"\1"), pyarrow.py_buffer(b"\0\x63")])
    column = pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array(["a"]), safe=False)
    assert pfh.hash_many(column, "md5") == [hashlib.md5(b"a").digest(), None]


def test_what_is_no_column_of_bytes():
    with pytest.raises(TypeError, match="Arrow format \"l\""):
        pfh.hash_many(pyarrow.array([1, 2]), "sha256")
    with pytest.raises(TypeError, match="a dictionary of the Arrow format \"l\""):
        pfh.hash_many(pyarrow.array([1, 1]).dictionary_encode(), "sha256")
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
