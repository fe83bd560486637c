//! Trees as text.

use super::many;
use pfh::Level;
use pfh::hex;
use pfh::manifest::row;
use pfh::terminal::render;
use pfh::tree::catalogue::{Difference, Summary as Catalogued};
use pfh::tree::root::Root;
use pfh::tree::{Event, ExpectedRoot, Flat, FlatState, RootSource, Summary, TreeComparison, TreeWork, diff, verify};
use std::ops::Range as Span;
use std::path::Path;

fn shown(path: &Path) -> String {
    render(path.as_os_str().as_encoded_bytes())
}

/// The result for one file as lines for people: the root and the name, or the verdict.
pub fn text(summary: &Summary) -> String {
    match &summary.done {
        TreeWork::Checked { judged, expected } => judgement(summary, judged, expected.as_ref()),
        _ => format!("{}  {}\n", hex::encode(&summary.root), shown(&summary.file)),
    }
}

fn judgement(summary: &Summary, judged: &TreeComparison, expected: Option<&ExpectedRoot>) -> String {
    let (name, algorithm) = (shown(&summary.file), &summary.algorithm);
    let wrong = expected.filter(|expected| expected.root != expected.found);
    let mut text = String::new();
    if let TreeComparison::ByTree(tree, state) = judged {
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
    if let TreeComparison::ByFlat(tree, flat, state) = judged {
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
        TreeComparison::ByTree(tree, state) => format!("{} of {}", leaves(state.leaves), shown(tree)),
        TreeComparison::ByFlat(tree, _, state) => format!("{} of {}", leaves(state.leaves), shown(tree)),
        TreeComparison::Alone(count) => format!("{}, no tree", many(*count, "leaf", "leaves")),
        _ => "the leaves".to_owned(),
    };
    let stated = match expected.map(|expected| expected.stated) {
        None => "",
        Some(RootSource::Root) => ", the one stated",
        Some(RootSource::Kept) => ", the one that is kept",
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

/// A root for people.
pub fn root(root: &Root) -> String {
    let (name, form, value) = (shown(&root.file), root.form, &root.value);
    match root.is_expected() {
        None => format!("{value}  {name}\n"),
        Some(true) => format!("{name}: OK: has the {form} value {value}, the one expected\n"),
        Some(false) => format!("{name}: DIFFERS: has the {form} value {value}, not the one expected\n"),
    }
}

/// The line of a file that differs from its entry in a catalogue.
pub fn difference(name: &[u8], how: Difference) -> String {
    format!("{}: {}\n", how.name(), render(name))
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
    if json {
        return event.row().map(|row| row::line(&row));
    }
    Some(match event {
        Event::Done(summary) => text(summary),
        Event::Compared(summary) => compared(summary),
        Event::Judged(summary) => proved(summary),
        Event::Computed(one) => root(one),
        Event::Watched(summary) => catalogue(summary),
        Event::Differs(_, _, Some(Level::Ignore)) => String::new(),
        Event::Differs(name, how, _) => difference(name, *how),
        _ => return None,
    })
}
