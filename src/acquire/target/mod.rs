//! Images as targets: raw, split raw and E01 files, and block devices.

mod ewf;
mod pool;
mod raw;
mod spill;
mod tree;

pub use ewf::{Ewf, EwfOptions, Resumable};
pub use raw::{Pieces, Raw, RawOptions, Start};
pub use spill::Spill;
pub use tree::OutboardTarget;
