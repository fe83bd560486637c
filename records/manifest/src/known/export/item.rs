//! The export: items and format.

use pfh_digest::Digest;
use std::fmt;
use std::str::FromStr;

/// An item of a set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Item<'a> {
    /// Its digests.
    pub digests: &'a [Digest],
    /// Its name, where the set has names; raw bytes.
    pub name: Option<&'a [u8]>,
    /// Its size in bytes, where the set has sizes.
    pub size: Option<u64>,
    /// The class: `good`, `bad`, `notable` …
    pub class: &'a str,
    /// A further remark of the set on it: `category 1`.
    pub tag: Option<&'a str>,
}

impl Item<'_> {
    /// The digits of its digest of an algorithm, in upper case as most of these forms have them.
    pub(super) fn digits(&self, algorithm: &str) -> Option<String> {
        let digest = self.digests.iter().find(|digest| digest.algorithm().name() == algorithm)?;
        Some(digest.to_string().to_ascii_uppercase())
    }
}

/// The forms of a set for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As `hashdeep` writes and reads it.
    Hashdeep,
    /// NSRL's RDSv2: `NSRLFile.txt`.
    Rdsv2,
    /// An index of The Sleuth Kit, which stands without the list that it is made of.
    Idx,
    /// EnCase's `.hash`.
    Encase,
    /// JSON of Project VIC 2.0.
    Vics,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 5] = [Form::Hashdeep, Form::Rdsv2, Form::Idx, Form::Encase, Form::Vics];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Form::Hashdeep => "hashdeep",
            Form::Rdsv2 => "rdsv2",
            Form::Idx => "idx",
            Form::Encase => "encase",
            Form::Vics => "vics",
        }
    }

    /// Whether an item needs facts that only lists of files have: its name, its size, all its
    /// digests together.
    pub fn needs_files(self) -> bool {
        matches!(self, Form::Hashdeep | Form::Rdsv2)
    }

    /// Whether items must come in the order of their digests.
    pub fn is_sorted(self) -> bool {
        matches!(self, Form::Idx | Form::Encase)
    }
}

/// A text that names no form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownForm(String);

impl fmt::Display for UnknownForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Form::ALL.iter().map(|form| form.name()).collect();
        write!(f, "sets cannot be exported as {:?}; known are {} and kdb", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownForm {}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<Form, UnknownForm> {
        Form::ALL.into_iter().find(|form| form.name() == text).ok_or_else(|| UnknownForm(text.to_owned()))
    }
}
