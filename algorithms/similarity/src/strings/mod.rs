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

use crate::registry::{parse, row};
use crate::shingles::{Digest, of_unit};
use crate::{Comparison, Content, Hasher, Method, Named, Profile, Score, Similar};
use pfh_digest::{Row, State, Value};

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strings;

pub(crate) const PROFILE: Profile = Profile {
    lacking: "not an executable",
    lacking_all: "not executables",
    unit: "string",
    // In one half of Debian's packages no two programs of different sources reach 18, in the other
    // half no two reach 15, and 99 and 100 in 100 new releases reach 20; texts that share nothing
    // reach 1 (bench/record, detection-kinds).
    threshold: Score::Similarity(20),
    reference: Score::Similarity(20),
    marks: |text| text.starts_with(b"strings:"),
    ..of_unit("strings")
};

// Its digests are its features.
pub(crate) const ROW: Row =
    row(&Named::Strings, |text| parse(Named::Strings, text), || Box::new(Running(Strings.hasher())))
        .with_features(|| Box::new(Running(Strings.hasher())));

/// The generator, which also sees whether a program is packed.
#[derive(Clone)]
struct Running(Generator);

impl State for Running {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        let is_packed = self.0.is_packed();
        Similar::new(Named::Strings, self.0.finalize().map(Content::Shingles), None).of_packed(is_packed).into()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

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
