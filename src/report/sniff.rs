//! The form of a file, by its first bytes.

use super::members::Object;
use serde_json::Value;

/// Bytes that are looked at.
pub(super) const LOOK: usize = 64 << 10;

/// How the file of a plan is called on the page.
pub(super) const PLAN: &str = "plan of a run in units";

/// The form of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// Results, a JSON object a line.
    Lines,
    /// A chained log.
    Log,
    /// The seal of a manifest.
    Seal,
    /// A document in CASE/UCO.
    Ontology,
    /// The map of an acquisition, as ddrescue writes it.
    Map,
    /// A list of digests, if it is one.
    List,
    /// No result, and known as something else: its kind, and its reader.
    Beside(&'static str, &'static str),
    /// Nothing that is known: why.
    Unknown(&'static str),
}

/// The commands that read plans and their parts.
const MERGED: &str = "`pfh merge` reads it";

/// Files of pfh's that are not results, by their first bytes.
const STORES: &[(&[u8], &str, &str)] = &[
    (b"pfh tree", "tree", "`pfh tree check` reads it"),
    (b"pfh rang", "proof of a range", "`pfh tree verify` reads it"),
    (b"pfh known set\n", "known-set file", "`pfh known info` reads it"),
    (b"pfh chal", "challenge of an audit", "`pfh audit prove` reads it"),
    (b"pfh prov", "answer of an audit", "`pfh audit verify` reads it"),
    (b"pfh upda", "update of an audit", "`pfh audit renew` reads it"),
    (b"pfh jrnl", "journal of a tree", "`pfh tree` removes it"),
    (b"pfh-commitment ", "commitment of an audit", "`pfh audit verify` reads it"),
    (b"PAR1", "table in Parquet", "data frames read it"),
    (b"pfhsim", "index of similarity digests", "`pfh match` reads it"),
    (b"EVF\x09\x0d\x0a\xff\x00", "E01 image", "`pfh verify` reads it"),
];

/// The form of a file with this beginning.
pub(super) fn form(start: &[u8]) -> Form {
    if let Some((_, what, reader)) = STORES.iter().find(|(magic, ..)| start.starts_with(magic)) {
        return Form::Beside(what, reader);
    }
    if start.starts_with(b"SQLite format 3\0") && start.get(68..72) == Some(b"pfhc") {
        return Form::Beside("cache of digests", "`pfh hash` reads it");
    }
    if start.starts_with(b"pfh ") && first_line(start).windows(9).any(|word| word == b" started ") {
        return Form::Beside("log for people", "the chained log beside it says the same");
    }
    if start.starts_with(b"# Mapfile.") {
        return Form::Map;
    }
    if start.starts_with(b"<!DOCTYPE html>") {
        let is_ours = start.windows(34).any(|text| text == b"<meta name=\"generator\" content=\"pf");
        return if is_ours {
            Form::Beside("page", "people read it")
        } else {
            Form::Unknown("a page of another program")
        };
    }
    match start.trim_ascii_start().first() {
        None => Form::Unknown("it is empty"),
        Some(b'{') => json(start.trim_ascii_start()),
        Some(_) => Form::List,
    }
}

/// Whether a list holds verdicts of known sets beside its digests, in a form that only people and
/// spreadsheets read.
pub(super) fn holds_verdicts(start: &[u8]) -> bool {
    let verdict = b"<pfh:verdict>";
    start.starts_with(b"verdict,path,") || start.windows(verdict.len()).any(|text| text == verdict)
}

fn first_line(start: &[u8]) -> &[u8] {
    start.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

fn json(start: &[u8]) -> Form {
    let line = first_line(start);
    let Ok(object) = serde_json::from_slice::<Object>(line) else {
        // A line that is longer than the part looked at, or a document over several lines.
        return if line.windows(17).any(|text| text == b"\"type\":\"pfh-plan\"") {
            Form::Beside(PLAN, MERGED)
        } else if start.windows(10).any(|text| text == b"\"@context\"") && line.len() < 3 {
            Form::Ontology
        } else if line.len() == start.len() && start.len() >= LOOK - 1 {
            Form::Lines
        } else {
            Form::Unknown("it begins as JSON and is none that is known")
        };
    };
    let is = |key: &str, value: &str| object.get(key).and_then(Value::as_str) == Some(value);
    if object.contains_key("chain") && object.contains_key("kind") {
        Form::Log
    } else if is("type", "seal") {
        Form::Seal
    } else if is("type", "pfh-plan") {
        Form::Beside(PLAN, MERGED)
    } else if is("type", "pfh-part") {
        Form::Beside("part of a plan", MERGED)
    } else if object.contains_key("@context") {
        Form::Ontology
    } else {
        Form::Lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_their_first_bytes() {
        assert_eq!(form(b"{\"type\":\"file\"}\n"), Form::Lines);
        assert_eq!(form(b"{\"chain\":\"0\",\"kind\":\"start\"}\n"), Form::Log);
        assert_eq!(form(b"{\"hash\":\"sha256\",\"type\":\"seal\"}\n"), Form::Seal);
        assert_eq!(form(b"{\n  \"@context\": {"), Form::Ontology);
        assert_eq!(form(b"# Mapfile. Created by pfh\n"), Form::Map);
        assert_eq!(
            form(b"pfh 0.1.0 started 2026\n"),
            Form::Beside("log for people", "the chained log beside it says the same")
        );
        assert!(matches!(form(b"{\n\"a\":1}"), Form::Unknown(_)));
        assert!(matches!(form(b" \n"), Form::Unknown(_)));
        assert!(matches!(form(b"<!DOCTYPE html>\n<title>"), Form::Unknown(_)));
        assert_eq!(form(b"0123  name\n"), Form::List);
    }
}
