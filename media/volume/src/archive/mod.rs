//! What an archive holds, or a compressed stream: zip, tar, 7z, cpio, ar, RPM packages, gzip, bzip2,
//! xz, Zstandard, LZ4, lzip, LZMA and compress; and the streams of a PDF.
//!
//! Every size is bounded by [`Limits`]. A member that is encrypted, damaged, compressed by an
//! unknown method or larger than the limits is a [`Failure`] of that member, and the rest comes all
//! the same.

mod ar;
mod checked;
mod compress;
mod cpio;
mod cpio_header;
mod decoder;
mod folder;
mod limits;
mod member;
mod pdf;
mod rpm;
mod sevenzip;
mod sevenzip_header;
mod single;
mod sparse;
mod store;
mod tape;
mod tar;
mod tar_header;
mod track;
mod zip;
mod zip_directory;

pub use checked::BOMB;
pub use limits::Limits;
pub use pdf::{header as pdf_header, is_document as is_pdf};

use crate::bytes::{Bytes, Slice};
use crate::node::{Failure, Nodes};
use decoder::Packing;
use pfh_container::{disk, sfx, signature};
use std::io::Read;
use std::sync::Arc;
use store::Store;

/// The format of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// PKZIP's, with ZIP64.
    Zip,
    /// ustar, pax and GNU.
    Tar,
    /// 7-Zip's own.
    SevenZip,
    /// One stream; of a tar or cpio, the members of that.
    Gzip,
    /// One stream; of a tar or cpio, the members of that.
    Bzip2,
    /// One stream; of a tar or cpio, the members of that.
    Xz,
    /// One stream; of a tar or cpio, the members of that.
    Zstd,
    /// compress's; of a tar or cpio, the members of that.
    Compress,
    /// LZ4's frames; of a tar or cpio, the members of that.
    Lz4,
    /// One stream of lzip; of a tar or cpio, the members of that.
    Lzip,
    /// LZMA with a header of 13 bytes; of a tar or cpio, the members of that.
    Lzma,
    /// newc, crc, odc and the old binary form.
    Cpio,
    /// Libraries, and Debian packages.
    Ar,
    /// RPM packages: the members of their cpio.
    Rpm,
    /// A PDF document: its streams. [`recognize`](Format::recognize) does not name it, because its
    /// members are parts of one file and hardly ever files.
    Pdf,
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
            [0x04, 0x22, 0x4D, 0x18, ..] | [0x02, 0x21, 0x4C, 0x18, ..] => Some(Format::Lz4),
            [b'L', b'Z', b'I', b'P', ..] if signature::is_lzip(start) => Some(Format::Lzip),
            [0x1F, 0x9D, ..] if signature::is_compress(start) => Some(Format::Compress),
            _ if start.starts_with(ar::MAGIC) => Some(Format::Ar),
            _ if start.starts_with(rpm::MAGIC) => Some(Format::Rpm),
            _ if cpio_header::is_header(start) => Some(Format::Cpio),
            _ if signature::is_lzma(start) => Some(Format::Lzma),
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
            Format::Compress => "compress",
            Format::Lz4 => "lz4",
            Format::Lzip => "lzip",
            Format::Lzma => "lzma",
            Format::Cpio => "cpio",
            Format::Ar => "ar",
            Format::Rpm => "rpm",
            Format::Pdf => "pdf",
        }
    }
}

/// The members of an archive. `name` is the archive's own: a compressed stream is named after it,
/// without the ending that its program puts there.
///
/// # Errors
/// When nothing of it can be listed.
pub fn open(format: Format, bytes: Arc<dyn Bytes>, name: &[u8], limits: &Limits) -> Result<Nodes, Failure> {
    let Some(packing) = Packing::of(format) else {
        return match format {
            Format::Zip => zip::open(bytes, limits),
            Format::SevenZip => sevenzip::open(behind_program(bytes), limits),
            Format::Cpio => Ok(cpio::plain(bytes, 0, limits)),
            Format::Ar => Ok(ar::open(bytes, limits)),
            Format::Rpm => rpm::open(bytes, limits),
            Format::Pdf => pdf::open(bytes, limits),
            _ => Ok(tar::plain(bytes, limits)),
        };
    };
    let mut start = Vec::new();
    let opened = decoder::open(packing, bytes.clone(), limits);
    // What cannot be decompressed from its start is a failure of the one member.
    let began = opened.and_then(|reader| reader.take(Format::START as u64).read_to_end(&mut start));
    if began.is_ok() && tar_header::is_header(&start) {
        return Ok(tar::packed(packing, bytes, limits));
    }
    if began.is_ok() && cpio_header::is_header(&start) {
        let size = bytes.size();
        return Ok(cpio::packed(Store::packed(packing, bytes, limits), size, limits));
    }
    Ok(single::open(packing, bytes, name, limits))
}

/// The archive behind a program, if the bytes begin with one.
fn behind_program(bytes: Arc<dyn Bytes>) -> Arc<dyn Bytes> {
    let mut start = vec![0; usize::try_from(bytes.size()).unwrap_or(usize::MAX).min(disk::START)];
    let found = bytes.read_exact_at(0, &mut start).ok().and_then(|()| sfx::archive(&start, &*bytes));
    let slice = found.and_then(|found| Slice::new(bytes.clone(), found.offset, bytes.size() - found.offset));
    slice.map_or(bytes, |slice| Arc::new(slice))
}
