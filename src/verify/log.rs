//! The log of an acquisition: its chain, its signature, which image it is of.

use super::Error;
use super::Findings;
use crate::Patient;
use crate::acquire::logged::{self, Finding as Logged};
use crate::{key, shown};
use ed25519_dalek::Verifier;
use pfh_custody::chain::{self, Broken, Sound};
use pfh_engine::imaging::Imaged;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// How a log came to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The user named it.
    Given,
    /// It lies beside the image.
    Found,
}

/// Why a log states nothing.
pub enum Unsound {
    /// It cannot be read, or the run that it is of has not ended.
    Open(String),
    /// It is not what was written.
    Broken(String),
}

/// Reads a log whose chain holds.
///
/// # Errors
/// See [`Unsound`].
pub fn check(path: &Path) -> Result<Sound, Unsound> {
    let open = |error: &dyn std::fmt::Display| Unsound::Open(format!("{}: {error}", shown(path)));
    let file = Patient::open(path).map_err(|error| open(&error))?;
    chain::check(BufReader::new(file)).map_err(|broken| match broken {
        Broken::Io(_) | Broken::NoEnd => open(&broken),
        broken => Unsound::Broken(format!("{}: {broken}", shown(path))),
    })
}

/// Whether the log's first record names this image among its targets.
pub fn states_target(path: &Path, image: &Path) -> bool {
    /// A first record has the command line and the device's facts in it.
    const MOST: u64 = 1 << 20;
    let Some(image) = image.file_name().map(|name| shown(Path::new(name))) else { return false };
    let mut line = String::new();
    let read = Patient::open(path).and_then(|file| BufReader::new(file.take(MOST)).read_line(&mut line));
    let first: Option<serde_json::Value> = read.ok().and_then(|_| serde_json::from_str(&line).ok());
    let targets =
        first.as_ref().filter(|record| record["kind"] == "start").and_then(|record| record["targets"].as_array());
    let is_it = |target: &serde_json::Value| {
        target.as_str().is_some_and(|target| target.rsplit('/').next() == Some(image.as_str()))
    };
    targets.is_some_and(|targets| targets.iter().any(is_it))
}

/// Compares what else a log states with what is there: the log for people, files and case data of
/// the image, windows.
pub fn compare(log: &Path, sound: &Sound, image: &Path, imaged: &Imaged, findings: &mut Findings) {
    let mut all = logged::compare(log, sound, Some(image));
    all.extend(logged::compare_windows(sound, &imaged.pieces));
    enter(log, all, findings);
}

fn enter(log: &Path, all: Vec<Logged>, findings: &mut Findings) {
    for found in all {
        match found {
            Logged::Equal(what) => findings.equal(what, shown(log), None),
            Logged::Differs(what) => findings.differs(what),
            Logged::Absent(what) | Logged::Remark(what) => findings.note(what),
            Logged::Unread(what) => findings.open(what),
        }
    }
}

/// Looks at a log that the user named: chain, and signature if there is a key. Of a log without its
/// image (`is_alone`) what lies beside it is compared as well.
///
/// # Errors
/// When there is no such log, or no such key.
pub fn given(path: &Path, key: Option<&Path>, is_alone: bool, findings: &mut Findings) -> Result<(), Error> {
    Patient::open(path).map_err(|error| Error::Log { path: path.to_owned(), error })?;
    let public = key.map(key::verifying).transpose()?;
    let sound = match check(path) {
        Ok(sound) => sound,
        Err(Unsound::Broken(what) | Unsound::Open(what)) => {
            findings.differs(what);
            return Ok(());
        }
    };
    let name = shown(path);
    findings.note(format!("{name}: {} records, the chain holds: {}", sound.records.len(), sound.chain.value()));
    signature(&name, &sound, key.zip(public), findings)?;
    if is_alone {
        enter(path, logged::compare(path, &sound, None), findings);
    }
    Ok(())
}

fn signature(
    name: &str,
    sound: &Sound,
    public: Option<(&Path, key::VerifyingKey)>,
    findings: &mut Findings,
) -> Result<(), key::KeyError> {
    match (public, &sound.signature) {
        (Some((path, key)), Some(signature)) => {
            let signature = ed25519_dalek::Signature::from_bytes(signature);
            let has_signed = |key: &key::VerifyingKey| key.verify(&sound.chain.signed(), &signature).is_ok();
            if has_signed(&key) {
                findings.equal("the signature of that key".into(), name.into(), None);
            } else {
                key::not_private(path, has_signed)?;
                findings.differs(format!("{name}: the signature is not that key's"));
            }
        }
        (Some(_), None) => findings.differs(format!("{name}: not signed")),
        (None, Some(_)) => {
            findings.equal("the chain of records".into(), name.into(), None);
            findings.note(format!("{name}: signed; give --key to check by whom"));
        }
        (None, None) => {
            findings.equal("the chain of records".into(), name.into(), None);
            findings.note(format!("{name}: not signed: whoever can write it can make a new chain"));
        }
    }
    Ok(())
}
