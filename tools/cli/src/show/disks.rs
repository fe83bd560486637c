//! Disks as a table.

use pfh::disks::{Content, Disk, Holder, Mount, Partition};
use pfh::terminal::{render, size_text};
use std::path::Path;

/// The names of types of partitions, by the beginning of the GUID of a GPT, or the type of an MBR.
const KINDS: &[(&str, &str)] = &[
    ("c12a7328", "EFI system"),
    ("21686148", "BIOS boot"),
    ("ebd0a0a2", "basic data"),
    ("e3c9e316", "Microsoft reserved"),
    ("de94bba4", "Windows recovery"),
    ("0fc63daf", "Linux"),
    ("4f68bce3", "Linux root"),
    ("933ac7e1", "Linux home"),
    ("0657fd6d", "Linux swap"),
    ("e6d6d379", "Linux LVM"),
    ("a19d880f", "Linux RAID"),
    ("ca7d7ccb", "Linux LUKS"),
    ("48465300", "Apple HFS+"),
    ("7c3457ef", "Apple APFS"),
    ("0x5", "extended"),
    ("0xf", "extended"),
    ("0x7", "NTFS or exFAT"),
    ("0xb", "FAT32"),
    ("0xc", "FAT32"),
    ("0xe", "FAT16"),
    ("0x82", "Linux swap"),
    ("0x83", "Linux"),
    ("0x8e", "Linux LVM"),
    ("0xef", "EFI system"),
    ("0xfd", "Linux RAID"),
];

/// The name of a type of partitions; itself, if it has none here.
pub fn kind(kind: &str) -> &str {
    let plain = kind.strip_prefix("0x0").map(|digits| format!("0x{digits}"));
    let text = plain.as_deref().unwrap_or(kind);
    let is =
        |(start, _): &&(&str, &str)| if start.starts_with("0x") { text == *start } else { text.starts_with(start) };
    KINDS.iter().find(is).map_or(kind, |(_, name)| name)
}

/// A sentence on the contents of a disk or partition; nothing if nothing is known.
pub fn content(content: &Content) -> String {
    match content {
        Content::FileSystem { format, label } if label.is_empty() => format.clone(),
        Content::FileSystem { format, label } => format!("{format} \"{}\"", render(label.as_bytes())),
        Content::Encrypted(name) => format!("encrypted: {name}"),
        Content::Other(name) => name.clone(),
        Content::NoMedium => "no medium".to_owned(),
        Content::Unread(cause) => format!("not read: {}", pfh::with_names(cause)),
        Content::Partitions | Content::Unknown | Content::Unasked => String::new(),
    }
}

/// Where something is mounted, and its holders.
fn used(mounts: &[Mount], holders: &[Holder]) -> Vec<String> {
    let mount = |mount: &Mount| match (mount.at.as_os_str() == "[SWAP]", mount.writable) {
        (true, _) => "in use as swap".to_owned(),
        (_, true) => format!("mounted at {} for writing", shown(&mount.at)),
        (_, false) => format!("mounted at {} read-only", shown(&mount.at)),
    };
    let holder = |holder: &Holder| match (holder.kind.as_str(), holder.alias.as_str()) {
        ("", "") => format!("open as {}", holder.name),
        (kind, "") => format!("open as {} ({kind})", holder.name),
        (kind, alias) => format!("open as {} ({kind} {})", holder.name, render(alias.as_bytes())),
    };
    holders.iter().map(holder).chain(mounts.iter().map(mount)).collect()
}

fn shown(path: &Path) -> String {
    pfh::terminal::shown(path)
}

/// The state of a disk in words: the facts that a chooser must know.
pub fn state(disk: &Disk) -> String {
    let mut words = Vec::new();
    if disk.write_blocked {
        words.push("write-blocked".to_owned());
    }
    words.extend(disk.backing_file.iter().map(|file| shown(file)));
    words.extend(Some(content(&disk.content)).filter(|text| !text.is_empty()));
    words.extend(used(&disk.mounts, &disk.holders));
    words.extend(disk.temperature.map(|degrees| format!("{degrees:.0} °C")));
    words.join(", ")
}

/// The state of a partition in words.
pub fn part_state(part: &Partition) -> String {
    let mut words = vec![content(&part.content)];
    words.extend(used(&part.mounts, &part.holders));
    words.retain(|word| !word.is_empty());
    words.join(", ")
}

/// The name of a partition: its device file, or its number in the table.
pub fn part_name(part: &Partition) -> String {
    match &part.path {
        Some(path) => shown(path),
        None => format!("partition {}", part.number),
    }
}

/// A table for people: a line for each disk, and below it one for each partition and each hidden
/// area.
pub fn text(disks: &[Disk]) -> String {
    let word = |text: &str| render(text.as_bytes());
    let mut lines =
        vec![["NAME", "SIZE", "BUS", "SECTOR", "MODEL OR TYPE", "SERIAL OR LABEL", "STATE"].map(str::to_owned)];
    for disk in disks {
        let sector = match disk.sector == disk.physical_sector {
            true => disk.sector.to_string(),
            false => format!("{}/{}", disk.sector, disk.physical_sector),
        };
        let (size, bus) = (size_text(disk.size), disk.bus.clone());
        lines.push([shown(&disk.path), size, bus, sector, word(&disk.model), word(&disk.serial), state(disk)]);
        for part in &disk.partitions {
            let (name, size) = (format!("  {}", part_name(part)), size_text(part.size));
            let (kind, label) = (word(kind(&part.kind)), word(&part.label));
            lines.push([name, size, String::new(), String::new(), kind, label, part_state(part)]);
        }
        for (what, found) in disk.hidden.iter().filter(|hidden| hidden.hides()).flat_map(|hidden| hidden.lines()) {
            lines.push([String::new(), String::new(), String::new(), String::new(), what.into(), String::new(), found]);
        }
    }
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let line = |line: &[String; 7]| {
        let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    lines.iter().map(line).collect()
}
