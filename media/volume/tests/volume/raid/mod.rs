//! Arrays of md: each layout by the places where the kernel puts its chunks, whole and degraded,
//! and members that are stale, damaged or too few.

pub mod layouts;
pub mod maker;
mod mutants;

use std::io;
use std::sync::Arc;

use pfh_volume::{Bytes, Composition, Piece, compose};

use self::layouts::LAYOUTS;
use self::maker::{Array, CHUNK, Own, medium, own, seal, written};
use crate::tree::noise;

fn composed(images: &[Vec<u8>]) -> Composition {
    let pieces = images.iter().map(|image| Piece::of(b"", &medium(image.clone())).expect("a piece"));
    compose(&pieces.collect::<Vec<_>>())
}

/// The bytes of the one array that these make up, read in pieces of an odd size.
fn content(found: &Composition) -> io::Result<Vec<u8>> {
    let [Ok(volume)] = &found.volumes[..] else { panic!("{} volumes", found.volumes.len()) };
    let mut all = Vec::new();
    let mut buffer = vec![0; 5001];
    loop {
        match volume.bytes.read_at(all.len() as u64, &mut buffer)? {
            0 => return Ok(all),
            got => all.extend_from_slice(&buffer[..got]),
        }
    }
}

fn refusal(found: &Composition) -> String {
    let [Err(failure)] = &found.volumes[..] else { panic!("no failure") };
    failure.cause.clone()
}

fn array(level: i32, layout: u32, devices: usize, used: usize) -> Array {
    let (chunk, used) = (CHUNK, used as u64);
    Array { level, layout, chunk, devices, used, features: 0, resync: u64::MAX, name: "box:data" }
}

fn members(of: &Array, data: &[Vec<u8>]) -> Vec<Vec<u8>> {
    data.iter().enumerate().map(|(role, data)| of.member(own(role), data)).collect()
}

/// All ways to leave out as many members as a level can do without.
fn without(count: usize, level: i32) -> Vec<Vec<usize>> {
    let alone = (0..count).map(|one| vec![one]);
    let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| vec![one, other]));
    alone.chain(pairs.filter(|_| level == 6)).collect()
}

#[test]
fn each_layout_is_read_whole_and_degraded() {
    for layout in LAYOUTS {
        let (expected, data) = written(layout);
        let of = array(layout.level, layout.number, data.len(), data[0].len());
        let images = members(&of, &data);
        let found = composed(&images);
        assert!(found.is_complete && found.warnings.is_empty(), "{}", layout.name);
        let read = content(&found).unwrap();
        assert!(read.starts_with(&expected[..expected.len().min(read.len())]), "{}", layout.name);
        assert!(read.len() + CHUNK >= expected.len(), "{}: {} of {}", layout.name, read.len(), expected.len());
        for gone in without(images.len(), layout.level) {
            let left = images.iter().enumerate().filter(|(role, _)| !gone.contains(role));
            let found = composed(&left.map(|(_, image)| image.clone()).collect::<Vec<_>>());
            assert!(!found.is_complete && found.warnings[0].cause.contains("are missing"), "{}", layout.name);
            assert!(content(&found).unwrap() == read, "{} without {gone:?}", layout.name);
        }
    }
}

#[test]
fn one_more_is_too_many() {
    for layout in LAYOUTS.iter().filter(|layout| layout.level != 10) {
        let (_, data) = written(layout);
        let of = array(layout.level, layout.number, data.len(), data[0].len());
        let spare = if layout.level == 6 { 2 } else { 1 };
        let cause = refusal(&composed(&members(&of, &data)[spare + 1..]));
        let says = format!("it can do without {spare} devices, and {} are missing", spare + 1);
        assert!(cause.contains(&says) && cause.contains("the array data"), "{cause}");
    }
    // Of RAID 10 it depends on which.
    let layout = LAYOUTS.iter().find(|layout| layout.name == "raid10-n2 of 4").unwrap();
    let (expected, data) = written(layout);
    let images = members(&array(10, layout.number, 4, data[0].len()), &data);
    assert!(content(&composed(&[images[0].clone(), images[3].clone()])).unwrap() == expected);
    assert!(content(&composed(&images[2..])).is_err());
}

#[test]
fn stripes_lines_and_mirrors() {
    let [a, b, c] = [5, 7, 12].map(|chunks| noise(chunks, chunks as usize * CHUNK));
    let joined = |parts: &[&[u8]]| parts.concat();
    let of = |level, layout| array(level, layout, 3, 0);
    let read = |of: &Array| content(&composed(&members(of, &[a.clone(), b.clone(), c.clone()]))).unwrap();
    assert!(read(&of(-1, 0)) == joined(&[&a, &b, &c]));
    // Rows over three devices, then over two, then over one.
    let at = |of: &[u8], chunk: usize| of[chunk * CHUNK..(chunk + 1) * CHUNK].to_vec();
    let mut rows: Vec<Vec<u8>> = (0..5).flat_map(|row| [at(&a, row), at(&b, row), at(&c, row)]).collect();
    let first = rows.len();
    rows.extend((5..7).flat_map(|row| [at(&b, row), at(&c, row)]));
    rows.extend((7..12).map(|row| at(&c, row)));
    assert!(read(&of(0, 2)) == rows.concat());
    // Chunk 15 is the first of the second band; by the older layout it is on the second of its two.
    rows[first..first + 4].clone_from_slice(&[at(&c, 5), at(&b, 5), at(&c, 6), at(&b, 6)]);
    assert!(read(&of(0, 1)) == rows.concat());
    let cause = refusal(&composed(&members(&of(0, 0), &[a.clone(), b.clone(), c.clone()])));
    assert!(cause.contains("does not say in which of two layouts"), "{cause}");
    let even = [a.clone(), b[..a.len()].to_vec(), c[..a.len()].to_vec()];
    assert_eq!(content(&composed(&members(&of(0, 0), &even))).unwrap(), rows[..first].concat());
    for gone in 0..3 {
        let mut left = members(&of(0, 2), &even);
        left.remove(gone);
        let cause = refusal(&composed(&left));
        assert!(cause.ends_with(&format!("missing devices: {gone} of 3")), "{cause}");
    }
    let mirror = array(1, 0, 3, a.len());
    let images = members(&mirror, &[a.clone(), a.clone(), a.clone()]);
    assert!(composed(&images).is_complete);
    assert!(content(&composed(&images[2..])).unwrap() == a);
}

/// A member whose bytes cannot be read from one place to another.
struct Scratched(Vec<u8>, std::ops::Range<u64>);

impl Bytes for Scratched {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset < self.1.end && offset + buffer.len() as u64 > self.1.start {
            return Err(io::Error::other("a bad sector"));
        }
        self.0.read_at(offset, buffer)
    }
}

#[test]
fn sectors_that_cannot_be_read_are_computed() {
    let layout = LAYOUTS.iter().find(|layout| layout.name.starts_with("raid5-left-symmetric")).unwrap();
    let (expected, data) = written(layout);
    let images = members(&array(5, 2, data.len(), data[0].len()), &data);
    let scratched = |ranges: &[std::ops::Range<u64>]| {
        let pieces: Vec<Piece> = images
            .iter()
            .zip(ranges)
            .map(|(image, range)| {
                let bytes: Arc<dyn Bytes> = Arc::new(Scratched(image.clone(), range.clone()));
                Piece::of(b"", &bytes).unwrap()
            })
            .collect();
        content(&compose(&pieces))
    };
    // Different places of two members; the same place of both.
    assert!(scratched(&[20_000..21_000, 30_000..31_000, 0..0, 0..0]).unwrap() == expected);
    assert!(scratched(&[20_000..21_000, 20_500..20_600, 0..0, 0..0]).unwrap_err().to_string().contains("bad sector"));
}

#[test]
fn members_that_hold_less_are_left_out() {
    let layout = LAYOUTS.iter().find(|layout| layout.name.starts_with("raid5-left-symmetric")).unwrap();
    let (expected, data) = written(layout);
    let of = array(5, 2, data.len(), data[0].len());
    let images = members(&of, &data);
    let with = |member: usize, image: Vec<u8>| {
        let mut images = images.clone();
        images[member] = image;
        composed(&images)
    };
    let wrong = vec![0xaa; data[0].len()];
    // An older state of a device that failed.
    let found = with(1, of.member(Own { events: 3, ..own(1) }, &wrong));
    assert!(found.warnings[0].cause.contains("device 1 is left out: it is older (3 changes, the newest 7)"));
    assert!(content(&found).unwrap() == expected);
    // A power cut leaves a member one change behind.
    let found = with(1, of.member(Own { events: 6, ..own(1) }, &data[1]));
    assert!(found.is_complete && content(&found).unwrap() == expected);
    // One that is being rebuilt holds its first chunk only.
    let rebuilt = Array { features: 2, ..of.clone() };
    let half = [&data[1][..CHUNK], &wrong[CHUNK..]].concat();
    let found = with(1, rebuilt.member(Own { recovered: CHUNK as u64, ..own(1) }, &half));
    assert!(!found.is_complete && content(&found).unwrap() == expected);
    // The parity of an array that was being written may be old.
    let dirty = Array { resync: 0, ..of.clone() };
    assert!(content(&composed(&members(&dirty, &data))).unwrap() == expected);
    let failed = content(&composed(&members(&dirty, &data)[1..])).unwrap_err();
    assert!(failed.to_string().contains("its parity may be old"), "{failed}");
    // Two of one role, a spare.
    let mut more = images.clone();
    more.push(images[2].clone());
    more.push(of.member(own(9), &wrong));
    let found = composed(&more);
    assert!(found.warnings[0].cause.contains("a second device 2 is left out"));
    assert!(content(&found).unwrap() == expected);
}

#[test]
fn superblocks_that_contradict_themselves_are_refused() {
    let of = array(1, 0, 2, CHUNK);
    let image = of.member(own(0), &noise(1, CHUNK));
    let damaged = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut image = image.clone();
        change(&mut image);
        refusal(&composed(&[image]))
    };
    let sealed = |at: usize, value: &[u8]| {
        damaged(&|image| {
            image[4096 + at..4096 + at + value.len()].copy_from_slice(value);
            seal(&mut image[4096..4096 + 256 + 4]);
        })
    };
    assert!(damaged(&|image| image[4096 + 80] ^= 1).contains("checksum"));
    assert!(sealed(128, &u64::MAX.to_le_bytes()).contains("leads beyond"));
    assert!(sealed(136, &99_u64.to_le_bytes()).contains("behind its own end"));
    assert!(sealed(8, &0x8000_u32.to_le_bytes()).contains("features 0x8000"));
    assert!(sealed(8, &4_u32.to_le_bytes()).contains("changed to another form"));
    assert!(sealed(80, &99_u64.to_le_bytes()).contains("smaller than it says"));
    assert!(sealed(72, &7_i32.to_le_bytes()).contains("level 7"));
    assert!(sealed(92, &0_u32.to_le_bytes()).contains("0 devices"));
    assert!(sealed(92, &u32::MAX.to_le_bytes()).contains("devices"));
    assert!(sealed(220, &9999_u32.to_le_bytes()).contains("too many devices"));
    for (level, layout) in [(5, 6), (6, 6), (6, 99), (10, 0), (10, 0x505), (10, 0x102 | 7 << 17)] {
        let data = vec![noise(1, CHUNK); 4];
        let found = composed(&members(&array(level, layout, 4, CHUNK), &data));
        assert!(refusal(&found).contains(&format!("RAID {level} of the layout")), "{level} {layout}");
    }
}
