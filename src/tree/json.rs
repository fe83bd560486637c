//! The results as rows of JSON: what `--json` prints.

use super::catalogue::{Difference, Summary as Catalogued};
use super::root::Root;
use super::{Event, Summary, TreeComparison, TreeWork, diff, verify};
use crate::verdict::Verdict;
use pfh_manifest::row::Path as Name;
use pfh_manifest::row::{Hex, Is, Mark, TextField, Word};
use pfh_source::terminal::shown;
use pfh_source::{FindingId, Level};
use serde::Serialize;
use std::ops::Range as Span;

mod word {
    pfh_manifest::constants! { Diff = "diff", Range = "range", Root = "root" }
}

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

fn verdict(differs: bool) -> Word<Verdict> {
    Word(if differs { Verdict::Differs } else { Verdict::Verified })
}

fn mark(differs: bool) -> Option<Mark> {
    differs.then(|| Mark::of(FindingId::TreeDiffers))
}

/// The operation on a tree.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Verb {
    #[default]
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
pub struct FileRow<'a> {
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
    /// The finding that it is.
    #[serde(flatten)]
    mark: Option<Mark>,
}

/// Two files by their trees.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairRow<'a> {
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
    /// The finding that it is.
    #[serde(flatten)]
    mark: Option<Mark>,
}

impl<'a> PairRow<'a> {
    /// How two files compare, as a line of JSON.
    pub fn of(summary: &'a diff::Summary) -> PairRow<'a> {
        PairRow {
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
            mark: mark(!summary.is_same()),
        }
    }
}

// In the order of the names of its members.
/// A proof that holds.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProvedRow<'a> {
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
pub struct DisprovedRow<'a> {
    proof: String,
    reason: &'a str,
    root: Hex<'a>,
    r#type: Is<word::Range>,
    verdict: Word<Verdict>,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Mark,
}

/// A root under another program's scheme.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RootRow<'a> {
    r#type: Is<word::Root>,
    #[serde(flatten)]
    name: Name<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a str>,
    form: String,
    root: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Word<Verdict>>,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Option<Mark>,
}

impl<'a> RootRow<'a> {
    /// A root as a line of JSON.
    pub fn of(root: &'a Root) -> RootRow<'a> {
        RootRow {
            r#type: Is(word::Root),
            name: Name(root.file.as_os_str().as_encoded_bytes()),
            expected: root.expected.as_deref(),
            form: root.form.to_string(),
            root: &root.value,
            verdict: root.is_expected().map(|same| verdict(!same)),
            mark: mark(root.is_expected() == Some(false)),
        }
    }
}

/// A file that differs from its entry in a catalogue.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntryRow<'a> {
    r#type: Word<Difference>,
    #[serde(flatten)]
    name: Name<'a>,
    /// The finding that it is, of a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<TextField<FindingId>>,
    /// How much it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Word<Level>>,
}

/// The result for a directory.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DirectoryRow<'a> {
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
    /// The finding that it is.
    #[serde(flatten)]
    mark: Option<Mark>,
}

impl<'a> DirectoryRow<'a> {
    /// The result for a directory as a line of JSON.
    pub fn of(summary: &'a Catalogued) -> DirectoryRow<'a> {
        let verdict = (summary.done == "checked").then(|| match (summary.differs(), summary.is_incomplete()) {
            (true, _) => Word(Verdict::Differs),
            (_, true) => Word(Verdict::NothingToCompareWith),
            _ => Word(Verdict::Verified),
        });
        DirectoryRow {
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
            mark: match (summary.finding().filter(|_| summary.differs()), summary.is_incomplete()) {
                (Some(how), _) => Some(Mark::at(how.finding(), &summary.levels)),
                (_, true) => Some(Mark::of(FindingId::TreeUnread)),
                _ => None,
            },
        }
    }
}

impl<'a> FileRow<'a> {
    /// The row of a file.
    pub fn of(summary: &'a Summary) -> FileRow<'a> {
        let mut line = FileRow {
            name: Name(summary.file.as_os_str().as_encoded_bytes()),
            algorithm: &summary.algorithm,
            leaf: summary.leaf,
            length: summary.length,
            root: Hex(&summary.root),
            ..FileRow::default()
        };
        line.r#type = match &summary.done {
            TreeWork::Built => Verb::Built,
            TreeWork::Updated { ranges: changed, computed } => {
                (line.changed, line.values_computed) = (Some(ranges(changed)), Some(*computed));
                Verb::Updated
            }
            TreeWork::Appended(range) => {
                line.appended = Some(range.end - range.start);
                Verb::Appended
            }
            TreeWork::Received { before } => {
                line.received_before = Some(*before);
                Verb::Received
            }
            TreeWork::Checked { judged, expected } => {
                if !matches!(judged, TreeComparison::Alone(..)) || expected.is_some() {
                    line.verdict = Some(verdict(summary.differs()));
                    line.mark = mark(summary.differs());
                }
                match judged {
                    TreeComparison::ByTree(tree, state) => {
                        line.found_length = Some(state.length);
                        line.found_root = Some(Hex(&state.root));
                        line.corrupt = Some(ranges(&state.corrupt));
                        line.tree = Some(shown(tree));
                    }
                    TreeComparison::ByFlat(tree, flat, state) => {
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
            TreeWork::Exported => Verb::Exported,
            TreeWork::Imported => Verb::Imported,
        };
        line
    }
}

/// A row of any verb.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Row<'a> {
    /// A file.
    File(Box<FileRow<'a>>),
    /// A directory.
    Directory(DirectoryRow<'a>),
    /// A file that differs from its entry in a catalogue.
    Entry(EntryRow<'a>),
    /// Two files.
    Compared(PairRow<'a>),
    /// A proof that holds.
    Proved(ProvedRow<'a>),
    /// A proof that does not hold.
    Disproved(DisprovedRow<'a>),
    /// A root under another program's scheme.
    Computed(RootRow<'a>),
}

impl Event<'_> {
    /// Its row, if it is a result and no complaint.
    pub fn row(&self) -> Option<Row<'_>> {
        Some(match self {
            Event::Done(summary) => Row::File(Box::new(FileRow::of(summary))),
            Event::Compared(summary) => Row::Compared(PairRow::of(summary)),
            Event::Judged(summary) => judged(summary),
            Event::Computed(root) => Row::Computed(RootRow::of(root)),
            Event::Watched(summary) => Row::Directory(DirectoryRow::of(summary)),
            Event::Differs(name, how, level) => Row::Entry(EntryRow {
                r#type: Word(*how),
                name: Name(name),
                id: level.map(|_| TextField(how.finding())),
                level: level.map(Word),
            }),
            _ => return None,
        })
    }
}

/// The verdict over a proof.
fn judged(summary: &verify::Summary) -> Row<'_> {
    let (proof, root, r#type) = (shown(&summary.proof), Hex(&summary.root), Is(word::Range));
    match &summary.shown {
        Ok(shows) => Row::Proved(ProvedRow {
            algorithm: shows.parameters.function().name(),
            length: shows.range.end - shows.range.start,
            length_of_file: shows.length,
            offset: shows.range.start,
            proof,
            root,
            r#type,
            verdict: Word(Verdict::Verified),
        }),
        Err(reason) => Row::Disproved(DisprovedRow {
            proof,
            reason,
            root,
            r#type,
            verdict: Word(Verdict::Differs),
            mark: Mark::of(FindingId::TreeDiffers),
        }),
    }
}
