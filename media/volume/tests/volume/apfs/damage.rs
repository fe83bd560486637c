//! Containers that contradict themselves, and mutants of one that does not.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pfh_inject::mutants;
use pfh_volume::{Bytes, Failure, Options, VolumeContent, file_system};

use super::blocks::{BLOCK, put, seal};
use super::container::{Container, FREE, Kind, NOW, RING, change};
use super::files::{Files, ROOT};
use super::sample::sample;
use super::{said, system, volumes};
use crate::listing::nodes;
use crate::mutants::exhaust;
use crate::tree::noise;

/// A container with one volume.
fn one(files: impl FnOnce(&mut Container, &mut Files)) -> Vec<u8> {
    let mut container = Container::new();
    let mut all = Files::new(true);
    files(&mut container, &mut all);
    container.volume(Kind::Usual, b"One", &all, None);
    container.end()
}

/// The names that come, and the failures.
fn outcome(image: Vec<u8>) -> (Vec<String>, Vec<Failure>) {
    let found = volumes(image);
    let (nodes, failures) = nodes(system(&found, "One"), Options::default());
    let mut failures: Vec<Failure> = failures;
    let mut names = Vec::new();
    for node in nodes {
        names.push(String::from_utf8_lossy(&node.path).into_owned());
        let Some(content) = node.content else { continue };
        match content.open() {
            Ok(mut reader) => {
                if let Err(error) = io::copy(&mut reader, &mut io::sink()) {
                    let inner = error.into_inner().and_then(|inner| inner.downcast::<Failure>().ok());
                    failures.push(*inner.expect("a failure"));
                }
            }
            Err(failed) => failures.push(failed),
        }
    }
    (names, failures)
}

/// That a container has one fault, with this path and these words in it.
fn assert_fault(image: Vec<u8>, path: &str, words: &str) {
    let (names, failures) = outcome(image);
    let [failed] = &failures[..] else { panic!("{names:?}: {failures:?}") };
    assert_eq!((failed.path.as_slice(), failed.cause.contains(words)), (path.as_bytes(), true), "{failed:?}");
}

#[test]
fn contents_that_contradict_themselves() {
    let half = |container: &mut Container, files: &mut Files, stated: u64| {
        let number = files.take();
        files.name(ROOT, b"half", number, 8);
        files.stream(&mut container.blocks, number, &[Ok(&[7; BLOCK])]);
        files.inode(number, ROOT, 0o100_644, b"half", Some((stated, stated.next_multiple_of(BLOCK as u64))), 0);
        number
    };
    assert_fault(
        one(|container, files| {
            half(container, files, 5000);
        }),
        "half",
        "before the size of 5000",
    );
    let beyond = |container: &mut Container, files: &mut Files| {
        let number = half(container, files, 2 * BLOCK as u64);
        files.extent(number, BLOCK as u64, BLOCK as u64, 1 << 40);
    };
    assert_fault(one(beyond), "half", "out of the volume");
    let twice = |container: &mut Container, files: &mut Files| {
        let number = half(container, files, 2 * BLOCK as u64);
        files.extent(number, 0, 2 * BLOCK as u64, 3);
    };
    assert_fault(one(twice), "half", "same place");
    let apart = |container: &mut Container, files: &mut Files| {
        let number = half(container, files, 3 * BLOCK as u64);
        files.extent(number, 2 * BLOCK as u64, BLOCK as u64, 3);
    };
    assert_fault(one(apart), "half", "no extent has the bytes from 4096 on");
    for (kind, words) in [(13, "LZBITMAP"), (2, "unknown type 2"), (0x8000_0001, "not on the medium"), (5, "not on")] {
        let (names, failures) = outcome(one(|container, files| {
            files.compressed(&mut container.blocks, (ROOT, b"packed"), (kind, 9), b"what it is", None);
        }));
        // The attributes of a file that cannot be decompressed are listed.
        assert_eq!(names, ["packed", "packed:com.apple.decmpfs"]);
        assert!(failures.len() == 1 && failures[0].cause.contains(words), "{failures:?}");
    }
    for (kind, rest, fork, words) in [
        (8, &b""[..], None, "without its resource fork"),
        (8, b"", Some(&[8, 0, 0, 0, 9, 0, 0, 0, 0xe1][..]), "contradict themselves"),
        (8, b"", Some(&[8, 0, 0, 0, 7, 0, 0, 0, 0xe1]), "before it begins"),
        (8, b"", Some(&[8, 0, 0, 0, 99, 0, 0, 0, 0xe1]), "outside of the resource fork"),
        (12, b"", Some(&[12, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0]), "2 chunks for a size of 9"),
        (3, b"no zlib", None, "contradict themselves"),
        (7, b"\x06short", None, "contradict themselves"),
    ] {
        let image = one(|container, files| {
            files.compressed(&mut container.blocks, (ROOT, b"packed"), (kind, 9), rest, fork);
        });
        assert_fault(image, "packed", words);
    }
}

#[test]
fn names_that_contradict_their_inodes() {
    assert_fault(one(|_, files| files.name(ROOT, b"nobody", 99, 8)), "nobody", "inode 99 is not there");
    let other = |container: &mut Container, files: &mut Files| {
        let number = files.file(&mut container.blocks, ROOT, b"file", &[]);
        files.name(ROOT, b"no directory", number, 4);
    };
    assert_fault(one(other), "no directory", "of one type by its name");
    let circle = |_: &mut Container, files: &mut Files| {
        let number = files.directory(ROOT, b"a");
        files.name(number, b"b", number, 4);
    };
    assert_fault(one(circle), "a/b", "listed elsewhere");
    let lost = |_: &mut Container, files: &mut Files| {
        files.special(ROOT, b"link", 0o120_755);
    };
    assert_fault(one(lost), "link", "without a target");
    let slash = |container: &mut Container, files: &mut Files| {
        files.file(&mut container.blocks, ROOT, b"a/b", &[]);
    };
    assert_fault(one(slash), "a?b", "slash");
    // An inode that no directory lists is shown.
    let (names, failures) = outcome(one(|_, files| files.inode(77, ROOT, 0o100_644, b"cut off", None, 0)));
    assert_eq!((names, failures), (vec!["$OrphanFiles/OrphanFile-77".to_owned()], vec![]));
}

/// The blocks that hold nodes of the tree of files, by their levels.
fn nodes_of_files(image: &[u8], level: u64) -> Vec<usize> {
    let is_node = |block: &[u8]| {
        let number = |at: usize, size: usize| {
            block[at..at + size].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
        };
        matches!(number(24, 2), 2 | 3) && number(28, 4) == 0xe && number(34, 2) == level && number(16, 8) == NOW
    };
    let blocks = image.chunks(BLOCK).enumerate();
    blocks.filter(|(_, block)| is_node(block)).map(|(index, _)| index).collect()
}

fn many() -> Vec<u8> {
    one(|container, files| {
        for index in 0..100 {
            files.file(&mut container.blocks, ROOT, format!("{index}").as_bytes(), &[]);
        }
    })
}

#[test]
fn damaged_nodes_are_failures_and_the_rest_is_read() {
    let image = many();
    let leaves = nodes_of_files(&image, 0);
    let root = nodes_of_files(&image, 1)[0];
    assert!(leaves.len() > 4);
    // A leaf with inodes at the end: its names come as failures.
    let mut damaged = image.clone();
    damaged[leaves[leaves.len() - 1] * BLOCK + 2000] ^= 1;
    let (names, failures) = outcome(damaged);
    let offset = Some((leaves[leaves.len() - 1] * BLOCK) as u64);
    assert!(!names.is_empty() && !failures.is_empty());
    assert!(failures.iter().all(|failed| failed.offset == offset && failed.cause.contains("checksum")), "{failures:?}");
    assert!(names.len() + failures.len() >= 100);
    // Checksums hold, and the structure does not.
    type Change = fn(&mut [u8]);
    let changes: [(usize, Change, &str); 6] = [
        (leaves[1], |block| put(block, 34, 3, 2), "the level of a node"),
        (leaves[1], |block| put(block, 36, 0, 4), "without entries"),
        (leaves[1], |block| put(block, 36, 0xffff, 4), "the table of a node"),
        (leaves[1], |block| put(block, 56, 0x7fff, 2), "outside of it"),
        (leaves[1], |block| put(block, 8, 4711, 8), "another number"),
        (leaves[1], |block| put(block, 28, 0xb, 4), "type of a node"),
    ];
    for (block, by, words) in changes {
        let mut damaged = image.clone();
        change(&mut damaged, block, by);
        let (_, failures) = outcome(damaged);
        assert!(failures.iter().any(|failed| failed.cause.contains(words)), "{words}: {failures:?}");
    }
    // A tree that leads to itself: the root's first entry leads to the root's own number.
    let mut circle = image.clone();
    change(&mut circle, root, |block| put(block, BLOCK - 40 - 8, 2000, 8));
    let (_, failures) = outcome(circle);
    assert!(failures.iter().any(|failed| failed.cause.contains("a root within a tree")), "{failures:?}");
}

#[test]
fn checkpoints_that_are_not_whole() {
    let image = sample().image;
    let newest = BLOCK;
    let all = said(&volumes(image.clone()));
    // The newest superblock is damaged, or its map is: the older one, which has no volumes.
    for block in [newest, RING as usize * BLOCK] {
        let mut damaged = image.clone();
        damaged[block + 100] ^= 1;
        let found = volumes(damaged);
        assert!(found.members.is_empty() && !found.warnings.is_empty(), "{:?}", found.warnings);
    }
    // Block 0 is lost: a checkpoint stands for it.
    for lost in [0_u8, 0xff] {
        let mut damaged = image.clone();
        damaged[..BLOCK].fill(lost);
        let found = volumes(damaged);
        assert_eq!(said(&found), all);
        assert!(found.warnings[0].cause.contains("its copy is used"), "{:?}", found.warnings);
    }
    // The medium ends too early, by a block that nothing uses or by all maps; or the container is
    // of a kind that is not read.
    let mut short = image.clone();
    short.truncate(image.len() - BLOCK);
    let found = volumes(short.clone());
    assert!(said(&found) == all && found.warnings[0].cause.contains("the medium only"), "{:?}", found.warnings);
    short.truncate(20 * BLOCK);
    assert!(matches!(file_system(Arc::new(short)), Err(failed) if failed.cause.contains("medium ends")));
    let mut fusion = image;
    change(&mut fusion, 0, |block| put(block, 64, 0x102, 8));
    assert!(matches!(file_system(Arc::new(fusion)), Ok(VolumeContent::Unread(name)) if name.contains("Fusion")));
}

#[test]
fn free_space_is_that_of_the_map() {
    let image = sample().image;
    let free = |image: &[u8]| -> Vec<Result<(u64, u64), Failure>> {
        let nodes = volumes(image.to_vec()).unallocated();
        let run = |node: pfh_volume::Node| {
            let run = node.content.unwrap().runs().unwrap()[0];
            (run.medium_offset.unwrap(), run.length)
        };
        nodes.map(|node| node.map(run)).collect()
    };
    let length = FREE * BLOCK as u64;
    assert_eq!(free(&image), [Ok((image.len() as u64 - length, length))]);
    // Bits have no checksum: their number is compared with the stated one.
    let lists = image.len() / BLOCK - FREE as usize - 2;
    let mut damaged = image.clone();
    damaged[(lists + 1) * BLOCK + 2] ^= 4;
    let [Err(failed)] = &free(&damaged)[..] else { panic!("no failure") };
    assert!(failed.cause.contains("4 free blocks, and 3 are stated"), "{failed:?}");
    // A list and a map whose checksums are wrong.
    for block in [lists, 1 + RING as usize] {
        let mut damaged = image.clone();
        damaged[block * BLOCK + 60] ^= 1;
        let [Err(failed)] = &free(&damaged)[..] else { panic!("no failure") };
        assert!(failed.cause.contains("checksum"), "{failed:?}");
    }
}

/// An image that counts how often it is read.
struct Counted(Vec<u8>, AtomicU64);

impl Bytes for Counted {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        assert!(self.1.fetch_add(1, Ordering::Relaxed) < 300_000, "no end");
        self.0.read_at(offset, buffer)
    }
}

#[test]
fn mutants_end() {
    let image = sample().image;
    let is_whole = |block: &&[u8]| {
        let mut again = block.to_vec();
        seal(&mut again);
        again == *block && block.iter().any(|byte| *byte != 0)
    };
    let blocks = image.chunks(BLOCK).enumerate();
    let objects: Vec<usize> = blocks.filter(|(_, block)| is_whole(block)).map(|(index, _)| index).collect();
    // Nodes of the sealed volume have no checksum.
    let bare = image.chunks(BLOCK).enumerate().filter(|(_, block)| block[..32] == [0; 32] && block[32] & 16 != 0);
    let all: Vec<usize> = objects.iter().copied().chain(bare.map(|(index, _)| index)).collect();
    assert!(objects.len() > 25 && all.len() > objects.len(), "{} of {}", objects.len(), all.len());
    for seed in 1..=mutants() {
        let mut mutant = image.clone();
        for pair in noise(seed, 8 * (1 + seed as usize % 3)).chunks(8) {
            let number = u64::from_le_bytes(pair.try_into().unwrap());
            let block = all[(number >> 40) as usize % all.len()];
            let bytes = &mut mutant[block * BLOCK..(block + 1) * BLOCK];
            // Half of the places are among bytes that are not zero.
            let used: Vec<usize> = (8..BLOCK).filter(|&at| bytes[at] != 0).collect();
            let at = match number & 1 {
                0 => 8 + (number >> 20) as usize % (BLOCK - 8),
                _ => used[(number >> 20) as usize % used.len()],
            };
            bytes[at] = (number >> 8) as u8;
            // Most of them with checksums that hold.
            if seed % 8 != 0 && objects.contains(&block) {
                seal(bytes);
            }
        }
        exhaust(Arc::new(Counted(mutant, AtomicU64::new(0))));
    }
}
