//! Lists of disks and volumes, and the volume below a path.

use super::ask::Device;
use super::handle::{DATA, FACTS, SHARE};
use super::paths::{verbatim, wide};
use crate::os::handles::AsFd;
use crate::os::storage::{self, StorageEntry, Volume};
use std::fs::{File, OpenOptions};
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::Storage::FileSystem as fs;

/// A volume, and the number by which it is known again.
pub(super) struct MountedVolume {
    pub(super) volume: Volume,
    pub(super) number: u64,
}

/// Units of UTF-16 for the name of a volume or for a path.
const ROOM: usize = 1 << 15;

fn text(units: &[u16]) -> String {
    let end = units.iter().position(|unit| *unit == 0).unwrap_or(units.len());
    String::from_utf16_lossy(&units[..end])
}

/// The names of all devices (QueryDosDeviceW).
fn device_names() -> Vec<String> {
    let mut room = vec![0_u16; ROOM];
    loop {
        // SAFETY: no name is given, which asks for all; at most the room that is stated is written.
        let came = unsafe { fs::QueryDosDeviceW(std::ptr::null(), room.as_mut_ptr(), room.len() as u32) };
        if came > 0 || room.len() >= 1 << 22 {
            return storage::names(room.get(..came as usize).unwrap_or_default());
        }
        room.resize(room.len() * 2, 0);
    }
}

/// Opens a device to ask it: for reading, which takes an administrator and answers most, else with
/// fewer rights.
fn open(path: &str) -> Option<File> {
    let open = |access| OpenOptions::new().access_mode(access).share_mode(SHARE).open(path).ok();
    [DATA, FACTS, 0].into_iter().find_map(open)
}

/// The disks and shadow copies of this machine, by the names of devices.
pub fn disks() -> Vec<StorageEntry> {
    let names = device_names();
    let disk = |number: u32| (format!("PhysicalDrive{number}"), format!(r"\\.\PhysicalDrive{number}"), Some(number));
    let copy = |number: u32| (format!("ShadowCopy{number}"), storage::shadow_path(number), None);
    let disks = storage::disks(&names).into_iter().map(disk);
    let all = disks.chain(storage::shadow_copies(&names).into_iter().map(copy));
    let listed = |(name, path, disk): (String, String, Option<u32>)| {
        let facts = open(&path).map(|file| storage::facts(&Device(file.as_fd())));
        StorageEntry { name, path, disk, is_open: facts.is_some(), facts: facts.unwrap_or_default() }
    };
    all.map(listed).collect()
}

/// Whether [`disks`] is how this system lists its disks.
pub const LISTS_DISKS: bool = true;

/// The mounted volumes with their places on disks.
pub fn disk_volumes() -> Vec<Volume> {
    volumes().into_iter().map(|found| found.volume).collect()
}

/// As [`disk_volumes`], with numbers.
pub(super) fn volumes() -> Vec<MountedVolume> {
    let (mut room, mut found) = (vec![0_u16; ROOM], Vec::new());
    // SAFETY: at most the room that is stated is written.
    let search = unsafe { fs::FindFirstVolumeW(room.as_mut_ptr(), room.len() as u32) };
    if search == INVALID_HANDLE_VALUE {
        return found;
    }
    loop {
        found.push(volume(&text(&room)));
        // SAFETY: the search is open; at most the room that is stated is written.
        if unsafe { fs::FindNextVolumeW(search, room.as_mut_ptr(), room.len() as u32) } == 0 {
            break;
        }
    }
    // SAFETY: opened above, and not used afterwards.
    unsafe { fs::FindVolumeClose(search) };
    found
}

/// The facts about a volume with this name, which ends in a backslash.
fn volume(name: &str) -> MountedVolume {
    let raw = name.trim_end_matches('\\');
    let mut found = MountedVolume { volume: Volume { name: raw.to_owned(), ..Volume::default() }, number: 0 };
    let (volume, mut room, mut needed) = (wide(Path::new(name)), vec![0_u16; ROOM], 0);
    // SAFETY: a name that ends in a zero; at most the room that is stated is written, and a number.
    let done = unsafe {
        let room = (room.as_mut_ptr(), room.len() as u32);
        fs::GetVolumePathNamesForVolumeNameW(volume.as_ptr(), room.0, room.1, &raw mut needed)
    };
    if done != 0 {
        found.volume.mounts = storage::names(&room[..(needed as usize).min(ROOM)]);
    }
    if let Some(file) = open(raw) {
        let device = Device(file.as_fd());
        found.volume.extents = storage::extents(&device).unwrap_or_default();
        found.volume.write_blocked = storage::is_write_blocked(&device).unwrap_or(false);
        found.number = storage::number_of(&device).unwrap_or(0);
    }
    found
}

/// Where a device, or a partition of it, is mounted, and whether for writing.
pub fn device_mounts(device: u64) -> Vec<(String, bool)> {
    let is_on = |found: &MountedVolume| {
        let mut disks = found.volume.extents.iter().map(|extent| storage::whole_disk(extent.disk));
        found.number == device || disks.any(|disk| disk == device)
    };
    let mounts = |found: MountedVolume| {
        let writable = !found.volume.write_blocked;
        found.volume.mounts.into_iter().map(move |at| (at, writable))
    };
    volumes().into_iter().filter(is_on).flat_map(mounts).collect()
}

/// The ranges of disks below a path: of a volume those of its bytes, of a file those of its volume.
/// Each is the number of the disk, and a range `[from, to)` in bytes.
pub fn disk_extents(path: &Path) -> Vec<(u64, u64, u64)> {
    let asked = if storage::named(path.as_os_str().as_encoded_bytes()).is_some() {
        verbatim(path).ok().and_then(|path| open(&path.to_string_lossy()))
    } else {
        volume_of(path).and_then(|name| open(name.trim_end_matches('\\')))
    };
    let Some(file) = asked else { return Vec::new() };
    let found = storage::extents(&Device(file.as_fd())).unwrap_or_default();
    found.iter().map(|extent| (storage::whole_disk(extent.disk), extent.start, extent.end())).collect()
}

/// The volume that somebody may mean who names a drive by its letter alone (`C:`), which is the
/// current directory of that drive.
pub fn volume_of_drive(path: &Path) -> Option<String> {
    storage::volume_of_drive(path.as_os_str().as_encoded_bytes())
}

/// The name of the volume that holds a path, which need not exist.
fn volume_of(path: &Path) -> Option<String> {
    let (path, mut root, mut name) = (wide(&verbatim(path).ok()?), vec![0_u16; ROOM], vec![0_u16; ROOM]);
    // SAFETY: a path that ends in a zero; at most the room that is stated is written.
    let found = unsafe { fs::GetVolumePathNameW(path.as_ptr(), root.as_mut_ptr(), ROOM as u32) };
    if found == 0 {
        return None;
    }
    // SAFETY: a path that ends in a zero, written above; at most the room that is stated is
    // written.
    let found = unsafe { fs::GetVolumeNameForVolumeMountPointW(root.as_ptr(), name.as_mut_ptr(), ROOM as u32) };
    if found == 0 { None } else { Some(text(&name)) }
}
