//! E01 images: chunks are deflated on all cores and laid out in order.

use crate::pool::{Chunks, Pool};
use crate::spill::{Spill, is_empty};
use pfh_container::ewf::{CaseData, Compression, Digests, Errors, Geometry, Section, Volume, Writer, extension};
use pfh_engine::imaging::{Ending, Packing, Portion, Target};
use pfh_prefetch::Bytes;
use pfh_source::os::positioned::FileExt;
use pfh_source::os::{self, Errno};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// How it is written.
#[derive(Debug, Clone)]
pub struct EwfOptions {
    /// How hard to compress.
    pub compression: Compression,
    /// Largest segment file in bytes.
    pub segment: u64,
    /// Geometry: kind of medium, sector size, sectors per chunk, the set's identifier. Counts are
    /// filled in at the end.
    pub volume: Volume,
    /// Case data.
    pub about: CaseData,
    /// Threads that compress.
    pub threads: usize,
    /// Whether files of the same names are replaced.
    pub replace: bool,
    /// Directories for the segments for which there is no room.
    pub spill: Spill,
}

/// Where an image whose acquisition was cut off is resumed.
#[derive(Debug, Clone)]
pub struct Resumable {
    /// The last finished section on disk.
    pub section: Section,
    /// The image's own geometry.
    pub volume: Volume,
    /// Its case data.
    pub about: CaseData,
}

/// An E01 image being written.
pub struct Ewf {
    first: PathBuf,
    writer: Writer,
    pool: Pool,
    chunk: usize,
    sector: u64,
    /// Bytes that do not fill a chunk yet.
    rest: Vec<u8>,
    current: Option<(u16, File)>,
    /// The last segment that there was before this run.
    found: u16,
    replace: bool,
    /// Largest segment in bytes; the image has no more than that even if it does not shrink.
    largest: u64,
    spill: Spill,
}

impl Ewf {
    /// Starts an image; `first` is the name of its first segment (`….E01`).
    ///
    /// # Errors
    /// The system's error for the first segment, or an error of the threads.
    pub fn create(first: &Path, options: EwfOptions) -> io::Result<Self> {
        let EwfOptions { compression, segment, volume, about, threads, replace, spill } = options;
        spill.check(first)?;
        let writer = Writer::new(Geometry { volume, segment }, about);
        let mut ewf = Self::with(first, writer, volume, compression, threads)?;
        ewf.replace = replace;
        if replace {
            remove_segments(first, 2, &spill)?;
        }
        (ewf.largest, ewf.spill) = (largest(segment, &volume), spill);
        ewf.write_out()?;
        // So that the name is taken before hours of reading, and not after.
        ewf.segment(1)?;
        Ok(ewf)
    }

    /// Resumes an image that was cut off.
    ///
    /// # Errors
    /// The system's.
    pub fn resume(first: &Path, options: EwfOptions, at: &Resumable) -> io::Result<Self> {
        let geometry = Geometry { volume: at.volume, segment: options.segment };
        let writer = Writer::resume(geometry, at.about.clone(), at.section);
        let mut ewf = Self::with(first, writer, at.volume, options.compression, options.threads)?;
        ewf.found = at.section.segment;
        remove_segments(first, at.section.segment + 1, &options.spill)?;
        (ewf.largest, ewf.spill) = (largest(options.segment, &at.volume), options.spill);
        let file = OpenOptions::new().write(true).open(ewf.name(at.section.segment)?)?;
        file.set_len(at.section.end)?;
        ewf.current = Some((at.section.segment, file));
        Ok(ewf)
    }

    fn with(
        first: &Path,
        writer: Writer,
        volume: Volume,
        compression: Compression,
        threads: usize,
    ) -> io::Result<Self> {
        let chunk = volume.chunk_length() as usize;
        Ok(Ewf {
            first: first.to_owned(),
            writer,
            pool: Pool::start(threads, chunk, compression)?,
            chunk,
            sector: u64::from(volume.bytes_per_sector),
            rest: Vec::new(),
            current: None,
            found: 0,
            replace: false,
            largest: 0,
            spill: Spill::default(),
        })
    }

    fn name(&self, number: u16) -> io::Result<PathBuf> {
        segment_name(&self.first, number)
    }

    /// The file of a segment.
    fn segment(&mut self, number: u16) -> io::Result<&File> {
        if self.current.as_ref().is_none_or(|(open, _)| *open != number) {
            self.close()?;
            let mut how = OpenOptions::new();
            how.write(true);
            if number > self.found {
                self.spill.place(&self.name(number)?, self.largest)?;
                // An empty file, as mktemp makes it, holds nothing that could be lost.
                let replace = self.replace || is_empty(&self.name(number)?);
                how.create(true).create_new(!replace).truncate(replace);
                self.found = number;
            }
            self.current = Some((number, how.open(self.name(number)?)?));
        }
        self.current.as_ref().map(|(_, file)| file).ok_or_else(|| Errno::BADF.into())
    }

    fn close(&mut self) -> io::Result<()> {
        let Some((_, file)) = self.current.take() else { return Ok(()) };
        file.sync_all()?;
        Ok(os::close(file.into())?)
    }

    fn write_out(&mut self) -> io::Result<()> {
        for write in self.writer.take() {
            self.segment(write.segment)?.write_all_at(&write.bytes, write.offset)?;
        }
        Ok(())
    }

    /// Lays out the packed chunks; waits until at most `most` jobs are on their way.
    fn lay_out(&mut self, most: u64) -> io::Result<()> {
        while let Some(packed) = self.pool.take(most)? {
            for chunk in &packed {
                self.writer.push(chunk).map_err(io::Error::other)?;
            }
            self.write_out()?;
        }
        Ok(())
    }

    fn join(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() / self.chunk * self.chunk;
        if whole > 0 {
            let tail = self.rest.split_off(whole);
            let chunks = std::mem::replace(&mut self.rest, tail);
            self.pool.give(Chunks::Joined(chunks))?;
        }
        Ok(())
    }
}

/// The name of a segment, in the case of the first one's.
fn segment_name(first: &Path, number: u16) -> io::Result<PathBuf> {
    if number == 1 {
        return Ok(first.to_owned());
    }
    let name = extension(number).ok_or_else(|| io::Error::other("an E01 image has at most 14,971 segments"))?;
    let lower = first.extension().is_some_and(|e| e.as_encoded_bytes().starts_with(b"e"));
    Ok(first.with_extension(if lower { name.to_lowercase() } else { name }))
}

/// The largest that a segment can become, in bytes.
fn largest(segment: u64, volume: &Volume) -> u64 {
    // Chunks that do not shrink are stored with a checksum; headers and tables take little more.
    let whole = volume.length().saturating_add(volume.length() / 64).saturating_add(1 << 20);
    if volume.sectors == 0 { segment } else { segment.min(whole) }
}

fn remove_segments(first: &Path, from: u16, spill: &Spill) -> io::Result<()> {
    let mut number = from;
    while let Ok(stale) = segment_name(first, number)
        && stale.symlink_metadata().is_ok()
    {
        spill.remove(&stale)?;
        number += 1;
    }
    Ok(())
}

impl Target for Ewf {
    fn packing(&self) -> Packing {
        self.pool.packing()
    }

    fn write(&mut self, portion: &Portion) -> io::Result<()> {
        let bytes = &portion.bytes;
        let whole = bytes.len() / self.chunk * self.chunk;
        if self.rest.is_empty() && whole > 0 {
            self.pool.give(Chunks::Slab(Bytes::clone(bytes).first(whole)))?;
            self.rest.extend_from_slice(&bytes[whole..]);
        } else {
            self.join(bytes)?;
        }
        self.lay_out(self.pool.threads() * 2)
    }

    fn sync(&mut self) -> io::Result<u64> {
        self.lay_out(0)?;
        if let Some((_, file)) = &self.current {
            file.sync_data()?;
        }
        Ok(self.writer.settled() * self.chunk as u64)
    }

    fn finish(&mut self, end: &Ending<'_>) -> io::Result<()> {
        if !self.rest.is_empty() {
            let last = std::mem::take(&mut self.rest);
            self.pool.give(Chunks::Joined(last))?;
        }
        let errors =
            Errors::from_ranges(end.bad.iter().map(|b| (b.offset, b.length)), self.sector).map_err(|(at, _)| {
                io::Error::other(format!(
                    "E01 has no room for an unreadable sector at offset {at}: it counts sectors in 32 bits"
                ))
            })?;
        self.writer.set_errors(errors.0.len());
        self.lay_out(0)?;
        let digest = |name: &str| end.digests.iter().find(|d| d.algorithm().name() == name).map(|d| d.bytes());
        let digests = Digests {
            md5: digest("md5").and_then(|b| b.try_into().ok()),
            sha1: digest("sha1").and_then(|b| b.try_into().ok()),
        };
        self.writer.finish(end.bytes.div_ceil(self.sector), &errors, &digests).map_err(io::Error::other)?;
        self.write_out()?;
        self.close()?;
        let directory = match self.first.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        match os::open_to_sync(directory).and_then(os::sync) {
            Err(errno) if errno != Errno::INVAL => Err(errno.into()),
            _ => self.spill.sync(),
        }
    }
}
