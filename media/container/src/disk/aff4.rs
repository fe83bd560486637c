//! AFF4, after the "AFF4 Standard 1.0": a zip archive with statements in Turtle, streams of
//! compressed chunks, and a map that lays them out.

mod check;
pub(crate) mod map;
pub(crate) mod set;
pub(crate) mod statements;
pub(crate) mod stream;
pub(crate) mod turtle;
pub(crate) mod zip;

use super::{Check, Disk, Failure, Kind, Siblings};
use crate::Bytes;
use map::Map;
use pfh_digest::Digest;
use set::{Set, Volume};
use std::io;
use std::sync::Arc;
use stream::Stream;

/// The content of the disk.
enum Content {
    Map(Map),
    Stream(Stream),
}

/// An AFF4 image, open.
struct Aff4 {
    volume: Arc<Volume>,
    content: Content,
    size: u64,
    sector: u32,
    digests: Vec<Digest>,
    notes: Vec<String>,
    /// Faults of the members that state where the bytes are: none is served then.
    damage: Option<String>,
}

/// Opens the one disk of an AFF4 volume. Streams may be in other volumes, `files` beside it.
pub fn open(file: Arc<dyn Bytes>, files: &dyn Siblings) -> Result<Box<dyn Disk>, Failure> {
    let own = Arc::new(Volume::open(file)?);
    let set = Set::new(own.clone(), files);
    let (zip, statements) = (&own.zip, &own.statements);
    let image = statements.disk()?;
    let content = statements.one(&image, "dataStream").unwrap_or(image.clone());
    let name = content.clone();
    let (content, mut notes) = if statements.is_a(&content, "Map") {
        let map = Map::open(&set, &content)?;
        let notes = map.notes();
        (Content::Map(map), notes)
    } else if statements.is_a(&content, "ImageStream") {
        (Content::Stream(Stream::open(&set, &content)?), Vec::new())
    } else {
        return Err(Failure::refused(format!("its content, {content}, is neither a map nor a stream of this volume")));
    };
    let length = match &content {
        Content::Map(map) => map.size(),
        Content::Stream(stream) => stream.size(),
    };
    let size = statements.number(&image, "size").unwrap_or(length);
    if size > length {
        return Err(Failure::malformed(format!("a disk of {size} bytes whose content has {length}")));
    }
    let sector = statements.number(&image, "blockSize").and_then(|size| u32::try_from(size).ok());
    let sector = sector.filter(|size| size.is_power_of_two() && (512..=4096).contains(size)).unwrap_or(512);
    if let Some(state) = statements.one(&image, "acquisitionCompletionState")
        && state != "Completed Normally"
    {
        notes.push(format!("the acquisition ended with {state:?}"));
    }
    let digests = statements.digests(&image)?;
    let volume = zip.volume.clone();
    let parts = [format!("{name}/map"), format!("{name}/idx"), format!("{volume}/information.turtle")];
    let wrong = |part: &String| zip.sound(&zip.member(part)?).err().map(|failure| format!("{part}: {failure}"));
    let damage = parts.iter().find_map(wrong);
    Ok(Box::new(Aff4 { volume: own.clone(), content, size, sector, digests, notes, damage }))
}

impl Bytes for Aff4 {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 {
            return Ok(0);
        }
        if let Some(damage) = &self.damage {
            return Err(Failure::malformed(damage.clone()).into());
        }
        Ok(match &self.content {
            Content::Map(map) => map.read(offset, &mut buffer[..room])?,
            Content::Stream(stream) => stream.serve(offset, &mut buffer[..room])?,
        })
    }
}

impl Disk for Aff4 {
    fn kind(&self) -> Kind {
        Kind::Aff4
    }

    fn sector(&self) -> u32 {
        self.sector
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn digests(&self) -> Vec<Digest> {
        self.digests.clone()
    }

    fn check(&self, go_on: &mut dyn FnMut() -> bool) -> Vec<Check> {
        let streams: Vec<&Stream> = match &self.content {
            Content::Map(map) => map.streams().collect(),
            Content::Stream(stream) => vec![stream],
        };
        let map = match &self.content {
            Content::Map(map) => Some(map.name()),
            Content::Stream(_) => None,
        };
        check::all(&self.volume.zip, &self.volume.statements, map, &streams, go_on)
    }
}
