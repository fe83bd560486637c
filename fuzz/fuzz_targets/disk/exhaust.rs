//! Reads a disk image here and there, up to some megabytes.

use std::sync::Arc;

use pfh_container::Bytes;
use pfh_container::disk::{Alone, Kind, open};

/// Puts `magic` at the start and `end` at the end, and reads the disk in several places.
pub fn exhaust(kind: Kind, data: &[u8], magic: &[u8], end: &[u8]) {
    let mut image = data.to_vec();
    image.resize(image.len().max(magic.len() + end.len()), 0);
    image[..magic.len()].copy_from_slice(magic);
    let at = image.len() - end.len();
    image[at..].copy_from_slice(end);
    let image: Arc<dyn Bytes> = Arc::new(image);
    let Ok(disk) = open(kind, image, &Alone) else { return };
    let size = disk.size();
    let mut room = vec![0; 100_000];
    for place in [0, size / 3, size / 2, size.saturating_sub(70_000)] {
        let mut at = place;
        for _ in 0..16 {
            match disk.read_at(at, &mut room) {
                Ok(0) => assert!(at >= size),
                Ok(got) => at += got as u64,
                Err(_) => at += 512,
            }
        }
    }
    let mut left = 64;
    let _ = disk.check(&mut || {
        left -= 1;
        left > 0
    });
    let _ = (disk.digests(), disk.notes(), disk.sector());
}
