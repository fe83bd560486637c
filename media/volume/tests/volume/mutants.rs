//! Images with bytes that were changed: the reader always ends, in bounded work.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pfh_inject::mutants;
use pfh_volume::{Bytes, FileSystem, Nodes, Options, VolumeContent, account, file_system, partitions};

use crate::tree::noise;

/// An image with changes, that counts how often it is read.
struct Mutant {
    image: Arc<Vec<u8>>,
    changes: Vec<(u64, u8)>,
    reads: AtomicU64,
}

/// Reads of one image beyond which the reader counts as hanging.
const MOST_READS: u64 = 3_000_000;

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

/// Reads everything of an image whose bytes were changed at a few places, many times over. Half of
/// the places are chosen among bytes that are not zero, where structures are.
pub fn survive(path: &Path, structures: &[std::ops::Range<u64>]) {
    let image = Arc::new(std::fs::read(path).expect("an image"));
    let used: Vec<u64> = structures
        .iter()
        .flat_map(|range| range.clone())
        .filter(|&at| image.get(at as usize).is_some_and(|&byte| byte != 0))
        .collect();
    for seed in 1..=mutants() {
        let numbers: Vec<u64> =
            noise(seed, 64).chunks(8).map(|raw| u64::from_le_bytes(raw.try_into().unwrap())).collect();
        let changes = (0..1 + seed % 3).map(|index| {
            let number = numbers[index as usize];
            let at = if number & 1 == 0 || used.is_empty() {
                let range = &structures[(number >> 1) as usize % structures.len()];
                range.start + (number >> 8) % (range.end - range.start)
            } else {
                used[(number >> 1) as usize % used.len()]
            };
            (at, numbers[4 + index as usize] as u8)
        });
        let changes: Vec<_> = changes.collect();
        exhaust(Arc::new(Mutant { image: image.clone(), changes, reads: AtomicU64::new(0) }));
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    assert!(peak.unwrap_or(0) < 1 << 20, "{peak:?} kB at most");
}

/// The same, with a right checksum in front of each block that was changed, as a hostile volume has
/// it.
pub fn survive_sealed(path: &Path, structures: &[std::ops::Range<u64>], seal: fn(&mut [u8])) {
    let image = std::fs::read(path).expect("an image");
    for seed in 1..=mutants() {
        let mut mutant = image.clone();
        let numbers = noise(seed ^ 0x5ea1, 48);
        for part in numbers.chunks(16).take(1 + (seed % 3) as usize) {
            let at = |index: usize| usize::from(part[index]) << 8 | usize::from(part[index + 1]);
            let block = &structures[at(0) % structures.len()];
            let (start, end) = (block.start as usize, block.end as usize);
            // Half of the places are where structures begin.
            let within = if part[2] & 1 == 0 { 32 + at(3) % 400 } else { 32 + at(3) % (end - start - 32) };
            mutant[start + within] = part[5];
            seal(&mut mutant[start..end]);
        }
        exhaust(Arc::new(Mutant { image: Arc::new(mutant), changes: Vec::new(), reads: AtomicU64::new(0) }));
    }
}

/// Reads everything, up to a megabyte of each file.
pub fn exhaust(bytes: Arc<dyn Bytes>) {
    let _ = partitions(&bytes);
    if let Ok(found) = account::medium(&bytes) {
        let end = found.extents.iter().fold(0, |at, extent| if extent.start == at { extent.end() } else { u64::MAX });
        assert_eq!(end, bytes.size(), "the account does not tile the medium");
    }
    match file_system(bytes) {
        Ok(VolumeContent::FileSystem(volume)) => {
            exhaust_volume(&volume);
            for snapshot in &volume.snapshots {
                let Ok(opened) = snapshot.open() else { continue };
                exhaust_nodes(opened.nodes(ALL), opened.system.size);
                assert!(opened.changed(ALL).take(1_000_000).count() < 1_000_000, "no end of changed names");
            }
        }
        Ok(VolumeContent::Volumes(volumes)) => {
            assert!(volumes.unallocated().take(1_000_000).count() < 1_000_000, "no end of free runs");
            for member in volumes.members {
                if let Ok(VolumeContent::FileSystem(volume)) = member.found {
                    exhaust_volume(&volume);
                }
            }
        }
        _ => {}
    }
}

const ALL: Options = Options { deleted: true, unallocated: true };

fn exhaust_volume(volume: &FileSystem) {
    exhaust_nodes(volume.nodes(ALL), volume.size);
}

fn exhaust_nodes(nodes: Nodes, size: u64) {
    let mut names = 0;
    for node in nodes {
        names += 1;
        assert!(names < 1_000_000, "no end of names");
        let Ok(node) = node else { continue };
        let Some(content) = node.content else { continue };
        for run in content.runs().unwrap_or_default() {
            assert!(run.medium_offset.is_none_or(|offset| offset + run.length <= size), "{run:?}");
        }
        if let Ok(reader) = content.open() {
            // A reader that reaches the end without a failure got as many bytes as were stated.
            let got = io::copy(&mut reader.take(1 << 20), &mut io::sink());
            if let (Ok(got), Some(stated)) = (got, node.size) {
                assert_eq!(got, stated.min(1 << 20), "{}", String::from_utf8_lossy(&node.path));
            }
        }
    }
}
