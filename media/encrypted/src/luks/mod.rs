//! LUKS: version 1 (C. Fruhwirth, *LUKS On-Disk Format Specification*, 1.2.3) and version 2
//! (M. Brož, *LUKS2 On-Disk Format Specification*, 1.1.0).

pub mod derive;
mod one;
mod proof;
mod split;
mod two;

use crate::failure::Failure;
use crate::key::Keys;
use crate::opened::OpenedVolume;
use pfh_container::Bytes;
use proof::MAGIC;
use std::sync::Arc;

/// Opens a LUKS volume; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>, keys: &Keys) -> Result<Option<OpenedVolume>, Failure> {
    let head = crate::field::read_some(&**bytes, 0, 8)?;
    match head.strip_prefix(MAGIC) {
        Some([0, 1]) => one::open(bytes, keys).map(Some),
        Some([0, 2]) => two::open(bytes, keys).map(Some),
        Some([high, low]) => Err(Failure::Unread(format!("LUKS of version {}", u16::from_be_bytes([*high, *low])))),
        // The first copy of the header is lost.
        _ if two::has_second(&**bytes)? => two::open(bytes, keys).map(Some),
        _ => Ok(None),
    }
}
