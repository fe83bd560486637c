//! The results of a search for duplicates: lines and JSON.

use super::{counted, word};
use pfh::dups::{Folders, Group, Shared, Summary, size_text};
use pfh::manifest::row::{self, Is, Path};
use pfh::terminal::render;
use serde::Serialize;

/// A group for people: its waste, and a line for each copy.
pub fn group_text(group: &Group) -> String {
    let (count, size) = (group.copies.len(), size_text(group.size));
    let (free, digest) = (size_text(group.reclaimable()), &group.digest);
    let mut lines = format!("{count} copies of {size}, {free} can be reclaimed  {}:{digest}\n", digest.algorithm());
    for (at, copy) in group.copies.iter().enumerate() {
        lines += &format!("  {}", render(&copy.names[0]));
        let links: Vec<String> = copy.names[1..].iter().map(|name| render(name)).collect();
        if !links.is_empty() {
            lines += &format!("  (hard links: {})", links.join(", "));
        }
        if copy.shared {
            lines += "  (shares its storage)";
        }
        if at > 0 && copy.stays {
            lines += "  (stays)";
        }
        lines.push('\n');
    }
    lines
}

/// A group as it is asked about: a number in front of each copy.
pub fn choices(group: &Group) -> String {
    let text = group_text(group);
    let lines = text.trim_end().lines().enumerate();
    let numbered = lines.map(|(at, line)| if at == 0 { line.to_owned() } else { format!("{at:>4}{line}") });
    numbered.collect::<Vec<_>>().join("\n")
}

/// A file or folder.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Named<'a> {
    #[serde(flatten)]
    path: Path<'a>,
}

fn named(names: &[Vec<u8>]) -> Vec<Named<'_>> {
    names.iter().map(|name| Named { path: Path(name) }).collect()
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Copied<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<Named<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    shared: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stays: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Grouped<'a> {
    r#type: Is<word::Group>,
    size: u64,
    reclaimable: u64,
    algorithm: String,
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]+$")))]
    digest: String,
    copies: Vec<Copied<'a>>,
}

/// A group as one JSON object.
pub fn group_json(group: &Group) -> String {
    let copies = group.copies.iter();
    row::line(&Grouped {
        r#type: Is(word::Group),
        size: group.size,
        reclaimable: group.reclaimable(),
        algorithm: group.digest.algorithm().to_string(),
        digest: group.digest.to_string(),
        copies: copies
            .map(|copy| Copied {
                path: Path(&copy.names[0]),
                links: named(&copy.names[1..]),
                shared: copy.shared,
                stays: copy.stays,
            })
            .collect(),
    })
}

/// Equal folders for people.
pub fn folders_text(folders: &Folders) -> String {
    let (count, files, size) = (folders.names.len(), folders.files, size_text(folders.bytes));
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    let mut lines = format!("{count} equal folders of {files}, {size}\n");
    for name in &folders.names {
        lines += &format!("  {}/\n", render(name.strip_suffix(b"/").unwrap_or(name)));
    }
    lines
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Equal<'a> {
    r#type: Is<word::Folders>,
    files: u64,
    bytes: u64,
    folders: Vec<Named<'a>>,
}

/// Equal folders as one JSON object.
pub fn folders_json(folders: &Folders) -> String {
    let Folders { files, bytes, names, .. } = folders;
    row::line(&Equal { r#type: Is(word::Folders), files: *files, bytes: *bytes, folders: named(names) })
}

/// Two files that share chunks, for people: a line each, with how much of it the other one holds.
pub fn shared_text(shared: &Shared<'_>) -> String {
    let mut lines = format!("{} in common, {}\n", counted(shared.chunks, "chunk"), size_text(shared.bytes));
    for (name, percent) in shared.names.iter().zip(shared.percent()) {
        lines += &format!("  {percent:5.1} % of {}\n", render(name));
    }
    lines
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Holder<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    size: u64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sharing<'a> {
    r#type: Is<word::Shared>,
    bytes: u64,
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    chunks: u64,
    files: Vec<Holder<'a>>,
}

/// Two files that share chunks, as one JSON object.
pub fn shared_json(shared: &Shared<'_>) -> String {
    let files = shared.names.iter().zip(shared.sizes);
    row::line(&Sharing {
        r#type: Is(word::Shared),
        bytes: shared.bytes,
        chunks: shared.chunks,
        files: files.map(|(name, size)| Holder { path: Path(name), size }).collect(),
    })
}

/// The names of the copies of a group that do not stay, each as it is and ended by NUL.
pub fn redundant(group: &Group) -> Vec<u8> {
    let names = group.copies.iter().filter(|copy| !copy.stays).flat_map(|copy| &copy.names);
    names.flat_map(|name| [&name[..], &[0]].concat()).collect()
}

/// The same, a line each as a terminal may see it.
pub fn redundant_text(group: &Group) -> String {
    let names = group.copies.iter().filter(|copy| !copy.stays).flat_map(|copy| &copy.names);
    names.map(|name| render(name) + "\n").collect()
}

// In the order of the names of its members.
/// The result of the whole search.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct All {
    algorithm: String,
    #[serde(skip_serializing_if = "is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    apart: u64,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    chunks: Option<Chunks>,
    errors: u64,
    files: u64,
    folders: u64,
    groups: u64,
    read: u64,
    reclaimable: u64,
    redundant: u64,
    skipped: u64,
    small: u64,
    r#type: Is<word::Summary>,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Chunks {
    bytes: u64,
    chunking: String,
    chunks: u64,
    common: u64,
    common_bytes: u64,
    pairs: u64,
    saving: u64,
    unique: u64,
    unique_bytes: u64,
}

/// The result of the whole search, as one JSON object.
pub fn summary_json(summary: &Summary) -> String {
    let chunks = summary.store.map(|store| Chunks {
        bytes: store.bytes,
        chunking: store.chunking.to_string(),
        chunks: store.chunks,
        common: store.common,
        common_bytes: store.common_bytes,
        pairs: store.pairs,
        saving: store.saving(),
        unique: store.unique,
        unique_bytes: store.unique_bytes,
    });
    row::line(&All {
        algorithm: summary.algorithm.to_string(),
        apart: summary.apart,
        bytes: summary.bytes,
        chunks,
        errors: summary.failed,
        files: summary.files,
        folders: summary.folders,
        groups: summary.groups,
        read: summary.read,
        reclaimable: summary.reclaimable,
        redundant: summary.redundant,
        skipped: summary.skipped,
        small: summary.small,
        r#type: Is(word::Summary),
    })
}
