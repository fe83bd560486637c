//! Tables as text by their cells: with another separator, a column less, rows or columns in another
//! order a table holds the same ones.
//!
//! A table is a text in bytes whose first lines nearly all have as many commas, semicolons, tabs or
//! bars outside of quotes (RFC 4180). A cell counts from four
//! characters on, without its quotes and the white space around it, in small letters, and with a
//! point for a comma; equal ones count once. Other files have no digest.
//!
//! The score is the share of all cells of both inputs that both have, in percent, where cells that
//! many inputs of the comparison hold count less. It needs
//! [`LEAST_SHARED`](crate::shingles::LEAST_SHARED) common ones.

mod form;
mod generate;

pub use generate::Generator;

use crate::shingles::Digest;
use crate::{Comparison, Method};

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cells;

impl Method for Cells {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        "cells"
    }

    fn hasher(&self) -> Generator {
        Generator::default()
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        a.compare(b)
    }
}
