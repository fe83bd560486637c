//! Volumes that contradict themselves.

use std::ops::Range;
use std::sync::Arc;

use pfh_inject::lacks;
use pfh_volume::{Options, file_system};

use super::{KINDS, MAKES, MIB, make, opened};
use crate::image::Bench;
use crate::listing::nodes;
use crate::mutants::survive;

/// All failures of a volume, with those of its files' contents.
fn failures(image: Vec<u8>) -> Vec<String> {
    let (nodes, failures) = nodes(&opened(image), Options { deleted: true, unallocated: true });
    let show = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let mut said: Vec<String> =
        failures.iter().map(|failed| format!("{}: {}", show(&failed.path), failed.cause)).collect();
    for node in nodes {
        let Some(content) = node.content else { continue };
        let failed = content.open().err().map(|failed| failed.cause).or_else(|| {
            std::io::copy(&mut content.open().ok()?, &mut std::io::sink()).err().map(|error| error.to_string())
        });
        said.extend(failed.map(|failed| format!("{}: {failed}", show(&node.path))));
    }
    said
}

/// A small volume of a kind with files, its bytes, and the means to find the inode of a path.
struct Whole {
    bench: Bench,
    image: Vec<u8>,
}

impl Whole {
    fn new(kind: usize, in_node: usize) -> Whole {
        let bench = Bench::new();
        let root = bench.path("tree");
        make::plant(&root, in_node, false);
        let path = make::volume(&bench, "image", 24 * MIB, KINDS[kind].2, &root);
        Whole { image: std::fs::read(&path).unwrap(), bench }
    }

    /// Where the inode of a path stands.
    fn inode(&self, path: &str) -> Range<usize> {
        let (found, _) = nodes(&opened(self.image.clone()), Options::default());
        let node = found.iter().find(|node| node.path == path.as_bytes()).expect("a file");
        self.inode_of(node.id.unwrap())
    }

    fn inode_of(&self, number: u64) -> Range<usize> {
        let is_one = |raw: &[u8]| raw.starts_with(b"IN") && raw[152..160] == number.to_be_bytes();
        let from = self.image.chunks(512).position(is_one).expect("an inode") * 512;
        from..from + 512
    }

    fn block(&self) -> usize {
        u32::from_be_bytes(self.image[4..8].try_into().unwrap()) as usize
    }

    /// The failures after a change to a structure, whose checksum is right.
    fn changed(&self, place: Range<usize>, sum: usize, at: usize, bytes: &[u8]) -> Vec<String> {
        let mut image = self.image.clone();
        make::change(&mut image, place, sum, at, bytes);
        failures(image)
    }

    /// Where the first block with this magic stands.
    fn block_with(&self, magic: &[u8], at: usize) -> Range<usize> {
        let size = self.block();
        let is_one = |block: &[u8]| block[at..].starts_with(magic);
        let from = self.image.chunks(size).position(is_one).expect("a block") * size;
        from..from + size
    }
}

fn one(said: &[String], words: &str) {
    assert!(said.iter().any(|found| found.contains(words)), "{words}: {said:?}");
}

#[test]
fn wrong_checksums_are_failures() {
    if lacks(&MAKES) {
        return;
    }
    let whole = Whole::new(0, 700);
    assert_eq!(failures(whole.image.clone()), [""; 0]);
    let file = whole.inode("large.dat");
    for (place, at, words) in [
        (file.clone(), 40, "large.dat: inode: the checksum is wrong"),
        (whole.block_with(b"XDB3", 0), 80, "block of a directory: the checksum is wrong"),
        (whole.block_with(b"XDD3", 0), 80, "block of a directory: the checksum is wrong"),
        (whole.block_with(b"\x3d\xff", 8), 80, "index of a directory: the checksum is wrong"),
        (whole.block_with(b"AB3B", 0), 9, "tree of free runs: the checksum is wrong"),
        (whole.block_with(b"IAB3", 0), 9, "tree of inodes: the checksum is wrong"),
        (512..1024, 100, "header of a group: the checksum is wrong"),
        (1024..1536, 350, "header of a group's inodes: the checksum is wrong"),
    ] {
        let mut image = whole.image.clone();
        image[place.start + at] ^= 1;
        one(&failures(image), words);
    }
    let mut image = whole.image.clone();
    image[10] ^= 0x80;
    assert!(file_system(Arc::new(image)).err().expect("a failure").cause.contains("checksum"));
    // Right by its checksum, and of another volume, place or file.
    for (at, words) in [(160, "of another volume"), (152, "of another file"), (0, "no magic"), (4, "of a version")] {
        let words = if at == 152 { "belongs to another file" } else { words };
        one(&whole.changed(file.clone(), 100, at, &[9]), words);
    }
    let block = whole.block_with(b"XDD3", 0);
    one(&whole.changed(block.clone(), 4, 8, &[9]), "belongs to another place");
    one(&whole.changed(block, 4, 40, &[9]), "belongs to another file");
}

#[test]
fn extents_that_contradict_themselves_are_failures() {
    if lacks(&MAKES) {
        return;
    }
    let whole = Whole::new(0, 10);
    let file = whole.inode("large.dat");
    let said = |at: usize, bytes: &[u8]| whole.changed(file.clone(), 100, at, bytes);
    one(&said(76, &[0, 0, 1]), "extents in room for");
    one(&said(76, &[0, 0, 0, 2]), "an extent is empty");
    one(&said(5, &[1]), "a fork without extents");
    one(&said(5, &[3]), "a root of extents contradicts itself");
    one(&said(176 + 8, &[0xff; 4]), "leads out of its group");
    one(&said(56, &[0xff]), "a size that no file has");
    one(&said(82, &[60]), "its attributes lie behind it");
    // On the realtime device.
    one(&said(90, &[0, 1]), "large.dat: its content is on the realtime device");
    // The same blocks twice in one file are a contradiction, unless it may share them.
    let mut extents = whole.image[file.start + 176..][..16].to_vec();
    let mut twice = whole.image.clone();
    let count = u32::from_be_bytes(extents[12..].try_into().unwrap()) & 0x1f_ffff;
    let first = (u64::from_be_bytes(extents[..8].try_into().unwrap()) >> 9) + u64::from(count);
    let high = u64::from_be_bytes(extents[..8].try_into().unwrap()) & 0x1ff | first << 9;
    extents[..8].copy_from_slice(&high.to_be_bytes());
    make::change(&mut twice, file.clone(), 100, 176 + 16, &extents);
    make::change(&mut twice, file.clone(), 100, 56, &(u64::from(count) * 2 * 4096).to_be_bytes());
    make::change(&mut twice, file.clone(), 100, 76, &[0, 0, 0, 2]);
    one(&failures(twice.clone()), "in the file twice");
    make::change(&mut twice, file.clone(), 100, 120 + 7, &[2 | 8]);
    assert_eq!(failures(twice), [""; 0]);
}

#[test]
fn names_that_contradict_themselves_are_failures() {
    if lacks(&MAKES) {
        return;
    }
    let whole = Whole::new(0, 700);
    let file = whole.inode("size511.bin");
    let said = |place: &Range<usize>, sum: usize, at: usize, bytes: &[u8]| whole.changed(place.clone(), sum, at, bytes);
    one(&said(&file, 100, 2, &[0x41]), "of one type by its name");
    one(&said(&file, 100, 2, &[0, 0]), "not in use");
    one(&said(&file, 100, 16, &[0; 4]), "not in use");
    // A name of an inode that is not there; an index with other names; a directory that is cut off.
    let block = whole.block_with(b"XDD3", 0);
    one(&said(&block, 4, 64 + 2 * 16, &[0x70]), "is not in the volume");
    let index = whole.block_with(b"\x3d\xff", 8);
    one(&said(&index, 12, 56, &[0, 9]), "in the directory's index");
    one(&said(&block, 4, 64 + 8, &[0]), "an entry of the directory contradicts itself");
    let folder = whole.inode("node");
    let lost = said(&folder, 100, 176 + 8, &[0xff; 4]);
    one(&lost, "leads out of its group");
    // Its entries are still listed.
    let mut image = whole.image.clone();
    make::change(&mut image, folder, 100, 176 + 8, &[0xff; 4]);
    let (found, _) = nodes(&opened(image), Options::default());
    assert_eq!(found.iter().filter(|node| node.path.starts_with(b"$OrphanFiles/")).count(), 700);
}

/// A directory that no directory lists is listed with its entries.
#[test]
fn directories_that_are_cut_off_keep_their_names() {
    if lacks(&MAKES) {
        return;
    }
    let whole = Whole::new(0, 10);
    let before = nodes(&opened(whole.image.clone()), Options::default()).0;
    let number = |path: &str| before.iter().find(|node| node.path == path.as_bytes()).unwrap().id.unwrap();
    // The name of `a` in the root, which is in its inode, leads to a file.
    let (folder, file) = (number("a") as u32, number("size1.bin") as u32);
    let mut image = whole.image.clone();
    let root = whole.inode_of(u64::from_be_bytes(image[56..64].try_into().unwrap()));
    let entry = [&b"a\x02"[..], &folder.to_be_bytes()].concat();
    let at = image[root.clone()].windows(6).position(|part| part == entry).expect("a name");
    make::change(&mut image, root, 100, at, &[&b"a\x01"[..], &file.to_be_bytes()].concat());
    let (found, failures) = nodes(&opened(image), Options::default());
    assert_eq!(failures, []);
    let paths: Vec<_> = found.iter().map(|node| String::from_utf8_lossy(&node.path).into_owned()).collect();
    assert_eq!(paths.len(), before.len() + 1);
    for path in ["", "/b", "/b/c", "/b/c/d", "/b/c/d/Grüße_世界"] {
        let expected = format!("$OrphanFiles/OrphanFile-{folder}{path}");
        assert_eq!(paths.iter().filter(|path| **path == expected).count(), 1, "{expected}: {paths:?}");
    }
}

#[test]
fn headers_that_contradict_themselves_are_failures() {
    if lacks(&MAKES) {
        return;
    }
    let whole = Whole::new(0, 10);
    let sector = 0..512;
    for (at, bytes) in [
        (4, &[0, 0, 0x30, 0][..]),
        (8, &[1]),
        (84, &[0; 4]),
        (88, &[0, 0, 0, 9]),
        (102, &[0, 3]),
        (104, &[4, 0]),
        (120, &[11]),
        (123, &[1]),
        (124, &[31]),
        (192, &[9]),
    ] {
        let mut image = whole.image.clone();
        make::change(&mut image, sector.clone(), 224, at, bytes);
        let failed = file_system(Arc::new(image)).err().unwrap_or_else(|| panic!("{at} is believed"));
        assert_eq!(failed.offset, Some(0), "{failed}");
    }
}

#[test]
fn mutants_end() {
    if lacks(&MAKES) {
        return;
    }
    // Version 4 has no checksums that would hide the structures behind them.
    for kind in [0, 4, 5, 6] {
        let whole = Whole::new(kind, 120);
        let size = whole.block();
        let is_one = |block: &[u8]| {
            [&b"IN"[..], b"XD", b"AB", b"IA", b"BM", b"XS"].iter().any(|magic| block.starts_with(magic))
                || [0xd2f1_u16, 0xd2ff, 0x3df1, 0xfebe, 0xfbee].iter().any(|magic| block[8..10] == magic.to_be_bytes())
        };
        let blocks = whole.image.chunks(size).enumerate().filter(|(_, block)| is_one(block));
        let mut structures: Vec<_> = blocks.map(|(at, _)| (at * size) as u64..((at + 1) * size) as u64).collect();
        structures.push(0..4 * 512);
        survive(&whole.bench.path("image"), &structures);
    }
}
