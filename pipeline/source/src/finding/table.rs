//! The table of findings: one row for each fault of a format or a run that output names. An id
//! never vanishes and never changes its meaning; `docs/findings.txt` is made from here.

use super::level::Level;
use std::fmt;

/// A row of the table.
#[derive(Debug)]
struct Row {
    /// The stable id, `area/name`.
    pub id: &'static str,
    /// The level without a request.
    pub level: Level,
    /// The lowest level that a request may give it.
    pub lowest: Level,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
    /// The remedy, in a sentence.
    pub remedy: &'static str,
}

/// Of each variant its id, its level and the lowest level, its meaning and its remedy.
macro_rules! findings {
    ($($name:ident: $id:literal, $level:ident >= $lowest:ident, $meaning:literal, $remedy:literal;)*) => {
        /// A fault of a format or a run, by its stable id. A finding that has no row here has no
        /// name, and cannot be said.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FindingId {
            $(#[doc = $meaning] $name,)*
        }

        impl FindingId {
            /// Every finding, area by area.
            pub const ALL: &'static [FindingId] = &[$(FindingId::$name,)*];
        }

        /// In the order of [`FindingId::ALL`].
        static ROWS: &[Row] = &[$(Row {
            id: $id,
            level: Level::$level,
            lowest: Level::$lowest,
            meaning: $meaning,
            remedy: $remedy,
        },)*];
    };
}

impl FindingId {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The stable id, `area/name`.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// Its meaning, in a sentence.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// The remedy, in a sentence.
    pub fn remedy(self) -> &'static str {
        self.row().remedy
    }

    /// The level without a request.
    pub fn level(self) -> Level {
        self.row().level
    }

    /// The lowest level that a request may give it.
    pub fn lowest(self) -> Level {
        self.row().lowest
    }

    /// Why it has no level below its lowest one.
    pub fn bound(self) -> &'static str {
        match self.lowest() {
            Level::Ignore => "any level is allowed",
            Level::Warn => "something was not read, compared or made, and that is always said",
            Level::Error => "a difference, or bytes without a digest, always count",
        }
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

findings! {
    FileMissing: "file/missing", Error >= Error,
        "A named file is not there.",
        "Look at the spelling and at the working directory.";
    FileDenied: "file/denied", Error >= Error,
        "The system denies access to a file or directory.",
        "Read it as a user who may, or as root.";
    FileUnreadable: "file/unreadable", Error >= Error,
        "The system fails to list, open or read a file or directory.",
        "See the cause; a failing disk is imaged by pfh acquire.";
    FileChanged: "file/changed", Error >= Error,
        "A file changed while it was read.",
        "Read it again when it is at rest, or from a snapshot.";
    FileSize: "file/size", Error >= Error,
        "Fewer or more bytes came than the file system states.",
        "Read it again; the file system is damaged, or the sizes that it states are wrong.";
    FileDirectory: "file/directory", Error >= Error,
        "A directory is named, and recursion was not asked for.",
        "Ask for recursion with -r.";
    FileLoop: "file/loop", Error >= Error,
        "A directory contains itself, through a link or a mount.",
        "Name the directories that are meant.";
    FileReplaced: "file/replaced", Error >= Error,
        "A file is of another kind than the directory listed.",
        "Read it again when nothing writes there.";
    FileKind: "file/kind", Error >= Error,
        "A list names something as a file that is a link, a directory or a device.",
        "See who replaced the file.";
    FileSpecial: "file/special", Error >= Error,
        "A FIFO, socket or device is named, and reading those was not asked for.",
        "Ask for it with --special.";
    FileElsewhere: "file/elsewhere", Error >= Error,
        "The content is in a cloud or on a tape, and reading it would fetch it.",
        "Fetch it first.";
    FileStalled: "file/stalled", Error >= Error,
        "A read did not end within the time allowed.",
        "Look at the disk or the network; --stall-timeout allows more.";
    FileName: "file/name", Error >= Error,
        "A name cannot be a path of this system.",
        "Correct the list of names.";
    FileOutside: "file/outside", Error >= Error,
        "A name leads out of the directory in which all names must stay.",
        "See whether the list is to be trusted; check takes --allow-outside.";
    FileSystem: "file/system", Error >= Error,
        "This build or system cannot read such a device.",
        "Read it on Linux with pfh's own system layer.";
    FileAdministrator: "file/administrator", Error >= Error,
        "The system lets only an administrator open this device.",
        "Run pfh as administrator.";
    ImageDamaged: "image/damaged", Error >= Error,
        "An image is damaged, or of a format that is not read as one.",
        "Compare it with its log or another copy.";
    InsideUnread: "inside/unread", Error >= Error,
        "A member or structure in a container is damaged, or stored in a way that is not read.",
        "See the cause; read the member by the program that made the container.";
    InsideUnopened: "inside/unopened", Error >= Warn,
        "A container is recognised and not opened: not read, encrypted, incomplete or damaged.",
        "See the cause; the container itself has its digest.";
    InsideResidue: "inside/residue", Error >= Warn,
        "A container holds bytes that no member has.",
        "Look at them: list --account shows where, --salvage reads them.";
    InsideTwice: "inside/twice", Error >= Error,
        "A container has a second member of one name.",
        "Programs differ in which of the two they take: look at both.";
    InsideBomb: "inside/bomb", Error >= Error,
        "A member gives more bytes than its container may.",
        "Raise the bound with --expand if it is to be trusted.";
    InsideSlow: "inside/slow", Error >= Error,
        "A container took longer than it may.",
        "Raise the bound with --container-timeout.";
    InsidePassword: "inside/password", Error >= Error,
        "A member is under a password, and none was given.",
        "Give it in a file with --password-file.";
    ZipUnlistedMember: "zip/unlisted-member", Error >= Warn,
        "A zip holds a member that its directory does not list.",
        "Programs that read the directory hide it: --salvage reads it.";
    ZipAround: "zip/around", Error >= Warn,
        "Bytes stand in front of or behind a zip.",
        "Look at them: a program, a signature, or something hidden.";
    ZipContradiction: "zip/contradiction", Error >= Error,
        "The directory of a zip and a member's own header contradict each other.",
        "Programs differ in which of the two they take: --salvage reads both.";
    StoreMissing: "store/missing", Error >= Error,
        "A store has no such object.",
        "Look at the spelling of the address.";
    StoreDenied: "store/denied", Error >= Error,
        "A store denies the object.",
        "Look at the credentials and their rights.";
    StoreChanged: "store/changed", Error >= Error,
        "An object is another one than was listed.",
        "Read it again when it is at rest.";
    StoreTruncated: "store/truncated", Error >= Error,
        "Fewer or more bytes of an object came than were promised.",
        "Read it again.";
    StoreName: "store/name", Error >= Error,
        "A store cannot have an object of this name.",
        "Correct the address.";
    StoreFailed: "store/failed", Error >= Error,
        "A store gives an error or a wrong answer.",
        "See the cause, and try again.";
    SkipLink: "skip/link", Warn >= Ignore,
        "A symbolic link is not followed.",
        "Follow links with -L.";
    SkipSpecial: "skip/special", Warn >= Ignore,
        "A FIFO, socket or device was met and not read.",
        "Name it, with --special.";
    SkipFileSystem: "skip/file-system", Warn >= Ignore,
        "A directory on another file system was left out.",
        "Leave --one-file-system away.";
    SkipDirectory: "skip/directory", Warn >= Ignore,
        "A directory was left out, as files alone were asked for.",
        "Ask for recursion.";
    SkipAttribute: "skip/attribute", Warn >= Ignore,
        "An extended attribute of macOS is not opened as a file.",
        "Read the attribute by its file.";
    SkipOutput: "skip/output", Warn >= Ignore,
        "An output of the run itself was left out.",
        "Write outputs elsewhere.";
    SkipMember: "skip/member", Warn >= Ignore,
        "A member of a container has no content of its own, or lies too deep to be opened.",
        "See the cause; --depth goes deeper.";
    SkipContainer: "skip/container", Warn >= Ignore,
        "A container is recognised and not read, and the request passes over such ones.",
        "Use --inside in place of --inside lenient.";
    ListLongLine: "list/long-line", Error >= Warn,
        "A line of a list is longer than is read.",
        "Raise --memory.";
    ListNul: "list/nul", Error >= Warn,
        "A line of a list holds a NUL byte.",
        "See whether it is a list; records that end with NUL are read with -z.";
    ListMalformed: "list/malformed", Error >= Warn,
        "A line of a list has not the form of its format.",
        "check --warn names the lines.";
    ListDigestLength: "list/digest-length", Error >= Warn,
        "A digest has a length that its algorithm does not give.",
        "Name the algorithm with -a, or correct the line.";
    ListUnknownAlgorithm: "list/unknown-algorithm", Error >= Warn,
        "A record has digests of algorithms alone that pfh does not know.",
        "Check these by the program that made the list.";
    ListMemberTwice: "list/member-twice", Error >= Warn,
        "A record in JSON has one member twice.",
        "Which one counts is open: make the list again.";
    ListNeedsKey: "list/needs-key", Error >= Warn,
        "A record has digests alone that need a key.",
        "Give the key with --key-file.";
    ListOtherAlgorithm: "list/other-algorithm", Ignore >= Ignore,
        "A record is of another algorithm than was asked for.",
        "Name its algorithm with -a.";
    ListKind: "list/kind", Error >= Warn,
        "A record has digests of a directory or a link, not of a file.",
        "Check these by the program that made the list.";
    ListNoDigest: "list/no-digest", Error >= Warn,
        "A record names a file and no digest of it.",
        "Make the list again.";
    ListNotUnderstood: "list/not-understood", Error >= Error,
        "A list is a document of another kind.",
        "Name the format, or give the list that is meant.";
    ListFailed: "list/failed", Error >= Warn,
        "A record states that the file could not be read when the list was made.",
        "Hash the file now.";
    ListForeign: "list/foreign", Error >= Warn,
        "A record has digests of unknown or keyed algorithms besides those that are compared.",
        "Check these by the program that made the list, or give the key.";
    ListNoEnd: "list/no-end", Error >= Warn,
        "A list lacks the end that it promises.",
        "It was cut off, or its writer was interrupted: find the whole one.";
    ListCount: "list/count", Error >= Warn,
        "The end of a list counts other records than it has.",
        "Records were added or removed: find the whole list.";
    ListNames: "list/names", Error >= Warn,
        "The end of a list is of other names than it has.",
        "Records were replaced: find the first list.";
    ListBrokenOff: "list/broken-off", Error >= Error,
        "A document breaks off: the rest was not read.",
        "Find the whole one.";
    ListContradiction: "list/contradiction", Error >= Error,
        "A list states two things of one file that cannot both hold.",
        "Nothing can be said by it: find out which one is right.";
    CheckDiffers: "check/differs", Error >= Error,
        "A file is not as the list states.",
        "Compare it with another copy.";
    CheckMissing: "check/missing", Error >= Ignore,
        "A listed file is not there.",
        "Name the directory with --root; --ignore-missing passes over it.";
    CheckUnread: "check/unread", Error >= Error,
        "A listed file is there and could not be read.",
        "See the cause.";
    CheckSpelling: "check/spelling", Error >= Warn,
        "A listed file is here under another spelling of its name, and was not compared.",
        "Compare it with --names as-found.";
    CheckWeak: "check/weak", Error >= Error,
        "The digest that a list states without its algorithm is only a checksum of the file.",
        "Name the algorithm with -a if the list is of that.";
    AuditTimes: "audit/times", Ignore >= Ignore,
        "The content of a file is as listed, and its modification time is not.",
        "See whether the file was copied.";
    AuditModified: "audit/modified", Error >= Error,
        "The content of a file is not as listed.",
        "Compare it with another copy.";
    AuditBitRot: "audit/bit-rot", Error >= Error,
        "The content of a file is another under the same size and times.",
        "Restore it, and examine the medium.";
    AuditMoved: "audit/moved", Error >= Ignore,
        "A file has the content of a listed one that is not there any more.",
        "Bring the list up to date with check --update.";
    AuditCopied: "audit/copied", Error >= Ignore,
        "A file has the content of a listed one that is still there.",
        "Bring the list up to date with check --update.";
    AuditNew: "audit/new", Error >= Ignore,
        "A file is not listed, neither by name nor by content.",
        "Bring the list up to date with check --update.";
    AuditMissing: "audit/missing", Error >= Warn,
        "A listed file is not in the tree.",
        "Look for it in a backup.";
    AuditUnverified: "audit/unverified", Error >= Error,
        "A listed file was not looked at: it is behind a directory or link that was not entered.",
        "See the cause; --below leaves parts out on purpose.";
    AuditUnread: "audit/unread", Error >= Error,
        "A file could not be read, or the list has no digest of it.",
        "See the cause.";
    DiffMetadata: "diff/metadata", Error >= Ignore,
        "Only the modification time differs.",
        "Compare without --metadata.";
    DiffChanged: "diff/changed", Error >= Error,
        "A name has another content in B.",
        "Look at both files.";
    DiffBitRot: "diff/bit-rot", Error >= Error,
        "A name has another content in B under the same size and time.",
        "Look at both files, and examine the media.";
    DiffMoved: "diff/moved", Error >= Ignore,
        "B has a content under another name than A.",
        "None is needed if the move is meant.";
    DiffCopied: "diff/copied", Error >= Ignore,
        "B has a content of A once more.",
        "None is needed if the copy is meant.";
    DiffAdded: "diff/added", Error >= Ignore,
        "B has a file that A lacks.",
        "None is needed if B has grown on purpose.";
    DiffRemoved: "diff/removed", Error >= Warn,
        "A has a file that B lacks.",
        "Copy it, if it was not removed on purpose.";
    DiffUnread: "diff/unread", Error >= Error,
        "One side could not be read, or has no digest that the other has.",
        "See the cause.";
    ExtractTarget: "extract/target", Error >= Error,
        "The target of an extraction is not a new or empty directory.",
        "Name a new directory.";
    ExtractName: "extract/name", Error >= Error,
        "The name of a member leads out of the target, or cannot be one of a file.",
        "Write the member with cat to a name of your own.";
    ExtractUnmade: "extract/not-made", Error >= Warn,
        "A link, a device or another member that is not a file was not made.",
        "See pfh list for its target; make it by hand where it is wanted.";
    ExtractTaken: "extract/taken", Error >= Error,
        "Another member was written under this name.",
        "Write the member with cat to a name of your own.";
    ExtractUnwritten: "extract/unwritten", Error >= Error,
        "The file of a member could not be written.",
        "See the cause.";
    ExtractDiffers: "extract/differs", Error >= Error,
        "The file of a member reads back other bytes than were written.",
        "Examine the target's medium with pfh selftest.";
    ExtractMissing: "extract/missing", Error >= Error,
        "No member has the name that is asked for.",
        "See pfh list for the names.";
    ExtractLimit: "extract/limit", Error >= Error,
        "More bytes or files would be written than are allowed.",
        "Raise the bound.";
    UpdateBitRot: "update/bit-rot", Error >= Error,
        "A file changed under the size and time that are listed: its record stays.",
        "Restore it, and examine the medium.";
    UpdateUnread: "update/unread", Error >= Error,
        "A file could not be read, or nobody could look for it: its record stays.",
        "See the cause.";
    ObjectDiffers: "object/differs", Error >= Error,
        "An object differs from a digest that its store states.",
        "Fetch it again, and compare it with another copy.";
    ObjectOpen: "object/not-compared", Error >= Error,
        "Nothing that a store states of an object could be compared.",
        "See the remarks; --part-size names the size of the parts.";
    BagInvalid: "bag/invalid", Error >= Error,
        "A part of a bag is not as BagIt and its manifests have it.",
        "See the sentence.";
    BagIncomplete: "bag/incomplete", Error >= Error,
        "A part of a bag has no verdict: to be fetched, unreadable, or of an unknown algorithm.",
        "See the sentence.";
    BagWarning: "bag/warning", Warn >= Warn,
        "A bag is valid all the same, and other programs may trip over it.",
        "See the sentence.";
    VerifyDiffers: "verify/differs", Error >= Error,
        "Something contradicts an image or its log.",
        "Compare the image with another copy.";
    VerifyOpen: "verify/not-compared", Error >= Error,
        "A part of the evidence on an image could not be read, understood or compared.",
        "See the sentence.";
    VerifyFormat: "verify/format", Error >= Error,
        "The name of an image promises a format, and its content is something else.",
        "Rename it, or find the undamaged one.";
    VerifySigner: "verify/signer", Warn >= Warn,
        "A log is signed, and by whom was not checked.",
        "Name the public key with --key.";
    AcquireUnreadable: "acquire/unreadable", Error >= Error,
        "A range of a medium could not be read and was filled.",
        "Resume with more retries, or image the medium by another reader.";
    AcquireTarget: "acquire/target", Error >= Error,
        "A target failed while others went on.",
        "Copy the image from another target.";
    AcquireDiffers: "acquire/differs", Error >= Error,
        "An image reads back other bytes than were written.",
        "Examine the target's medium, and acquire again.";
    AcquireTimestamp: "acquire/timestamp", Error >= Warn,
        "The time stamp of a log could not be had.",
        "See the cause; the image is whole without it.";
    TreeDiffers: "tree/differs", Error >= Error,
        "A file, directory or proof is not as its tree or root states.",
        "See which ranges differ.";
    TreeAdded: "tree/added", Error >= Ignore,
        "A directory has a file that its catalogue lacks.",
        "Bring the catalogue up to date with tree update.";
    TreeRemoved: "tree/removed", Error >= Warn,
        "A directory lacks a file that its catalogue has.",
        "Look for it in a backup.";
    TreeUnread: "tree/unread", Error >= Error,
        "A part of a directory could not be read and compared with its catalogue.",
        "See the cause.";
    StorageRejected: "storage/rejected", Error >= Error,
        "The answer of a storage server proves nothing.",
        "See the reason; ask for the file itself.";
    StorageNotAsked: "storage/not-asked", Error >= Error,
        "A storage server was not asked, or gave no answer that could be judged.",
        "See the reason, and ask again.";
    SelftestWrong: "selftest/wrong", Error >= Error,
        "A digest or a verdict of pfh is wrong on this machine.",
        "Do not use it here, and report it.";
    SelftestLessSafe: "selftest/less-safe", Error >= Error,
        "A property does not hold here, and something is less safe for it.",
        "See the consequence and the remedy in the row.";
    SelftestUntried: "selftest/untried", Error >= Error,
        "A test could not be tried.",
        "See the detail.";
    AccountResidue: "account/residue", Error >= Warn,
        "Bytes of an image or archive are in no known use and hold something.",
        "Look at them: the row says where they are and what they look like.";
    AccountOverlap: "account/overlap", Error >= Warn,
        "Two members claim the same bytes.",
        "Look at both: one may hide the other.";
    AccountOpaque: "account/opaque", Error >= Warn,
        "Not all structures are known one by one, so that residue among them is not known.",
        "Look at the medium with a tool for its format.";
}
