//! Outlook's messages (.msg, MS-OXMSG) in a compound file (MS-CFB): attachments and bodies.

mod directory;
mod file;
mod objects;

use super::limits::Limits;
use super::mail::Names;
use super::member::{failure, node};
use directory::{Directory, Entry};
use file::File;
pub use objects::{is_one as has_objects, open as open_objects};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{le32, read_some};
use pfh_bytes::node::{Failure, Kind, Node, Nodes};
use pfh_bytes::stored::StoredBytes;
use std::collections::HashSet;
use std::io::Read;
use std::sync::Arc;

/// The first bytes of a compound file.
pub const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// The longest path of messages within messages.
const LONGEST: usize = 4096;
/// The longest name of an attachment, in bytes of its stream.
const NAME: u64 = 4096;

/// Whether a compound file is a message: its directory begins with the streams of one.
pub fn is_message(start: &[u8], bytes: &dyn Bytes) -> bool {
    if !start.starts_with(MAGIC) || start.len() < 512 {
        return false;
    }
    let (shift, first) = (start[30], u64::from(le32(start, 48)));
    if !matches!(shift, 9 | 12) {
        return false;
    }
    let entries = read_some(bytes, (first + 1) << shift, 16 << 10).unwrap_or_default();
    let names = ["__properties_version1.0", "__nameid_version1.0"]
        .map(|name| name.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    entries.chunks_exact(128).any(|entry| names.iter().any(|name| entry.starts_with(name)))
}

/// The attachments and bodies of a message.
///
/// # Errors
/// If the file contradicts itself.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Result<Nodes, Failure> {
    let file = Arc::new(File::open(bytes)?);
    let directory = Directory::read(&file)?;
    let mut found = Vec::new();
    let mut left: HashSet<u32> = (0..directory.len()).collect();
    message(&file, &directory, 0, b"", &mut left, &mut found);
    found.truncate(usize::try_from(limits.entries).unwrap_or(usize::MAX));
    Ok(Box::new(found.into_iter()))
}

/// Properties by their numbers, and the ending of the name that a stream of them gets.
const BODIES: [(&str, &str); 4] =
    [("1000001F", "body.txt"), ("1000001E", "body.txt"), ("10130102", "body.html"), ("10090102", "body.rtf.lzfu")];

/// The members of the message in a storage.
fn message(
    file: &Arc<File>,
    directory: &Directory,
    storage: u32,
    prefix: &[u8],
    left: &mut HashSet<u32>,
    found: &mut Vec<Result<Node, Failure>>,
) {
    // Each storage comes once, also of a tree that leads to itself.
    if !left.remove(&storage) || prefix.len() > LONGEST {
        return found.push(Err(failure(prefix, "a message that was listed, or in too many others: not listed")));
    }
    let (mut names, mut number) = (Names::default(), 0);
    for entry in directory.children(storage) {
        let body = BODIES.iter().find(|(property, _)| entry.is_property(property));
        if let Some((_, name)) = body.filter(|_| entry.size > 0) {
            number += 1;
            let name = names.give(Some(name.as_bytes()), "body", number, "");
            found.push(stream(file, entry, [prefix, &name].concat()));
        }
    }
    for (index, attachment) in directory.children(storage).iter().filter(|entry| entry.is_attachment()).enumerate() {
        let streams = directory.children(attachment.number);
        let of = |property: &str| streams.iter().find(|entry| entry.is_property(property));
        let stated = ["3707001F", "3707001E", "3704001F", "3704001E", "3001001F", "3001001E"];
        let stated = stated.iter().find_map(|property| Some(text(file, of(property)?)).filter(|text| !text.is_empty()));
        let name = names.give(stated.as_deref(), "attachment", index as u64 + 1, "");
        let path = [prefix, &name].concat();
        match (of("37010102"), of("3701000D")) {
            (Some(content), _) => found.push(stream(file, content, path)),
            (None, Some(inner)) => {
                message(file, directory, inner.number, &[&path[..], b"/"].concat(), left, found);
            }
            // By reference: the file is not in the message.
            (None, None) => found.push(Err(failure(&path, "an attachment without content in the message"))),
        }
    }
}

/// The bytes of a short text: UTF-16 becomes UTF-8.
fn text(file: &Arc<File>, entry: &Entry) -> Vec<u8> {
    let mut raw = Vec::new();
    let opened = stream(file, entry, Vec::new()).ok().and_then(|node| node.content);
    let Some(reader) = opened.and_then(|content| content.open().ok()) else { return raw };
    if reader.take(NAME).read_to_end(&mut raw).is_err() {
        return Vec::new();
    }
    if entry.name.ends_with("001F") {
        let units: Vec<u16> = raw.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
        raw = pfh_bytes::text::utf16(&units);
    }
    let end = raw.iter().position(|byte| *byte == 0).unwrap_or(raw.len());
    raw.truncate(end);
    raw
}

/// A stream as a member.
fn stream(file: &Arc<File>, entry: &Entry, path: Vec<u8>) -> Result<Node, Failure> {
    let (file, start, size) = (file.clone(), entry.start, entry.size);
    let bytes = file.bytes.clone();
    let locate = Box::new(move || file.layout(start, size));
    let content = StoredBytes { bytes, path: path.clone(), from: 0, size, locate };
    Ok(Node { size: Some(size), content: Some(Arc::new(content)), ..node(path, Kind::File) })
}
