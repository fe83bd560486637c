//! `root`: the roots that other programs compute of a file: Linux's fs-verity, Amazon S3, Amazon S3
//! Glacier.

use super::{Error, Failure, pass};
use crate::outputs::Outputs;
use crate::{jsonl, shown};
use pfh_digest::hex;
use pfh_engine::Control;
use pfh_outboard as outboard;
use pfh_source::Stream;
use pfh_source::os::processors;
use pfh_tree::foreign::{Foreign, Hash, Part};
use serde_json::json;
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Whose root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme {
    /// Linux's fs-verity: what `fsverity digest` prints.
    FsVerity,
    /// Amazon S3's ETag of a multipart upload (of files shorter than a part: of a single one).
    S3Etag,
    /// Amazon S3's composite SHA-256 checksum of a multipart upload.
    S3Sha256,
    /// Amazon S3's composite SHA-1 checksum of a multipart upload.
    S3Sha1,
    /// Amazon S3 Glacier's SHA-256 tree hash.
    Glacier,
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scheme::FsVerity => "fs-verity",
            Scheme::S3Etag => "s3-etag",
            Scheme::S3Sha256 => "s3-sha256",
            Scheme::S3Sha1 => "s3-sha1",
            Scheme::Glacier => "glacier",
        })
    }
}

/// Files, and whose root of them is computed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The files; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// Whose root.
    pub form: Scheme,
    /// S3: bytes of a part, as the upload had them; 8 MiB, as the AWS command line has it.
    pub part: u64,
    /// fs-verity: bytes of a block, 4,096.
    pub block: u64,
    /// fs-verity: SHA-512 in place of SHA-256.
    pub sha512: bool,
    /// fs-verity: the salt in hexadecimal digits, at most 64 of them.
    pub salt: String,
    /// The value that the files must have.
    pub expect: Option<String>,
}

/// The root of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// The file.
    pub file: PathBuf,
    /// Whose root.
    pub form: Scheme,
    /// The root, as the other program writes it.
    pub value: String,
    /// The value that was expected, if one was.
    pub expected: Option<String>,
}

/// What happens. Events come on the thread that called [`run`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file has this root.
    Computed(&'a Root),
    /// A file could not be read.
    Failed(&'a Failure),
}

/// Receives the events. An error ends the job with [`Error::Sink`].
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files whose root is another one than expected.
    pub differ: u64,
    /// Files that could not be read.
    pub failed: u64,
}

impl Root {
    /// Whether the file has the value that was expected; `None` if none was.
    pub fn is_expected(&self) -> Option<bool> {
        self.expected.as_ref().map(|expected| expected.trim_matches('"') == self.value)
    }

    /// One JSON object and a line feed.
    pub fn json(&self) -> Vec<u8> {
        let mut more = json!({ "form": self.form.to_string(), "root": self.value });
        if let (Some(same), Some(expected)) = (self.is_expected(), &self.expected) {
            more["verdict"] = json!(if same { "verified" } else { "differs" });
            more["expected"] = json!(expected);
        }
        jsonl::object("root", self.file.as_os_str().as_bytes(), &more)
    }

    /// A line for people.
    pub fn text(&self) -> String {
        let Root { form, value, .. } = self;
        let name = shown(&self.file);
        match self.is_expected() {
            None => format!("{value}  {name}\n"),
            Some(true) => format!("{name}: OK: has the {form} value {value}, the one expected\n"),
            Some(false) => format!("{name}: DIFFERS: has the {form} value {value}, not the one expected\n"),
        }
    }
}

impl Request {
    /// Other programs' defaults for parts and blocks.
    pub fn new(files: impl IntoIterator<Item = impl Into<PathBuf>>, form: Scheme) -> Request {
        let files = files.into_iter().map(Into::into).collect();
        Request { files, form, part: 8 << 20, block: 4096, sha512: false, salt: String::new(), expect: None }
    }

    fn begin(&self) -> Result<Foreign, Error> {
        let part = |which| Foreign::s3(which, self.part).ok_or(Error::Part);
        match self.form {
            Scheme::FsVerity => {
                let salt = hex::decode(self.salt.to_ascii_lowercase().as_bytes());
                let hash = if self.sha512 { Hash::Sha512 } else { Hash::Sha256 };
                let block = usize::try_from(self.block).unwrap_or(usize::MAX);
                salt.and_then(|salt| Foreign::fs_verity(hash, block, &salt)).ok_or(Error::Block)
            }
            Scheme::S3Etag => part(Part::ETag),
            Scheme::S3Sha256 => part(Part::Sha256),
            Scheme::S3Sha1 => part(Part::Sha1),
            Scheme::Glacier => Ok(Foreign::glacier()),
        }
    }
}

/// Computes the roots. Nothing is written.
///
/// # Errors
/// When the request makes no sense, the sink refuses an event, or the control is cancelled. A file
/// that cannot be read is an event.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.begin()?;
    Outputs::default().reads_apart(&request.files).check()?;
    let mut summary = Summary::default();
    for file in &request.files {
        let mut root = request.begin()?;
        let read = pass(processors(), control, |pass| {
            if file == Path::new("-") {
                outboard::read_stream(file, &mut Stream::standard().reader(), pass, |bytes| root.update(bytes))
            } else {
                outboard::read_file(file, pass, |bytes| root.update(bytes))
            }
        });
        match read {
            Ok(()) => {
                let (value, expected) = (root.finish(), request.expect.clone());
                let root = Root { file: file.clone(), form: request.form, value, expected };
                sink(Event::Computed(&root)).map_err(Error::Sink)?;
                summary.differ += u64::from(root.is_expected() == Some(false));
            }
            Err(failure @ Failure::Cancelled) => return Err(failure.into()),
            Err(failure) => {
                sink(Event::Failed(&failure)).map_err(Error::Sink)?;
                summary.failed += 1;
            }
        }
    }
    Ok(summary)
}
