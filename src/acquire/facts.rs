//! The request of an acquisition that has ended: the same command with other facts is for another
//! image.

use super::entry::RequestParts;
use super::log::chained_name;
use super::{ImageFormat, Settings, To};
use pfh_container::split::Suffix;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Case data, by their names in the log and in words.
const CASE: [(&str, &str); 5] = [
    ("case", "case number"),
    ("evidence", "evidence number"),
    ("examiner", "examiner"),
    ("description", "description"),
    ("notes", "notes"),
];

fn case_data<'a>(asked: &'a Settings<'_>) -> [&'a str; 5] {
    let about = &asked.about;
    [&about.case_number, &about.evidence_number, &about.examiner, &about.description, &about.notes].map(String::as_str)
}

/// A target's form in words.
fn form(to: &To) -> String {
    match &to.form {
        ImageFormat::Raw { seek: 0, .. } => "raw".to_owned(),
        ImageFormat::Raw { seek, .. } => format!("raw from offset {seek} on"),
        ImageFormat::Split(pieces) => {
            let first = match pieces.suffix {
                Suffix::Letters => "letters",
                Suffix::Digits => "numbers from 0",
                Suffix::DigitsFromOne => "numbers from 1",
            };
            format!("raw in pieces of {} bytes, with {first} of {} places", pieces.length, pieces.width)
        }
        ImageFormat::E01 { compression, segment } => format!("E01 in segments of {segment} bytes, {compression:?}"),
    }
}

/// Parts of a request that the record `start` does not state in members of its own.
pub(super) fn asked(asked: &Settings<'_>) -> RequestParts {
    RequestParts {
        algorithms: asked.imaging.algorithms.iter().map(ToString::to_string).collect(),
        piecewise: asked.imaging.piecewise,
        targets: asked.targets.iter().map(form).collect(),
    }
}

/// The records `start` of a log.
fn starts(log: &Path) -> Vec<Map<String, Value>> {
    let Ok(file) = File::open(chained_name(log)) else { return Vec::new() };
    let records = BufReader::new(file).lines().map_while(Result::ok);
    let records = records.filter_map(|line| serde_json::from_str::<Map<String, Value>>(&line).ok());
    records.filter(|record| record.get("kind").and_then(Value::as_str) == Some("start")).collect()
}

/// How a request differs from that of the acquisition whose log has ended; `algorithms` are those
/// of its end. Facts that the log does not state are not compared.
pub(super) fn differences(asked: &Settings<'_>, log: &Path, algorithms: &BTreeSet<String>) -> Vec<String> {
    let starts = starts(log);
    let all: Vec<Vec<String>> = starts.iter().map(|start| differing(asked, start)).collect();
    // A run that was resumed, or retried, has several: the request of one of them is its.
    let mut found =
        if all.iter().any(Vec::is_empty) { Vec::new() } else { all.into_iter().next_back().unwrap_or_default() };
    let mine: BTreeSet<String> = asked.imaging.algorithms.iter().map(ToString::to_string).collect();
    if mine != *algorithms {
        let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
        found.push(format!("the algorithms are {}, they were {}", list(&mine), list(algorithms)));
    }
    for (what, path) in [("BLAKE3 tree", &asked.outboard), ("CASE document", &asked.request.case)] {
        if path.as_ref().is_some_and(|path| !path.exists()) {
            found.push(format!("a {what} is asked for, and there is none"));
        }
    }
    found
}

fn differing(asked: &Settings<'_>, start: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    for ((key, what), mine) in CASE.iter().zip(case_data(asked)) {
        if let Some(stated) = start.get(*key).and_then(Value::as_str).filter(|stated| *stated != mine) {
            found.push(format!("the {what} is {mine:?}, it was {stated:?}"));
        }
    }
    let Some(stated) = start.get("asked") else { return found };
    let mine = json!(self::asked(asked));
    let text = |value: &Value| match value {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" and "),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    };
    for (key, what) in [("targets", "form of the image"), ("piecewise", "window of digests")] {
        if stated[key] != mine[key] {
            found.push(format!("the {what} is {}, it was {}", text(&mine[key]), text(&stated[key])));
        }
    }
    found
}
