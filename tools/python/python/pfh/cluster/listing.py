"""The digests of a run as a list that ``pfh check`` and ``sha256sum -c`` read."""

from __future__ import annotations

import heapq
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyarrow.parquet

import pfh

from .run import Run

#: Rows that are read of a part at a time.
ROWS = 1 << 12


def _rows(path: Path, algorithm: str) -> Iterator[tuple[int, bytes, object]]:
    """Number, name and digest of each row, in the order of numbers."""
    with pyarrow.parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(ROWS, columns=["number", "path_bytes", algorithm]):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def line(name: bytes, digest: object) -> bytes:
    """A line as coreutils write it."""
    text = digest.hex() if isinstance(digest, bytes) else str(digest)
    escaped = name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\r", b"\\r")
    return (b"\\" if escaped != name else b"") + text.encode() + b"  " + escaped + b"\n"


def head(algorithm: str) -> bytes:
    """What a list of the program begins with: the name of an algorithm that lines do not show by themselves, or nothing."""
    words = [sys.executable, "-m", "pfh", "hash", "--no-progress", "-a", algorithm, os.devnull]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
    first = done.stdout.partition(b"\n")[0]
    return first + b"\n" if first.startswith(b"# pfh begin ") else b""


def write(run: Run, algorithm: str | None, output: IO[bytes]) -> bool:
    """Writes the list in input order, parts beside each other; false if a file has no digest.

    Raises ``pfh.RequestError`` for a directory that is not a run of ``hash`` with that
    algorithm, ``pfh.UnreadError`` if it is not complete.
    """
    asked = run.request
    if asked is None or asked["job"] != "hash":
        raise pfh.RequestError(f"{run.directory}: holds no run of hash", str(run.directory))
    paths = run.paths()
    there = pyarrow.parquet.read_schema(paths[0]).names
    known = [name for name in there if name not in ("number", "path", "path_bytes", "status", "size", "mtime_ns", "stage", "offset", "cause")]
    chosen = algorithm or known[0]
    if chosen not in known:
        raise pfh.RequestError(f"{run.directory}: has no {chosen}: it has {', '.join(known)}", str(run.directory))
    begin, records = head(chosen), 0
    output.write(begin)
    for _, name, digest in heapq.merge(*(_rows(path, chosen) for path in paths), key=lambda row: row[0]):
        if digest is not None:
            output.write(line(name, digest))
            records += 1
    if begin:
        output.write(b"# pfh end records=%d\n" % records)
    output.flush()
    manifest = run.manifest
    return manifest is not None and manifest["counts"]["failed"] == 0
