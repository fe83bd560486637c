//! Bytes that an archive holds and does not list: members that its directory has not, directories
//! with bytes, archives behind something else.

use pfh_archive::Bytes;
use pfh_archive::{Format, Limits, is_outlook_message, open};
use pfh_archive::{Kind, Node};
use std::io::Read;
use std::sync::Arc;

const MEMBER: &[u8] = b"the bytes of a member that is stored as it is";

/// A local header and its member; the record of the directory.
fn member(name: &str, content: &[u8], at: usize) -> (Vec<u8>, Vec<u8>) {
    let (sum, length) = (crc32fast::hash(content).to_le_bytes(), (content.len() as u32).to_le_bytes());
    let name_length = (name.len() as u16).to_le_bytes();
    let fields = [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &sum, &length, &length, &name_length, &[0, 0]].concat();
    let local = [b"PK\x03\x04", &fields[..], name.as_bytes(), content].concat();
    let place = (at as u32).to_le_bytes();
    let record = [b"PK\x01\x02\x14\x00", &fields[..], &[0; 10], &place, name.as_bytes()].concat();
    (local, record)
}

/// A member's name and bytes, or bytes that are not listed.
type Part<'a> = Result<(&'a str, &'a [u8]), &'a [u8]>;

/// A zip of members and of bytes that its directory does not list.
fn zip(parts: &[Part]) -> Vec<u8> {
    let (mut bytes, mut directory, mut count) = (Vec::new(), Vec::new(), 0_u16);
    for part in parts {
        match part {
            Ok((name, content)) => {
                let (local, record) = member(name, content, bytes.len());
                bytes.extend(local);
                directory.extend(record);
                count += 1;
            }
            Err(others) => bytes.extend_from_slice(others),
        }
    }
    let (start, length) = ((bytes.len() as u32).to_le_bytes(), (directory.len() as u32).to_le_bytes());
    let count = count.to_le_bytes();
    [&bytes[..], &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &length, &start, &[0, 0]].concat()
}

fn listed(format: Format, bytes: Vec<u8>, salvage: bool) -> (Vec<Node>, Vec<String>) {
    let limits = Limits { salvage, ..Limits::default() };
    let (mut nodes, mut failures) = (Vec::new(), Vec::new());
    for found in open(format, Arc::new(bytes), b"a", &limits).expect("an archive") {
        match found {
            Ok(node) => nodes.push(node),
            Err(failure) => failures.push(failure.to_string()),
        }
    }
    (nodes, failures)
}

fn content(node: &Node) -> Vec<u8> {
    let mut bytes = Vec::new();
    node.content.as_ref().expect("content").open().expect("it opens").read_to_end(&mut bytes).expect("it is read");
    bytes
}

fn names(nodes: &[Node]) -> Vec<String> {
    nodes.iter().map(|node| String::from_utf8_lossy(&node.path).into_owned()).collect()
}

#[test]
fn a_directory_with_bytes_is_a_member() {
    let (nodes, failures) = listed(Format::Zip, zip(&[Ok(("d/", MEMBER)), Ok(("e/", b""))]), false);
    assert_eq!((names(&nodes), failures.len()), (vec!["d".to_owned(), "e".to_owned()], 0));
    assert_eq!((&nodes[0].kind, content(&nodes[0])), (&Kind::File, MEMBER.to_vec()));
    assert_eq!(nodes[1].kind, Kind::Directory);

    let size = format!("{:08x}", MEMBER.len());
    let zero = "00000000";
    let header = |mode: &str, size: &str, name: &str| {
        let fields: String = [zero, mode, zero, zero, "00000001", zero, size, zero, zero, zero, zero]
            .into_iter()
            .chain([&format!("{:08x}", name.len() + 1)[..], zero])
            .collect();
        let mut raw = format!("070701{fields}{name}\0").into_bytes();
        raw.resize(raw.len().next_multiple_of(4), 0);
        raw
    };
    let mut cpio = header("000041ed", &size, "d");
    cpio.extend(MEMBER);
    cpio.resize(cpio.len().next_multiple_of(4), 0);
    cpio.extend(header(zero, zero, "TRAILER!!!"));
    let (nodes, failures) = listed(Format::Cpio, cpio, false);
    assert_eq!((names(&nodes), failures.len(), content(&nodes[0])), (vec!["d".to_owned()], 0, MEMBER.to_vec()));
}

/// A zip whose one member has the mode of a symbolic link.
fn zip_of_link(bytes: &[u8]) -> Vec<u8> {
    let mut zip = zip(&[Ok(("l", bytes))]);
    let record = zip.windows(4).position(|window| window == b"PK\x01\x02").expect("a record");
    zip[record + 5] = 3;
    zip[record + 40..record + 42].copy_from_slice(&0o120_777_u16.to_le_bytes());
    zip
}

fn cpio_of_link(bytes: &[u8]) -> Vec<u8> {
    let header = |mode: u32, size: usize, name: &str| {
        let length = name.len() + 1;
        format!("070707000000000000{mode:06o}000000000000000001000000{:011o}{length:06o}{size:011o}{name}\0", 0)
    };
    [header(0o120_777, bytes.len(), "l").as_bytes(), bytes, header(0, 0, "TRAILER!!!").as_bytes()].concat()
}

#[test]
fn a_link_whose_target_is_none_is_a_member() {
    let contents = [b"a text\nof two lines".to_vec(), b"\x7fELF\0\0".to_vec(), vec![b'x'; 5000]];
    type Make = fn(&[u8]) -> Vec<u8>;
    for (format, make) in [(Format::Zip, zip_of_link as Make), (Format::Cpio, cpio_of_link)] {
        for bytes in &contents {
            let (nodes, failures) = listed(format, make(bytes), false);
            assert_eq!((names(&nodes), &failures[..]), (vec!["l".to_owned()], &[][..]));
            assert_eq!((&nodes[0].kind, &content(&nodes[0])), (&Kind::File, bytes));
        }
        let (nodes, failures) = listed(format, make(b"../a/b"), false);
        assert_eq!((&nodes[0].kind, failures.len()), (&Kind::Link(b"../a/b".to_vec()), 0));
    }
}

/// A 7z of stored folders, one of `MEMBER` for each number of streams, and as many files.
fn seven(counts: &[u8], files: u8) -> Vec<u8> {
    let (folders, length) = (counts.len() as u8, MEMBER.len() as u8);
    let each = |bytes: &[u8]| bytes.repeat(counts.len());
    let stored = [&[6, 0, folders, 9][..], &each(&[length]), &[0]].concat();
    let unpacked = [&[7, 0x0b, folders, 0][..], &each(&[1, 1, 0]), &[0x0c], &each(&[length]), &[0]].concat();
    let streams = [&[8, 0x0d][..], counts, &[0]].concat();
    let names: Vec<u8> = (0..files).flat_map(|file| [b'a' + file, 0, 0, 0]).collect();
    let names = [&[5, files, 0x11, names.len() as u8 + 1, 0][..], &names, &[0, 0]].concat();
    let header = [&[1, 4][..], &stored, &unpacked, &streams, &[0], &names].concat();
    let packed = MEMBER.repeat(counts.len());
    let place = [(packed.len() as u64).to_le_bytes(), (header.len() as u64).to_le_bytes()].concat();
    let place = [&place[..], &crc32fast::hash(&header).to_le_bytes()].concat();
    [b"7z\xbc\xaf\x27\x1c\0\x04", &crc32fast::hash(&place).to_le_bytes()[..], &place, &packed, &header].concat()
}

#[test]
fn streams_of_a_7z_that_no_member_has_are_named() {
    for (counts, files, hidden) in [(&[1, 1][..], 2, 0), (&[1, 0, 1], 2, 1), (&[1, 1, 1], 2, 1)] {
        let (nodes, failures) = listed(Format::SevenZip, seven(counts, files), false);
        assert_eq!((names(&nodes), failures.len()), (vec!["a".to_owned(), "b".to_owned()], hidden), "{failures:?}");
        assert!(failures.iter().all(|failed| failed.contains("that no member has")), "{failures:?}");
        assert!(nodes.iter().all(|node| content(node) == MEMBER));
    }
}

/// A cabinet of stored folders, one of three times `MEMBER` each; files by folder and part of it.
fn cabinet(folders: u16, files: &[(u16, u32)]) -> Vec<u8> {
    let (length, data) = (MEMBER.len() as u32, MEMBER.repeat(3));
    let (list, end) = (36 + 8 * u32::from(folders), 36 + 8 * u32::from(folders) + 18 * files.len() as u32);
    let file = |(at, (folder, part)): (usize, &(u16, u32))| {
        let place = [length.to_le_bytes(), (length * part).to_le_bytes()].concat();
        [&place[..], &folder.to_le_bytes(), &[0; 6], &[b'a' + at as u8, 0]].concat()
    };
    let block = [&[0; 4][..], &[data.len() as u8, 0, data.len() as u8, 0], &data].concat();
    let folder = |at: u16| [&(end + u32::from(at) * block.len() as u32).to_le_bytes()[..], &[1, 0, 0, 0]].concat();
    let size = end + u32::from(folders) * block.len() as u32;
    let head = [&b"MSCF\0\0\0\0"[..], &size.to_le_bytes(), &[0; 4], &list.to_le_bytes(), &[0; 4], &[3, 1]].concat();
    let counts = [folders.to_le_bytes(), (files.len() as u16).to_le_bytes()].concat();
    let rows: Vec<u8> = (0..folders).flat_map(folder).collect();
    let list: Vec<u8> = files.iter().enumerate().flat_map(file).collect();
    [&head[..], &counts, &[0; 6], &rows, &list, &block.repeat(folders.into())].concat()
}

#[test]
fn bytes_in_the_folders_of_a_cabinet_that_no_member_has_are_named() {
    let whole = [(0, 0), (0, 1), (0, 2)];
    for (folders, files, hidden) in [(1, &whole[..], 0), (1, &[(0, 0), (0, 2)], 1), (1, &[(0, 2)], 1), (2, &whole, 1)] {
        let (nodes, failures) = listed(Format::Cab, cabinet(folders, files), false);
        assert_eq!((nodes.len(), failures.len()), (files.len(), hidden), "{failures:?}");
        assert!(failures.iter().all(|failed| failed.contains("which no member has")), "{failures:?}");
        assert!(nodes.iter().all(|node| content(node) == MEMBER));
    }
}

#[test]
fn bytes_that_call_themselves_a_table_of_ar_are_named() {
    let ar = |name: &str| {
        let member = |name: &str| format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, 46);
        let content = [MEMBER, b" "].concat();
        assert_eq!(content.len(), 46);
        [b"!<arch>\n", member(name).as_bytes(), &content, member("a.o/").as_bytes(), &content].concat()
    };
    for table in ["/", "//", "/SYM64/", "__.SYMDEF"] {
        let (nodes, failures) = listed(Format::Ar, ar(table), false);
        assert_eq!((names(&nodes), failures.len()), (vec!["a.o".to_owned()], 1), "{failures:?}");
        assert!(failures[0].contains("residue: 46 bytes that no member has"), "{failures:?}");
        let (nodes, _) = listed(Format::Ar, ar(table), true);
        assert_eq!(names(&nodes), ["!residue-68", "a.o"]);
        assert_eq!(content(&nodes[0]), content(&nodes[1]));
    }
}

#[test]
fn bytes_between_the_members_of_a_zip_are_named_and_salvaged() {
    let hidden = member("hidden", MEMBER, 0).0;
    for place in 0..3 {
        let mut parts = vec![Ok(("a", MEMBER)), Ok(("b", &b"b"[..]))];
        parts.insert(place, Err(&hidden[..]));
        let bytes = zip(&parts);
        let (nodes, failures) = listed(Format::Zip, bytes.clone(), false);
        assert_eq!((names(&nodes), failures.len()), (vec!["a".to_owned(), "b".to_owned()], 1), "{failures:?}");
        let said = format!("residue: {} bytes that no member has (zip)", hidden.len());
        assert!(failures[0].contains(&said), "{failures:?}");
        let (nodes, _) = listed(Format::Zip, bytes, true);
        let salvaged = nodes.iter().find(|node| node.path.starts_with(b"hidden!salvaged-")).expect("a member");
        assert_eq!(content(salvaged), MEMBER);
        let residue = nodes.iter().find(|node| node.path.starts_with(b"!residue-")).expect("the bytes");
        assert_eq!(content(residue), hidden);
    }
}

#[test]
fn ordinary_bytes_between_members_are_no_residue() {
    // Room that alignment leaves, and what Android's tools fill it with.
    let empty = [b"PK\x03\x04", &[0; 22][..], &[0, 0, 40, 0], &[0; 40]].concat();
    let signatures = {
        let length = (24_u64 + 8).to_le_bytes();
        [&length[..], &[7; 8], &length, b"APK Sig Block 42"].concat()
    };
    let zeros = vec![0; 5000];
    for others in [&zeros[..], &empty, &[empty.clone(), empty.clone()].concat()] {
        let (_, failures) =
            listed(Format::Zip, zip(&[Err(others), Ok(("a", MEMBER)), Err(others), Ok(("b", MEMBER))]), false);
        assert_eq!(failures, Vec::<String>::new());
    }
    let (_, failures) = listed(Format::Zip, zip(&[Ok(("a", MEMBER)), Err(&zeros), Err(&signatures)]), false);
    assert_eq!(failures, Vec::<String>::new());
}

#[test]
fn archives_behind_pictures_and_scripts_are_opened_with_their_places() {
    let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xda\0\x02xyz\xff\xd9";
    // An archive of LHA with one stored member, level 0.
    let name = b"a.txt";
    let mut header =
        [b"-lh0-".as_slice(), &(MEMBER.len() as u32).to_le_bytes(), &(MEMBER.len() as u32).to_le_bytes()].concat();
    header.extend([0, 0, 0x21, 0x50, 0x20, 0, name.len() as u8]);
    header.extend(name);
    let sum = MEMBER.iter().fold(0_u16, |sum, byte| {
        (0..8).fold(sum ^ u16::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xa001 } else { sum >> 1 })
    });
    header.extend(sum.to_le_bytes());
    let check = header.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    let lha = [&[header.len() as u8, check][..], &header, MEMBER, &[0]].concat();
    for front in [jpeg.to_vec(), [&b"MZ\x40\0\x01\0\0\0\x02\0"[..], &[0; 600]].concat()] {
        let bytes = [&front[..], &lha].concat();
        let (nodes, failures) = listed(Format::Lha, bytes.clone(), false);
        assert_eq!((names(&nodes), failures), (vec!["a.txt".to_owned()], Vec::new()));
        assert_eq!(content(&nodes[0]), MEMBER);
        let run = nodes[0].content.as_ref().unwrap().runs().expect("runs")[0];
        let at = run.medium_offset.unwrap() as usize;
        assert_eq!(&bytes[at..at + run.length as usize], MEMBER);
    }
    let medium: Arc<dyn Bytes> = Arc::new(jpeg.to_vec());
    assert!(!is_outlook_message(jpeg, &*medium));
}
