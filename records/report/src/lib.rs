//! Outputs made of records for people and programs: [`verdict`]s of known sets, [`pairs`] and
//! groups of similar entries, pages that show them, or a whole [`case`] or the
//! [`account`] of media, and results as timelines
//! and tables of other programs ([`export`]). Manifests are not here: they are lists that are read
//! again, and in `pfh-manifest`.
#![forbid(unsafe_code)]

pub mod account;
pub mod case;
pub mod export;
mod facts;
mod html;
pub mod pairs;
pub mod rows;
pub mod verdict;

pub use html::live_policy;
pub use pfh_source::terminal::size_text;
