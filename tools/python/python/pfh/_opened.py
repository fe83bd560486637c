"""Files that are open, or that fsspec opens: one row each, as `hash_files` takes those of `_filesystems`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_Row = tuple[bytes, Callable[[], Any] | None, str | None, Exception | None]


def is_file(given: Any) -> bool:
    """Whether this is open for reading: fsspec's and smart_open's files, also where they have a path."""
    return hasattr(given, "read") and not isinstance(given, str | bytes)


def is_opener(given: Any) -> bool:
    """Whether this is an `OpenFile` of fsspec, which opens its file when it is asked."""
    return any(base.__module__.partition(".")[0] == "fsspec" and base.__name__ == "OpenFile" for base in type(given).__mro__)


class _Kept:
    """A file that stays open: it was the caller's before."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def read(self, size: int) -> bytes:
        read: bytes = self.file.read(size)
        return read

    def close(self) -> None:
        """By the caller."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def _name(file: Any) -> bytes:
    name = getattr(file, "full_name", None) or getattr(file, "path", None) or getattr(file, "name", None)
    return os.fsencode(name) if isinstance(name, str | bytes | os.PathLike) else b"<open file>"


class Opened:
    """The rows of these files, in their order: an open one is read from where it stands."""

    #: Exceptions are those of a store.
    in_image = False

    def __init__(self, files: Sequence[Any]) -> None:
        self.rows = map(self._row, files)

    @staticmethod
    def _row(file: Any) -> _Row:
        return _name(file), (file.open if is_opener(file) else lambda: _Kept(file)), None, None

    def __iter__(self) -> Iterator[_Row]:
        return self

    def __next__(self) -> _Row:
        return next(self.rows)

    def open(self, opens: Callable[[], Any], _mode: str) -> Any:
        return opens()
