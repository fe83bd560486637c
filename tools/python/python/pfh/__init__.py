"""pfh: digests of data at the speed of the hardware.

Hash objects in the shape of hashlib's, many messages at once, whole trees of
files, similarity digests, known sets, manifests, hash trees, acquisition of
media. What a function does is a job of the program ``pfh``, which the same
package holds as a command.
"""

from __future__ import annotations

import logging as _logging
from functools import partial as _partial

from . import _pfh
from ._errors import (
    AbortedError,
    CancelledError,
    DiffersError,
    Error,
    OutputError,
    RequestError,
    UnreadError,
)
from ._pfh import (
    Acquired,
    Cancel,
    Checked,
    Column,
    Failed,
    Files,
    Hash,
    Hashed,
    HashTree,
    Known,
    Matched,
    Matches,
    Pair,
    Progress,
    Rows,
    Similarity,
    Skipped,
    TreeState,
    Verdict,
    Verified,
    acquire,
    check,
    compare,
    create_bag,
    diff,
    disks,
    dups,
    export,
    file_digest,
    hash_files,
    hash_many,
    list_files,
    match,
    new,
    report,
    update_bag,
    update_manifest,
    validate_bag,
    verify,
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
    "Progress",
    "RequestError",
    "Rows",
    "Similarity",
    "Skipped",
    "TreeState",
    "UnreadError",
    "Verdict",
    "Verified",
    "acquire",
    "algorithms_available",
    "check",
    "compare",
    "create_bag",
    "diff",
    "disks",
    "dups",
    "export",
    "file_digest",
    "hash_files",
    "hash_many",
    "list_files",
    "match",
    "new",
    "report",
    "update_bag",
    "update_manifest",
    "validate_bag",
    "verify",
]


def _constructors() -> None:
    """A function for each algorithm, under its name and aliases as identifiers: ``sha3_256``."""
    for name, _length, standing, aliases in _pfh._algorithms():
        similar = standing == "similarity"
        function = Similarity(name) if similar else _partial(new, name)
        for spelling in (name, *aliases):
            identifier = spelling.replace("-", "_").replace("/", "_").replace(".", "_")
            if identifier.isidentifier() and identifier not in globals():
                globals()[identifier] = function
                __all__.append(identifier)


_constructors()
