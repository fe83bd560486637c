//! The results of a search for duplicates: lines.

use super::counted;
use pfh::dups::{Folders, Group, SharedPair, size_text};
use pfh::terminal::render;

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

/// Two files that share chunks, for people: a line each, with how much of it the other one holds.
pub fn shared_text(shared: &SharedPair<'_>) -> String {
    let mut lines = format!("{} in common, {}\n", counted(shared.chunks, "chunk"), size_text(shared.bytes));
    for (name, percent) in shared.names.iter().zip(shared.percent()) {
        lines += &format!("  {percent:5.1} % of {}\n", render(name));
    }
    lines
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
