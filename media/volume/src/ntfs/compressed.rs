//! The content of a compressed stream.

use std::io::Read;
use std::sync::Arc;

use super::lznt1::unpack;
use super::stream::Stream;
use super::volume::Ntfs;
use pfh_bytes::field::failure;
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Content, Failure, Run};
use pfh_bytes::stored::{ByPieces, StoredBytes, named};

/// The most bytes that are compressed together; Windows takes 64 KiB.
const MOST_UNIT: u64 = 1 << 20;

/// A compressed stream.
pub struct CompressedStream {
    pub volume: Arc<Ntfs>,
    pub stream: Arc<Stream>,
    pub path: Vec<u8>,
}

impl CompressedStream {
    fn reader(&self, offset: u64) -> Result<Box<dyn Read + Send>, Failure> {
        let named = |failed: Failure| named(failed, &self.path);
        let method = self.stream.flags & 0xff;
        let unit = self.volume.cluster_size.checked_shl(u32::from(self.stream.unit)).unwrap_or(0);
        if method != 1 || unit == 0 || unit > MOST_UNIT || self.stream.unit > 20 {
            return Err(named(failure(None, format!("compressed by the unknown method {method}"))));
        }
        let layout = self.volume.layout(&self.stream).and_then(|layout| layout.disjoint().map(|()| layout));
        let layout = layout.map_err(named)?;
        let units = Units { volume: self.volume.clone(), stream: self.stream.clone(), layout, unit };
        Ok(Box::new(ByPieces::starting(self.path.clone(), offset, move |at| units.piece(at))))
    }
}

impl Content for CompressedStream {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        self.reader(0)
    }

    fn open_at(&self, offset: u64) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        self.reader(offset).map(Some)
    }

    fn places(&self) -> Option<Vec<Run>> {
        self.volume.layout(&self.stream).ok().map(|layout| layout.runs().to_vec())
    }

    /// Its clusters, one behind the other, without the holes that compression leaves.
    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        let layout = self.volume.layout(&self.stream).and_then(|layout| layout.disjoint().map(|()| layout));
        let layout = layout.map_err(|failed| named(failed, &self.path))?;
        let mut packed = Layout::new(self.volume.size());
        for run in layout.runs().iter().filter(|run| run.medium_offset.is_some()) {
            packed.push(run.medium_offset, run.length)?;
        }
        let size = packed.end();
        let locate = Box::new(move || Ok(packed.clone()));
        StoredBytes { bytes: self.volume.bytes.clone(), path: self.path.clone(), from: 0, size, locate }
            .open()
            .map(Some)
    }
}

/// The units of a stream.
struct Units {
    volume: Arc<Ntfs>,
    stream: Arc<Stream>,
    layout: Layout,
    unit: u64,
}

impl Units {
    /// Bytes from this place on, to the end of its unit at the most; `None` behind the stream.
    fn piece(&self, at: u64) -> Result<Option<Vec<u8>>, Failure> {
        if at >= self.stream.size {
            return Ok(None);
        }
        let within = at % self.unit;
        let mut bytes = self.unpacked(at - within)?;
        bytes.drain(..(within as usize).min(bytes.len()));
        Ok(Some(bytes))
    }

    /// The unit that begins there, as long as the stream has it.
    fn unpacked(&self, at: u64) -> Result<Vec<u8>, Failure> {
        let wanted = usize::try_from(self.unit.min(self.stream.size - at)).unwrap_or(0);
        let written = usize::try_from(self.stream.initialised.saturating_sub(at)).unwrap_or(usize::MAX).min(wanted);
        let runs = self.layout.window(at, at + self.unit);
        let stored: u64 = runs.iter().filter(|run| run.medium_offset.is_some()).map(|run| run.length).sum();
        let mut bytes = if stored == 0 || written == 0 {
            Vec::new()
        } else if stored == self.unit || at + stored >= self.layout.end() && stored >= wanted as u64 {
            // Stored units: those that compression does not shorten, and a last unit that is short.
            self.volume.read(&self.layout, at, wanted)?
        } else {
            let packed = self.volume.read(&self.layout, at, usize::try_from(stored).unwrap_or(0))?;
            let offset = runs.first().and_then(|run| run.medium_offset);
            let found = unpack(&packed, wanted).filter(|found| found.len() >= written);
            found.ok_or_else(|| failure(offset, "the compressed bytes contradict themselves"))?
        };
        bytes.truncate(written);
        bytes.resize(wanted, 0);
        Ok(bytes)
    }
}
