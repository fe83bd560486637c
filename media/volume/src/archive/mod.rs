//! What an archive holds, or a compressed stream: zip, tar, 7z, gzip, bzip2, xz and Zstandard.
//!
//! Every size is bounded by [`Limits`]. A member that is encrypted, damaged, compressed by an
//! unknown method or larger than the limits is a [`Failure`] of that member, and the rest comes all
//! the same.

mod checked;
mod decoder;
mod folder;
mod limits;
mod member;
mod salvage;
mod sevenzip;
mod sevenzip_header;
mod single;
mod sparse;
mod tape;
mod tar;
mod tar_header;
mod track;
mod zip;
mod zip_directory;
mod zip_method;

pub use checked::BOMB;
pub use limits::Limits;

use crate::bytes::Bytes;
use crate::node::{Failure, Nodes};
use decoder::Packing;
use std::io::Read;
use std::sync::Arc;

/// The format of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// PKZIP's, with ZIP64.
    Zip,
    /// ustar, pax and GNU.
    Tar,
    /// 7-Zip's own.
    SevenZip,
    /// One stream; of a tar, the members of that.
    Gzip,
    /// One stream; of a tar, the members of that.
    Bzip2,
    /// One stream; of a tar, the members of that.
    Xz,
    /// One stream; of a tar, the members of that.
    Zstd,
}

impl Format {
    /// How many of the first bytes [`recognize`](Format::recognize) looks at.
    pub const START: usize = 512;

    /// The format that the first bytes state; `None` if they state none.
    pub fn recognize(start: &[u8]) -> Option<Format> {
        match start {
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Format::Zip),
            [b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C, ..] => Some(Format::SevenZip),
            [0x1F, 0x8B, 8, flags, ..] if flags & 0xE0 == 0 => Some(Format::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => Some(Format::Bzip2),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Format::Xz),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Some(Format::Zstd),
            _ if tar_header::is_header(start) => Some(Format::Tar),
            _ => None,
        }
    }

    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Format::Zip => "zip",
            Format::Tar => "tar",
            Format::SevenZip => "7z",
            Format::Gzip => "gzip",
            Format::Bzip2 => "bzip2",
            Format::Xz => "xz",
            Format::Zstd => "zstd",
        }
    }
}

/// The members of an archive. `name` is the archive's own: a compressed stream is named after it,
/// without the ending that its program puts there.
///
/// # Errors
/// When nothing of it can be listed.
pub fn open(format: Format, bytes: Arc<dyn Bytes>, name: &[u8], limits: &Limits) -> Result<Nodes, Failure> {
    let packing = match format {
        Format::Zip => return zip::open(bytes, limits),
        Format::Tar => return Ok(tar::plain(bytes, limits)),
        Format::SevenZip => return sevenzip::open(bytes, limits),
        Format::Gzip => Packing::Gzip,
        Format::Bzip2 => Packing::Bzip2,
        Format::Xz => Packing::Xz,
        Format::Zstd => Packing::Zstd,
    };
    let mut start = Vec::new();
    let opened = decoder::open(packing, bytes.clone(), limits);
    // What cannot be decompressed from its start is a failure of the one member.
    let began = opened.and_then(|reader| reader.take(Format::START as u64).read_to_end(&mut start));
    if began.is_ok() && tar_header::is_header(&start) {
        return Ok(tar::packed(packing, bytes, limits));
    }
    Ok(single::open(packing, bytes, name, limits))
}
