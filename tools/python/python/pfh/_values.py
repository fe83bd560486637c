"""Results as values: they compare, sort, hash, pickle and match by position.

The native module makes instances of these classes by their fields in order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import total_ordering
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from . import _pfh
from ._errors import UnreadError

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from .rows import CheckRow

    _Row = TypeVar("_Row", bound=Mapping[str, Any], covariant=True, default=Mapping[str, Any])
    _Summary = TypeVar("_Summary", bound=Mapping[str, Any] | None, covariant=True, default=Mapping[str, Any] | None)
else:
    from typing import TypeVar

    _Row, _Summary = TypeVar("_Row", covariant=True), TypeVar("_Summary", covariant=True)

#: Algorithms whose digests are text.
_TEXTS = frozenset(name for name, _length, standing, _aliases in _pfh._algorithms() if standing == "similarity")


def _sortable(value: Any) -> Any:
    """A field in a form in which all of them sort and hash: nothing comes before something."""
    match value:
        case None:
            return (0,)
        case dict():
            return (1, tuple(sorted((key, _sortable(one)) for key, one in value.items())))
        case list() | tuple():
            return (1, tuple(map(_sortable, value)))
        case _Value():
            return (1, value._key())
        case _:
            return (1, value)


@total_ordering
class _Value:
    """The behaviour that all results share."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def _key(self) -> Any:
        return _sortable(self._fields())

    def asdict(self) -> dict[str, Any]:
        """The fields by name, for a row of a table."""
        return dict(zip(self.__match_args__, self._fields(), strict=True))

    def __eq__(self, other: object) -> bool:
        return self._fields() == other._fields() if isinstance(other, type(self)) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        return self._key() < other._key() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._key()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields()


class _Record(_Value):
    """A record of any kind: they sort as they came."""

    __slots__ = ()
    number: int
    path: str

    def _key(self) -> Any:
        return self.number, self.path, type(self).__name__, _sortable(self._fields())

    def asdict(self) -> dict[str, Any]:
        """The fields by name and ``status``; the digests of each algorithm under its name, as in the Arrow table.

        pandas' strings refuse a ``path`` that is not UTF-8: ``pandas.DataFrame.from_arrow(files)`` has it in ``path_bytes``.
        """
        return {"number": self.number, "path": self.path, "status": type(self).__name__.lower()} | super().asdict()

    def __lt__(self, other: Any) -> bool:
        return self._key() < other._key() if isinstance(other, _Record) else NotImplemented


@dataclass(frozen=True, eq=False)
class Hashed(_Record):
    """A file that was read to its end, with one digest for each algorithm."""

    __slots__ = {
        "number": "The position in input order, from 0.",
        "path": "The name, as ``os.fsdecode`` gives it.",
        "size": "Bytes that were read.",
        "mtime_ns": "The last change of the content, in nanoseconds since 1970 (UTC); ``None`` if it is not a file.",
        "digests": "The digests by name of the algorithm; of similarity digests the bytes of their text.",
    }
    number: int
    path: str
    size: int
    mtime_ns: int | None
    digests: dict[str, bytes]

    @property
    def hexdigests(self) -> dict[str, str]:
        """The digests as text, by name of the algorithm."""
        return {name: digest.decode() if name in _TEXTS else digest.hex() for name, digest in self.digests.items()}

    def __getitem__(self, name: str) -> bytes:
        return self.digests[name]

    def asdict(self) -> dict[str, Any]:
        """The fields by name and ``status``; the digests of each algorithm under its name, as in the Arrow table."""
        row = super().asdict()
        digests = row.pop("digests")
        return row | {name: digest.decode() if name in _TEXTS else digest for name, digest in digests.items()}


@dataclass(frozen=True, eq=False)
class Skipped(_Record):
    """A file that was listed and not read, and why."""

    __slots__ = {
        "number": "The position in input order, from 0.",
        "path": "The name, as ``os.fsdecode`` gives it.",
        "reason": "Why it was not read.",
    }
    number: int
    path: str
    reason: str


@dataclass(frozen=True, eq=False)
class Failed(_Record):
    """A file that has no digest, and why."""

    __slots__ = {
        "number": "The position in input order, from 0.",
        "path": "The name, as ``os.fsdecode`` gives it.",
        "stage": "Where it failed: ``walk``, ``open``, ``read``, ``check`` or ``hash``.",
        "offset": "The offset in bytes at which reading failed, if it has one.",
        "cause": "Why, as a sentence.",
        "code": "Why, as a word: ``ENOENT``, ``changed``, ``stalled`` …",
        "errno": "The number of the system's error, if there was one.",
        "message": "Where and why, as the program prints it.",
    }
    number: int
    path: str
    stage: str
    offset: int | None
    cause: str
    code: str
    errno: int | None
    message: str

    def error(self) -> UnreadError:
        """The same as an exception, for ``raise``."""
        shown = self.path if self.path.isprintable() else ascii(self.path)
        return UnreadError(f"{shown}: {self.message}", self.path, self.offset, self.cause, self.errno, self.code)


@dataclass(frozen=True, eq=False)
class Pair(_Value):
    """Two files that are alike."""

    __slots__ = {
        "a": "The earlier one in input order.",
        "b": "The later one.",
        "score": "0 to 100, for TLSH a distance from 0 on.",
        "degenerate": "Why the score may mean nothing: ``few features``, ``low entropy``, ``saturated``, ``packed``; or ``None``.",
        "once_in": "Unrelated files of this size reach the score once in that many pairs; ``None`` of methods without such a table.",
        "rarer": "Whether none of those pairs did.",
    }
    a: str
    b: str
    score: int
    degenerate: str | None
    once_in: int | None
    rarer: bool


@dataclass(frozen=True, eq=False)
class Related(_Value):
    """Two files, with what all methods say of them."""

    __slots__ = {
        "a": "The earlier one in input order.",
        "b": "The later one.",
        "relation": "``equal``, ``nearly-equal``, ``a-in-b``, ``b-in-a``, ``shares`` (bytes) or ``alike`` (only the digests).",
        "score": "1 to 100: the share of the smaller one that the other holds; of ``alike`` the best score, or 100 less the distance.",
        "shared_bytes": "About how many bytes of distinct content both hold; ``None`` if one is too short or too plain.",
        "a_in_b": "How much of the first one the second holds, in percent; or ``None``.",
        "b_in_a": "How much of the second one the first holds, in percent; or ``None``.",
        "resemblance": "How much of all that the two hold together both hold, in percent; or ``None``.",
        "scores": "The score of ssdeep, sdhash and mrsh-v2 and the distance of TLSH, where both files have digests.",
        "degenerate": "Why a score may mean nothing: ``few features``, ``low entropy``, ``saturated``, ``packed``; or ``None``.",
        "once_in": "Of ``alike``: digests of unrelated files of these kinds and this size are as much alike once in that many pairs.",
        "rarer": "Whether none of those pairs was.",
    }
    a: str
    b: str
    relation: str
    score: int
    shared_bytes: int | None
    a_in_b: int | None
    b_in_a: int | None
    resemblance: int | None
    scores: dict[str, int]
    degenerate: str | None
    once_in: int | None
    rarer: bool


@dataclass(frozen=True, eq=False)
class Verdict(_Value):
    """The verdict of sets on one digest or file."""

    __slots__ = {
        "status": "``known-bad``, ``known-good``, ``known``, ``maybe`` (a filter alone has it), ``unknown``, or "
        "``nothing-to-compare-with`` (no set has a digest of its algorithm).",
        "sets": "The sets that have it: name and class of each.",
        "empty": "Whether it is the digest of no bytes at all, which says nothing.",
    }
    status: str
    sets: list[tuple[str, str]]
    empty: bool


@dataclass(frozen=True, eq=False)
class Matched(_Value):
    """The verdict on one file."""

    __slots__ = {
        "path": "The file.",
        "verdict": "The verdict of the sets; ``None`` if it has no digest.",
        "record": "The record of the file: ``Hashed``, ``Skipped`` or ``Failed``.",
    }
    path: str
    verdict: Verdict | None
    record: Hashed | Skipped | Failed

    def _key(self) -> Any:
        return self.record._key(), _sortable(self.verdict)

    def asdict(self) -> dict[str, Any]:
        """The record's row with ``verdict`` and ``sets``."""
        status, sets = (self.verdict.status, self.verdict.sets) if self.verdict else (None, [])
        return self.record.asdict() | {"verdict": status, "sets": sets}


@dataclass(frozen=True, eq=False)
class Matches(_Value):
    """The verdicts on files, in input order. True if the program would exit with 0: no file is known
    to be bad, all files were read, and all sets."""

    __slots__ = {
        "files": "The verdict on each file.",
        "messages": "Sentences about sets that were read in part, with ``partial``.",
        "exit": "0 all good, 1 a file is known to be bad, 3 something was not read: as the program's exit code.",
    }
    files: list[Matched]
    messages: list[str]
    exit: int

    def __bool__(self) -> bool:
        return self.exit == 0

    def __len__(self) -> int:
        return len(self.files)

    def __iter__(self) -> Iterator[Matched]:
        return iter(self.files)

    def __getitem__(self, at: int) -> Matched:
        return self.files[at]


@dataclass(frozen=True, eq=False)
class Rows(_Value, Generic[_Row, _Summary]):
    """The rows of a job as dictionaries, as the program prints them with ``--json``; `pfh.rows` has
    their types. True if the program would exit with 0."""

    __slots__ = {
        "rows": "A dictionary for each row, in the order in which the job found them. Names that are not UTF-8 are as "
        "``os.fsdecode`` gives them.",
        "messages": "Sentences about files that could not be read, and about anything else that is missing.",
        "summary": "The object about the whole that the program prints last with ``--json``, if it has one.",
        "exit": "0 all good, 1 a negative verdict, 3 finished but incomplete: as the program's exit code.",
    }
    rows: list[_Row]
    messages: list[str]
    summary: _Summary
    exit: int

    def __bool__(self) -> bool:
        return self.exit == 0

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[_Row]:
        return iter(self.rows)

    def __getitem__(self, at: int) -> _Row:
        return self.rows[at]


@dataclass(frozen=True, eq=False)
class Checked(_Value):
    """The result of a check. True if each file is as the manifests have it, and all that they hold
    was compared."""

    __slots__ = {
        "verdict": "``verified``, ``differs``, ``incomplete`` or ``nothing-to-compare-with``.",
        "conclusion": "The verdict by the rules of ``strict`` and ``lenient``, which count lines that are not records: "
        "the exit code of the program follows from it.",
        "verified": "Files that are as the manifests have them.",
        "expected": "Files that the manifests have.",
        "by_algorithm": "Verified files by algorithm; objects by the header as well: ``md5 (etag)``.",
        "files": "Each file with its result: ``right``, ``wrong``, ``missing``, ``unread`` or ``ignored``; in an audit its class. Objects of "
        "which their store states nothing are ``nothing-to-compare-with``, keys of folders ``ignored``.",
        "not_compared": "Entries of the manifests that were not compared, a sentence each.",
        "faults": "The manifests' lines that are not records, each with its number.",
        "good": "Whether all that the manifests hold was compared and is right, by the rules of ``strict`` and ``lenient``.",
        "unchecked": "Those of several manifests that could not be checked, and why.",
        "shares": "Of a share, for each manifest: ``read`` of ``files`` files with ``bytes`` of ``total`` bytes, how many "
        "were ``never`` checked, and how many seconds ago the ``oldest`` check was.",
        "rows": "A dictionary for each file and one for each manifest, as the program prints them with ``--json --all``.",
    }
    verdict: str
    conclusion: str
    verified: int
    expected: int
    by_algorithm: dict[str, int]
    files: list[tuple[str, str]]
    not_compared: list[str]
    faults: list[tuple[int, str]]
    good: bool
    unchecked: list[tuple[str, str]]
    shares: list[dict[str, int | None]]
    rows: list[CheckRow]

    def __bool__(self) -> bool:
        return self.good


@dataclass(frozen=True, eq=False)
class TreeState(_Value):
    """The state of a file and its tree; true if nothing is known to differ."""

    __slots__ = {
        "root": "The root in hexadecimal digits, as the tree has it.",
        "length": "Bytes of the file, as the tree has them.",
        "algorithm": "``blake3``, ``sha256`` or another function of the tree's.",
        "leaf_length": "Bytes of a leaf.",
        "corrupt": "The ranges of the file (start, end) that differ from the tree; ``None`` if they were not compared.",
    }
    root: str
    length: int
    algorithm: str
    leaf_length: int
    corrupt: list[tuple[int, int]] | None

    def __bool__(self) -> bool:
        return not self.corrupt


@dataclass(frozen=True, eq=False)
class Acquired(_Value):
    """The result of an acquisition."""

    __slots__ = {
        "bytes": "Bytes of the image.",
        "digests": "Digests of the image as written, by algorithm, in hexadecimal digits.",
        "unreadable": "Unreadable ranges (offset in the image, length), which are filled in.",
        "complete": "Whether nothing is lost.",
        "verified": "Whether the targets were read back and are equal; ``None`` if they were not read back.",
        "log": "The chained log, which ``pfh verify`` reads.",
        "timestamp": "When the authority stamped the log, as it states it in UTC; ``None`` without a stamp.",
        "hidden": "The disk's answers on hidden areas and passwords, by name; ``None`` if the source is not a device.",
        "health": "The main S.M.A.R.T. values, each in JSON, before the first byte and after the last; empty if unknown.",
        "events": "Events of the run, a sentence each.",
    }
    bytes: int
    digests: dict[str, str]
    unreadable: list[tuple[int, int]]
    complete: bool
    verified: bool | None
    log: os.PathLike[str] | None
    timestamp: str | None
    hidden: dict[str, str] | None
    health: tuple[dict[str, str], dict[str, str]]
    events: list[str]


@dataclass(frozen=True, eq=False)
class Verified(_Value):
    """The result of a verification; true if all of the image is verified."""

    __slots__ = {
        "verdict": "``verified``, ``differs`` or ``nothing-to-compare-with``.",
        "sentence": "The verdict in words: a good one names its evidence, a bad one what differs.",
        "digests": "Digests of the image, by algorithm, in hexadecimal digits; empty if it could not be read to its end.",
        "compared": "Comparisons that are equal: both sides of each.",
        "missing": "Reasons against a good verdict, a sentence each.",
        "findings": "Findings, a sentence each.",
        "reread": "Second reads of what something contradicts: what was read, and ``same``, ``once``, ``other``, ``changing`` or ``unread``.",
    }
    verdict: str
    sentence: str
    digests: dict[str, str]
    compared: list[tuple[str, str]]
    missing: list[str]
    findings: list[str]
    reread: list[tuple[str, str]]

    def __bool__(self) -> bool:
        return self.verdict == "verified"


# Pickles and pages name the package, not this file.
for _name, _class in list(globals().items()):
    if isinstance(_class, type) and _class.__module__ == __name__ and not _name.startswith("_"):
        _class.__module__ = "pfh"
