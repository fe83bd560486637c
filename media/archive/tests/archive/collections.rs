//! Cabinets, LHA, and the old methods of zip: as a small writer, other programs and outsiders make
//! them, and with false statements.

use crate::mutated;
use pfh_archive::{Failure, Node};
use pfh_archive::{Format, Limits, open, open_parts, parts_of_zip};
use pfh_inject::{Need, lacks, mutants};
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

type Outcomes = Vec<(String, Result<Vec<u8>, String>)>;

fn run(room: &Path, line: &str) {
    let output = Command::new("sh").args(["-c", line]).current_dir(room).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn content(node: &Node) -> Option<Result<Vec<u8>, String>> {
    let opened = node.content.as_ref()?.open();
    let read = opened.map_err(|failure| failure.to_string()).and_then(|mut reader| {
        let mut all = Vec::new();
        reader.read_to_end(&mut all).map_err(|error| error.to_string())?;
        assert!(node.size.is_none_or(|size| size == all.len() as u64));
        Ok(all)
    });
    Some(read)
}

fn read(nodes: impl Iterator<Item = Result<Node, Failure>>) -> Outcomes {
    let one = |found: Result<Node, Failure>| match found {
        Err(failure) => Some((text(&failure.path), Err(failure.to_string()))),
        Ok(node) => Some((text(&node.path), content(&node)?)),
    };
    nodes.filter_map(one).collect()
}

fn outcomes(bytes: &[u8], limits: &Limits) -> Outcomes {
    let format = Format::recognize(&bytes[..bytes.len().min(Format::START)]).expect("a format");
    match open(format, Arc::new(bytes.to_vec()), b"x", limits) {
        Ok(nodes) => read(nodes),
        Err(failure) => vec![(String::new(), Err(failure.to_string()))],
    }
}

fn usual(bytes: &[u8]) -> Outcomes {
    outcomes(bytes, &Limits::default())
}

/// The one error among them.
fn error(found: &Outcomes) -> &str {
    let mut errors = found.iter().filter_map(|(_, found)| found.as_ref().err());
    let first = errors.next().unwrap_or_else(|| panic!("no error: {found:?}"));
    assert_eq!(errors.next(), None);
    first
}

fn outsider(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outsiders").join(name)).unwrap()
}

fn noise(length: usize) -> Vec<u8> {
    (0..length as u64).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u8).collect()
}

/// The checksum of a cabinet's block, byte by byte.
fn sum(bytes: &[u8]) -> [u8; 4] {
    let mut sum = [0; 4];
    let whole = bytes.len() / 4 * 4;
    (0..whole).for_each(|at| sum[at % 4] ^= bytes[at]);
    // The last bytes stand the other way round.
    bytes[whole..].iter().rev().enumerate().for_each(|(at, byte)| sum[at] ^= byte);
    sum
}

/// A stored cabinet with one folder for each list of files.
fn cabinet(folders: &[&[(&str, &[u8])]], method: u16) -> Vec<u8> {
    let files: usize = folders.iter().map(|files| files.len()).sum();
    let (mut list, mut heads, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
    let names: usize = folders.iter().flat_map(|files| files.iter()).map(|(name, _)| 17 + name.len()).sum();
    let start = 36 + 8 * folders.len() + names;
    for (number, folder) in folders.iter().enumerate() {
        let all: Vec<u8> = folder.iter().flat_map(|(_, bytes)| bytes.to_vec()).collect();
        heads.extend(((start + blocks.len()) as u32).to_le_bytes());
        heads.extend([(all.len().div_ceil(32768) as u16).to_le_bytes(), method.to_le_bytes()].concat());
        for block in all.chunks(32768) {
            let head = [(block.len() as u16).to_le_bytes(); 2].concat();
            let (one, other) = (sum(block), sum(&head));
            blocks.extend((0..4).map(|at| one[at] ^ other[at]));
            blocks.extend([&head, block].concat());
        }
        let mut at = 0;
        for (name, bytes) in *folder {
            list.extend([(bytes.len() as u32).to_le_bytes(), (at as u32).to_le_bytes()].concat());
            list.extend([&(number as u16).to_le_bytes()[..], &[0; 6], name.as_bytes(), &[0]].concat());
            at += bytes.len();
        }
    }
    let mut all = [b"MSCF\0\0\0\0".as_slice(), &((start + blocks.len()) as u32).to_le_bytes(), &[0; 4]].concat();
    all.extend([((36 + heads.len()) as u32).to_le_bytes(), [0; 4], [3, 1, folders.len() as u8, 0]].concat());
    all.extend([[files as u8, 0, 0, 0], [0; 4]].concat());
    [all, heads, list, blocks].concat()
}

#[test]
fn cabinets_are_read_back() {
    let long = noise(70_000);
    let folders: [&[(&str, &[u8])]; 2] = [&[("a", b"first"), (r"d\long", &long), ("none", b"")], &[("b", b"other")]];
    let found = usual(&cabinet(&folders, 0));
    let expected = [("a", &b"first"[..]), ("d/long", &long), ("none", b""), ("b", b"other")];
    assert!(found.len() == 4);
    assert!(found.iter().zip(expected).all(|(is, (name, bytes))| is.0 == name && is.1.as_deref() == Ok(bytes)));
    let found = usual(&outsider("lzx.cab"));
    let sizes: Vec<(&str, usize)> = found.iter().map(|(name, is)| (&name[..], is.as_ref().unwrap().len())).collect();
    assert_eq!(sizes, [("empty", 0), ("zero", 33_000), ("dir1/file1", 60), ("dir2/file2", 78)]);
    // Calls were made absolute: each leads to the same place.
    let found = usual(&outsider("lzx-calls.cab"));
    assert_eq!(crc32fast::hash(found[0].1.as_ref().unwrap()), 0xa51e_aa9b);
    if lacks(&[Need::Program("gcab")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let rows: String = (0..30_000).map(|number| format!("{number}\n")).collect();
    std::fs::write(room.path().join("noise"), &long).unwrap();
    std::fs::write(room.path().join("rows"), &rows).unwrap();
    run(room.path(), "gcab -cz z.cab noise rows");
    let found = usual(&std::fs::read(room.path().join("z.cab")).unwrap());
    assert!(found[0] == ("noise".into(), Ok(long)) && found[1] == ("rows".into(), Ok(rows.into_bytes())));
}

#[test]
fn a_cabinet_that_contradicts_itself_is_an_error_with_its_offset() {
    let whole = cabinet(&[&[("a", b"first"), ("b", b"second")]], 0);
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        usual(&bytes)
    };
    let end = whole.len();
    let block = end - 11 - 8;
    let found = changed(&|bytes| bytes[end - 1] ^= 1);
    for (_, is) in &found {
        let why = is.as_ref().unwrap_err();
        assert!(why.contains("checksum") && why.contains(&format!("offset {block}")), "{why}");
    }
    let found = changed(&|bytes| bytes.truncate(end - 3));
    assert!(found.len() == 3 && found.iter().all(|(_, is)| is.is_err()), "{found:?}");
    assert!(error(&changed(&|bytes| bytes.extend(b"more"))).contains("4 bytes behind the cabinet"));
    // The second file: its folder, and beyond the end of it.
    let second = 36 + 8 + 18;
    assert!(error(&changed(&|bytes| bytes[second + 8] = 3)).contains("folder 3, which there is not"));
    assert!(error(&changed(&|bytes| bytes[second + 2] = 1)).contains("ends at byte"));
    // The other file is in the folder that begins there.
    let found = changed(&|bytes| bytes[second + 8..second + 10].fill(0xff));
    assert!(
        found.iter().all(|(_, is)| is.as_ref().is_err_and(|why| why.contains("begins in the cabinet"))),
        "{found:?}"
    );
    let found = usual(&cabinet(&[&[("a", b"x")]], 0x1202));
    assert!(error(&found).contains("Quantum is not read"));
    // A second name of the same bytes is allowed, but many are a bomb.
    let found = changed(&|bytes| bytes.copy_within(44..52, second));
    assert_eq!(found[1].1.as_deref(), Ok(&b"first"[..]));
    let limits = Limits { bytes: 3, ratio: 0, ..Limits::default() };
    assert!(outcomes(&whole, &limits).iter().all(|(_, is)| is.as_ref().is_err_and(|why| why.contains("bomb"))));
}

/// CRC-16, bit by bit.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, byte| (0..8).fold(sum ^ u16::from(*byte), |sum, _| (sum >> 1) ^ (0xa001 * (sum & 1))))
}

/// A stored member with a header of level 0, 1 or 2.
fn member(level: u8, name: &str, bytes: &[u8]) -> Vec<u8> {
    let size = (bytes.len() as u32).to_le_bytes();
    let fixed = [b"-lh0-".as_slice(), &size, &size, &[0; 4], &[0x20, level]].concat();
    let sum = crc16(bytes).to_le_bytes();
    if level < 2 {
        let rest: &[u8] = if level == 1 { b"M\0\0" } else { b"" };
        let header = [&fixed[..], &[name.len() as u8], name.as_bytes(), &sum, rest].concat();
        let check = header.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        return [&[header.len() as u8, check], &header[..], bytes].concat();
    }
    let named = [&[(name.len() + 3) as u8, 0, 1], name.as_bytes()].concat();
    let mut header = [&[0, 0], &fixed[..], &sum, b"U\x05\0\0\0\0", &named, &[0, 0]].concat();
    header[0] = header.len() as u8;
    let check = crc16(&header).to_le_bytes();
    header[27..29].copy_from_slice(&check);
    [&header[..], bytes].concat()
}

#[test]
fn lha_is_read_back() {
    let long = noise(9000);
    let whole = [member(0, r"d\a", b"first"), member(1, "b", &long), member(2, "c", b"third"), vec![0]].concat();
    let found = usual(&whole);
    let expected = [("d/a", &b"first"[..]), ("b", &long), ("c", b"third")];
    assert!(found.iter().zip(expected).all(|(is, (name, bytes))| is.0 == name && is.1.as_deref() == Ok(bytes)));
    // As the program for OS-9/68000 counts the bytes of its header.
    let mut short = member(2, "c", b"third");
    let length = short.len() - 5;
    (short[0], short[23]) = (short[0] - 2, b'K');
    short[27..29].fill(0);
    let check = crc16(&short[..length]).to_le_bytes();
    short[27..29].copy_from_slice(&check);
    assert_eq!(usual(&[&short[..], b"\0"].concat()), [("c".to_owned(), Ok(b"third".to_vec()))]);
    for (name, sum) in [("lh1.lzh", 0xd797_8eeb), ("lz5.lzs", 0xfc5d_56b6), ("level-3.lzh", 0xb19b_306e)] {
        let found = usual(&outsider(name));
        assert_eq!(found.iter().map(|(_, is)| crc32fast::hash(is.as_ref().unwrap())).collect::<Vec<_>>(), [sum]);
    }
    let change = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        usual(&bytes)
    };
    // A content, a header with a sum, and one with a CRC.
    let (content, second) = (27, 32 + 10);
    assert!(error(&change(content)).contains("its bytes have the CRC"));
    let found = change(second);
    assert!(found.len() == 2 && error(&found).contains("offset 32: a header whose sum does not hold"));
    let third = whole.len() - 1 - 5 - 20;
    assert!(error(&change(third)).contains("CRC"));
    assert!(error(&usual(&whole[..whole.len() - 4])).contains("cut off"));
    assert!(error(&usual(&[&whole[..], b"more"].concat())).contains("something follows"));
    let mut odd = whole.clone();
    (odd[5], odd[1]) = (b'9', odd[1].wrapping_add(9));
    assert!(error(&usual(&odd)).contains("the method -lh9- is not read"));
    let limits = Limits { bytes: 8, ratio: 1, ..Limits::default() };
    let lie = outsider("lh1.lzh");
    assert!(error(&outcomes(&lie, &limits)).contains("bomb"));
    if lacks(&[Need::Program("jlha")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let rows: String = (0..30_000).map(|number| format!("{number}\n")).collect();
    std::fs::write(room.path().join("rows"), &rows).unwrap();
    for method in [5, 6, 7] {
        run(room.path(), &format!("jlha aqo{method} {method}.lzh rows"));
        let bytes = std::fs::read(room.path().join(format!("{method}.lzh"))).unwrap();
        assert!(usual(&bytes) == [("rows".into(), Ok(rows.clone().into_bytes()))], "lh{method}");
    }
}

#[test]
fn old_and_rare_methods_of_zip_and_7z_are_read() {
    for (name, sums) in [
        ("shrunk.zip", &[0x393a_497a, 0xd19a_bf92][..]),
        ("imploded-2.zip", &[0x3222_d8c7]),
        ("imploded-3.zip", &[0x495f_c599]),
    ] {
        let found: Vec<u32> =
            usual(&outsider(name)).iter().map(|(_, is)| crc32fast::hash(is.as_ref().unwrap())).collect();
        assert_eq!(found, sums, "{name}");
    }
    if lacks(&[Need::Program("7z")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let rows: String = (0..30_000).map(|number| format!("{number}\n")).collect();
    std::fs::write(room.path().join("rows"), &rows).unwrap();
    for line in ["-tzip -mm=Deflate64 a.zip", "-tzip -mm=PPMd b.zip", "-m0=Deflate64 a.7z", "-m0=PPMd b.7z"] {
        run(room.path(), &format!("7z a {line} rows > /dev/null"));
        let mut bytes = std::fs::read(room.path().join(line.rsplit(' ').next().unwrap())).unwrap();
        assert!(usual(&bytes) == [("rows".into(), Ok(rows.clone().into_bytes()))], "{line}");
        bytes[5000] ^= 0x55;
        error(&usual(&bytes));
    }
}

#[test]
fn a_zip_in_parts_is_read() {
    if lacks(&[Need::Program("zip")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    std::fs::write(room.path().join("noise"), noise(150_000)).unwrap();
    std::fs::write(room.path().join("small"), "small").unwrap();
    run(room.path(), "zip -q -0 -s 64k a.zip noise small");
    let part = |name: &str| std::fs::read(room.path().join(name)).unwrap();
    let parts = [part("a.z01"), part("a.z02"), part("a.zip")];
    assert_eq!(parts_of_zip(&parts[2]), 3);
    let starts = [0, parts[0].len() as u64, (parts[0].len() + parts[1].len()) as u64];
    let limits = Limits::default();
    let found = read(open_parts(Format::Zip, Arc::new(parts.concat()), &starts, &limits).unwrap());
    assert!(found == [("noise".into(), Ok(noise(150_000))), ("small".into(), Ok(b"small".to_vec()))]);
    // Alone it reports the missing parts; with a part that is too long as well.
    let alone = open(Format::Zip, Arc::new(parts[2].clone()), b"a", &limits).err().unwrap();
    assert!(alone.to_string().contains("the last of 3 parts"), "{alone}");
    let longer = [&parts[0][..], &parts[1], b"?", &parts[2]].concat();
    let starts = [0, starts[1], starts[2] + 1];
    let found = open_parts(Format::Zip, Arc::new(longer), &starts, &limits).map(read);
    assert!(found.is_err() || found.is_ok_and(|found| found.iter().any(|(_, is)| is.is_err())));
}

#[test]
fn mutants_end() {
    let mut random = 5_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    let names = ["lzx.cab", "lzx-calls.cab", "shrunk.zip", "imploded-2.zip", "lh1.lzh", "level-3.lzh", "lz5.lzs"];
    let mut seeds: Vec<Vec<u8>> = names.iter().map(|name| outsider(name)).collect();
    seeds.push(cabinet(&[&[("a", b"first"), ("b", b"second")], &[("c", b"third")]], 0));
    seeds.push([member(0, "a", b"first"), member(1, "b", b"second"), member(2, "c", b"third"), vec![0]].concat());
    for whole in seeds {
        for number in 0..mutants() {
            let mut bytes = whole.clone();
            for _ in 0..=next(4) {
                let at = if next(2) == 0 { next(bytes.len().min(200)) } else { next(bytes.len()) };
                bytes[at] = [0, 0xFF, 1, 0x7f, next(256) as u8][next(5)];
            }
            // Half of the cabinets have blocks without a checksum, so that their content is read.
            if bytes.starts_with(b"MSCF") && number % 2 == 0 && bytes.len() > 48 {
                let at = u32::from_le_bytes([bytes[36], bytes[37], bytes[38], bytes[39]]) as usize;
                if let Some(sum) = bytes.get_mut(at..at.saturating_add(4)) {
                    sum.fill(0);
                }
            }
            if next(8) == 0 {
                bytes.truncate(1 + next(bytes.len()));
            }
            mutated::exhaust(bytes);
        }
    }
}
