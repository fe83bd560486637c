//! `root`: the roots that other programs compute of a file: Linux's fs-verity, Amazon S3, Amazon S3
//! Glacier.

pub use super::rows::{Root, Scheme};
use super::{Error, Event, Events, Failure, Problem, pass};
use crate::outputs::Outputs;
use pfh_digest::hex;
use pfh_engine::Control;
use pfh_outboard as outboard;
use pfh_source::Stream;
use pfh_source::os::processors;
use pfh_tree::foreign::{Foreign, Hash, Part};
use std::path::{Path, PathBuf};

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

/// The counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files whose root is another one than expected.
    pub differ: u64,
    /// Files that could not be read.
    pub failed: u64,
}

impl Request {
    /// Other programs' defaults for parts and blocks.
    pub fn new(files: impl IntoIterator<Item = impl Into<PathBuf>>, form: Scheme) -> Request {
        let files = files.into_iter().map(Into::into).collect();
        Request { files, form, part: 8 << 20, block: 4096, sha512: false, salt: String::new(), expect: None }
    }

    /// Whether the request makes sense: the parameters are possible, no stream is read twice.
    ///
    /// # Errors
    /// When it does not.
    pub fn check(&self) -> Result<(), Error> {
        self.begin()?;
        Ok(Outputs::default().reads_apart(&self.files).check()?)
    }

    fn begin(&self) -> Result<Foreign, Error> {
        let part = |which| Foreign::s3(which, self.part).ok_or(Problem::Part).map_err(Error::from);
        match self.form {
            Scheme::FsVerity => {
                let salt = hex::decode(self.salt.to_ascii_lowercase().as_bytes());
                let hash = if self.sha512 { Hash::Sha512 } else { Hash::Sha256 };
                let block = usize::try_from(self.block).unwrap_or(usize::MAX);
                salt.and_then(|salt| Foreign::fs_verity(hash, block, &salt)).ok_or_else(|| Problem::Block.into())
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
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
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
                events(Event::Computed(&root)).map_err(Error::Sink)?;
                summary.differ += u64::from(root.is_expected() == Some(false));
            }
            Err(failure @ Failure::Cancelled) => return Err(failure.into()),
            Err(failure) => {
                events(Event::Failed(&failure)).map_err(Error::Sink)?;
                summary.failed += 1;
            }
        }
    }
    Ok(summary)
}
