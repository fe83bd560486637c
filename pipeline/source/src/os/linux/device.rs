//! The kind of a device's medium.

/// Whether the device (`st_dev`) is rotational according to sysfs; `false` where it cannot be
/// known. A partition has no queue of its own: its parent's is asked.
pub fn is_rotational(device: u64) -> bool {
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    // Virtual disks say "rotational" by default, even on flash (seen on virtio: 1, with 30,000
    // random reads/s).
    let place = std::fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).unwrap_or_default();
    if ["/virtio", "/vbd-"].iter().any(|bus| place.to_string_lossy().contains(bus)) {
        return false;
    }
    ["queue/rotational", "../queue/rotational"]
        .iter()
        .find_map(|q| super::kernel_text(format!("/sys/dev/block/{major}:{minor}/{q}")))
        .is_some_and(|text| text.starts_with('1'))
}
