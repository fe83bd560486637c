//! Messages beyond 4 GiB: IUFT, a small update followed by a huge one, which is the shape of CVE-2022-37454 (the buffer overflow
//! in the Keccak team's own SHA-3), and bit counts beyond 32 bits.
//!
//! Each algorithm costs seconds to minutes and 4 GiB of untouched zero pages, so the test runs only with `PFH_LARGE=1`
//! (`just large`); without, it says so and passes.

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

/// Of `x` and 4 GiB + 77 zeros, by programs of others: `(printf x; head -c 4294967373 /dev/zero) | sha256sum` and so on.
const KNOWN: &[(&str, &str)] = &[];
