//! A record of a result of any command.

use pfh_source::Time;

/// The times of a file, in the order of [`Row::times`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Last change of the content.
    Modified,
    /// Last change of the metadata.
    Changed,
    /// Last access.
    Accessed,
    /// When the file was made.
    Born,
    /// When the file was deleted.
    Deleted,
}

impl Clock {
    /// All, in the order of [`Row::times`].
    pub const ALL: [Clock; 5] = [Clock::Modified, Clock::Changed, Clock::Accessed, Clock::Born, Clock::Deleted];

    /// The member of JSON lines, and the column of tables.
    pub fn name(self) -> &'static str {
        match self {
            Clock::Modified => "mtime",
            Clock::Changed => "ctime",
            Clock::Accessed => "atime",
            Clock::Born => "crtime",
            Clock::Deleted => "dtime",
        }
    }
}

/// A record of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The type of the line: `file`, `piece`, `match`, `error`, `skipped`, `base`.
    pub kind: String,
    /// The name; raw bytes.
    pub path: Vec<u8>,
    /// The size in bytes.
    pub size: Option<u64>,
    /// Where a piece, or an error, begins.
    pub offset: Option<u64>,
    /// The length of it.
    pub length: Option<u64>,
    /// The times, in the order of [`Clock::ALL`].
    pub times: [Option<Time>; 5],
    /// Digests: the algorithm's name and the text.
    pub digests: Vec<(String, String)>,
    /// The verdict of known sets.
    pub verdict: Option<String>,
    /// The names of the sets that hold it.
    pub sets: Vec<String>,
    /// All that is known of these sets: an array in JSON.
    pub sets_json: Option<String>,
    /// The inode, or what the file system has in its place.
    pub inode: Option<u64>,
    /// Whether the file system has forgotten the file.
    pub is_deleted: bool,
    /// A container's facts about the file: an object in JSON.
    pub inside: Option<String>,
    /// Remarks on the file.
    pub notes: Vec<String>,
    /// The finding, by its id.
    pub id: Option<String>,
    /// The level of the finding.
    pub level: Option<String>,
    /// The step that failed.
    pub stage: Option<String>,
    /// The code of the failure, or of why it was skipped.
    pub code: Option<String>,
    /// The same for people.
    pub cause: Option<String>,
    /// Members without a field here: an object in JSON.
    pub other: Option<String>,
}

impl Row {
    /// The digest by an algorithm of this name.
    pub fn digest(&self, algorithm: &str) -> Option<&str> {
        self.digests.iter().find(|(name, _)| name == algorithm).map(|(_, digest)| digest.as_str())
    }
}
