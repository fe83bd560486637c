//! How warm a drive is.

use super::kernel::word;
use pfh_source::os::names_in;
use std::path::Path;

/// Where the kernel has the sensors of a drive, below its directory: hwmon of drivetemp and of
/// NVMe, whose place has changed.
const PLACES: &[&str] = &["device/hwmon", "device", "device/device/hwmon"];

/// The temperature that a drive states, in degrees Celsius; that of the disk, for a partition.
/// `None` if it states none, or the kernel has no driver for that (`drivetemp`).
///
/// The kernel asks the drive each time: once in some seconds is often enough. `system` is the
/// directory that holds `sys`, as in [`Request`](super::Request).
pub fn temperature(system: &Path, device: &Path) -> Option<f64> {
    let real = device.canonicalize().ok();
    let name = real.as_deref().unwrap_or(device).file_name()?;
    let direct = system.join("sys/class/block").join(name);
    let here = if direct.exists() { direct } else { system.join("sys/block").join(name) };
    let here = here.canonicalize().ok()?;
    let disk = if here.join("partition").exists() { here.parent()? } else { &here };
    for place in PLACES {
        let place = disk.join(place);
        let mut sensors: Vec<_> = names_in(&place).into_iter().collect();
        sensors.sort();
        let sensors = sensors.into_iter().filter(|name| name.to_string_lossy().starts_with("hwmon"));
        let found = sensors.filter_map(|sensor| word(&place.join(sensor), "temp1_input").parse::<f64>().ok());
        // Thousandths of a degree.
        if let Some(degrees) = found.map(|thousandths| thousandths / 1000.0).next() {
            return Some(degrees);
        }
    }
    None
}
