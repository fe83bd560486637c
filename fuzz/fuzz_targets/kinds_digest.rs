//! Strings, imports and text: one input in any pieces has the digest of the plain implementation.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_similarity::imports::Imports;
use pfh_similarity::shingles::{Digest, Shingles};
use pfh_similarity::strings::{MARKS, Strings};
use pfh_similarity::text::Text;
use pfh_similarity::{Hasher, Method, naive};

fn in_pieces<M: Method<Digest = Digest>>(method: &M, bytes: &[u8]) -> Option<Digest> {
    let mut hasher = method.hasher();
    let (first, rest) = bytes.split_at(bytes.len() / 3);
    hasher.update(first);
    rest.chunks(5).for_each(|piece| hasher.update(piece));
    hasher.finalize().ok()
}

fuzz_target!(|bytes: &[u8]| {
    let text = Text.digest(bytes).ok();
    assert_eq!(in_pieces(&Text, bytes), text);
    let normal = naive::text::normal(bytes).and_then(|normal| Shingles.digest(normal.as_bytes()).ok());
    assert_eq!(text.as_ref().map(Digest::windows), normal.as_ref().map(Digest::windows));
    assert_eq!(in_pieces(&Imports, bytes), Imports.digest(bytes).ok());
    let program = [b"\x7fELF", bytes].concat();
    let strings = Strings.digest(&program).ok();
    assert_eq!(in_pieces(&Strings, &program), strings);
    let expected = naive::strings::strings(&program).len();
    assert_eq!(strings.map_or(0, |digest| digest.windows().len()), expected);
    assert_eq!(
        Strings.digest(bytes).is_ok(),
        MARKS.iter().any(|mark| bytes.starts_with(mark))
            && bytes.len() > 5
            && !naive::strings::strings(bytes).is_empty()
    );
});
