//! UDIF, the disk images of macOS: a trailer (`koly`), a property list with tables of runs
//! (`mish`), and the runs. All numbers are big-endian.

mod property_list;
mod run;

use super::unpack::{Method, unpack};
use super::{Check, Disk, Failure, Kind};
use crate::Bytes;
use crate::field::{be32, be64};
use crate::units::Units;
use run::{Form, Run, SECTOR, Table, checksum};
use std::io;
use std::sync::Arc;

/// The longest property list: tables of some 800,000 runs.
const LONGEST: u64 = 48 << 20;
/// Bytes that are read at once to compare checksums.
const PIECE: usize = 1 << 20;

/// A UDIF image, open.
struct Dmg {
    file: Arc<dyn Bytes>,
    units: Units,
    size: u64,
    /// In order of the disk, without a gap.
    runs: Vec<Run>,
    tables: Vec<Table>,
    /// Where the content is, and its checksum.
    fork: (u64, u64, Option<u32>),
    master: Option<u32>,
}

/// Opens a UDIF image.
pub fn open(file: Arc<dyn Bytes>) -> Result<Box<dyn Disk>, Failure> {
    let at = file.size().checked_sub(512).ok_or_else(|| Failure::malformed("no trailer"))?;
    let mut koly = [0; 512];
    file.read_exact_at(at, &mut koly)?;
    if be32(&koly, 60) > 1 {
        return Err(Failure::refused(format!("one of {} segments", be32(&koly, 60))));
    }
    let (place, length) = (be64(&koly, 216), be64(&koly, 224));
    if length == 0 {
        return Err(Failure::refused("has no property list: an image of before Mac OS X 10.2"));
    }
    if length > LONGEST || place.checked_add(length).is_none_or(|end| end > at) {
        return Err(Failure::at(at, format!("a property list of {length} bytes at {place}")));
    }
    let fork = (be64(&koly, 24), be64(&koly, 32));
    if fork.0.checked_add(fork.1).is_none_or(|end| end > at) {
        return Err(Failure::at(at, "the content leaves the file"));
    }
    let mut list = vec![0; length as usize];
    file.read_exact_at(place, &mut list)?;
    let (mut runs, mut tables) = (Vec::new(), Vec::new());
    for (name, bytes) in property_list::tables(&list)? {
        tables.push(Table::read(name, &bytes, fork.0, file.size(), &mut runs)?);
    }
    let stated = be64(&koly, 492).checked_mul(SECTOR).ok_or_else(|| Failure::at(at, "more bytes than 2^64"))?;
    let runs = run::whole(runs, stated)?;
    let fork = (fork.0, fork.1, checksum(&koly, 80));
    let (units, master) = (Units::default(), checksum(&koly, 352));
    Ok(Box::new(Dmg { file, units, size: stated, runs, tables, fork, master }))
}

impl Dmg {
    fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let after = self.runs.partition_point(|run| run.start <= offset);
        let Some((number, run)) = after.checked_sub(1).map(|at| (at as u64, &self.runs[at])) else { return Ok(0) };
        let inside = offset - run.start;
        let take = usize::try_from(run.length.saturating_sub(inside)).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = &mut buffer[..take];
        match run.form {
            Form::Zero | Form::Ignored => buffer.fill(0),
            // The stored bytes may be fewer than the run: the rest is zeros.
            Form::Raw => {
                let there = usize::try_from(run.stored.saturating_sub(inside)).unwrap_or(usize::MAX).min(take);
                self.file.read_exact_at(run.at.saturating_add(inside), &mut buffer[..there])?;
                buffer[there..].fill(0);
            }
            Form::Packed(method) => {
                let unit = self.units.get(number, || self.unpack(run, method))?;
                let from = inside as usize;
                buffer.copy_from_slice(&unit[from..from + take]);
            }
        }
        Ok(take)
    }

    fn unpack(&self, run: &Run, method: Method) -> Result<Vec<u8>, Failure> {
        let mut packed = vec![0; run.stored as usize];
        self.file.read_exact_at(run.at, &mut packed)?;
        unpack(method, &packed, run.length).map_err(|failure| match failure {
            Failure::Malformed { what, .. } => Failure::at(run.at, what),
            other => other,
        })
    }

    /// The checksums of a range: with all of it, and without the runs that are ignored. `None` if
    /// the comparison was ended.
    fn sums(&self, table: &Table, go_on: &mut dyn FnMut() -> bool) -> Result<Option<(u32, u32)>, Failure> {
        let (mut all, mut held) = (crc32fast::Hasher::new(), crc32fast::Hasher::new());
        let end = table.start.saturating_add(table.length).min(self.size);
        let (mut at, mut room) = (table.start, vec![0; PIECE]);
        while at < end {
            if !go_on() {
                return Ok(None);
            }
            let most = usize::try_from(end - at).unwrap_or(usize::MAX).min(PIECE);
            let got = self.read(at, &mut room[..most])?;
            let after = self.runs.partition_point(|run| run.start <= at);
            all.update(&room[..got]);
            if after == 0 || self.runs[after - 1].form != Form::Ignored {
                held.update(&room[..got]);
            }
            at += got.max(1) as u64;
        }
        Ok(Some((all.finalize(), held.finalize())))
    }

    /// The checksum of the stored content.
    fn fork(&self, go_on: &mut dyn FnMut() -> bool) -> Result<Option<u32>, Failure> {
        let (mut sum, mut room, mut done) = (crc32fast::Hasher::new(), vec![0; PIECE], 0);
        while done < self.fork.1 {
            if !go_on() {
                return Ok(None);
            }
            let most = usize::try_from(self.fork.1 - done).unwrap_or(usize::MAX).min(PIECE);
            self.file.read_exact_at(self.fork.0 + done, &mut room[..most])?;
            sum.update(&room[..most]);
            done += most as u64;
        }
        Ok(Some(sum.finalize()))
    }
}

impl Bytes for Dmg {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        Ok(self.read(offset, buffer)?)
    }
}

impl Disk for Dmg {
    fn kind(&self) -> Kind {
        Kind::Dmg
    }

    fn check(&self, go_on: &mut dyn FnMut() -> bool) -> Vec<Check> {
        let mut found = Vec::new();
        let mut enter = |what: String, stated: u32, sums: Result<Vec<u32>, Failure>| {
            let wrong = match sums {
                Ok(sums) if sums.contains(&stated) => None,
                Ok(sums) => {
                    let is = sums.first().copied().unwrap_or_default();
                    Some(Failure::malformed(format!("{stated:08x} is stated, and {is:08x} computed")))
                }
                Err(failure) => Some(failure),
            };
            found.push(Check { what, wrong });
        };
        if let Some(stated) = self.fork.2 {
            match self.fork(go_on).transpose() {
                None => return found,
                Some(sum) => enter("CRC-32 of the content as it is stored".into(), stated, sum.map(|sum| vec![sum])),
            }
        }
        let mut joined = crc32fast::Hasher::new();
        let is_whole = self.tables.iter().all(|table| table.stated.is_some());
        for table in &self.tables {
            let Some(stated) = table.stated else { continue };
            joined.update(&stated.to_be_bytes());
            match self.sums(table, go_on).transpose() {
                None => return found,
                Some(sums) => {
                    enter(format!("CRC-32 of {:?}", table.name), stated, sums.map(|(all, held)| vec![all, held]));
                }
            }
        }
        if let Some(stated) = self.master.filter(|_| is_whole) {
            enter("CRC-32 of the checksums of all parts".into(), stated, Ok(vec![joined.finalize()]));
        }
        found
    }
}
