//! Whether a file that is named as an image is a list of digests.

use pfh_manifest::{Decoder, Item, Options};
use std::io::Read;
use std::path::Path;

/// Bytes of it that are looked at.
const LOOK: u64 = 16 << 10;

/// Whether the file begins with lines that mostly belong to a list of digests.
pub(super) fn is_list(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut text = Vec::new();
    let read = pfh_source::os::open_evidence(path).map(|file| file.take(LOOK).read_to_end(&mut text));
    if !matches!(read, Ok(Ok(_))) || text.contains(&0) {
        return false;
    }
    // The last line may be cut off.
    if text.len() as u64 == LOOK {
        let end = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        text.truncate(end);
    }
    let Ok(decoder) = Decoder::with_registry(&text[..], &Options::default(), crate::REGISTRY) else { return false };
    let (mut entries, mut faults) = (0, 0);
    for located in decoder.map_while(Result::ok) {
        match located.item {
            Item::Entry(_) => entries += 1,
            Item::Fault(_) => faults += 1,
            Item::Unhashed(_) => {}
        }
    }
    entries > faults
}
