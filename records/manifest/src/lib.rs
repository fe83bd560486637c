//! Manifests and hash sets as bytes: encoding and decoding, and nothing else. No files, no clock,
//! no threads.
//!
//! Records of the engine are written through [`Encode`], which [`Format::encoder`] hands out.
//!
//! ```
//! use pfh_digest::Algorithm;
//! use pfh_engine::{HashedFile, Outcome, Record};
//! use pfh_manifest::{Encode, Format, Layout, Preamble};
//! use pfh_source::ReadResult;
//!
//! let sha256: Algorithm = "sha256".parse()?;
//! let closed = ReadResult { size: 3, stat: None, notes: Vec::new(), inside: None };
//! let hashed = HashedFile { closed, digests: vec![sha256.digest(b"abc")], pieces: Vec::new() };
//! let record = Record { number: 0, name: b"a\nb".to_vec(), outcome: Outcome::Hashed(hashed) };
//!
//! let mut encoder = Format::Sums.encoder(Layout::default())?;
//! let mut out = Vec::new();
//! encoder.head(&mut out, &Preamble { algorithms: &[sha256], ..Preamble::default() })?;
//! let _ = encoder.record(&mut out, &record)?;
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

pub mod amend;
mod blocks;
mod bounded;
pub mod bsd;
mod columns;
mod count;
pub mod csv;
mod decode;
pub mod dfxml;
pub mod digits;
mod draft;
mod encode;
mod encoder;
mod ending;
mod entry;
pub mod escape;
mod exact;
mod format;
pub mod hashdeep;
mod html;
mod json;
pub mod jsonl;
pub mod known;
pub mod lines;
mod named;
pub mod others;
mod remark;
mod returns;
mod roles;
pub mod row;
mod sample;
mod signature;
pub mod similarity;
pub mod strict;
pub mod sums;
mod times;
mod xml;

pub use count::{Count, Names};
pub use decode::Decoder;
pub use encode::{Encode, FormatFit, Preamble, Unrepresentable};
pub use ending::Ending;
pub use entry::{Entry, Fault, Item, LocatedItem, Options, Reason, UnhashedEntry};
pub use format::{End, Format, Layout, Marker, UnknownFormat};
pub use named::{hints, unknown};
pub use pfh_source::Time;
pub use times::Times;
