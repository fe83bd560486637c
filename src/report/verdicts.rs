//! Verdicts, with their evidence in words.

use super::found::{PageFindings, tone};
use super::members::{Object, list, name, number, plain, text, texts};
use pfh_report::case::{Row, Rows, Tone, VerdictEvidence};
use pfh_source::terminal::{counted, many};
use serde_json::Value;

/// A file of a manifest that is not as the manifest says.
pub(super) fn checked(object: &Object) -> Option<Row> {
    let result = text(object, "result");
    let tone = match result {
        "ok" => return None,
        "failed" | "missing" => Tone::Bad,
        _ => Tone::Open,
    };
    Some(Row { tone, class: result.to_owned(), name: name(object, "path"), more: String::new() })
}

/// A file that is not as it was.
pub(super) fn changed(object: &Object) -> Option<Row> {
    let class = text(object, "class");
    if matches!(class, "matched" | "same") {
        return None;
    }
    let tone = if matches!(class, "metadata" | "metadata-only") { Tone::Good } else { Tone::Bad };
    let tone = if matches!(class, "error" | "unverified") { Tone::Open } else { tone };
    let mut more = Vec::new();
    let from = name(object, "from");
    if !from.is_empty() {
        more.push(format!("from {}", pfh_source::terminal::render(&from)));
    }
    let said = ["evidence", "cause"].map(|key| text(object, key)).into_iter().filter(|said| !said.is_empty());
    more.extend(said.map(str::to_owned));
    if object.get("partly").is_some() {
        more.push("some digests are as they were".to_owned());
    }
    Some(Row { tone, class: class.to_owned(), name: name(object, "path"), more: more.join("; ") })
}

/// Something that is the matter with a bag.
pub(super) fn finding(object: &Object) -> Row {
    let class = text(object, "severity");
    let tone = if class == "error" { Tone::Bad } else { Tone::Open };
    Row { tone, class: class.to_owned(), name: name(object, "path"), more: text(object, "what").to_owned() }
}

/// Counts in words: those that are not 0.
fn counts(object: &Object, keys: &[(&str, &'static str)]) -> String {
    let counts = keys.iter().map(|(key, word)| (number(object, key), word)).filter(|(count, _)| *count > 0);
    let one = |word: &'static str| word.strip_suffix('s').unwrap_or(word);
    counts.map(|(count, word)| many(count, one(word), word)).collect::<Vec<_>>().join(", ")
}

/// Enters a verdict with its evidence.
fn enter(found: &mut PageFindings, source: usize, what: &str, object: &Object, evidence: Vec<String>, rows: Rows<Row>) {
    let verdict = text(object, "verdict").to_owned();
    let mut evidence: Vec<String> = evidence.into_iter().filter(|sentence| !sentence.is_empty()).collect();
    for open in texts(object, "not_compared") {
        found.open(source, b"", format!("not compared: {open}"));
        evidence.push(format!("not compared: {open}"));
    }
    found.judge(VerdictEvidence { source, what: what.to_owned(), tone: tone(&verdict), verdict, evidence, rows });
}

/// `pfh check`.
pub(super) fn check(found: &mut PageFindings, source: usize, object: &Object, rows: Rows<Row>) {
    let by = object.get("algorithms").and_then(Value::as_object).into_iter().flatten();
    let by: Vec<String> = by
        .map(|(algorithm, count)| format!("{algorithm} ({})", counted(count.as_u64().unwrap_or_default(), "file")))
        .collect();
    let evidence = vec![
        {
            let (verified, expected) = (number(object, "verified"), number(object, "expected"));
            let are = if verified == 1 { "is" } else { "are" };
            format!("{verified} of {} {are} as listed", counted(expected, "listed file"))
        },
        if by.is_empty() { String::new() } else { format!("compared by {}", by.join(", ")) },
        counts(object, &[("failed", "failed"), ("missing", "missing"), ("unread", "unread"), ("ignored", "ignored")]),
    ];
    enter(found, source, "check", object, evidence, rows);
}

/// `pfh check --audit`.
pub(super) fn audit(found: &mut PageFindings, source: usize, object: &Object, rows: Rows<Row>) {
    let (examined, expected) = (number(object, "examined"), number(object, "expected"));
    let classes = [
        ("matched", "matched"),
        ("metadata-only", "with other metadata alone"),
        ("moved", "moved"),
        ("copied", "copied"),
        ("new", "new"),
        ("missing", "missing"),
        ("modified", "modified"),
        ("bit-rot", "bit rot"),
        ("error", "errors"),
        ("unverified", "unverified"),
    ];
    let evidence = vec![
        format!("{} against {}", counted(examined, "file"), many(expected, "entry", "entries")),
        counts(object, &classes),
    ];
    enter(found, source, "audit of a tree", object, evidence, rows);
}

/// `pfh diff`.
pub(super) fn difference(found: &mut PageFindings, source: usize, object: &Object, rows: Rows<Row>) {
    let by = texts(object, "algorithms").join(", ");
    let classes = [
        ("changed", "changed"),
        ("added", "added"),
        ("removed", "removed"),
        ("moved", "moved"),
        ("copied", "copied"),
        ("bit-rot", "bit rot"),
        ("metadata", "with other metadata alone"),
        ("error", "errors"),
    ];
    let evidence = vec![format!("{} the same by {by}", number(object, "same")), counts(object, &classes)];
    enter(found, source, "difference", object, evidence, rows);
}

/// `pfh bag validate`.
pub(super) fn bag(found: &mut PageFindings, source: usize, object: &Object, rows: Rows<Row>) {
    let by = texts(object, "algorithms").join(", ");
    let more = [
        ("tag_files", "tag files"),
        ("errors", "errors"),
        ("incomplete", "left open"),
        ("to_fetch", "yet to be fetched"),
        ("warnings", "warnings"),
    ];
    let evidence = vec![
        {
            let (files, bytes) = (counted(number(object, "files"), "file"), counted(number(object, "bytes"), "byte"));
            format!("{files} with {bytes} against manifests of {by}")
        },
        counts(object, &more),
    ];
    enter(found, source, "validation of a bag", object, evidence, rows);
}

/// Results that were cut off: their lines hold, and there is no verdict.
pub(super) fn without_end(found: &mut PageFindings, source: usize, what: &str, rows: Rows<Row>) {
    let evidence = vec!["the last line is missing: the result ends here".to_owned()];
    let verdict = "incomplete".to_owned();
    found.judge(VerdictEvidence { source, what: what.to_owned(), tone: Tone::Open, verdict, evidence, rows });
}

/// `pfh verify`.
pub(super) fn image(found: &mut PageFindings, source: usize, object: &Object) {
    let mut evidence: Vec<String> = list(object, "compared")
        .filter_map(Value::as_object)
        .map(|equal| {
            let digest = Some(text(equal, "digest")).filter(|digest| !digest.is_empty());
            let digest = digest.map_or_else(String::new, |digest| format!(" ({digest})"));
            format!("equal: {} with {}{digest}", text(equal, "what"), text(equal, "with"))
        })
        .collect();
    evidence.extend(texts(object, "missing").into_iter().map(|what| format!("missing: {what}")));
    evidence.extend(texts(object, "findings"));
    enter(found, source, "verification of an image", object, evidence, Rows::default());
}

/// Any other object with a verdict: trees, proofs, answers of a storage server. Its members stand
/// below it as they are.
pub(super) fn other(found: &mut PageFindings, source: usize, object: &Object) {
    let what = match text(object, "type") {
        "checked" => "check of a tree",
        "range" => "proof of a range",
        "audit" | "audit-set" => "audit of a storage server",
        "root" => "root of a file",
        other => other,
    };
    let of = pfh_source::terminal::render(&name(object, "path"));
    let what = if of.is_empty() { what.to_owned() } else { format!("{what}: {of}") };
    let shown = object
        .iter()
        .filter(|(key, value)| !["type", "verdict", "path", "path_b64"].contains(&key.as_str()) && !value.is_null());
    let evidence = shown.map(|(key, value)| format!("{}: {}", key.replace(['_', '-'], " "), plain(value))).collect();
    enter(found, source, &what, object, evidence, Rows::default());
}
