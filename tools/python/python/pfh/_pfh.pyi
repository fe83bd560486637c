"""The native module. Its public names have their types in ``__init__.pyi``."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Self, TypedDict, final

from typing_extensions import Buffer

from . import Cancel as Cancel
from . import Column as Column
from . import Files as Files
from . import Hash as Hash
from . import HashTree as HashTree
from . import Known as Known
from . import Progress as Progress
from . import Queue as Queue
from . import Similarity as Similarity
from . import Ticket as Ticket
from . import _ArrowArray, _ArrowStream
from . import acquire as acquire
from . import cat as cat
from . import cat_to as cat_to
from . import check as check
from . import compare as compare
from . import create_bag as create_bag
from . import diff as diff
from . import disks as disks
from . import dups as dups
from . import export as export
from . import extract as extract
from . import file_digest as file_digest
from . import group_similar as group_similar
from . import hash_many as hash_many
from . import list_files as list_files
from . import match as match
from . import match_sectors as match_sectors
from . import member_runs as member_runs
from . import new as new
from . import report as report
from . import selftest as selftest
from . import update_bag as update_bag
from . import update_manifest as update_manifest
from . import validate_bag as validate_bag
from . import verify as verify
from ._options import Names, OnEvent
from .audit import ask as audit_ask
from .audit import challenge as audit_challenge
from .audit import commit as audit_commit
from .audit import prove as audit_prove
from .audit import verify as audit_verify

__version__: Final[str]

class _Records(TypedDict):
    rows: list[tuple[bytes, str, str | None, int | None, str | None]]
    records: int
    faults: list[tuple[int, str]]
    not_compared: list[str]
    root: bytes | None
    conclusion: str
    broken: bool
    by_algorithm: dict[str, int]

def _algorithms() -> list[tuple[str, int, str, list[str]]]: ...
def _check_records(
    manifest: str,
    records: list[int],
    *,
    root: str | None = None,
    algorithms: Names | None = None,
    key: str | None = None,
    strict: bool = False,
    lenient: bool = False,
    threads: int | None = None,
    memory: int | None = None,
) -> _Records: ...
def _check_verdict(right: int, wrong: int, missing: int, unread: int) -> str: ...
def _selftest_digests() -> str: ...
def _command(words: list[str], program: str, bench: bool) -> int: ...
def _hash_files(
    paths: object,
    algorithms: Names,
    walk: Mapping[str, object],
    manner: Mapping[str, object],
    threads: int | None,
    filesystem: object,
    on_event: OnEvent | None,
    cancel: Cancel | None,
) -> Files: ...
def _tlsh_distance(a: str, b: str, lengths: bool) -> int: ...
@final
class Digests:
    """Digests of one similarity method in the order in which they came."""

    def __new__(cls, algorithm: str) -> Self: ...
    def __len__(self) -> int: ...
    def add(self, column: _ArrowArray | _ArrowStream) -> list[tuple[int, str]]: ...
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

@final
class _Blake2:
    def __new__(
        cls,
        is_b: bool,
        length: int,
        key: Buffer,
        salt: Buffer,
        person: Buffer,
        node: tuple[int, int, int, int, int, int, bool],
    ) -> Self: ...
    def update(self, data: Buffer) -> None: ...
    def digest(self) -> bytes: ...
    def copy(self) -> Self: ...

@final
class _Blake3:
    def __new__(cls, key: Buffer | None, context: str | None, threads: int) -> Self: ...
    def update(self, data: Buffer) -> None: ...
    def digest(self, length: int, seek: int) -> bytes: ...
    def copy(self) -> Self: ...
    def reset(self) -> None: ...
