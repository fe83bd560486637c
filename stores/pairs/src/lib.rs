//! All pairs of similar digests.
//!
//! A [`Collection`] takes the digests of one algorithm, from records or from a [`List`];
//! [`Search::run`] hands out the pairs, the same ones and with the same scores as comparing each
//! with each. Data that outgrows the memory allowed goes to a temporary file: the pairs found, and
//! with evidence the features; the index of ssdeep makes more passes instead. [`Lookup`] asks a
//! list for the digests similar to one, and [`stored`] keeps an index of ssdeep digests in a file.
#![forbid(unsafe_code)]

mod blocks;
mod certain;
mod collection;
mod families;
mod given;
mod join;
mod list;
mod lookup;
mod pair;
mod ranking;
mod relations;
mod search;
mod sorter;
mod start;
pub mod stored;
mod templates;
mod turned;

pub use certain::{Certain, FeatureFile};
pub use collection::{Collection, DigestRefusal, Features};
pub use given::given;
pub use list::{List, ListProblem, Reading, Wrong};
pub use lookup::{Lookup, Match};
pub use pair::{COMMON, Failure, Hot, Pair, PairOrder, Search, SearchStats, Watch, Watcher};
pub use ranking::{By, Ranking};
pub use relations::{Finding, Kin, PairScores, Relations};
pub use sorter::{Item, Sorter};
pub use start::StartedFile;
pub use templates::Templates;
