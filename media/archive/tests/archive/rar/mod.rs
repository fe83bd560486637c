//! RAR of each version, as a small writer packs it, and with false statements.

mod packer;

use crate::mutated;
use packer::{Packer, Step, Version};
use pfh_archive::{Failure, Kind, Node};
use pfh_archive::{Format, Limits, open, open_parts};
use pfh_inject::mutants;
use std::io::Read;
use std::sync::Arc;

type Outcomes = Vec<(String, Result<Vec<u8>, String>)>;

fn read(node: &Node) -> Option<Result<Vec<u8>, String>> {
    let opened = node.content.as_ref()?.open();
    Some(opened.map_err(|failure| failure.to_string()).and_then(|mut reader| {
        let mut all = Vec::new();
        reader
            .read_to_end(&mut all)
            .map_err(|error| error.get_ref().map_or(String::new(), |inner| inner.to_string()))?;
        Ok(all)
    }))
}

fn listed(nodes: impl Iterator<Item = Result<Node, Failure>>) -> Outcomes {
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let one = |found: Result<Node, Failure>| match found {
        Err(failure) => Some((text(&failure.path), Err(failure.to_string()))),
        Ok(node) => Some((text(&node.path), read(&node)?)),
    };
    nodes.filter_map(one).collect()
}

fn outcomes(bytes: &[u8], limits: &Limits) -> Outcomes {
    assert_eq!(Format::recognize(bytes), Some(Format::Rar));
    listed(open(Format::Rar, Arc::new(bytes.to_vec()), b"x", limits).unwrap())
}

fn usual(bytes: &[u8]) -> Outcomes {
    outcomes(bytes, &Limits::default())
}

/// The one error among them.
fn error(found: &Outcomes) -> &str {
    let errors: Vec<_> = found.iter().filter_map(|(_, is)| is.as_ref().err()).collect();
    assert!(errors.len() == 1, "{errors:?}");
    errors[0]
}

/// A block of RAR 3.
fn three(kind: u8, flags: u16, body: &[u8], data: &[u8]) -> Vec<u8> {
    let size = (7 + body.len() as u16).to_le_bytes();
    let header = [&[kind][..], &flags.to_le_bytes(), &size, body].concat();
    [&(crc32fast::hash(&header) as u16).to_le_bytes()[..], &header, data].concat()
}

/// A stored file in RAR 3.
fn stored_three(name: &str, bytes: &[u8], flags: u16) -> Vec<u8> {
    let size = (bytes.len() as u32).to_le_bytes();
    let mut body = [&size[..], &size, &[2], &crc32fast::hash(bytes).to_le_bytes(), &[0, 0, 0x21, 0x5c]].concat();
    body.extend([&[29, 0x30][..], &(name.len() as u16).to_le_bytes(), &[0x20, 0, 0, 0], name.as_bytes()].concat());
    three(0x74, 0x8000 | flags, &body, bytes)
}

fn archive_three(files: &[(&str, &[u8], u16)], main: u16, end: u16) -> Vec<u8> {
    let files: Vec<u8> = files.iter().flat_map(|(name, bytes, flags)| stored_three(name, bytes, *flags)).collect();
    [b"Rar!\x1a\x07\0", &three(0x73, main, &[0; 6], b"")[..], &files, &three(0x7b, 0x4000 | end, b"", b"")].concat()
}

/// A file in RAR 2 or 3 that is packed, or a link.
fn file_three(name: &str, [version, method]: [u8; 2], (data, plain): (&[u8], &[u8]), flags: u16, mode: u32) -> Vec<u8> {
    let sizes = [(data.len() as u32).to_le_bytes(), (plain.len() as u32).to_le_bytes()].concat();
    let body = [
        &sizes[..],
        &[3],
        &crc32fast::hash(plain).to_le_bytes(),
        &[0, 0, 0x21, 0x5c, version, method],
        &(name.len() as u16).to_le_bytes(),
        &mode.to_le_bytes(),
        name.as_bytes(),
    ];
    three(0x74, 0x8000 | flags, &body.concat(), data)
}

/// An archive of RAR 2 to 4 of these blocks.
fn of_three(files: &[Vec<u8>]) -> Vec<u8> {
    [b"Rar!\x1a\x07\0", &three(0x73, 0, &[0; 6], b"")[..], &files.concat(), &three(0x7b, 0x4000, b"", b"")].concat()
}

/// A number of seven bits a byte.
fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 128 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A file of RAR 5 that is packed, with its records.
fn packed_five(name: &str, (data, plain): (&[u8], &[u8]), packing: usize, flags: u8, records: &[u8]) -> Vec<u8> {
    let has = u8::from(!records.is_empty());
    let mut fields = vec![2, 2 | flags | has];
    if has == 1 {
        fields.extend(number(records.len()));
    }
    fields.extend([number(data.len()), vec![4], number(plain.len()), vec![0]].concat());
    fields.extend(crc32fast::hash(plain).to_le_bytes());
    fields.extend([number(packing), vec![1, name.len() as u8], name.as_bytes().to_vec(), records.to_vec()].concat());
    five(&fields, data)
}

/// A block of RAR 5, whose header is below 128 bytes.
fn five(fields: &[u8], data: &[u8]) -> Vec<u8> {
    let header = [&[fields.len() as u8][..], fields].concat();
    [&crc32fast::hash(&header).to_le_bytes()[..], &header, data].concat()
}

/// A file in RAR 5, with the number that says how it is packed.
fn file_five(name: &str, size: u8, crc: u32, packing: &[u8], data: &[u8]) -> Vec<u8> {
    let mut fields = vec![2, 2, data.len() as u8, 4, size, 0];
    fields.extend([&crc.to_le_bytes()[..], packing, &[1, name.len() as u8], name.as_bytes()].concat());
    five(&fields, data)
}

fn archive_five(files: &[Vec<u8>]) -> Vec<u8> {
    [b"Rar!\x1a\x07\x01\0", &five(&[1, 0, 0], b"")[..], &files.concat(), &five(&[5, 0, 0], b"")].concat()
}

/// How the packed files of a version are stated: RAR 2 and 3 by version and method.
fn file(version: Version, name: &str, bytes: (&[u8], &[u8]), is_solid: bool) -> Vec<u8> {
    let solid = if is_solid { 0x10 } else { 0 };
    match version {
        Version::Two => file_three(name, [20, 0x33], bytes, solid, 0),
        Version::Three => file_three(name, [29, 0x33], bytes, solid, 0),
        // A window of 1 MiB.
        Version::Five => packed_five(name, bytes, 3 << 7 | usize::from(is_solid) << 6 | 3 << 10, 0, &[]),
    }
}

/// An archive of a version: of a file with each step, and one that goes on from it.
fn packed(version: Version) -> (Vec<u8>, [Vec<u8>; 2]) {
    let mut packer = Packer::new(version);
    let words = b"some words, and more words; ";
    let far: Vec<u8> = (0..9000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut steps = vec![
        Step::Literals(words),
        Step::Match(13, 9),
        Step::Repeat,
        Step::Match(1, 70),
        Step::Match(20, 5),
        Step::Again(1, 4),
        Step::Literals(&far),
        Step::Match(300, 40),
        Step::Match(8500, 257),
        Step::Again(2, 3),
        Step::Again(0, 30),
        Step::Repeat,
    ];
    if version != Version::Five {
        steps.extend([1, 4, 5, 17, 100, 256].map(Step::Short));
    }
    let (first, one) = packer.member(&steps);
    let (second, two) = packer.member(&[Step::Match(9000, 25), Step::Literals(b"end"), Step::Again(3, 12)]);
    let files = [file(version, "one", (&first, &one), false), file(version, "d/two", (&second, &two), true)];
    let whole = if version == Version::Five { archive_five(&files) } else { of_three(&files) };
    (whole, [one, two])
}

#[test]
fn every_version_gives_back_the_bytes() {
    for version in [Version::Two, Version::Three, Version::Five] {
        let (whole, [one, two]) = packed(version);
        assert!(one.len() > 9300);
        let expected = [("one".to_owned(), Ok(one)), ("d/two".to_owned(), Ok(two))];
        let found = usual(&whole);
        let errors: Vec<_> = found.iter().filter_map(|(_, is)| is.as_ref().err()).collect();
        assert!(found == expected, "{version:?}: {errors:?}");
        // A wrong bit of a packed byte of the first.
        let mut wrong = whole.clone();
        let middle = whole.len() / 2;
        wrong[middle] ^= 4;
        assert!(usual(&wrong)[0].1.is_err(), "{version:?}");
    }
    // Differences of two channels, put together.
    let (data, raw) =
        Packer::new(Version::Five).member(&[Step::Delta(6), Step::Literals(&[255, 255, 255, 254, 254, 254])]);
    assert_eq!(raw.len(), 6);
    let plain = [1, 2, 2, 4, 3, 6];
    let whole = archive_five(&[packed_five("a", (&data, &plain), 3 << 7, 0, &[])]);
    assert_eq!(usual(&whole), [("a".to_owned(), Ok(plain.to_vec()))]);
}

#[test]
fn links_streams_and_checks_of_each_version() {
    // A link of Unix has its target as content; a file that is encrypted is named.
    let link = file_three("link", [29, 0x30], (b"d/two", b"d/two"), 0, 0xa1ff);
    let secret = file_three("secret", [29, 0x30], (b"12345678", b"1234"), 4, 0x81a4);
    let whole = of_three(&[link, stored_three("plain", b"words", 0), secret]);
    let nodes: Vec<_> = open(Format::Rar, Arc::new(whole.clone()), b"x", &Limits::default()).unwrap().collect();
    let first = nodes[0].as_ref().unwrap();
    assert_eq!((&first.path[..], &first.kind), (&b"link"[..], &Kind::Link(b"d/two".to_vec())));
    // Its times have no zone.
    assert_eq!(first.times, pfh_archive::Times::default());
    assert!(error(&usual(&whole)).contains("is encrypted"));

    // BLAKE2sp in place of a CRC, and a further name of a file.
    let sum = blake2s_simd::blake2sp::blake2sp(b"words");
    let record = |kind: u8, body: &[u8]| [&[1 + body.len() as u8, kind][..], body].concat();
    let with = |sum: &[u8]| {
        let record = record(2, &[&[0][..], sum].concat());
        let mut fields = vec![2, 3, record.len() as u8, 5, 0, 5, 0, 0, 1, 1];
        fields.extend([b"a", &record[..]].concat());
        let other = record_of_link(&record_link(b"a"));
        archive_five(&[five(&fields, b"words"), other])
    };
    let found = usual(&with(sum.as_bytes()));
    let expected = ["a", "b"].map(|name| (name.to_owned(), Ok(b"words".to_vec())));
    assert_eq!(found, expected);
    let found = usual(&with(&[7; 32]));
    assert!(found.iter().all(|(_, is)| is.as_ref().is_err_and(|why| why.contains("BLAKE2sp"))), "{found:?}");
}

/// The record of a hard link.
fn record_link(target: &[u8]) -> Vec<u8> {
    let body = [&[4, 0, target.len() as u8][..], target].concat();
    [&[1 + body.len() as u8, 5][..], &body].concat()
}

/// The header of the file `b` with a record alone.
fn record_of_link(record: &[u8]) -> Vec<u8> {
    let mut fields = vec![2, 1, record.len() as u8, 0, 0, 0, 0, 1, 1];
    fields.extend([b"b", record].concat());
    five(&fields, b"")
}

#[test]
fn volumes_are_one_archive_and_each_alone_says_so() {
    // In RAR 5: a packed file over three volumes, between two others.
    let (data, plain) =
        Packer::new(Version::Five).member(&[Step::Literals(b"the words of all volumes "), Step::Match(25, 900)]);
    let volume = |files: &[Vec<u8>], goes_on: u8| {
        let head = five(&[1, 0, 1], b"");
        [b"Rar!\x1a\x07\x01\0", &head[..], &files.concat(), &five(&[5, 0, goes_on], b"")].concat()
    };
    let part =
        |range: std::ops::Range<usize>, flags: u8| packed_five("long", (&data[range], &plain), 3 << 7, flags, &[]);
    let stored = |name: &str| packed_five(name, (b"words", b"words"), 0, 0, &[]);
    let volumes = [
        volume(&[stored("first"), part(0..100, 0x10)], 1),
        volume(&[part(100..200, 0x18)], 1),
        volume(&[part(200..data.len(), 8), stored("last")], 0),
    ];
    let starts: Vec<u64> = (0..3).map(|number| volumes[..number].iter().map(Vec::len).sum::<usize>() as u64).collect();
    let of = |count: usize| {
        let all = Arc::new(volumes[..count].concat());
        listed(open_parts(Format::Rar, all, &starts[..count], &Limits::default()).unwrap())
    };
    let expected = [("first", &b"words"[..]), ("long", &plain), ("last", b"words")];
    assert_eq!(of(3), expected.map(|(name, bytes)| (name.to_owned(), Ok(bytes.to_vec()))));
    let found = of(2);
    let failed: Vec<_> = found.iter().filter_map(|(name, is)| Some((&name[..], is.as_ref().err()?))).collect();
    assert!(found.len() == 3 && failed.len() == 2 && failed[0].0 == "long", "{failed:?}");
    assert!(failed.iter().all(|(_, why)| why.contains("next volume")), "{failed:?}");
    let found = usual(&volumes[2]);
    assert!(error(&found).contains("begins in the volume before"));
    // In RAR 3, of a small writer.
    let one = archive_three(&[("a", b"first", 0), ("b", b"on", 2)], 0x101, 1);
    let mut two = archive_three(&[("b", b"e", 1), ("c", b"third", 0)], 1, 0);
    // The size of all parts, and the sum of the last one.
    let at = 20;
    two[at + 11] = 3;
    two[at + 16..at + 20].copy_from_slice(&crc32fast::hash(b"one").to_le_bytes());
    let sum = crc32fast::hash(&two[at + 2..at + 33]) as u16;
    two[at..at + 2].copy_from_slice(&sum.to_le_bytes());
    let mut first = one.clone();
    let at = 20 + 33 + 5;
    first[at + 11] = 3;
    let sum = crc32fast::hash(&first[at + 2..at + 33]) as u16;
    first[at..at + 2].copy_from_slice(&sum.to_le_bytes());
    let starts = [0, first.len() as u64];
    let all = Arc::new([first, two].concat());
    let found = listed(open_parts(Format::Rar, all, &starts, &Limits::default()).unwrap());
    let expected = [("a", &b"first"[..]), ("b", b"one"), ("c", b"third")];
    assert_eq!(found, expected.map(|(name, bytes)| (name.to_owned(), Ok(bytes.to_vec()))));
}

#[test]
fn what_contradicts_itself_is_an_error_with_its_offset() {
    let whole = archive_three(&[("a", b"first", 0), (r"d\b", b"second", 0)], 0, 0);
    let found = usual(&whole);
    assert_eq!(found, [("a".into(), Ok(b"first".to_vec())), ("d/b".into(), Ok(b"second".to_vec()))]);
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        usual(&bytes)
    };
    let (data, second) = (20 + 33, 20 + 33 + 5);
    let found = changed(&|bytes| bytes[data] ^= 1);
    assert!(error(&found).contains("offset 53: its bytes have the CRC"), "{found:?}");
    let found = changed(&|bytes| bytes[second + 9] ^= 1);
    assert!(found.len() == 2 && error(&found).contains("offset 58: a header whose CRC"), "{found:?}");
    let found = changed(&|bytes| bytes.truncate(second + 35 + 3));
    assert!(found.len() == 2 && error(&found).contains("offset 58: a member that leads out"), "{found:?}");
    assert!(error(&changed(&|bytes| bytes.extend(b"more"))).contains("4 bytes behind the end"));
    assert!(error(&usual(&archive_three(&[], 0x80, 0))).contains("headers are encrypted"));
    let limits = Limits { bytes: 3, ratio: 0, ..Limits::default() };
    assert!(outcomes(&whole, &limits).iter().all(|(_, is)| is.as_ref().is_err_and(|why| why.contains("bomb"))));

    let sum = crc32fast::hash(b"first");
    let whole = archive_five(&[file_five("a", 5, sum, &[0], b"first"), file_five("b", 5, sum, &[0], b"first")]);
    assert_eq!(usual(&whole).iter().filter(|(_, is)| is.as_deref() == Ok(b"first")).count(), 2);
    let wrong = archive_five(&[file_five("a", 5, sum ^ 1, &[0], b"first")]);
    assert!(error(&usual(&wrong)).contains("offset 35: its bytes have the CRC"), "{:?}", usual(&wrong));
    let short = archive_five(&[file_five("a", 6, sum, &[0], b"first")]);
    assert!(error(&usual(&short)).contains("ends after 5 of the 6 bytes"));
    // A window of 2 GiB, and one that a larger size than the file's would need.
    let vast = archive_five(&[file_five("a", 5, sum, &[0x80, 0x73], b"first")]);
    assert!(error(&usual(&vast)).contains("cannot be unpacked beyond 0 bytes"), "{:?}", usual(&vast));
    // It goes on from a member that is missing.
    let solid = archive_five(&[file_five("a", 5, sum, &[0xc0, 1], b"first")]);
    assert!(error(&usual(&solid)).contains("goes on from a member that is not there"));
    assert!(error(&usual(&archive_five(&[five(&[4, 0, 0, 0], b"")]))).contains("headers are encrypted"));
    let odd = archive_five(&[file_five("a", 5, sum, &[0x82, 1], b"first")]);
    assert!(error(&usual(&odd)).contains("is not read"));
}

#[test]
fn an_archive_behind_a_program_is_found() {
    let mut program = vec![0_u8; 1024];
    program[..2].copy_from_slice(b"MZ");
    program[2..10].copy_from_slice(&[0, 0, 2, 0, 0, 0, 4, 0]);
    let whole = [&program[..], &archive_three(&[("a", b"first", 0)], 0, 0)].concat();
    let found = listed(open(Format::Rar, Arc::new(whole), b"x", &Limits::default()).unwrap());
    assert_eq!(found, [("a".into(), Ok(b"first".to_vec()))]);
}

/// Sets the CRCs of headers right, so that the bytes behind them are read.
fn mend(bytes: &mut [u8]) {
    let mut at = 7;
    while bytes.starts_with(b"Rar!\x1a\x07\0") && at + 11 < bytes.len() {
        let size = usize::from(u16::from_le_bytes([bytes[at + 5], bytes[at + 6]]));
        let Some(header) = bytes.get(at + 2..at + size).filter(|_| size >= 7) else { return };
        let sum = crc32fast::hash(header) as u16;
        bytes[at..at + 2].copy_from_slice(&sum.to_le_bytes());
        let data = [7, 8, 9, 10].map(|place| bytes[at + place]);
        at += size + if bytes[at + 4] & 0x80 != 0 { u32::from_le_bytes(data) as usize } else { 0 };
    }
    let mut at = 8;
    while bytes.starts_with(b"Rar!\x1a\x07\x01\0") && at + 12 < bytes.len() {
        let size = usize::from(bytes[at + 4]);
        let Some(header) = bytes.get(at + 4..at + 5 + size).filter(|_| size < 128) else { return };
        let sum = crc32fast::hash(header).to_le_bytes();
        bytes[at..at + 4].copy_from_slice(&sum);
        let flags = bytes[at + 6];
        let place = at + 7 + usize::from(flags & 1);
        let long = |place: usize| bytes.get(place).map_or(0, |byte| usize::from(byte & 127));
        let stored =
            long(place) | if bytes.get(place).is_some_and(|byte| *byte > 127) { long(place + 1) << 7 } else { 0 };
        at += 5 + size + if flags & 2 != 0 { stored } else { 0 };
    }
}

#[test]
fn mutants_end() {
    let mut random = 7_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    let whole = [Version::Two, Version::Three, Version::Five].map(|version| packed(version).0);
    let stored = archive_three(&[("a", b"first", 0), ("b", b"second", 0)], 0, 0);
    for whole in whole.into_iter().chain([stored]) {
        for number in 0..mutants() {
            let mut bytes = whole.clone();
            for _ in 0..=next(4) {
                let at = if next(2) == 0 { next(bytes.len().min(200)) } else { next(bytes.len()) };
                bytes[at] = [0, 0xFF, 1, 0x7f, next(256) as u8][next(5)];
            }
            if next(8) == 0 {
                bytes.truncate(1 + next(bytes.len()));
            }
            if number % 4 > 0 {
                mend(&mut bytes);
            }
            mutated::exhaust(bytes);
        }
    }
}
