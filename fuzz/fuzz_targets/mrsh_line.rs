//! mrsh-v2's lines: a parsed line prints back byte for byte, and has a score with itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_similarity::mrsh_v2::{Base, MrshV2, compare};

fuzz_target!(|bytes: &[u8]| {
    if let Ok((digest, name)) = MrshV2::PLAIN.parse_line(bytes) {
        let mut line = Vec::new();
        digest.print_line(name, &mut line).unwrap_or_else(|_| line = bytes.to_vec());
        assert_eq!(line, bytes);
        assert!(compare(&MrshV2::PLAIN, &digest, &digest, Base::Smaller) <= 100);
        let _ = digest.degenerate(&MrshV2::PLAIN);
    }
});
