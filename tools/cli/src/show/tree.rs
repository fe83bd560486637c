//! Trees as text and JSON.

use super::many;
use super::word;
use pfh::Verdict;
use pfh::hex;
use pfh::manifest::row::Path as Name;
use pfh::manifest::row::{self, Hex, Is, Word};
use pfh::terminal::render;
use pfh::tree::catalogue::{Difference, Summary as Catalogued};
use pfh::tree::root::Root;
use pfh::tree::{Done, Event, Expected, Flat, FlatState, Judged, Stated, Summary, diff, verify};
use serde::Serialize;
use std::ops::Range as Span;
use std::path::Path;

/// A range of bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Range {
    length: u64,
    offset: u64,
}

fn ranges(spans: &[Span<u64>]) -> Vec<Range> {
    spans.iter().map(|span| Range { length: span.end - span.start, offset: span.start }).collect()
}

fn shown(path: &Path) -> String {
    render(path.as_os_str().as_encoded_bytes())
}

fn verdict(differs: bool) -> Word<Verdict> {
    Word(if differs { Verdict::Differs } else { Verdict::Verified })
}

/// The operation on a tree.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Verb {
    #[default]
    Done,
    Built,
    Updated,
    Appended,
    Received,
    Checked,
    Exported,
    Imported,
}

/// The result for one file.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line<'a> {
    r#type: Verb,
    #[serde(flatten)]
    name: Name<'a>,
    algorithm: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    appended: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<Vec<Range>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    corrupt: Option<Vec<Range>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    corrupt_leaves: Option<&'a [u64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_root: Option<Hex<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found_root: Option<Hex<'a>>,
    leaf: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaves: Option<u64>,
    length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    received_before: Option<u64>,
    root: Hex<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    root_found: Option<Hex<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values_computed: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Word<Verdict>>,
}

/// The result for one file as a line of JSON.
pub fn json(summary: &Summary) -> String {
    let mut line = Line {
        name: Name(summary.file.as_os_str().as_encoded_bytes()),
        algorithm: &summary.algorithm,
        leaf: summary.leaf,
        length: summary.length,
        root: Hex(&summary.root),
        ..Line::default()
    };
    line.r#type = match &summary.done {
        Done::Built => Verb::Built,
        Done::Updated { ranges: changed, computed } => {
            (line.changed, line.values_computed) = (Some(ranges(changed)), Some(*computed));
            Verb::Updated
        }
        Done::Appended(range) => {
            line.appended = Some(range.end - range.start);
            Verb::Appended
        }
        Done::Received { before } => {
            line.received_before = Some(*before);
            Verb::Received
        }
        Done::Checked { judged, expected } => {
            if !matches!(judged, Judged::Alone(..)) || expected.is_some() {
                line.verdict = Some(verdict(summary.differs()));
            }
            match judged {
                Judged::ByTree(tree, state) => {
                    line.found_length = Some(state.length);
                    line.found_root = Some(Hex(&state.root));
                    line.corrupt = Some(ranges(&state.corrupt));
                    line.tree = Some(shown(tree));
                }
                Judged::ByFlat(tree, flat, state) => {
                    line.found_length = Some(state.length);
                    line.found_root = Some(Hex(&state.root));
                    line.corrupt_leaves = Some(&state.wrong);
                    line.leaves = Some(flat.leaves());
                    if !flat.shape().is_interleaved() {
                        line.corrupt = summary.corrupt_flat().as_deref().map(ranges);
                    }
                    line.tree = Some(shown(tree));
                }
                _ => {}
            }
            if let Some(expected) = expected {
                line.expected_root = Some(Hex(&expected.root));
                line.root_found = Some(Hex(&expected.found));
            }
            Verb::Checked
        }
        Done::Exported => Verb::Exported,
        Done::Imported => Verb::Imported,
        _ => Verb::Done,
    };
    row::line(&line)
}

/// The result for one file as lines for people: the root and the name, or the verdict.
pub fn text(summary: &Summary) -> String {
    match &summary.done {
        Done::Checked { judged, expected } => judgement(summary, judged, expected.as_ref()),
        _ => format!("{}  {}\n", hex::encode(&summary.root), shown(&summary.file)),
    }
}

fn judgement(summary: &Summary, judged: &Judged, expected: Option<&Expected>) -> String {
    let (name, algorithm) = (shown(&summary.file), &summary.algorithm);
    let wrong = expected.filter(|expected| expected.root != expected.found);
    let mut text = String::new();
    if let Judged::ByTree(tree, state) = judged {
        for range in &state.corrupt {
            text += &format!("{name}: corrupt: {}:{}\n", range.start, range.end - range.start);
        }
        if state.length != summary.length {
            text += &format!("{name}: has {} bytes, its tree is of {}\n", state.length, summary.length);
        }
        if expected.is_some() && wrong.is_none() && !state.corrupt.is_empty() {
            let tree = shown(tree);
            text += &format!("{name}: gives the root stated; it is {tree} that differs: build it again\n");
        }
    }
    if let Judged::ByFlat(tree, flat, state) = judged {
        text += &flat_lines(&name, flat, state, &summary.corrupt_flat().unwrap_or_default());
        if state.root != summary.root && text.is_empty() {
            text += &format!("{name}: has another root than {}\n", shown(tree));
        }
    }
    if let Some(expected) = wrong {
        let (found, root) = (hex::encode(&expected.found), hex::encode(&expected.root));
        text += &format!("{name}: DIFFERS: gives the {algorithm} root {found}, not {root}\n");
    }
    if !text.is_empty() {
        return text;
    }
    let leaves = |count| many(count, "leaf is that", "leaves are those");
    let leaves = match judged {
        Judged::ByTree(tree, state) => format!("{} of {}", leaves(state.leaves), shown(tree)),
        Judged::ByFlat(tree, _, state) => format!("{} of {}", leaves(state.leaves), shown(tree)),
        Judged::Alone(count) => format!("{}, no tree", many(*count, "leaf", "leaves")),
        _ => "the leaves".to_owned(),
    };
    let stated = match expected.map(|expected| expected.stated) {
        None => "",
        Some(Stated::Root) => ", the one stated",
        Some(Stated::Kept) => ", the one that is kept",
    };
    format!("{name}: OK: {leaves}, {algorithm} root {}{stated}\n", hex::encode(&summary.root))
}

/// A line for each part of a file that differs from its tree of two levels.
fn flat_lines(name: &str, tree: &Flat, state: &FlatState, corrupt: &[Span<u64>]) -> String {
    let mut text = String::new();
    if tree.shape().is_interleaved() {
        let (block, leaves) = (tree.shape().block() as u64, tree.leaves());
        for leaf in &state.wrong {
            let (round, first) = (block * leaves, leaf * block);
            text += &format!(
                "{name}: corrupt: leaf {leaf} of {leaves}: {block} bytes of every {round}, the first at {first}\n"
            );
        }
    }
    for range in corrupt.iter().filter(|range| !tree.shape().is_interleaved() || state.beyond.as_ref() == Some(range)) {
        text += &format!("{name}: corrupt: {}:{}\n", range.start, range.end - range.start);
    }
    if state.length != tree.length() {
        text += &format!("{name}: has {} bytes, its tree is of {}\n", state.length, tree.length());
    }
    text
}

/// Two files by their trees.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared<'a> {
    algorithm: &'a str,
    differ: Vec<Range>,
    length: u64,
    one: String,
    other: String,
    other_length: u64,
    other_root: Hex<'a>,
    root: Hex<'a>,
    r#type: Is<word::Diff>,
    verdict: Word<Verdict>,
}

/// How two files compare, as a line of JSON.
pub fn compared_json(summary: &diff::Summary) -> String {
    row::line(&Compared {
        algorithm: &summary.algorithm,
        differ: ranges(&summary.differ),
        length: summary.one.length,
        one: shown(&summary.one.path),
        other: shown(&summary.other.path),
        other_length: summary.other.length,
        other_root: Hex(&summary.other.root),
        root: Hex(&summary.one.root),
        r#type: Is(word::Diff),
        verdict: verdict(!summary.is_same()),
    })
}

/// How two files compare, for people: a range a line, or that they are the same.
pub fn compared(summary: &diff::Summary) -> String {
    if summary.is_same() {
        let (one, other) = (shown(&summary.one.path), shown(&summary.other.path));
        let (algorithm, root) = (&summary.algorithm, hex::encode(&summary.one.root));
        let leaves = many(summary.leaves, "leaf", "leaves");
        return format!("{one} and {other}: the same {leaves}, {algorithm} root {root}\n");
    }
    summary.differ.iter().map(|range| format!("{}:{}\n", range.start, range.end - range.start)).collect()
}

// In the order of the names of its members.
/// A proof that holds.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proved<'a> {
    algorithm: &'a str,
    length: u64,
    length_of_file: u64,
    offset: u64,
    proof: String,
    root: Hex<'a>,
    r#type: Is<word::Range>,
    verdict: Word<Verdict>,
}

// In the order of the names of its members.
/// A proof that does not hold.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disproved<'a> {
    proof: String,
    reason: &'a str,
    root: Hex<'a>,
    r#type: Is<word::Range>,
    verdict: Word<Verdict>,
}

/// The verdict over a proof as a line of JSON.
pub fn proved_json(summary: &verify::Summary) -> String {
    let (proof, root, r#type) = (shown(&summary.proof), Hex(&summary.root), Is(word::Range));
    match &summary.shown {
        Ok(shows) => row::line(&Proved {
            algorithm: shows.parameters.function().name(),
            length: shows.range.end - shows.range.start,
            length_of_file: shows.length,
            offset: shows.range.start,
            proof,
            root,
            r#type,
            verdict: Word(Verdict::Verified),
        }),
        Err(reason) => row::line(&Disproved { proof, reason, root, r#type, verdict: Word(Verdict::Differs) }),
    }
}

/// The verdict over a proof, for people.
pub fn proved(summary: &verify::Summary) -> String {
    let proof = shown(&summary.proof);
    match &summary.shown {
        Ok(shows) => {
            let (start, count) = (shows.range.start, shows.range.end - shows.range.start);
            let (length, algorithm) = (shows.length, shows.parameters.function().name());
            let root = hex::encode(&summary.root);
            format!("{proof}: OK: {start}:{count} of a file of {length} bytes gives the {algorithm} root {root}\n")
        }
        Err(why) => format!("{proof}: DIFFERS: {why}\n"),
    }
}

/// A root under another program's scheme.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Computed<'a> {
    r#type: Is<word::Root>,
    #[serde(flatten)]
    name: Name<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a str>,
    form: String,
    root: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Word<Verdict>>,
}

/// A root as a line of JSON.
pub fn root_json(root: &Root) -> String {
    row::line(&Computed {
        r#type: Is(word::Root),
        name: Name(root.file.as_os_str().as_encoded_bytes()),
        expected: root.expected.as_deref(),
        form: root.form.to_string(),
        root: &root.value,
        verdict: root.is_expected().map(|same| verdict(!same)),
    })
}

/// A root for people.
pub fn root(root: &Root) -> String {
    let (name, form, value) = (shown(&root.file), root.form, &root.value);
    match root.is_expected() {
        None => format!("{value}  {name}\n"),
        Some(true) => format!("{name}: OK: has the {form} value {value}, the one expected\n"),
        Some(false) => format!("{name}: DIFFERS: has the {form} value {value}, not the one expected\n"),
    }
}

/// A file that differs from its entry in a catalogue.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry<'a> {
    r#type: Word<Difference>,
    #[serde(flatten)]
    name: Name<'a>,
}

/// The line of a difference, for people or as JSON.
pub fn difference(name: &[u8], how: Difference, json: bool) -> String {
    if json {
        row::line(&Entry { r#type: Word(how), name: Name(name) })
    } else {
        format!("{}: {}\n", how.name(), render(name))
    }
}

/// The result for a directory.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Directory<'a> {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["built", "updated", "checked"])))]
    r#type: &'a str,
    #[serde(flatten)]
    name: Name<'a>,
    added: u64,
    algorithm: &'a str,
    changed: u64,
    entries: u64,
    failed: u64,
    read: u64,
    removed: u64,
    root: Hex<'a>,
    tree: String,
    unread: u64,
    values_computed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Word<Verdict>>,
}

/// The result for a directory as a line of JSON.
pub fn catalogue_json(summary: &Catalogued) -> String {
    let verdict = (summary.done == "checked").then(|| match (summary.differs(), summary.is_incomplete()) {
        (true, _) => Word(Verdict::Differs),
        (_, true) => Word(Verdict::NothingToCompareWith),
        _ => Word(Verdict::Verified),
    });
    row::line(&Directory {
        r#type: summary.done,
        name: Name(summary.directory.as_os_str().as_encoded_bytes()),
        added: summary.added,
        algorithm: &summary.algorithm,
        changed: summary.changed,
        entries: summary.entries,
        failed: summary.failed,
        read: summary.read,
        removed: summary.removed,
        root: Hex(&summary.root),
        tree: shown(&summary.tree),
        unread: summary.unread,
        values_computed: summary.computed,
        verdict,
    })
}

/// The result for a directory, for people: the root and the name, or the verdict.
pub fn catalogue(summary: &Catalogued) -> String {
    let (root, name, tree) = (hex::encode(&summary.root), shown(&summary.directory), shown(&summary.tree));
    let Catalogued { read, algorithm, added, changed, removed, failed, .. } = summary;
    match summary.done {
        "checked" if summary.differs() => {
            format!("{name}: DIFFERS from {tree}: {changed} changed, {added} added, {removed} removed\n")
        }
        "checked" if *read == 0 => format!("{name}: nothing to compare with: no file was read\n"),
        "checked" if *failed > 0 => format!("{name}: {failed} could not be read, {read} are those of {tree}\n"),
        "checked" => {
            let files = many(*read, "file is that", "files are those");
            format!("{name}: OK: {files} of {tree}, by {algorithm}, root {root}\n")
        }
        _ => format!("{root}  {name}\n"),
    }
}

/// The line of an event that is a result; `None` for complaints.
pub fn line(event: &Event<'_>, json: bool) -> Option<String> {
    Some(match (event, json) {
        (Event::Done(summary), true) => self::json(summary),
        (Event::Done(summary), false) => text(summary),
        (Event::Compared(summary), true) => compared_json(summary),
        (Event::Compared(summary), false) => compared(summary),
        (Event::Judged(summary), true) => proved_json(summary),
        (Event::Judged(summary), false) => proved(summary),
        (Event::Computed(one), true) => root_json(one),
        (Event::Computed(one), false) => root(one),
        (Event::Watched(summary), true) => catalogue_json(summary),
        (Event::Watched(summary), false) => catalogue(summary),
        (Event::Differs(name, how), json) => difference(name, *how, json),
        _ => return None,
    })
}
