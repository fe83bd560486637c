//! AD1, after P. C. Bjelland, "AccessData Format (AD1)".

use super::l01::{Named, deep, directory, file, sample};
use super::{faults, files, hex, noise, sum, zlib};

const CHUNK: usize = 65_536;

/// The space of addresses behind the heads of the segments.
struct Space(Vec<u8>);

impl Space {
    fn put(&mut self, at: usize, number: usize) {
        self.0[at..at + 8].copy_from_slice(&(number as u64).to_le_bytes());
    }

    /// Writes entries that stand beside each other; the address of the first.
    fn entries(&mut self, entries: &[Named], parent: usize) -> usize {
        let (mut first, mut before) = (0, None);
        for entry in entries {
            let at = self.0.len();
            first = if first == 0 { at } else { first };
            if let Some(before) = before.replace(at) {
                self.put(before, at);
            }
            let bytes = entry.bytes.as_deref().unwrap_or_default();
            let kind = if entry.bytes.is_none() { 5_u32 } else { 0 };
            self.0.extend([0; 32]);
            self.0.extend((bytes.len() as u64).to_le_bytes());
            self.0.extend([kind, entry.name.len() as u32].map(u32::to_le_bytes).concat());
            self.0.extend(entry.name.as_bytes());
            self.0.extend((parent as u64).to_le_bytes());
            if !bytes.is_empty() {
                let table = self.0.len();
                self.put(at + 24, table);
                self.chunks(table, bytes);
            }
            let size = bytes.len().to_string();
            let mut facts = vec![(5, 9, "20180502T074239.841574".to_owned()), (4, 0x1e, "true".to_owned())];
            if entry.bytes.is_some() {
                facts.extend([
                    (1, 0x5001, hex(&sum("md5", bytes))),
                    (1, 0x5002, hex(&sum("sha1", bytes))),
                    (3, 3, size),
                ]);
            }
            let mut slot = at + 16;
            for (category, key, value) in facts {
                let place = self.0.len();
                self.put(slot, place);
                slot = place;
                self.0.extend([0; 8]);
                self.0.extend([category, key, value.len() as u32].map(u32::to_le_bytes).concat());
                self.0.extend(value.as_bytes());
            }
            let below = self.entries(&entry.below, at);
            self.put(at + 8, below);
        }
        first
    }

    fn chunks(&mut self, table: usize, bytes: &[u8]) {
        let chunks: Vec<Vec<u8>> = bytes.chunks(CHUNK).map(zlib).collect();
        self.0.extend((chunks.len() as u64).to_le_bytes());
        let mut at = table + 8 + 8 * (chunks.len() + 1);
        self.0.extend((at as u64).to_le_bytes());
        for chunk in &chunks {
            at += chunk.len();
            self.0.extend((at as u64).to_le_bytes());
        }
        self.0.extend(chunks.concat());
    }
}

/// The image of these entries in segments of at most `most` bytes.
pub fn write(entries: &[Named], most: usize) -> Vec<Vec<u8>> {
    let mut space = Space(b"ADLOGICALIMAGE\0\0".to_vec());
    space.0.extend([4_u32, 1, CHUNK as u32].map(u32::to_le_bytes).concat());
    space.0.resize(96, 0);
    let first = space.entries(entries, 0);
    space.put(36, first);
    let parts: Vec<&[u8]> = space.0.chunks(most - 512).collect();
    let count = parts.len() as u32;
    let segment = |(at, part): (usize, &&[u8])| {
        let mut head = b"ADSEGMENTEDFILE\0".to_vec();
        head.extend([1, 2, at as u32 + 1, count, most as u32, 0, 512].map(u32::to_le_bytes).concat());
        head.truncate(40);
        head.extend(512_u32.to_le_bytes());
        head.resize(512, 0);
        [&head[..], part].concat()
    };
    parts.iter().enumerate().map(segment).collect()
}

#[test]
fn files_with_their_digests() {
    for most in [1 << 20, 30_000, 1500] {
        let found = files(&write(&sample(), most));
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(names, ["C/a.bin", "C/inner/b.txt", "C/inner/empty", "odd%2Fname"]);
        assert_eq!(found["C/a.bin"], noise(70_000));
        assert_eq!(found["C/inner/b.txt"], b"the second".repeat(9000));
    }
}

#[test]
fn what_contradicts_itself_is_named() {
    let image = write(&sample(), 1500);
    assert!(faults(&image[..1]).contains("segment 2 is missing"), "{}", faults(&image[..1]));
    let swapped: Vec<Vec<u8>> = [1, 0].into_iter().chain(2..image.len()).map(|at| image[at].clone()).collect();
    assert!(faults(&swapped).contains("it is segment 2"));
    // A packed byte of the first file.
    let mut bad = write(&sample(), 1 << 20);
    let name = bad[0].windows(5).position(|window| window == b"a.bin").expect("the name");
    bad[0][name + 5 + 8 + 32 + 100] ^= 0x10;
    let found = faults(&bad);
    assert!(found.starts_with("C/a.bin: ") && found.lines().count() == 1, "{found}");
    // A circle of directories ends.
    let mut circle = write(&[directory("d", vec![file("f", b"1".to_vec())])], 1 << 20);
    let first = u64::from_le_bytes(circle[0][512 + 36..512 + 44].try_into().expect("eight")) as usize;
    let child = u64::from_le_bytes(circle[0][512 + first + 8..][..8].try_into().expect("eight")) as usize;
    circle[0][512 + child + 8..][..8].copy_from_slice(&(first as u64).to_le_bytes());
    assert!(faults(&circle).contains("two others lead to"), "{}", faults(&circle));
    // The digest of another file.
    let mut bad = write(&sample(), 1 << 20);
    let stated = hex(&sum("sha1", b"x"));
    let place = bad[0].windows(40).position(|window| window == stated.as_bytes()).expect("the digest");
    bad[0][place] = if bad[0][place] == b'0' { b'1' } else { b'0' };
    let found = faults(&bad);
    assert!(found.starts_with("odd%2Fname: its bytes have the sha1"), "{found}");
    // Names that no path of a system could hold.
    let found = faults(&write(&[deep()], 1 << 20));
    assert!(found.contains("more than 64 KiB: nothing below it"), "{}", &found[found.len().saturating_sub(200)..]);
    // Encrypted: named, and not read.
    assert!(faults(&[b"ADCRYPT\0".repeat(64)]).contains("unknown"));
}
