//! The log of an acquisition: its chain, its signature, its image and its statements.

use super::event::Finding;
use super::findings::Findings;
use crate::acquire::logged::{self, Finding as Logged, Part};
use crate::job::Error;
use crate::key;
use crate::verdict::{Comparison, Evidence, Subject};
use pfh_custody::chain::{self, ChainFault, Sound};
use pfh_digest::Digest;
use pfh_source::Document;
use pfh_source::terminal::counted;
use pfh_source::terminal::shown;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// How a log came to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// The user named it.
    Given,
    /// It lies beside the image.
    Found,
}

/// A log whose chain holds, up to its last end.
#[derive(Debug)]
pub(super) struct Log {
    /// Its file.
    pub path: PathBuf,
    /// Its bytes.
    pub text: Vec<u8>,
    /// Its records.
    pub sound: Sound,
    /// Its statements on the image as a whole.
    pub part: Option<Part>,
    /// Digests of the image.
    pub digests: Vec<Digest>,
}

/// The public key that logs must be signed with, and its file.
pub(super) type Key<'a> = Option<(&'a Path, key::VerifyingKey)>;

/// Whether the log's first record names this image among its targets.
pub(super) fn states_target(path: &Path, image: &Path) -> bool {
    /// A first record has the command line and the device's facts in it.
    const MOST: u64 = 1 << 20;
    let Some(image) = image.file_name().map(|name| shown(Path::new(name))) else { return false };
    let mut line = String::new();
    let read = Document::file(path).and_then(|file| BufReader::new(file.take(MOST)).read_line(&mut line));
    let first: Option<serde_json::Value> = read.ok().and_then(|_| serde_json::from_str(&line).ok());
    let targets =
        first.as_ref().filter(|record| record["kind"] == "start").and_then(|record| record["targets"].as_array());
    let is_it = |target: &serde_json::Value| {
        target.as_str().is_some_and(|target| target.rsplit('/').next() == Some(image.as_str()))
    };
    targets.is_some_and(|targets| targets.iter().any(is_it))
}

/// Whether a text holds records of a chain at all.
fn is_chained(text: &[u8]) -> bool {
    /// Behind this many bytes no record begins that was not preceded by another one.
    const MOST: usize = 4 << 20;
    let bytes = &text[..text.len().min(MOST)];
    let marks: [&[u8]; 2] = [b"\"chain\":\"", b"\"record\":"];
    marks.iter().any(|mark| bytes.windows(mark.len()).any(|part| part == *mark))
}

/// All of a file, read once: chain, signature and time stamp are those of the same bytes.
fn contents(path: &Path) -> std::io::Result<Vec<u8>> {
    Document::read(path, Document::LONGEST)
}

/// Reads a log and looks at its chain and its signature; `None` if it states nothing.
///
/// # Errors
/// When the file of the key holds a private key.
pub(super) fn load(path: &Path, standing: Standing, key: &Key, findings: &mut Findings) -> Result<Option<Log>, Error> {
    let name = shown(path);
    let text = match contents(path) {
        Ok(text) => text,
        Err(error) => {
            findings.open(format!("{name}: {error}"));
            return Ok(None);
        }
    };
    let sound = match chain::check_to_last_end(&text[..]) {
        Ok(sound) => sound,
        Err(broken @ ChainFault::Line { .. }) if is_chained(&text) => {
            findings.contradicts(Subject::Log, "the chain of records", &name, format!("{name}: {broken}"));
            return Ok(None);
        }
        Err(ChainFault::Line { .. }) => {
            findings.open(format!("{name}: it is not a chained log"));
            return Ok(None);
        }
        Err(ChainFault::NoEnd) => {
            findings.open(format!("{name}: the log is not finished: {}", ChainFault::NoEnd));
            return Ok(None);
        }
        Err(broken @ ChainFault::Io(_)) => {
            findings.open(format!("{name}: {broken}"));
            return Ok(None);
        }
    };
    findings.note(format!(
        "{name}: {}, the chain holds: {}",
        counted(sound.records.len() as u64, "record"),
        sound.chain.value()
    ));
    if sound.behind > 0 {
        let what = "a run that continued the finished log did not end; the log counts up to the last end";
        findings.note(format!("{name}: {} behind the last end: {what}", counted(sound.behind, "record")));
    }
    if standing == Standing::Given {
        let chain = Comparison::new(Subject::Log, "the chain of records", &*name, Evidence::Fact);
        findings.equal(chain);
    }
    signature(path, &sound, key, findings)?;
    subject(&name, &sound, findings);
    let mut digests = Vec::new();
    let end = sound.records.last().and_then(|r| r.get("digests")).and_then(|d| d.as_object());
    for (algorithm, hex) in end.into_iter().flatten() {
        let text = hex.as_str().unwrap_or_default();
        match crate::REGISTRY.find(algorithm).ok().and_then(|a| Digest::parse(a, text).ok()) {
            Some(digest) => digests.push(digest),
            None => findings.open(format!("{name}: a digest of {algorithm} that is not understood")),
        }
    }
    let part = Part::of(&sound);
    Ok(Some(Log { path: path.to_owned(), text, part, sound, digests }))
}

/// The targets that the runs of a log name.
fn targets(sound: &Sound) -> impl Iterator<Item = &str> {
    let starts = sound.records.iter().filter(|record| record.get("kind").is_some_and(|kind| kind == "start"));
    starts.filter_map(|record| record.get("targets")?.as_array()).flatten().filter_map(serde_json::Value::as_str)
}

/// The subject of the log, as it states it: a log of another case is as sound as this one.
fn subject(name: &str, sound: &Sound, findings: &mut Findings) {
    let first = sound.records.first();
    let text = |member: &str| first.and_then(|record| record.get(member)?.as_str()).unwrap_or_default();
    let mut facts: Vec<String> = Vec::new();
    for (what, member) in [("case", "case"), ("evidence", "evidence"), ("source", "source")] {
        facts.extend(Some(text(member)).filter(|text| !text.is_empty()).map(|text| format!("{what} {text}")));
    }
    let mut images: Vec<&str> = targets(sound).collect();
    images.dedup();
    facts.extend(Some(images).filter(|images| !images.is_empty()).map(|images| format!("image {}", images.join(", "))));
    if !facts.is_empty() {
        findings.note(format!("{name}: the log of {}", facts.join("; ")));
    }
}

/// Looks at the signature: by the key that it must be of, if there is one.
fn signature(path: &Path, sound: &Sound, key: &Key, findings: &mut Findings) -> Result<(), key::KeyError> {
    let name = &*shown(path);
    match (key, &sound.signature) {
        (Some((file, key)), Some(signature)) => {
            let signature = ed25519_dalek::Signature::from_bytes(signature);
            let has_signed = |key: &key::VerifyingKey| key.verify_strict(&sound.chain.signed(), &signature).is_ok();
            let one = Comparison::new(Subject::Signer, "the signature of that key", name, Evidence::Fact);
            if has_signed(key) {
                findings.note(format!("{name}: signed with the key {}", shown(file)));
                findings.equal(one);
            } else {
                key::not_private(file, has_signed)?;
                findings.differs(one, format!("{name}: the signature is not that key's"));
            }
        }
        (Some((file, _)), None) => {
            findings.open(format!("{name}: the log is not signed by the key {}: it has no signature", shown(file)));
        }
        (None, Some(_)) => findings.enter(Finding::Signed { log: path.to_owned() }),
        (None, None) => findings.note(format!("{name}: not signed: anyone who can write the log can make a new chain")),
    }
    Ok(())
}

/// Enters the comparisons with a log.
pub(super) fn enter(all: Vec<Logged>, findings: &mut Findings) {
    for found in all {
        match found {
            Logged::Equal(comparison) => findings.equal(comparison),
            Logged::Differs(comparison, what) => findings.differs(comparison, what),
            Logged::Absent(what) | Logged::Remark(what) => findings.note(what),
            Logged::Unread(what) => findings.open(what),
        }
    }
}

impl Log {
    /// Whether it names images, and none of them has one of these names.
    pub(super) fn is_of_another(&self, images: &[&Path]) -> bool {
        let own: Vec<String> = images.iter().filter_map(|image| Some(shown(Path::new(image.file_name()?)))).collect();
        let last = |target: &str| target.rsplit('/').next().unwrap_or_default().to_owned();
        let mut named = targets(&self.sound).peekable();
        named.peek().is_some() && !named.any(|target| own.contains(&last(target)))
    }

    /// Compares the files beside the log with its statements: the log for people, and the files and
    /// case data of an image.
    pub(super) fn beside(&self, image: Option<&Path>, findings: &mut Findings) {
        enter(logged::compare(&self.path, &self.sound, image), findings);
    }
}
