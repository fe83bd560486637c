//! The records of the chained log, by their kinds: `docs/schema/log.json` is made from them.

use super::event::Facts;
use super::hidden::HiddenRow;
use super::identity::Identity;
use pfh_digest::Digest;
use serde::Serialize;
use std::collections::BTreeMap;

/// Digests by algorithm, as `pfh algorithms` names them; of similarity methods their text.
pub(super) type Digests = BTreeMap<String, String>;

/// Digests by their algorithms' names.
pub(super) fn by_name(digests: &[Digest]) -> Digests {
    digests.iter().map(|digest| (digest.algorithm().to_string(), digest.to_string())).collect()
}

/// A record with the time, in UTC; the chain adds members of its own.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DatedEntry<'a> {
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$")))]
    pub(super) at: String,
    #[serde(flatten)]
    pub(super) entry: &'a Entry<'a>,
    /// The log for people so far, as it was written; the record `end` has it as `log`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Text>,
}

/// A record by its kind.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub(super) enum Entry<'a> {
    /// A run begins: everything that is known before the first byte.
    Start(Box<Start<'a>>),
    /// The hidden areas of a disk, by its own word.
    Hidden(HiddenRow),
    /// The S.M.A.R.T. values of a disk.
    Smart(Smart<'a>),
    /// A damaged source image is not as its format demands.
    Departure { what: &'a str },
    /// A target failed while others went on.
    TargetFailed { cause: &'a str, target: String },
    /// Lost places were tried again.
    Retried {
        /// The first digest of the image before.
        image_before: Option<NamedDigest>,
        read: u64,
        tried: u64,
    },
    /// The run failed.
    Failed { cause: &'a str },
    /// A range could not be read, and is filled in the image.
    Unreadable { cause: String, errno: i32, length: u64, medium_offset: u64, offset: u64, sector: u64 },
    /// Digests of windows of the image; a long list is several records.
    Windows { windows: Vec<Window> },
    /// The source changed while it was read.
    Changed { what: &'a str },
    /// A target was read back.
    Verified {
        bytes: u64,
        /// Ranges of offset and length in bytes.
        differing: &'a [(u64, u64)],
        equal: bool,
        target: String,
        /// Ranges of offset and length in bytes.
        unreadable: &'a [(u64, u64)],
    },
    /// The files of a target.
    Files { files: &'a [ImageFile] },
    /// A finished log is continued.
    Reopened { why: &'static str },
    /// The run was stopped.
    Stopped { bytes: u64, cause: String },
    /// A CASE document is about to be written.
    Case {
        path: String,
        #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]+$")))]
        sha256: String,
    },
    /// The run ended.
    End(End),
}

/// The record `start`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) struct Start<'a> {
    pub(super) asked: RequestParts,
    pub(super) bytes: Option<u64>,
    pub(super) case: &'a str,
    pub(super) command: &'a str,
    pub(super) description: &'a str,
    pub(super) direct: bool,
    pub(super) evidence: &'a str,
    pub(super) examiner: &'a str,
    pub(super) facts: BTreeMap<&'static str, String>,
    pub(super) fill: String,
    pub(super) from: u64,
    pub(super) host: &'a str,
    pub(super) identity: Option<&'a Identity>,
    pub(super) kernel: &'a str,
    /// The form of each target, and where in it the image starts, in bytes.
    pub(super) layout: Vec<Form>,
    pub(super) length: Option<u64>,
    /// Places where the source is mounted, and whether for writing.
    pub(super) mounts: &'a [(String, bool)],
    pub(super) notes: &'a str,
    pub(super) physical_sector: u32,
    pub(super) remarks: &'a [String],
    pub(super) resumed_at: u64,
    pub(super) retries: u32,
    pub(super) sector: u32,
    pub(super) source: &'a str,
    pub(super) targets: Vec<String>,
    /// The authority that is asked for a time stamp of the last record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timestamp: Option<&'a str>,
    pub(super) user: &'a str,
    pub(super) version: &'static str,
    pub(super) write_block: &'static str,
}

/// Parts of a request that the record `start` does not state in members of its own.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RequestParts {
    pub(super) algorithms: Vec<String>,
    pub(super) piecewise: Option<u64>,
    pub(super) targets: Vec<String>,
}

/// The form of a target.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Form {
    pub(super) format: Format,
    pub(super) seek: u64,
}

/// The format of a target.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) enum Format {
    #[serde(rename = "raw")]
    Raw,
    #[serde(rename = "split")]
    Split,
    E01,
}

/// The record `smart`: facts with their report, or the cause why there are none.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Smart<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cause: Option<&'a str>,
    /// Main facts of smartctl's report by their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, super::event::Fact>"))]
    pub(super) facts: Option<&'a Facts>,
    /// The report as smartctl wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) report: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sha256: Option<&'a str>,
    /// The exit status of smartctl.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<i32>,
    pub(super) when: AskTime,
}

/// When the source was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum AskTime {
    /// Before the first byte was read.
    Before,
    /// Behind the last.
    After,
}

impl AskTime {
    /// `before` or `after`.
    pub(super) fn word(self) -> &'static str {
        match self {
            AskTime::Before => "before",
            AskTime::After => "after",
        }
    }
}

impl Smart<'_> {
    /// Nothing but when the disk was asked.
    pub(super) fn new(when: AskTime) -> Self {
        Smart { cause: None, facts: None, report: None, sha256: None, status: None, when }
    }
}

/// A digest with its algorithm's name.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct NamedDigest {
    pub(super) algorithm: String,
    pub(super) digest: String,
}

/// The digests of a window of the image.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Window {
    pub(super) digests: Digests,
    pub(super) length: u64,
    pub(super) offset: u64,
}

/// A file of a target; devices are not listed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ImageFile {
    pub(super) bytes: u64,
    /// The directory of a segment that does not lie beside the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) directory: Option<String>,
    /// Its bytes, escaped as for a terminal.
    pub(super) name: Option<String>,
    /// Stated where the target was read back.
    pub(super) sha256: Option<String>,
}

/// The record `end`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) struct End {
    pub(super) bytes: u64,
    /// Digests by algorithm, as `pfh algorithms` names them; of similarity methods their text.
    pub(super) digests: Digests,
    /// The log for people as it is so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) log: Option<Text>,
    pub(super) padded: u64,
    pub(super) seconds: String,
    pub(super) unreadable_bytes: u64,
}

/// The length of a file and the digest of its bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Text {
    pub(super) bytes: u64,
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]+$")))]
    pub(super) sha256: String,
}
