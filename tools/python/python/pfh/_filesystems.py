"""The file systems of dissect and dfVFS as `hash_files` reads them: walked, each entry a file, a skip or a problem.

These packages read one file after the other: a lock is held while one is listed, opened or read.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from ._errors import RequestError

#: A row for the native side: name, how the file is opened, the word of a skip, and the exception that ended a look.
_Row = tuple[bytes, Callable[[], Any] | None, str | None, Exception | None]

#: Entries that are not regular files, by the type in their mode.
_SPECIAL = {
    stat.S_IFLNK: "symbolic link",
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}


def _bytes(name: str | bytes) -> bytes:
    """A name as the file system has it: names of NTFS may hold half of a pair of UTF-16, which stays what it is."""
    if isinstance(name, bytes):
        return name
    try:
        return os.fsencode(name)
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogatepass")


class _Entry:
    """An entry of any of these file systems."""

    def kind(self) -> str | None:
        """`directory`, none for a file, or the word of a skip."""
        raise NotImplementedError

    def entries(self) -> Iterable[tuple[str | bytes, Callable[[], _Entry]]]:
        raise NotImplementedError

    def open(self) -> Any:
        raise NotImplementedError

    def number(self) -> Any:
        """By which a directory that contains itself is known."""
        raise NotImplementedError

    def streams(self) -> Iterable[tuple[str, Callable[[], Any]]]:
        """Names and content of further streams."""
        return ()


class _DissectEntry(_Entry):
    """A `FilesystemEntry` of dissect.target."""

    def __init__(self, entry: Any) -> None:
        self.entry = entry

    def kind(self) -> str | None:
        if self.entry.is_symlink():
            return "symbolic link"
        if self.entry.is_dir(follow_symlinks=False):
            return "directory"
        if self.entry.is_file(follow_symlinks=False):
            record = getattr(self.entry, "entry", None)
            return _NtfsRecord(record).kind() if hasattr(record, "has_stream") else None
        return _SPECIAL.get(stat.S_IFMT(self.entry.lstat().st_mode), "not a file")

    def entries(self) -> Iterable[tuple[str | bytes, Callable[[], _Entry]]]:
        for one in self.entry.scandir():
            if one.name not in (".", ".."):
                yield one.name, partial(self._of, one)

    @staticmethod
    def _of(one: Any) -> _Entry:
        return _DissectEntry(one.get())

    def open(self) -> Any:
        return self.entry.open()

    def number(self) -> Any:
        status = self.entry.lstat()
        return status.st_dev, status.st_ino

    def streams(self) -> Iterable[tuple[str, Callable[[], Any]]]:
        record = getattr(self.entry, "entry", None)
        return _NtfsRecord(record).streams() if hasattr(record, "has_stream") else ()


class _NtfsRecord(_Entry):
    """An `MftRecord` of dissect.ntfs."""

    def __init__(self, record: Any) -> None:
        self.record = record

    def kind(self) -> str | None:
        if self.record.is_symlink() or self.record.is_mount_point():
            return "symbolic link"
        # Some files of NTFS itself have named data alone.
        return "directory" if self.record.is_dir() else None if self.record.has_stream("") else "no content"

    def entries(self) -> Iterable[tuple[str | bytes, Callable[[], _Entry]]]:
        for one in self.record.iterdir(ignore_dos=True):
            if one.attribute.file_name != ".":
                yield one.attribute.file_name, partial(self._of, one)

    @staticmethod
    def _of(one: Any) -> _Entry:
        return _NtfsRecord(one.dereference())

    def open(self) -> Any:
        return self.record.open()

    def number(self) -> Any:
        return self.record.segment

    def streams(self) -> Iterable[tuple[str, Callable[[], Any]]]:
        for one in self.record.attributes.DATA:
            if one.name:
                yield one.name, partial(self.record.open, one.name)


class _DfvfsEntry(_Entry):
    """A `FileEntry` of dfVFS."""

    def __init__(self, entry: Any) -> None:
        self.entry = entry

    def kind(self) -> str | None:
        entry = self.entry
        if entry.IsLink():
            return "symbolic link"
        if entry.IsDirectory():
            return "directory"
        if entry.IsFile():
            return None if entry.HasDataStream("") else "no content"
        return "FIFO" if entry.IsPipe() else "socket" if entry.IsSocket() else "device" if entry.IsDevice() else "not a file"

    def entries(self) -> Iterable[tuple[str | bytes, Callable[[], _Entry]]]:
        for one in self.entry.sub_file_entries:
            yield one.name, partial(_DfvfsEntry, one)

    def open(self) -> Any:
        return self.opened("")

    def opened(self, stream: str) -> Any:
        file = self.entry.GetFileObject(data_stream_name=stream)
        if file is None:
            raise OSError("the file has no content that dfVFS gives")
        return file

    def number(self) -> Any:
        return self.entry.path_spec.comparable

    def streams(self) -> Iterable[tuple[str, Callable[[], Any]]]:
        for one in self.entry.data_streams:
            if one.name:
                yield one.name, partial(self.opened, one.name)


def _dissect(filesystem: Any, path: str) -> _Entry:
    return _DissectEntry(filesystem.get(path))


def _ntfs(filesystem: Any, path: str) -> _Entry:
    inner = path.strip("/")
    return _NtfsRecord(filesystem.mft.get(inner) if inner else filesystem.mft.root)


def _dfvfs(filesystem: Any, path: str) -> _Entry:
    entry = filesystem.GetRootFileEntry()
    # A backslash is a part of names, but where it separates them.
    plain = path.replace("\\", "/") if filesystem.PATH_SEPARATOR == "\\" else path
    for part in filter(None, plain.split("/")):
        entry = entry and entry.GetSubFileEntryByName(part)
    if entry is None:
        raise FileNotFoundError(f"No such file or directory: {path!r}")
    return _DfvfsEntry(entry)


def _finder(filesystem: Any) -> tuple[Any, Callable[[Any, str], _Entry]] | None:
    """How entries of this object are found by their names; none for any other object."""
    for base in type(filesystem).__mro__:
        match base.__module__.partition(".")[0], base.__name__:
            case "dissect", "Target":
                return filesystem.fs, _dissect
            case "dissect", "Filesystem":
                return filesystem, _dissect
            case "dissect", "NTFS":
                return filesystem, _ntfs
            case "dfvfs", "FileSystem":
                return filesystem, _dfvfs
    return None


def is_known(filesystem: Any) -> bool:
    """Whether this is a file system that is walked here."""
    return _finder(filesystem) is not None


def is_path(path: Any) -> bool:
    """Whether this is a path of dissect: one inside of a target, and none of this machine."""
    return any(base.__module__.startswith("dissect.") and base.__name__ == "PureDissectPath" for base in type(path).__mro__)


class _File:
    """A file that is read under the lock of its file system."""

    def __init__(self, file: Any, lock: threading.RLock) -> None:
        self.file, self.lock = file, lock
        # A buffered file has its size below the buffer.
        size = getattr(file, "size", None) or getattr(getattr(file, "raw", None), "size", None)
        if size is None and hasattr(file, "get_size"):
            size = file.get_size()
        if isinstance(size, int):
            self.size = size

    def tell(self) -> int:
        at: int = self.file.tell()
        return at

    def read(self, size: int) -> bytes:
        with self.lock:
            read: bytes = self.file.read(size)
            return read

    def close(self) -> None:
        with self.lock:
            if hasattr(self.file, "close"):
                self.file.close()


class _Looked(NamedTuple):
    """An entry that was looked at: what it is, or why that is not known."""

    name: bytes
    entry: _Entry | None
    kind: str | None
    number: Any
    error: Exception | None


class Walk:
    """The entries below paths of a file system, in the order of `pfh hash`: by the bytes of their names."""

    #: Exceptions are those of a damaged image.
    in_image = True

    def __init__(self, filesystem: Any, paths: Sequence[Any], *, recursive: bool, streams: bool) -> None:
        self.find, self.paths = _finder(filesystem), paths
        if self.find is None and not all(map(is_path, paths)):
            raise RequestError("paths of a target are hashed without those of this machine")
        self.recursive, self.streams = recursive, streams
        self.lock = threading.RLock()
        self.rows = self._walk()

    def __iter__(self) -> Iterator[_Row]:
        return self

    def __next__(self) -> _Row:
        with self.lock:
            return next(self.rows)

    def open(self, opens: Callable[[], Any], _mode: str) -> _File:
        with self.lock:
            return _File(opens(), self.lock)

    def _walk(self) -> Iterator[_Row]:
        for path in self.paths:
            name = path.as_posix() if is_path(path) else os.fsdecode(path)
            yield from self._descend(_bytes(name), partial(self._found, path, name))

    def _found(self, path: Any, name: str) -> _Entry:
        if is_path(path):
            return _DissectEntry(path.get())
        assert self.find is not None
        filesystem, find = self.find
        return find(filesystem, name)

    def _descend(self, name: bytes, get: Callable[[], _Entry]) -> Iterator[_Row]:
        """The entry and all below it. Not by recursion: an image decides how deep it goes."""
        # Each level has the entries that are left of it, and the number of its directory.
        levels: list[tuple[Iterator[_Looked], Any]] = [(iter([self._look(name, get)]), None)]
        while levels:
            one = next(levels[-1][0], None)
            if one is None:
                levels.pop()
                continue
            if one.entry is None:
                yield one.name, None, None, one.error
                continue
            if one.kind is None:
                yield one.name, one.entry.open, None, None
            elif one.kind != "directory":
                yield one.name, None, one.kind, None
            yield from self._streams(one)
            if one.kind != "directory":
                continue
            if not self.recursive:
                yield one.name, None, "directory", None
            elif any(one.number == above for _, above in levels[1:]):
                yield one.name, None, "loop", None
            else:
                below, broken = self._listed(one.name, one.entry)
                levels.append((iter(below), one.number))
                if broken is not None:
                    yield one.name, None, None, broken

    def _streams(self, one: _Looked) -> Iterator[_Row]:
        """Further streams of a file or directory; those of a link are not followed either."""
        if not self.streams or one.entry is None or one.kind not in (None, "directory", "no content"):
            return
        try:
            streams = [(_bytes(name), opens) for name, opens in one.entry.streams()]
        except Exception as error:  # noqa: BLE001: readers of damaged media raise anything
            yield one.name + b":", None, None, error
            return
        for name, opens in sorted(streams, key=lambda pair: pair[0]):
            yield one.name + b":" + name, opens, None, None

    def _look(self, name: bytes, get: Callable[[], _Entry]) -> _Looked:
        try:
            entry = get()
            kind = entry.kind()
            return _Looked(name, entry, kind, entry.number() if kind == "directory" else None, None)
        except Exception as error:  # noqa: BLE001: readers of damaged media raise anything
            return _Looked(name, None, None, None, error)

    def _listed(self, name: bytes, entry: _Entry) -> tuple[list[_Looked], Exception | None]:
        """The entries of a directory, as far as they can be listed, and the exception that ended the list."""
        start = b"" if name in (b"", b".") else name.rstrip(b"/") + b"/"
        below, broken = [], None
        try:
            for child, get in entry.entries():
                below.append(self._look(start + _bytes(child), get))
        except Exception as error:  # noqa: BLE001: readers of damaged media raise anything
            broken = error
        return sorted(below, key=lambda one: one.name), broken
