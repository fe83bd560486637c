//! A volume with files of every kind, and the expected items.

use std::io::Write;

use super::maker::{Extent, Maker, NODE, ROOT};
use crate::tree::{Item, Items, noise};

/// LZO of nothing but literals, a block a segment.
pub fn lzo(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0; 4];
    for block in bytes.chunks(NODE) {
        let mut stream = vec![0];
        let mut left = block.len() - 18;
        while left > 255 {
            stream.push(0);
            left -= 255;
        }
        stream.push(left as u8);
        stream.extend(block);
        stream.extend([17, 0, 0]);
        // A length lies in one block.
        if NODE - out.len() % NODE < 4 {
            out.resize(out.len().next_multiple_of(NODE), 0);
        }
        out.extend((stream.len() as u32).to_le_bytes());
        out.extend(stream);
    }
    let total = out.len() as u32;
    out[..4].copy_from_slice(&total.to_le_bytes());
    out
}

/// Zstandard of one block that is stored.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    let block = ((bytes.len() as u32) << 3 | 1).to_le_bytes();
    [&[0x28, 0xb5, 0x2f, 0xfd, 0xa0][..], &(bytes.len() as u32).to_le_bytes(), &block[..3], bytes].concat()
}

pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A volume, and the content of its subvolumes by their names.
pub struct Sample {
    pub maker: Maker,
    pub expected: Vec<(&'static str, Items)>,
}

/// A compressed file of these bytes in one extent.
pub fn packed(maker: &mut Maker, name: &[u8], content: &[u8], (method, raw): (u8, &[u8])) -> (u64, Extent) {
    let number = maker.add(5, ROOT, name, 0o100_644, content.len() as u64, 0);
    let logical = maker.data(raw);
    let unpacked = content.len().next_multiple_of(NODE) as u64;
    let stored = raw.len().next_multiple_of(NODE) as u64;
    let extent = Extent { at: 0, length: unpacked, logical, stored, from: 0, unpacked, method, kind: 1 };
    maker.extent(5, number, extent);
    (number, extent)
}

pub fn sample(has_two: bool) -> Sample {
    let mut maker = Maker::new(has_two);
    let mut top = Items::new();
    let mut add = |name: &str, item: Item| assert!(top.insert(name.as_bytes().to_vec(), item).is_none());
    let plain = noise(1, 20_001);
    let number = maker.file(5, ROOT, b"plain", &plain);
    maker.attribute(5, number, b"user.note", b"words");
    maker.name(5, ROOT, (number, 1, 0), 1, "Grüße 世界".as_bytes());
    for name in ["plain", "Grüße 世界"] {
        add(name, Item::File(plain.clone()));
        add(&format!("{name}:user.note"), Item::File(b"words".to_vec()));
    }
    let number = maker.add(5, ROOT, b"inline", 0o100_644, 11, 0);
    maker.inline(5, number, (0, 11), b"small words");
    add("inline", Item::File(b"small words".to_vec()));
    let number = maker.add(5, ROOT, b"inline packed", 0o100_644, 2000, 0);
    maker.inline(5, number, (1, 2000), &zlib(&[b'z'; 2000]));
    add("inline packed", Item::File(vec![b'z'; 2000]));
    let words: Vec<u8> = (0..9000).flat_map(|line| format!("line {line}\n").into_bytes()).take(70_000).collect();
    for (name, method, raw) in [("zlib", 1, zlib(&words)), ("lzo", 2, lzo(&words)), ("zstd", 3, zstd(&words))] {
        let (_, extent) = packed(&mut maker, name.as_bytes(), &words, (method, &raw));
        add(name, Item::File(words.clone()));
        // The middle of it, in another file behind a hole.
        let name = format!("{name} again");
        let number = maker.add(5, ROOT, name.as_bytes(), 0o100_644, 16_384, 0);
        maker.extent(5, number, Extent { at: 8192, length: 8192, from: 12_288, ..extent });
        add(&name, Item::File([&[0; 8192], &words[12_288..20_480]].concat()));
    }
    // Written over in the middle; set aside; a hole at the end.
    let number = maker.add(5, ROOT, b"pieces", 0o100_644, 40_000, 0);
    let (first, second) = (noise(2, 12_288), noise(3, 4096));
    let (one, two) = (maker.data(&first), maker.data(&second));
    let whole = |at, length, logical, stored, from, kind| Extent {
        at,
        length,
        logical,
        stored,
        from,
        unpacked: stored,
        method: 0,
        kind,
    };
    maker.extent(5, number, whole(0, 4096, one, 12_288, 0, 1));
    maker.extent(5, number, whole(4096, 4096, two, 4096, 0, 1));
    maker.extent(5, number, whole(8192, 4096, one, 12_288, 8192, 1));
    maker.extent(5, number, whole(12_288, 8192, one, 8192, 0, 2));
    // The same bytes once more.
    maker.extent(5, number, whole(20_480, 4096, two, 4096, 0, 1));
    let mut content = [&first[..4096], &second, &first[8192..], &[0; 8192], &second].concat();
    content.resize(40_000, 0);
    add("pieces", Item::File(content));
    let number = maker.add(5, ROOT, b"without sums", 0o100_644, 5000, 1);
    let logical = maker.data(&noise(4, 5000));
    maker.trees.get_mut(&7).unwrap().retain(|at, _| at.2 != logical);
    maker.extent(5, number, whole(0, 8192, logical, 8192, 0, 1));
    add("without sums", Item::File(noise(4, 5000)));
    let folder = maker.add(5, ROOT, b"folder", 0o40_755, 0, 0);
    add("folder", Item::Directory);
    for index in 0..90 {
        let words = format!("{index} of many");
        let number = maker.add(5, folder, format!("file {index}").as_bytes(), 0o100_644, words.len() as u64, 0);
        maker.inline(5, number, (0, words.len()), words.as_bytes());
        add(&format!("folder/file {index}"), Item::File(words.into_bytes()));
    }
    let number = maker.add(5, ROOT, b"link", 0o120_777, 6, 0);
    maker.inline(5, number, (0, 6), b"folder");
    add("link", Item::Link(b"folder".to_vec()));
    maker.add(5, ROOT, b"pipe", 0o10_644, 0, 0);
    add("pipe", Item::Special);
    maker.add(5, ROOT, b"empty", 0o100_644, 0, 0);
    add("empty", Item::File(Vec::new()));
    // Deleted while it was open, and cut off from its directory.
    let gone = maker.add(5, ROOT, b"gone", 0o100_644, 4, 0);
    maker.inline(5, gone, (0, 4), b"gone");
    let lost = maker.file(5, ROOT, b"lost", b"lost words");
    for number in [gone, lost] {
        let entry = |value: &Vec<u8>| value.starts_with(&[&number.to_le_bytes()[..], &[1]].concat());
        maker.trees.get_mut(&5).unwrap().retain(|at, value| !matches!(at.1, 84 | 96) || !entry(value));
    }
    let inode = maker.trees.get_mut(&5).unwrap().get_mut(&(gone, 1, 0)).unwrap();
    inode[40..44].fill(0);
    maker.item(5, (5_u64.wrapping_neg(), 48, gone), Vec::new());
    add(&format!("$OrphanFiles/OrphanFile-{lost}"), Item::File(b"lost words".to_vec()));
    // Subvolumes: one below another, and a snapshot of the first.
    maker.subvolume(257, (0, 7, 0));
    maker.name_subvolume(257, (5, ROOT), b"home");
    maker.file(257, ROOT, b"new", b"new words");
    maker.subvolume(258, (0, 8, 0));
    maker.name_subvolume(258, (257, ROOT), b"below");
    maker.file(258, ROOT, b"deep", b"deep words");
    maker.subvolume(259, (1, 9, 7));
    maker.name_subvolume(259, (5, folder), b"yesterday");
    maker.file(259, ROOT, b"old", b"older words");
    add("home", Item::Directory);
    add("folder/yesterday", Item::Directory);
    let one = |name: &str, words: &str| (name.as_bytes().to_vec(), Item::File(words.as_bytes().to_vec()));
    let below = (b"below".to_vec(), Item::Directory);
    let expected = vec![
        ("top-level", top),
        ("home", Items::from([one("new", "new words"), below])),
        ("folder/yesterday", Items::from([one("old", "older words")])),
        ("home/below", Items::from([one("deep", "deep words")])),
    ];
    Sample { maker, expected }
}
