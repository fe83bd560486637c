"""The rows of jobs, as `pfh.Rows` and `pfh.Checked` have them, and the lines of `pfh hash -f jsonl` (``Hash…``).

Made by tools/python/tests/test_rows.py from docs/schema: change nothing here.
"""

from typing import Literal, NotRequired, TypedDict


class AuditVerdictFinds(TypedDict):
    """The chance that an audit finds a loss."""

    loss: float
    probability: float


class AuditVerdict(TypedDict):
    """A verdict over an answer."""

    algorithm: str
    audit: Literal["proved", "rejected", "not-asked"]
    compared_with: Literal["root", "copy", "token"]
    files: NotRequired[int]
    files_asked: NotRequired[int]
    finds: AuditVerdictFinds
    id: NotRequired[str]
    leaves: int
    leaves_of_file: int
    level: NotRequired[Literal["ignore", "warn", "error"]]
    path: str
    reason: str | None
    seconds: float | None
    signed: bool
    signed_by: str | None
    signer_was_asked_for: bool | None
    transcript: str | None
    type: Literal["audit", "audit-set"]
    verdict: Literal["verified", "differs", "incomplete", "nothing-to-compare-with"]


class BagFinding(TypedDict):
    """A finding in a bag."""

    id: str
    level: Literal["ignore", "warn", "error"]
    path: str
    severity: Literal["warning", "incomplete", "error"]
    type: Literal["finding"]
    what: str


class BagSummary(TypedDict):
    """A bag."""

    algorithms: list[str]
    bytes: int
    errors: int
    files: int
    incomplete: int
    tag_files: int
    to_fetch: int
    type: Literal["summary"]
    verdict: Literal["verified", "differs", "incomplete", "nothing-to-compare-with"]
    version: str | None
    warnings: int


class BagContents(TypedDict):
    """A bag that was packed. Nothing was compared."""

    algorithms: list[str]
    bytes: int
    files: int
    tag_files: int
    type: Literal["summary"]


class CheckFileReread(TypedDict):
    """A second read of a file that differs."""

    cause: NotRequired[str]
    first: dict[str, str]
    outcome: Literal["same", "once", "other", "changing", "unread"]
    second: dict[str, str]
    uncached: bool


class CheckFile(TypedDict):
    """A listed file."""

    cause: NotRequired[str]
    id: NotRequired[str]
    level: NotRequired[Literal["ignore", "warn", "error"]]
    path: str
    reread: NotRequired[CheckFileReread]
    result: Literal["ok", "failed", "missing", "unread", "ignored"]
    type: Literal["check"]


#: A file of an audit.
CheckAudit = TypedDict(
    "CheckAudit",
    {
        "cause": NotRequired[str],
        "class": Literal["matched", "metadata-only", "modified", "bit-rot", "moved", "copied", "new", "missing", "unverified", "error"],
        "evidence": NotRequired[Literal["ctime-differs", "ctime-unknown", "ctime-same"]],
        "from": NotRequired[str],
        "id": NotRequired[str],
        "level": NotRequired[Literal["ignore", "warn", "error"]],
        "partly": NotRequired[Literal[True]],
        "path": str,
        "reread": NotRequired[CheckFileReread],
        "type": Literal["audit"],
    },
)


class CheckSummaryFindings(TypedDict):
    """How many findings of one kind there are."""

    count: int
    id: str
    level: Literal["ignore", "warn", "error"]


class CheckSummaryReread(TypedDict):
    """Files that differ and were read a second time."""

    changing: int
    once: int
    other: int
    same: int
    unread: int


class CheckSummaryShare(TypedDict):
    """The share that was checked."""

    bytes: int
    files: int
    never: int
    oldest: NotRequired[int]
    read: int
    total: int


class CheckSummary(TypedDict):
    """How many listed files there are, and their outcomes."""

    algorithms: dict[str, int]
    expected: int
    failed: int
    findings: list[CheckSummaryFindings]
    ignored: int
    missing: int
    not_compared: list[str]
    reread: CheckSummaryReread
    share: NotRequired[CheckSummaryShare]
    type: Literal["summary"]
    unread: int
    verdict: Literal["verified", "differs", "incomplete", "nothing-to-compare-with"]
    verified: int


#: How many files of an audit are of each class.
CheckAuditSummary = TypedDict(
    "CheckAuditSummary",
    {
        "beyond": int,
        "bit-rot": int,
        "copied": int,
        "error": int,
        "examined": int,
        "expected": int,
        "findings": list[CheckSummaryFindings],
        "matched": int,
        "metadata-only": int,
        "missing": int,
        "modified": int,
        "moved": int,
        "new": int,
        "passed": bool,
        "reread": CheckSummaryReread,
        "type": Literal["summary"],
        "unverified": int,
        "verdict": Literal["verified", "differs", "incomplete", "nothing-to-compare-with"],
    },
)


class CheckObjectStated(TypedDict):
    """A stated value."""

    algorithm: str
    by: str
    found: NotRequired[str]
    part_size: NotRequired[int]
    parts: NotRequired[int]
    result: Literal["same", "differs", "not-compared"]
    stated: str


class CheckObject(TypedDict):
    """An object against the values that its store states."""

    id: NotRequired[str]
    level: NotRequired[Literal["ignore", "warn", "error"]]
    path: str
    remarks: list[str]
    stated: list[CheckObjectStated]
    type: Literal["object"]
    verdict: Literal["verified", "differs", "incomplete", "nothing-to-compare-with"]


class CheckObjectSummary(TypedDict):
    """The result for all objects."""

    compared: dict[str, int]
    failed: int
    not_compared: list[str]
    nothing: int
    objects: int
    type: Literal["summary"]
    unread: int
    verdict: Literal["verified", "differs", "incomplete", "nothing-to-compare-with"]
    verified: int


class CompareClusterMembers(TypedDict):
    """An input."""

    path: str


class CompareCluster(TypedDict):
    """Inputs that are similar to each other, or by way of others where no weakest pair is given."""

    algorithm: str
    cluster: int
    members: list[CompareClusterMembers]
    representative: NotRequired[CompareClusterMembers]
    size: int
    type: Literal["cluster"]
    weakest: NotRequired[int]


#: A name.
DiffName = TypedDict(
    "DiffName",
    {
        "cause": NotRequired[str],
        "class": Literal["same", "metadata", "changed", "bit-rot", "moved", "copied", "added", "removed", "error"],
        "evidence": NotRequired[Literal["ctime-differs", "ctime-unknown", "ctime-same"]],
        "from": NotRequired[str],
        "id": NotRequired[str],
        "level": NotRequired[Literal["ignore", "warn", "error"]],
        "partly": NotRequired[Literal[True]],
        "path": str,
        "type": Literal["diff"],
    },
)


class DiskContent(TypedDict):
    cause: NotRequired[str]
    format: NotRequired[str]
    label: NotRequired[str]
    state: str


DiskHiddenDco = TypedDict(
    "DiskHiddenDco",
    {
        "cause": str | None,
        "native-sectors": int | None,
        "state": str,
        "visible-sectors": int | None,
    },
)


class DiskHiddenSecurity(TypedDict):
    cause: str | None
    enabled: bool | None
    locked: bool | None
    state: str


class DiskHidden(TypedDict):
    """The hidden parts of a disk, as a row of the log and of the report."""

    dco: DiskHiddenDco
    hpa: DiskHiddenDco
    security: DiskHiddenSecurity


class DiskHolders(TypedDict):
    alias: str
    kind: str
    name: str


class DiskMounts(TypedDict):
    path: str
    writable: bool


class DiskPartitions(TypedDict):
    content: DiskContent
    holders: list[DiskHolders]
    kind: str
    label: str
    mounts: list[DiskMounts]
    name: str
    number: int
    path: NotRequired[str]
    size: int
    start: int
    write_blocked: bool


class Disk(TypedDict):
    backing_file: NotRequired[str]
    bus: str
    content: DiskContent
    encrypted: bool
    firmware: str
    hidden: DiskHidden | None
    holders: list[DiskHolders]
    model: str
    mounts: list[DiskMounts]
    name: str
    partitions: list[DiskPartitions]
    path: str
    physical_sector: int
    removable: bool
    rotational: bool | None
    sector: int
    serial: str
    size: int
    table: str
    temperature: float | None
    type: Literal["disk"]
    write_blocked: bool
    wwid: str


class DupsGroupCopiesLinks(TypedDict):
    """A file or folder."""

    path: str


class DupsGroupCopies(TypedDict):
    links: NotRequired[list[DupsGroupCopiesLinks]]
    path: str
    shared: NotRequired[Literal[True]]
    stays: NotRequired[Literal[True]]


class DupsGroup(TypedDict):
    """Files of one content."""

    algorithm: str
    copies: list[DupsGroupCopies]
    digest: str
    reclaimable: int
    size: int
    type: Literal["group"]


class DupsFolders(TypedDict):
    """Folders of one content."""

    bytes: int
    files: int
    folders: list[DupsGroupCopiesLinks]
    type: Literal["folders"]


class DupsSharedFiles(TypedDict):
    path: str
    size: int


class DupsShared(TypedDict):
    """Two files that have chunks in common."""

    bytes: int
    chunks: int
    files: list[DupsSharedFiles]
    type: Literal["shared"]


class DupsError(TypedDict):
    """A name that could not be read, or changed meanwhile: it is in no group."""

    cause: str
    code: str
    id: str
    length: NotRequired[int]
    level: Literal["ignore", "warn", "error"]
    offset: NotRequired[int]
    path: str
    stage: str
    type: Literal["error"]


class DupsSkip(TypedDict):
    """A link or another thing that is not a file."""

    cause: str
    code: str
    id: str
    level: NotRequired[Literal["ignore", "warn", "error"]]
    path: str
    type: Literal["skipped"]


class ExtractFile(TypedDict):
    """A member that is in a file."""

    digests: dict[str, str]
    member: str
    path: str
    size: int
    type: Literal["file"]


class ExtractSkip(TypedDict):
    """A link, a device or another member that is not a file."""

    cause: str
    code: str
    id: str
    level: NotRequired[Literal["ignore", "warn", "error"]]
    path: str
    type: Literal["skipped"]


class ExtractError(TypedDict):
    """A member that is in no file."""

    cause: str
    code: str
    id: str
    level: Literal["ignore", "warn", "error"]
    path: str
    type: Literal["error"]


class ExtractSummary(TypedDict):
    """The counts: the last row, which a run that was interrupted lacks."""

    bytes: int
    errors: int
    files: int
    skipped: int
    type: Literal["summary"]


class HashBase(TypedDict):
    """The directory in which relative names start."""

    path: str
    path_b64: NotRequired[str]
    type: Literal["base"]


class HashFileInside(TypedDict):
    """The container's statements about it."""

    compressed: NotRequired[Literal[True]]
    container: str
    container_b64: NotRequired[str]
    crtime: NotRequired[str]
    deleted: NotRequired[Literal[True]]
    dtime: NotRequired[str]
    inode: NotRequired[int]
    kind: str
    overwritten: NotRequired[Literal[True]]
    partition: NotRequired[int]
    resident: NotRequired[Literal[True]]
    unallocated: NotRequired[Literal[True]]
    volume_offset: NotRequired[int]


class HashFilePieces(TypedDict):
    """A window of a file."""

    digests: dict[str, str]
    length: int
    offset: int


class HashFile(TypedDict):
    """A file with its digests."""

    atime: NotRequired[str]
    ctime: NotRequired[str]
    digests: dict[str, str]
    inside: NotRequired[HashFileInside]
    kind: NotRequired[str]
    mtime: NotRequired[str]
    notes: NotRequired[list[str]]
    path: str
    path_b64: NotRequired[str]
    pieces: NotRequired[list[HashFilePieces]]
    size: int
    type: Literal["file"]


class HashSkip(TypedDict):
    """An input that has no digest by its kind."""

    cause: str
    code: str
    id: str
    level: NotRequired[Literal["ignore", "warn", "error"]]
    path: str
    path_b64: NotRequired[str]
    type: Literal["skipped"]


class HashError(TypedDict):
    """An input that could not be read."""

    cause: str
    code: str
    id: str
    length: NotRequired[int]
    level: Literal["ignore", "warn", "error"]
    offset: NotRequired[int]
    path: str
    path_b64: NotRequired[str]
    stage: str
    type: Literal["error"]


class HashSummary(TypedDict):
    """The counts of the manifest: its last line."""

    bytes: int
    errors: int
    files: int
    names: str
    skipped: int
    type: Literal["summary"]


class ListFileInside(TypedDict):
    """The metadata that its container states."""

    compressed: NotRequired[Literal[True]]
    container: str
    crtime: NotRequired[str]
    deleted: NotRequired[Literal[True]]
    dtime: NotRequired[str]
    inode: NotRequired[int]
    kind: str
    overwritten: NotRequired[Literal[True]]
    partition: NotRequired[int]
    resident: NotRequired[Literal[True]]
    unallocated: NotRequired[Literal[True]]
    volume_offset: NotRequired[int]


class ListFile(TypedDict):
    """An entry."""

    atime: NotRequired[str]
    ctime: NotRequired[str]
    inside: ListFileInside
    mtime: NotRequired[str]
    path: str
    size: NotRequired[int]
    type: Literal["file"]


class ListSnapshot(TypedDict):
    """A snapshot of a volume; its files follow."""

    created: NotRequired[str]
    id: str
    number: int
    path: str
    set: NotRequired[str]
    size: int
    type: Literal["snapshot"]


class ListSkip(TypedDict):
    """An entry that is not listed."""

    cause: str
    code: str
    id: str
    path: str
    type: Literal["skipped"]


class ListError(TypedDict):
    """A container that could not be read whole."""

    cause: str
    code: str
    id: str
    level: Literal["ignore", "warn", "error"]
    path: str
    stage: str
    type: Literal["error"]


MatchFragmentFiles = TypedDict(
    "MatchFragmentFiles",
    {
        "class": str,
        "offset": int,
        "path": str,
        "set": str,
        "size": int,
    },
)


class MatchFragment(TypedDict):
    """Adjacent known blocks of an image."""

    block_size: int
    blocks: int
    cut_blocks: int
    files: list[MatchFragmentFiles]
    flagged: int
    flags: list[Literal["constant", "few-values", "white-space", "ramp", "histogram", "low-entropy", "common"]]
    length: int
    more_files: int
    offset: int
    path: str
    type: Literal["fragment"]
    verdict: Literal["known-bad", "known-good", "known", "maybe", "unknown", "error"]


class MatchFragmentSummarySizes(TypedDict):
    block_size: int
    blocks: int
    cut_blocks: int
    flagged: int
    fragments: int


#: The result of the whole search.
MatchFragmentSummary = TypedDict(
    "MatchFragmentSummary",
    {
        "algorithms": list[str],
        "any_offset": bool,
        "bytes": int,
        "errors": int,
        "flagged_fragments": int,
        "gaps": int,
        "images": int,
        "known": int,
        "known-bad": int,
        "known-good": int,
        "maybe": int,
        "sizes": list[MatchFragmentSummarySizes],
        "type": Literal["summary"],
        "unread": int,
    },
)


class SelftestTest(TypedDict):
    """A test."""

    consequence: NotRequired[str]
    detail: str
    group: Literal["machine", "digests", "known", "files", "speed"]
    id: NotRequired[str]
    level: NotRequired[Literal["ignore", "warn", "error"]]
    name: str
    remedy: NotRequired[str]
    standing: Literal["holds", "note", "less-safe", "untried", "wrong"]
    type: Literal["test"]


#: How many tests came out how.
SelftestSummary = TypedDict(
    "SelftestSummary",
    {
        "holds": int,
        "less-safe": int,
        "type": Literal["summary"],
        "untried": int,
        "verdict": Literal["verified", "differs", "incomplete", "nothing-to-compare-with"],
        "wrong": int,
    },
)


#: A file whose record changed, or stays although the file does not agree with it.
UpdateFile = TypedDict(
    "UpdateFile",
    {
        "cause": NotRequired[str],
        "class": Literal["new", "moved", "changed", "metadata-only", "gone", "bit-rot", "unread"],
        "evidence": NotRequired[Literal["ctime-differs", "ctime-unknown", "ctime-same"]],
        "from": NotRequired[str],
        "id": NotRequired[str],
        "level": NotRequired[Literal["ignore", "warn", "error"]],
        "path": str,
        "type": Literal["update"],
    },
)


#: How many records became what.
UpdateSummary = TypedDict(
    "UpdateSummary",
    {
        "beyond": int,
        "bit-rot": int,
        "changed": int,
        "gone": int,
        "improper": int,
        "metadata-only": int,
        "moved": int,
        "new": int,
        "sealed": bool,
        "trusted": int,
        "type": Literal["summary"],
        "unchanged": int,
        "unread": int,
        "unwritten": int,
        "verdict": Literal["verified", "differs", "incomplete", "nothing-to-compare-with"],
        "written": bool,
    },
)


CheckRow = CheckFile | CheckAudit | CheckSummary | CheckAuditSummary | CheckObject | CheckObjectSummary
DupsRow = DupsGroup | DupsFolders | DupsShared | DupsError | DupsSkip
ExtractRow = ExtractFile | ExtractSkip | ExtractError | ExtractSummary
HashRow = HashBase | HashFile | HashSkip | HashError | HashSummary
ListRow = ListFile | ListSnapshot | ListSkip | ListError
