//! Recognises containers by their bytes.

use super::pieces::is_first;
use pfh_archive::{self as archive, COMPOUND, Format, LayoutFile, has_objects, is_coded_further, is_rtf_with_objects};
use pfh_archive::{is_message_named, is_outlook_message, is_pdf, pdf_header};
use pfh_container::disk::END;
use pfh_container::disk::{Alone, Disk, Failure, Kind};
use pfh_container::ewf::FileHeader;
use pfh_container::logical::Logical;
use pfh_container::{foreign, named, sfx, signature};
use pfh_source::Problem;
use pfh_volume::{Bytes, Node, PartitionTable, Scheme, Usage, VolumeContent};
use pfh_volume::{file_system, is_piece, is_whole_member, may_be_small, partitions, small_file_system};
use std::io;
use std::sync::Arc;

/// Bytes that are looked at of a member, to see whether it may be a container.
pub const START: usize = 4096;
/// The smallest medium that is looked at.
const DISK: u64 = 32 << 10;

/// A container, by its bytes.
pub enum Container {
    /// An archive or a compressed stream.
    Archive(Format),
    /// A zip or RAR in several parts or a logical image in segments, one behind the other, which
    /// start there; and the faults of the set, in words that name the part.
    Parts(Format, Vec<u64>, Vec<String>),
    /// Container images in an OCI layout, whose files are one behind the other.
    Layout(Vec<LayoutFile>),
    /// A medium that is divided.
    Divided(PartitionTable),
    /// A volume.
    Volume(VolumeContent),
    /// A disk in a file of a format of its own, or why it cannot be read.
    Disk(Kind, Result<Box<dyn Disk>, Failure>),
    /// Recognised, and not read.
    Refused(ContainerRefusal),
}

/// Why a container is not opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerRefusal {
    /// In words.
    pub why: String,
    /// Whether it is damaged, rather than of a format that is not read.
    pub is_damaged: bool,
}

impl ContainerRefusal {
    fn format(why: impl Into<String>) -> ContainerRefusal {
        ContainerRefusal { why: why.into(), is_damaged: false }
    }

    fn damage(why: impl Into<String>) -> ContainerRefusal {
        ContainerRefusal { why: why.into(), is_damaged: true }
    }
}

/// The container that these bytes of a file of this name are; `None` if they are not a container.
/// `start` are the first of them.
///
/// # Errors
/// When a table or a file system is there, and cannot be read.
pub fn container(start: &[u8], bytes: &Arc<dyn Bytes>, name: &[u8]) -> Result<Option<Container>, pfh_volume::Failure> {
    if let Some(format) = end_of(&**bytes).and_then(|end| logical(start, &end, bytes)) {
        // A later segment belongs to the first.
        return Ok((format.segment(start) <= 1).then_some(Container::Archive(Format::Logical(format))));
    }
    if let Some(kind) = disk_kind(start, &**bytes) {
        return Ok(Some(Container::Disk(kind, pfh_container::disk::open(kind, bytes.clone(), &Alone))));
    }
    if let Some(format) = Format::recognize(start).or_else(|| ends_as_zip(&**bytes)) {
        return Ok(Some(Container::Archive(format)));
    }
    if is_message_named(start, name) {
        return Ok(Some(Container::Archive(Format::Message)));
    }
    if is_outlook_message(start, &**bytes) {
        return Ok(Some(Container::Archive(Format::Outlook)));
    }
    if start.starts_with(COMPOUND) && has_objects(bytes) {
        return Ok(Some(Container::Archive(Format::Objects)));
    }
    if is_rtf_with_objects(start, &**bytes) {
        return Ok(Some(Container::Archive(Format::Rtf)));
    }
    if FileHeader::is_ewf(start) || Kind::recognize(start, &[]).is_some() {
        // A later segment belongs to the first.
        let is_extent = start.starts_with(b"KDMV");
        let why = if is_extent { "an extent of a VMDK without its descriptor" } else { "an E01 image inside" };
        let refused = || Container::Refused(ContainerRefusal::format(format!("{why}: not read there")));
        return Ok((is_extent || is_first(start)).then(refused));
    }
    if let Some(behind) = sfx::volume(start, &**bytes) {
        // An AppImage.
        return Ok(Some(volume_behind(behind, &**bytes)));
    }
    if let Some(refused) = unread(start, &**bytes) {
        return Ok(Some(refused));
    }
    let found = match bytes.size() {
        // Of any other size as well: a copy that was cut off need not end with a sector.
        DISK.. => medium(bytes)?.map(|found| match &found {
            Container::Divided(table) => {
                let used = table.partitions.iter().filter(|part| part.usage == Usage::Partition);
                let end = used.map(|part| part.start.saturating_add(part.length)).max().unwrap_or(0);
                with_appended(found, end, bytes)
            }
            _ => found,
        }),
        _ => match small_file_system(bytes.clone())? {
            VolumeContent::Unknown => None,
            found => Some(Container::Volume(found)),
        },
    };
    let shifted = || pfh_volume::shifted(bytes).map(|behind| volume_behind(behind, &**bytes));
    Ok(found.or_else(|| anywhere(start, bytes)).or_else(shifted).or_else(|| damaged(start, name)))
}

/// Names the archive that was appended to a medium or to the file of a disk, behind this place.
pub fn with_appended(container: Container, from: u64, bytes: &Arc<dyn Bytes>) -> Container {
    let Some(found) = archive::appended(from, bytes) else { return container };
    unread_beside(container, Some(found.offset), format!("{} behind the disk: not read there", found.format))
}

/// Names something that is not read, beside the content of a medium.
pub fn unread_beside(mut container: Container, offset: Option<u64>, cause: String) -> Container {
    let failure = pfh_volume::Failure { offset, cause, ..pfh_volume::Failure::default() };
    match &mut container {
        Container::Divided(table) if !table.warnings.iter().any(|other| other.offset == offset) => {
            table.warnings.push(failure);
        }
        Container::Volume(VolumeContent::FileSystem(system)) => system.unread.push(failure),
        _ => {}
    }
    container
}

/// The one volume of a medium, behind its start.
fn volume_behind(start: u64, bytes: &dyn Bytes) -> Container {
    let mut table = PartitionTable::whole(bytes.size());
    for volume in &mut table.partitions {
        (volume.start, volume.length) = (start, bytes.size() - start);
    }
    Container::Divided(table)
}

/// The same, and documents if they are asked for.
///
/// # Errors
/// As [`container`].
pub fn container_or_document(
    start: &[u8],
    bytes: &Arc<dyn Bytes>,
    name: &[u8],
    documents: bool,
) -> Result<Option<Container>, pfh_volume::Failure> {
    if documents && is_pdf(start, &**bytes) {
        return Ok(Some(Container::Archive(Format::Pdf)));
    }
    container(start, bytes, name)
}

/// A container of a format that is not read, by its first bytes.
fn unread(start: &[u8], bytes: &dyn Bytes) -> Option<Container> {
    if let Some(format) = foreign::by_content(start) {
        let why = format!("the format {} ({}) is not read", format.name, format.hint);
        return Some(Container::Refused(ContainerRefusal::format(why)));
    }
    if let Some(name) = signature::files_in(start) {
        return Some(Container::Refused(ContainerRefusal::format(format!("{name}: recognised, not read"))));
    }
    sfx::archive(start, bytes).map(|found| found_behind(&found))
}

/// The archive or the coded file in bytes that are not known as anything else.
pub fn anywhere(start: &[u8], bytes: &Arc<dyn Bytes>) -> Option<Container> {
    let coded = || is_coded_further(start, &**bytes).then_some(Container::Archive(Format::Coded));
    archive::anywhere(start, bytes).map(|found| found_behind(&found)).or_else(coded)
}

/// The archive behind something else, or its name if it is not read.
fn found_behind(found: &sfx::FoundArchive) -> Container {
    if let Some(format) = Format::found(found) {
        return Container::Archive(format);
    }
    let why = format!("{} behind something else, at offset {}: recognised, not read", found.format, found.offset);
    Container::Refused(ContainerRefusal::format(why))
}

/// A container whose signature is damaged, while the rest of it or its name shows its format.
fn damaged(start: &[u8], name: &[u8]) -> Option<Container> {
    let near = signature::damaged(start).map(|format| format!("{format} with a damaged start: not opened"));
    let named = || {
        let format = named::by_name(name).or_else(|| named::by_document(name, start))?;
        Some(format!("its name says {format}, and its bytes do not: not opened"))
    };
    let piece = || {
        let (format, number) = named::piece(name)?;
        Some(format!("piece {number} of a split archive ({format}): not opened"))
    };
    let refused = match near.or_else(named) {
        Some(why) => ContainerRefusal::damage(why),
        None => ContainerRefusal::format(piece()?),
    };
    Some(Container::Refused(refused))
}

/// The last bytes.
fn end_of(bytes: &dyn Bytes) -> Option<Vec<u8>> {
    let mut end = vec![0; END.min(usize::try_from(bytes.size()).unwrap_or(END))];
    bytes.read_exact_at(bytes.size() - end.len() as u64, &mut end).ok()?;
    Some(end)
}

/// Which logical image these bytes are, or are a segment of.
pub fn logical(start: &[u8], end: &[u8], bytes: &Arc<dyn Bytes>) -> Option<Logical> {
    Logical::of(start, end, bytes)
}

/// Which disk image these bytes are.
fn disk_kind(start: &[u8], bytes: &dyn Bytes) -> Option<Kind> {
    let end = end_of(bytes)?;
    // A later segment or extent is not an image of its own.
    Kind::recognize(start, &end).filter(|kind| !kind.is_later(start))
}

/// The contents of a medium; `None` if it has neither a table nor a known file system.
///
/// # Errors
/// When a table or a file system is there, and cannot be read.
pub fn medium(bytes: &Arc<dyn Bytes>) -> Result<Option<Container>, pfh_volume::Failure> {
    // A table on a member of an array is the array's.
    if is_whole_member(bytes) {
        return Ok(Some(Container::Divided(PartitionTable::whole(bytes.size()))));
    }
    let table = partitions(bytes)?;
    // A medium that is one piece of a larger whole counts as divided, without partitions.
    if table.scheme != Scheme::None || is_piece(bytes) {
        return Ok(Some(Container::Divided(table)));
    }
    Ok(match file_system(bytes.clone())? {
        VolumeContent::Unknown => None,
        found => Some(Container::Volume(found)),
    })
}

/// Whether a member may be a container, by its first bytes, size and name: only then it is unpacked
/// to look closer.
pub fn may_be(start: &[u8], size: Option<u64>, name: &[u8], documents: bool) -> bool {
    if documents && pdf_header(start).is_some() {
        return true;
    }
    let is_outlook = start.starts_with(COMPOUND) || start.starts_with(b"{\\rt");
    if is_outlook
        || is_message_named(start, name)
        || Format::recognize(start).is_some()
        || Kind::recognize(start, &[]).is_some()
        || FileHeader::is_ewf(start)
    {
        return true;
    }
    let says = signature::any_in(start).or_else(|| signature::damaged(start));
    let named = named::by_name(name).or_else(|| named::by_document(name, start));
    if says.is_some() || named.is_some() || named::piece(name).is_some() {
        return true;
    }
    // An archive may stand behind a program or a picture.
    let behind = |end: u64| size.is_none_or(|size| size > end.saturating_add(32));
    let is_in_front = match sfx::end_of_program(start) {
        Some(end) => behind(end),
        None => sfx::may_be_in_front(start),
    };
    if is_in_front || archive::may_have_body(start) || size.is_some_and(|size| may_be_small(start, size)) {
        return true;
    }
    // A compressed stream does not say its size.
    let disk = size.is_none_or(|size| size >= DISK);
    let boot = start.get(510..512) == Some(&[0x55, 0xAA]);
    let ext = start.get(1080..1082) == Some(&[0x53, 0xEF]);
    let apfs = start.get(32..36) == Some(b"NXSB");
    let xfs = start.starts_with(b"XFSB");
    let hfs = matches!(start.get(1024..1026), Some(b"H+" | b"HX" | b"BD"));
    let is_named = |endings: &[&[u8]]| {
        endings.iter().any(|ending| {
            let at = name.len().saturating_sub(ending.len());
            name[at..].eq_ignore_ascii_case(ending)
        })
    };
    // Their signatures are at the end.
    if is_named(&[b".dmg", b".vhd"]) && size.is_none_or(|size| size > END as u64) {
        return true;
    }
    disk && (boot || ext || apfs || hfs || xfs || is_named(&[b".iso", b".img", b".dd", b".raw"]))
}

/// Whether a file is large enough to be a container.
pub fn may_be_opened(node: &Node) -> bool {
    node.size.is_none_or(|size| size > 20)
}

/// A zip behind something else, that ends without a comment or with a short one.
fn ends_as_zip(bytes: &dyn Bytes) -> Option<Format> {
    let end = end_of(bytes)?;
    let is_end = |at: usize| {
        let record = &end[at..];
        record.starts_with(b"PK\x05\x06")
            && usize::from(record[20]) + 256 * usize::from(record[21]) + 22 == record.len()
    };
    (0..end.len().saturating_sub(21)).any(is_end).then_some(Format::Zip)
}

/// The error of a container that cannot be opened.
pub fn unreadable(error: &io::Error) -> Problem {
    Problem::io(pfh_source::Stage::Open, error)
}
