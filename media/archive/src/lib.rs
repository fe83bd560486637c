//! The members of an archive or of a compressed stream: zip, tar, 7z, RAR, WIM, cpio, ar, CAB, LHA,
//! RPM packages, gzip, bzip2, xz, Zstandard, LZ4, lzip, LZMA and compress; the files of logical
//! images, the messages and attachments of mail; the streams of a PDF; and container images in a
//! tar or a directory.
//!
//! Every size is bounded by [`Limits`]. A member that is encrypted, damaged, compressed by an
//! unknown method or larger than the limits is a [`Failure`] of that member, and the other members
//! still follow.

#![forbid(unsafe_code)]

mod ar;
mod ar_table;
mod cab;
mod cab_block;
mod cab_header;
mod cab_set;
mod checked;
mod coded;
mod compound;
mod compress;
mod cpio;
mod cpio_header;
mod crew;
mod decoder;
mod deep;
mod folder;
mod folder_row;
mod format;
mod high_bits;
mod holders;
mod itemised;
mod lha;
mod lha_dynamic;
mod lha_header;
mod lha_larc;
mod lha_static;
mod limits;
mod logical;
mod low_bits;
mod lzx;
mod mail;
mod member;
mod oci;
mod parts;
mod passwords;
mod pdf;
mod prefix;
mod program;
mod pst;
mod rar;
mod ready;
mod ring;
mod rpm;
mod salvage;
mod set_aside;
mod sevenzip;
mod sevenzip_header;
mod single;
mod sparse;
mod store;
mod tape;
mod tar;
mod tar_header;
mod track;
mod wim;
mod xpress;
mod zip;
mod zip_cipher;
mod zip_claims;
mod zip_directory;
mod zip_implode;
mod zip_method;
mod zip_reduce;
mod zip_shrink;

pub use cab::OfSet as CabinetOfSet;
pub use checked::BOMB;
pub use coded::may_have_body;
pub use compound::{MAGIC as COMPOUND, has_objects, is_message as is_outlook_message};
pub use crew::{Crew, CrewStream, DecodedBytes, Hands, Open, Pending, Rest};
pub use format::Format;
pub use holders::is_rtf as is_rtf_with_objects;
pub use limits::Limits;
pub use mail::is_message_named;
pub use oci::Part as LayoutFile;
pub use passwords::Passwords;
pub use pdf::{header as pdf_header, is_document as is_pdf};
pub use pfh_bytes::account::{Account, Extent, Holds};
pub use pfh_bytes::bytes::Bytes;
pub use pfh_bytes::node::{Allocation, Content, Failure, Flaw, Kind, Node, Nodes, Run, Times};
pub use zip_method::NEEDS_PASSWORD;

use decoder::Packing;
use member::limited;
use pfh_bytes::account::Claims;
use pfh_bytes::field::read_some;
use pfh_container::sfx::FoundArchive;
use program::{behind, shifted};
use std::collections::HashSet;
use std::io::Read;
use std::sync::Arc;
use store::Store;

/// The members of an archive. `name` is the archive's own: a compressed stream is named after it,
/// without the ending that its program puts there.
///
/// # Errors
/// When nothing of it can be listed.
pub fn open(format: Format, bytes: Arc<dyn Bytes>, name: &[u8], limits: &Limits) -> Result<Nodes, Failure> {
    // A zip says itself where it begins, and so do the volumes of a RAR.
    let (bytes, by) = match format {
        Format::Zip | Format::Rar => (bytes, 0),
        _ => behind_other(format, bytes),
    };
    let moved = |failed: Failure| Failure { offset: failed.offset.map(|offset| offset + by), ..failed };
    open_at_start(format, bytes, name, limits).map(|nodes| shifted(nodes, by)).map_err(moved)
}

/// The archive behind something else: by its signature near the edge, or else deep in the file.
pub fn anywhere(start: &[u8], bytes: &Arc<dyn Bytes>) -> Option<FoundArchive> {
    deep::anywhere(start, bytes, open_at_start)
}

/// The archive at the end of a disk image or of a medium whose last partition ends at `from`.
pub fn appended(from: u64, bytes: &Arc<dyn Bytes>) -> Option<FoundArchive> {
    deep::appended(from, bytes, open_at_start)
}

/// Whether a text holds a file that does not begin among its first bytes, or a coded archive.
pub fn is_coded_further(start: &[u8], bytes: &dyn Bytes) -> bool {
    coded::is_further(start, bytes, is_archive)
}

/// Whether these bytes, or the archive behind a program, are one of several volumes of a RAR.
pub fn is_rar_volume(bytes: &Arc<dyn Bytes>) -> bool {
    rar::is_volume(bytes, anywhere)
}

/// Whether these bytes are an archive, and nothing else.
fn is_archive(bytes: Vec<u8>) -> bool {
    let format = Format::recognize(&bytes[..bytes.len().min(4096)]);
    format.is_some_and(|format| deep::is_whole(format, Arc::new(bytes), open_at_start))
}

/// The archive of this format, which may stand behind something else, and where it begins.
fn behind_other(format: Format, bytes: Arc<dyn Bytes>) -> (Arc<dyn Bytes>, u64) {
    let start = read_some(&*bytes, 0, Format::START).unwrap_or_default();
    match Format::recognize(&start) == Some(format) {
        true => (bytes, 0),
        false => behind(format.behind(), bytes, anywhere),
    }
}

/// The same of an archive that begins with the first byte, or finds its own start.
fn open_at_start(format: Format, bytes: Arc<dyn Bytes>, name: &[u8], limits: &Limits) -> Result<Nodes, Failure> {
    let Some(packing) = Packing::of(format) else {
        return match format {
            Format::Zip => zip::open(bytes, &[0], limits),
            Format::SevenZip => sevenzip::open(bytes, limits),
            Format::Cpio => Ok(cpio::plain(bytes, 0, limits)),
            Format::Ar => Ok(ar::open(bytes, limits)),
            Format::Rpm => rpm::open(bytes, limits),
            Format::Lha => Ok(lha::open(bytes, limits)),
            Format::Cab => cab::open(bytes, &[0], limits),
            Format::Wim => wim::open(bytes, &[0], limits),
            Format::Rar => rar::open(bytes, &[0], limits, anywhere),
            Format::Pdf => pdf::open(bytes, limits),
            Format::Message => Ok(mail::open_message(bytes, limits)),
            Format::Pst => pst::open(bytes, limits),
            Format::Coded => Ok(limited(coded::open(bytes, name, limits, is_archive)?, limits.entries)),
            Format::Tnef => holders::open_tnef(bytes, limits.entries),
            Format::Apple => holders::open_apple(bytes, name),
            Format::OneNote => Ok(limited(holders::open_onenote(bytes)?, limits.entries)),
            Format::Signed => holders::open_cms(bytes, name),
            Format::Rtf => Ok(limited(holders::open_rtf(bytes), limits.entries)),
            Format::Objects => Ok(limited(compound::open_objects(bytes)?, limits.entries)),
            Format::Outlook => compound::open(bytes, limits),
            Format::Mbox => Ok(mail::open_mbox(bytes, limits)),
            Format::Logical(format) => logical::open(format, bytes, &[0], limits),
            _ => Ok(oci::open(bytes, limits)),
        };
    };
    let mut start = Vec::new();
    let opened = decoder::open(packing, bytes.clone(), limits);
    // A stream that cannot be decompressed from its start is a failure of its one member.
    let began = opened.and_then(|reader| reader.take(Format::START as u64).read_to_end(&mut start));
    if began.is_ok() && tar_header::is_header(&start) {
        return Ok(set_aside::named(tar::packed(packing, bytes.clone(), limits), packing, &bytes, limits));
    }
    if began.is_ok() && cpio_header::is_header(&start) {
        let size = bytes.size();
        let nodes = cpio::packed(Store::packed(packing, bytes.clone(), limits), size, limits);
        return Ok(set_aside::named(nodes, packing, &bytes, limits));
    }
    Ok(set_aside::named(single::open(packing, bytes.clone(), name, limits), packing, &bytes, limits))
}

/// The account of an archive; `None` if its reader has none.
///
/// # Errors
/// If it cannot be read.
pub fn account(format: Format, bytes: &Arc<dyn Bytes>) -> Result<Option<Account>, Failure> {
    match claims(format, bytes)? {
        Some(claims) => claims.close(&**bytes).map(Some),
        None => Ok(None),
    }
}

/// The claims of an archive's tables; `None` of a format whose reader does not say.
fn claims(format: Format, bytes: &Arc<dyn Bytes>) -> Result<Option<Claims>, Failure> {
    match format {
        Format::Zip => zip_claims::all(bytes),
        // Behind a program the places are not those of the file.
        _ if behind_other(format, bytes.clone()).1 > 0 => Ok(None),
        Format::Tar => Ok(Some(tar::claims(bytes))),
        Format::Cpio => Ok(Some(cpio::claims(bytes))),
        Format::Ar => Ok(Some(ar::claims(bytes))),
        Format::Lha => Ok(Some(lha::claims(bytes))),
        Format::SevenZip => sevenzip::claims(bytes).map(Some),
        _ => Ok(None),
    }
}

/// The members of an archive in several parts, which lie one behind the other in `bytes` and start
/// at `parts`: a RAR's volumes, a logical image's segments, the cabinets of a set, the parts of a
/// split WIM; of all else the parts of a zip.
///
/// # Errors
/// As [`open`].
pub fn open_parts(format: Format, bytes: Arc<dyn Bytes>, parts: &[u64], limits: &Limits) -> Result<Nodes, Failure> {
    match format {
        Format::Logical(format) => logical::open(format, bytes, parts, limits),
        Format::Rar => rar::open(bytes, parts, limits, anywhere),
        Format::Wim => wim::open(bytes, parts, limits),
        Format::Cab => cab::open(bytes, parts, limits),
        _ => zip::open(bytes, parts, limits),
    }
}

/// The tar in a compressed stream, if its first members are those of container images: their layers
/// are read at any position, which a stream does not allow. `None` for anything else.
pub fn packed_images(format: Format, bytes: &Arc<dyn Bytes>, limits: &Limits) -> Option<Box<dyn Read + Send>> {
    oci::packed(Packing::of(format)?, bytes, limits)
}

/// The members of a tar that was unpacked from a compressed stream into `bytes`, as [`open`] gives
/// them: they have no places on the medium, and failures name theirs in words.
pub fn open_unpacked(bytes: Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    oci::open_unpacked(bytes, limits)
}

/// The members that [`open`] gives of a compressed tar, with a failure that names `why` if they
/// show that the tar holds container images.
pub fn without_images(nodes: Nodes, why: String) -> Nodes {
    oci::without_images(nodes, why)
}

/// The images in an OCI layout that is a directory: `bytes` are its files one behind the other.
/// Blobs that do not have the digest in their names are failures behind the names of the images.
pub fn open_layout(bytes: Arc<dyn Bytes>, files: &[LayoutFile], limits: &Limits) -> Nodes {
    oci::open_layout(bytes, files, limits)
}

/// The names of the layers of all images in such a layout.
pub fn layers_of_layout(bytes: &Arc<dyn Bytes>, files: &[LayoutFile]) -> HashSet<Vec<u8>> {
    oci::layers_of(bytes, files)
}

/// The number of a part of a split WIM and how many parts there are; `None` of one that is whole.
pub fn part_of_wim(bytes: &dyn Bytes) -> Option<(u16, u16)> {
    wim::part_of(bytes)
}

/// The place of a cabinet in its set; `None` of one that stands alone.
pub fn cabinet_of_set(bytes: &dyn Bytes) -> Option<CabinetOfSet> {
    cab::of_set(bytes)
}

/// How many parts the zip has whose last one this is.
pub fn parts_of_zip(bytes: &dyn Bytes) -> u32 {
    zip_directory::parts(bytes)
}
