//! Volumes that contradict themselves.

use std::sync::Arc;

use pfh_volume::{Options, file_system};

use super::opened;
use super::sample::{FILES, PLAIN, folder_link, link, sample};
use super::volume::{BLOCK, ROOT, Volume};
use crate::image::Bench;
use crate::listing::{assert_same, items, nodes};
use crate::mutants::survive;

/// All failures of a volume, with those of its files' contents.
fn failures(image: Vec<u8>) -> Vec<String> {
    let found = opened(image);
    let (nodes, failures) = nodes(&found, Options { deleted: true, unallocated: true });
    let mut said: Vec<String> =
        failures.iter().map(|failed| format!("{}: {}", String::from_utf8_lossy(&failed.path), failed.cause)).collect();
    for node in nodes {
        let Some(content) = node.content else { continue };
        let failed = content.open().err().map(|failed| failed.to_string()).or_else(|| {
            std::io::copy(&mut content.open().ok()?, &mut std::io::sink()).err().map(|error| error.to_string())
        });
        said.extend(failed.map(|failed| format!("{}: {failed}", String::from_utf8_lossy(&node.path))));
    }
    said
}

/// Where the first node of this type with these bytes begins.
fn node_with(image: &[u8], kind: u8, bytes: &[u8]) -> usize {
    let is_one = |node: &[u8]| node[8] == kind && node[9] <= 3 && node.windows(bytes.len()).any(|part| part == bytes);
    image.chunks(BLOCK).position(is_one).expect("a node") * BLOCK
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

#[test]
fn a_lost_header_has_a_copy() {
    let (whole, expected) = sample(true);
    for change in [&b"xx"[..], b"H+\0\x04\0\0\0\0"] {
        let mut image = whole.clone();
        image[1024..1536].fill(0);
        image[1024..1024 + change.len()].copy_from_slice(change);
        let found = opened(image);
        assert!(found.warnings[0].cause.contains("its copy is used"), "{:?}", found.warnings);
        assert_same(&items(&found), &expected);
    }
}

#[test]
fn journals_and_mounted_volumes_are_remarks() {
    let mut volume = Volume::new("Mounted", true);
    volume.plain(ROOT, "a", b"b");
    volume.journal(false);
    let mut image = volume.end();
    let said =
        |image: &[u8]| opened(image.to_vec()).warnings.iter().map(|found| found.cause.clone()).collect::<Vec<_>>();
    assert_eq!(said(&image), ["the journal was not replayed: the state without it is read"]);
    image[1024 + 6] = 0x20;
    assert_eq!(said(&image)[0], "the volume was not unmounted");
    let at = image.windows(4).position(|part| part == b"xLNJ").unwrap();
    image[at + 20] ^= 1;
    assert!(said(&image)[1].contains("checksum"), "{:?}", said(&image));
    image[at] = 0;
    assert!(said(&image)[1].contains("no magic"), "{:?}", said(&image));
    let size = image.len();
    image.truncate(size - BLOCK);
    assert!(said(&image).iter().any(|cause| cause.contains("the volume only")), "{:?}", said(&image));
}

#[test]
fn links_that_lead_nowhere_are_failures() {
    let mut volume = Volume::new("Links", true);
    let files = volume.directory(ROOT, FILES);
    volume.plain(files, "iNode5", b"there");
    volume.file(ROOT, "to nothing", link(6), (b"", 0), (b"", 0));
    volume.file(ROOT, "folder to nothing", folder_link(6), (b"", 0), (b"", 0));
    volume.file(ROOT, "own words", link(6), (b"words", 1), (b"", 0));
    volume.plain(ROOT, "a:b", b"a name that leads elsewhere");
    let said = failures(volume.end());
    let expected = ["a hard link to a file", "a hard link to a directory", "a name with a colon"];
    for word in expected {
        assert_eq!(said.iter().filter(|said| said.contains(word)).count(), 1, "{word}: {said:?}");
    }
    assert_eq!(said.len(), 3, "{said:?}");
}

/// Directories that are listed in one another, by links.
#[test]
fn circles_end() {
    let mut volume = Volume::new("Circle", true);
    let folders = volume.directory(ROOT, super::sample::FOLDERS);
    let one = volume.directory(folders, "dir_1");
    let two = volume.directory(folders, "dir_2");
    volume.file(one, "two", folder_link(2), (b"", 0), (b"", 0));
    volume.file(two, "one", folder_link(1), (b"", 0), (b"", 0));
    volume.file(ROOT, "start", folder_link(1), (b"", 0), (b"", 0));
    let found = opened(volume.end());
    let (nodes, failures) = nodes(&found, Options::default());
    let names: Vec<_> = nodes.iter().map(|node| String::from_utf8_lossy(&node.path).into_owned()).collect();
    assert_eq!((names, failures.len()), (vec!["start".into(), "start/two".into(), "start/two/one".into()], 0));
}

#[test]
fn damaged_trees_are_failures_and_the_rest_is_listed() {
    let (whole, expected) = sample(true);
    let leaf = node_with(&whole, 0xff, &utf16("file 30 with"));
    let root = node_with(&whole, 0, &utf16("file "));
    // A node of the catalog leads to one that is not there, to itself, or to the root.
    let damages: [(usize, &[u8], &str); 4] = [
        (leaf + 8, &[7], "type of a node"),
        (leaf + 10, &[0xff, 0xff], "contradict one another"),
        (leaf + BLOCK - 2, &[0, 3], "contradict one another"),
        (root + 9, &[9], "one level below"),
    ];
    for (at, bytes, word) in damages {
        let mut image = whole.clone();
        image[at..at + bytes.len()].copy_from_slice(bytes);
        let said = failures(image.clone());
        assert!(said.iter().any(|said| said.contains(word)), "{word}: {said:?}");
        let (nodes, _) = nodes(&opened(image), Options::default());
        let is_root = at / BLOCK == root / BLOCK;
        assert!(is_root || nodes.len() > expected.len() / 2, "{word}: {}", nodes.len());
    }
    // Records that no index leads to are counted.
    let mut image = whole.clone();
    let count = u16::from_be_bytes([image[leaf + 10], image[leaf + 11]]);
    image[leaf + 10..leaf + 12].copy_from_slice(&(count - 1).to_be_bytes());
    let said = failures(image);
    assert!(said.iter().any(|said| said.contains("are stated")), "{said:?}");
}

#[test]
fn hostile_extents_are_failures() {
    let mut volume = Volume::new("Extents", true);
    volume.file(ROOT, "victim", PLAIN, (&[7; 20 * BLOCK], 12), (b"", 0));
    let whole = volume.end();
    let leaf = node_with(&whole, 0xff, &utf16("victim"));
    let name = whole[leaf..leaf + BLOCK].windows(12).position(|part| part == utf16("victim")).unwrap() + leaf;
    let fork = (name + 12).next_multiple_of(2) + 88;
    for (at, bytes, word) in [
        (fork + 16, &[0xff; 4][..], "out of the volume"),
        (fork + 12, &[0, 0, 0, 8], "whose extents have"),
        (fork, &[0, 0, 1], "whose extents have"),
        (fork + 24, &whole[fork + 16..fork + 20], "twice"),
        (fork + 24 + 4, &[0, 0, 0, 0], "nothing is known"),
    ] {
        let mut image = whole.clone();
        image[at..at + bytes.len()].copy_from_slice(bytes);
        let said = failures(image);
        assert!(said.iter().any(|said| said.contains("victim") && said.contains(word)), "{word}: {said:?}");
    }
}

/// Index nodes whose every record leads to the same child.
#[test]
fn nodes_that_are_in_a_tree_twice_end() {
    let mut volume = Volume::new("Twice", true);
    for index in 0..300 {
        volume.plain(ROOT, &format!("file {index} with a name that fills nodes"), b"");
    }
    let mut image = volume.end();
    let index = node_with(&image, 0, &utf16("file 1"));
    let count = usize::from(u16::from_be_bytes([image[index + 10], image[index + 11]]));
    let record = |image: &[u8], number: usize| {
        let at = index + BLOCK - 2 * (number + 1);
        index + usize::from(u16::from_be_bytes([image[at], image[at + 1]]))
    };
    let first = record(&image, 2) - 4;
    let child: [u8; 4] = image[first..first + 4].try_into().unwrap();
    for number in 1..count {
        let at = record(&image, number + 1) - 4;
        image[at..at + 4].copy_from_slice(&child);
    }
    let found = opened(image);
    let (nodes, failures) = nodes(&found, Options::default());
    assert!(!failures.is_empty() && nodes.len() < 10_000, "{} {}", nodes.len(), failures.len());
}

#[test]
fn mutants_end() {
    let bench = Bench::new();
    let image = bench.path("hfs");
    let (whole, _) = sample(true);
    std::fs::write(&image, &whole).unwrap();
    // The header, and all nodes of trees.
    let nodes = whole.chunks(BLOCK).enumerate().filter(|(_, block)| {
        matches!(block[8], 0 | 1 | 0xff)
            && block[9] <= 4
            && block[10] == 0
            && block[11] > 0
            && block[BLOCK - 2..] == [0, 14]
    });
    let mut structures: Vec<_> = nodes.map(|(index, _)| (index * BLOCK) as u64..((index + 1) * BLOCK) as u64).collect();
    structures.push(1024..1536);
    survive(&image, &structures);
}

#[test]
fn headers_that_contradict_themselves_are_failures() {
    let (whole, _) = sample(true);
    for (at, bytes) in [(40, &[0, 0, 3, 0][..]), (44, &[0; 4]), (272, &[0; 80]), (192, &[0; 80])] {
        let mut image = whole.clone();
        let copy = image.len() - 1024;
        for start in [1024, copy] {
            image[start + at..start + at + bytes.len()].copy_from_slice(bytes);
        }
        assert!(file_system(Arc::new(image)).is_err(), "{at}");
    }
}
