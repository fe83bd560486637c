//! `verify`: whether a proof shows a part of the file that has this root.

use super::prove::LONGEST;
use super::{Error, Parameters};
use crate::outputs::Outputs;
use crate::{Destination, shown};
use pfh_digest::hex;
use pfh_source::Stream;
use pfh_tree::range::RangeProof;
use serde_json::json;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A proof, and the root of the whole file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// What [`prove`](super::prove) wrote; `-` is standard input.
    pub proof: PathBuf,
    /// The root of the whole file.
    pub root: [u8; 32],
    /// Where the bytes of the range go once they are verified; `None` for nowhere.
    pub output: Option<Destination>,
    /// Whether an existing file may be replaced; what is read never is.
    pub replace: bool,
}

impl Request {
    /// The proof is judged, and its bytes are not written.
    pub fn new(proof: impl Into<PathBuf>, root: [u8; 32]) -> Request {
        Request { proof: proof.into(), root, output: None, replace: false }
    }

    /// What is read and written.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("--output", self.output.as_ref().and_then(Destination::path)).reads(&self.proof);
        outputs
    }
}

/// What a proof shows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown {
    /// Which part of the file, in bytes.
    pub range: Range<u64>,
    /// Bytes of the whole file.
    pub length: u64,
    /// Function and leaf length of its tree.
    pub parameters: Parameters,
}

/// The verdict over a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The proof.
    pub proof: PathBuf,
    /// The root of the whole file.
    pub root: [u8; 32],
    /// What it shows, or why it shows nothing.
    pub shown: Result<Shown, String>,
}

impl Summary {
    /// One JSON object and a line feed.
    pub fn json(&self) -> String {
        let (proof, root) = (shown(&self.proof), hex::encode(&self.root));
        let object = match &self.shown {
            Ok(Shown { range, length, parameters }) => json!({
                "type": "range",
                "proof": proof,
                "verdict": "verified",
                "algorithm": parameters.function().name(),
                "root": root,
                "offset": range.start,
                "length": range.end - range.start,
                "length_of_file": length,
            }),
            Err(why) => {
                json!({ "type": "range", "proof": proof, "verdict": "differs", "reason": why, "root": root })
            }
        };
        format!("{object}\n")
    }

    /// A line for people.
    pub fn text(&self) -> String {
        let proof = shown(&self.proof);
        match &self.shown {
            Ok(Shown { range, length, parameters }) => {
                let (start, count, algorithm) = (range.start, range.end - range.start, parameters.function().name());
                let root = hex::encode(&self.root);
                format!("{proof}: OK: {start}:{count} of a file of {length} bytes gives the {algorithm} root {root}\n")
            }
            Err(why) => format!("{proof}: DIFFERS: {why}\n"),
        }
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let from: Box<dyn Read> = if path == Path::new("-") {
        Box::new(Stream::standard().reader())
    } else {
        Box::new(std::fs::File::open(path)?)
    };
    let mut bytes = Vec::new();
    from.take(2 * LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Judges the proof, and writes the bytes that it shows if that is asked for.
///
/// # Errors
/// When the proof cannot be read or the bytes cannot be written. That a proof shows nothing is in
/// the summary.
pub fn run(request: &Request) -> Result<Summary, Error> {
    request.outputs().check()?;
    let unread = |error: io::Error| Error::Read { path: request.proof.clone(), why: error.to_string() };
    let bytes = read(&request.proof).map_err(unread)?;
    let summary = |shown| Summary { proof: request.proof.clone(), root: request.root, shown };
    let proof = match RangeProof::decode(&bytes) {
        Ok(proof) => proof,
        Err(why) => return Ok(summary(Err(format!("not a proof of a range: {why}")))),
    };
    let shown = match proof.verify(&request.root) {
        Ok(shown) => shown,
        Err(why) => return Ok(summary(Err(why.to_string()))),
    };
    if let Some(to) = &request.output {
        let mut output = to.open().map_err(|failed| Error::Sink(failed.error))?;
        output.write_all(shown.bytes).and_then(|()| output.commit()).map_err(Error::Sink)?;
    }
    let (range, length, parameters) = (shown.range.clone(), shown.length, shown.parameters);
    Ok(summary(Ok(Shown { range, length, parameters })))
}
