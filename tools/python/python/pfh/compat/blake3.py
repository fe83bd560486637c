"""The package blake3: ``from pfh.compat.blake3 import blake3``."""

from __future__ import annotations

import mmap
import os
import sys
from typing import TYPE_CHECKING, ClassVar

from .. import _pfh

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["blake3"]
__version__: str = _pfh.__version__


class blake3:  # noqa: N801 - the name of the package's class
    """BLAKE3: ``data``, then ``update``; ``key`` for the keyed mode, ``derive_key_context`` for the derivation of keys.

    ``max_threads`` threads hash one update, ``blake3.AUTO`` for one per processor.
    """

    AUTO: ClassVar[int] = -1
    name: ClassVar[str] = "blake3"
    digest_size: ClassVar[int] = 32
    block_size: ClassVar[int] = 64
    key_size: ClassVar[int] = 32
    __slots__ = ("_state",)
    _state: _pfh._Blake3

    def __init__(
        self,
        data: Buffer | None = None,
        /,
        *,
        key: Buffer | None = None,
        derive_key_context: str | None = None,
        max_threads: int = 1,
        usedforsecurity: bool = True,
    ) -> None:
        if max_threads != self.AUTO and max_threads < 1:
            raise ValueError("not a valid number of threads")
        threads = (os.cpu_count() or 1) if max_threads == self.AUTO else min(max_threads, 1024)
        self._state = _pfh._Blake3(key, derive_key_context, threads)
        if data is not None:
            self.update(data)

    def update(self, data: Buffer, /) -> blake3:
        """Takes in the next bytes of the message."""
        if not isinstance(data, bytes) and not isinstance(data, str) and memoryview(data).itemsize != 1:
            raise BufferError("the buffer holds no bytes, but larger items")
        self._state.update(data)
        return self

    def update_mmap(self, path: str | os.PathLike[str]) -> blake3:
        """Takes in the bytes of a file, mapped into memory."""
        with open(path, "rb") as file:
            try:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except (OSError, ValueError):
                # Empty, or a pipe: it cannot be mapped.
                while piece := file.read(1 << 20):
                    self._state.update(piece)
                return self
            with mapped:
                self._state.update(mapped)
        return self

    def copy(self) -> blake3:
        """Another object that has seen the same."""
        other = blake3.__new__(type(self))
        other._state = self._state.copy()
        return other

    def reset(self) -> blake3:
        """Forgets the message so far; mode and key stay."""
        self._state.reset()
        return self

    def digest(self, length: int = 32, *, seek: int = 0) -> bytes:
        """``length`` bytes of output from byte ``seek`` of it on."""
        if length > sys.maxsize:
            raise OverflowError("length is larger than any object")
        return self._state.digest(length, seek)

    def hexdigest(self, length: int = 32, *, seek: int = 0) -> str:
        """The same in hexadecimal digits."""
        return self.digest(length, seek=seek).hex()
