"""pfh: digests of data at the speed of the hardware."""

import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Literal, Protocol, Self, TypeAlias, final, overload

from typing_extensions import Buffer

__version__: Final[str]
algorithms_available: Final[frozenset[str]]

_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
_Paths: TypeAlias = _Path | Iterable[_Path]
_Names: TypeAlias = str | Sequence[str]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Error(Exception):
    """Why a job has no result: with path, offset in bytes and cause where there are such."""

    path: str | None
    offset: int | None
    cause: str | None
    def __init__(
        self,
        message: str,
        path: str | os.PathLike[str] | None = None,
        offset: int | None = None,
        cause: str | None = None,
    ) -> None: ...

class RequestError(Error, ValueError):
    """The request makes no sense or is refused: nothing was done."""

class DiffersError(Error):
    """What was to be compared differs."""

class UnreadError(Error, OSError):
    """Something could not be read: nothing was found out."""

class OutputError(Error, OSError):
    """The output could not be written, and is incomplete."""

class AbortedError(Error):
    """The job ended before its time."""

class CancelledError(AbortedError):
    """The job ended because its ``Cancel`` asked it to."""

@final
class Cancel:
    """Ends the jobs that were given it, from any thread."""

    def __new__(cls) -> Self: ...
    def cancel(self) -> None: ...
    @property
    def cancelled(self) -> bool: ...

@final
class Progress:
    """How far a job is: ``done`` of ``total`` bytes or steps."""

    phase: str
    done: int
    total: int | None
    unit: str
    files: int | None

@final
class Column:
    """Digests as a column of Arrow's C data interface."""

    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class Hash:
    """A message on its way to a digest, in the shape of hashlib's objects."""

    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    def update(self, data: Buffer) -> None: ...
    def digest(self, length: int | None = None) -> bytes: ...
    def hexdigest(self, length: int | None = None) -> str: ...
    def copy(self) -> Hash: ...

@final
class Similarity:
    """One similarity method: ssdeep, sdhash, mrsh-v2 or TLSH."""

    def __new__(cls, name: str) -> Self: ...
    @property
    def name(self) -> str: ...
    def __call__(self, data: Buffer = b"", *, usedforsecurity: bool = True) -> Hash: ...
    def hash(self, data: Buffer) -> str: ...
    def compare(self, a: str | Hash, b: str | Hash) -> int: ...
    def diff(self, a: str | Hash, b: str | Hash) -> int: ...

class _Constructor(Protocol):
    def __call__(self, data: Buffer = b"", *, usedforsecurity: bool = True) -> Hash: ...

def new(name: str, data: Buffer = b"", *, usedforsecurity: bool = True) -> Hash:
    """A hash object of the algorithm of that name."""

def file_digest(fileobj: Any, digest: str | Callable[[], Any], /) -> Any:
    """A hash object that has seen what is left of an open file."""

@overload
def hash_many(
    buffers: Iterable[Buffer] | _ArrowArray | _ArrowStream, name: str, *, threads: int | None = None, into: None = None
) -> list[bytes | None]:
    """The digests of many messages, in SIMD lanes; of a column a null has none."""

@overload
def hash_many(
    buffers: Iterable[Buffer] | _ArrowArray | _ArrowStream, name: str, *, threads: int | None = None, into: Literal["arrow"]
) -> Column:
    """The digests as a column for pyarrow, polars and pandas."""

@final
class Hashed:
    """A file that was read to its end."""

    @property
    def number(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def mtime_ns(self) -> int | None: ...
    @property
    def digests(self) -> dict[str, bytes]: ...
    @property
    def hexdigests(self) -> dict[str, str]: ...
    def __getitem__(self, name: str) -> bytes: ...

@final
class Skipped:
    """A file that was listed and not read."""

    @property
    def number(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def reason(self) -> str: ...

@final
class Failed:
    """A file that has no digest."""

    @property
    def number(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def stage(self) -> str: ...
    @property
    def offset(self) -> int | None: ...
    @property
    def cause(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def errno(self) -> int | None: ...
    def error(self) -> UnreadError: ...

@final
class Files(Iterator[Hashed | Skipped | Failed]):
    """The records of files, in input order; also a stream of Arrow batches."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> Hashed | Skipped | Failed: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: object, error: object, traceback: object) -> None: ...
    def close(self) -> None: ...
    def _wait(self, seconds: float) -> bool: ...
    @property
    def summary(self) -> dict[str, int] | None: ...
    def __aiter__(self) -> AsyncIterator[Hashed | Skipped | Failed]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

def hash_files(
    paths: _Paths,
    algorithms: _Names,
    *,
    recursive: bool = False,
    follow: bool = False,
    exactly: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Files:
    """Hashes files on threads of its own, and gives their records as they come."""

@final
class Pair:
    """Two files that are alike."""

    a: str
    b: str
    score: int
    degenerate: str | None

def compare(
    paths: _Paths,
    algorithm: str = "mrsh-v2",
    *,
    threshold: int | None = None,
    recursive: bool = False,
    follow: bool = False,
    saturated: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> tuple[list[Pair], list[Skipped | Failed]]:
    """All pairs of files whose score reaches the threshold, and the files that were not read."""

@final
class Verdict:
    """What sets know of one digest or file."""

    status: str
    sets: list[tuple[str, str]]
    empty: bool

@final
class Known:
    """Open sets of known files."""

    @staticmethod
    def open(path: _Paths, *, cls: str | None = None, algorithm: str | None = None) -> Known: ...
    @staticmethod
    def build(
        path: _Path,
        *,
        good: _Paths | None = None,
        bad: _Paths | None = None,
        notable: _Paths | None = None,
        replace: bool = False,
        on_event: Callable[[Progress], object] | None = None,
        cancel: Cancel | None = None,
    ) -> Known: ...
    def lookup(
        self, digests: str | bytes | Iterable[str | bytes], algorithm: str | None = None
    ) -> list[Verdict]: ...
    @property
    def sets(self) -> list[tuple[str, str, int]]: ...
    @property
    def gaps(self) -> list[str]: ...

@final
class Matched:
    """The verdict on one file."""

    path: str
    verdict: Verdict | None
    record: Hashed | Skipped | Failed

@final
class Matches:
    """The verdicts on files; true if none is known to be bad and all was read."""

    files: list[Matched]
    messages: list[str]
    exit: int
    def __bool__(self) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Matched]: ...
    def __getitem__(self, at: int, /) -> Matched: ...

def match(
    paths: _Paths,
    known: _Paths,
    *,
    cls: str | None = None,
    recursive: bool = False,
    follow: bool = False,
    exactly: bool = False,
    partial: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Matches:
    """Looks files up in known sets: a verdict for each."""

@final
class Checked:
    """The result of a check; true if all is as the manifests have it."""

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
    def __bool__(self) -> bool: ...

def check(
    manifests: _Paths,
    *,
    root: _Path | None = None,
    algorithms: _Names | None = None,
    key: _Path | None = None,
    audit: bool = False,
    ignore_missing: bool = False,
    strict: bool = False,
    lenient: bool = False,
    share: str | None = None,
    limit: float | None = None,
    state: _Path | None = None,
    threads: int | None = None,
    memory: int | None = None,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Checked:
    """Checks files by a manifest in any format, or by several."""

@final
class TreeState:
    """What a file and its tree are; true if nothing is known to differ."""

    root: str
    length: int
    algorithm: str
    leaf_length: int
    corrupt: list[tuple[int, int]] | None
    def __bool__(self) -> bool: ...

@final
class HashTree:
    """The tree that is kept beside a file."""

    def __new__(cls, file: _Path, *, tree: _Path | None = None) -> Self: ...
    @property
    def file(self) -> os.PathLike[str]: ...
    @property
    def tree(self) -> os.PathLike[str]: ...
    def build(
        self,
        *,
        on_event: Callable[[Progress], object] | None = None,
        cancel: Cancel | None = None,
    ) -> TreeState: ...
    def update(
        self,
        ranges: list[tuple[int, int]] | None = None,
        *,
        since: _Path | None = None,
        on_event: Callable[[Progress], object] | None = None,
        cancel: Cancel | None = None,
    ) -> TreeState: ...
    def append(
        self,
        *,
        on_event: Callable[[Progress], object] | None = None,
        cancel: Cancel | None = None,
    ) -> TreeState: ...
    def check(
        self,
        *,
        root: str | None = None,
        on_event: Callable[[Progress], object] | None = None,
        cancel: Cancel | None = None,
    ) -> TreeState: ...

@final
class Acquired:
    """What came of an acquisition."""

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

def acquire(
    source: _Path,
    to: _Paths | None = None,
    *,
    algorithms: _Names | None = None,
    image: bool = False,
    verify: bool = False,
    log: _Path | None = None,
    key: _Path | None = None,
    passphrase: bytes | None = None,
    timestamp: str | None = None,
    then: _Paths | None = None,
    case: str = "",
    evidence: str = "",
    examiner: str = "",
    description: str = "",
    notes: str = "",
    replace: bool = False,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Acquired:
    """Acquires a device, a file or an image into images."""

@final
class Verified:
    """The result of a verification; true if all of the image is verified."""

    verdict: str
    sentence: str
    digests: dict[str, str]
    compared: list[tuple[str, str]]
    missing: list[str]
    findings: list[str]
    def __bool__(self) -> bool: ...

def verify(
    image: _Path,
    *,
    log: _Path | None = None,
    key: _Path | None = None,
    against: _Path | None = None,
    digests: dict[str, str] | None = None,
    raw: bool = False,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Verified:
    """Verifies an image by what states its digests, and by another medium or image."""

@final
class Rows:
    """The rows of a job as dictionaries, as the program prints them with --json."""

    rows: list[dict[str, Any]]
    messages: list[str]
    summary: dict[str, Any] | None
    exit: int
    def __bool__(self) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __getitem__(self, at: int, /) -> dict[str, Any]: ...

def list_files(
    paths: _Paths,
    *,
    only: str | None = None,
    recursive: bool = False,
    follow: bool = False,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Rows:
    """Lists what is in images, file systems and archives, without reading content."""

def disks(*, every: bool = False, read: bool = True, system: _Path | None = None) -> Rows:
    """Lists the disks of this machine, with partitions, mounts and what they hold."""

def diff(
    a: _Path,
    b: _Path,
    *,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Rows:
    """Compares two directories or lists: a row for each name that is not the same on both sides."""

def dups(
    paths: _Paths,
    *,
    keep: str = "first",
    never: _Paths | None = None,
    action: str = "remove",
    script: _Path | None = None,
    replace: bool = False,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Rows:
    """Finds files and folders of one content: a row for each group."""

def update_manifest(
    manifest: _Path,
    paths: _Paths | None = None,
    *,
    trust_times: bool = False,
    key: _Path | None = None,
    replace: bool = False,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Rows:
    """Brings a manifest up to date: a row for each file that is new, changed or gone."""

def validate_bag(
    bag: _Path,
    *,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Rows:
    """Compares every file of a bag with every one of its manifests: a row for each finding."""

def create_bag(
    bag: _Path,
    algorithms: _Names | None = None,
    *,
    info: dict[str, str] | None = None,
    replace: bool = False,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Rows:
    """Makes a bag of a folder whose files are below its ``data``; ``summary`` counts them."""

def update_bag(
    bag: _Path,
    algorithms: _Names | None = None,
    *,
    info: dict[str, str] | None = None,
    replace: bool = False,
    on_event: Callable[[Progress], object] | None = None,
    cancel: Cancel | None = None,
) -> Rows:
    """Makes the manifests of a bag those of its files; changed contents need ``replace``."""

def export(result: _Path, to: str, output: _Path, *, replace: bool = False) -> Rows:
    """Writes a result as ``timesketch``, ``bodyfile`` or ``parquet``."""

def report(
    results: _Paths,
    html: _Path,
    *,
    title: str | None = None,
    key: _Path | None = None,
    replace: bool = False,
) -> Rows:
    """Writes one page of results and case folders, and verifies their seals and chains again."""

# The function of each algorithm, under each of its names. Those that are not listed yet:
def __getattr__(name: str) -> _Constructor: ...

md5: Final[_Constructor]
md_5: Final[_Constructor]
sha1: Final[_Constructor]
sha_1: Final[_Constructor]
sha224: Final[_Constructor]
sha_224: Final[_Constructor]
sha2_224: Final[_Constructor]
sha256: Final[_Constructor]
sha_256: Final[_Constructor]
sha2_256: Final[_Constructor]
sha384: Final[_Constructor]
sha_384: Final[_Constructor]
sha2_384: Final[_Constructor]
sha512: Final[_Constructor]
sha_512: Final[_Constructor]
sha2_512: Final[_Constructor]
sha512_224: Final[_Constructor]
sha_512_224: Final[_Constructor]
sha2_512_224: Final[_Constructor]
sha512_256: Final[_Constructor]
sha_512_256: Final[_Constructor]
sha2_512_256: Final[_Constructor]
sha3_224: Final[_Constructor]
sha_3_224: Final[_Constructor]
sha3_256: Final[_Constructor]
sha_3_256: Final[_Constructor]
sha3_384: Final[_Constructor]
sha_3_384: Final[_Constructor]
sha3_512: Final[_Constructor]
sha_3_512: Final[_Constructor]
shake128: Final[_Constructor]
shake_128: Final[_Constructor]
shake256: Final[_Constructor]
shake_256: Final[_Constructor]
ripemd160: Final[_Constructor]
ripemd_160: Final[_Constructor]
rmd160: Final[_Constructor]
blake2b: Final[_Constructor]
blake2b_512: Final[_Constructor]
blake2s: Final[_Constructor]
blake2s_256: Final[_Constructor]
blake3: Final[_Constructor]
blake_3: Final[_Constructor]
b3: Final[_Constructor]
crc32: Final[_Constructor]
crc_32: Final[_Constructor]
crc32b: Final[_Constructor]
adler32: Final[_Constructor]
adler_32: Final[_Constructor]
xxh3_128: Final[_Constructor]
xxh128: Final[_Constructor]
xxh3: Final[_Constructor]
fnv1a_64: Final[_Constructor]
fnv_1a_64: Final[_Constructor]
fnv1a: Final[_Constructor]
fnv64a: Final[_Constructor]
kt128: Final[_Constructor]
kangarootwelve: Final[_Constructor]
k12: Final[_Constructor]
kt256: Final[_Constructor]
parallelhash128: Final[_Constructor]
parallelhash256: Final[_Constructor]
parallelhashxof128: Final[_Constructor]
parallelhashxof256: Final[_Constructor]
sakura_fng_128: Final[_Constructor]
sakura_fng_256: Final[_Constructor]
sakura_li_128: Final[_Constructor]
sakura_li_256: Final[_Constructor]
ssdeep: Final[Similarity]
ctph: Final[Similarity]
sdhash: Final[Similarity]
sdbf: Final[Similarity]
sdhash_stream: Final[Similarity]
sdhash_dd: Final[Similarity]
sdbf_dd: Final[Similarity]
mrsh_v2: Final[Similarity]
mrsh: Final[Similarity]
mrshv2: Final[Similarity]
mrsh_v2_network: Final[Similarity]
mrsh_v2n: Final[Similarity]
tlsh: Final[Similarity]
