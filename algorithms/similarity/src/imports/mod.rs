//! Executables by their imports, exports and sections.
//!
//! A feature is an imported name (of PE with its library, in any case; also an ordinal), an
//! exported name, a library, or the name and the bytes of a section of at least
//! [`LEAST_SECTION`] bytes that the linker did not write for itself; equal ones count once. ELF, PE
//! and Mach-O have them, of universal binaries those of all architectures. Files of other kinds,
//! damaged ones and those of more than [`LARGEST`] bytes have no digest.
//!
//! The score is the share of all features of both inputs that both have, in percent, each counting
//! the same: rare names alone tell less, for they change from release to release. It needs
//! [`LEAST_SHARED`](crate::shingles::LEAST_SHARED) common ones. It finds programs that hide their
//! strings and still call the same functions.

mod features;
mod generate;

pub use features::{Features, LARGEST, LEAST_SECTION, read};
pub use generate::Generator;

use crate::shingles::Digest;
use crate::{Comparison, Method};

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imports;

impl Method for Imports {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        "imports"
    }

    fn hasher(&self) -> Generator {
        Generator::new()
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        a.compare(b)
    }
}
