//! A new bag around a folder `data`.

use super::declaration::{self, Declaration};
use super::event::{Event, Events, Finding, Severity};
use super::files::{self, BagFile, Files};
use super::info;
use super::manifests::written;
use super::name::encoded;
use super::problem::Problem;
use super::request::Request;
use super::summary::Summary;
use crate::job::{Error, PathError};
use crate::outputs::{Existing, Kind, OutputRefusal, Outputs};
use pfh_digest::Algorithm;
use pfh_engine::Control;
use pfh_ledger::Likeness;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Levels, Output, ReceivedFolder};
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

/// Tag files by their names.
pub type Tags = BTreeMap<Vec<u8>, Vec<u8>>;

/// Makes a bag of a folder that has its payload in `data`. That is read and left as it is; tag
/// files are written beside it.
///
/// # Errors
/// When there is no payload, a bag or files of these names are there already, or a file cannot be
/// read or written. `bagit.txt` comes last: an unfinished folder is not a bag.
pub fn create(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut algorithms = request.named()?;
    if algorithms.is_empty() {
        algorithms.push("sha512".parse().map_err(|_| Error::request(Problem::Algorithm("sha512".into())))?);
    }
    let names = files::names(&request.bag)?;
    if names.iter().any(|name| name == declaration::NAME) {
        return Err(Error::request(Problem::IsBag(request.bag.clone())));
    }
    let data = request.bag.join("data");
    if !data.is_dir() || data.is_symlink() {
        return Err(Error::request(Problem::NoData(request.bag.clone())));
    }
    let existing = if request.replace { Existing::Welcome } else { Existing::Refused };
    guard(request, &algorithms, existing)?;
    let payload = files::payload(request, &algorithms, control)?;
    let mut tags = Tags::new();
    let mut summary = Summary { algorithms: algorithms.clone(), ..Summary::new(&request.bag) };
    checked(&payload, &mut summary, &request.plan.levels, events)?;
    for algorithm in &algorithms {
        tags.insert(format!("manifest-{}.txt", written(*algorithm)).into_bytes(), manifest(&payload, *algorithm));
    }
    let mut lines = vec![
        ("Bag-Software-Agent".to_owned(), format!("pfh {}", env!("CARGO_PKG_VERSION"))),
        (info::DATE.to_owned(), request.day()),
        (info::OXUM.to_owned(), format!("{}.{}", summary.bytes, summary.files)),
    ];
    info::add(&mut lines, &request.info)?;
    tags.insert(info::NAME.to_vec(), info::written(&lines));
    finish(request, tags, &algorithms, &mut summary, events, control)?;
    Ok(summary)
}

/// Refuses outputs that are somebody else's.
///
/// # Errors
/// The first of them.
pub fn guard(request: &Request, algorithms: &[Algorithm], existing: Existing) -> Result<(), Error> {
    let mut outputs = Outputs::new(false);
    outputs.reads(request.bag.join("data"));
    let mut write = |name: String| {
        outputs.writes("BAG", request.bag.join(name), Kind::File, existing);
    };
    for algorithm in algorithms {
        write(format!("manifest-{}.txt", written(*algorithm)));
        write(format!("tagmanifest-{}.txt", written(*algorithm)));
    }
    write("bag-info.txt".into());
    write("bagit.txt".into());
    outputs.check()?;
    let received = received(request)?;
    let tags = algorithms.iter().map(|algorithm| written(*algorithm));
    let tags = tags.flat_map(|name| [format!("manifest-{name}.txt"), format!("tagmanifest-{name}.txt")]);
    for name in tags.chain(["bag-info.txt".to_owned(), "bagit.txt".to_owned()]) {
        let refused = |error| OutputRefusal::Place { role: "BAG".into(), path: request.bag.join(&name), error };
        received.check(Path::new(&name)).map_err(refused)?;
    }
    Ok(())
}

/// The bag as a place to write to: it may have come with links in it.
fn received(request: &Request) -> Result<ReceivedFolder, Error> {
    ReceivedFolder::open(&request.bag).map_err(|error| Error::input(PathError::new(&request.bag, error)))
}

/// Counts the files, warns of names that other systems take for one, refuses names and files that
/// no manifest can hold.
///
/// # Errors
/// When something is not a file, could not be read, or has a name that is not UTF-8.
pub fn checked(payload: &Files, summary: &mut Summary, levels: &Levels, events: &mut Events<'_>) -> Result<(), Error> {
    let mut alike: HashMap<Vec<u8>, &[u8]> = HashMap::new();
    for (name, seen) in payload {
        if let Some(other) = alike.insert(pfh_ledger::key(name), name)
            && let Some(likeness) = Likeness::of(name, other)
        {
            let other = String::from_utf8_lossy(other);
            let finding = Finding::new(Severity::Warning, name, format!("differs from {other} by {likeness}"));
            summary.found(&finding, levels, events)?;
        }
        let wrong = match seen {
            _ if str::from_utf8(name).is_err() => "its name is not UTF-8, and manifests are".to_owned(),
            BagFile::File(size, _) => {
                summary.files += 1;
                summary.bytes += size;
                continue;
            }
            BagFile::Other(what) => format!("is a {what}, and no file"),
            BagFile::Failed(why) => why.clone(),
            BagFile::Missing => "is gone".to_owned(),
        };
        let finding = Finding::new(Severity::Incomplete, name, wrong);
        summary.found(&finding, levels, events)?;
    }
    if summary.incomplete > 0 { Err(Error::input(Problem::Files(summary.incomplete))) } else { Ok(()) }
}

/// The lines of a manifest.
pub fn manifest(files: &Files, algorithm: Algorithm) -> Vec<u8> {
    let mut lines = Vec::new();
    for (name, seen) in files {
        if let Some(digest) = seen.digest(algorithm) {
            lines.extend_from_slice(&[&digest[..], b"  ", &encoded(name), b"\n"].concat());
        }
    }
    lines
}

/// Writes the tag files, then their manifests, and the declaration last.
///
/// # Errors
/// When a tag file beside them cannot be read, or one cannot be written.
pub fn finish(
    request: &Request,
    tags: Tags,
    algorithms: &[Algorithm],
    summary: &mut Summary,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<(), Error> {
    let levels = &request.plan.levels;
    let mut beside = files::beside(request, algorithms, control)?;
    // An entry that is not a file is not a tag file either: the bag is whole without it.
    for (name, seen) in &beside {
        if let BagFile::Other(what) = seen {
            let finding = Finding::new(Severity::Warning, name, format!("is a {what}, and in no manifest"));
            summary.found(&finding, levels, events)?;
        }
    }
    beside.retain(|_, seen| !matches!(seen, BagFile::Other(_)));
    let declaration = (declaration::NAME.to_vec(), Declaration::WRITTEN.to_vec());
    for (name, bytes) in tags.iter().chain([(&declaration.0, &declaration.1)]) {
        let digests = algorithms.iter().map(|algorithm| algorithm.digest(bytes)).collect();
        beside.insert(name.clone(), BagFile::File(bytes.len() as u64, digests));
    }
    let mut ignored = Summary::new(&request.bag);
    checked(&beside, &mut ignored, levels, events)?;
    (summary.tags, summary.raised) = (ignored.files, summary.raised + ignored.raised);
    let lists = algorithms.iter().map(|algorithm| {
        (format!("tagmanifest-{}.txt", written(*algorithm)).into_bytes(), manifest(&beside, *algorithm))
    });
    let all: Vec<(Vec<u8>, Vec<u8>)> = tags.into_iter().chain(lists.collect::<Vec<_>>()).chain([declaration]).collect();
    if control.is_cancelled() {
        return Err(Error::cancelled(Problem::Interrupted));
    }
    let received = received(request)?;
    let failed = |name: &[u8], error| Error::output(PathError::new(request.bag.join(OsStr::from_bytes(name)), error));
    // All of them are on the disk before the first gets its name: a full disk leaves the old bag.
    let mut outputs = Vec::with_capacity(all.len());
    for (name, bytes) in &all {
        let write = || -> std::io::Result<Output> {
            // A new list in a private bag is as private as the bag's other files.
            let output = received.output(Path::new(OsStr::from_bytes(name)))?;
            let mut output = output.no_wider_than(&request.bag.join("bagit.txt"));
            output.write_all(bytes)?;
            output.flush()?;
            Ok(output)
        };
        outputs.push(write().map_err(|error| failed(name, error))?);
    }
    for ((name, _), output) in all.iter().zip(outputs) {
        output.commit().map_err(|error| failed(name, error))?;
        events(Event::Written(name)).map_err(Error::Sink)?;
    }
    Ok(())
}
