//! The printable strings of executables, which a program keeps when it is built again.
//!
//! A string is a run of at least [`LEAST_STRING`](crate::shingles::LEAST_STRING) printable
//! characters, in ASCII or in UTF-16LE; equal ones count once, and those of [`COMMON`] do not. Only
//! files that begin as an executable have a digest: ELF, PE and MS-DOS, Mach-O, WebAssembly and
//! DEX.
//!
//! The score is the share of all strings of both inputs that both have, in percent, where strings
//! that many inputs of the comparison hold count less. It needs
//! [`LEAST_SHARED`](crate::shingles::LEAST_SHARED) common ones. Of an input with very many strings
//! a part is kept, chosen by their content.

mod common;
mod generate;

pub use common::COMMON;
pub use generate::{Generator, MARKS};

use crate::shingles::Digest;
use crate::{Comparison, Method};

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strings;

impl Method for Strings {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        "strings"
    }

    fn hasher(&self) -> Generator {
        Generator::new()
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        a.compare(b)
    }
}
