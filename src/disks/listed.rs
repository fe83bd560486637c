//! The system's list of disks: its files (Linux, or a copy of them), or its calls.

use super::kernel::Kernel;
use super::mounts::Table;
use super::row::Disk;
use super::{called, temperature};
use pfh_source::os::{self, LISTS_DISKS};
use std::path::Path;

/// Whether the disks are listed by calls: where the system has them, and no copy of another one is
/// named.
pub(super) fn by_calls(system: &Path) -> bool {
    LISTS_DISKS && system == Path::new("/")
}

/// All disks, with their mounts, in the order of the system.
pub(super) fn disks(system: &Path) -> Vec<Disk> {
    if by_calls(system) {
        return called::rows(os::disks(), &os::disk_volumes());
    }
    let (kernel, table) = (Kernel { system }, Table::read(system));
    let mut disks: Vec<Disk> = kernel.names().iter().map(|name| kernel.disk(name)).collect();
    disks.iter_mut().for_each(|disk| table.enter(&kernel, disk));
    disks
}

/// How warm a disk is, if it states that.
pub(super) fn warmth(system: &Path, disk: &Disk) -> Option<f64> {
    if by_calls(system) { None } else { temperature(system, &disk.path) }
}
