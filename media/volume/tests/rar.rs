//! RAR: as outsiders made it in its versions, and as a small writer makes it, with lies.

mod mutated;

use pfh_volume::archive::{Format, Limits, open, open_parts};
use pfh_volume::{Failure, Kind, Node};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

type Outcomes = Vec<(String, Result<Vec<u8>, String>)>;

fn outsider(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outsiders").join(name)).unwrap()
}

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

/// Each name with the CRC of its bytes.
fn sums(found: &Outcomes) -> Vec<(&str, u32)> {
    found.iter().map(|(name, is)| (&name[..], crc32fast::hash(is.as_ref().unwrap()))).collect()
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

/// A block of RAR 5, whose sizes are below 128.
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

#[test]
fn every_version_is_read() {
    let twice = [("stest1.txt", 0xc5b7_e6a2), ("stest2.txt", 0xc5b7_e6a2)];
    for name in ["rar3-solid.rar", "rar5-solid.rar", "rar5-blake.rar"] {
        assert_eq!(sums(&usual(&outsider(name))), twice, "{name}");
    }
    assert_eq!(sums(&usual(&outsider("rar2.rar"))), [("FILE1.TXT", 0x7a19_7dba), ("FILE2.TXT", 0x785f_c3e3)]);
    let predicted = [("уииоотивл.txt", 0x6751_fc53), ("𝐀𝐁𝐁𝐂.txt", 0x6751_fc53)];
    assert_eq!(sums(&usual(&outsider("rar3-ppmd-solid.rar"))), predicted);
    let best = [
        ("LibarchiveAddingTest.html", 0x5e05_a663),
        ("testdir/test.txt", 0xbec8_a242),
        ("testdir/LibarchiveAddingTest.html", 0x5e05_a663),
    ];
    assert_eq!(sums(&usual(&outsider("rar3-best.rar"))), best);
    let found = usual(&outsider("rar5-hlink.rar"));
    assert_eq!(sums(&found), [&twice[..], &[("stest3.txt", 0xc5b7_e6a2)]].concat());
    let found = usual(&outsider("rar4-encrypted.rar"));
    let refused: Vec<_> = found.iter().filter_map(|(name, is)| Some((&name[..], is.as_ref().err()?))).collect();
    assert!(found.len() == 4 && refused.len() == 2, "{found:?}");
    assert!(refused.iter().all(|(name, why)| ["b.txt", "d.txt"].contains(name) && why.contains("is encrypted")));
    let bytes: Arc<Vec<u8>> = Arc::new(outsider("rar3-symlink-unix.rar"));
    let nodes: Vec<Node> = open(Format::Rar, bytes, b"x", &Limits::default()).unwrap().map(Result::unwrap).collect();
    assert_eq!((&nodes[0].path[..], &nodes[0].kind), (&b"data_link"[..], &Kind::Link(b"data.txt".to_vec())));
}

#[test]
fn volumes_are_one_archive_and_each_alone_says_so() {
    let volumes: Vec<Vec<u8>> = (1..=4).map(|number| outsider(&format!("rar5-solid.part{number}.rar"))).collect();
    let starts: Vec<u64> = (0..4).map(|number| volumes[..number].iter().map(Vec::len).sum::<usize>() as u64).collect();
    let of = |count: usize| {
        let all = Arc::new(volumes[..count].concat());
        listed(open_parts(Format::Rar, all, &starts[..count], &Limits::default()).unwrap())
    };
    let found = of(4);
    let found = sums(&found);
    assert_eq!((found.len(), found[8]), (9, ("elf-Linux-ARMv7-ls", 0x886f_91eb)));
    let found = of(3);
    let failed: Vec<_> = found.iter().filter_map(|(name, is)| Some((&name[..], is.as_ref().err()?))).collect();
    assert!(found.len() == 10 && failed.len() == 2 && failed[0].0 == "elf-Linux-ARMv7-ls", "{failed:?}");
    assert!(failed.iter().all(|(_, why)| why.contains("next volume")), "{failed:?}");
    let found = usual(&volumes[3]);
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
    // It goes on from what is not there.
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

/// How many mutants of each: 300, or what `PFH_MUTANTS` says.
fn count() -> u64 {
    std::env::var("PFH_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

/// The CRCs of headers as they should be, so that what is behind them is read.
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
        at += 5 + size + if flags & 2 != 0 { bytes.get(place).map_or(0, |size| usize::from(*size)) } else { 0 };
    }
}

#[test]
fn mutants_end() {
    let mut random = 7_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    let names = ["rar2", "rar3-ppmd-solid", "rar3-solid", "rar3-best", "rar5-solid", "rar5-hlink", "rar5-solid.part1"];
    for name in names {
        let whole = outsider(&format!("{name}.rar"));
        for number in 0..count() {
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
