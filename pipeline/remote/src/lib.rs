//! Objects of stores as entries of a source: `s3://bucket/prefix`, `gs://`, `az://`, `https://`.
//!
//! A store is listed in its own order, ahead of the reading. Small objects are fetched many at
//! once, before their turn; a large one in ranges, several at a time, which arrive in order. Each
//! request states the entity tag that the listing gave (`If-Match`): an object that is replaced
//! meanwhile is an error, and never a digest. An answer that breaks off is asked for again, with
//! growing pauses.
//!
//! Credentials come from the environment as the stores' own tools take them: `AWS_*`, `GOOGLE_*`,
//! `AZURE_*`.

#![forbid(unsafe_code)]

mod fetch;
mod listing;
mod located;
mod location;
mod object;
mod page;
mod problem;
mod runtime;
mod stated;

pub use located::{Located, Meant};
pub use location::LocationError;
