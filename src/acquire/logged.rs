//! What a chained log states beside the digests of the image, and how it compares with what is there: the log for people, the
//! files of the image, the case data in an E01 image, the digests of windows.

use pfh_container::ewf::About;
use pfh_custody::chain::Sound;
use pfh_digest::Algorithm;
use pfh_engine::Piece;
use pfh_source::image::{Image, files_of};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{ImageFormat, To};

/// One thing that was compared, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// What was compared with the log, and by what.
    Equal(String),
    /// What differs.
    Differs(String),
    /// The log states it, and there is nothing to compare with.
    Absent(String),
    /// What the log remarks on a resumption.
    Remark(String),
    /// The log states it, and what it is to be compared with cannot be read.
    Unread(String),
}

/// SHA-256 of the first `length` bytes of a file, and how many there were; of all of it without a length.
fn sha256_of(path: &Path, length: Option<u64>) -> io::Result<(u64, String)> {
    let mut hasher = "sha256".parse::<Algorithm>().map_err(io::Error::other)?.hasher();
    let bytes = io::copy(&mut File::open(path)?.take(length.unwrap_or(u64::MAX)), &mut hasher)?;
    Ok((bytes, hasher.finalize().to_string()))
}

/// What the end of a chain says of the log for people so far: its length in bytes and its SHA-256.
///
/// # Errors
/// When it cannot be read.
pub fn text(path: &Path) -> io::Result<Value> {
    let (bytes, sha256) = sha256_of(path, None)?;
    Ok(json!({ "bytes": bytes, "sha256": sha256 }))
}

/// The files of a target as the log lists them: path, bytes and, where `hashed`, SHA-256. Devices are not listed.
///
/// # Errors
/// When a file cannot be read.
pub fn files(to: &To, hashed: bool) -> io::Result<Vec<Value>> {
    let first = match &to.form {
        ImageFormat::Split(pieces) => {
            let mut name = to.path.as_os_str().to_owned();
            name.push(".");
            name.push(pieces.suffix.of(0, pieces.width).unwrap_or_default());
            PathBuf::from(name)
        }
        ImageFormat::Raw { .. } | ImageFormat::E01 { .. } => to.path.clone(),
    };
    let all = if matches!(to.form, ImageFormat::Raw { .. }) { vec![first] } else { files_of(&first) };
    let mut listed = Vec::new();
    for path in all.into_iter().filter(|path| path.is_file()) {
        let bytes = std::fs::metadata(&path)?.len();
        let sha256 = if hashed { Some(sha256_of(&path, None)?.1) } else { None };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        listed.push(json!({ "name": name, "bytes": bytes, "sha256": sha256 }));
    }
    Ok(listed)
}

/// Windows for one record of the log.
pub const WINDOWS: usize = 1000;

/// Digests of windows, for one record.
pub fn windows(pieces: &[Piece]) -> Value {
    let piece = |piece: &Piece| {
        let digests: Map<String, Value> =
            piece.digests.iter().map(|d| (d.algorithm().to_string(), d.to_string().into())).collect();
        json!({ "offset": piece.offset, "length": piece.length, "digests": digests })
    };
    json!({ "windows": pieces.iter().map(piece).collect::<Vec<_>>() })
}

/// Records behind the last one that continues a finished log: what holds of the image as it is.
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

/// Compares the windows of an image with those of the log.
pub fn compare_windows(sound: &Sound, pieces: &[Piece]) -> Option<Finding> {
    let stated: Vec<&Value> =
        of_kind(latest(sound), "windows").filter_map(|r| r.get("windows")?.as_array()).flatten().collect();
    if stated.is_empty() {
        return None;
    }
    let mut names = std::collections::BTreeSet::new();
    for (at, window) in stated.iter().enumerate() {
        let offset = window["offset"].as_u64().unwrap_or(0);
        let found = pieces.get(at).filter(|piece| Some(piece.offset) == window["offset"].as_u64());
        for (name, hex) in window["digests"].as_object().into_iter().flatten() {
            let digest = found.and_then(|piece| piece.digests.iter().find(|d| d.algorithm().to_string() == *name));
            if digest.is_none_or(|digest| Some(digest.to_string().as_str()) != hex.as_str()) {
                return Some(Finding::Differs(format!(
                    "the window at offset {offset} is not what the log states, by {name}"
                )));
            }
            names.insert(name.as_str());
        }
    }
    let names: Vec<&str> = names.into_iter().collect();
    Some(match stated.len() == pieces.len() {
        true => Finding::Equal(format!("{} windows ({})", stated.len(), names.join(", "))),
        false => Finding::Differs(format!("the log states {} windows, the image has {}", stated.len(), pieces.len())),
    })
}

/// Compares what lies beside a chained log with what it states: the log for people, the files of the image and, of an E01
/// image, its case data.
pub fn compare(log: &Path, sound: &Sound, image: Option<&Path>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = people(log, sound).into_iter().collect();
    findings.extend(remarks(sound).map(|remark| Finding::Remark(format!("{}: {remark}", log.display()))));
    if let Some(image) = image {
        findings.extend(segments(sound, image));
        findings.extend(case_data(sound, image));
    }
    findings
}

/// The remarks on resumptions. Logs of pfh 0.1.0 before this key have them for people alone.
fn remarks(sound: &Sound) -> impl Iterator<Item = &str> {
    let starts = of_kind(&sound.records, "start");
    starts.filter_map(|record| record.get("remarks")?.as_array()).flatten().filter_map(Value::as_str)
}

/// The log for people: `NAME.log` beside `NAME.log.jsonl`.
fn people(log: &Path, sound: &Sound) -> Option<Finding> {
    let stated = sound.records.last()?.get("log")?;
    let (bytes, sha256) = (stated["bytes"].as_u64()?, stated["sha256"].as_str()?);
    let path = log.with_extension("");
    let name = path.display();
    if log.extension().is_none_or(|e| e != "jsonl") || !path.is_file() {
        return Some(Finding::Absent(format!("{name}: the log for people is not beside the chained one")));
    }
    let Ok((found, digest)) = sha256_of(&path, Some(bytes)) else {
        return Some(Finding::Unread(format!("{name}: the log for people cannot be read")));
    };
    // Behind what the chain covers stands the chain's own last value, and nothing else.
    let mut rest = Vec::new();
    let read = File::open(&path).and_then(|mut file| {
        io::Seek::seek(&mut file, io::SeekFrom::Start(bytes))?;
        file.take(4096).read_to_end(&mut rest)
    });
    if read.is_err() {
        return Some(Finding::Unread(format!("{name}: the log for people cannot be read")));
    }
    let value = format!("chain of records: {}", sound.chain.value());
    let rest = String::from_utf8_lossy(&rest).into_owned();
    let is_closed = [format!("{value}\n"), format!("{value}, signed with Ed25519\n"), String::new()].contains(&rest);
    Some(if found == bytes && digest == sha256 && is_closed {
        Finding::Equal(format!("{name}: the log for people (sha256)"))
    } else {
        Finding::Differs(format!("{name}: the log for people is not what the chained log states, by sha256"))
    })
}

/// Sizes of the image's files, and their SHA-256 where the log has them.
fn segments(sound: &Sound, image: &Path) -> Option<Finding> {
    let lists: Vec<&Value> = of_kind(latest(sound), "files").filter_map(|r| r.get("files")).collect();
    let first = image.file_name()?.to_string_lossy();
    let list = lists.into_iter().find(|list| list[0]["name"].as_str() == Some(&*first))?.as_array()?;
    let mut hashed = 0;
    for file in list {
        let name = file["name"].as_str()?;
        let path = image.with_file_name(name);
        let bytes = file["bytes"].as_u64()?;
        let found = match std::fs::metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Some(Finding::Differs(format!("{}: listed in the log, and not there", path.display())));
            }
            Err(error) => return Some(Finding::Unread(format!("{}: {error}", path.display()))),
        };
        if found.len() != bytes {
            let found = found.len();
            return Some(Finding::Differs(format!("{}: {found} bytes, the log states {bytes}", path.display())));
        }
        if let Some(sha256) = file["sha256"].as_str() {
            hashed += 1;
            match sha256_of(&path, None) {
                Ok((_, found)) if found == sha256 => {}
                Ok(_) => {
                    return Some(Finding::Differs(format!("{}: not as the log states, by sha256", path.display())));
                }
                Err(error) => return Some(Finding::Unread(format!("{}: {error}", path.display()))),
            }
        }
    }
    let by = if hashed == list.len() { "size and sha256" } else { "size" };
    Some(Finding::Equal(format!("{} files of the image ({by})", list.len())))
}

/// The case data in an E01 image: as one of the log's runs states them, for an image keeps those it was begun with.
fn case_data(sound: &Sound, image: &Path) -> Option<Finding> {
    let image_about: About = Image::open(image).ok()?.ewf()?.about.clone();
    let fields = |about: &About| {
        [&about.case_number, &about.evidence_number, &about.examiner, &about.description, &about.notes]
            .map(String::clone)
    };
    let stated = |record: &Map<String, Value>| -> Option<[String; 5]> {
        let text = |name: &str| record.get(name)?.as_str().map(str::to_owned);
        Some([text("case")?, text("evidence")?, text("examiner")?, text("description")?, text("notes")?])
    };
    let all: Vec<[String; 5]> = of_kind(&sound.records, "start").filter_map(stated).collect();
    let found = fields(&image_about);
    if all.is_empty() {
        return None;
    }
    if all.contains(&found) {
        return Some(Finding::Equal("the case data in the image".into()));
    }
    const NAMES: [&str; 5] = ["case number", "evidence number", "examiner", "description", "notes"];
    let differing = all.last().map_or_else(Vec::new, |stated| {
        let unequal = (0..5).filter(|at| stated[*at] != found[*at]);
        unequal.map(|at| format!("the {} is {:?}, the log states {:?}", NAMES[at], found[at], stated[at])).collect()
    });
    Some(Finding::Differs(format!("the case data in the image are not those of the log: {}", differing.join("; "))))
}
