//! Media to be acquired: block devices, files, standard input, images. Read-only, sector by sector
//! where they fail.

mod facts;
mod guard;
pub mod hidden;
mod medium;
mod mountinfo;
mod rescue;
mod skips;

pub use facts::{Facts, mounts};
pub use guard::{Meeting, Place, Places, is_same_medium};
pub use medium::{Access, Kind, Medium};
pub use mountinfo::{MountLine, mounted};
pub use rescue::{Bad, ErrorPolicy, Fill, Loss, Rescue, Stop};
pub use skips::Skips;
