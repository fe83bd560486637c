//! Shared bytes: windows of 32 bytes, chosen by their content, that two inputs have in common.
//!
//! A window is chosen by a rolling hash of its bytes, so that equal bytes are chosen at whichever
//! offset they lie: content-defined sampling as in U. Manber, *Finding similar files in a large
//! file system* (USENIX 1994), and A. Broder, *On the resemblance and containment of documents*
//! (1997). Of long inputs one window in 32 is kept, of very long ones fewer, of short ones all;
//! what is kept at a coarse level is kept at every finer one, so that inputs of any two lengths
//! compare.
//!
//! The score is the share of the smaller input's windows that the larger one has, in percent:
//! containment, and no resemblance. It needs [`LEAST_SHARED`] common windows.

mod digest;
mod generate;
mod window;

pub use digest::{Digest, Outline, Shared};
pub use generate::Generator;

use crate::{Comparison, Degenerate, Method};

/// Bytes of a window.
pub const WINDOW: usize = 32;
/// The level of ordinary inputs: one window in 2^5 is kept.
pub const LEVEL: u8 = 5;
/// Bytes up to which an input is so short that all windows are kept.
pub const SHORT: u64 = 128;
/// Windows of an input at most; a longer one has a coarser level.
pub const MOST: usize = 1 << 16;
/// Windows without which two inputs score nothing, and without which one input has no digest worth
/// comparing.
pub const LEAST_SHARED: u64 = 5;
/// Inputs that may hold a window before it counts half; a quarter for twice as many, and an eighth
/// for more. Headers, footers and licences are in many files that have nothing else in common.
pub const RARE: usize = 32;
/// Different bytes in a window, at least: runs of zeros and other fillings say nothing.
pub const LEAST_DISTINCT: u32 = 4;

/// The level of an input of this length that has not too many windows: from 0, up to
/// [`LEVEL`], one for each doubling of [`SHORT`].
pub const fn least_level(length: u64) -> u8 {
    let mut level = 0;
    while level < LEVEL && length > SHORT << level {
        level += 1;
    }
    level
}

/// How often the weight of a window is halved that this number of inputs hold: 0 to 3.
pub fn commonness(holders: usize) -> u32 {
    (0..3).take_while(|&halves| holders > RARE << halves).count() as u32
}

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shingles;

impl Method for Shingles {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        "shingles"
    }

    fn hasher(&self) -> Generator {
        Generator::new()
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        let shared = Shared::new(a.shared(b), &a.outline(), &b.outline());
        let few = [a, b].iter().any(|digest| (digest.windows().len() as u64) < LEAST_SHARED);
        let degenerate = few.then_some(Degenerate::FewFeatures);
        Comparison { score: shared.score(), evidence: shared.evidence(), degenerate }
    }
}
