//! Digests against each other: every pair that is similar enough, in an order that depends on the digests alone.
//!
//! A [`Collection`] takes the digests of one algorithm, from records or from files; [`Search::run`] hands out the pairs, the same ones and
//! with the same scores as comparing each with each. What outgrows the memory allowed goes to a temporary file: the pairs found,
//! and with evidence the features; the index of ssdeep makes more passes instead.

mod blocks;
mod collection;
mod join;
mod lookup;
mod ranking;
mod search;
mod sorter;
pub mod stored;

pub use collection::{Collection, Refused};
pub use lookup::{Lookup, Match};
pub use ranking::{By, Ranking};
pub use search::{Failure, Found, Hot, Order, Pair, Search, Watch};
