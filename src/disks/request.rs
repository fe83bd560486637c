//! The request.

use super::listed::by_calls;
use super::problem::Problem;
use crate::job::Error;
use std::path::PathBuf;

/// Which devices are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// Those that hold bytes of a medium: not RAM disks, not drives without a medium.
    #[default]
    Media,
    /// All block devices that the kernel lists.
    All,
}

/// Whether the devices are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Contents {
    /// Each is opened for reading, for partition tables, file systems and hidden areas.
    #[default]
    Read,
    /// None is: only the statements of the kernel and udev.
    Unread,
}

/// Which disks to list, and how.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The directory that holds `sys`, `proc`, `run` and `dev`: `/`, or a copy for tests and
    /// training.
    pub system: PathBuf,
    /// Which devices.
    pub which: DeviceChoice,
    /// Whether they are opened.
    pub contents: Contents,
}

impl Request {
    /// All media of this machine; each is opened for reading.
    pub fn new() -> Request {
        Request { system: PathBuf::from("/"), which: DeviceChoice::default(), contents: Contents::default() }
    }

    /// Whether there is a list of devices.
    ///
    /// # Errors
    /// When there is none, as on other systems than Linux and Windows.
    pub fn check(&self) -> Result<(), Error> {
        let list = self.system.join("sys/block");
        if by_calls(&self.system) || list.is_dir() { Ok(()) } else { Err(Error::input(Problem::NoList(list))) }
    }
}

impl Default for Request {
    fn default() -> Self {
        Request::new()
    }
}
