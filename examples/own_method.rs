//! Compares files by a similarity method that is not pfh's own: `cargo run --example own_method --
//! FILE...`.
//!
//! A method is one file: a digest that prints and reads itself, a hasher, a comparison, and a
//! profile with its name and its numbers. Its row is an algorithm wherever pfh takes one; digests
//! are compared each with each by the method's own code.

use pfh::Control;
use pfh::compare::{self, Request};
use pfh::digest::Algorithm;
use pfh::similarity::{
    Comparison, Evidence, Hasher, Method, NoDigest, ParseError, Profile, RegisteredMethod, Score, Similar,
};
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// How often each of sixteen kinds of bytes occurs, in percent.
#[derive(Clone, Copy, Debug, Default)]
struct Spectrum;

/// The digest: `spectrum:` and two decimal digits for each kind.
#[derive(Clone, Debug, PartialEq)]
struct Shares([u8; 16]);

#[derive(Clone, Default)]
struct Counts([u64; 16]);

impl Method for Spectrum {
    type Digest = Shares;
    type Hasher = Counts;

    fn name(&self) -> &'static str {
        Spectrum::PROFILE.name
    }

    fn hasher(&self) -> Counts {
        Counts::default()
    }

    /// 100 less the percent of bytes that would have to be of another kind.
    fn compare(&self, a: &Shares, b: &Shares) -> Comparison {
        let apart: u8 = a.0.iter().zip(b.0).map(|(a, b)| a.abs_diff(b)).sum::<u8>() / 2;
        let score = Score::Similarity(100_u8.saturating_sub(apart));
        Comparison { score, evidence: Evidence::default(), degenerate: None }
    }
}

impl RegisteredMethod for Spectrum {
    const PROFILE: &'static Profile = &Profile {
        lacking: "empty",
        marks: |text| text.starts_with(b"spectrum:"),
        ..Profile::new::<Spectrum>("spectrum", Score::Similarity(90))
    };
}

impl Hasher for Counts {
    type Digest = Shares;

    fn update(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0[usize::from(byte >> 4)] += 1);
    }

    fn finalize(self) -> Result<Shares, NoDigest> {
        let all: u64 = self.0.iter().sum();
        let percent = |count: u64| u8::try_from(count * 99 / all.max(1)).unwrap_or(99);
        if all == 0 { Err(NoDigest::TooShort(1)) } else { Ok(Shares(self.0.map(percent))) }
    }
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("spectrum:")?;
        self.0.iter().try_for_each(|share| write!(f, "{share:02}"))
    }
}

impl FromStr for Shares {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Shares, ParseError> {
        let digits = text.strip_prefix("spectrum:").ok_or(ParseError::Marker)?;
        if digits.len() != 32 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(ParseError::Number);
        }
        let mut shares = [0; 16];
        for (share, two) in shares.iter_mut().zip(digits.as_bytes().as_chunks::<2>().0) {
            *share = 10 * (two[0] - b'0') + two[1] - b'0';
        }
        Ok(Shares(shares))
    }
}

/// The row of the method, for a registry.
pub const ROW: pfh::digest::Row = Spectrum::ROW;

/// The method as an algorithm.
pub fn algorithm() -> Algorithm {
    static HELD: pfh::digest::Row = ROW;
    Algorithm::from_row(&HELD)
}

/// How alike the inputs of two digests are, given as text.
pub fn alike(a: &str, b: &str) -> Result<Option<Score>, Box<dyn Error>> {
    let [a, b] = [a, b].map(|text| pfh::digest::Digest::parse(algorithm(), text));
    let (a, b) = (a?, b?);
    let compared = Similar::of(&a).zip(Similar::of(&b)).and_then(|(a, b)| a.compare(b));
    Ok(compared.map(|compared| compared.score))
}

/// The pairs of files that are alike, as `pfh compare` prints them, into a file.
pub fn pairs(files: Vec<PathBuf>, to: PathBuf) -> Result<u64, Box<dyn Error>> {
    let mut request = Request::new(pfh::Input::new(files)).output(to);
    request.algorithms = vec![algorithm().into()];
    let summary = compare::write(&request, &mut |_| Ok(()), &Control::new())?;
    Ok(summary.pairs)
}

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        return Err("give FILEs".into());
    }
    pairs(files, "/dev/stdout".into()).map(drop)
}
