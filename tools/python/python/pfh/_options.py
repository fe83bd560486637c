"""Types of arguments that several functions have in common."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol, TypedDict

from ._pfh import Cancel, Progress

AnyPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]
AnyPaths = AnyPath | Iterable[AnyPath]
Names = str | Sequence[str]
OnEvent = Callable[[Progress], object]


class Readable(Protocol):
    """A file that is open in binary mode."""

    def read(self, size: int, /) -> bytes:
        """Up to that many of the next bytes; none at the end."""
        ...


class Opener(Protocol):
    """A file that is opened when it is read, as fsspec's are."""

    def open(self) -> Readable:
        """The file."""
        ...


AnyFile = AnyPath | Readable | Opener
AnyFiles = AnyFile | Iterable[AnyFile]


class NamedFiles(Protocol):
    """Opens files, as the file systems of fsspec do."""

    def open(self, path: str, mode: str, /) -> Readable:
        """The file of this name, for reading (``rb``)."""
        ...


class TargetFiles(Protocol):
    """A file system of dissect.target."""

    def get(self, path: str, /) -> object:
        """The entry of this name."""
        ...


class NtfsFiles(Protocol):
    """A file system of dissect.ntfs."""

    @property
    def mft(self) -> object:
        """Its table of files."""
        ...


class DfvfsFiles(Protocol):
    """A file system of dfVFS."""

    def GetRootFileEntry(self) -> object:  # noqa: N802 - dfVFS's name
        """The entry of the root."""
        ...


FileSystem = NamedFiles | TargetFiles | NtfsFiles | DfvfsFiles

Levels = dict[str, Literal["ignore", "warn", "error"]]


class FileOptions(TypedDict, total=False):
    """Those of `hash_files` that say how one file is read: all of `hash_file`."""

    recursive: bool
    follow: bool
    hold: bool
    special: bool
    image: bool
    inside: Literal["strict", "lenient"] | bool
    depth: int | None
    deleted: bool
    unallocated: bool
    documents: bool
    members: bool
    raw: bool
    passwords: Sequence[str] | None
    volume_keys: Sequence[str | os.PathLike[str]] | None
    container_timeout: int | None
    expand: int | None
    cache: AnyPath | None
    cache_verify: float
    key_file: AnyPath | None
    derive_key: str | None
    retries: int
    stall_timeout: int | None
    threads: int | None
    memory: int | None
    on_event: OnEvent | None
    cancel: Cancel | None
