"""The package ssdeep (python-ssdeep): ``from pfh.compat import ssdeep``."""

from __future__ import annotations

from .. import new
from .. import ssdeep as _method
from . import ppdeep

__all__ = ["Error", "Hash", "InternalError", "compare", "hash", "hash_from_file"]


class Error(Exception):
    """An error of the functions."""


class InternalError(Error):
    """A digest that is none."""


def _bytes(buf: str | bytes | bytearray | memoryview, encoding: str) -> bytes | bytearray | memoryview:
    if isinstance(buf, str):
        return buf.encode(encoding)
    if not isinstance(buf, bytes | bytearray | memoryview):
        raise TypeError(f"Argument must be of string, bytes or unicode type, not {type(buf)!r}")
    return buf


def hash(buf: str | bytes | bytearray | memoryview, encoding: str = "utf-8") -> str:
    """The digest of bytes, or of a text in this encoding."""
    return ppdeep.hash(_bytes(buf, encoding))


def hash_from_file(filename: str) -> str:
    """The digest of a file."""
    return ppdeep.hash_from_file(filename)


def compare(sig1: str | bytes, sig2: str | bytes) -> int:
    """How alike two messages are, 0 to 100."""
    texts = [sig.decode("ascii", "replace") if isinstance(sig, bytes) else sig for sig in (sig1, sig2)]
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"Argument must be of string or bytes type, not {type(text)!r}")
    try:
        return ppdeep.compare(*texts)
    except ValueError as wrong:
        raise InternalError("Function returned an unknown error code") from wrong


class Hash:
    """A message on its way to a digest."""

    def __init__(self) -> None:
        self._hash = new(_method.name)

    def update(self, buf: str | bytes | bytearray | memoryview, encoding: str = "utf-8") -> None:
        """Takes in the next bytes, or a text in this encoding."""
        self._hash.update(_bytes(buf, encoding))

    def copy(self) -> Hash:
        """Another object that has seen the same."""
        other = Hash()
        other._hash = self._hash.copy()
        return other

    def digest(self, elimseq: bool = False, notrunc: bool = False) -> str:
        """The digest of what came so far; with ``elimseq`` without runs of more than three letters.

        ``notrunc`` is refused: no list holds such digests.
        """
        if notrunc:
            raise NotImplementedError("digests whose second half is not truncated")
        digest = self._hash.hexdigest()
        if digest == "none":
            return ppdeep._NONE
        return _collapsed(digest) if elimseq else digest


def _collapsed(digest: str) -> str:
    size, *halves = digest.split(":")
    for at, half in enumerate(halves):
        kept = [letter for nth, letter in enumerate(half) if nth < 3 or half[nth - 3 : nth] != letter * 3]
        halves[at] = "".join(kept)
    return ":".join([size, *halves])
