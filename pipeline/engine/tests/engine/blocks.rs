//! Blocks of any size, also such as change on the way, make the same image.

use pfh_digest::Algorithm;
use pfh_engine::Control;
use pfh_engine::Phase;
use pfh_engine::imaging::{Ending, Follow, Imaging, Portion, Ring, Target, image};
use pfh_inject::content;
use pfh_source::device::{Access, Medium};
use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};

/// Compares the bytes that come with those of the source.
struct Compared {
    wanted: Arc<Vec<u8>>,
    at: usize,
    lengths: Arc<Mutex<BTreeSet<usize>>>,
}

impl Target for Compared {
    fn write(&mut self, portion: &Portion) -> io::Result<()> {
        assert_eq!(portion.offset, self.at as u64);
        assert!(portion.bytes[..] == self.wanted[self.at..][..portion.bytes.len()], "other bytes at {}", self.at);
        self.at += portion.bytes.len();
        self.lengths.lock().unwrap().insert(portion.bytes.len());
        Ok(())
    }

    fn sync(&mut self) -> io::Result<u64> {
        Ok(self.at as u64)
    }

    fn finish(&mut self, end: &Ending<'_>) -> io::Result<()> {
        assert_eq!((end.bytes, self.at), (self.wanted.len() as u64, self.wanted.len()));
        Ok(())
    }
}

#[test]
fn any_blocks_make_the_same_image() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("medium");
    let bytes = Arc::new(content(3, (160 << 20) + 513));
    std::fs::write(&path, &bytes[..]).unwrap();
    let medium = Medium::open(path.to_str().unwrap().as_bytes(), Access::Cached).unwrap();
    let algorithm: Algorithm = "xxh3-128".parse().unwrap();
    let fixed = |block, blocks| Some(Ring::new(Some(block), Some(blocks)).unwrap());
    for (ring, readers) in [
        (None, 1),
        (fixed(4096, 2), 1),
        (fixed(12_288, 3), 3),
        (fixed(64_000_000, 5), 1),
        (Some(Ring::measured()), 1),
        (Some(Ring::measured()), 3),
    ] {
        // Blocks of one size have the memory that they have.
        let memories: &[usize] =
            if ring.is_some_and(|ring| !ring.is_measured()) { &[0] } else { &[0, 1 << 20, 16 << 20, 64 << 20] };
        for &memory in memories {
            let lengths = Arc::new(Mutex::new(BTreeSet::new()));
            let mut targets: Vec<Box<dyn Target>> = (0..2)
                .map(|_| {
                    Box::new(Compared { wanted: bytes.clone(), at: 0, lengths: lengths.clone() }) as Box<dyn Target>
                })
                .collect();
            let imaging = Imaging { memory, ring, readers, ..Imaging::new([algorithm]) };
            let control = Control::new();
            let made = image(&medium, None, &imaging, &mut targets, Follow::new(&control, Phase::Acquiring)).unwrap();
            assert_eq!(made.digests, [algorithm.digest(&bytes)], "{ring:?} {memory} {readers}");
            // The first trial comes after one window of the smallest, at any rates.
            let lengths = lengths.lock().unwrap();
            if ring.is_some_and(Ring::is_measured) && memory == 16 << 20 {
                assert!(lengths.contains(&(1 << 20)) && lengths.contains(&(4 << 20)), "{lengths:?}");
            }
        }
    }
}
