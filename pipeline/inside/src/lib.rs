//! The members of images and archives, as entries like any others.
//!
//! [`Expanding`] reads a source and puts behind each container its entries, in the order of the
//! container: the same pipeline, orders, formats and rules of consistency hold. Names read
//! `case.E01!/p2/Users/a.zip!/b.doc` ([`name`]).
#![forbid(unsafe_code)]

mod about;
mod account;
mod ahead;
mod clock;
mod crew;
mod decoders;
mod detect;
mod expanding;
mod free;
mod imaged;
mod layouts;
mod level;
mod limit;
mod lookup;
mod medium;
mod member;
pub mod name;
mod options;
mod outer;
mod pieces;
mod segments;
mod served;
mod sets;
mod shelf;
mod spool;
mod sweep;
mod unlock;
mod waits;
mod way;
mod whole;
mod window;

pub use account::account;
pub use expanding::Expanding;
pub use free::Free;
pub use imaged::{DecodedImage, images};
pub use limit::{Limit, is_too_deep, limit};
pub use lookup::{Lookup, is_inside};
pub use medium::{ImageMedium, Watch};
pub use options::{Decoding, Options, Snapshots};
pub use pfh_archive::Limits;
pub use pfh_encrypted::{Key, Keys};
pub use pfh_volume::account::{Account, Extent, Holds};
pub use whole::ContainerTree;
