//! Who runs the program, and where: for the record of an acquisition.

use std::fs;
use std::os::unix::fs::MetadataExt;

fn word(path: &str) -> String {
    fs::read_to_string(path).map_or_else(|_| "not known".to_owned(), |text| text.trim().to_owned())
}

/// The machine's name.
pub(super) fn name() -> String {
    word("/proc/sys/kernel/hostname")
}

/// The kernel's name and release.
pub(super) fn kernel() -> String {
    format!("{} {}", word("/proc/sys/kernel/ostype"), word("/proc/sys/kernel/osrelease"))
}

/// The effective user, by number and name.
pub(super) fn user() -> String {
    let Ok(number) = fs::metadata("/proc/self").map(|found| found.uid()) else { return "not known".to_owned() };
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let is_it = |line: &&str| line.split(':').nth(2).and_then(|n| n.parse().ok()) == Some(number);
    let name = passwd.lines().find(is_it).and_then(|line| line.split(':').next()).unwrap_or("no name");
    format!("{number} ({name})")
}
