//! Files that are embedded in a document of OLE ([MS-CFB]): packages and contents of objects.

use super::super::holders::native::package;
use super::super::mail::Names;
use super::super::member::node;
use super::directory::{Directory, Entry};
use super::file::File;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Failure, Kind, Node, Nodes};
use pfh_bytes::stored::{StoredBytes, gather};
use std::sync::Arc;

/// Bytes of a package in which its header must end.
const HEADER: u64 = 8192;
/// Names of streams that hold a file.
const STREAMS: [&str; 4] = ["\u{1}Ole10Native", "Package", "CONTENTS", "EmbeddedOdf"];

/// The first bytes of archives, as installers have them in streams of any name.
const ARCHIVES: [&[u8]; 5] = [b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"MSCF\0\0\0\0", b"\x1f\x8b\x08"];

/// Whether a compound file holds such streams.
pub fn is_one(bytes: &Arc<dyn Bytes>) -> bool {
    let read = || -> Result<bool, Failure> {
        let file = File::open(bytes.clone())?;
        Ok(!streams(&file, &Directory::read(&file)?).is_empty())
    };
    read().unwrap_or(false)
}

/// The streams that hold files, by their names and first bytes; the document's own are not among
/// them.
fn streams(file: &File, directory: &Directory) -> Vec<Entry> {
    let own: Vec<u32> = directory.children(0).iter().map(|entry| entry.number).collect();
    let is_archive = |entry: &Entry| {
        let first = file.layout(entry.start, entry.size).and_then(|layout| gather(&*file.bytes, &layout, 0, 8));
        first.is_ok_and(|first| ARCHIVES.iter().any(|magic| first.starts_with(magic)))
    };
    let is_file = |entry: &&Entry| {
        let is_own = own.contains(&entry.number) && entry.name == "CONTENTS";
        let is_named = STREAMS.contains(&entry.name.as_str()) && entry.size > 0 && !is_own;
        is_named || entry.size > 32 && entry.number > 0 && is_archive(entry)
    };
    directory.entries().iter().filter(is_file).cloned().collect()
}

/// The files.
///
/// # Errors
/// If the document contradicts itself.
pub fn open(bytes: Arc<dyn Bytes>) -> Result<Nodes, Failure> {
    let file = Arc::new(File::open(bytes)?);
    let mut names = Names::default();
    let found: Vec<_> = streams(&file, &Directory::read(&file)?)
        .iter()
        .enumerate()
        .map(|(index, entry)| member(&file, entry, index as u64 + 1, &mut names))
        .collect();
    Ok(Box::new(found.into_iter()))
}

fn member(file: &Arc<File>, entry: &Entry, number: u64, names: &mut Names) -> Result<Node, Failure> {
    let (mut name, mut from, mut size) = (None, 0, entry.size);
    if entry.name.starts_with('\u{1}') {
        let layout = file.layout(entry.start, entry.size)?;
        let start = gather(&*file.bytes, &layout, 0, entry.size.min(HEADER) as usize)?;
        // The size of the rest stands in front.
        (from, size) = (4, entry.size.saturating_sub(4));
        let packed = package(start.get(4..).unwrap_or_default());
        if let Some(packed) = packed.filter(|packed| packed.start + packed.length <= size) {
            (name, from, size) = (Some(packed.name), 4 + packed.start, packed.length);
        }
    }
    let path = names.give(name.as_deref(), "object", number, "");
    let (of, first, whole) = (file.clone(), entry.start, entry.size);
    let locate = Box::new(move || of.layout(first, whole));
    let content = StoredBytes { bytes: file.bytes.clone(), path: path.clone(), from, size, locate };
    Ok(Node { size: Some(size), content: Some(Arc::new(content)), ..node(path, Kind::File) })
}
