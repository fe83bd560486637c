"""The module hashlib: ``from pfh.compat import hashlib``.

Each function is pfh's; those that derive keys are Python's own. ``new`` and
``algorithms_available`` know every algorithm of pfh.
"""

from __future__ import annotations

import hashlib as _hashlib
import operator as _operator
from collections.abc import Callable as _Callable
from typing import TYPE_CHECKING
from typing import Any as _Any
from typing import ClassVar as _ClassVar
from typing import Literal as _Literal
from typing import Self as _Self
from typing import TypedDict as _TypedDict
from typing import Unpack as _Unpack

from .. import (
    Hash,
    _pfh,
    file_digest,
    md5,
    sha1,
    sha224,
    sha256,
    sha384,
    sha512,
)
from .. import algorithms_available as _available
from .. import new as _new

if TYPE_CHECKING:
    from typing_extensions import Buffer

pbkdf2_hmac = _hashlib.pbkdf2_hmac

algorithms_guaranteed = {
    "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512",
    "shake_128", "shake_256", "blake2b", "blake2s",
}  # fmt: skip

#: pfh's names as hashlib writes them, with underscores.
algorithms_available = algorithms_guaranteed | {name.replace("-", "_") for name in _available} - {"shake128", "shake256"}

__all__ = [
    "Hash", "algorithms_available", "algorithms_guaranteed", "blake2b", "blake2s", "file_digest", "md5", "new",
    "pbkdf2_hmac", "sha1", "sha224", "sha256", "sha384", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "sha512",
    "shake_128", "shake_256",
]  # fmt: skip

if hasattr(_hashlib, "scrypt"):
    scrypt = _hashlib.scrypt
    __all__.append("scrypt")


class _Object:
    """A hash object around one of the native module."""

    __slots__ = ("_state",)
    _state: Hash | _pfh._Blake2
    name: _ClassVar[str]
    block_size: _ClassVar[int]

    def update(self, data: Buffer, /) -> None:
        """Takes in the next bytes of the message."""
        self._state.update(data)

    def copy(self) -> _Self:
        """Another object that has seen the same."""
        other = type(self).__new__(type(self))
        other._state = self._state.copy()
        return other

    def __repr__(self) -> str:
        return f"<{self.name} pfh.compat.hashlib object>"


class _Fixed(_Object):
    """One whose digest has one length."""

    __slots__ = ()

    def digest(self) -> bytes:
        """The digest of what came so far."""
        return self._state.digest()

    def hexdigest(self) -> str:
        """The same in hexadecimal digits."""
        return self.digest().hex()


class _Sha3(_Fixed):
    __slots__ = ()
    digest_size: _ClassVar[int]

    def __init__(self, data: Buffer = b"", *, usedforsecurity: bool = True) -> None:
        self._state = _new(self.name, data)


class sha3_224(_Sha3):  # noqa: N801 - hashlib's name
    """SHA3-224."""

    __slots__ = ()
    name, digest_size, block_size = "sha3_224", 28, 144


class sha3_256(_Sha3):  # noqa: N801 - hashlib's name
    """SHA3-256."""

    __slots__ = ()
    name, digest_size, block_size = "sha3_256", 32, 136


class sha3_384(_Sha3):  # noqa: N801 - hashlib's name
    """SHA3-384."""

    __slots__ = ()
    name, digest_size, block_size = "sha3_384", 48, 104


class sha3_512(_Sha3):  # noqa: N801 - hashlib's name
    """SHA3-512."""

    __slots__ = ()
    name, digest_size, block_size = "sha3_512", 64, 72


class _Shake(_Object):
    __slots__ = ()
    _state: Hash
    digest_size: _ClassVar[int] = 0

    def __init__(self, data: Buffer = b"", *, usedforsecurity: bool = True) -> None:
        self._state = _new(self.name, data)

    def digest(self, length: int, /) -> bytes:
        """``length`` bytes of output."""
        return self._state.digest(_operator.index(length))

    def hexdigest(self, length: int, /) -> str:
        """The same in hexadecimal digits."""
        return self.digest(length).hex()


class shake_128(_Shake):  # noqa: N801 - hashlib's name
    """SHAKE128."""

    __slots__ = ()
    name, block_size = "shake_128", 168


class shake_256(_Shake):  # noqa: N801 - hashlib's name
    """SHAKE256."""

    __slots__ = ()
    name, block_size = "shake_256", 136


class _Blake2(_Fixed):
    """BLAKE2 with every parameter that hashlib's has."""

    _is_b: _ClassVar[bool]
    MAX_DIGEST_SIZE: _ClassVar[int]
    MAX_KEY_SIZE: _ClassVar[int]
    PERSON_SIZE: _ClassVar[int]
    SALT_SIZE: _ClassVar[int]
    _OFFSET_BITS: _ClassVar[int]
    __slots__ = ("digest_size",)
    digest_size: int

    def __init__(
        self,
        data: Buffer = b"",
        *,
        digest_size: int | None = None,
        key: Buffer = b"",
        salt: Buffer = b"",
        person: Buffer = b"",
        fanout: int = 1,
        depth: int = 1,
        leaf_size: int = 0,
        node_offset: int = 0,
        node_depth: int = 0,
        inner_size: int = 0,
        last_node: bool = False,
        usedforsecurity: bool = True,
    ) -> None:
        size = self.MAX_DIGEST_SIZE if digest_size is None else _operator.index(digest_size)
        if not 1 <= size <= self.MAX_DIGEST_SIZE:
            raise ValueError(f"digest_size must be between 1 and {self.MAX_DIGEST_SIZE} bytes")
        for what, given, most in (("key", key, self.MAX_KEY_SIZE), ("salt", salt, self.SALT_SIZE), ("person", person, self.PERSON_SIZE)):
            if memoryview(given).nbytes > most:
                raise ValueError(f"maximum {what} length is {most} bytes")
        for what, number, least, most in (
            ("fanout", fanout, 0, 255),
            ("depth", depth, 1, 255),
            ("node_depth", node_depth, 0, 255),
            ("inner_size", inner_size, 0, self.MAX_DIGEST_SIZE),
        ):
            if not least <= _operator.index(number) <= most:
                raise ValueError(f"{what} must be between {least} and {most}")
        for what, number, bits in (("leaf_size", leaf_size, 32), ("node_offset", node_offset, self._OFFSET_BITS)):
            if _operator.index(number) < 0:
                raise ValueError("value must be positive")
            if _operator.index(number) >> bits:
                raise OverflowError(f"{what} is too large")
        node = (fanout, depth, leaf_size, node_offset, node_depth, inner_size, bool(last_node))
        self.digest_size = size
        self._state = _pfh._Blake2(self._is_b, size, key, salt, person, node)
        self._state.update(data)

    def copy(self) -> _Self:
        """Another object that has seen the same."""
        other = super().copy()
        other.digest_size = self.digest_size
        return other


class blake2b(_Blake2):  # noqa: N801 - hashlib's name
    """BLAKE2b: 64-bit words, up to 64 bytes."""

    __slots__ = ()
    _is_b, name, block_size = True, "blake2b", 128
    MAX_DIGEST_SIZE = MAX_KEY_SIZE = 64
    PERSON_SIZE = SALT_SIZE = 16
    _OFFSET_BITS = 64


class blake2s(_Blake2):  # noqa: N801 - hashlib's name
    """BLAKE2s: 32-bit words, up to 32 bytes."""

    __slots__ = ()
    _is_b, name, block_size = False, "blake2s", 64
    MAX_DIGEST_SIZE = MAX_KEY_SIZE = 32
    PERSON_SIZE = SALT_SIZE = 8
    _OFFSET_BITS = 48


class _Blake2Options(_TypedDict, total=False):
    digest_size: int | None
    key: Buffer
    salt: Buffer
    person: Buffer
    fanout: int
    depth: int
    leaf_size: int
    node_offset: int
    node_depth: int
    inner_size: int
    last_node: bool
    usedforsecurity: bool


_CLASSES: dict[str, _Callable[..., _Object]] = {
    made.name: made for made in (blake2b, blake2s, sha3_224, sha3_256, sha3_384, sha3_512, shake_128, shake_256)
}


def new(name: str, data: Buffer = b"", **options: _Unpack[_Blake2Options]) -> Hash:
    """A hash object of the algorithm of that name. Parameters beside ``usedforsecurity`` are BLAKE2's."""
    # Each class here has the methods of `Hash`, if not those of its algorithm's lengths.
    made: _Callable[..., _Any] | None = _CLASSES.get(name)
    found: Hash = _new(name, data, **options) if made is None else made(data, **options)  # type: ignore[misc]
    return found
