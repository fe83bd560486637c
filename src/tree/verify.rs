//! `verify`: whether a proof shows a part of the file that has this root.

use super::prove::LONGEST;
pub use super::rows::{Judgement as Summary, ProofPart};
use super::{Error, Event, Events, Problem, key};
use crate::Destination;
use crate::algorithms::Secret;
use crate::outputs::Outputs;
use pfh_engine::Control;
use pfh_source::Stream;
use pfh_tree::range::RangeProof;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A proof, and the root of the whole file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The output of [`prove`](super::prove); `-` is standard input.
    pub proof: PathBuf,
    /// The root of the whole file.
    pub root: [u8; 32],
    /// The key of the file's tree, if it has one.
    pub secret: Option<Secret>,
    /// Where the bytes of the range go once they are verified; `None` for nowhere.
    pub output: Option<Destination>,
    /// Whether an existing file may be replaced; inputs never are.
    pub replace: bool,
}

impl Request {
    /// The proof is judged, and its bytes are not written.
    pub fn new(proof: impl Into<PathBuf>, root: [u8; 32]) -> Request {
        Request { proof: proof.into(), root, secret: None, output: None, replace: false }
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("output", self.output.as_ref().and_then(Destination::path)).reads(&self.proof);
        outputs.reads_apart(self.secret.as_ref().and_then(Secret::path));
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

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut from = Stream::document(path)?.take(RangeProof::HEAD as u64);
    from.read_to_end(&mut bytes)?;
    // A file that is not a proof is not read, and one byte more than a proof has is enough to see
    // that.
    if let Ok(longest) = RangeProof::longest(&bytes) {
        from.set_limit(longest.min(2 * LONGEST) + 1 - bytes.len() as u64);
        from.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Judges the proof, and writes the bytes that it shows if that is asked for.
///
/// # Errors
/// When the proof cannot be read, the bytes cannot be written, or the events are refused. That a
/// proof shows nothing is in the summary.
pub fn run(request: &Request, events: &mut Events<'_>, _control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let summary = judge(request)?;
    events(Event::Judged(&summary)).map_err(Error::Sink)?;
    Ok(summary)
}

fn judge(request: &Request) -> Result<Summary, Error> {
    let unread = |error: io::Error| Problem::Read { path: request.proof.clone(), why: error.to_string() };
    let bytes = read(&request.proof).map_err(unread)?;
    let summary = |shown| Summary { proof: request.proof.clone(), root: request.root, shown };
    let proof = match RangeProof::decode(&bytes) {
        Ok(proof) => proof,
        Err(why) => return Ok(summary(Err(format!("not a proof of a range: {why}")))),
    };
    let locked = |why| Problem::Locked { path: request.proof.clone(), why };
    let proof = proof.unlock(key(request.secret.as_ref())).map_err(locked)?;
    let shown = match proof.verify(&request.root) {
        Ok(shown) => shown,
        Err(why) => return Ok(summary(Err(why.to_string()))),
    };
    if let Some(to) = &request.output {
        let mut output = to.open().map_err(|failed| Error::Sink(failed.error))?;
        output.write_all(shown.bytes).and_then(|()| output.commit()).map_err(Error::Sink)?;
    }
    let (range, length, parameters) = (shown.range.clone(), shown.length, shown.parameters);
    Ok(summary(Ok(ProofPart { range, length, parameters })))
}
