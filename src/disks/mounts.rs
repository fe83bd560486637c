//! Where disks and partitions are mounted.

use super::kernel::Kernel;
use super::row::{Disk, Holder, Mount};
use pfh_source::device::{MountLine, mounted};
use pfh_source::os::kernel_text;
use std::path::Path;

/// The kernel's tables of mounts and of swap.
pub(super) struct Table {
    mounts: Vec<MountLine>,
    swaps: Vec<String>,
}

impl Table {
    /// Reads both.
    pub(super) fn read(system: &Path) -> Table {
        let text = |file: &str| kernel_text(system.join("proc").join(file)).unwrap_or_default();
        let swaps = text("swaps");
        let name = |line: &str| Some(line.split_whitespace().next()?.strip_prefix("/dev/")?.to_owned());
        Table {
            mounts: mounted(&text("self/mountinfo")).collect(),
            swaps: swaps.lines().skip(1).filter_map(name).collect(),
        }
    }

    /// Enters where a disk and its partitions are mounted.
    pub(super) fn enter(&self, kernel: &Kernel<'_>, disk: &mut Disk) {
        disk.mounts = self.of(kernel, &disk.name, &kernel.device(&disk.name), &disk.holders);
        for part in disk.partitions.iter_mut().filter(|part| !part.name.is_empty()) {
            let device = kernel.part_device(&disk.name, &part.name);
            part.mounts = self.of(kernel, &part.name, &device, &part.holders);
        }
    }

    /// The mounts of a device and of the devices on it.
    fn of(&self, kernel: &Kernel<'_>, name: &str, device: &str, holders: &[Holder]) -> Vec<Mount> {
        let mut found = self.one(name, device);
        for holder in holders {
            found.extend(self.one(&holder.name, &kernel.device(&holder.name)));
            found.extend(self.named(&format!("mapper/{}", holder.alias)));
        }
        found.sort_by(|a, b| (&a.at, !a.writable).cmp(&(&b.at, !b.writable)));
        found.dedup_by(|a, b| a.at == b.at);
        found
    }

    fn one(&self, name: &str, device: &str) -> Vec<Mount> {
        let ours = self.mounts.iter().filter(|mount| !device.is_empty() && mount.device == device);
        let ours = ours.map(|mount| Mount { at: mount.at.clone(), writable: mount.writable });
        ours.chain(self.named(name)).collect()
    }

    /// Mounts whose source has this name in `/dev`: those of Btrfs have no number that is the
    /// device's.
    fn named<'a>(&'a self, name: &str) -> impl Iterator<Item = Mount> + use<'a> {
        let source = Path::new("/dev").join(name);
        let is_swap = self.swaps.iter().any(|swap| swap == name);
        let ours = self.mounts.iter().filter(move |mount| mount.source == source && mount.device.starts_with("0:"));
        let swap = is_swap.then(|| Mount { at: "[SWAP]".into(), writable: true });
        ours.map(|mount| Mount { at: mount.at.clone(), writable: mount.writable }).chain(swap)
    }
}
