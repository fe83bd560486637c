//! The bytes of an archive whose members come one behind the other: plain, or in one compressed
//! stream.

use super::decoder::Packing;
use super::limits::Limits;
use super::parts;
use super::tape::Tape;
use super::track::Track;
use pfh_bytes::bytes::Bytes;
use std::io::Read;
use std::sync::Arc;

/// The bytes of an archive.
#[derive(Clone)]
pub enum Store {
    /// As they are.
    Plain(Arc<dyn Bytes>),
    /// In a stream.
    Packed(Arc<Track>),
}

impl Store {
    /// The bytes of a compressed archive, which are read in one pass if each member is read before
    /// the next one is asked for.
    pub fn packed(packing: Packing, bytes: Arc<dyn Bytes>, limits: &Limits) -> Store {
        let limits = limits.clone();
        Store::Packed(Track::new(move || parts::open(packing, &bytes, &limits)))
    }

    /// A range of them.
    pub fn range(&self, start: u64, length: u64) -> Box<dyn Read + Send> {
        match self {
            Store::Plain(bytes) => Box::new(Tape::new(bytes.clone(), start, start.saturating_add(length))),
            Store::Packed(track) => Box::new(track.range(start, length)),
        }
    }

    /// Whether a member is a part of a stream with others.
    pub fn is_shared(&self) -> bool {
        matches!(self, Store::Packed(_))
    }
}
