//! The list.

use super::event::{Event, Events, Summary};
use super::listed::{self, warmth};
use super::probe;
use super::problem::Problem;
use super::request::{Contents, DeviceChoice, Request};
use super::row::{Content, Disk};
use crate::job::Error;
use pfh_engine::Control;

/// Buses of devices whose bytes lie elsewhere.
const VIRTUAL: &[&str] = &["device-mapper", "md", "loop", "network", "ram", "shadow-copy"];

/// Lists the disks.
///
/// # Errors
/// When the system has no list of block devices, the events are refused, or the control cancels the
/// job. A disk that cannot be read is a row, and counted.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut disks: Vec<Disk> = listed::disks(&request.system);
    // One that cannot be opened states no size.
    let has_bytes = |disk: &Disk| disk.size > 0 || matches!(disk.content, Content::Unread(_));
    disks.retain(|disk| request.which == DeviceChoice::All || (has_bytes(disk) && disk.bus != "ram"));
    // Devices that lie on others stand behind them.
    disks.sort_by_key(|disk| VIRTUAL.contains(&disk.bus.as_str()));
    if request.contents == Contents::Read && !probe::all(&mut disks, control) {
        return Err(Error::cancelled(Problem::Cancelled));
    }
    let mut summary = Summary::default();
    for disk in &mut disks {
        disk.temperature = warmth(&request.system, disk);
        let parts = disk.partitions.iter().filter(|part| matches!(part.content, Content::Unread(_))).count();
        let is_unread = matches!(disk.content, Content::Unread(_)) || parts > 0;
        summary.disks += 1;
        summary.unread += u64::from(is_unread);
        events(Event::Disk(disk)).map_err(Error::Sink)?;
    }
    Ok(summary)
}
