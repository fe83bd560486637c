//! Images as targets of the imaging: raw, split raw and E01 files, and block devices.
//!
//! Each target takes the portions of one image in order, says up to where it is on its medium, and
//! can go on there in a later run. The caller decides about a file that exists ([`Start`]); nothing
//! here asks whether the file may go.
#![forbid(unsafe_code)]

mod ewf;
mod pool;
mod raw;
mod spill;

pub use ewf::{Ewf, EwfOptions, Resumable};
pub use raw::{Pieces, Raw, RawOptions, Start};
pub use spill::Spill;
