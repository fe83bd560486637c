//! The ranges of a file, joined to its record.

use super::document::Document;
use super::part::Lines;
use super::problem::damaged;
use super::range::{State, decode, splits};
use crate::job::Error;
use pfh_digest::Digest;
use pfh_engine::{HashedFile, Outcome, Record};
use pfh_source::{Note, ReadResult};
use serde_json::Value;

/// A range as its part has it: the line, and the values of all algorithms, one behind the other.
pub struct Came {
    /// The line.
    pub line: Value,
    /// The values; of a range that failed the record of its file.
    pub bytes: Vec<u8>,
}

impl Came {
    /// The first byte of the range, one past the last, and the bytes of the file.
    fn place(&self) -> Option<[u64; 3]> {
        let place = self.line["range"].as_array()?;
        let place: Option<Vec<u64>> = place.iter().map(Value::as_u64).collect();
        place?.try_into().ok()
    }
}

/// The record of a file as a part has it, line and bytes, from its ranges in any order: that of the
/// first range which failed, if one did.
///
/// # Errors
/// When they are not the ranges of one file, each once.
pub fn join(plan: &Document, lines: &mut Lines, mut ranges: Vec<Came>) -> Result<(Value, Vec<u8>), Error> {
    let strange = || damaged(&plan.directory, "its units do not have each range of a file once");
    ranges.sort_by_key(Came::place);
    let mut end = 0;
    for range in &ranges {
        let [start, until, size] = range.place().ok_or_else(strange)?;
        if start != end || until <= start || until > size {
            return Err(strange());
        }
        end = until;
    }
    if ranges.last().and_then(Came::place).is_none_or(|[_, until, size]| until != size) {
        return Err(strange());
    }
    if let Some(at) = ranges.iter().position(|range| range.line["kind"] != "hashed") {
        let Came { mut line, bytes } = ranges.swap_remove(at);
        line.as_object_mut().ok_or_else(strange)?.remove("range");
        return Ok((line, bytes));
    }
    let record = record(plan, &ranges, end).ok_or_else(strange)?;
    let mut bytes = Vec::new();
    let (line, _) = lines.record(&mut bytes, &record);
    Ok((line, bytes))
}

/// The record of a file of `size` bytes that was read to its end.
fn record(plan: &Document, ranges: &[Came], size: u64) -> Option<Record> {
    let first = &ranges.first()?.line;
    let (number, stat) = (first["number"].as_u64()?, decode(&first["stat"])?);
    let mut joined: Vec<_> =
        splits(plan, plan.split?).ok()?.into_iter().map(|split| (split, split.join(size))).collect();
    for Came { line, bytes } in ranges {
        // The state of each is that of the plan, and so they are one.
        if line["number"] != first["number"] || State::of(&decode(&line["stat"])?) != State::of(&stat) {
            return None;
        }
        let lengths = line["values"].as_array()?;
        let mut rest = &bytes[..];
        for ((_, joined), length) in joined.iter_mut().zip(lengths) {
            let (values, more) = rest.split_at_checked(usize::try_from(length.as_u64()?).ok()?)?;
            joined.push(values);
            rest = more;
        }
        if lengths.len() != joined.len() || !rest.is_empty() {
            return None;
        }
    }
    let digest = |(split, joined): (pfh_tree::split::Split, pfh_tree::split::JoinedMessage)| {
        Digest::from_bytes(split.algorithm(), &joined.finish()?).ok()
    };
    let digests = joined.into_iter().map(digest).collect::<Option<Vec<_>>>()?;
    let untimed = ranges.iter().any(|range| range.line["untimed"] == true);
    let notes = if untimed { vec![Note::Untimed] } else { Vec::new() };
    let closed = ReadResult { size, stat: Some(stat), notes, inside: None };
    let name = super::document::unbytes(&first["name"])?;
    Some(Record { number, name, outcome: Outcome::Hashed(HashedFile { closed, digests, pieces: Vec::new() }) })
}
