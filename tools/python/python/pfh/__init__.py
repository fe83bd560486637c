"""pfh: digests of data at the speed of the hardware.

Hash objects in the shape of hashlib's, many messages at once, whole trees of
files, similarity digests, known sets, manifests, hash trees, acquisition of
media. Each function does a job of the program ``pfh``, which the same
package holds as a command.
"""

from __future__ import annotations

import logging as _logging
from collections.abc import Callable as _Callable

try:
    from . import _pfh
except ImportError as _error:
    if "subinterpreters" not in str(_error):
        raise
    raise ImportError("pfh works in one interpreter of a process, not in subinterpreters: use its threads, or processes", name="pfh._pfh") from _error
from ._errors import (
    AbortedError,
    CancelledError,
    DiffersError,
    Error,
    OutputError,
    RequestError,
    UnreadError,
)
from ._files import hash_file, hash_files
from ._pfh import (
    Cancel,
    Column,
    Files,
    Hash,
    HashTree,
    Known,
    Progress,
    Queue,
    Similarity,
    Ticket,
    acquire,
    cat,
    cat_to,
    check,
    compare,
    create_bag,
    diff,
    disks,
    dups,
    export,
    extract,
    file_digest,
    hash_many,
    group_similar,
    list_files,
    match_sectors,
    match,
    member_runs,
    new,
    report,
    selftest,
    update_bag,
    update_manifest,
    validate_bag,
    verify,
)
from ._values import (
    Acquired,
    Checked,
    Failed,
    Hashed,
    Matched,
    Matches,
    Pair,
    Related,
    Rows,
    Skipped,
    TreeState,
    Verdict,
    Verified,
)

# Silent until somebody adds a handler.
_logging.getLogger("pfh").addHandler(_logging.NullHandler())

__version__: str = _pfh.__version__

#: Every algorithm by the name that ``new`` takes.
algorithms_available: frozenset[str] = frozenset(row[0] for row in _pfh._algorithms())

__all__ = [
    "AbortedError",
    "Acquired",
    "Cancel",
    "CancelledError",
    "Checked",
    "Column",
    "DiffersError",
    "Error",
    "Failed",
    "Files",
    "Hash",
    "HashTree",
    "Hashed",
    "Known",
    "Matched",
    "Matches",
    "OutputError",
    "Pair",
    "Related",
    "Progress",
    "Queue",
    "RequestError",
    "Rows",
    "Similarity",
    "Skipped",
    "Ticket",
    "TreeState",
    "UnreadError",
    "Verdict",
    "Verified",
    "acquire",
    "algorithms_available",
    "cat",
    "cat_to",
    "check",
    "compare",
    "create_bag",
    "diff",
    "disks",
    "dups",
    "export",
    "extract",
    "file_digest",
    "hash_file",
    "hash_files",
    "hash_many",
    "group_similar",
    "list_files",
    "match_sectors",
    "match",
    "member_runs",
    "new",
    "report",
    "selftest",
    "update_bag",
    "update_manifest",
    "validate_bag",
    "verify",
]


def _constructor(name: str, identifier: str) -> _Callable[..., Hash]:
    def constructor(data: object = b"", *, usedforsecurity: bool = True) -> Hash:
        return new(name, data, usedforsecurity=usedforsecurity)

    constructor.__name__ = constructor.__qualname__ = identifier
    constructor.__doc__ = f"A hash object of {name} that has seen ``data``: see `Hash`."
    return constructor


def _method(name: str) -> Similarity | None:
    """The method of this name; none of values that are only equal or not, such as imphash."""
    try:
        return Similarity(name)
    except RequestError:
        return None


def _constructors() -> None:
    """A function for each algorithm, under its name and aliases as identifiers: ``sha3_256``."""
    for name, _length, standing, aliases in _pfh._algorithms():
        function: Similarity | _Callable[..., Hash] | None = _method(name) if standing == "similarity" else None
        for spelling in (name, *aliases):
            identifier = spelling.replace("-", "_").replace("/", "_").replace(".", "_")
            if identifier.isidentifier() and identifier not in globals():
                # The first is the function's name, by which the others are known as well.
                function = function or _constructor(name, identifier)
                globals()[identifier] = function
                __all__.append(identifier)


_constructors()
