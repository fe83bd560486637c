//! Objects of stores as entries of a source: `s3://bucket/prefix`, `gs://`, `az://`, `https://`.
//!
//! A store is listed in its own order, ahead of the reading. Small objects are fetched many at
//! once, before their turn; a large one in ranges, several at a time, which arrive in order. Each
//! request states the entity tag that the listing gave (`If-Match`): an object that is replaced
//! meanwhile is an error, and never a digest. An answer that breaks off is asked for again, with
//! growing pauses.
//!
//! Credentials come from the environment and from profiles as the stores' own tools take them:
//! `AWS_*`, `~/.aws`, `GOOGLE_*`, `AZURE_*`.

#![forbid(unsafe_code)]

mod answer;
mod client;
mod fetch;
mod listing;
mod located;
mod location;
mod object;
mod open;
mod page;
mod patience;
mod problem;
mod profile;
mod runtime;
mod session;
mod sign;
mod stated;
mod walk;
mod web;

pub use located::{LocatedSource, Meant};
