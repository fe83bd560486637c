//! The system's facts about a device, for the record of an acquisition.

use super::mountinfo::mounted;
use crate::os::handles::AsFd;
use crate::os::{device_mounts, device_number, device_words, kernel_text, names_in, split_device};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Words about a device, as the system gives them; only those it gives.
pub type Facts = BTreeMap<&'static str, String>;

fn directory(device: u64) -> PathBuf {
    PathBuf::from(format!("/sys/dev/block/{}", shown(device)))
}

/// A device number as the kernel writes it.
fn shown(device: u64) -> String {
    let (major, minor) = split_device(device);
    format!("{major}:{minor}")
}

/// Gathers the facts of an open block device: those of the kernel's files by its number
/// (`st_rdev`), and those that the system states by calls.
pub(crate) fn of(device: impl AsFd) -> Facts {
    let number = device_number(device.as_fd());
    let here = directory(number);
    let mut facts = Facts::new();
    let words = [
        ("model", "device/model"),
        ("model", "../device/model"),
        ("vendor", "device/vendor"),
        ("vendor", "../device/vendor"),
        ("serial", "device/serial"),
        ("serial", "../device/serial"),
        ("serial", "serial"),
        ("firmware", "device/rev"),
        ("wwid", "device/wwid"),
        ("wwid", "wwid"),
        ("read-only", "ro"),
        ("removable", "removable"),
        ("rotational", "queue/rotational"),
        ("partition", "partition"),
        ("start-sector", "start"),
        ("backing-file", "loop/backing_file"),
    ];
    for (name, file) in words {
        let text = kernel_text(here.join(file)).unwrap_or_default();
        if !text.trim().is_empty() {
            facts.entry(name).or_insert_with(|| text.trim().to_owned());
        }
    }
    facts.insert("number", shown(number));
    if let Ok(place) = here.canonicalize()
        && let Some(name) = place.file_name()
    {
        facts.insert("name", name.to_string_lossy().into_owned());
    }
    let holders: Vec<String> =
        names_in(here.join("holders")).into_iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if !holders.is_empty() {
        facts.insert("holders", holders.join(" "));
    }
    facts.extend(device_words(device));
    facts
}

/// Where a block device (by its number) or one of its partitions is mounted, and whether for
/// writing: by mountinfo of proc(5), or the system's calls.
pub fn mounts(device: u64) -> Vec<(String, bool)> {
    let mut numbers = vec![shown(device)];
    let here = directory(device);
    let children = names_in(&here).into_iter().map(|name| here.join(name));
    let partitions = children.filter(|child| child.join("partition").exists());
    numbers.extend(partitions.filter_map(|child| Some(kernel_text(child.join("dev"))?.trim().to_owned())));
    let table = kernel_text("/proc/self/mountinfo").unwrap_or_default();
    let ours = mounted(&table).filter(|mount| numbers.contains(&mount.device));
    let ours = ours.map(|mount| (mount.at.to_string_lossy().into_owned(), mount.writable));
    ours.chain(device_mounts(device)).collect()
}
