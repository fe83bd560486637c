//! Images with bytes that were changed: the reader ends on all of them, in bounded work.

use super::folder::{disk, kind, noise, open_path, run};
use super::qemu::IMAGES;
use super::stated::{every_form, zlib};
use super::{aff4, ex01};
use pfh_container::Bytes;
use pfh_container::disk::{Alone, open};
use pfh_inject::{Need, lacks, mutants};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An image with changes, that counts how often it is read.
struct Mutant {
    image: Arc<Vec<u8>>,
    changes: Vec<(u64, u8)>,
    reads: AtomicU64,
}

/// Reads of one image beyond which the reader counts as hanging.
const MOST_READS: u64 = 300_000;

impl Bytes for Mutant {
    fn size(&self) -> u64 {
        self.image.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        assert!(self.reads.fetch_add(1, Ordering::Relaxed) < MOST_READS, "no end: {:?}", self.changes);
        let got = self.image.read_at(offset, buffer)?;
        for &(at, byte) in &self.changes {
            if let Some(slot) = at.checked_sub(offset).filter(|&slot| slot < got as u64) {
                buffer[slot as usize] = byte;
            }
        }
        Ok(got)
    }
}

/// Opens mutants of an image and reads them here and there. Of the places three quarters are where
/// structures are: at the start, at the end, and bytes of tables.
fn survive(image: Vec<u8>, what: &str) {
    let image = Arc::new(image);
    let size = image.size();
    let used: Vec<u64> = (0..size).filter(|at| (1..255).contains(&image[*at as usize])).collect();
    for seed in 1..=mutants() {
        let numbers = noise(seed, 128);
        let numbers: Vec<u64> = numbers.chunks(8).map(|raw| u64::from_le_bytes(raw.try_into().unwrap())).collect();
        let changes: Vec<(u64, u8)> = (0..1 + seed as usize % 3)
            .map(|index| {
                let (choice, number) = (numbers[index] % 4, numbers[index] >> 8);
                let at = match choice {
                    0 => number % size.min(4096),
                    1 => size - 1 - number % size.min(70_000),
                    2 => used[(number % used.len() as u64) as usize],
                    _ => number % size,
                };
                (at, numbers[4 + index] as u8)
            })
            .collect();
        exhaust(Arc::new(Mutant { image: image.clone(), changes, reads: AtomicU64::new(0) }), &numbers[8..]);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    assert!(peak.unwrap_or(0) < 1 << 20, "{what}: {peak:?} kB at most");
}

/// Reads the start, the end and a few places, and compares the stated digests for a while.
fn exhaust(file: Arc<dyn Bytes>, places: &[u64]) {
    let Some(kind) = kind(&*file) else { return };
    let Ok(disk) = open(kind, file, &Alone) else { return };
    let size = disk.size();
    let mut room = vec![0; 100_000];
    for place in [0, size.saturating_sub(70_000)].into_iter().chain(places.iter().map(|place| place % size.max(1))) {
        let mut at = place;
        for _ in 0..8 {
            match disk.read_at(at, &mut room) {
                Ok(0) => assert!(at >= size, "{}: the end is at {at} of {size}", kind.name()),
                Ok(got) => at += got as u64,
                Err(_) => at += 512,
            }
            assert!(at <= size.saturating_add(512));
        }
    }
    let mut left = 200;
    let _ = disk.check(&mut || {
        left -= 1;
        left > 0
    });
    let _ = (disk.digests(), disk.notes(), disk.sector());
}

#[test]
fn mutants_end_qemu() {
    if lacks(&[Need::Program("qemu-img")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    std::fs::write(room.path().join("raw"), disk()).unwrap();
    for (format, options, words) in IMAGES {
        // Of a disk in several files the first is the only one here.
        if options.contains("Extent") || options.contains("Flat") {
            continue;
        }
        let line = [&["convert", "-f", "raw", "-O", format, "-o", options], *words, &["raw", "image"]].concat();
        run(room.path(), "qemu-img", &line);
        assert!(open_path(&room.path().join("image")).is_ok());
        survive(std::fs::read(room.path().join("image")).unwrap(), &format!("{format} {options}"));
    }
}

#[test]
fn mutants_end_dmg() {
    if lacks(&[Need::Program("bzip2"), Need::Program("xz")]) {
        return;
    }
    survive(every_form(&disk()), "dmg");
}

#[test]
fn mutants_end_aff4() {
    survive(aff4::write(&disk(), "https://www.ietf.org/rfc/rfc1950.txt", &|bytes| Some(zlib(bytes))), "aff4");
}

#[test]
fn mutants_end_ex01() {
    survive(ex01::write(&disk(), 1, &zlib).remove(0), "Ex01");
}
