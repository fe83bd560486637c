//! All sectors of a disc by their use: descriptors, tables of paths, directories, boot images.

use std::collections::HashSet;

use super::descriptor::SECTOR;
use super::disc::Iso;
use super::record::records;
use super::rock_ridge::areas;
use pfh_bytes::account::{Holds, Layers};
use pfh_bytes::field::{be32, byte, is_at, le16, le32, read, read_some};
use pfh_bytes::node::Failure;

/// More descriptors than any disc has.
const MOST: u64 = 64;
/// The most directories of a tree that are looked at.
const DIRECTORIES: usize = 1 << 20;

/// Directories by their first bytes, and files by all, that were claimed.
#[derive(Default)]
struct ClaimedEntries {
    directories: HashSet<u64>,
    files: HashSet<(u64, u64)>,
}

/// The claims of a disc whose sessions begin at these sectors.
///
/// # Errors
/// If a descriptor cannot be read.
pub fn layers<'a>(trees: impl Iterator<Item = &'a Iso>, sessions: &[u64]) -> Result<Layers, Failure> {
    let (mut layers, mut seen) = (Layers { is_itemised: true, ..Layers::default() }, ClaimedEntries::default());
    for (index, iso) in trees.enumerate() {
        if index == 0 {
            for session in sessions {
                iso.descriptors(*session, &mut layers)?;
            }
        }
        iso.directories(&mut layers, &mut seen);
    }
    Ok(layers)
}

impl Iso {
    /// The area of the system, the descriptors of a session, and what they lead to.
    fn descriptors(&self, session: u64, layers: &mut Layers) -> Result<(), Failure> {
        let start = session * SECTOR;
        // ECMA-119, 6.2.1: its content is not specified.
        layers.beneath.add(start..start + 16 * SECTOR, Holds::Reserved, b"system area");
        for index in 16..16 + MOST {
            let offset = start + index * SECTOR;
            let raw = read_some(&*self.bytes, offset, SECTOR as usize)?;
            let is_udf =
                [&b"BEA01"[..], b"TEA01", b"NSR02", b"NSR03", b"BOOT2"].iter().any(|name| is_at(&raw, 1, name));
            // genisoimage writes its version and command line behind the descriptors.
            let is_version = raw.starts_with(b"MKI ");
            if raw.len() < SECTOR as usize || !(is_at(&raw, 1, b"CD001") || is_udf || is_version) {
                break;
            }
            let name: &[u8] = if is_version { b"version of the writer" } else { b"descriptor" };
            layers.own.add(offset..offset + SECTOR, Holds::Structure, name);
            if is_udf || is_version {
                continue;
            }
            match byte(&raw, 0) {
                0 if is_at(&raw, 7, b"EL TORITO SPECIFICATION") => self.boot(le32(&raw, 71), layers),
                1 | 2 => {
                    let size = u64::from(le32(&raw, 132));
                    for block in [le32(&raw, 140), le32(&raw, 144), be32(&raw, 148), be32(&raw, 152)] {
                        let at = u64::from(block) * self.block_size;
                        let end = (at + size).next_multiple_of(self.block_size);
                        if block > 0 {
                            layers.own.add_once(at..end, Holds::Structure, b"table of paths");
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The catalogue of El Torito, and the images that it lists: most are files of the disc too.
    fn boot(&self, block: u32, layers: &mut Layers) {
        let at = u64::from(block) * SECTOR;
        let Ok(raw) = read(&*self.bytes, at, SECTOR as usize) else { return };
        layers.beneath.add(at..at + SECTOR, Holds::Structure, b"catalogue of boot images");
        for entry in raw.chunks_exact(32).skip(1).filter(|entry| entry[0] == 0x88 || entry[0] == 0) {
            let (start, sectors) = (u64::from(le32(entry, 8)) * SECTOR, u64::from(le16(entry, 6)));
            // The media of an emulation have one size each.
            let length = match entry[1] & 15 {
                1 => 1200 << 10,
                2 => 1440 << 10,
                3 => 2880 << 10,
                _ => sectors * 512,
            };
            if start > 0 && sectors > 0 {
                let end = (start + length).next_multiple_of(SECTOR).min(self.bytes.size());
                layers.beneath.add(start..end, Holds::Structure, b"boot image");
            }
        }
    }

    /// The directories, the areas that their records go on in, and the rest of the last block of
    /// each file.
    fn directories(&self, layers: &mut Layers, seen: &mut ClaimedEntries) {
        let mut left = vec![self.root];
        while let Some((block, size)) = left.pop() {
            let start = u64::from(block) * self.block_size;
            let end = (start + u64::from(size)).next_multiple_of(self.block_size);
            if end > self.bytes.size() || seen.directories.len() > DIRECTORIES || !seen.directories.insert(start) {
                continue;
            }
            layers.own.add(start..end, Holds::Structure, b"directory");
            for offset in (start..start + u64::from(size)).step_by(SECTOR as usize) {
                let length = (start + u64::from(size) - offset).min(SECTOR) as usize;
                // A sector that cannot be read is a fault of the walk.
                let Ok(sector) = read(&*self.bytes, offset, length) else { continue };
                for record in records(&sector, offset).0 {
                    for area in areas(&*self.bytes, self.block_size, self.skipped(&record.system)) {
                        layers.own.add_once(area, Holds::Structure, b"area of Rock Ridge");
                    }
                    if record.is_dots() {
                        continue;
                    }
                    if record.is_directory {
                        left.push((record.block, record.size));
                        continue;
                    }
                    let at = u64::from(record.block) * self.block_size;
                    let end = (at + u64::from(record.size)).next_multiple_of(self.block_size);
                    // The trees of a disc, and the names of a file, have its bytes in common.
                    if record.size > 0 && end <= self.bytes.size() && seen.files.insert((at, end)) {
                        layers.beneath.add(at..end, Holds::Slack, b"rest of the last block");
                    }
                }
            }
        }
    }
}
