//! The content of a compressed stream.

use std::io::{self, Read};
use std::sync::Arc;

use super::lznt1::unpack;
use super::stream::Stream;
use super::volume::Ntfs;
use crate::field::failure;
use crate::layout::Layout;
use crate::node::{Content, Failure, Run};
use crate::stored::{Stored, named, reported};

/// The most bytes that are compressed together; Windows takes 64 KiB.
const MOST_UNIT: u64 = 1 << 20;

/// A compressed stream.
pub struct Compressed {
    pub volume: Arc<Ntfs>,
    pub stream: Arc<Stream>,
    pub path: Vec<u8>,
}

impl Content for Compressed {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let named = |failed: Failure| named(failed, &self.path);
        let method = self.stream.flags & 0xff;
        let unit = self.volume.cluster_size.checked_shl(u32::from(self.stream.unit)).unwrap_or(0);
        if method != 1 || unit == 0 || unit > MOST_UNIT || self.stream.unit > 20 {
            return Err(named(failure(None, format!("compressed by the unknown method {method}"))));
        }
        let layout = self.volume.layout(&self.stream).and_then(|layout| layout.disjoint().map(|()| layout));
        Ok(Box::new(Units {
            volume: self.volume.clone(),
            stream: self.stream.clone(),
            path: self.path.clone(),
            layout: layout.map_err(named)?,
            unit,
            at: 0,
            held: Vec::new(),
            given: 0,
        }))
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
        Stored { bytes: self.volume.bytes.clone(), path: self.path.clone(), from: 0, size, locate }.open().map(Some)
    }
}

/// Reads a stream unit by unit.
struct Units {
    volume: Arc<Ntfs>,
    stream: Arc<Stream>,
    path: Vec<u8>,
    layout: Layout,
    unit: u64,
    /// Where the unit begins that is read next.
    at: u64,
    held: Vec<u8>,
    given: usize,
}

impl Units {
    /// The unit at `at`, as long as the stream has it.
    fn next(&mut self) -> Result<Vec<u8>, Failure> {
        let wanted = usize::try_from(self.unit.min(self.stream.size - self.at)).unwrap_or(0);
        let written =
            usize::try_from(self.stream.initialised.saturating_sub(self.at)).unwrap_or(usize::MAX).min(wanted);
        let runs = self.layout.window(self.at, self.at + self.unit);
        let stored: u64 = runs.iter().filter(|run| run.medium_offset.is_some()).map(|run| run.length).sum();
        let mut bytes = if stored == 0 || written == 0 {
            Vec::new()
        } else if stored == self.unit || self.at + stored >= self.layout.end() && stored >= wanted as u64 {
            // Stored units: those that compression does not shorten, and a last unit that is short.
            self.volume.read(&self.layout, self.at, wanted)?
        } else {
            let packed = self.volume.read(&self.layout, self.at, usize::try_from(stored).unwrap_or(0))?;
            let offset = runs.first().and_then(|run| run.medium_offset);
            let found = unpack(&packed, wanted).filter(|found| found.len() >= written);
            found.ok_or_else(|| failure(offset, "the compressed bytes contradict themselves"))?
        };
        bytes.truncate(written);
        bytes.resize(wanted, 0);
        Ok(bytes)
    }
}

impl Read for Units {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.held.len() {
            if self.at >= self.stream.size {
                return Ok(0);
            }
            self.held = self.next().map_err(|failed| reported(named(failed, &self.path)))?;
            self.given = 0;
            self.at += self.unit;
        }
        let got = buffer.len().min(self.held.len() - self.given);
        buffer[..got].copy_from_slice(&self.held[self.given..self.given + got]);
        self.given += got;
        Ok(got)
    }
}
