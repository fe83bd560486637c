//! Pictures: any bytes behind the first ones of each format end in a digest or in a reason, and in
//! pieces in the same one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_similarity::crops::{self, Crops};
use pfh_similarity::pdq::Pdq;
use pfh_similarity::phash::Phash;
use pfh_similarity::{Hasher, Method};

const FIRST: [&[u8]; 6] = [b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\0\0\0\0WEBP", b"BM"];

fn in_pieces<M: Method>(method: &M, bytes: &[u8]) -> Option<M::Digest> {
    let mut hasher = method.hasher();
    let (first, rest) = bytes.split_at(bytes.len() / 3);
    hasher.update(first);
    rest.chunks(5).for_each(|piece| hasher.update(piece));
    hasher.finalize().ok()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((which, rest)) = bytes.split_first() else { return };
    let file = [FIRST[usize::from(*which) % FIRST.len()], rest].concat();
    assert_eq!(in_pieces(&Pdq, &file), Pdq.digest(&file).ok());
    assert_eq!(in_pieces(&Phash, &file), Phash.digest(&file).ok());
    let crops = Crops.digest(&file).ok();
    assert_eq!(in_pieces(&Crops, &file), crops);
    if let Some(digest) = crops {
        assert_eq!(digest.to_string().parse(), Ok(digest.clone()));
        crops::common(&digest, &digest);
    }
});
