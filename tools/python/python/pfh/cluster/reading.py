"""Parts of a complete run, each compared with the manifest as it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

import pfh


def content(path: Path, listed: Mapping[str, Any]) -> bytes:
    """The bytes of a file that a manifest lists.

    Raises ``pfh.UnreadError`` if it cannot be read, ``pfh.DiffersError`` if it
    is not what was written.
    """
    try:
        data = path.read_bytes()
    except OSError as wrong:
        raise pfh.UnreadError(f"{path}: {wrong.strerror}", str(path), None, wrong.strerror) from wrong
    if len(data) != listed["size"] or pfh.sha256(data).hexdigest() != listed["sha256"]:
        raise pfh.DiffersError(f"{path}: differs from what was written", str(path), None, "differs from what was written")
    return data


@contextmanager
def opened(path: Path, listed: Mapping[str, Any]) -> Iterator[pyarrow.parquet.ParquetFile]:
    """A file that a manifest lists, whole in memory: the compared bytes are those that are read. Raises as ``content``."""
    with pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content(path, listed))) as file:
        yield file
