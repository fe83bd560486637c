//! NTFS. Own code: the crate `ntfs` 0.4 reads neither compressed streams nor deleted records, gives
//! no runs, and wants `Read + Seek`.

mod attribute;
mod boot;
mod compressed;
mod deleted;
mod index;
mod layers;
mod lznt1;
mod node;
mod older;
mod open;
mod orphans;
mod record;
mod reparse;
mod stream;
mod tree;
mod volume;

pub use open::{open, open_by};
