//! `pfh bench`: which hash, in which language, on this machine; and what will a case take.
//!
//! The study that this repeats: Gurjar, Baggili, Breitinger & Fischer, *An empirical comparison of
//! widely adopted hash functions in digital forensics: does the programming language and operating
//! system make a difference?*, Proceedings of the Conference on Digital Forensics, Security and Law
//! 2015, pp. 57-68 ("the study" below).
#![forbid(unsafe_code)]

pub mod amount;
pub mod args;
#[cfg(feature = "measure")]
pub mod command;
#[cfg(feature = "measure")]
mod error;
#[cfg(feature = "measure")]
pub mod fit;
#[cfg(feature = "measure")]
pub mod forecast;
#[cfg(feature = "measure")]
pub mod languages;
#[cfg(feature = "measure")]
pub mod machine;
#[cfg(feature = "measure")]
mod markup;
#[cfg(feature = "measure")]
pub mod message;
#[cfg(feature = "measure")]
pub mod own;
#[cfg(feature = "measure")]
pub mod papers;
#[cfg(feature = "measure")]
pub mod pipeline;
#[cfg(feature = "measure")]
pub mod random;
#[cfg(feature = "measure")]
pub mod report;
#[cfg(feature = "measure")]
pub mod statistics;
#[cfg(feature = "measure")]
pub mod study;

#[cfg(feature = "measure")]
pub use error::Error;

#[cfg(all(test, feature = "measure"))]
mod schema {
    use pfh_schemas::{Document, of};

    /// The rows that `--json` prints.
    const DOCUMENTS: &[Document] = &[Document {
        name: "bench",
        title: "pfh bench fit, forecast, self and papers --json",
        rows: &[
            of::<crate::fit::FitReport>,
            of::<crate::forecast::ForecastReport>,
            of::<crate::own::SelfReport>,
            of::<crate::papers::Answer<'_>>,
        ],
    }];

    #[test]
    fn the_schemas_are_those_of_the_rows() {
        pfh_schemas::hold(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema"), DOCUMENTS);
    }
}
