"""The digests of a run as a list that ``pfh check`` and ``sha256sum -c`` read."""

from __future__ import annotations

import hashlib
import heapq
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import IO

import pfh

from . import reading
from .run import Run

#: Rows that are read of a part at a time.
ROWS = 1 << 12
#: Bytes of lines that are sorted in memory; more go into a file, sorted as far as they are.
MOST = 128 << 20
#: Bytes that an object of a line takes beside its text.
OBJECT = 200
#: Bytes that are read of each sorted stretch at a time.
STRETCH = 256 << 10
#: How a line is kept in the file: number and length, and the text.
HEAD = struct.Struct("<qI")
#: The columns of ``hash_files`` that are not digests.
OTHERS = ("number", "path", "path_bytes", "status", "size", "mtime_ns", "stage", "offset", "cause")


class Sorted:
    """Lines by number, in bounded memory and with one open file however many there are."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, bytes]] = []
        self._size = 0
        self._file: IO[bytes] | None = None
        #: Where each sorted stretch of the file begins and ends.
        self._stretches: list[tuple[int, int]] = []

    def add(self, number: int, line: bytes) -> None:
        """Adds a line."""
        self._lines.append((number, line))
        self._size += len(line) + OBJECT
        if self._size >= MOST:
            self._put()

    def _put(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="pfh-list-")
        begin = self._file.tell()
        self._lines.sort()
        for number, line in self._lines:
            self._file.write(HEAD.pack(number, len(line)) + line)
        self._stretches.append((begin, self._file.tell()))
        self._lines, self._size = [], 0

    def _read(self, begin: int, end: int) -> Iterator[tuple[int, bytes]]:
        assert self._file is not None
        room = b""
        at = 0
        while True:
            if len(room) - at < HEAD.size or len(room) - at < HEAD.size + HEAD.unpack_from(room, at)[1]:
                if begin == end:
                    return
                more = os.pread(self._file.fileno(), min(STRETCH, end - begin), begin)
                if not more:
                    raise pfh.AbortedError("a temporary file is shorter than it was written")
                begin += len(more)
                room, at = room[at:] + more, 0
                continue
            number, length = HEAD.unpack_from(room, at)
            at += HEAD.size + length
            yield number, room[at - length : at]

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        self._lines.sort()
        if self._file is not None:
            self._file.flush()
        return heapq.merge(self._lines, *(self._read(begin, end) for begin, end in self._stretches))

    def close(self) -> None:
        """Removes the file, if there is one."""
        if self._file is not None:
            self._file.close()


def line(name: bytes, digest: object) -> bytes:
    """A line as coreutils write it."""
    text = digest.hex() if isinstance(digest, bytes) else str(digest)
    escaped = name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\r", b"\\r")
    return (b"\\" if escaped != name else b"") + text.encode() + b"  " + escaped + b"\n"


def head(algorithm: str) -> bytes:
    """The first line of a list of the program: the name of an algorithm that lines do not show by themselves, or nothing."""
    words = [sys.executable, "-m", "pfh", "hash", "--no-progress", "-a", algorithm, os.devnull]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
    first = done.stdout.partition(b"\n")[0]
    return first + b"\n" if first.startswith(b"# pfh begin ") else b""


def write(run: Run, algorithm: str | None, output: IO[bytes]) -> bool:
    """Writes the list in input order; false if a file has no digest.

    Each part is compared with the manifest as it is read, before the first line
    is written. Raises ``pfh.RequestError`` for a directory that is not a run of
    ``hash`` with that algorithm, ``pfh.UnreadError`` if it is not complete or a
    part cannot be read, ``pfh.DiffersError`` if one is not what was written.
    """
    asked = run.request
    if asked is None or asked["job"] != "hash":
        raise pfh.RequestError(f"{run.directory}: holds no run of hash", str(run.directory))
    lines, names = Sorted(), 0
    try:
        chosen = algorithm
        for path, listed in run.parts():
            with reading.opened(path, listed) as file:
                known = [name for name in file.schema_arrow.names if name not in OTHERS]
                chosen = chosen or known[0]
                if chosen not in known:
                    raise pfh.RequestError(f"{run.directory}: has no {chosen}: it has {', '.join(known)}", str(run.directory))
                for batch in file.iter_batches(ROWS, columns=["number", "path_bytes", chosen]):
                    for number, name, digest in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                        if digest is not None:
                            lines.add(number, line(name, digest))
                            # The end states the sum of the first 64 bits of each name's SHA-256.
                            names += int.from_bytes(hashlib.sha256(name).digest()[:8], "big")
        assert chosen is not None
        begin, records = head(chosen), 0
        output.write(begin)
        for _, text in lines:
            output.write(text)
            records += 1
        if begin:
            output.write(b"# pfh end names=%016x records=%d\n" % (names % 2**64, records))
        output.flush()
    finally:
        lines.close()
    manifest = run.manifest
    return manifest is not None and manifest["counts"]["failed"] == 0
