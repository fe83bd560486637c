//! Acquisitions: by their chained logs, by the output of the command, by their maps.

use super::found::{MapShare, PageFindings};
use super::members::{Object, digests, list, number, plain, text, texts};
use pfh_container::map::{Map, Status};
use pfh_report::case::{Acquisition, Rows, Standing};
use pfh_report::size_text;
use serde_json::Value;
use std::path::Path;

/// The facts of the first record of a log, and their labels on the page.
const FACTS: &[(&str, &str)] = &[
    ("at", "started"),
    ("case", "case"),
    ("evidence", "evidence"),
    ("examiner", "examiner"),
    ("description", "description"),
    ("notes", "notes"),
    ("command", "command line"),
    ("version", "version of pfh"),
    ("host", "host"),
    ("user", "user"),
    ("kernel", "system"),
    ("write-block", "write block"),
    ("sector", "bytes of a sector"),
];

/// Enters the acquisitions of a log whose chain holds: each `start` begins one.
pub(super) fn logged(found: &mut PageFindings, source: usize, log: &Path, records: &[Object]) {
    let mut open: Option<Acquisition> = None;
    for record in records {
        if text(record, "kind") == "start" {
            found.case.results.acquisitions.extend(open.take());
            open = Some(started(source, record));
            continue;
        }
        let Some(one) = &mut open else { continue };
        match text(record, "kind") {
            "unreadable" => {
                let (sector, length) = (number(record, "sector"), number(record, "length"));
                let cause = text(record, "cause");
                one.remarks.push(format!("unreadable: {length} bytes from sector {sector} on: {cause}"));
            }
            "verified" => {
                let equal = if record.get("equal") == Some(&Value::Bool(true)) { "equal" } else { "DIFFERENT" };
                let (target, bytes) = (text(record, "target"), size_text(number(record, "bytes")));
                one.facts.push(("read back".to_owned(), format!("{target}: {bytes}, {equal}")));
                if equal != "equal" {
                    found.wrong(source, target.as_bytes(), "the image read back differs from the written one");
                }
            }
            "files" => {
                for file in list(record, "files").filter_map(Value::as_object) {
                    let (name, bytes) = (text(file, "name"), number(file, "bytes"));
                    let sha256 = Some(text(file, "sha256")).filter(|hex| !hex.is_empty());
                    let sha256 = sha256.map_or_else(String::new, |hex| format!(", sha256 {hex}"));
                    one.facts.push(("file".to_owned(), format!("{name}, {bytes} bytes{sha256}")));
                    found.images.push(log.with_file_name(name));
                }
            }
            "end" => {
                one.digests = digests(record);
                let (bytes, seconds) = (number(record, "bytes"), text(record, "seconds"));
                one.facts.push(("ended".to_owned(), format!("{}: {bytes} bytes in {seconds} s", text(record, "at"))));
                let bad = number(record, "unreadable-bytes");
                if bad > 0 {
                    let what = format!("{bad} bytes were unreadable, and are filled in");
                    found.open(source, b"", what.clone());
                    one.remarks.push(what);
                }
            }
            kind @ ("departure" | "failed" | "changed" | "stopped" | "retried" | "reopened") => {
                let said = ["what", "cause", "why"].map(|key| text(record, key)).concat();
                one.remarks.push(if said.is_empty() { kind.to_owned() } else { format!("{kind}: {said}") });
                if matches!(kind, "failed" | "stopped" | "changed") {
                    found.open(source, b"", format!("acquisition: {kind}: {said}"));
                }
            }
            _ => {}
        }
    }
    found.case.results.acquisitions.extend(open);
}

fn started(source: usize, record: &Object) -> Acquisition {
    let facts = FACTS.iter().filter_map(|(key, label)| {
        let value = plain(record.get(*key)?);
        (!value.is_empty()).then(|| ((*label).to_owned(), value))
    });
    let mut facts: Vec<(String, String)> = facts.collect();
    facts.push(("source".to_owned(), format!("{}, {} bytes", text(record, "source"), number(record, "bytes"))));
    let identity = record.get("identity").and_then(Value::as_object);
    for key in ["model", "serial", "wwid"] {
        let value = identity.map(|identity| text(identity, key)).unwrap_or_default();
        if !value.is_empty() {
            facts.push((key.to_owned(), value.to_owned()));
        }
    }
    let mut remarks = Rows::default();
    texts(record, "remarks").into_iter().for_each(|remark| remarks.push(remark));
    let title = format!("{} into {}", text(record, "source"), texts(record, "targets").join(", "));
    Acquisition { source, title, facts, digests: Vec::new(), remarks }
}

/// Enters the output of `pfh acquire --json`.
pub(super) fn stated(found: &mut PageFindings, source: usize, object: &Object) {
    let targets: Vec<&Object> = list(object, "targets").filter_map(Value::as_object).collect();
    let mut facts = vec![("bytes".to_owned(), number(object, "bytes").to_string())];
    facts.extend(object.get("seconds").map(|seconds| ("seconds".to_owned(), plain(seconds))));
    facts.extend(Some(text(object, "log")).filter(|log| !log.is_empty()).map(|log| ("log".to_owned(), log.to_owned())));
    let mut remarks = Rows::default();
    for target in &targets {
        match target.get("verified") {
            Some(Value::Bool(true)) => facts.push(("read back".to_owned(), format!("{}: equal", text(target, "path")))),
            Some(Value::Bool(false)) => {
                let what = "the image read back differs from the written one";
                found.wrong(source, text(target, "path").as_bytes(), what);
                remarks.push(format!("{}: {what}", text(target, "path")));
            }
            _ => {}
        }
    }
    for bad in list(object, "unreadable").filter_map(Value::as_object) {
        let (offset, length) = (number(bad, "offset"), number(bad, "length"));
        let what = format!("unreadable: {length} bytes from offset {offset} on: {}", text(bad, "cause"));
        found.open(source, b"", what.clone());
        remarks.push(what);
    }
    let names: Vec<&str> = targets.iter().map(|target| text(target, "path")).collect();
    let title = format!("into {}", names.join(", "));
    found.case.results.acquisitions.push(Acquisition { source, title, facts, digests: digests(object), remarks });
}

/// Enters how much was read according to a map.
pub(super) fn map(found: &mut PageFindings, source: usize, path: &Path, content: &str) {
    let Ok(map) = Map::parse(content) else {
        let standing = Standing::Unknown("it begins as a map of an acquisition, and is none".to_owned());
        found.case.sources[source].standing = standing;
        return;
    };
    let (read, bad) = (map.total(Status::Finished), map.total(Status::Bad));
    let open: u64 =
        [Status::NonTried, Status::NonTrimmed, Status::NonScraped].into_iter().map(|at| map.total(at)).sum();
    let entered = &mut found.case.sources[source];
    entered.kind = format!("map of an acquisition: {} were read, {} were unreadable", size_text(read), size_text(bad));
    found.maps.push(MapShare { source, path: path.to_owned(), read, bad, open });
    entered.records = content.lines().filter(|line| !line.starts_with('#')).count() as u64;
    if bad > 0 {
        found.open(source, b"", format!("{bad} bytes were unreadable when it was acquired"));
    }
    if open > 0 {
        found.open(source, b"", format!("{open} bytes are not acquired yet"));
    }
}
