//! A container as a tree: the start of the names in it.

use super::detect::{self, Container};
use super::layouts;
use super::medium::{File, ImageMedium as ImagedBytes};
use super::name;
use super::pieces::{self, ImageChoice};
use pfh_archive::{self as archive, Format, Limits};
use pfh_container::disk;
use pfh_source::os::file_kinds::FileTypeExt;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Descend, Item, Operands, Source};
use pfh_volume::{Bytes, Partition, Usage, VolumeContent};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

/// A container that stands for the tree in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerTree {
    /// The container as the file system has it, or the media that it is made of.
    pub paths: Vec<Vec<u8>>,
    /// The start of the printed names of the tree; with a closing slash.
    pub prefix: Vec<u8>,
}

impl ContainerTree {
    /// The tree of the image or archive that a name names; a directory inside may be named
    /// (`case.E01!/p2/Users`). The tree of a medium with one file system is that file system.
    /// `None` if it is not a container of several files.
    pub fn of(named: &[u8]) -> Option<ContainerTree> {
        let is_there = |path: &[u8]| Path::new(OsStr::from_bytes(path)).exists();
        if !is_there(named) {
            let end = if named.ends_with(b"/") { &b""[..] } else { b"/" };
            let (container, prefix) = match name::container(named) {
                Some(container) => (container, [named, end].concat()),
                // Several media.
                None => (named.to_vec(), name::prefix(&name::escape(named))),
            };
            let paths = name::media(&container, is_there);
            return (!paths.is_empty()).then_some(ContainerTree { paths, prefix });
        }
        // Opening a pipe takes from its reader.
        let kind = std::fs::metadata(OsStr::from_bytes(named)).ok()?.file_type();
        if !kind.is_file() && !kind.is_block_device() {
            return None;
        }
        if layouts::is_index(Path::new(OsStr::from_bytes(named))) {
            return Some(ContainerTree { paths: vec![named.to_vec()], prefix: name::prefix(&name::escape(named)) });
        }
        let mut operand = Operands::new(vec![named.to_vec()], Descend::default());
        let Some(Item::Entry(entry)) = operand.pull() else { return None };
        let bytes: Arc<dyn Bytes> = Arc::new(File(Arc::new(entry.still().ok()??)));
        let mut start = vec![0; usize::try_from(bytes.size()).unwrap_or(usize::MAX).min(disk::START)];
        let mut end = vec![0; start.len().min(disk::END)];
        bytes.read_exact_at(0, &mut start).ok()?;
        bytes.read_exact_at(bytes.size() - end.len() as u64, &mut end).ok()?;
        if detect::logical(&start, &end, &bytes).is_some() {
            return Some(ContainerTree { paths: vec![named.to_vec()], prefix: name::prefix(&name::escape(named)) });
        }
        let found = match pieces::image(named, &start, &end) {
            ImageChoice::Unread(_) | ImageChoice::Later(_) => return None,
            ImageChoice::Yes(image) => detect::medium(&(Arc::new(ImagedBytes(*image)) as Arc<dyn Bytes>)),
            ImageChoice::No => detect::container(&start, &bytes, named),
        };
        let printed = name::escape(named);
        let mut prefix = name::prefix(&printed);
        match found.ok()?? {
            Container::Archive(
                Format::Zip
                | Format::Tar
                | Format::SevenZip
                | Format::Cpio
                | Format::Ar
                | Format::Rpm
                | Format::Cab
                | Format::Rar
                | Format::Wim
                | Format::Lha
                | Format::Logical(_)
                | Format::Mbox
                | Format::Pst,
            ) => {}
            Container::Archive(stream) => {
                // A list may be packed as well: only a tar is a tree.
                let mut nodes = archive::open(stream, bytes, &printed, &Limits::default()).ok()?;
                let first = nodes.find_map(Result::ok)?;
                if !first.content.is_none_or(|content| content.is_shared()) {
                    return None;
                }
            }
            Container::Parts(..) | Container::Layout(_) | Container::Volume(_) => {}
            // One that an image does not begin with: a later extent.
            Container::Disk(..) | Container::Refused(_) => return None,
            Container::Divided(table) => {
                let is_one = |part: &&Partition| part.usage == Usage::Partition && part.number.is_some();
                let parts = table.partitions.iter().filter(is_one);
                let holds = |volume| {
                    matches!(
                        pfh_volume::file_system(volume),
                        Ok(VolumeContent::FileSystem(_) | VolumeContent::Volumes(_))
                    )
                };
                let medium = match pieces::image(named, &start, &end) {
                    ImageChoice::Yes(image) => Arc::new(ImagedBytes(*image)) as Arc<dyn Bytes>,
                    _ => bytes,
                };
                let mut with = parts.filter(|part| part.open(&medium).is_ok_and(holds));
                if let (Some(only), None) = (with.next(), with.next()) {
                    prefix.extend_from_slice(format!("p{}/", only.number.unwrap_or_default()).as_bytes());
                }
            }
        }
        Some(ContainerTree { paths: vec![named.to_vec()], prefix })
    }
}
