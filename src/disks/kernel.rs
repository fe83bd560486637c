//! The kernel's statements on block devices, in sysfs.

use super::row::{Disk, Holder, Partition};
use super::udev::Udev;
use pfh_source::os::{kernel_text, names_in};
use std::path::{Path, PathBuf};

/// Sizes and places in sysfs count these bytes, for any sectors of the device.
const UNIT: u64 = 512;

/// The kernel's files below a root.
pub(super) struct Kernel<'a> {
    pub(super) system: &'a Path,
}

/// A file's text without blanks at its ends; empty if it cannot be read.
pub(super) fn word(here: &Path, file: &str) -> String {
    kernel_text(here.join(file)).unwrap_or_default().trim().to_owned()
}

fn number(here: &Path, file: &str) -> Option<u64> {
    word(here, file).parse().ok()
}

/// The names in a directory, in order: numbers in names count as numbers.
fn sorted(place: &Path) -> Vec<String> {
    let mut names: Vec<String> = names_in(place).into_iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let key = |name: &String| {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        (letters.len(), letters.to_owned(), name[letters.len()..].parse::<u64>().ok())
    };
    names.sort_by_key(key);
    names
}

impl Kernel<'_> {
    /// The names of all block devices that are not partitions.
    pub(super) fn names(&self) -> Vec<String> {
        sorted(&self.system.join("sys/block"))
    }

    /// The directory of a device.
    fn place(&self, name: &str) -> PathBuf {
        let here = self.system.join("sys/block").join(name);
        here.canonicalize().unwrap_or(here)
    }

    /// The device file. A `!` in a name stands for a slash.
    fn file(&self, name: &str) -> PathBuf {
        self.system.join("dev").join(name.replace('!', "/"))
    }

    /// A disk with its partitions, as the kernel and udev state them.
    pub(super) fn disk(&self, name: &str) -> Disk {
        let here = self.place(name);
        let udev = Udev::of(self.system, &word(&here, "dev"));
        let model = [word(&here, "device/vendor"), first(&here, &["device/model", "device/name"])];
        // The vendor of a SATA disk is the name of the interface.
        let model: Vec<String> = model.into_iter().filter(|word| !word.is_empty() && word != "ATA").collect();
        let mut disk = Disk {
            name: name.to_owned(),
            path: self.file(name),
            model: or(model.join(" "), || udev.value("ID_MODEL").replace('_', " ")),
            serial: or(serial(&here), || udev.value("ID_SERIAL_SHORT").to_owned()),
            wwid: first(&here, &["device/wwid", "wwid"]),
            firmware: first(&here, &["device/rev", "device/firmware_rev", "device/fwrev"]),
            size: number(&here, "size").unwrap_or(0).saturating_mul(UNIT),
            sector: number(&here, "queue/logical_block_size").unwrap_or(512) as u32,
            physical_sector: number(&here, "queue/physical_block_size").unwrap_or(512) as u32,
            bus: bus(name, &here).to_owned(),
            removable: word(&here, "removable") == "1",
            rotational: number(&here, "queue/rotational").map(|turns| turns == 1),
            write_blocked: word(&here, "ro") == "1",
            backing_file: Some(word(&here, "loop/backing_file")).filter(|path| !path.is_empty()).map(Into::into),
            content: udev.content(),
            table: udev.table(),
            holders: self.holders(&here),
            ..Disk::default()
        };
        for part in sorted(&here) {
            let place = here.join(&part);
            if place.join("partition").exists() {
                disk.partitions.push(self.partition(&part, &place));
            }
        }
        disk.partitions.sort_by_key(|part| part.start);
        disk
    }

    fn partition(&self, name: &str, here: &Path) -> Partition {
        let udev = Udev::of(self.system, &word(here, "dev"));
        let event = word(here, "uevent");
        let label = event.lines().find_map(|line| line.strip_prefix("PARTNAME="));
        Partition {
            name: name.to_owned(),
            path: Some(self.file(name)),
            number: number(here, "partition").unwrap_or(0) as u32,
            start: number(here, "start").unwrap_or(0).saturating_mul(UNIT),
            size: number(here, "size").unwrap_or(0).saturating_mul(UNIT),
            kind: udev.value("ID_PART_ENTRY_TYPE").to_lowercase(),
            label: label.map_or_else(|| udev.decoded("ID_PART_ENTRY_NAME"), str::to_owned),
            write_blocked: word(here, "ro") == "1",
            content: udev.content(),
            holders: self.holders(here),
            ..Partition::default()
        }
    }

    /// The mapped devices above a device, those above these included.
    fn holders(&self, here: &Path) -> Vec<Holder> {
        let mut found = Vec::new();
        let mut open = sorted(&here.join("holders"));
        while let Some(name) = open.pop() {
            if found.iter().any(|holder: &Holder| holder.name == name) {
                continue;
            }
            let place = self.place(&name);
            let uuid = word(&place, "dm/uuid");
            let kind = match uuid.split('-').next().unwrap_or_default() {
                "" if place.join("md").exists() => "raid".to_owned(),
                "" => String::new(),
                prefix => prefix.to_lowercase(),
            };
            open.extend(sorted(&place.join("holders")));
            found.push(Holder { alias: word(&place, "dm/name"), kind, name });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// The number of a device, `8:1`.
    pub(super) fn device(&self, name: &str) -> String {
        let direct = self.system.join("sys/class/block").join(name);
        let here = if direct.exists() { direct } else { self.place(name) };
        word(&here, "dev")
    }

    /// The number of a partition of a disk.
    pub(super) fn part_device(&self, disk: &str, part: &str) -> String {
        word(&self.place(disk).join(part), "dev")
    }
}

/// The first of these files that says something.
fn first(here: &Path, files: &[&str]) -> String {
    files.iter().map(|file| word(here, file)).find(|text| !text.is_empty()).unwrap_or_default()
}

fn or(text: String, other: impl FnOnce() -> String) -> String {
    if text.is_empty() { other() } else { text }
}

/// The serial number: by the kernel's own file, by the unit serial number that a SCSI disk states
/// (SPC-4, 7.8.15), or that of the USB device around it.
fn serial(here: &Path) -> String {
    let found = first(here, &["device/serial", "serial"]);
    if !found.is_empty() {
        return found;
    }
    let page = std::fs::read(here.join("device/vpd_pg80")).unwrap_or_default();
    let length = page.get(2..4).map_or(0, |length| usize::from(u16::from_be_bytes([length[0], length[1]])));
    let text = page.get(4..).map(|text| &text[..text.len().min(length)]).unwrap_or_default();
    let text = String::from_utf8_lossy(text).trim_matches(['\0', ' ']).to_owned();
    let usb = || here.ancestors().find(|above| above.join("idVendor").exists()).map(|device| word(device, "serial"));
    or(text, || usb().unwrap_or_default())
}

/// How a device is attached, by its name and by the way to it.
fn bus(name: &str, here: &Path) -> &'static str {
    let names = [
        ("nvme", "nvme"),
        ("mmcblk", "mmc"),
        ("vd", "virtio"),
        ("xvd", "xen"),
        ("loop", "loop"),
        ("dm-", "device-mapper"),
        ("md", "md"),
        ("nbd", "network"),
        ("rbd", "network"),
        ("zram", "ram"),
        ("ram", "ram"),
        ("fd", "floppy"),
        ("pmem", "pmem"),
    ];
    if let Some((_, bus)) = names.iter().find(|(front, _)| name.starts_with(front)) {
        return bus;
    }
    let way = here.to_string_lossy();
    // The innermost first: a USB bridge is attached to a controller that may have any of the
    // others.
    let ways = [
        ("/usb", "usb"),
        ("/ata", "ata"),
        ("/end_device-", "sas"),
        ("/rport-", "fibre-channel"),
        ("/session", "iscsi"),
        ("/fw", "firewire"),
        ("/vmbus", "hyper-v"),
        ("/virtio", "virtio"),
        ("/host", "scsi"),
    ];
    ways.iter().find(|(part, _)| way.contains(part)).map_or("", |(_, bus)| bus)
}
