//! sdhash's lines: a parsed line prints back byte for byte, and has a score with itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_similarity::sdhash::{Digest, compare};

fuzz_target!(|bytes: &[u8]| {
    if let Ok((digest, name)) = Digest::parse_line(bytes) {
        let mut line = Vec::new();
        digest.print_line(name, &mut line).unwrap_or_else(|_| line.extend_from_slice(bytes));
        assert_eq!(line, bytes);
        assert!(compare(&digest, &digest, std::cmp::Ordering::Equal).is_none_or(|score| score <= 100));
        let _ = digest.degenerate();
    }
});
