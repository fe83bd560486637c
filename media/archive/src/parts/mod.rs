//! Compressed streams by several threads. A stream that its program wrote in blocks or frames is
//! cut where a decoder may begin, and the parts are decoded ahead, each by one thread; any other
//! stream is decoded by one thread while another one reads the bytes.
//!
//! The bytes do not depend on it: after the first part that is not as expected the stream is read
//! again from its start by one decoder, which names the fault.

mod bzip2;
mod flow;
mod frames;
mod joined;
mod lz4;
mod lzma2;
mod part;
mod steady;
mod xz;

pub use flow::{beside, resumed};
pub use frames::SKIPPABLE;
pub use lzma2::{dictionary, open as lzma2};

use super::crew::CrewStream;
use super::decoder::{self, Packing};
use super::limits::Limits;
use joined::JoinedStream;
use part::{Parts, several};
use pfh_bytes::bytes::Bytes;
use std::io;
use std::sync::Arc;
use steady::Steady;

/// Opens the whole of `bytes` as one stream.
///
/// # Errors
/// Those of the medium.
pub fn open(packing: Packing, bytes: &Arc<dyn Bytes>, limits: &Limits) -> io::Result<CrewStream> {
    let again = {
        let (bytes, limits) = (bytes.clone(), limits.clone());
        move || decoder::open(packing, bytes.clone(), &limits)
    };
    let cut = limits.crew.get().and_then(|crew| Some((crew, several(parts(packing, bytes, limits))?)));
    match cut {
        Some((crew, parts)) => {
            Ok(Box::new(Steady::or(Box::new(JoinedStream::new(crew.clone(), parts)), Box::new(again))))
        }
        None => Ok(beside(again()?, &limits.crew)),
    }
}

/// Where the frame of Zstandard or LZ4 that begins at an offset ends; `None` where none begins, and
/// of other streams.
pub fn frame_end(packing: Packing, bytes: &dyn Bytes, start: u64) -> Option<u64> {
    match packing {
        Packing::Zstd => frames::end(bytes, start),
        Packing::Lz4 => lz4::end(bytes, start),
        _ => None,
    }
}

fn parts(packing: Packing, bytes: &Arc<dyn Bytes>, limits: &Limits) -> Parts {
    match packing {
        Packing::Gzip => Box::new(frames::gzip(bytes, limits)),
        Packing::Zstd => Box::new(frames::zstd(bytes, limits)),
        Packing::Lzip => Box::new(frames::lzip(bytes, limits)),
        Packing::Lz4 => Box::new(lz4::Cutter::new(bytes)),
        Packing::Bzip2 => Box::new(bzip2::Cutter::new(bytes)),
        Packing::Xz => Box::new(xz::parts(bytes, limits)),
        Packing::Compress | Packing::Lzma => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests;
