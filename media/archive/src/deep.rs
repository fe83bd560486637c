//! Archives deep in files of other kinds: behind the first 64 KiB, and streams whose first bytes
//! alone say little. Each is tried before it counts: its names are listed, or its content is
//! decoded, up to the end of the file.

use super::decoder::{self, Packing};
use super::format::Format;
use super::limits::Limits;
use super::zip;
use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::field::read_some;
use pfh_bytes::node::{Failure, Nodes};
use pfh_container::sfx::{self, FoundArchive};
use std::io::Read;
use std::sync::Arc;

/// Bytes that are looked through, from where the archive may begin.
const ROOM: u64 = 16 << 20;
/// A medium has whole sectors.
const SECTOR: u64 = 512;
/// Bytes that are looked through at once, and how many of them once more: a header lies in one.
const WINDOW: usize = 256 << 10;
const OVER: usize = 4096;
/// Bytes of a stream that are decoded, and names of an archive that are listed, to try it.
const DECODED: u64 = 64 << 20;
const LISTED: usize = 10_000;
/// Places that are tried in one file.
const TRIED: usize = 256;

/// Lists the members of an archive that begins with the first byte.
pub type Open = fn(Format, Arc<dyn Bytes>, &[u8], &Limits) -> Result<Nodes, Failure>;

/// The archive behind something else: by its signature near the edge, or else deep in the file.
pub fn anywhere(start: &[u8], bytes: &Arc<dyn Bytes>, open: Open) -> Option<FoundArchive> {
    let near = sfx::archive(start, &**bytes).or_else(|| sfx::anywhere(start, &**bytes));
    let from = sfx::further(start, &**bytes);
    near.or_else(|| deep(from?, bytes, open)).or_else(|| from.and_then(|_| zip::within(&**bytes)))
}

/// The archive at the end of a disk image or of a medium whose last partition ends at `from`, or in
/// front of that. Their length is one of whole sectors: nothing is looked for if it still is.
pub fn appended(from: u64, bytes: &Arc<dyn Bytes>, open: Open) -> Option<FoundArchive> {
    if bytes.size().is_multiple_of(SECTOR) {
        return None;
    }
    deep(from.max(bytes.size().saturating_sub(ROOM)), bytes, open)
}

fn deep(from: u64, bytes: &Arc<dyn Bytes>, open: Open) -> Option<FoundArchive> {
    let end = bytes.size().min(from.saturating_add(ROOM));
    let (mut at, mut tried) = (from, 0);
    while at < end {
        let window = read_some(&**bytes, at, WINDOW).ok()?;
        // A place in the part that is read twice is found once.
        let is_last = at + window.len() as u64 >= bytes.size();
        let own = if is_last { window.len() } else { window.len().checked_sub(OVER).filter(|own| *own > 0)? };
        for (place, format) in sfx::starts(&window).filter(|(place, _)| *place < own) {
            let found = FoundArchive { format, offset: at + place as u64 };
            // At the first byte it would be the file itself.
            if found.offset == 0 {
                continue;
            }
            tried += 1;
            if tried > TRIED {
                return None;
            }
            if is_whole_from(&found, bytes, open) {
                return Some(found);
            }
        }
        at += own as u64;
    }
    None
}

/// Whether an archive lasts from there to the end of the file, as far as it is tried. Of a format
/// that is not read, the checksum of its header says so.
fn is_whole_from(found: &FoundArchive, bytes: &Arc<dyn Bytes>, open: Open) -> bool {
    let Some(format) = Format::found(found) else { return true };
    let slice = Slice::new(bytes.clone(), found.offset, bytes.size() - found.offset);
    slice.is_some_and(|slice| is_whole(format, Arc::new(slice), open))
}

/// Whether these bytes are an archive of that format, as far as it is tried, and nothing else.
pub fn is_whole(format: Format, bytes: Arc<dyn Bytes>, open: Open) -> bool {
    let limits = Limits::default();
    let Some(packing) = Packing::of(format) else {
        let Ok(nodes) = open(format, bytes, b"", &limits) else { return false };
        let mut nodes = nodes.take(LISTED).peekable();
        return nodes.peek().is_some() && nodes.all(|node| node.is_ok());
    };
    let Ok(stream) = decoder::open(packing, bytes, &limits) else { return false };
    let decoded = std::io::copy(&mut stream.take(DECODED), &mut std::io::sink());
    decoded.is_ok_and(|length| length > 0)
}
