"""pfh: digests of data at the speed of the hardware."""

import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, Never, Protocol, Self, TypeVar, final, overload

from typing_extensions import Buffer

from ._errors import AbortedError as AbortedError
from ._errors import CancelledError as CancelledError
from ._errors import DiffersError as DiffersError
from ._errors import Error as Error
from ._errors import OutputError as OutputError
from ._errors import RequestError as RequestError
from ._errors import UnreadError as UnreadError
from ._files import hash_file as hash_file
from ._files import hash_files as hash_files
from ._options import Levels as _Levels
from ._options import Names as _Names
from ._options import OnEvent as _OnEvent
from ._options import AnyPath as _Path
from ._options import AnyPaths as _Paths
from ._values import Acquired as Acquired
from ._values import Checked as Checked
from ._values import Failed as Failed
from ._values import Hashed as Hashed
from ._values import Matched as Matched
from ._values import Matches as Matches
from ._values import Pair as Pair
from ._values import Related as Related
from ._values import Rows as Rows
from ._values import Skipped as Skipped
from ._values import TreeState as TreeState
from ._values import Verdict as Verdict
from ._values import Verified as Verified
from .rows import (
    BagContents,
    BagFinding,
    BagSummary,
    CompareCluster,
    DiffName,
    Disk,
    DupsRow,
    ExtractRow,
    ExtractSummary,
    ListRow,
    MatchFragment,
    MatchFragmentSummary,
    SelftestSummary,
    SelftestTest,
    UpdateFile,
    UpdateSummary,
)

__version__: Final[str]
algorithms_available: Final[frozenset[str]]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

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

def new(name: str, data: Buffer = b"", *, key: Buffer | None = None, usedforsecurity: bool = True) -> Hash:
    """A hash object of the algorithm of that name."""

@final
class Queue:
    """Messages that arrive one by one, hashed in SIMD lanes."""

    def __new__(
        cls, name: str, *, key: Buffer | None = None, wait: float = 0.001, threads: int | None = None, memory: int | None = None
    ) -> Self: ...
    @property
    def name(self) -> str: ...
    def push(self, data: Buffer, after: Hash | None = None) -> Ticket: ...

@final
class Ticket:
    """The digest of one message of a Queue, once it is there."""

    def digest(self) -> bytes: ...
    def is_ready(self) -> bool: ...

class _Updated(Protocol):
    def update(self, data: Buffer, /) -> object: ...

_AnyHash = TypeVar("_AnyHash", bound=_Updated)

class _ReadableInto(Protocol):
    def readinto(self, buffer: bytearray, /) -> int | None: ...
    def readable(self) -> bool: ...

class _Buffered(Protocol):
    def getbuffer(self) -> Buffer: ...

@overload
def file_digest(fileobj: _ReadableInto | _Buffered, digest: str, /) -> Hash:
    """A hash object that has seen the rest of an open file, which stands at its end then."""

@overload
def file_digest(fileobj: _ReadableInto | _Buffered, digest: Callable[[], _AnyHash], /) -> _AnyHash:
    """The same, made by a function."""

@overload
def hash_many(
    buffers: Iterable[Buffer] | _ArrowArray | _ArrowStream,
    name: str,
    *,
    key: Buffer | None = None,
    threads: int | None = None,
    into: None = None,
) -> list[bytes | None]:
    """The digests of many messages, in SIMD lanes; of a column a null has none."""

@overload
def hash_many(
    buffers: Iterable[Buffer] | _ArrowArray | _ArrowStream,
    name: str,
    *,
    key: Buffer | None = None,
    threads: int | None = None,
    into: Literal["arrow"],
) -> Column:
    """The digests as a column for pyarrow, polars and pandas."""

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
    @property
    def messages(self) -> list[str]: ...
    def __aiter__(self) -> AsyncIterator[Hashed | Skipped | Failed]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

@overload
def compare(
    paths: _Paths,
    algorithm: None = None,
    *,
    threshold: int | None = None,
    recursive: bool = False,
    follow: bool = False,
    versions: bool = False,
    saturated: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> tuple[list[Related], list[Skipped | Failed]]:
    """All pairs of related files by all methods at once, and the files that were not read."""

@overload
def compare(
    paths: _Paths,
    algorithm: str,
    *,
    threshold: int | None = None,
    recursive: bool = False,
    follow: bool = False,
    versions: bool = False,
    saturated: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> tuple[list[Pair], list[Skipped | Failed]]:
    """All pairs of files whose score reaches the threshold, and the files that were not read."""

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
        on_event: _OnEvent | None = None,
        cancel: Cancel | None = None,
    ) -> Known: ...
    def lookup(
        self, digests: str | bytes | Iterable[str | bytes], algorithm: str | None = None
    ) -> list[Verdict]: ...
    @property
    def sets(self) -> list[tuple[str, str, int]]: ...
    @property
    def gaps(self) -> list[str]: ...

def match(
    paths: _Paths,
    known: _Paths,
    *,
    cls: str | None = None,
    recursive: bool = False,
    follow: bool = False,
    exactly: bool = False,
    versions: bool = False,
    partial: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Matches:
    """Looks files up in known sets: a verdict for each."""

def check(
    manifests: _Paths,
    *,
    root: _Path | None = None,
    algorithms: _Names | None = None,
    key: _Path | None = None,
    columns: _Names | None = None,
    audit: bool = False,
    ignore_missing: bool = False,
    strict: bool = False,
    lenient: bool = False,
    once: bool = False,
    level: _Levels | None = None,
    share: str | None = None,
    limit: float | None = None,
    state: _Path | None = None,
    part_size: int | None = None,
    versions: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Checked:
    """Checks files by a manifest in any format, or by several; objects by what their store states."""

@final
class HashTree:
    """The tree that is kept beside a file."""

    def __new__(cls, file: _Path, *, tree: _Path | None = None, key_file: _Path | None = None) -> Self: ...
    @property
    def file(self) -> os.PathLike[str]: ...
    @property
    def tree(self) -> os.PathLike[str]: ...
    def build(
        self,
        *,
        algorithm: str = "blake3",
        leaf: int | None = None,
        on_event: _OnEvent | None = None,
        cancel: Cancel | None = None,
    ) -> TreeState: ...
    def update(
        self,
        ranges: list[tuple[int, int]] | None = None,
        *,
        since: _Path | None = None,
        on_event: _OnEvent | None = None,
        cancel: Cancel | None = None,
    ) -> TreeState: ...
    def append(
        self,
        *,
        on_event: _OnEvent | None = None,
        cancel: Cancel | None = None,
    ) -> TreeState: ...
    def receive(
        self,
        parts: list[tuple[int, _Path] | tuple[int, _Path, int | None]],
        *,
        length: int | None = None,
        algorithm: str = "blake3",
        leaf: int | None = None,
        memory: int | None = None,
        replace: bool = False,
        on_event: _OnEvent | None = None,
        cancel: Cancel | None = None,
    ) -> TreeState: ...
    def check(
        self,
        *,
        root: str | None = None,
        on_event: _OnEvent | None = None,
        cancel: Cancel | None = None,
    ) -> TreeState: ...

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
    level: _Levels | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Acquired:
    """Acquires a device, a file or an image into images."""

def verify(
    image: _Path,
    *,
    log: _Path | None = None,
    key: _Path | None = None,
    against: _Path | None = None,
    digests: dict[str, str] | None = None,
    raw: bool = False,
    once: bool = False,
    level: _Levels | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Verified:
    """Verifies an image by what states its digests, and by another medium or image."""

def list_files(
    paths: _Paths,
    *,
    only: Literal["live", "deleted", "unallocated"] | None = None,
    recursive: bool = False,
    follow: bool = False,
    level: _Levels | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Rows[ListRow, None]:
    """Lists the contents of images, file systems and archives, without reading content."""

def extract(
    image: _Path,
    to: _Path,
    members: _Paths | None = None,
    *,
    deleted: bool = False,
    depth: int = 1,
    most_bytes: int | None = None,
    most_files: int | None = None,
    level: _Levels | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Rows[ExtractRow, ExtractSummary]:
    """Writes members of an image or archive below a new directory, each read back and compared."""

def cat(
    name: _Path,
    *,
    part: Literal["content", "slack", "stored"] = "content",
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> bytes:
    """The bytes of a member of an image, file system or archive, by its printed name."""

def cat_to(
    name: _Path,
    output: _Path,
    *,
    part: Literal["content", "slack", "stored"] = "content",
    replace: bool = False,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> int:
    """Writes the bytes of a member into a file; how many they are."""

def member_runs(name: _Path, *, part: Literal["content", "slack", "stored"] = "content") -> list[dict[str, int | None]] | None:
    """Where the bytes of a member lie, a dictionary for each run; None if not stored as they are."""

def selftest(directory: _Path | None = None, *, size: int = 67108864, cancel: Cancel | None = None) -> Rows[SelftestTest, SelftestSummary]:
    """Tests pfh on this machine and in a directory: digests, verdicts, the file system, speeds."""

def disks(*, every: bool = False, read: bool = True, system: _Path | None = None) -> Rows[Disk, None]:
    """Lists the disks of this machine, with partitions, mounts and what they hold."""

def diff(
    a: _Path,
    b: _Path,
    *,
    level: _Levels | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Rows[DiffName, None]:
    """Compares two directories or lists: a row for each name that is not the same on both sides."""

def group_similar(
    paths: _Paths,
    algorithm: str | None = None,
    *,
    threshold: int | None = None,
    linkage: Literal["complete", "single"] = "complete",
    groups: _Path | None = None,
    recursive: bool = False,
    follow: bool = False,
    versions: bool = False,
    saturated: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Rows[CompareCluster, None]:
    """Groups of similar files: a row for each."""

def match_sectors(
    images: _Paths,
    known: _Paths,
    sizes: Sequence[int],
    *,
    any_offset: bool = False,
    unallocated: bool = False,
    flagged: bool = False,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Rows[MatchFragment, MatchFragmentSummary]:
    """Finds blocks of known files on images or disks: a row for each fragment."""

def dups(
    paths: _Paths,
    *,
    versions: bool = False,
    chunks: str | None = None,
    top: int | None = None,
    keep: str = "first",
    never: _Paths | None = None,
    action: str = "remove",
    script: _Path | None = None,
    replace: bool = False,
    level: _Levels | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Rows[DupsRow, None]:
    """Finds files and folders of one content: a row for each group. With `chunks` (`4096`, `cdc`) also one for each pair of files that share chunks."""

def update_manifest(
    manifest: _Path,
    paths: _Paths | None = None,
    *,
    trust_times: bool = False,
    key: _Path | None = None,
    replace: bool = False,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Rows[UpdateFile, UpdateSummary]:
    """Brings a manifest up to date: a row for each file that is new, changed or gone."""

def validate_bag(
    bag: _Path,
    *,
    level: _Levels | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Rows[BagFinding, BagSummary]:
    """Compares every file of a bag with every one of its manifests: a row for each finding."""

def create_bag(
    bag: _Path,
    algorithms: _Names | None = None,
    *,
    info: dict[str, str] | None = None,
    replace: bool = False,
    level: _Levels | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Rows[BagFinding, BagContents]:
    """Makes a bag of a folder whose files are below its ``data``; ``summary`` counts them."""

def update_bag(
    bag: _Path,
    algorithms: _Names | None = None,
    *,
    info: dict[str, str] | None = None,
    replace: bool = False,
    level: _Levels | None = None,
    on_event: _OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Rows[BagFinding, BagContents]:
    """Makes the manifests of a bag those of its files; changed contents need ``replace``."""

def export(
    result: _Path, to: Literal["timesketch", "bodyfile", "parquet"], output: _Path, *, replace: bool = False
) -> Rows[Never, None]:
    """Writes a result as ``timesketch``, ``bodyfile`` or ``parquet``."""

def report(
    results: _Paths,
    html: _Path,
    *,
    title: str | None = None,
    key: _Path | None = None,
    replace: bool = False,
) -> Rows[Never, None]:
    """Writes one page of results and case folders, and verifies their seals and chains again."""

# The function of each algorithm, under each of its names: tests/test_stubs.py --bless writes them.
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
sha512t224: Final[_Constructor]
sha512_256: Final[_Constructor]
sha_512_256: Final[_Constructor]
sha2_512_256: Final[_Constructor]
sha512t256: Final[_Constructor]
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
sm3: Final[_Constructor]
sm_3: Final[_Constructor]
whirlpool: Final[_Constructor]
tiger: Final[_Constructor]
tiger_192: Final[_Constructor]
tiger192: Final[_Constructor]
tth: Final[_Constructor]
tiger_tree: Final[_Constructor]
streebog_256: Final[_Constructor]
streebog256: Final[_Constructor]
gost12_256: Final[_Constructor]
gost_r_34_11_2012_256: Final[_Constructor]
streebog_512: Final[_Constructor]
streebog512: Final[_Constructor]
gost12_512: Final[_Constructor]
gost_r_34_11_2012_512: Final[_Constructor]
gost94: Final[_Constructor]
gost_r_34_11_94: Final[_Constructor]
gost94_cryptopro: Final[_Constructor]
md4: Final[_Constructor]
md_4: Final[_Constructor]
ed2k: Final[_Constructor]
emule: Final[_Constructor]
aich: Final[_Constructor]
crc32: Final[_Constructor]
crc_32: Final[_Constructor]
crc32b: Final[_Constructor]
crc32c: Final[_Constructor]
crc_32c: Final[_Constructor]
crc64nvme: Final[_Constructor]
crc64_nvme: Final[_Constructor]
crc_64_nvme: Final[_Constructor]
adler32: Final[_Constructor]
adler_32: Final[_Constructor]
xxh3_128: Final[_Constructor]
xxh128: Final[_Constructor]
xxh3: Final[_Constructor]
xxh64: Final[_Constructor]
xxhash64: Final[_Constructor]
xxh3_64: Final[_Constructor]
xxh32: Final[_Constructor]
xxhash32: Final[_Constructor]
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
shingles: Final[Similarity]
strings: Final[Similarity]
imports: Final[Similarity]
text: Final[Similarity]
cells: Final[Similarity]
pdq: Final[Similarity]
phash: Final[Similarity]
crops: Final[Similarity]
imphash: Final[_Constructor]
richhash: Final[_Constructor]
rich: Final[_Constructor]
rich_header: Final[_Constructor]
telfhash: Final[Similarity]
