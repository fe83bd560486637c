//! Sets of known digests: the result of a build and the contents of a file.

use super::{counted, many};
use pfh::hex;
use pfh::known::{Set, build, export, info};
use pfh::terminal::render;

/// Sentences about a build.
pub fn built(summary: &build::Summary) -> Vec<String> {
    let mut lines = Vec::new();
    if summary.resumed > 0 {
        let there = many(summary.resumed, "record was", "records were");
        lines.push(format!("{there} there already from a build that had been interrupted"));
    }
    let sets = counted(summary.sets.len() as u64, "set");
    let digests: Vec<String> = summary.digests.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let digests = if digests.is_empty() { "none".to_owned() } else { digests.join(", ") };
    if summary.blocks.is_empty() {
        lines.push(format!("{sets}, distinct digests: {digests}"));
    } else {
        let files: u64 = summary.sets.iter().map(|set| set.records).sum();
        let of = |(size, count): &(u32, u64)| format!("{count} of {size} bytes");
        let distinct: Vec<String> = summary.blocks.iter().map(of).collect();
        lines.push(format!("{sets} of {}, distinct blocks: {}", counted(files, "file"), distinct.join(", ")));
        let flagged: u64 = summary.sets.iter().flat_map(|set| &set.blocks).map(|of| of.flagged).sum();
        if flagged > 0 {
            let blocks = many(flagged, "block says little of its file", "blocks say little of their files");
            lines.push(format!("{blocks} (constant, repetitive, low in entropy)"));
        }
    }
    let placeholders: u64 = summary.sets.iter().map(|set| set.placeholders).sum();
    if placeholders > 0 {
        let are = many(placeholders, "value stands", "values stand");
        lines.push(format!("{are} for no digest (zeros, or the digest of nothing beside others): not in the file"));
    }
    if summary.faults() > 0 {
        let hold =
            many(summary.faults(), "place holds no record; what it was", "places hold no record; what they were");
        lines.push(format!("{hold} meant to hold is not in the file"));
    }
    if summary.unread > 0 {
        let are = many(
            summary.unread,
            "file in the sets could not be read; it is",
            "files in the sets could not be read; they are",
        );
        lines.push(format!("{are} not in the file"));
    }
    lines.extend(summary.empty().map(|Set { name, source, format, blocks, .. }| {
        let name = render(name.as_bytes());
        if !blocks.is_empty() {
            return format!("{source}: no file with content was read in it: the set {name} is empty");
        }
        format!("{source}: no digest was found in it (read as {format}): the set {name} is empty")
    }));
    lines
}

fn shown(text: &str) -> String {
    render(text.as_bytes())
}

/// The contents of a file in lines for people.
pub fn info_text(summary: &info::Summary) -> String {
    let known = &summary.known;
    let mut text = String::new();
    for set in known.sets() {
        let Set { name, format, records, faults, source, .. } = set;
        let more: Vec<&str> = [&set.version, &set.product].into_iter().flatten().map(String::as_str).collect();
        let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
        let class = set.class();
        let records = counted(*records, if set.blocks.is_empty() { "record" } else { "file" });
        text += &shown(&format!("{:<10} {name}{more}: {records} from {source} ({format})", class.name()));
        for of in &set.blocks {
            text += &format!(", {} of {} bytes ({} flagged)", counted(of.blocks, "block"), of.size, of.flagged);
        }
        if *faults > 0 && !set.blocks.is_empty() {
            text += &format!(", {} that could not be read", counted(*faults, "file"));
        } else if *faults > 0 {
            text += &format!(", {} without a record", counted(*faults, "place"));
        }
        text.push('\n');
    }
    for (algorithm, rows) in known.algorithms() {
        text += &format!("digests    {algorithm}: {rows}\n");
    }
    for of in known.blocks() {
        text += &format!("blocks     of {} bytes, {}: {}\n", of.size(), of.algorithm(), of.rows());
    }
    for (algorithm, set, entries) in known.filters() {
        let set = shown(&known.sets()[set].name);
        text += &format!("filter     {set} of {entries} {algorithm}: says maybe or no\n");
    }
    if !summary.empties.is_empty() {
        let names = shown(&summary.empties.join(", "));
        text += &format!("the empty file is in {names}; it makes no file known\n");
    }
    if let Some(digest) = &summary.digest {
        text += &format!("whole      BLAKE3 {}\n", hex::encode(digest));
    }
    text
}

/// A fault of a manifest that is exported.
pub fn fault(event: export::Event<'_>) -> String {
    match event {
        export::Event::Fault { line, fault } => format!("line {line}: {fault}"),
        _ => "the list is not whole: its end is missing, or counts other records".into(),
    }
}
