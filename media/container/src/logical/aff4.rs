//! AFF4-L: files in a volume of AFF4, as members of the zip, streams or maps. After B. Schatz,
//! "AFF4-L: A scalable open logical evidence container" (2019).

use super::entry::{Entries, Entry, Stamps, UnlistedEntry};
use crate::disk::aff4::map::Map;
use crate::disk::aff4::set::{Set, Volume};
use crate::disk::aff4::statements::Statements;
use crate::disk::aff4::stream::Stream;
use crate::disk::aff4::zip::Member;
use crate::disk::{Alone, Failure};
use crate::{Bytes, Time};
use std::io;
use std::sync::Arc;

/// Whether a file is a volume that holds files, and no disk.
pub fn holds_files(file: Arc<dyn Bytes>) -> bool {
    let found = Volume::open(file);
    found.is_ok_and(|volume| volume.statements.disk().is_err() && !volume.statements.all("FileImage").is_empty())
}

/// Opens a volume.
pub fn open(file: Arc<dyn Bytes>) -> Result<Entries, Failure> {
    let volume = Arc::new(Volume::open(file)?);
    let description = format!("{}/information.turtle", volume.zip.volume);
    if let Some(member) = volume.zip.member(&description) {
        volume.zip.sound(&member)?;
    }
    let statements = &volume.statements;
    let mut names: Vec<String> =
        ["FileImage", "FolderImage", "Folder"].into_iter().flat_map(|kind| statements.all(kind)).cloned().collect();
    names.sort();
    names.dedup();
    Ok(Box::new(names.into_iter().map(move |name| entry(&volume, &name))))
}

fn time(statements: &Statements, name: &str, predicate: &str) -> Option<i128> {
    let time = Time::parse(&statements.one(name, predicate)?)?;
    Some(i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds))
}

/// The names of a path as it was acquired, or of the image's own name of the file.
fn path(volume: &Volume, name: &str) -> Vec<Vec<u8>> {
    let stated = volume.statements.one(name, "originalFileName");
    let own = || name.strip_prefix(&volume.zip.volume).unwrap_or(name).to_owned();
    let text = stated.filter(|text| !text.is_empty()).unwrap_or_else(own);
    // In a path with a Windows drive both kinds of slash separate names.
    let is_windows = text.as_bytes().get(1) == Some(&b':') || text.starts_with("\\\\");
    let parts = text.split(|letter| letter == '/' || is_windows && letter == '\\');
    parts.filter(|part| !part.is_empty() && *part != ".").map(|part| part.as_bytes().to_vec()).collect()
}

fn entry(volume: &Arc<Volume>, name: &str) -> Result<Entry, UnlistedEntry> {
    let statements = &volume.statements;
    let path = path(volume, name);
    let is_directory = !statements.is_a(name, "FileImage");
    let digests = match statements.digests(name) {
        Ok(digests) => digests,
        Err(failure) => return Err((path, failure)),
    };
    let time = |predicate| time(statements, name, predicate);
    Ok(Entry {
        is_directory,
        id: None,
        stamps: Stamps {
            modified: time("lastWritten"),
            accessed: time("lastAccessed"),
            changed: time("recordChanged"),
            born: time("birthTime"),
            deleted: None,
        },
        digests,
        content: (!is_directory).then(|| content(volume, name)),
        path,
    })
}

/// Where the bytes of a file come from.
enum Content {
    Member(Arc<Volume>, Member),
    Stream(Stream),
    Map(Map),
}

/// The content of a file.
struct File {
    content: Content,
    size: u64,
}

fn content(volume: &Arc<Volume>, name: &str) -> Result<Arc<dyn Bytes>, Failure> {
    let statements = &volume.statements;
    let set = Set::new(volume.clone(), &Alone);
    let data = statements.one(name, "dataStream").unwrap_or_else(|| name.to_owned());
    let (content, length) = if statements.is_a(&data, "Map") {
        let map = Map::open(&set, &data)?;
        let length = map.size();
        (Content::Map(map), length)
    } else if statements.is_a(&data, "ImageStream") {
        let stream = Stream::open(&set, &data)?;
        let length = stream.size();
        (Content::Stream(stream), length)
    } else if let Some(member) = volume.zip.member(&data) {
        (Content::Member(volume.clone(), member), member.size)
    } else if statements.number(name, "size") == Some(0) {
        return Ok(Arc::new(Vec::new()));
    } else if ["EncryptedStream", "RandomStream"].iter().any(|kind| statements.is_a(&data, kind)) {
        return Err(Failure::refused("its content is encrypted"));
    } else {
        return Err(Failure::malformed(format!("its content, {data}, is not in this volume")));
    };
    match statements.number(name, "size") {
        Some(size) if size != length => {
            Err(Failure::malformed(format!("{size} bytes are stated, and {length} stored")))
        }
        _ => Ok(Arc::new(File { content, size: length })),
    }
}

impl Bytes for File {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 {
            return Ok(0);
        }
        let buffer = &mut buffer[..room];
        Ok(match &self.content {
            Content::Member(volume, member) => {
                volume.zip.sound(member)?;
                volume.zip.read_at(member, offset, buffer)?;
                room
            }
            Content::Stream(stream) => stream.serve(offset, buffer)?,
            Content::Map(map) => map.read(offset, buffer)?,
        })
    }
}
