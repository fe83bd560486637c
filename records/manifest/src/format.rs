//! The formats of manifests by name, and the choices within one.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// The formats of manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Digest and name, as `sha256sum` prints.
    Sums,
    /// Algorithm, name and digest, as `cksum --tag` and the BSDs print.
    Bsd,
    /// hashdeep 1.0.
    Hashdeep,
    /// Digital Forensics XML.
    Dfxml,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values with a header line.
    Csv,
    /// ssdeep's own.
    Ssdeep,
    /// sdhash's own.
    Sdbf,
    /// mrsh-v2's own.
    Mrsh,
    /// Simple file verification: names and CRC-32.
    Sfv,
    /// Dumps of storage sites: names and Adler-32; only read.
    Catalogue,
    /// The output of PowerShell's `Get-FileHash`; only read.
    Filehash,
    /// The output of `certutil -hashfile`; only read.
    Certutil,
    /// The output of `gpg --print-md`; only read.
    Gpg,
    /// Separated values of others, with a header line or without; only read.
    Table,
    /// Blocks of keys and values; only read.
    Blocks,
    /// mtree(5); only read.
    Mtree,
    /// Reports of AIDE: the new digests of changed files; only read.
    Aide,
    /// XML of others whose elements name files and digests; only read.
    Xml,
    /// JSON of others whose members name files and digests; only read.
    Json,
}

impl Format {
    /// Every format that is written, in the order of the documentation.
    pub const ALL: [Format; 10] = [
        Format::Sums,
        Format::Bsd,
        Format::Hashdeep,
        Format::Dfxml,
        Format::Jsonl,
        Format::Csv,
        Format::Ssdeep,
        Format::Sdbf,
        Format::Mrsh,
        Format::Sfv,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Sums => "sums",
            Format::Bsd => "bsd",
            Format::Hashdeep => "hashdeep",
            Format::Dfxml => "dfxml",
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
            Format::Ssdeep => "ssdeep",
            Format::Sdbf => "sdbf",
            Format::Mrsh => "mrsh",
            Format::Sfv => "sfv",
            Format::Catalogue => "catalogue",
            Format::Filehash => "filehash",
            Format::Certutil => "certutil",
            Format::Gpg => "gpg",
            Format::Table => "table",
            Format::Blocks => "blocks",
            Format::Mtree => "mtree",
            Format::Aide => "aide",
            Format::Xml => "xml",
            Format::Json => "json",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat {
    text: String,
    known: Vec<&'static str>,
}

impl UnknownFormat {
    /// The error of a `text` that is none of the names in `known`.
    pub fn of(text: &str, known: &[&'static str]) -> UnknownFormat {
        UnknownFormat { text: text.to_owned(), known: known.to_vec() }
    }
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown format {:?}; known are {}", self.text, self.known.join(", "))
    }
}

impl Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| UnknownFormat::of(text, &Format::ALL.map(Format::name)))
    }
}

/// The end of a record of a line-based format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// LF; names are escaped where they need it.
    #[default]
    Line,
    /// NUL; no name needs escaping.
    Nul,
}

impl End {
    pub(crate) fn byte(self) -> u8 {
        match self {
            End::Line => b'\n',
            End::Nul => 0,
        }
    }
}

/// GNU's marker between digest and name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marker {
    /// A space: the file was read in text mode, which on POSIX systems means nothing.
    #[default]
    Text,
    /// An asterisk: the file was read in binary mode.
    Binary,
}

/// Choices within a format; only `sums` and `bsd` heed them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// The end of a record.
    pub end: End,
    /// The marker in front of a name.
    pub marker: Marker,
}
