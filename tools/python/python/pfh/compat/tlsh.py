"""The package py-tlsh: ``from pfh.compat import tlsh``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _pfh, new

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Tlsh", "conservativehash", "diff", "diffxlen", "forcehash", "hash", "oldconservativehash", "oldhash"]

#: Bytes below which the conservative functions give no digest.
_CONSERVATIVE = 256


def hash(data: Buffer) -> str:
    """The digest of bytes; ``TNULL`` if they are fewer than 50, or too plain."""
    return new("tlsh", data).hexdigest()


def forcehash(data: Buffer) -> str:
    """The same."""
    return hash(data)


def conservativehash(data: Buffer) -> str:
    """The digest of 256 bytes or more; ``TNULL`` of fewer."""
    return hash(data) if memoryview(data).nbytes >= _CONSERVATIVE else "TNULL"


def _old(digest: str) -> str:
    return digest.removeprefix("T1")


def oldhash(data: Buffer) -> str:
    """The digest without ``T1``."""
    return _old(hash(data))


def oldconservativehash(data: Buffer) -> str:
    """The digest of 256 bytes or more without ``T1``."""
    return _old(conservativehash(data))


def _distance(hash1: str, hash2: str, lengths: bool) -> int:
    for given in (hash1, hash2):
        if not isinstance(given, str):
            raise TypeError(f"a digest is text, not {type(given).__name__}")
    try:
        return _pfh._tlsh_distance(hash1, hash2, lengths)
    except TypeError as wrong:
        raise ValueError(f"argument {hash1} or {hash2} is not a TLSH hex string") from wrong


def diff(hash1: str, hash2: str) -> int:
    """The distance of two digests, from 0."""
    return _distance(hash1, hash2, True)


def diffxlen(hash1: str, hash2: str) -> int:
    """The distance without the term for the lengths."""
    return _distance(hash1, hash2, False)


class Tlsh:
    """A message on its way to a digest: ``update``, ``final``, then the parts of the digest."""

    def __init__(self) -> None:
        self._hash = new("tlsh")
        self._size = 0
        #: ``TNULL`` of a message without digest; ``None`` before ``final``.
        self._digest: str | None = None

    def update(self, data: Buffer) -> None:
        """Takes in the next bytes."""
        if self._digest is not None:
            raise ValueError("final() has already been called")
        self._hash.update(data)
        self._size += memoryview(data).nbytes

    def final(self) -> None:
        """Ends the message. ``ValueError`` if it is too short for a digest."""
        if self._digest is not None:
            raise ValueError("final() has already been called")
        if self._size < 50:
            raise ValueError("less than 50 of input")
        self._digest = self._hash.hexdigest()

    def fromTlshStr(self, text: str) -> None:  # noqa: N802 - py-tlsh's name
        """Takes the digest of a text."""
        diff(text, text)
        self._digest = text if text.startswith("T1") else "T1" + text

    def hexdigest(self) -> str:
        """The digest as text."""
        if self._digest is None:
            raise ValueError("final() has not been called")
        if not self.is_valid:
            raise ValueError("error while getting hash (not enough variation in input?)")
        return self._digest

    def diff(self, other: Tlsh | str) -> int:
        """The distance to another object or digest."""
        if self is other:
            return 0
        if not isinstance(other, Tlsh | str):
            raise ValueError("argument is neither a Tlsh object nor a TLSH hex string")
        return diff(self.hexdigest(), other.hexdigest() if isinstance(other, Tlsh) else other)

    def _body(self) -> bytes:
        return bytes.fromhex(self.hexdigest()[2:])

    @property
    def is_valid(self) -> bool:
        """Whether there is a digest."""
        return self._digest not in (None, "TNULL")

    @property
    def lvalue(self) -> int:
        """The logarithm of the length, encoded."""
        value = self._body()[1]
        return (value & 15) << 4 | value >> 4

    @property
    def q1ratio(self) -> int:
        """The first ratio of quartiles, 0 to 15."""
        return self._body()[2] >> 4

    @property
    def q2ratio(self) -> int:
        """The second ratio of quartiles, 0 to 15."""
        return self._body()[2] & 15

    def checksum(self, at: int = 0) -> int:
        """The checksum, a byte."""
        if at != 0:
            raise IndexError("a checksum has one byte")
        value = self._body()[0]
        return (value & 15) << 4 | value >> 4

    def bucket_value(self, bucket: int) -> int:
        """The quartile of one of the 128 buckets, 0 to 3."""
        if not 0 <= bucket < 128:
            raise IndexError("a digest has 128 buckets")
        return self._body()[3 + bucket // 4] >> (6 - 2 * (bucket % 4)) & 3

    def toByteArray(self, room: bytearray) -> None:  # noqa: N802 - py-tlsh's name
        """Fills 36 bytes: checksum, length, both ratios, buckets."""
        if not isinstance(room, bytearray) or len(room) != 36:
            raise ValueError("argument must be a byte array of length 36")
        room[:] = bytes([self.checksum(), self.lvalue, self.q1ratio, self.q2ratio]) + self._body()[3:]
