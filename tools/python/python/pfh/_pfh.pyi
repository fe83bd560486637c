"""What ``pfh.cluster`` uses of the native module; all else is in ``__init__.pyi``."""

from collections.abc import Callable
from typing import Any, Self, final

from . import Files as Files

def _command(words: list[str], program: str, bench: bool) -> int: ...
@final
class Digests:
    """Digests of one similarity method in the order in which they came."""

    def __new__(cls, algorithm: str) -> Self: ...
    def __len__(self) -> int: ...
    def add(self, column: Any) -> list[tuple[int, str]]: ...
    def begin_second_set(self) -> None: ...
    @property
    def without(self) -> int: ...
    @property
    def rows(self) -> bytes: ...
    @property
    def segments(self) -> list[tuple[int, bytes]]: ...
    def pairs(
        self,
        take: Callable[[bytes, bytes, bytes, bytes], object],
        part: int = 0,
        of: int = 1,
        *,
        threshold: int | None = None,
        threads: int = 1,
        memory: int | None = None,
    ) -> None: ...

def __getattr__(name: str) -> Any: ...
