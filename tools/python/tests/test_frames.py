"""Polars, pandas and DuckDB read the Arrow stream of hash_files. Each is skipped where it is not installed:

target/python-venv/bin/pip install polars pandas duckdb && tools/python/check -k frames
"""

import hashlib

import pytest

import pfh

INSTALL = "`target/python-venv/bin/pip install {0}`, then `tools/python/check -k {0}`"


@pytest.fixture
def folder(tmp_path):
    for n in range(50):
        (tmp_path / f"{n:02}").write_bytes(b"x" * n)
    return tmp_path


def digests(folder):
    return sorted(hashlib.md5(path.read_bytes()).digest() for path in folder.iterdir())


def test_polars(folder):
    polars = pytest.importorskip("polars", reason=INSTALL.format("polars"))
    frame = polars.DataFrame(pfh.hash_files(folder, "md5", recursive=True))
    assert frame.height == 50 and frame["size"].sum() == sum(range(50))
    assert sorted(frame["md5"].to_list()) == digests(folder)


def test_pandas(folder):
    pandas = pytest.importorskip("pandas", minversion="3", reason=INSTALL.format("pandas"))
    frame = pandas.DataFrame.from_arrow(pfh.hash_files(folder, "md5", recursive=True))
    assert len(frame) == 50 and frame["size"].sum() == sum(range(50))
    assert sorted(frame["md5"]) == digests(folder)


def test_duckdb(folder):
    duckdb, pyarrow = pytest.importorskip("duckdb", reason=INSTALL.format("duckdb")), pytest.importorskip("pyarrow")
    # DuckDB asks an object for its stream twice, the first time for the schema alone: a reader has one.
    records = pyarrow.RecordBatchReader.from_stream(pfh.hash_files(folder, "md5", recursive=True))
    rows = duckdb.sql("select md5, size from records").fetchall()
    assert sorted(digest for digest, _ in rows) == digests(folder) and sum(size for _, size in rows) == sum(range(50))
