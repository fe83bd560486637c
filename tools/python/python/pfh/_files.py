"""Files hashed: the options of the command's walk as keyword arguments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Unpack, cast

from . import _pfh
from ._errors import RequestError, UnreadError
from ._filesystems import Walk, is_known, is_path
from ._opened import Opened, is_file, is_opener
from ._options import AnyFile, AnyFiles, AnyPath, FileOptions, FileSystem, Names, OnEvent
from ._pfh import Cancel, Files
from ._values import Failed, Hashed, Skipped


def _list(given: Names) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def hash_files(
    paths: AnyFiles,
    algorithms: Names,
    *,
    recursive: bool = False,
    follow: bool = False,
    exactly: bool = False,
    versions: bool = False,
    include: Names = (),
    exclude: Names = (),
    min_size: int | None = None,
    max_size: int | None = None,
    one_file_system: bool = False,
    streams: bool = False,
    hold: bool = False,
    special: bool = False,
    image: bool = False,
    order: Literal["path", "size", "inode", "extent", "balanced"] = "path",
    inside: Literal["strict", "lenient"] | bool = False,
    depth: int | None = None,
    deleted: bool = False,
    unallocated: bool = False,
    documents: bool = False,
    members: bool = False,
    raw: bool = False,
    passwords: Sequence[str] | None = None,
    volume_keys: Sequence[str | os.PathLike[str]] | None = None,
    container_timeout: int | None = None,
    expand: int | None = None,
    cache: AnyPath | None = None,
    cache_verify: float = 0.0,
    key_file: AnyPath | None = None,
    derive_key: str | None = None,
    filesystem: FileSystem | None = None,
    retries: int = 0,
    stall_timeout: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    on_event: OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Files:
    """Hashes files on threads of its own, and gives their records as they come, in input order.

    ``paths`` is one path or several, or files that are open in binary mode, whose
    rest is read; ``algorithms`` one name or several. A file that cannot be read is
    a record, ``Failed``, and no exception.

    The walk: with ``recursive`` directories are walked; ``follow`` follows
    symbolic links; ``include`` and ``exclude`` are globs, ``min_size`` and
    ``max_size`` bytes; ``one_file_system`` stays on that of each path;
    on Windows ``streams`` adds alternate data streams, and ``hold`` keeps
    writers out of a file while it is read;
    ``special`` reads FIFOs and devices that are named; with ``image`` the
    content of the disk images is hashed; ``order`` is that of reading. With
    ``exactly`` an address of a store is the object of that key alone, with
    ``versions`` each of its versions and of those below it, as ``KEY?versionId=ID``.

    Containers: ``inside`` opens images, file systems and archives (``"lenient"``
    skips formats that are not read), down to ``depth`` levels, also
    ``deleted`` files, ``unallocated`` space and the streams of PDFs with
    ``documents``, without the outer files with
    ``members``, or as ``raw`` media; ``container_timeout`` (seconds) and
    ``expand`` (bytes) bound each. ``passwords`` (a recovery password counts as
    one) and the key files ``volume_keys`` open volumes of BitLocker, LUKS and
    FileVault.

    ``cache`` is a file that keeps digests of unchanged files; the share
    ``cache_verify`` (0 to 1) of these is read and compared. ``key_file`` is the key of
    keyed algorithms, ``derive_key`` the context of ``blake3-derive-key``.

    ``filesystem`` opens the paths, as fsspec's file systems do:
    ``hash_files(fs.glob("bucket/*"), "sha256", filesystem=fs)``. A file system of
    dissect.target, dissect.ntfs or dfVFS is also walked, with ``recursive``, and
    gives the other data of files with ``streams``; links are not followed.

    ``threads`` hash, ``memory`` bytes may be read ahead, a failed read is tried
    again ``retries`` times, and abandoned after ``stall_timeout`` seconds.
    ``on_event(progress)`` is called while the records are taken one by one, and
    ``cancel`` ends the run.
    """
    walk = {
        "recursive": recursive,
        "follow": follow,
        "exactly": exactly,
        "versions": versions,
        "include": _list(include),
        "exclude": _list(exclude),
        "min_size": min_size,
        "max_size": max_size,
        "one_file_system": one_file_system,
        "streams": streams,
        "hold": hold,
        "special": special,
        "image": image,
        "order": order,
        "inside": "strict" if inside is True else inside or None,
        "depth": depth,
        "deleted": deleted,
        "unallocated": unallocated,
        "documents": documents,
        "members": members,
        "raw": raw,
        "passwords": None if passwords is None else list(passwords),
        "volume_keys": None if volume_keys is None else [os.fspath(path) for path in volume_keys],
        "container_timeout": container_timeout,
        "expand": expand,
    }
    manner = {
        "memory": memory,
        "retries": retries,
        "stall_timeout": stall_timeout,
        "cache": None if cache is None else os.fsdecode(cache),
        "cache_verify": cache_verify,
        "key_file": None if key_file is None else os.fsdecode(key_file),
        "derive_key": derive_key,
    }
    is_one = isinstance(paths, str | bytes | os.PathLike) or is_file(paths) or is_opener(paths)
    named: list[Any] = [paths] if is_one else list(cast("Iterable[Any]", paths))
    # A path of a target, and a file of fsspec, have a path of this machine for `os.fspath`.
    opened = [one for one in named if is_file(one) or is_opener(one)]
    given: Any = named
    opens: object = filesystem
    if opened:
        _refuse(walk, cache, set(), "open files are read as they are,")
        if len(opened) < len(named) or filesystem is not None:
            raise RequestError("open files are hashed without paths")
        given = opens = Opened(named)
    elif is_known(filesystem) or any(map(is_path, named)):
        _refuse(walk, cache, {"recursive", "streams"}, "a file system of dissect or dfVFS is read")
        given = opens = Walk(filesystem, named, recursive=recursive, streams=streams)
    elif filesystem is not None:
        _refuse(walk, cache, set(), "filesystem opens the paths as they are, list them by its own glob or find:")
        given = [os.fsdecode(name) for name in named]
    if opens is not None and not named:
        raise RequestError("nothing is named")
    return _pfh._hash_files(given, algorithms, walk, manner, threads, opens, on_event, cancel)


def _refuse(walk: dict[str, object], cache: object, taken: set[str], what: str) -> None:
    """Options of a walk that is not made."""
    asked = [name for name, value in walk.items() if value and name not in taken and (name, value) != ("order", "path")]
    if cache is not None:
        asked.append("cache")
    if asked:
        raise RequestError(f"{what} without {', '.join(asked)}")


def hash_file(file: AnyFile, algorithms: Names, **options: Unpack[FileOptions]) -> Hashed:
    """The record of one file, read once: ``hash_file("a.img", ["md5", "sha256"]).hexdigests``.

    ``file`` is a path, or a file that is open for reading in binary mode, whose
    rest is read: ``hash_file(fs.open(path), "sha256")``. Options are those of
    `hash_files` that say how one file is read. Raises ``pfh.UnreadError`` if it
    cannot be read to its end.
    """
    for name in options:
        if name not in FileOptions.__annotations__:
            raise TypeError(f"hash_file() got an unexpected keyword argument {name!r}")
    if is_file(file) or is_opener(file) or is_path(file):
        files = hash_files([file], algorithms, **options)
    else:
        path = os.fsdecode(cast("AnyPath", file))
        # `-` is a file here, and not standard input.
        files = hash_files("./-" if path == "-" else path, algorithms, exactly=True, **options)
    with files:
        records = list(files)
    match records:
        case [Hashed() as record]:
            return record
        case [Failed() as failed, *_]:
            raise failed.error()
        case [Skipped() as record]:
            raise UnreadError(f"{record.path}: {record.reason}", record.path, None, record.reason)
        case _:
            raise RequestError(f"{len(records)} records: hash_files gives those of many files")
