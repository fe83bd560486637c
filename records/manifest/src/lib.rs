//! Manifests and hash sets as bytes: encoding and decoding, and nothing else. No files, no clock, no threads.
//!
//! A manifest is written through [`Encode`], which [`Format::encoder`] hands out.
//!
//! ```
//! use pfh_digest::Algorithm;
//! use pfh_manifest::{Encode, Format, Layout, Preamble, Row};
//!
//! let sha256: Algorithm = "sha256".parse()?;
//! let mut encoder = Format::Sums.encoder(Layout::default())?;
//! let mut out = Vec::new();
//! encoder.head(&mut out, &Preamble { algorithms: &[sha256], ..Preamble::default() })?;
//! encoder.row(&mut out, &Row { name: b"a\nb", size: 3, digests: &[sha256.digest(b"abc")], ..Row::default() })?;
//! assert_eq!(
//!     String::from_utf8_lossy(&out),
//!     "\\ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\\nb\n"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! and read through [`Decoder`], which finds out the format by itself:
//!
//! ```
//! use pfh_manifest::{Decoder, Item, Options};
//!
//! let list = &b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad *a.bin\r\nrubbish\n"[..];
//! for located in Decoder::open(list, &Options::default())? {
//!     let located = located?;
//!     match located.item {
//!         Item::Entry(entry) => assert_eq!((entry.name.as_slice(), located.line), (&b"a.bin"[..], 1)),
//!         Item::Fault(fault) => assert_eq!((fault.to_string().as_str(), located.line), ("no name", 2)),
//!         Item::Unhashed(_) => unreachable!("such lists have none"),
//!     }
//! }
//! # Ok::<(), std::io::Error>(())
//! ```
#![forbid(unsafe_code)]

pub mod bsd;
pub mod csv;
mod decode;
pub mod dfxml;
pub mod digits;
mod ending;
pub mod escape;
pub mod hashdeep;
pub mod jsonl;
pub mod known;
pub mod lines;
mod manifest;
mod remark;
pub mod similarity;
pub mod sums;
pub mod text;
mod times;

pub use decode::{Decoder, Entry, Fault, Item, Located, Options, Unhashed, Window};
pub use ending::Ending;
pub use manifest::{
    Carried, Encode, End, Format, Kind, Layout, Marker, Outcome, Piece, Preamble, Problem, Row, Summary, UnknownFormat,
    Unrepresentable,
};
pub use pfh_source::Time;
pub use times::Times;
