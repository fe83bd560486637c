//! Reads the vector files of an algorithm; `vectors/digest/make` describes their form.

// Not every test that reads the vectors looks at all their forms.
#![allow(dead_code)]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;

/// One line of a vector file.
pub enum Case {
    /// A message and its digest.
    Message { message: Vec<u8>, digest: Vec<u8> },
    /// A Monte Carlo test.
    Monte { seed: Vec<u8>, digests: Vec<Vec<u8>> },
    /// A Monte Carlo test of an extendable-output function, with its bounds on the bytes of output.
    ShakeMonte { minimum: usize, maximum: usize, seed: Vec<u8>, digests: Vec<Vec<u8>> },
}

impl Case {
    /// Message and digest, if the case holds those.
    pub fn message(self) -> Option<(Vec<u8>, Vec<u8>)> {
        match self {
            Case::Message { message, digest } => Some((message, digest)),
            _ => None,
        }
    }
}

/// All cases of an algorithm; panics where it has no vector file.
pub fn cases(algorithm: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../vectors/digest/{algorithm}.txt.gz"));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text.lines().map(case).collect()
}

fn case(line: &str) -> Case {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        ["message", message, digest] => Case::Message { message: hex(message), digest: hex(digest) },
        ["pattern", length, digest] => {
            let message = (0..length.parse().unwrap()).map(|i: usize| (i % 251) as u8).collect();
            Case::Message { message, digest: hex(digest) }
        }
        ["repeat", byte, count, digest] => {
            Case::Message { message: hex(byte).repeat(count.parse().unwrap()), digest: hex(digest) }
        }
        ["monte", seed, ref digests @ ..] => {
            Case::Monte { seed: hex(seed), digests: digests.iter().map(|d| hex(d)).collect() }
        }
        ["shake-monte", minimum, maximum, seed, ref digests @ ..] => Case::ShakeMonte {
            minimum: minimum.parse().unwrap(),
            maximum: maximum.parse().unwrap(),
            seed: hex(seed),
            digests: digests.iter().map(|d| hex(d)).collect(),
        },
        _ => panic!("a line of no known form: {line:.80}"),
    }
}

fn hex(digits: &str) -> Vec<u8> {
    if digits == "-" {
        return Vec::new();
    }
    assert!(digits.len().is_multiple_of(2), "{digits:.80}");
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}
