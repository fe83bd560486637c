//! Discs and disks for Macs: Apple partition maps, and HFS+ beside ISO 9660, as xorriso writes it.

use std::sync::Arc;

use pfh_inject::{Need, lacks};
use pfh_volume::{Bytes, Scheme, Usage, partitions};

use super::sample::sample;
use crate::image::{Bench, run, text};
use crate::listing::{assert_same, items, volume_of};
use crate::tree::{self, Item, Items};

/// A map with entries in steps of `block` bytes: name, type, first block and how many.
fn map(block: usize, entries: &[(&str, &str, u32, u32)], size: usize) -> Vec<u8> {
    let mut image = vec![0; size];
    image[..2].copy_from_slice(b"ER");
    image[2..4].copy_from_slice(&(block as u16).to_be_bytes());
    for (index, (name, kind, start, count)) in entries.iter().enumerate() {
        let entry = &mut image[(index + 1) * block..][..512];
        entry[..2].copy_from_slice(b"PM");
        entry[4..8].copy_from_slice(&(entries.len() as u32).to_be_bytes());
        entry[8..12].copy_from_slice(&start.to_be_bytes());
        entry[12..16].copy_from_slice(&count.to_be_bytes());
        entry[16..16 + name.len()].copy_from_slice(name.as_bytes());
        entry[48..48 + kind.len()].copy_from_slice(kind.as_bytes());
    }
    image
}

#[test]
fn apple_partition_maps() {
    let (mut inner, expected) = sample(true);
    inner.resize(inner.len().next_multiple_of(2048), 0);
    for block in [512, 2048] {
        let first = 64 * 2048 / block;
        let count = (inner.len() / block) as u32;
        let size = first * block + inner.len() + 64 * block;
        let entries = [
            ("Apple", "Apple_partition_map", 1, 63),
            ("Macintosh", "Apple_HFS", first as u32, count),
            ("", "Apple_Free", first as u32 + count, 64),
            ("beyond", "Apple_Boot", first as u32 + count + 32, 64),
        ];
        let mut image = map(block, &entries, size);
        image[first * block..first * block + inner.len()].copy_from_slice(&inner);
        let medium: Arc<dyn Bytes> = Arc::new(image.clone());
        let table = partitions(&medium).unwrap();
        assert_eq!((table.scheme, table.sector_size as usize), (Scheme::Apm, block));
        assert_eq!(table.warnings.len(), 1, "{:?}", table.warnings);
        assert!(table.warnings[0].cause.contains("behind the end"), "{:?}", table.warnings);
        let parts: Vec<_> = table.partitions.iter().map(|part| (part.number, part.usage, part.start)).collect();
        let end = first * block + inner.len();
        let starts = [0, first * block, end, end + 32 * block].map(|at| at as u64);
        assert_eq!(
            parts,
            [
                (None, Usage::Unallocated, starts[0]),
                (Some(2), Usage::Partition, starts[1]),
                (None, Usage::Unallocated, starts[2]),
                (Some(4), Usage::Partition, starts[3]),
            ]
        );
        assert_eq!(
            (table.partitions[1].kind.as_str(), &table.partitions[1].name[..]),
            ("Apple_HFS", &b"Macintosh"[..])
        );
        assert_same(&items(&volume_of(table.partitions[1].open(&medium).unwrap())), &expected);
        // A disk that got an MBR later, and one that boots elsewhere as well.
        let mut both = image.clone();
        both[446..462].copy_from_slice(&[0, 0, 2, 0, 0x83, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0]);
        both[510..512].copy_from_slice(&[0x55, 0xaa]);
        for (start, scheme, word) in [(b"ER", Scheme::Apm, "an MBR stands beside"), (b"\0\0", Scheme::Mbr, "an Apple")]
        {
            both[..2].copy_from_slice(start);
            let table = partitions(&(Arc::new(both.clone()) as Arc<dyn Bytes>)).unwrap();
            assert_eq!(table.scheme, scheme);
            assert!(table.warnings.iter().any(|found| found.cause.contains(word)), "{:?}", table.warnings);
        }
        // An invalid entry, and a table of another size.
        image[3 * block] = 0;
        image[2 * block + 7] = 9;
        let table = partitions(&(Arc::new(image) as Arc<dyn Bytes>)).unwrap();
        assert_eq!(table.warnings.len(), 3, "{:?}", table.warnings);
    }
}

/// HFS+ that xorriso writes: alone on the disc, and beside the disc's own names.
#[test]
fn discs_for_macs() {
    if lacks(&[Need::Program("xorriso")]) {
        return;
    }
    let bench = Bench::new();
    let source = bench.path("source");
    tree::plain(&source);
    std::os::unix::fs::symlink("size 1.bin", source.join("a link")).unwrap();
    let image = bench.path("disc");
    run("xorriso", &["-as", "mkisofs", "-quiet", "-hfsplus", "-V", "BOTH", "-o", text(&image), text(&source)]);
    let bytes = std::fs::read(&image).unwrap();
    let medium: Arc<dyn Bytes> = Arc::new(bytes.clone());
    assert_eq!(partitions(&medium).unwrap().scheme, Scheme::None);
    let disc = volume_of(medium);
    assert_eq!((disc.kind, &disc.unread, &disc.warnings), ("ISO 9660", &vec![], &vec![]));
    // All of HFS+ is in ISO 9660 as well.
    let expected = tree::items(&source);
    assert_same(&items(&disc), &expected);
    let entry = (1..8).map(|index| &bytes[512 * index..][..512]).find(|entry| entry[48..].starts_with(b"Apple_HFS"));
    let entry = entry.expect("a partition of HFS+");
    let place = |at: usize| 512 * u32::from_be_bytes(entry[at..at + 4].try_into().unwrap()) as usize;
    let alone = volume_of(Arc::new(bytes[place(8)..place(8) + place(12)].to_vec()));
    assert_eq!((alone.kind, &alone.label[..]), ("HFS+", &b"BOTH"[..]));
    // Letters are decomposed in HFS+.
    let decomposed = |path: Vec<u8>| String::from_utf8(path).unwrap().replace('ü', "u\u{308}").into_bytes();
    assert_same(&items(&alone), &expected.into_iter().map(|(path, item)| (decomposed(path), item)).collect());
}

/// Files that only HFS+ has of a disc come behind the disc's own names.
#[test]
fn files_that_only_macs_see() {
    if lacks(&[Need::Program("xorriso")]) {
        return;
    }
    let bench = Bench::new();
    let source = bench.path("source");
    std::fs::create_dir(&source).unwrap();
    std::fs::write(source.join("both"), b"for both").unwrap();
    let image = bench.path("disc");
    run("xorriso", &["-as", "mkisofs", "-quiet", "-o", text(&image), text(&source)]);
    let mut bytes = std::fs::read(&image).unwrap();
    let (inner, others) = sample(true);
    let first = bytes.len();
    bytes.extend(&inner);
    let count = (inner.len() / 512) as u32;
    let entries = [
        ("Apple", "Apple_partition_map", 1, 3),
        ("Mac", "Apple_HFS", (first / 512) as u32, count),
        ("code", "Apple_Driver43", 40, 8),
    ];
    bytes[..2048].copy_from_slice(&map(512, &entries, 2048));
    let disc = volume_of(Arc::new(bytes));
    let mut expected: Items = [(b"both".to_vec(), Item::File(b"for both".to_vec()))].into();
    let files = others.into_iter().filter(|(_, item)| matches!(item, Item::File(bytes) if !bytes.is_empty()));
    // Names of one file have the same place, and empty files the same content.
    let is_other = |path: &[u8]| !path.starts_with(b"Folder/two of ");
    let named = |path: Vec<u8>| [b"$HFS+/", &path[..]].concat();
    expected.extend(files.filter(|(path, _)| is_other(path)).map(|(path, item)| (named(path), item)));
    expected.insert(named(b"empty".to_vec()), Item::File(Vec::new()));
    assert_same(&items(&disc), &expected);
    assert_eq!(disc.unread.len(), 1, "{:?}", disc.unread);
    assert!(disc.unread[0].cause.contains("Apple_Driver43"), "{:?}", disc.unread);
}
