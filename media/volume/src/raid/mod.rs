//! Arrays of Linux's md driver: RAID 0, 1, 4, 5, 6, 10, and devices one behind the other, from as
//! many members as are there.

mod array;
mod geometry;
pub mod parity;
mod set;
mod superblock;

pub use array::{Array, Device};
pub use geometry::{Copies, Geometry, Parity, striped};
pub use set::assemble;
pub use superblock::{Member, is_member_to_the_end};
