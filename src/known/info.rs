//! `info`: what a known-set file holds.

use super::{DEFAULT_RESIDENT, Error, KnownSet, Set, SetError};
use crate::matching::SetsError;
use pfh_digest::hex;
use pfh_source::terminal;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// A known-set file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The file.
    pub file: PathBuf,
    /// All of it is read and compared with the digest that it states.
    pub verify: bool,
}

impl Request {
    /// What the file states of itself.
    pub fn new(file: impl Into<PathBuf>) -> Request {
        Request { file: file.into(), verify: false }
    }
}

/// What the file holds.
#[non_exhaustive]
pub struct Summary {
    /// The file.
    pub known: KnownSet,
    /// The BLAKE3 digest of the whole, if it was verified.
    pub digest: Option<[u8; 32]>,
    /// The names of the sets that hold the empty file's digest.
    pub empties: Vec<String>,
}

/// Describes the file. Nothing is written.
///
/// # Errors
/// When the file cannot be read, is no known-set file, or is damaged.
pub fn run(request: &Request) -> Result<Summary, Error> {
    let known = KnownSet::open(&request.file, DEFAULT_RESIDENT).map_err(SetsError::Known)?;
    let judged = |error| match error {
        SetError::Damaged(..) => Error::Damaged(error),
        error => Error::Set(error),
    };
    let digest = request.verify.then(|| known.verify()).transpose().map_err(judged)?;
    let empties = empties(&known)?;
    Ok(Summary { known, digest, empties })
}

/// The sets that hold the empty file's digest, by name.
fn empties(known: &KnownSet) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    for (algorithm, _) in known.algorithms() {
        for hit in known.find_certain(&algorithm.digest(b""))?.iter().flat_map(|hits| hits.iter()) {
            let name = &known.sets()[hit.set].name;
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    Ok(names)
}

fn shown(text: &str) -> String {
    terminal::render(text.as_bytes())
}

impl Summary {
    /// One JSON object and a line feed.
    pub fn json(&self) -> String {
        let known = &self.known;
        let counts: Map<String, Value> =
            known.algorithms().map(|(algorithm, rows)| (algorithm.to_string(), rows.into())).collect();
        let filters: Vec<Value> = known
            .filters()
            .map(|(algorithm, set, entries)| {
                json!({ "set": known.sets()[set].name, "algorithm": algorithm.name(), "entries": entries })
            })
            .collect();
        let blocks = known.blocks().iter();
        let blocks: Vec<Value> = blocks
            .map(|of| json!({ "size": of.size(), "algorithm": of.algorithm().to_string(), "blocks": of.rows() }))
            .collect();
        let value = json!({
            "sets": known.sets(), "digests": counts, "blocks": blocks, "filters": filters, "hold_the_empty_file": self.empties,
            "blake3": self.digest.map(|digest| hex::encode(&digest)),
        });
        format!("{value}\n")
    }

    /// Lines for people.
    pub fn text(&self) -> String {
        let known = &self.known;
        let mut text = String::new();
        for set in known.sets() {
            let Set { name, format, records, faults, source, .. } = set;
            let more: Vec<&str> = [&set.version, &set.product].into_iter().flatten().map(String::as_str).collect();
            let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
            let class = set.class();
            let records = if set.blocks.is_empty() { format!("{records} records") } else { format!("{records} files") };
            text += &shown(&format!("{:<10} {name}{more}: {records} from {source} ({format})", class.name()));
            for of in &set.blocks {
                text += &format!(", {} blocks of {} bytes ({} flagged)", of.blocks, of.size, of.flagged);
            }
            if *faults > 0 && !set.blocks.is_empty() {
                text += &format!(", {faults} files that could not be read");
            } else if *faults > 0 {
                text += &format!(", {faults} places without a record");
            }
            text.push('\n');
        }
        for (algorithm, rows) in known.algorithms() {
            text += &format!("digests    {algorithm}: {rows}\n");
        }
        for of in known.blocks() {
            text += &format!("blocks     of {} bytes, {}: {}\n", of.size(), of.algorithm(), of.rows());
        }
        for (algorithm, set, entries) in known.filters() {
            let set = shown(&known.sets()[set].name);
            text += &format!("filter     {set} of {entries} {algorithm}: says maybe or no\n");
        }
        if !self.empties.is_empty() {
            let names = shown(&self.empties.join(", "));
            text += &format!("the empty file is in {names}; it makes no file known\n");
        }
        if let Some(digest) = &self.digest {
            text += &format!("whole      BLAKE3 {}\n", hex::encode(digest));
        }
        text
    }
}
