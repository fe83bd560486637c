//! `prove`: a part of a file, with a proof for a verifier that has the root alone.

use super::{Error, Events, Problem, beside, key};
use crate::Destination;
use crate::algorithms::Secret;
use crate::outputs::Outputs;
use pfh_engine::Control;
use pfh_outboard as outboard;
use pfh_source::Ranges;
use pfh_source::os::names::OsStrExt;
use pfh_tree::range::RangeProof;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;

/// A proof holds its range in memory: at most 4 GiB.
pub(super) const LONGEST: u64 = 4 << 30;

/// A range of a file that has a tree.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The file.
    pub file: PathBuf,
    /// Its tree.
    pub tree: PathBuf,
    /// Which part of the file, in bytes: at most 4 GiB.
    pub range: Range<u64>,
    /// The key of a tree that has one.
    pub secret: Option<Secret>,
    /// Where the proof goes.
    pub output: Destination,
    /// Whether an existing file may be replaced; inputs never are.
    pub replace: bool,
}

impl Request {
    /// The file has its tree beside it, and the proof goes to standard output.
    pub fn new(file: impl Into<PathBuf>, range: Range<u64>) -> Request {
        let file = file.into();
        let tree = beside(&file);
        Request { file, tree, range, secret: None, output: Destination::default(), replace: false }
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("output", self.output.path()).reads(&self.file).reads(&self.tree);
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        outputs
    }

    /// Whether the outputs can be written, and nothing that is read is in their way.
    ///
    /// # Errors
    /// When an output is refused.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.outputs().check()?)
    }
}

/// Writes the proof.
///
/// # Errors
/// When the file has no such range, the bytes around it are not those of the tree, file or tree
/// cannot be read, or the output fails.
pub fn run(request: &Request, _events: &mut Events<'_>, _control: &Control<'_>) -> Result<(), Error> {
    if request.range.end - request.range.start > LONGEST {
        return Err(Problem::TooLong.into());
    }
    request.check()?;
    let unread = |why| Problem::Read { path: request.file.clone(), why };
    let file = Ranges::open(request.file.as_os_str().as_bytes()).map_err(|why| unread(outboard::reason(&why)))?;
    let paged = outboard::unlock(&request.tree, key(request.secret.as_ref()))?;
    let mut read = |range: Range<u64>| {
        let mut bytes = Vec::new();
        file.read(range, &mut bytes).map_err(|problem| io::Error::other(problem.to_string()))?;
        Ok(bytes)
    };
    let proof = RangeProof::new(&paged, request.range.clone(), &mut read);
    let proof = proof.map_err(|why| Problem::Unproved { file: request.file.clone(), why })?;
    let mut output = request.output.open().map_err(|failed| Error::Sink(failed.error))?;
    output.write_all(&proof.encode()).and_then(|()| output.commit()).map_err(Error::Sink)
}
