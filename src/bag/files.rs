//! The files of a bag, read once for all algorithms.

use super::problem::Problem;
use super::request::Request;
use crate::job::{Error, PathError};
use crate::pass::pass;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{Control, Outcome, Plan, Record};
use pfh_ledger::Facts;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Descend, FolderSource, Operands, Recurse, Selection, Source};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The folder of the payload.
pub const DATA: &[u8] = b"data";

/// The outcome of a name.
pub enum BagFile {
    /// A file: its size in bytes, and its digests.
    File(u64, Vec<Digest>),
    /// Something that is not a file.
    Other(String),
    /// Something that could not be read.
    Failed(String),
    /// Nothing.
    Missing,
}

impl BagFile {
    fn of(outcome: Outcome) -> BagFile {
        match outcome {
            Outcome::Hashed(hashed) => BagFile::File(hashed.closed.size, hashed.digests),
            Outcome::Skipped(skip) => BagFile::Other(skip.reason().to_owned()),
            Outcome::Failed(problem) if matches!(problem.code(), "ENOENT" | "ENOTDIR") => BagFile::Missing,
            Outcome::Failed(problem) => BagFile::Failed(problem.to_string()),
        }
    }

    /// The facts of a file, to be judged by what manifests state of it.
    pub fn facts(&self) -> Option<Facts<'_>> {
        let BagFile::File(size, digests) = self else { return None };
        Some(Facts { size: Some(*size), digests, read: true, ..Facts::default() })
    }

    /// The digest of an algorithm in small hexadecimal digits.
    pub fn digest(&self, algorithm: Algorithm) -> Option<Vec<u8>> {
        let BagFile::File(_, digests) = self else { return None };
        digests.iter().find(|digest| digest.algorithm() == algorithm).map(|digest| digest.to_string().into_bytes())
    }
}

/// Files by their names in the bag.
pub type Files = BTreeMap<Vec<u8>, BagFile>;

/// Everything below `data`. Folders that could not be listed have a name of their own.
///
/// # Errors
/// When the caller ended the job, or no thread could be started.
pub fn payload(request: &Request, algorithms: &[Algorithm], control: &Control<'_>) -> Result<Files, Error> {
    // `join` would put the system's separator between them, and names have `/`.
    let mut data = request.bag.as_os_str().as_bytes().to_vec();
    if !data.is_empty() && !data.ends_with(b"/") {
        data.push(b'/');
    }
    data.extend_from_slice(b"data");
    below(request, data, Selection::default(), algorithms, control)
}

/// All tag files: the files beside `data`, but for the manifests of tag files. No link is followed.
///
/// # Errors
/// As for [`payload`].
pub fn beside(request: &Request, algorithms: &[Algorithm], control: &Control<'_>) -> Result<Files, Error> {
    let not_data = Selection::new(&[], &["/data".to_owned()], None, None).unwrap_or_default();
    let mut files = below(request, request.bag.as_os_str().as_bytes().to_vec(), not_data, algorithms, control)?;
    files.retain(|name, _| !name.starts_with(b"tagmanifest-"));
    Ok(files)
}

fn below(
    request: &Request,
    path: Vec<u8>,
    selection: Selection,
    algorithms: &[Algorithm],
    control: &Control<'_>,
) -> Result<Files, Error> {
    let descend = Descend { recurse: Recurse::Yes, selection, ..Descend::default() };
    let source = || -> Box<dyn Source> { Box::new(Operands::new(vec![path.clone()], descend.clone())) };
    let bag = [request.bag.as_os_str().as_bytes(), b"/"].concat();
    let mut files = Files::new();
    let mut take = |record: Record| {
        let rest = record.name.strip_prefix(&bag[..bag.len() - 1]).unwrap_or(&record.name);
        let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
        files.insert(rest[slashes..].to_vec(), BagFile::of(record.outcome));
        Ok(())
    };
    let plan = plan(request, algorithms)?;
    let ran = pass(source(), || Some(source()), &plan, &mut take, control)?;
    if ran.interrupted { Err(Error::cancelled(Problem::Interrupted)) } else { Ok(files) }
}

/// The tag files of these names. No name may lead out of the bag.
///
/// # Errors
/// As for [`payload`]; also when the bag cannot be opened.
pub fn tags(
    request: &Request,
    names: Vec<Vec<u8>>,
    algorithms: &[Algorithm],
    control: &Control<'_>,
) -> Result<Files, Error> {
    let root = request.bag.as_os_str().as_bytes();
    let open = |problem: pfh_source::Problem| Error::input(PathError::new(&request.bag, problem));
    let source = FolderSource::open(root, names.iter().collect()).map_err(open)?;
    let mut files = Files::new();
    let mut take = |record: Record| {
        files.insert(record.name, BagFile::of(record.outcome));
        Ok(())
    };
    let ran = pass(Box::new(source), || None, &plan(request, algorithms)?, &mut take, control)?;
    if ran.interrupted { Err(Error::cancelled(Problem::Interrupted)) } else { Ok(files) }
}

/// Without an algorithm that is known files are read all the same, to see that they can be.
fn plan(request: &Request, algorithms: &[Algorithm]) -> Result<Plan, Error> {
    let mut algorithms = algorithms.to_vec();
    if algorithms.is_empty() {
        algorithms.push("sha512".parse().map_err(|_| Error::request(Problem::Algorithm("sha512".into())))?);
    }
    Ok(Plan { algorithms, piecewise: None, ..request.plan.clone() })
}

/// The names at the top of a bag, sorted.
///
/// # Errors
/// When it is not a folder that can be listed.
pub fn names(bag: &Path) -> Result<Vec<Vec<u8>>, Error> {
    let open = |error: io::Error| Error::input(PathError::new(bag, error));
    let mut names = Vec::new();
    for entry in std::fs::read_dir(bag).map_err(open)? {
        names.push(entry.map_err(open)?.file_name().as_bytes().to_vec());
    }
    names.sort();
    Ok(names)
}
