//! What is made of records for people and programs: [`verdict`]s of known sets, [`pairs`] and
//! groups of similar entries, and a page that shows them. Manifests are not here: they are lists
//! that are read again, and in `pfh-manifest`.
#![forbid(unsafe_code)]

pub mod pairs;
pub mod verdict;
