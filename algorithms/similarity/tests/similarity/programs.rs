//! Imphash, the Rich header's hash and telfhash: the reference packages' values, and hostile files.

use pfh_digest::{Algorithm, Registry, Row};
use pfh_similarity::programs::{ROWS, imphash, is_packed, rich, telfhash};
use pfh_similarity::strings::Strings;
use pfh_similarity::{Hasher, Method};
use std::fs;
use std::path::{Path, PathBuf};

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/similarity")
}

fn algorithm(name: &str) -> Algorithm {
    static LISTS: [&[Row]; 1] = [&ROWS];
    Registry::new(&LISTS).find(name).unwrap()
}

#[test]
fn values_are_those_of_the_reference_packages() {
    let expected = fs::read_to_string(vectors().join("programs.tsv")).unwrap();
    let mut seen = [0; 3];
    for line in expected.lines() {
        let [name, of_imports, of_rich, of_functions] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let bytes = fs::read(vectors().join("programs").join(name)).unwrap();
        let own = [imphash(&bytes).map(|of| of.to_string()), rich(&bytes).map(|of| of.to_string())];
        let telf = telfhash(&bytes).map(|of| of.to_string().to_lowercase());
        let [a, b] = own;
        for (at, (own, expected)) in [a, b, telf].into_iter().zip([of_imports, of_rich, of_functions]).enumerate() {
            assert_eq!(own.as_deref().unwrap_or("-"), expected, "{name}");
            seen[at] += usize::from(own.is_some());
        }
        // In pieces too.
        for (name, expected) in [("imphash", of_imports), ("rich-header", of_rich)] {
            let mut hasher = algorithm(name).hasher();
            bytes.chunks(3).for_each(|piece| hasher.update(piece));
            let expected = if expected == "-" { "none" } else { expected };
            assert_eq!(hasher.finalize().text(), Some(expected));
        }
    }
    assert_eq!(seen, [3, 3, 3]);
    for other in [&b""[..], b"MZ", b"text", b"\x7fELF"] {
        assert_eq!(algorithm("imphash").digest(other).text(), Some("none"));
        assert_eq!(algorithm("telfhash").digest(other).text(), Some("none"));
    }
}

/// All three values; each reader comes to an end.
fn all(bytes: &[u8]) -> [bool; 3] {
    [imphash(bytes).is_some(), rich(bytes).is_some(), telfhash(bytes).is_some()]
}

/// No change of a byte, and no end, makes a reader fail; the time is bounded by the file's length.
#[test]
fn damaged_programs_do_no_harm() {
    for entry in fs::read_dir(vectors().join("programs")).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        for at in 0..bytes.len() {
            for value in [0, 0xff, bytes[at] ^ 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                all(&damaged);
            }
            all(&bytes[..at]);
        }
    }
}

/// A packer's sections and UPX's mark in an ELF are seen, in any pieces, and no words elsewhere.
#[test]
fn packed_programs_say_so() {
    let plain = fs::read(vectors().join("programs/rich-32.exe")).unwrap();
    let at = plain.windows(6).position(|six| six == b".rdata").unwrap();
    let mut upx = plain.clone();
    upx[at..at + 6].copy_from_slice(b"UPX1\0\0");
    let elf = fs::read(vectors().join("programs/dynamic-64.so")).unwrap();
    let mut packed_elf = elf.clone();
    packed_elf[0xb0..0xb4].copy_from_slice(b"UPX!");
    let late = [&elf[..], &[0; 5000], b"UPX!"].concat();
    let text = [&plain[..], b"UPX0 UPX1 UPX!"].concat();
    for (bytes, expected) in
        [(&plain, false), (&upx, true), (&elf, false), (&packed_elf, true), (&late, false), (&text, false)]
    {
        assert_eq!(is_packed(&bytes[..bytes.len().min(4096)]), expected);
        for size in [3, 700, bytes.len()] {
            let mut hasher = Strings.hasher();
            bytes.chunks(size).for_each(|piece| hasher.update(piece));
            assert_eq!(hasher.is_packed(), expected);
        }
    }
    for cut in 0..upx.len() {
        is_packed(&upx[..cut]);
    }
}
