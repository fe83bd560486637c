//! BitLocker, LUKS, CoreStorage and the keys of APFS: the reader ends on any metadata, in bounded
//! memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|data: &[u8]| {
    let mut keys = pfh_encrypted::Keys::new();
    keys.push_lines(b"password");
    for magic in [(3, &b"-FVE-FS-"[..]), (0, b"LUKS\xba\xbe\0\x01"), (0, b"LUKS\xba\xbe\0\x02")] {
        let mut volume = data.to_vec();
        volume.resize(volume.len().max(64 << 10), 0);
        volume[magic.0..magic.0 + magic.1.len()].copy_from_slice(magic.1);
        // Any number of rounds up to a bound is honest work: not here.
        volume[164..168].fill(0);
        let bytes: Arc<dyn pfh_container::Bytes> = Arc::new(volume);
        if let Ok(Some(opened)) = pfh_encrypted::open(&bytes, &keys) {
            let _ = opened.bytes.read_at(0, &mut [0; 4096]);
        }
    }
    let mut volume = data.to_vec();
    volume.resize(volume.len().max(64 << 10), 0);
    for (at, field) in [(4, &[0xff; 4][..]), (8, &[1, 0, 16, 0]), (88, b"CS"), (168, &[16, 0, 0, 0, 2, 0, 0, 0])] {
        volume[at..at + field.len()].copy_from_slice(field);
    }
    let sum = pfh_container::crc32c(u32::MAX, &volume[8..512]);
    volume[..4].copy_from_slice(&sum.to_le_bytes());
    let bytes: Arc<dyn pfh_container::Bytes> = Arc::new(volume);
    let _ = pfh_encrypted::open(&bytes, &keys);
    let (container, volume) = ([1; 16], [2; 16]);
    let of = pfh_encrypted::ApfsVolume { container, volume, block_size: 4096, bag: (1, 1) };
    let _ = pfh_encrypted::volume_cipher(&*bytes, of, &keys);
});
