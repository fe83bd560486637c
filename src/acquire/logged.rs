//! The statements of a chained log beside the digests of the image, and how they compare with the
//! present files: the log for people, the files of the image, the case data in an E01 image, the
//! digests of windows.

use pfh_container::ewf::CaseData as EwfAbout;
use pfh_custody::chain::Sound;
use pfh_engine::Piece;
use pfh_source::image::{Image, files_of};
use pfh_source::os::names::with_ending;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::entry::{ImageFile, Window, by_name};
use super::{ImageFormat, To};
use crate::verdict::{Comparison, Coverage, Evidence, Space, Subject};
use pfh_source::terminal::counted;
use pfh_source::terminal::shown;

pub use super::part::{LoggedTarget, Part, contradiction, losses};

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// A part that was compared with the log and is equal.
    Equal(Comparison),
    /// A difference, with a sentence on it.
    Differs(Comparison, String),
    /// The log states it, and there is nothing to compare with.
    Absent(String),
    /// A remark of the log on a resumption.
    Remark(String),
    /// The log states it, and the other side cannot be read.
    Unread(String),
}

/// SHA-256 of the next `length` bytes of a file, and how many there were.
fn sha256_in(file: &mut File, length: u64) -> io::Result<(u64, String)> {
    let mut hasher = crate::hash::hasher_of_sha256();
    let bytes = io::copy(&mut file.take(length), &mut hasher)?;
    Ok((bytes, hasher.finalize().to_string()))
}

/// The SHA-256 of a file.
fn sha256_of(path: &Path) -> io::Result<String> {
    Ok(sha256_in(&mut File::open(path)?, u64::MAX)?.1)
}

/// The files of a target as the log lists them: name (its bytes, escaped as for a terminal), bytes
/// and, where `hashed`, SHA-256. Devices are not listed.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn files(to: &To, hashed: bool) -> io::Result<Vec<ImageFile>> {
    let first = match &to.form {
        ImageFormat::Split(pieces) => {
            let suffix = pieces.suffix.of(0, pieces.width).unwrap_or_default();
            with_ending(&to.path, format!(".{suffix}"))
        }
        ImageFormat::Raw { .. } | ImageFormat::E01 { .. } => to.path.clone(),
    };
    let all = if matches!(to.form, ImageFormat::Raw { .. }) { vec![first] } else { files_of(&first) };
    let mut listed = Vec::new();
    for path in all.into_iter().filter(|path| path.is_file()) {
        let bytes = std::fs::metadata(&path)?.len();
        let sha256 = if hashed { Some(sha256_of(&path)?) } else { None };
        let name = path.file_name().map(|name| shown(Path::new(name)));
        // A segment that lies in another directory.
        let directory = std::fs::read_link(&path).ok().as_deref().and_then(Path::parent).map(shown);
        listed.push(ImageFile { bytes, directory, name, sha256 });
    }
    Ok(listed)
}

/// Windows for one record of the log.
pub(super) const WINDOWS: usize = 1000;

/// Digests of windows, for one record.
pub(super) fn windows(pieces: &[Piece]) -> Vec<Window> {
    let window =
        |piece: &Piece| Window { digests: by_name(&piece.digests), length: piece.length, offset: piece.offset };
    pieces.iter().map(window).collect()
}

/// Records behind the last one that continues a finished log: those that hold of the image as it
/// is.
fn latest(sound: &Sound) -> &[Map<String, Value>] {
    let of_kind =
        |record: &Map<String, Value>| record.get("kind").and_then(Value::as_str).unwrap_or_default() == "start";
    let from = sound.records.iter().rposition(of_kind).unwrap_or(0);
    &sound.records[from..]
}

fn of_kind<'a>(records: &'a [Map<String, Value>], kind: &'a str) -> impl Iterator<Item = &'a Map<String, Value>> {
    records.iter().filter(move |record| record.get("kind").and_then(Value::as_str) == Some(kind))
}

/// Bytes of the windows that the log has digests of.
pub fn window(sound: &Sound) -> Option<u64> {
    let first = of_kind(latest(sound), "windows").next()?;
    first.get("windows")?.get(0)?.get("length")?.as_u64().filter(|length| *length > 0)
}

/// Compares the windows of an image with those of the log; `over` is the range that they cover.
pub fn compare_windows(log: &Path, sound: &Sound, pieces: &[Piece], over: Coverage) -> Option<Finding> {
    let stated: Vec<&Value> =
        of_kind(latest(sound), "windows").filter_map(|r| r.get("windows")?.as_array()).flatten().collect();
    if stated.is_empty() {
        return None;
    }
    let one = |what: &str| Comparison::new(Subject::Image, what, shown(log), Evidence::Checksums).over(over.clone());
    let mut names = std::collections::BTreeSet::new();
    for (at, window) in stated.iter().enumerate() {
        let (offset, length) = (window["offset"].as_u64().unwrap_or(0), window["length"].as_u64().unwrap_or(0));
        let found = pieces.get(at).filter(|piece| Some(piece.offset) == window["offset"].as_u64());
        for (name, hex) in window["digests"].as_object().into_iter().flatten() {
            let digest = found.and_then(|piece| piece.digests.iter().find(|d| d.algorithm().to_string() == *name));
            if digest.is_none_or(|digest| Some(digest.to_string().as_str()) != hex.as_str()) {
                let text = format!("the window at offset {offset} differs from the log, by {name}");
                return Some(Finding::Differs(one("windows").unequal(vec![(offset, length)]), text));
            }
            names.insert(name.as_str());
        }
    }
    let names: Vec<&str> = names.into_iter().collect();
    let what = format!("{} windows ({})", stated.len(), names.join(", "));
    Some(match stated.len() == pieces.len() {
        true => Finding::Equal(one(&what)),
        false => Finding::Differs(
            one(&what).unequal(Vec::new()),
            format!("the log states {} windows, the image has {}", stated.len(), pieces.len()),
        ),
    })
}

/// Compares the files beside a chained log with its statements: the log for people, the files of
/// the image and, of an E01 image, its case data.
pub fn compare(log: &Path, sound: &Sound, image: Option<&Path>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = people(log, sound).into_iter().collect();
    findings.extend(remarks(sound).map(|remark| Finding::Remark(format!("{}: {remark}", shown(log)))));
    if let Some(image) = image {
        findings.extend(segments(log, sound, image));
        findings.extend(case_data(log, sound, image));
    }
    findings
}

/// The remarks on resumptions. Logs of pfh 0.1.0 before this key have them for people alone.
fn remarks(sound: &Sound) -> impl Iterator<Item = &str> {
    let starts = of_kind(&sound.records, "start");
    starts.filter_map(|record| record.get("remarks")?.as_array()).flatten().filter_map(Value::as_str)
}

/// How the last line of the log for people begins; the chain's last value follows.
const LAST: &str = "chain of records: ";

/// The last line of the log for people, by the chain's value at the end of the chained log.
pub(super) fn last_line(value: &str, is_signed: bool) -> String {
    let signed = if is_signed { ", signed with Ed25519" } else { "" };
    format!("{LAST}{value}{signed}\n")
}

/// Adds the last line of the log for people, or the rest of it, after a kill behind the end of the
/// chained log. Gives whether something was added; a log with other text stays as it is.
///
/// # Errors
/// When the log for people cannot be read or written.
pub fn complete(text: &Path, sound: &Sound) -> io::Result<bool> {
    let Some(stated) = sound.records.last().and_then(|end| end.get("log")) else { return Ok(false) };
    let (Some(bytes), Some(sha256)) = (stated["bytes"].as_u64(), stated["sha256"].as_str()) else { return Ok(false) };
    let line = last_line(&sound.chain.value(), sound.signature.is_some());
    let mut file = File::options().read(true).append(true).open(text)?;
    let length = file.metadata()?.len();
    if length < bytes || length >= bytes + line.len() as u64 || sha256_in(&mut file, bytes)? != (bytes, sha256.into()) {
        return Ok(false);
    }
    let mut rest = String::new();
    file.read_to_string(&mut rest)?;
    let Some(missing) = line.strip_prefix(&rest) else { return Ok(false) };
    io::Write::write_all(&mut file, missing.as_bytes())?;
    file.sync_all()?;
    Ok(true)
}

/// The log for people: `NAME.log` beside `NAME.log.jsonl`.
fn people(log: &Path, sound: &Sound) -> Option<Finding> {
    let stated = sound.records.last()?.get("log")?;
    let (bytes, sha256) = (stated["bytes"].as_u64()?, stated["sha256"].as_str()?);
    let path = log.with_extension("");
    let name = shown(&path);
    if log.extension().is_none_or(|e| e != "jsonl") || !path.is_file() {
        return Some(Finding::Absent(format!("{name}: the log for people is not beside the chained one")));
    }
    // Behind the part that the chain covers stands the chain's own last value, and nothing else.
    let mut rest = Vec::new();
    let read = File::open(&path).and_then(|mut file| {
        let found = sha256_in(&mut file, bytes)?;
        file.take(4096).read_to_end(&mut rest)?;
        Ok(found)
    });
    let Ok((found, digest)) = read else {
        return Some(Finding::Unread(format!("{name}: the log for people cannot be read")));
    };
    let rest = String::from_utf8_lossy(&rest).into_owned();
    let one = |what: String| Comparison::new(Subject::Log, what, shown(log), Evidence::Fact);
    let differs =
        |text: String| Some(Finding::Differs(one(format!("{name}: the log for people")).unequal(vec![]), text));
    if found != bytes || digest != sha256 {
        return differs(format!("{name}: the log for people differs from the chained log's statement, by sha256"));
    }
    let (value, signed) = (format!("{LAST}{}", sound.chain.value()), ", signed with Ed25519");
    let (line, behind) = rest.split_once('\n').unwrap_or((&rest, ""));
    if !rest.ends_with('\n') && format!("{value}{signed}").starts_with(&rest) {
        // A run that is killed right before its last line leaves this too.
        return Some(Finding::Unread(format!("{name}: its last line, with the chain's value, is missing")));
    }
    let says_signed = line.strip_prefix(value.as_str());
    match (says_signed, sound.signature) {
        (Some(says), None) if says == signed => {
            let who = shown(log);
            return differs(format!("{name}: it states that the log is signed, and the signature is missing in {who}"));
        }
        (Some(""), None) => {}
        (Some(says), Some(_)) if says == signed => {}
        _ => return differs(format!("{name}: its last line differs from the chained log's statement")),
    }
    // Behind a last end whose log was continued stand the lines of that run.
    if behind.is_empty() || sound.behind > 0 {
        return Some(Finding::Equal(one(format!("{name}: the log for people (sha256)"))));
    }
    differs(format!("{name}: there is more in the log for people than the chained log states"))
}

/// The file of the image that a log names: as pfh writes names now (escaped), or as it wrote them
/// before (invalid UTF-8 replaced).
fn named(image: &Path, files: &[PathBuf], stated: &str) -> Option<PathBuf> {
    let is_it = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default();
        shown(Path::new(name)) == stated || name.to_string_lossy() == stated
    };
    let beside = || Some(image.with_file_name(stated)).filter(|path| path.exists());
    files.iter().find(is_it).cloned().or_else(beside)
}

/// Sizes of the image's files, and their SHA-256 where the log has them.
fn segments(log: &Path, sound: &Sound, image: &Path) -> Option<Finding> {
    let lists: Vec<&Value> = of_kind(latest(sound), "files").filter_map(|r| r.get("files")).collect();
    let own = [image.to_owned()];
    let is_of =
        |list: &&&Value| list[0]["name"].as_str().is_some_and(|name| named(image, &own, name) == Some(own[0].clone()));
    let list = lists.iter().find(is_of)?.as_array()?;
    let files = files_of(image);
    let (mut hashed, mut total) = (0, 0);
    let one = |what: String, evidence| Comparison::new(Subject::Image, what, shown(log), evidence);
    let differs = |text: String| {
        let what = "the files of the image".to_owned();
        Some(Finding::Differs(one(what, Evidence::Fact).unequal(vec![]), text))
    };
    for file in list {
        let name = file["name"].as_str()?;
        let Some(path) = named(image, &files, name) else {
            let missing = image.with_file_name(name);
            return differs(format!("{}: listed in the log, and not there", missing.display()));
        };
        let bytes = file["bytes"].as_u64()?;
        total += bytes;
        let found = match std::fs::metadata(&path) {
            Ok(found) => found,
            Err(error) => return Some(Finding::Unread(format!("{}: {error}", shown(&path)))),
        };
        if found.len() != bytes {
            let found = found.len();
            return differs(format!("{}: {found} bytes, the log states {bytes}", shown(&path)));
        }
        if let Some(sha256) = file["sha256"].as_str() {
            hashed += 1;
            match sha256_of(&path) {
                Ok(found) if found == sha256 => {}
                Ok(_) => return differs(format!("{}: not as the log states, by sha256", shown(&path))),
                Err(error) => return Some(Finding::Unread(format!("{}: {error}", shown(&path)))),
            }
        }
    }
    let is_hashed = hashed == list.len();
    let by = if is_hashed { "size and sha256" } else { "size" };
    let evidence = if is_hashed { Evidence::Checksums } else { Evidence::Fact };
    let coverage = Coverage { space: Space::Files, ..Coverage::whole(total) };
    Some(Finding::Equal(
        one(format!("{} of the image ({by})", counted(list.len() as u64, "file")), evidence).over(coverage),
    ))
}

/// The case data in an E01 image: as one of the log's runs states them, for an image keeps those it
/// was begun with.
fn case_data(log: &Path, sound: &Sound, image: &Path) -> Option<Finding> {
    let image_about: EwfAbout = Image::open(image).ok()?.ewf()?.about.clone();
    let fields = |about: &EwfAbout| {
        [&about.case_number, &about.evidence_number, &about.examiner, &about.description, &about.notes]
            .map(String::clone)
    };
    let stated = |record: &Map<String, Value>| -> Option<[String; 5]> {
        let text = |name: &str| record.get(name)?.as_str().map(str::to_owned);
        Some([text("case")?, text("evidence")?, text("examiner")?, text("description")?, text("notes")?])
    };
    let all: Vec<[String; 5]> = of_kind(&sound.records, "start").filter_map(stated).collect();
    let found = fields(&image_about);
    let one = Comparison::new(Subject::Image, "the case data in the image", shown(log), Evidence::Fact);
    if all.is_empty() {
        return None;
    }
    if all.contains(&found) {
        return Some(Finding::Equal(one));
    }
    const NAMES: [&str; 5] = ["case number", "evidence number", "examiner", "description", "notes"];
    let differing = all.last().map_or_else(Vec::new, |stated| {
        let unequal = (0..5).filter(|at| stated[*at] != found[*at]);
        unequal.map(|at| format!("the {} is {:?}, the log states {:?}", NAMES[at], found[at], stated[at])).collect()
    });
    let text = format!("the case data in the image are not those of the log: {}", differing.join("; "));
    Some(Finding::Differs(one.unequal(vec![]), text))
}
