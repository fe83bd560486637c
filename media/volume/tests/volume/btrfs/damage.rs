//! Volumes that are damaged or hostile: each fault is named at its place.

use std::sync::Arc;

use pfh_volume::{Node, Options, VolumeContent, file_system};

use super::maker::{Extent, Maker, NODE, ROOT, SIZE, START, put, seal};
use super::sample::{packed, sample, zlib};
use super::{system, volumes};
use crate::image::Bench;
use crate::listing::{assert_same, items, nodes};
use crate::mutants;
use crate::tree::noise;

/// The failure of reading a file of this name.
fn said(image: Vec<u8>, name: &str) -> (Option<u64>, String) {
    let found = volumes(image);
    let (nodes, _) = nodes(system(&found, "top-level"), Options::default());
    let node: &Node = nodes.iter().find(|node| node.path == name.as_bytes()).expect("a name");
    let mut reader = node.content.as_ref().unwrap().open().unwrap();
    let error = std::io::copy(&mut reader, &mut std::io::sink()).expect_err("a failure");
    let failed = error.get_ref().and_then(|inner| inner.downcast_ref::<pfh_volume::Failure>()).expect("one of ours");
    assert_eq!(failed.path, name.as_bytes());
    (failed.offset, failed.cause.clone())
}

/// Where these bytes first stand.
fn find(image: &[u8], bytes: &[u8]) -> usize {
    (0..image.len() / NODE)
        .map(|block| block * NODE)
        .find(|&at| image[at..].starts_with(bytes))
        .expect("they are there")
}

#[test]
fn a_copy_serves_for_damaged_data_and_nodes() {
    let sample = sample(true);
    let (expected, image) = (sample.expected, sample.maker.end());
    // All of the first copy, then all of the second.
    for range in [START as usize..4 << 20, 4 << 20..7 << 20] {
        let mut image = image.clone();
        image[range].fill(0x5a);
        let found = volumes(image);
        for (name, expected) in &expected {
            // Files without checksums have the bytes that stand there.
            let mut found = items(system(&found, name));
            let mut expected = expected.clone();
            found.remove(&b"without sums"[..]);
            expected.remove(&b"without sums"[..]);
            assert_same(&found, &expected);
        }
    }
}

#[test]
fn wrong_data_fails_by_name_and_place() {
    let sample = sample(false);
    let mut image = sample.maker.end();
    let at = find(&image, &noise(1, 64));
    image[at + 2 * NODE + 77] ^= 1;
    let (offset, cause) = said(image.clone(), "plain");
    assert_eq!(offset, Some((at + 2 * NODE) as u64));
    assert!(cause.contains("the checksum of a block of data is wrong"), "{cause}");
    // The rest is unchanged.
    let found = volumes(image);
    let (nodes, failures) = nodes(system(&found, "home"), Options::default());
    assert_eq!((nodes.len(), failures.len()), (2, 0));
}

#[test]
fn files_that_contradict_themselves() {
    let words = vec![b'w'; 50_000];
    let raw = zlib(&words);
    let whole =
        Extent { at: 0, length: 8192, logical: START, stored: 8192, from: 0, unpacked: 8192, method: 0, kind: 1 };
    type Change = fn(&mut Maker, u64, Extent);
    let cases: [(&str, Change); 8] = [
        ("two extents claim", |maker, number, extent| {
            maker.extent(5, number, extent);
            maker.extent(5, number, Extent { at: 4096, ..extent });
        }),
        ("longer than its data", |maker, number, extent| {
            maker.extent(5, number, Extent { from: 4096, ..extent });
        }),
        ("in no chunk", |maker, number, extent| maker.extent(5, number, Extent { logical: 1 << 40, ..extent })),
        ("unknown type", |maker, number, extent| maker.extent(5, number, Extent { kind: 9, ..extent })),
        ("unknown way", |maker, number, extent| maker.extent(5, number, Extent { method: 7, ..extent })),
        ("has no checksum", |maker, number, extent| {
            maker.extent(5, number, Extent { logical: START + (2 << 20), ..extent });
        }),
        ("in the metadata", |maker, number, _| maker.inline(5, number, (0, 7000), b"short")),
        ("compressed bytes in the metadata are damaged", |maker, number, _| {
            maker.inline(5, number, (1, 7000), b"short")
        }),
    ];
    for (cause, change) in cases {
        let mut maker = Maker::new(false);
        maker.data(&noise(9, 8192));
        let number = maker.add(5, ROOT, b"file", 0o100_644, 8192, 0);
        change(&mut maker, number, whole);
        let (_, found) = said(maker.end(), "file");
        assert!(found.contains(cause), "{found} and not {cause}");
    }
    // Compressed bytes that do not unpack to the stated size, with checksums that are right.
    let mut maker = Maker::new(false);
    let mut cut = raw;
    cut.truncate(30);
    packed(&mut maker, b"file", &words, (1, &cut));
    assert!(said(maker.end(), "file").1.contains("a compressed extent is damaged"));
    // A gap, in a file system whose holes are explicit.
    let mut maker = Maker::new(false);
    let number = maker.add(5, ROOT, b"file", 0o100_644, 90_000, 0);
    let logical = maker.data(&noise(9, 8192));
    maker.extent(5, number, Extent { logical, ..whole });
    maker.fields.push((0xbc, 0x141_u64.to_le_bytes().to_vec()));
    assert!(said(maker.end(), "file").1.contains("no extent has the bytes from 8192 on"));
}

#[test]
fn superblocks_and_what_they_warn_of() {
    let warned = |fields: Vec<(usize, Vec<u8>)>| {
        let mut maker = Maker::new(false);
        maker.fields = fields;
        volumes(maker.end()).warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(warned(Vec::new()), Vec::<String>::new());
    assert!(warned(vec![(0x60, vec![1])])[0].contains("not replayed"));
    assert!(warned(vec![(0x3c, vec![2])])[0].contains("a dump of metadata"));
    assert!(warned(vec![(0x88, vec![2])])[0].contains("2 devices, and 1 are listed"));
    let unread = |fields: Vec<(usize, Vec<u8>)>| {
        let mut maker = Maker::new(false);
        maker.fields = fields;
        match file_system(Arc::new(maker.end())) {
            Ok(VolumeContent::Unread(what)) => what,
            Ok(_) => panic!("it is read"),
            Err(failed) => failed.to_string(),
        }
    };
    assert_eq!(unread(vec![(0xbd, vec![0x43])]), "Btrfs with a tree of RAID stripes");
    assert!(unread(vec![(0xbe, vec![2])]).contains("unknown features 0x20000"));
    assert!(unread(vec![(0x94, vec![1])]).contains("nodes of"));
    assert!(unread(vec![(0xc4, vec![9])]).contains("unknown kind"));
    assert!(unread(vec![(0xa0, vec![0xff, 0xff])]).contains("too long"));
    // The copy at 64 MiB, where the first is damaged, lost, or older.
    let good = Maker::new(false).end();
    for change in 0..3 {
        let mut image = good.clone();
        image.resize((64 << 20) + NODE, 0);
        let mut copy = good[65_536..65_536 + NODE].to_vec();
        put(&mut copy, 0x30, 64 << 20, 8);
        put(&mut copy, 0xd1, image.len() as u64, 8);
        put(&mut image, 0xd1 + 65_536, (64 << 20) + NODE as u64, 8);
        seal(&mut copy);
        image[64 << 20..].copy_from_slice(&copy);
        match change {
            0 => image[65_536 + 0x130] ^= 1,
            1 => image[65_536..65_536 + NODE].fill(0),
            _ => {
                let mut older = image[65_536..65_536 + NODE].to_vec();
                put(&mut older, 0x48, 6, 8);
                seal(&mut older);
                image[65_536..65_536 + NODE].copy_from_slice(&older);
            }
        }
        let found = volumes(image);
        assert!(found.warnings.iter().any(|warning| warning.offset == Some(64 << 20)), "{:?}", found.warnings);
        assert!(found.members[0].found.is_ok());
    }
}

/// The reader ends on any change; with the right checksums as well.
#[test]
fn mutants_end() {
    let bench = Bench::new();
    let (plain, sealed) = (bench.path("plain"), bench.path("sealed"));
    let image = sample(true).maker.end();
    std::fs::write(&plain, &image).unwrap();
    let structures: Vec<_> = std::iter::once(65_536..69_632).chain(nodes_of(&image)).collect();
    mutants::survive(&plain, &structures);
    // The first copy alone, so that no other serves; each changed block is sealed again.
    let image = sample(false).maker.end();
    std::fs::write(&sealed, &image).unwrap();
    let structures: Vec<_> = std::iter::once(65_536..69_632).chain(nodes_of(&image)).collect();
    mutants::survive_sealed(&sealed, &structures, seal);
    assert!(structures.len() > 10 && image.len() == SIZE);
}

/// The nodes of an image.
fn nodes_of(image: &[u8]) -> Vec<std::ops::Range<u64>> {
    let is_node = |&at: &usize| at != 65_536 && image[at + 32..at + 48] == [0x11; 16];
    (0..image.len() / NODE).map(|block| block * NODE).filter(is_node).map(|at| at as u64..(at + NODE) as u64).collect()
}
