//! The account of a medium: what each of its bytes is. A reader claims the ranges that it
//! understands; the rest is looked at, and is padding if it is all one byte, and residue if not.

mod claims;
mod extent;
mod layers;
mod look;
mod residue;

pub use claims::Claims;
pub use extent::{Account, Extent, Holds};
pub use layers::Layers;
pub use look::looks_like;
pub use residue::{residue, said};
