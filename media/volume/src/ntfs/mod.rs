//! NTFS. Own code: the crate `ntfs` 0.4 reads neither compressed streams nor deleted records, gives
//! no runs, and wants `Read + Seek`.

mod attribute;
mod boot;
mod compressed;
mod deleted;
mod index;
mod lznt1;
mod node;
mod orphans;
mod record;
mod reparse;
mod shadow;
mod stream;
mod tree;
mod volume;

pub use tree::{open, open_by};
