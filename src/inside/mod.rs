//! What is inside images and archives, as entries like any others.
//!
//! [`Expanding`] reads a source and puts behind each container what is in it, in the order of the
//! container: the same pipeline, orders, formats and rules of consistency hold. Names read
//! `case.E01!/p2/Users/a.zip!/b.doc` ([`name`]).

mod about;
mod clock;
mod detect;
mod expanding;
#[cfg(feature = "known")]
mod free;
mod gap;
mod level;
mod lookup;
mod medium;
mod member;
pub mod name;
mod options;
mod outer;
mod segments;
mod spool;
mod sweep;
mod whole;

pub use expanding::Expanding;
#[cfg(feature = "known")]
pub(crate) use free::Free;
pub use lookup::{Lookup, is_inside};
#[cfg(feature = "known")]
pub(crate) use medium::{Imaged, Watch};
pub use options::Options;
pub use pfh_volume::archive::Limits;
pub(crate) use whole::Whole;
