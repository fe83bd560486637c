//! What a search for duplicates found, as lines for people and for programs.

use super::group::{Folders, Group};
use super::summary::Summary;
use pfh_manifest::jsonl;
use pfh_report::size_text;
use pfh_source::terminal::render;
use serde_json::json;

/// A group for people: what it wastes, and a line for each copy.
pub fn group_text(group: &Group) -> String {
    let (count, size) = (group.copies.len(), size_text(group.size));
    let (free, digest) = (size_text(group.reclaimable()), &group.digest);
    let mut lines = format!("{count} copies of {size}, {free} can be reclaimed  {}:{digest}\n", digest.algorithm());
    for copy in &group.copies {
        lines += &format!("  {}", render(&copy.names[0]));
        let links: Vec<String> = copy.names[1..].iter().map(|name| render(name)).collect();
        if !links.is_empty() {
            lines += &format!("  (hard links: {})", links.join(", "));
        }
        if copy.shared {
            lines += "  (shares its storage)";
        }
        lines.push('\n');
    }
    lines
}

/// A group as one JSON object.
pub fn group_json(group: &Group) -> Vec<u8> {
    let mut line = b"{\"type\":\"group\"".to_vec();
    jsonl::number(&mut line, "size", group.size);
    jsonl::number(&mut line, "reclaimable", group.reclaimable());
    jsonl::field(&mut line, "algorithm", &group.digest.algorithm().to_string());
    jsonl::field(&mut line, "digest", &group.digest.to_string());
    line.extend_from_slice(b",\"copies\":[");
    for (at, copy) in group.copies.iter().enumerate() {
        line.extend_from_slice(if at == 0 { b"{" } else { b",{" });
        paths(&mut line, &copy.names[..1]);
        if copy.names.len() > 1 {
            line.extend_from_slice(b",\"links\":[{");
            for (at, name) in copy.names[1..].iter().enumerate() {
                line.extend_from_slice(if at == 0 { b"" } else { b"},{" });
                paths(&mut line, std::slice::from_ref(name));
            }
            line.extend_from_slice(b"}]");
        }
        if copy.shared {
            line.extend_from_slice(b",\"shared\":true");
        }
        line.push(b'}');
    }
    line.extend_from_slice(b"]}\n");
    line
}

/// The members of an object that has a path, without a comma in front.
fn paths(line: &mut Vec<u8>, names: &[Vec<u8>]) {
    let mut members = Vec::new();
    names.iter().for_each(|name| jsonl::path(&mut members, name));
    line.extend_from_slice(&members[1..]);
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

/// Equal folders as one JSON object.
pub fn folders_json(folders: &Folders) -> Vec<u8> {
    let mut line = b"{\"type\":\"folders\"".to_vec();
    jsonl::number(&mut line, "files", folders.files);
    jsonl::number(&mut line, "bytes", folders.bytes);
    line.extend_from_slice(b",\"folders\":[");
    for (at, name) in folders.names.iter().enumerate() {
        line.extend_from_slice(if at == 0 { b"{" } else { b",{" });
        paths(&mut line, std::slice::from_ref(name));
        line.push(b'}');
    }
    line.extend_from_slice(b"]}\n");
    line
}

/// The names of all copies but the first of a group, each as it is and ended by NUL.
pub fn redundant(group: &Group) -> Vec<u8> {
    let names = group.copies.iter().skip(1).flat_map(|copy| &copy.names);
    names.flat_map(|name| [&name[..], &[0]].concat()).collect()
}

/// The same, a line each as a terminal may see it.
pub fn redundant_text(group: &Group) -> String {
    let names = group.copies.iter().skip(1).flat_map(|copy| &copy.names);
    names.map(|name| render(name) + "\n").collect()
}

/// What was found in all, as one JSON object.
pub fn summary_json(summary: &Summary) -> String {
    let mut object = json!({
        "type": "summary",
        "files": summary.files,
        "bytes": summary.bytes,
        "read": summary.read,
        "groups": summary.groups,
        "redundant": summary.redundant,
        "reclaimable": summary.reclaimable,
        "folders": summary.folders,
        "small": summary.small,
        "skipped": summary.skipped,
        "errors": summary.failed,
        "algorithm": summary.algorithm.to_string(),
    });
    if let Some(store) = &summary.store {
        object["chunks"] = json!({
            "chunking": store.chunking.to_string(),
            "chunks": store.chunks,
            "bytes": store.bytes,
            "unique": store.unique,
            "unique_bytes": store.unique_bytes,
            "saving": store.saving(),
        });
    }
    object.to_string() + "\n"
}
