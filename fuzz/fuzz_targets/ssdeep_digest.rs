//! ssdeep digests and lines: a parsed one prints back, and no score is out of range or depends on
//! the order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_similarity::ssdeep::{Digest, Ssdeep, parse_line, print_line};
use pfh_similarity::{Method, Score};

fuzz_target!(|bytes: &[u8]| {
    if let Ok((digest, name)) = parse_line(bytes) {
        let mut line = Vec::new();
        if print_line(&digest, &name, &mut line).is_ok() {
            assert_eq!(line, bytes);
        }
    }
    let mut halves = bytes.splitn(2, |&byte| byte == b'\n').map(Digest::parse);
    if let (Some(Ok(a)), Some(Ok(b))) = (halves.next(), halves.next()) {
        assert_eq!(a.to_string().as_bytes(), bytes.split(|&byte| byte == b'\n').next().unwrap_or_default());
        let (there, back) = (Ssdeep.compare(&a, &b).score, Ssdeep.compare(&b, &a).score);
        assert_eq!(there, back);
        assert!(matches!(there, Score::Similarity(0..=100)));
    }
});
