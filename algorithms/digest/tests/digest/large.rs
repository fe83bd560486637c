//! Messages beyond 4 GiB: IUFT, a small update followed by a huge one, which is the shape of
//! CVE-2022-37454 (the buffer overflow in the Keccak team's own SHA-3), and bit counts beyond 32
//! bits.
//!
//! Each algorithm costs seconds to minutes and 4 GiB of untouched zero pages, so the test runs only
//! with `PFH_LARGE=1` (`make large`); without, it says so and passes.

use std::io::{Write, stderr};

use pfh_digest::{Algorithm, update_many};

const GIB: usize = 1 << 30;

#[test]
fn a_small_update_then_one_beyond_4_gib() {
    if std::env::var_os("PFH_LARGE").is_none_or(|value| value != "1") {
        let _ = writeln!(stderr(), "not run: PFH_LARGE=1 is not set");
        return;
    }
    // Zeros by the allocator: pages that are only read all stand for the one zero page.
    let huge = vec![0u8; 4 * GIB + 77];
    let (gib, _) = huge.split_at(GIB);
    for algorithm in Algorithm::all() {
        let mut once = algorithm.hasher();
        once.update(b"x");
        let mut pieces = once.clone();
        let mut many = [once.clone(), once.clone()];
        once.update(&huge);
        let once = once.finalize();

        (0..4).for_each(|_| pieces.update(gib));
        pieces.update(&huge[..77]);
        assert_eq!(pieces.finalize(), once, "{algorithm}");

        let [first, second] = &mut many;
        update_many(&mut [(first, &huge), (second, gib)]);
        let [first, second] = many;
        assert_eq!(first.finalize(), once, "{algorithm}");
        let mut short = algorithm.hasher();
        short.update(b"x");
        short.update(gib);
        assert_eq!(second.finalize(), short.finalize(), "{algorithm}");

        if let Some((_, known)) = KNOWN.iter().find(|(name, _)| *name == algorithm.name()) {
            assert_eq!(once.to_string(), *known, "{algorithm}");
        }
        let _ = writeln!(stderr(), "{algorithm} {once}");
    }
}

/// Of `x` and 4 GiB + 77 zeros, by programs of others: `(printf x; head -c 4294967373 /dev/zero) |
/// sha256sum` and so on.
const KNOWN: &[(&str, &str)] = &[
    ("md5", "90cd8a98b8cfc1893fba7f4fe75a4e16"),
    ("sha1", "91428172d66a0ab4deb1a11bee2c901f5657656f"),
    ("sha256", "20b9f6f678b5e2e09c8a9c1bf6b1a5653881c5e28b9601db1bb49468c45aa09d"),
    (
        "sha512",
        "dcb071136b5174603b6ff2f0997f234c25a715ea0a172551112368f204dae82952820e1b27a7933c0d72abc4dd01cfaa1af8398766e3c36d69e7cb3bc74d1a7c",
    ),
    (
        "blake2b",
        "73265f2498759c18a7345da1209fc9b51166bfa79b2c0639c071a0b2a3f277ebcdb63222ee96662f6433ed5ed3b51f2a6f8f91d9fdaad881929b8019a7803cb5",
    ),
    ("sha3-256", "62fe62fe427396e46d89603adf13dd6809c46c42ab72d29d74730e0997414685"),
    (
        "sha3-512",
        "f9889bde364b9ba7758551aeaaef239777e60f27f08199df35157e79ca133f8b2a4c185d5d41251ef4877f87cdf9c12edb7ad6579cc38daf5b77bddf1019e223",
    ),
    ("ripemd160", "e29d0025eeab1427c0c4b0b0659d1bcb44bc70ed"),
    ("blake2s", "0d00e02b15b1e67032418e87e2ad2e1f8acb9414f19c0b7b54f8a90b70232a1d"),
    ("sha512-256", "a19312a42e8f2aa155721e8d7db27bfb9ed14e4688a892cc2716193fd6759148"),
    ("crc32", "44a2fa53"),
    ("adler32", "8f370079"),
    ("xxh3-128", "9b6ac09435a921ff0abda6810137bff1"),
];
