//! A layer of an image: a tar, plain or compressed.

use super::blobs::Blob;
use super::budget::Budget;
use crate::checked::bomb;
use crate::decoder::{self, Packing};
use crate::format::Format;
use crate::limits::Limits;
use crate::store::Store;
use crate::tape::Tape;
use crate::track::Track;
use pfh_digest::{Digest, Hasher};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How a layer is compressed; `None` if it is not.
///
/// # Errors
/// In words, if it is not a tar.
pub fn packing(blob: &Blob) -> Result<Option<Packing>, String> {
    let size = usize::try_from(blob.bytes.size()).unwrap_or(usize::MAX);
    let mut start = vec![0; size.min(Format::START)];
    blob.bytes.read_exact_at(0, &mut start).map_err(|error| error.to_string())?;
    // One without members is its end alone.
    if start.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    let format = Format::recognize(&start);
    let packing = format.and_then(Packing::of);
    match format {
        Some(Format::Tar) => Ok(None),
        Some(_) if packing.is_some() => Ok(packing),
        _ => Err("is not a tar, plain or compressed".into()),
    }
}

/// The bytes of a layer.
pub fn store(blob: &Blob, packing: Option<Packing>, limits: &Limits) -> Store {
    match packing {
        None => Store::Plain(blob.bytes.clone()),
        Some(packing) => Store::packed(packing, blob.bytes.clone(), limits),
    }
}

/// The digest of a layer's tar while it is read.
pub struct Sum(Arc<Mutex<State>>);

struct State {
    hasher: Option<Hasher>,
    begun: bool,
    ended: bool,
    is_bomb: bool,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sum {
    /// The bytes of a layer, which are summed when they are read for the first time.
    pub fn of(
        blob: &Blob,
        packing: Option<Packing>,
        stated: Option<&Digest>,
        (budget, limits): (Arc<Budget>, &Limits),
    ) -> (Store, Arc<Track>, Sum) {
        let hasher = stated.map(|stated| stated.algorithm().hasher());
        let state = Arc::new(Mutex::new(State { hasher, begun: false, ended: false, is_bomb: false }));
        let (sum, bytes, limits) = (Sum(state.clone()), blob.bytes.clone(), limits.clone());
        let track = Track::new(move || {
            let reader: Box<dyn Read + Send> = match packing {
                None => Box::new(Tape::new(bytes.clone(), 0, bytes.size())),
                Some(packing) => decoder::open(packing, bytes.clone(), &limits)?,
            };
            if std::mem::replace(&mut lock(&state).begun, true) {
                return Ok(reader);
            }
            Ok(Box::new(LayerReader { reader, state: state.clone(), budget: budget.clone() }))
        });
        (Store::Packed(track.clone()), track, sum)
    }

    /// The digest, after the rest was read; `None` if that cannot be.
    pub fn finish(&self, track: &Arc<Track>) -> Option<Digest> {
        // No byte is there, but looking for it reads all bytes in front of it.
        let _ = track.range(u64::MAX - 1, 1).read(&mut [0]);
        let mut state = lock(&self.0);
        let hasher = state.hasher.take();
        hasher.filter(|_| state.ended).map(Hasher::finalize)
    }

    /// Whether it gives more bytes than allowed.
    pub fn is_bomb(&self) -> bool {
        lock(&self.0).is_bomb
    }
}

struct LayerReader {
    reader: Box<dyn Read + Send>,
    state: Arc<Mutex<State>>,
    budget: Arc<Budget>,
}

impl Read for LayerReader {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.reader.read(buffer)?;
        let mut state = lock(&self.state);
        if !self.budget.take_bytes(got as u64) {
            state.is_bomb = true;
            return Err(io::Error::new(io::ErrorKind::InvalidData, bomb(self.budget.most)));
        }
        if let Some(hasher) = &mut state.hasher {
            hasher.update(&buffer[..got]);
        }
        state.ended |= got == 0 && !buffer.is_empty();
        Ok(got)
    }
}
