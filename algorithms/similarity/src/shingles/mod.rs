//! Shared bytes: windows of 32 bytes, chosen by their content, that two inputs have in common.
//!
//! A window is chosen by a rolling hash of its bytes, so that equal bytes are chosen at whichever
//! offset they lie: content-defined sampling as in U. Manber, *Finding similar files in a large
//! file system* (USENIX 1994), and A. Broder, *On the resemblance and containment of documents*
//! (1997). Of long inputs one window in 32 is kept, of very long ones fewer, of short ones all;
//! windows kept at a coarse level are kept at every finer one, so that inputs of any two lengths
//! compare.
//!
//! Windows that reach into the tables in front of a JPEG's picture are left out: they are those of
//! the program that wrote it, and equal in files that have nothing in common.
//!
//! The score is the share of the smaller input's windows that the larger one has, in percent:
//! containment, not resemblance. It needs [`LEAST_SHARED`] common windows.

mod chosen;
mod digest;
mod generate;
mod jpeg;
mod parameters;
mod rarity;
mod runs;
mod templates;
mod union;
mod window;

pub(crate) use chosen::FeatureNames;
pub use digest::{Digest, Outline, SharedWindows, Unit};
pub use generate::Generator;
pub use parameters::{LEAST_DISTINCT, LEAST_SHARED, LEAST_STRING, LEVEL, MOST, SHORT, WINDOW, least_level};
pub use rarity::Rarity;
pub use runs::{Run, runs};
pub use templates::is_template;
pub use union::Union;

use crate::{Comparison, Method};

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
        a.compare(b)
    }
}
