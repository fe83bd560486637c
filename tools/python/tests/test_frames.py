"""Polars, pandas and DuckDB read the Arrow stream of hash_files, and columns of digests."""

import hashlib
import os
import subprocess
import sys

import duckdb
import pandas
import polars
import pyarrow
import pytest

import pfh


@pytest.fixture
def folder(tmp_path):
    for n in range(50):
        (tmp_path / f"{n:02}").write_bytes(b"x" * n)
    return tmp_path


def digests(folder):
    return sorted(hashlib.md5(path.read_bytes()).digest() for path in folder.iterdir())


def test_polars(folder):
    frame = polars.DataFrame(pfh.hash_files(folder, "md5", recursive=True))
    assert frame.height == 50 and frame["size"].sum() == sum(range(50))
    assert sorted(frame["md5"].to_list()) == digests(folder)


def test_pandas(folder):
    frame = pandas.DataFrame.from_arrow(pfh.hash_files(folder, "md5", recursive=True))
    assert len(frame) == 50 and frame["size"].sum() == sum(range(50))
    assert sorted(frame["md5"]) == digests(folder)


def test_pandas_has_names_that_are_not_utf_8_as_bytes(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff name"
    with open(name, "wb") as file:
        file.write(b"content")
    frame = pandas.DataFrame.from_arrow(pfh.hash_files(tmp_path, "md5", recursive=True))
    assert frame["path_bytes"].to_list() == [name] and frame["path"].isna().all()
    # As the docstring says.
    with pytest.raises(UnicodeEncodeError):
        pandas.DataFrame([record.asdict() for record in pfh.hash_files(tmp_path, "md5", recursive=True)])


#: Reads the same records twice by name, once as the object and once as a reader of it.
DUCKDB = """
import sys, duckdb, pyarrow, pfh
folder = sys.argv[1]
files = pfh.hash_files(folder, "md5", recursive=True)
print(duckdb.sql("select count(*), count(md5), sum(size) from files").fetchall()[0])
reader = pyarrow.RecordBatchReader.from_stream(pfh.hash_files(folder, "md5", recursive=True))
print(duckdb.sql("select count(*), count(md5), sum(size) from reader").fetchall()[0])
"""


def duckdbs():
    """The versions: that of the tests, and the directories in PFH_DUCKDB that hold others."""
    return [None, *filter(None, os.environ.get("PFH_DUCKDB", "").split(":"))]


@pytest.mark.parametrize("where", duckdbs())
def test_duckdb(folder, where):
    done = subprocess.run(
        [sys.executable, "-c", DUCKDB, folder], capture_output=True, text=True, env=os.environ | ({"PYTHONPATH": where} if where else {})
    )
    assert done.stdout.splitlines() == [f"(50, 50, {sum(range(50))})"] * 2, done.stderr


def test_duckdb_has_the_digests(folder):
    files = pfh.hash_files(folder, "md5", recursive=True)  # noqa: F841  (DuckDB finds it by its name)
    rows = duckdb.sql("select md5, size, status from files").fetchall()
    assert sorted(digest for digest, _, _ in rows) == digests(folder) and {status for *_, status in rows} == {"hashed"}
    # The records are taken: nobody gets a table that looks complete and is empty.
    with pytest.raises(Exception, match="taken"):
        duckdb.sql("select md5 from files").fetchall()


def test_columns_of_digests():
    messages = [b"one", None, b"", b"two" * 1000]
    wanted = [message if message is None else hashlib.sha256(message).digest() for message in messages]
    column = pfh.hash_many(pyarrow.array(messages), "sha256", into="arrow")
    assert len(column) == 4 and "4" in repr(column)
    array = pyarrow.array(column)
    array.validate(full=True)
    assert array.type == pyarrow.large_binary() and array.to_pylist() == wanted
    # Handed out again, it is the same; an array handed out outlives it.
    series = polars.Series(column)
    frame = pandas.Series.from_arrow(column)
    schema = pyarrow.field(column)
    del column
    assert series.to_list() == pyarrow.array(frame).to_pylist() == wanted and schema.type == array.type
    assert polars.Series(pfh.hash_many([b"a"] * 9, "md5", into="arrow")).to_list() == [hashlib.md5(b"a").digest()] * 9
    text = pyarrow.array(pfh.hash_many([os.urandom(9000)], "ssdeep", into="arrow"))
    assert text.type == pyarrow.large_string() and text[0].as_py().count(":") == 2
    assert pyarrow.array(pfh.hash_many([], "md5", into="arrow")).to_pylist() == []
    with pytest.raises(ValueError, match="into"):
        pfh.hash_many([b""], "md5", into="numpy")


def test_a_column_that_nobody_takes_is_released():
    for _ in range(1000):
        pfh.hash_many([bytes(100)] * 10, "sha256", into="arrow").__arrow_c_array__()
        pfh.hash_files(os.devnull, "md5").__arrow_c_schema__()
