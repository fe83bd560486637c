//! Who runs the program, and where: for the record of an acquisition.

use pfh_source::os;
use std::fs;

/// The machine's name.
pub(super) fn name() -> String {
    os::host_name().unwrap_or_else(|| "not known".to_owned())
}

/// The kernel's name and release.
pub(super) fn kernel() -> String {
    let words = ["ostype", "osrelease"].map(|name| fs::read_to_string(format!("/proc/sys/kernel/{name}")));
    match words {
        [Ok(name), Ok(release)] => format!("{} {}", name.trim(), release.trim()),
        _ => os::system_name(),
    }
}

/// The effective user, by number and name.
pub(super) fn user() -> String {
    os::user().unwrap_or_else(|| "not known".to_owned())
}
