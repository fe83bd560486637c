//! Logical images and mail, as writers after the formats' documents write them: their content,
//! damage that is named, and hostile input.

mod ad1;
mod aff4;
mod l01;
mod lx01;
mod mail;
mod mutants;
mod pst;
mod pst_store;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pfh_archive::{Format, Limits, open, open_parts};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::Arc;

/// The outcome of each member: its bytes, or the fault.
type Outcomes = BTreeMap<String, Result<Vec<u8>, String>>;

/// A digest by its name.
fn sum(algorithm: &str, bytes: &[u8]) -> Vec<u8> {
    let algorithm: pfh_digest::Algorithm = algorithm.parse().expect("an algorithm");
    algorithm.digest(bytes).bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adler-32 as it stands in the formats.
fn adler(bytes: &[u8]) -> Vec<u8> {
    let mut sum = sum("adler32", bytes);
    sum.reverse();
    sum
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Bytes that pack badly.
fn noise(length: usize) -> Vec<u8> {
    (0..length as u64).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u8).collect()
}

/// The members of the segments of an image, or of one file; the fault of the whole has no name.
fn outcomes(segments: &[Vec<u8>]) -> Outcomes {
    let start = &segments[0][..segments[0].len().min(Format::START)];
    let Some(format) = Format::recognize(start) else { return [(String::new(), Err("unknown".into()))].into() };
    let limits = Limits::default();
    let starts: Vec<u64> =
        segments.iter().scan(0, |at, segment| Some(std::mem::replace(at, *at + segment.len() as u64))).collect();
    let whole = Arc::new(segments.concat());
    let nodes = match segments {
        [_] => open(format, whole, b"name", &limits),
        _ => open_parts(format, whole, &starts, &limits),
    };
    let nodes = match nodes {
        Ok(nodes) => nodes,
        Err(failure) => return [(String::new(), Err(failure.to_string()))].into(),
    };
    let mut found = Outcomes::new();
    for node in nodes {
        let (path, outcome) = match node {
            Err(failure) => (failure.path.clone(), Err(failure.to_string())),
            Ok(node) => {
                let Some(content) = &node.content else { continue };
                let mut all = Vec::new();
                let read = content
                    .open()
                    .map_err(|failure| failure.to_string())
                    .and_then(|mut reader| reader.read_to_end(&mut all).map_err(|error| error.to_string()));
                if let (Ok(_), Some(bytes)) = (&read, content.bytes()) {
                    let mut again = vec![0; all.len()];
                    bytes.read_exact_at(0, &mut again).expect("the same bytes");
                    assert_eq!((bytes.size(), &again), (all.len() as u64, &all));
                }
                assert!(read.is_err() || node.size.is_none_or(|size| size == all.len() as u64));
                (node.path, read.map(|_| all))
            }
        };
        let mut path = String::from_utf8(path).expect("UTF-8");
        // Several things may be wrong with one.
        while outcome.is_err() && found.contains_key(&path) {
            path.push('\'');
        }
        assert!(found.insert(path.clone(), outcome).is_none(), "{path} comes twice");
    }
    found
}

/// The same for an image that must be sound.
fn files(segments: &[Vec<u8>]) -> BTreeMap<String, Vec<u8>> {
    let sound = |(name, bytes): (String, Result<Vec<u8>, String>)| {
        let bytes = bytes.unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, bytes)
    };
    outcomes(segments).into_iter().map(sound).collect()
}

/// All faults, with the names of the members.
fn faults(segments: &[Vec<u8>]) -> String {
    let wrong = |(name, outcome): (String, Result<Vec<u8>, String>)| Some(format!("{name}: {}\n", outcome.err()?));
    outcomes(segments).into_iter().filter_map(wrong).collect()
}
