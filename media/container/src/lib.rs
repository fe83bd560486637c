//! Disk images as bytes: Expert Witness (E01), split raw images, disks of virtual machines and
//! other imagers, ddrescue's map of the ranges that could be read; and the signatures of formats
//! that are not read, of archives and volumes as well.

#![forbid(unsafe_code)]

mod bytes;
pub mod disk;
pub mod ewf;
pub mod field;
mod fletcher;
pub mod foreign;
pub mod logical;
pub mod lzfse;
pub mod map;
pub mod named;
pub mod sfx;
pub mod signature;
pub mod split;
mod time;
mod units;

pub use bytes::Bytes;
pub use fletcher::fletcher64;
pub use pfh_digest::crc32c_after as crc32c;
pub use time::Time;
pub use units::{Unit, Units};

/// Whether there are only zeros.
pub fn is_zero(bytes: &[u8]) -> bool {
    // Whole vectors at a time; `all` over bytes stops at each.
    let (blocks, rest) = bytes.as_chunks::<64>();
    blocks.iter().all(|b| b.iter().fold(0, |or, byte| or | byte) == 0) && rest.iter().all(|b| *b == 0)
}
