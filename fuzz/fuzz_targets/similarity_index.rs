//! An index of similarity digests whose checksums fit any content: each question has an answer or
//! an error, and no digest is answered twice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_pairs::stored::StoredIndex;
use pfh_similarity::{Method, shingles::Shingles, ssdeep::Ssdeep, tlsh::Tlsh};
use std::io::Write;

/// Bytes of a block with a checksum of its own.
const BLOCK: usize = 4096;

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(bytes).expect("a disk");
    for block in bytes.chunks(BLOCK) {
        file.write_all(&crc32fast::hash(block).to_le_bytes()).expect("a disk");
    }
    let Ok(stored) = StoredIndex::from_file(file) else { return };
    assert!(stored.len() <= bytes.len() as u64);
    let text: Vec<u8> = (0..5000u32).map(|at| (at * at >> 7) as u8).collect();
    let tlsh = Tlsh.digest(&text).expect("a digest");
    for most in [0, 60, u32::MAX] {
        if let Ok(found) = stored.near(&tlsh, most) {
            assert!(found.len() as u64 <= stored.len());
            assert!(found.iter().all(|(other, _, distance)| tlsh.distance(other) == *distance && *distance <= most));
        }
    }
    if let Ok(found) = stored.similar(&Ssdeep.digest(&text).expect("a digest"), 1) {
        assert!(found.len() as u64 <= stored.len());
    }
    if let Ok(found) = stored.sharing(&Shingles.digest(&text).expect("a digest")) {
        assert!(found.len() as u64 <= stored.len());
    }
    assert!(stored.records().take(100).count() as u64 <= stored.len());
});
