//! Rows of JSON lines, as `hash`, `match` and `list` print them.

use super::reading::Reading;
use crate::job::Error;
use crate::report::members::{Object, digests, list, name, text, texts};
use pfh_report::export::{Clock, Row};
use pfh_source::Time;
use serde_json::Value;
use std::io::{self, BufRead, Read};

/// The longest line that is looked at.
const LONGEST: u64 = 64 << 20;

/// Hands each row of the lines to `take`.
///
/// # Errors
/// When they cannot be read; and those of `take`.
pub(super) fn each(
    input: &mut dyn BufRead,
    take: &mut dyn FnMut(Row) -> Result<(), Error>,
    failed: impl Fn(io::Error) -> Error,
) -> Result<Reading, Error> {
    let mut reading = Reading::default();
    let mut counts = Counts::default();
    let mut line = Vec::new();
    let mut number = 0_u64;
    loop {
        line.clear();
        if Read::take(&mut *input, LONGEST).read_until(b'\n', &mut line).map_err(&failed)? == 0 {
            break;
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(object) = serde_json::from_slice::<Object>(&line) else {
            reading.fault(format!("line {number}: no JSON object"));
            continue;
        };
        match text(&object, "type") {
            "file" | "match" | "error" | "skipped" | "base" => match row(&object) {
                Ok((row, pieces)) => {
                    counts.count(&row, &object);
                    take(row)?;
                    pieces.into_iter().try_for_each(&mut *take)?;
                }
                Err(why) => reading.fault(format!("line {number}: {why}")),
            },
            "summary" => counts.summary(&object, &mut reading),
            other => reading.other(other),
        }
    }
    if counts.wants_end {
        reading.fault("the last line is missing: the result was interrupted, or cut off".to_owned());
    }
    reading.end();
    Ok(reading)
}

/// The counts that the end of a result must state.
#[derive(Default)]
struct Counts {
    files: u64,
    errors: u64,
    skipped: u64,
    /// Whether lines were read that a summary ends. Those of `list` have none.
    wants_end: bool,
}

impl Counts {
    fn count(&mut self, row: &Row, object: &Object) {
        match row.kind.as_str() {
            "file" => self.files += 1,
            "error" => self.errors += 1,
            "skipped" => self.skipped += 1,
            _ => {}
        }
        self.wants_end |= object.contains_key("digests") || row.kind == "match" || row.kind == "base";
    }

    /// The end of a manifest counts files, errors and skipped entries; that of verdicts counts
    /// verdicts.
    fn summary(&mut self, object: &Object, reading: &mut Reading) {
        for (key, read) in [("files", self.files), ("errors", self.errors), ("skipped", self.skipped)] {
            let stated = object.get(key).and_then(Value::as_u64);
            if object.contains_key("files") && stated.is_some_and(|stated| stated != read) {
                let stated = stated.unwrap_or_default();
                reading.fault(format!("the end counts {stated} {key}, and {read} were read: it is not whole"));
            }
        }
        *self = Counts::default();
    }
}

/// The members that have a place of their own in a row.
const PLACED: &[&str] = &[
    "type", "path", "path_b64", "size", "offset", "length", "mtime", "ctime", "atime", "digests", "verdict", "sets",
    "inside", "notes", "stage", "code", "cause", "id", "level", "pieces",
];

/// The row of a line, and those of its pieces.
fn row(object: &Object) -> Result<(Row, Vec<Row>), String> {
    let path = name(object, "path");
    if path.is_empty() {
        return Err("a record without a name".to_owned());
    }
    let inside = object.get("inside").and_then(Value::as_object);
    let mut times = [None; 5];
    for (place, clock) in times.iter_mut().zip(Clock::ALL) {
        let member = object.get(clock.name()).or_else(|| inside.and_then(|inside| inside.get(clock.name())));
        if let Some(member) = member {
            let time = member.as_str().and_then(Time::parse);
            *place = Some(time.ok_or_else(|| format!("{} is not a time", clock.name()))?);
        }
    }
    let number = |object: &Object, key: &str| object.get(key).and_then(Value::as_u64);
    let word = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    let json = |value: &Value| value.to_string();
    let other: Object =
        object.iter().filter(|(key, _)| !PLACED.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect();
    let sets = list(object, "sets").filter_map(|set| Some(set.get("set")?.as_str()?.to_owned()));
    let row = Row {
        kind: text(object, "type").to_owned(),
        size: number(object, "size"),
        offset: number(object, "offset"),
        length: number(object, "length"),
        times,
        digests: digests(object),
        verdict: word("verdict"),
        sets: sets.collect(),
        sets_json: object.get("sets").map(json),
        inode: inside.and_then(|inside| number(inside, "inode")),
        is_deleted: inside.is_some_and(|inside| inside.get("deleted").and_then(Value::as_bool) == Some(true)),
        inside: object.get("inside").map(json),
        notes: texts(object, "notes"),
        stage: word("stage"),
        code: word("code"),
        cause: word("cause"),
        id: word("id"),
        level: word("level"),
        other: (!other.is_empty()).then(|| Value::Object(other).to_string()),
        path,
    };
    let pieces = list(object, "pieces").filter_map(Value::as_object).map(|piece| Row {
        kind: "piece".to_owned(),
        path: row.path.clone(),
        size: row.size,
        offset: number(piece, "offset"),
        length: number(piece, "length"),
        digests: digests(piece),
        ..Row::default()
    });
    let pieces = pieces.collect();
    Ok((row, pieces))
}
