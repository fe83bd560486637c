//! The answers of known sets.

use super::found::PageFindings;
use super::members::{Object, digests, list, name, number, text};
use pfh_report::case::{Hit, SetCount};
use serde_json::Value;

/// Verdicts' words, as they are shown.
const WORDS: [&str; 6] = ["known-bad", "known-good", "known", "maybe", "unknown", "error"];

/// A set's name with version and product.
fn set_name(set: &Object) -> String {
    let words = ["set", "version", "product"].map(|key| text(set, key));
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A file that was looked up.
pub(super) fn file(found: &mut PageFindings, source: usize, object: &Object) {
    let size = object.get("size").and_then(Value::as_u64);
    take(found, object, Hit { source, name: name(object, "path"), size, ..hit(object) });
    bad(found, source, object, &name(object, "path"));
    if text(object, "verdict") == "error" {
        found.open(source, &name(object, "path"), format!("not looked up: {}", text(object, "cause")));
    }
}

/// A run of sectors that are those of known files.
pub(super) fn fragment(found: &mut PageFindings, source: usize, object: &Object) {
    let files = list(object, "files").filter_map(Value::as_object).map(|file| {
        let of = pfh_source::terminal::render(&name(file, "path"));
        format!("{}: {}, {of} at offset {}", text(file, "set"), text(file, "class"), number(file, "offset"))
    });
    let at = format!("at offset {}, {} blocks", number(object, "offset"), number(object, "blocks"));
    let hit = Hit {
        source,
        name: name(object, "path"),
        size: Some(number(object, "length")),
        verdict: text(object, "verdict").to_owned(),
        sets: std::iter::once(at).chain(files.take(8)).collect(),
        digests: Vec::new(),
    };
    if hit.verdict == "known-bad" {
        found.wrong(source, &hit.name, format!("a fragment of a known-bad file, {}", hit.sets.join("; ")));
    }
    if hit.verdict != "known-good" {
        found.case.results.known.hits.push(hit);
    }
}

/// A digest that was looked up.
pub(super) fn digest(found: &mut PageFindings, source: usize, object: &Object) {
    let digest = (text(object, "algorithm").to_owned(), text(object, "digest").to_owned());
    let name = digest.1.clone().into_bytes();
    bad(found, source, object, &name);
    take(found, object, Hit { source, name, digests: vec![digest], ..hit(object) });
}

/// A file that is known to be bad is the first thing to read.
fn bad(found: &mut PageFindings, source: usize, object: &Object, name: &[u8]) {
    if text(object, "verdict") == "known-bad" {
        found.wrong(source, name, format!("known-bad: {}", hit(object).sets.join("; ")));
    }
}

fn hit(object: &Object) -> Hit {
    let sets = list(object, "sets").filter_map(Value::as_object).map(|set| {
        let maybe = if set.contains_key("maybe") { ", maybe" } else { "" };
        let tag =
            Some(text(set, "tag")).filter(|tag| !tag.is_empty()).map_or_else(String::new, |tag| format!(", {tag}"));
        format!("{}: {}{tag}{maybe}", set_name(set), text(set, "class"))
    });
    Hit {
        source: 0,
        name: Vec::new(),
        size: None,
        verdict: text(object, "verdict").to_owned(),
        sets: sets.collect(),
        digests: digests(object),
    }
}

fn take(found: &mut PageFindings, object: &Object, hit: Hit) {
    *found.words.entry(hit.verdict.clone()).or_default() += 1;
    for set in list(object, "sets").filter_map(Value::as_object) {
        let key = (set_name(set), text(set, "class").to_owned());
        let count = found.sets.entry(key.clone()).or_insert_with(|| SetCount {
            set: key.0,
            class: key.1,
            ..SetCount::default()
        });
        count.files += 1;
        count.bytes += hit.size.unwrap_or_default();
    }
    // Known-good and unknown files are only counted.
    if matches!(hit.verdict.as_str(), "known-bad" | "known" | "maybe") {
        found.case.results.known.hits.push(hit);
    }
}

/// The end of the verdicts: with `--only` it also counts files that are not listed.
pub(super) fn counts(found: &mut PageFindings, object: &Object) {
    for word in WORDS.iter().filter(|word| object.contains_key(**word)) {
        let stated = number(object, word);
        let listed = found.words.entry((*word).to_owned()).or_default();
        *listed = stated.max(*listed);
    }
}

/// Members of known sets: sets that know no file of the case are listed as well.
pub(super) fn sets(found: &mut PageFindings, object: &Object) {
    for set in list(object, "sets").filter_map(Value::as_object) {
        let mut named = set.clone();
        named.insert("set".into(), text(set, "name").into());
        let key = (set_name(&named), text(set, "class").to_owned());
        found.sets.entry(key.clone()).or_insert_with(|| SetCount { set: key.0, class: key.1, ..SetCount::default() });
    }
}

/// Enters the counts of all files, and the sets.
pub(super) fn end(found: &mut PageFindings) {
    let words = std::mem::take(&mut found.words);
    let known = &mut found.case.results.known;
    known.counts = WORDS.iter().filter_map(|word| Some(((*word).to_owned(), *words.get(*word)?))).collect();
    known.sets = std::mem::take(&mut found.sets).into_values().collect();
}
