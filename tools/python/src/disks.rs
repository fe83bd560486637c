//! The disks of this machine.

use crate::job;
use crate::rows::{Found, Rows, ended};
use pfh::disks::{Content, Contents, DeviceChoice, DiskRow, Event, Request, run};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Lists the disks of this machine: a dictionary for each, with `path`, `model`, `serial`, `size`
/// and `sector` in bytes, `bus`, `write_blocked`, `encrypted`, `mounts`, `hidden`, `temperature` in
/// degrees Celsius, and `partitions`.
///
/// `every` lists RAM disks and drives without a medium too. `read=False` opens no device. `system`
/// is the directory that holds `sys`, `proc`, `run` and `dev`.
#[pyfunction]
#[pyo3(name = "disks", signature = (*, every = false, read = true, system = None))]
pub fn disks(py: Python<'_>, every: bool, read: bool, system: Option<PathBuf>) -> PyResult<Rows> {
    let mut asked = Request::new();
    asked.which = if every { DeviceChoice::All } else { DeviceChoice::Media };
    asked.contents = if read { Contents::Read } else { Contents::Unread };
    if let Some(system) = system {
        asked.system = system;
    }
    let (ran, found) = job::run(py, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            let Event::Disk(disk) = event;
            found.row(&DiskRow::of(disk));
            let contents = disk.partitions.iter().map(|part| &part.content).chain([&disk.content]);
            let unread = contents.filter_map(|content| match content {
                Content::Unread(cause) => Some(cause),
                _ => None,
            });
            found.messages.extend(unread.take(1).map(|cause| format!("{}: {cause}", disk.path.display())));
            Ok(())
        };
        let ran = run(&asked, &mut events, control);
        (ran, found)
    })?;
    let summary = ran.map_err(|failed| ended(py, &failed))?;
    found.rows(py, if summary.unread > 0 || summary.disks == 0 { 3 } else { 0 })
}
