//! Opening a file that a walk or a list has named.

use super::handles::OwnedFd;
use super::platform::{self, Errno};
use crate::base::Base;
use crate::descend::Links;
use crate::problem::{Cause, Problem, Stage};

/// Opens a file below its base for reading.
pub fn open_file(base: &Base, path: &[u8]) -> Result<OwnedFd, Problem> {
    platform::open_data(base, path).map_err(|errno| match (errno, base.links, &base.directory) {
        (Errno::LOOP, Links::Keep, Some(_)) => Problem::new(Stage::Open, Cause::Replaced),
        (Errno::XDEV, Links::Within, Some(_)) => Problem::new(Stage::Open, Cause::Outside),
        _ => Problem::opening(path, errno),
    })
}
