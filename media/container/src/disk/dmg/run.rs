//! Runs: for each range of the disk its place in the file, and its form.

use crate::disk::Failure;
use crate::disk::unpack::{LONGEST, Method};
use crate::field::{be32, be64};

/// Bytes of a sector.
pub const SECTOR: u64 = 512;
/// CRC-32 among the kinds of checksums.
const CRC32: u32 = 2;
const HEAD: usize = 204;
const ENTRY: usize = 40;

/// The checksum in 136 bytes: kind, bits, value.
pub fn checksum(bytes: &[u8], at: usize) -> Option<u32> {
    (be32(bytes, at) == CRC32 && be32(bytes, at + 4) == 32).then(|| be32(bytes, at + 8))
}

/// How a run is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Zeros that belong to a file.
    Zero,
    /// Zeros that nobody uses.
    Ignored,
    /// As it is.
    Raw,
    /// Compressed.
    Packed(Method),
}

/// A range of the disk, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// Where on the disk.
    pub start: u64,
    /// How long.
    pub length: u64,
    /// How it is stored.
    pub form: Form,
    /// Where in the file.
    pub at: u64,
    /// Bytes there.
    pub stored: u64,
}

/// A part of the disk with a table of its own.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Where it begins on the disk, in bytes.
    pub start: u64,
    /// How long it is.
    pub length: u64,
    /// The CRC-32 that is stated.
    pub stated: Option<u32>,
}

impl Table {
    /// Reads a table (`mish`) and adds its runs. `fork` is where the content begins in the file.
    pub fn read(name: String, bytes: &[u8], fork: u64, file: u64, runs: &mut Vec<Run>) -> Result<Table, Failure> {
        let wrong = |what: &str| Failure::malformed(format!("the table of runs of {name:?} {what}"));
        if bytes.len() < HEAD || !bytes.starts_with(b"mish") {
            return Err(wrong("has no head"));
        }
        let count = be32(bytes, 200) as usize;
        if count.checked_mul(ENTRY).is_none_or(|length| length > bytes.len() - HEAD) {
            return Err(wrong("is shorter than it says"));
        }
        let bytes_of = |sectors: u64| sectors.checked_mul(SECTOR).filter(|bytes| *bytes < 1 << 62);
        let (first, sectors) = (be64(bytes, 8), be64(bytes, 16));
        let (Some(start), Some(length)) = (bytes_of(first), bytes_of(sectors)) else {
            return Err(wrong("is of a vast disk"));
        };
        let base = fork.checked_add(be64(bytes, 24)).ok_or_else(|| wrong("lies outside of the file"))?;
        for entry in bytes[HEAD..].chunks_exact(ENTRY).take(count) {
            let form = match be32(entry, 0) {
                0 => Form::Zero,
                1 => Form::Raw,
                2 => Form::Ignored,
                0x8000_0004 => Form::Packed(Method::Adc),
                0x8000_0005 => Form::Packed(Method::Zlib),
                0x8000_0006 => Form::Packed(Method::Bzip2),
                0x8000_0007 => Form::Packed(Method::Lzfse),
                0x8000_0008 => Form::Packed(Method::Xz),
                // A comment, the end.
                0x7fff_fffe | 0xffff_ffff => continue,
                _ => return Err(wrong("has a run of a kind that is not known")),
            };
            let place = (bytes_of(be64(entry, 8)), bytes_of(be64(entry, 16)));
            let (Some(offset), Some(run)) = place else { return Err(wrong("has a run of a vast disk")) };
            if offset.checked_add(run).is_none_or(|end| end > length) {
                return Err(wrong("has a run outside of its part"));
            }
            let (at, mut stored) = (base.checked_add(be64(entry, 24)), be64(entry, 32));
            if matches!(form, Form::Zero | Form::Ignored) {
                stored = 0;
            }
            let end = at.and_then(|at| at.checked_add(stored));
            let (Some(at), true) = (at, stored == 0 || end.is_some_and(|end| end <= file)) else {
                return Err(wrong("has a run outside of the file"));
            };
            // A packed run is held whole, packed and unpacked.
            if matches!(form, Form::Packed(_)) && (run > LONGEST || stored > 2 * LONGEST) {
                return Err(Failure::refused(format!("a compressed run of {run} bytes")));
            }
            if run > 0 {
                runs.push(Run { start: start + offset, length: run, form, at, stored });
            }
        }
        Ok(Table { stated: checksum(bytes, 64), name, start, length })
    }
}

/// The runs in order of the disk; gaps between them, up to `size`, are zeros that nobody uses.
pub fn whole(mut runs: Vec<Run>, size: u64) -> Result<Vec<Run>, Failure> {
    runs.sort_by_key(|run| run.start);
    let mut all = Vec::with_capacity(runs.len());
    let mut end = 0;
    let gap = |start, length| Run { start, length, form: Form::Ignored, at: 0, stored: 0 };
    for run in runs {
        if run.start < end {
            return Err(Failure::malformed(format!("two runs of the disk's byte {}", run.start)));
        }
        if run.start > end {
            all.push(gap(end, run.start - end));
        }
        end = run.start + run.length;
        all.push(run);
    }
    if end > size {
        return Err(Failure::malformed(format!("runs up to byte {end} of a disk of {size} bytes")));
    }
    if end < size {
        all.push(gap(end, size - end));
    }
    Ok(all)
}
