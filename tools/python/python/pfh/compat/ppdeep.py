"""The package ppdeep: ``from pfh.compat import ppdeep``. Scores are ssdeep 2.14.1's, which ppdeep's are not always."""

from __future__ import annotations

import os

from .. import hash_file, new, ssdeep

__all__ = ["compare", "hash", "hash_from_file"]

#: The digest of a message without one.
_NONE = "3::"


def hash(buf: bytes | bytearray | memoryview | str) -> str:
    """The digest of bytes, or of a text in UTF-8."""
    if not isinstance(buf, bytes | bytearray | memoryview | str):
        raise TypeError(f"Argument must be of bytes or string type, not {type(buf)!r}")
    digest = new("ssdeep", buf.encode() if isinstance(buf, str) else buf).hexdigest()
    return _NONE if digest == "none" else digest


def hash_from_file(filename: str) -> str:
    """The digest of a file."""
    if not isinstance(filename, str):
        raise TypeError(f"Argument must be of string type, not {type(filename)!r}")
    digest = hash_file(os.path.join(".", filename), "ssdeep").hexdigests["ssdeep"]
    return _NONE if digest == "none" else digest


def compare(hash1: str, hash2: str) -> int:
    """How alike two messages are, 0 to 100."""
    if not (isinstance(hash1, str) and isinstance(hash2, str)):
        raise TypeError("Arguments must be of string type")
    try:
        return ssdeep.compare(hash1, hash2)
    except ValueError as wrong:
        if _NONE in (hash1, hash2):
            return 0
        raise ValueError("Invalid hash format") from wrong
