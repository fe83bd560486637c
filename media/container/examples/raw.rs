//! Writes the disk in an image to standard output and names each range that cannot be read:
//! `cargo run --example raw -- disk.E01 >disk.raw`.
//!
//! Reads E01 (all segments beside the first), Ex01, VHD, VHDX, VMDK, QCOW2, DMG and AFF4. A gap is
//! written as zeros. The exit code is 0 if all was read, 3 if there are gaps, 1 if the image cannot
//! be opened.

use pfh_container::disk::{self, END, Kind, START, Siblings};
use pfh_container::ewf::{Decompressor, Index, ReadAt, Table, extension};
use pfh_container::{Bytes, Units};
use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

/// Gaps begin and end with a sector.
const SECTOR: u64 = 512;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let image = std::env::args_os().nth(1).ok_or("give an IMAGE")?;
    let disk = open(Path::new(&image))?;
    let gaps = copy(&*disk, &mut io::stdout().lock())?;
    for gap in &gaps {
        eprintln!("{}: {} bytes from {}: {}", image.display(), gap.length, gap.start, gap.cause);
    }
    Ok(if gaps.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(3) })
}

/// A range that is zeros in the output because it cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Gap {
    /// Where on the disk, in bytes.
    pub start: u64,
    /// How many bytes.
    pub length: u64,
    /// Why they cannot be read.
    pub cause: String,
}

/// Copies all bytes; the ranges that cannot be read.
pub fn copy(disk: &dyn Bytes, out: &mut dyn Write) -> io::Result<Vec<Gap>> {
    let (mut gaps, mut at, mut buffer): (Vec<Gap>, u64, _) = (Vec::new(), 0, vec![0; 64 << 10]);
    while at < disk.size() {
        let left = disk.size() - at;
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let cause = match disk.read_at(at, &mut buffer[..room]) {
            Ok(got) if got > 0 => {
                out.write_all(&buffer[..got])?;
                at += got as u64;
                continue;
            }
            Ok(_) => "the image ends before".to_owned(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => error.to_string(),
        };
        let length = (SECTOR - at % SECTOR).min(left);
        out.write_all(&[0; SECTOR as usize][..length as usize])?;
        match gaps.last_mut() {
            Some(last) if last.start + last.length == at && last.cause == cause => last.length += length,
            _ => gaps.push(Gap { start: at, length, cause }),
        }
        at += length;
    }
    out.flush()?;
    Ok(gaps)
}

/// Opens the disk in an image.
pub fn open(image: &Path) -> Result<Box<dyn Bytes>, Box<dyn Error>> {
    let file = Plain::open(image)?;
    let (mut start, mut end) = (vec![0; START.min(file.size() as usize)], vec![0; END.min(file.size() as usize)]);
    file.read_exact_at(0, &mut start)?;
    file.read_exact_at(file.size() - end.len() as u64, &mut end)?;
    if start.starts_with(b"EVF\x09\x0d\x0a\xff\0") {
        return Ok(Box::new(Ewf::open(image)?));
    }
    let kind = Kind::recognize(&start, &end).ok_or("not an image of a disk that is read here")?;
    let name = image.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = image.parent().unwrap_or(Path::new("")).to_owned();
    Ok(disk::open(kind, Arc::new(file), &Beside { folder, name })?)
}

/// A file.
struct Plain(Mutex<File>, u64);

impl Plain {
    fn open(path: &Path) -> io::Result<Plain> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        Ok(Plain(Mutex::new(file), size))
    }
}

impl Bytes for Plain {
    fn size(&self) -> u64 {
        self.1
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read(buffer)
    }
}

/// The files beside the first of an image: extents of a VMDK, the disk that a difference is to.
struct Beside {
    folder: PathBuf,
    name: String,
}

impl Siblings for Beside {
    fn open(&self, name: &str) -> io::Result<Option<Arc<dyn Bytes>>> {
        match Plain::open(&self.folder.join(name)) {
            Ok(file) => Ok(Some(Arc::new(file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn first(&self) -> &str {
        &self.name
    }
}

/// The segments of an E01.
struct Segments(Vec<Plain>);

impl ReadAt for Segments {
    fn segments(&self) -> u16 {
        self.0.len() as u16
    }

    fn length(&self, segment: u16) -> io::Result<u64> {
        Ok(self.0[usize::from(segment) - 1].size())
    }

    fn read_at(&self, segment: u16, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0[usize::from(segment) - 1].read_exact_at(offset, buffer)
    }
}

/// The disk in an E01: chunks, the last ones of them unpacked.
struct Ewf {
    segments: Segments,
    index: Index,
    tables: Units<Table>,
    chunks: Units,
}

impl Ewf {
    fn open(first: &Path) -> Result<Ewf, Box<dyn Error>> {
        let mut segments = Segments(vec![Plain::open(first)?]);
        for number in 2.. {
            let Some(path) = extension(number).map(|extension| first.with_extension(extension)) else { break };
            match Plain::open(&path) {
                Ok(segment) => segments.0.push(segment),
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(error.into()),
            }
        }
        let index = Index::open(&segments)?;
        Ok(Ewf { segments, index, tables: Units::default(), chunks: Units::default() })
    }

    fn chunk(&self, number: u64) -> io::Result<Vec<u8>> {
        let place = self.index.locate(&self.segments, number, &self.tables).map_err(io::Error::other)?;
        let (mut stored, mut bytes) = (vec![0; place.stored], vec![0; place.length]);
        self.segments.read_at(place.segment, place.offset, &mut stored)?;
        let unpacked = Decompressor::default().unpack(&stored, place.is_compressed, &mut bytes);
        unpacked.map_err(|fault| io::Error::other(fault.what))?;
        Ok(bytes)
    }
}

impl Bytes for Ewf {
    fn size(&self) -> u64 {
        self.index.volume.length()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let volume = &self.index.volume;
        if offset >= self.size() || buffer.is_empty() {
            return Ok(0);
        }
        // Sectors that the imager could not read are zeros in the image, which states where.
        let sector = offset / u64::from(volume.bytes_per_sector);
        let mut end = self.size();
        for &(first, count) in &self.index.errors.0 {
            let (first, past) = (u64::from(first), u64::from(first) + u64::from(count));
            if (first..past).contains(&sector) {
                return Err(io::Error::other("unreadable when the image was made"));
            }
            if first > sector {
                end = end.min(first * u64::from(volume.bytes_per_sector));
            }
        }
        let number = offset / volume.chunk_length();
        let chunk = self.chunks.get(number, || self.chunk(number))?;
        let rest = chunk.get((offset % volume.chunk_length()) as usize..).unwrap_or_default();
        let got = rest.len().min(buffer.len()).min((end - offset) as usize);
        buffer[..got].copy_from_slice(&rest[..got]);
        Ok(got)
    }
}
