//! An acquisition as a document of the Cyber-investigation Analysis Standard Expression: CASE 1.4,
//! a profile of the Unified Cyber Ontology, UCO 1.4, in JSON-LD. Classes and properties are named
//! as in `case.ttl` of these releases.
//!
//! `case-investigation:InvestigativeAction` is the acquisition: performed by the examiner
//! (`identity:Person`) with pfh (`tool:Tool`) upon the source, with the images and a
//! `case-investigation:ProvenanceRecord` as results. Digests belong to the object that they were
//! computed of: the medium's bytes as written, which are an `observable:Image`. Only where a file
//! holds these bytes and nothing else is the image the file; an E01's files have no digests here.

mod account;
mod graph;
mod objects;
#[cfg(test)]
mod tests;

use super::TargetComparison;
use graph::{CASE, Graph, time, words};
use pfh_source::Output;
use pfh_source::device::is_same_medium;
use pfh_source::os::names::OsStrExt;
use serde_json::json;
use std::io::{self, Read, Write};
use std::path::Path;

pub use account::{Account, Source};
pub use graph::BASE;

/// The document, in UTF-8. The same account gives the same document.
///
/// # Errors
/// When there is no image to tell of: the acquisition was stopped, or a target is not equal to it,
/// or has gone.
pub fn document(account: &Account) -> io::Result<String> {
    let good = account.compared.iter().all(TargetComparison::is_good);
    if account.imaged.stopped.is_some() || !good || account.targets.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no complete image to describe"));
    }
    Graph::document(|graph| account.tell(graph))
}

impl Account<'_> {
    fn tell(&self, graph: &mut Graph) -> io::Result<()> {
        let about = self.about;
        let source = objects::source(graph, self)?;
        let mut results = Vec::new();
        for number in 0..self.targets.len() {
            results.append(&mut objects::image(graph, self, number)?);
        }
        objects::unreadable(graph, self, &results)?;
        let tool = graph.add(
            &["uco-tool:Tool"],
            "pfh",
            json!({ "uco-core:name": "pfh", "uco-tool:version": env!("CARGO_PKG_VERSION"), "uco-tool:toolType": "forensic imager" }),
        )?;
        let examiner = match words(&about.examiner) {
            Some(name) => Some(graph.add(&["uco-identity:Person"], "examiner", json!({ "uco-core:name": name }))?),
            None => None,
        };
        let record = graph.add(
            &["case-investigation:ProvenanceRecord"],
            "exhibit",
            json!({ "uco-core:description": words(&about.notes), "case-investigation:exhibitNumber": words(&about.evidence_number),
                    "uco-core:object": results }),
        )?;
        results.push(record.clone());
        // The vocabulary has no word for a success with losses
        // (uco-vocabulary:ActionStatusTypeVocab).
        let status = if self.imaged.bad.is_empty() { "Success" } else { "Complete/Finish" };
        let action = graph.add(
            &["case-investigation:InvestigativeAction"],
            "acquisition",
            json!({ "uco-core:name": "acquisition", "uco-core:description": self.story(), "uco-action:actionStatus": status,
                    "uco-action:startTime": time(self.started), "uco-action:endTime": time(self.ended),
                    "uco-action:instrument": tool, "uco-action:performer": examiner, "uco-action:object": source,
                    "uco-action:result": results }),
        )?;
        if let Some(number) = words(&about.case_number) {
            graph.add(
                &["case-investigation:Investigation"],
                "case",
                json!({ "uco-core:name": number, "case-investigation:investigationForm": "case",
                        "uco-core:object": [action, record] }),
            )?;
        }
        Ok(())
    }

    /// Facts that the properties of an action have no place for.
    fn story(&self) -> Vec<String> {
        let imaging = &self.asked.reading;
        let mut story = Vec::new();
        if !self.command_line.is_empty() {
            story.push(format!("command line: {}", self.command_line));
        }
        if imaging.from > 0 || imaging.length.is_some() {
            let read = self.imaged.bytes - self.imaged.padded;
            story.push(format!("{read} bytes from offset {} of the source were acquired, not the whole", imaging.from));
        }
        if self.resumed_at > 0 {
            let upto = self.resumed_at;
            story.push(format!("went on with an earlier run, whose first {upto} bytes were hashed from the image"));
        }
        if self.asked.faults.is_some() {
            story.push("parts of the source were treated as unreadable on request".into());
        }
        if self.imaged.retried > 0 {
            story.push(format!("{} sectors were read only on a later try", self.imaged.retried));
        }
        story
    }
}

/// Whether a document can be written to `path`: whether there is one that must go first. Writes
/// nothing.
///
/// # Errors
/// When there is something at `path` that may not go.
pub fn look(path: &Path, source: Option<&Path>, replace: bool) -> io::Result<bool> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
        Ok(_) if !replace => Err(io::ErrorKind::AlreadyExists.into()),
        Ok(found) => {
            let same = |source: &Path| is_same_medium(source.as_os_str().as_bytes(), path.as_os_str().as_bytes());
            let mut start = Vec::new();
            if found.is_file() && !source.is_some_and(same) {
                std::fs::File::open(path)?.take(4096).read_to_end(&mut start)?;
            }
            // An image may be called FILE by mistake.
            if !start.starts_with(b"{") || !start.windows(CASE.len()).any(|window| window == CASE.as_bytes()) {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "it is not a CASE document, and is not replaced",
                ));
            }
            Ok(true)
        }
    }
}

/// Sees to it that no document stands at `path` while an acquisition runs, and that one can be
/// written there: one that fails must not leave that of an earlier one behind. With `replace` an
/// existing document goes; any other file stays.
///
/// # Errors
/// When there is something at `path` that may not go, or its directory cannot be written to.
pub fn clear(path: &Path, source: Option<&Path>, replace: bool) -> io::Result<()> {
    let goes = look(path, source, replace)?;
    Output::file(path).map(drop)?;
    if goes { std::fs::remove_file(path) } else { Ok(()) }
}

/// Writes a document where there is nothing: whole, synced, or not at all.
///
/// # Errors
/// The system's errors; also when the acquisition itself has put a file there.
pub fn write(path: &Path, document: &str) -> io::Result<()> {
    if std::fs::symlink_metadata(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut output = Output::file(path)?;
    output.write_all(document.as_bytes())?;
    output.commit()
}
