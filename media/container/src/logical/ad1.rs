//! AD1, versions 3 and 4: segments with a head of 512 bytes each, and behind these one space of
//! addresses with items that lead to each other. After P. C. Bjelland, "AccessData Format (AD1)".

use super::entry::{Entries, Entry, Stamps, UnlistedEntry, is_too_long, within};
use crate::disk::paged::PagedFile;
use crate::disk::unpack::{Method, unpack};
use crate::disk::{Failure, within_unit};
use crate::field::{le32, le64};
use crate::units::Units;
use crate::{Bytes, Time};
use pfh_digest::Digest;
use std::collections::HashSet;
use std::io;
use std::sync::Arc;

/// The first bytes of a segment.
pub const MAGIC: &[u8] = b"ADSEGMENTEDFILE\0";
/// Bytes of a segment's head.
const MARGIN: u64 = 512;
/// Bytes of an item in front of its name.
const ITEM: usize = 48;
/// The longest name.
const NAME: u32 = 1 << 15;
/// The longest chunk.
const LONGEST: u64 = 16 << 20;
/// Directories in one another, at most.
const DEEPEST: usize = 1024;
/// Items of an image, at most: their addresses are held so that a circle is seen.
const MOST: usize = 1 << 24;
/// Facts about one item, at most.
const FACTS: usize = 4096;
/// The longest fact that is looked at; others are only passed by.
const FACT: u32 = 4096;
/// The type of an item that is a directory.
const DIRECTORY: u32 = 5;

/// The content of the segments behind their heads, as one.
struct JoinedSegments {
    segments: Vec<Arc<dyn Bytes>>,
    /// Where each begins, and where the last one ends.
    starts: Vec<u64>,
}

impl Bytes for JoinedSegments {
    fn size(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let at = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let (Some(segment), Some(end)) = (self.segments.get(at), self.starts.get(at + 1)) else { return Ok(0) };
        let room = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        segment.read_at(MARGIN + (offset - self.starts[at]), &mut buffer[..room])
    }
}

/// An image, open.
struct Image {
    bytes: Arc<dyn Bytes>,
    pages: PagedFile,
    chunk: u64,
}

/// Opens an image.
pub fn open(segments: Vec<Arc<dyn Bytes>>) -> Result<Entries, Failure> {
    let mut starts = vec![0_u64];
    for (at, segment) in segments.iter().enumerate() {
        let length = head(at, segments.len(), &**segment).map_err(|failure| within(at + 1, failure))?;
        starts.push(starts[at].saturating_add(length));
    }
    let bytes: Arc<dyn Bytes> = Arc::new(JoinedSegments { segments, starts });
    let pages = PagedFile::new(bytes.clone());
    let start: [u8; 48] = pages.array(0)?;
    if !start.starts_with(b"ADLOGICALIMAGE\0") {
        return Err(Failure::at(MARGIN, "no header of a logical image"));
    }
    let (version, chunk, first) = (le32(&start, 16), u64::from(le32(&start, 24)), le64(&start, 36));
    if !matches!(version, 3 | 4) {
        return Err(Failure::refused(format!("version {version} of the format")));
    }
    if !(1..=LONGEST).contains(&chunk) {
        return Err(Failure::at(MARGIN + 24, format!("chunks of {chunk} bytes")));
    }
    let image = Arc::new(Image { bytes, pages, chunk });
    let pending = if first == 0 { Vec::new() } else { vec![(first, Arc::from([]))] };
    Ok(Box::new(Listing { image, pending, seen: HashSet::new() }))
}

/// The head of a segment: how many bytes follow it.
fn head(at: usize, count: usize, file: &dyn Bytes) -> Result<u64, Failure> {
    let mut bytes = [0; 44];
    file.read_exact_at(0, &mut bytes)?;
    let (number, stated) = (le32(&bytes, 24), le32(&bytes, 28));
    if !bytes.starts_with(MAGIC) || u64::from(le32(&bytes, 40)) != MARGIN {
        return Err(Failure::at(0, "no header of an AD1 segment"));
    }
    if number as usize != at + 1 {
        return Err(Failure::at(24, format!("it is segment {number} of its image")));
    }
    if stated as usize > count {
        return Err(Failure::refused(format!("{stated} segments are stated, and segment {} is missing", count + 1)));
    }
    if (stated as usize) < count {
        return Err(Failure::at(28, format!("{stated} segments are stated, and {count} are there")));
    }
    file.size().checked_sub(MARGIN).ok_or_else(|| Failure::malformed("the segment ends within its header"))
}

/// The names above an item.
type Above = Arc<[Vec<u8>]>;

/// The items as they come: each, its children, then its siblings.
struct Listing {
    image: Arc<Image>,
    /// Addresses that come, the next one last.
    pending: Vec<(u64, Above)>,
    seen: HashSet<u64>,
}

/// The facts that an image states of an item.
#[derive(Default)]
struct Facts {
    stamps: Stamps,
    digests: Vec<Digest>,
    size: Option<u64>,
}

/// `20180502T074659.164650`, in UTC.
fn time(text: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(text).ok()?.trim_matches(['\0', ' ']);
    let (date, clock) = text.split_once('T').filter(|(date, clock)| date.len() == 8 && clock.len() >= 6)?;
    let (date, clock) = (date.is_ascii().then_some(date)?, clock.is_ascii().then_some(clock)?);
    let fraction = clock[6..].strip_prefix('.').filter(|digits| !digits.is_empty());
    let text = format!(
        "{}-{}-{}T{}:{}:{}{}Z",
        &date[..4],
        &date[4..6],
        &date[6..],
        &clock[..2],
        &clock[2..4],
        &clock[4..6],
        fraction.map(|digits| format!(".{digits}")).unwrap_or_default()
    );
    let time = Time::parse(&text)?;
    Some(i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds))
}

impl Image {
    /// The facts from this address on.
    fn facts(&self, mut address: u64) -> Result<Facts, Failure> {
        let mut facts = Facts::default();
        for _ in 0..FACTS {
            if address == 0 {
                return Ok(facts);
            }
            let wrong = |what: &str| Failure::at(address, what);
            let head: [u8; 20] = self.pages.array(address)?;
            let (category, key, length) = (le32(&head, 8), le32(&head, 12), le32(&head, 16));
            let next = le64(&head, 0);
            if matches!((category, key), (1, 0x5001 | 0x5002) | (3, 3) | (5, 7..=9)) {
                if length > FACT {
                    return Err(wrong("a fact that is longer than it can be"));
                }
                let mut value = vec![0; length as usize];
                self.pages.read(address + 20, &mut value)?;
                let text = String::from_utf8_lossy(&value);
                let text = text.trim_matches(['\0', ' ']);
                match (category, key) {
                    (1, key) => {
                        let name = if key == 0x5001 { "md5" } else { "sha1" };
                        let digest = name.parse().ok().and_then(|algorithm| Digest::parse(algorithm, text).ok());
                        facts.digests.push(digest.ok_or_else(|| wrong("a digest that is malformed"))?);
                    }
                    (3, _) => facts.size = Some(text.parse().map_err(|_| wrong("a size that is not a number"))?),
                    (_, 7) => facts.stamps.accessed = time(&value),
                    (_, 8) => facts.stamps.born = time(&value),
                    _ => facts.stamps.modified = time(&value),
                }
            }
            address = next;
        }
        Err(Failure::malformed("more facts about one item than are read"))
    }

    fn content(self: &Arc<Self>, table: u64, size: u64, facts: &Facts) -> Result<Arc<dyn Bytes>, Failure> {
        if let Some(stated) = facts.size.filter(|stated| *stated != size) {
            return Err(Failure::malformed(format!("{size} bytes are stored, and {stated} stated")));
        }
        if size == 0 {
            return Ok(Arc::new(Vec::new()));
        }
        if table == 0 {
            return Err(Failure::malformed(format!("{size} bytes are stated, and none stored")));
        }
        let count = le64(&self.pages.array::<8>(table)?, 0);
        if count != size.div_ceil(self.chunk) {
            let chunk = self.chunk;
            return Err(Failure::at(table, format!("{count} chunks of {chunk} bytes for a file of {size}")));
        }
        Ok(Arc::new(File { image: self.clone(), table, size, chunks: Units::default() }))
    }
}

/// The content of an item.
struct File {
    image: Arc<Image>,
    /// Where the table of its chunks is.
    table: u64,
    size: u64,
    chunks: Units,
}

impl File {
    fn unpack(&self, number: u64) -> Result<Vec<u8>, Failure> {
        let place = self.table.saturating_add(8).saturating_add(number.saturating_mul(8));
        let entry: [u8; 16] = self.image.pages.array(place)?;
        let (start, end) = (le64(&entry, 0), le64(&entry, 8));
        let chunk = self.image.chunk;
        let stored = end.checked_sub(start).filter(|stored| *stored <= chunk + chunk / 8 + 128);
        let stored = stored.ok_or_else(|| Failure::at(place, format!("chunk {number} from {start} to {end}")))?;
        let mut packed = vec![0; stored as usize];
        self.image.bytes.read_exact_at(start, &mut packed)?;
        let length = (self.size - number * chunk).min(chunk);
        let wrong = |failure: Failure| Failure::at(start, format!("chunk {number}: {failure}"));
        unpack(Method::Zlib, &packed, length).map_err(wrong)
    }
}

impl Bytes for File {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((number, inside, take)) = within_unit(self.size, self.image.chunk, offset, buffer.len()) else {
            return Ok(0);
        };
        let chunk = self.chunks.get(number, || self.unpack(number))?;
        buffer[..take].copy_from_slice(&chunk[inside as usize..][..take]);
        Ok(take)
    }
}

impl Listing {
    fn step(&mut self, address: u64, above: &Above) -> Result<Entry, Failure> {
        let wrong = |what: &str| Failure::at(address, what);
        if !self.seen.insert(address) {
            return Err(wrong("an item that two others lead to"));
        }
        if self.seen.len() > MOST {
            self.pending.clear();
            return Err(wrong("more items than are read: nothing behind this one is"));
        }
        let head: [u8; ITEM] = self.image.pages.array(address)?;
        let [next, child, facts, table, size] = [0, 8, 16, 24, 32].map(|at| le64(&head, at));
        let (kind, length) = (le32(&head, 40), le32(&head, 44));
        if length > NAME {
            return Err(wrong("a name of more than 32 KiB"));
        }
        let mut name = vec![0; length as usize];
        self.image.pages.read(address + ITEM as u64, &mut name)?;
        if next != 0 {
            self.pending.push((next, above.clone()));
        }
        let path: Vec<Vec<u8>> = above.iter().cloned().chain([name]).collect();
        if child != 0 {
            if path.len() > DEEPEST {
                return Err(wrong("more directories in one another than are read"));
            }
            if is_too_long(&path) {
                return Err(wrong("a path of more than 64 KiB: nothing below it is read"));
            }
            self.pending.push((child, path.clone().into()));
        }
        let is_directory = kind == DIRECTORY;
        let facts = self.image.facts(facts);
        let content = match (&facts, is_directory) {
            (_, true) if size == 0 => None,
            (Ok(facts), _) => Some(self.image.content(table, size, facts)),
            (Err(failure), _) => Some(Err(Failure::malformed(failure.to_string()))),
        };
        let facts = facts.unwrap_or_default();
        Ok(Entry {
            path,
            is_directory: is_directory && content.is_none(),
            id: Some(address),
            stamps: facts.stamps,
            digests: facts.digests,
            content,
        })
    }
}

impl Iterator for Listing {
    type Item = Result<Entry, UnlistedEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        let (address, above) = self.pending.pop()?;
        Some(self.step(address, &above).map_err(|failure| (above.to_vec(), failure)))
    }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times() {
        assert_eq!(time(b"20180502T074659.164650"), Some(1_525_247_219_164_650_000));
        assert_eq!(time(b"20180502T074659"), Some(1_525_247_219_000_000_000));
        assert_eq!((time(b""), time(b"2018T0746"), time("2018050\u{e9}T074659".as_bytes())), (None, None, None));
    }
}
