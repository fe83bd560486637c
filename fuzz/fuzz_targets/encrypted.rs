//! BitLocker and LUKS: whatever the metadata say, the reader ends, in bounded memory.
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
});
