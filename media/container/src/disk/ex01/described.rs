//! The sections that images of disks and logical images have in common.

use super::chunks::Table;
use super::properties::Properties;
use super::section::{self, Section};
use crate::Bytes;
use crate::disk::Failure;
use crate::disk::unpack::Method;

/// The device, the case data and the tables that were met so far.
#[derive(Default)]
pub struct Ex01Description {
    /// The device information.
    pub device: Option<Properties>,
    /// The case data.
    pub case: Option<Properties>,
    /// The tables of chunks.
    pub tables: Vec<Table>,
}

impl Ex01Description {
    /// Takes in a section of segment `at`, from 0; `false` for one of another kind. Of device and
    /// case the first counts: each segment repeats them.
    pub fn take(&mut self, file: &dyn Bytes, at: usize, section: &Section, method: Method) -> Result<bool, Failure> {
        if section.is_encrypted() {
            return Err(Failure::refused("is encrypted"));
        }
        match section.kind {
            section::DEVICE if self.device.is_none() => self.device = Some(Properties::read(file, section, method)?),
            section::CASE if self.case.is_none() => self.case = Some(Properties::read(file, section, method)?),
            section::DEVICE | section::CASE => {}
            section::TABLE => self.tables.push(Table::read(file, at, section)?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
