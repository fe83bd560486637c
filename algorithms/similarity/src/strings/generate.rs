//! Generation, in one pass.

use super::common::COMMON;
use crate::programs::{DECIDING, is_packed};
use crate::shingles::{Digest, FeatureNames, LEAST_STRING, Unit};
use crate::{Hasher, NoDigest};
use std::sync::LazyLock;

/// The first bytes of executables: ELF, MS-DOS and PE, Mach-O in both orders of bytes with 32 and
/// 64 bits, several of those in one file (and classes of Java), WebAssembly, DEX.
pub const MARKS: [&[u8]; 10] = [
    b"\x7fELF",
    b"MZ",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\xbe\xba\xfe\xca",
    b"\0asm",
    b"dex\n",
];

/// Bytes of the longest mark.
const MARK: usize = 4;

/// The role of a byte in a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Other,
    Zero,
    Printable,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    kinds[0] = Kind::Zero;
    kinds[b'\t' as usize] = Kind::Printable;
    let mut byte = b' ';
    while byte <= b'~' {
        kinds[byte as usize] = Kind::Printable;
        byte += 1;
    }
    kinds
};

/// A run of characters: FNV-1a over them.
#[derive(Clone, Copy, Debug)]
struct Run {
    hash: u64,
    length: usize,
}

impl Run {
    const EMPTY: Run = Run { hash: 0xcbf2_9ce4_8422_2325, length: 0 };

    #[inline(always)]
    fn push(&mut self, character: u8) {
        self.hash = (self.hash ^ u64::from(character)).wrapping_mul(0x0000_0100_0000_01b3);
        self.length += 1;
    }

    /// Ends the run.
    #[inline(always)]
    fn close(&mut self, chosen: &mut FeatureNames) {
        if self.length >= LEAST_STRING {
            choose(self.hash, chosen);
        }
        *self = Run::EMPTY;
    }
}

/// The hashes of common strings, ascending.
static LEFT_OUT: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let hash = |line: &str| {
        let mut run = Run::EMPTY;
        line.bytes().for_each(|byte| run.push(byte));
        run.hash
    };
    let mut hashes: Vec<u64> = COMMON.lines().map(hash).collect();
    hashes.sort_unstable();
    hashes
});

/// Takes a string, unless it is a common one.
#[cold]
fn choose(hash: u64, chosen: &mut FeatureNames) {
    if LEFT_OUT.binary_search(&hash).is_err() {
        chosen.choose(hash);
    }
}

/// Whether no run goes on behind these bytes, and none that began in them is long enough.
#[inline(always)]
fn breaks(bytes: &[u8]) -> bool {
    let [.., before, last] = bytes else { return false };
    match KINDS[usize::from(*last)] {
        Kind::Other => true,
        Kind::Zero => KINDS[usize::from(*before)] != Kind::Printable,
        Kind::Printable => false,
    }
}

/// Where a run of UTF-16LE is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wide {
    /// There is none.
    Idle,
    /// Behind a character and its zero.
    Whole,
    /// Behind a character whose zero is still to come.
    Half(u8),
}

/// One input on its way to a digest.
#[derive(Clone, Debug)]
pub struct Generator {
    length: u64,
    /// The first bytes, until they show whether the input is an executable.
    first: [u8; MARK],
    /// More of them, of an executable.
    header: Vec<u8>,
    narrow: Run,
    wide: Run,
    place: Wide,
    chosen: FeatureNames,
}

impl Generator {
    /// For an input that nothing is known of.
    pub fn new() -> Generator {
        Generator {
            length: 0,
            first: [0; MARK],
            header: Vec::new(),
            narrow: Run::EMPTY,
            wide: Run::EMPTY,
            place: Wide::Idle,
            chosen: FeatureNames::default(),
        }
    }

    /// Whether the first bytes, as far as they came, can be those of an executable.
    fn is_executable(&self) -> bool {
        let came = &self.first[..self.length.min(MARK as u64) as usize];
        MARKS.iter().any(|mark| came.iter().zip(*mark).all(|(a, b)| a == b))
    }

    /// Whether the input says that it is a program that unpacks itself.
    pub fn is_packed(&self) -> bool {
        self.is_executable() && is_packed(&self.header)
    }

    fn take(&mut self, bytes: &[u8]) {
        let mut at = 0;
        loop {
            // A run that is long enough has a sixth byte: outside of a run, a look at that byte
            // passes over most stretches of code.
            if self.narrow.length == 0 && self.place == Wide::Idle {
                while bytes.get(at..at + LEAST_STRING).is_some_and(breaks) {
                    at += LEAST_STRING;
                }
            }
            let Some(&byte) = bytes.get(at) else { return };
            at += 1;
            match KINDS[usize::from(byte)] {
                Kind::Printable => {
                    self.place = match self.place {
                        // Only behind bytes that are not printable: the last letter of an ASCII
                        // string and the zero behind it begin none.
                        Wide::Idle if self.narrow.length == 0 => Wide::Half(byte),
                        Wide::Idle => Wide::Idle,
                        Wide::Whole => Wide::Half(byte),
                        Wide::Half(_) => {
                            self.wide.close(&mut self.chosen);
                            Wide::Idle
                        }
                    };
                    self.narrow.push(byte);
                }
                kind => {
                    self.narrow.close(&mut self.chosen);
                    self.place = match self.place {
                        Wide::Half(character) if kind == Kind::Zero => {
                            self.wide.push(character);
                            Wide::Whole
                        }
                        _ => {
                            self.wide.close(&mut self.chosen);
                            Wide::Idle
                        }
                    };
                }
            }
        }
    }
}

impl Default for Generator {
    fn default() -> Generator {
        Generator::new()
    }
}

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, bytes: &[u8]) {
        let before = self.length;
        self.length += bytes.len() as u64;
        if before < MARK as u64 {
            // Fits: below four.
            self.first[before as usize..].iter_mut().zip(bytes).for_each(|(first, byte)| *first = *byte);
        }
        if self.is_executable() {
            let more = DECIDING.saturating_sub(self.header.len()).min(bytes.len());
            self.header.extend_from_slice(&bytes[..more]);
            self.take(bytes);
        }
    }

    fn finalize(mut self) -> Result<Digest, NoDigest> {
        if !self.is_executable() || self.length < LEAST_STRING as u64 {
            return Err(NoDigest::OtherKind);
        }
        self.narrow.close(&mut self.chosen);
        self.wide.close(&mut self.chosen);
        self.chosen.into_digest(Unit::String, self.length)
    }
}
