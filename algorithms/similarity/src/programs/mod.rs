//! The values by which feeds and analysts name programs: of the imports of a PE (imphash), of its
//! Rich header, and of the functions of an ELF (telfhash).
//!
//! * [`imphash`]: MD5 of `library.function` of each import in its order, in small letters, without
//!   the endings `dll`, `ocx` and `sys`; ordinals of three libraries have their names
//!   (`ordinals.txt`, of pefile's tables, MIT), others are `ordN` (Mandiant, *Tracking Malware with
//!   Import Hashing*, 2014). Delayed imports do not count.
//! * [`rich`]: MD5 of the header that Microsoft's linkers write, from `DanS` to `Rich`, without its
//!   mask.
//! * [`telfhash`]: TLSH of the names of the global functions in the first table of symbols, in
//!   small letters and sorted, without those that compilers choose (Trend Micro). An ELF without
//!   symbols has none: the reference disassembles it.
//!
//! Other files, and those of more than [`LARGEST`](crate::imports::LARGEST) bytes, have none.

mod elf;
mod packed;
mod pe;
mod rows;

pub use elf::telfhash;
pub(crate) use packed::DECIDING;
pub use packed::is_packed;
pub use pe::{imphash, rich};
pub use rows::ROWS;
