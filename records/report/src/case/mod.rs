//! A case on one page: the files that were read, their faults, and the results.
//!
//! The caller fills a [`Case`] with results; [`Case::render`] writes the page, and
//! [`Case::render_live`] the same for a server that keeps it up to date. Nothing is judged here:
//! verdicts come with their words.

mod model;
mod render;
mod rows;
mod sections;

pub use model::{
    Acquisition, Case, Copies, Folders, Group, Hit, KnownResults, ManifestCounts, OpenJob, Problem, Results, Row,
    SetCount, Source, Standing, Tone, VerdictEvidence,
};
pub use rows::Rows;
