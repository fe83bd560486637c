//! The account of archives: the extents tile them, and each byte of content is in one member.

use crate::noise::noise;
use pfh_archive::Bytes;
use pfh_archive::{self as archive, Format, Limits};
use pfh_archive::{Account, Holds};
use pfh_inject::{Need, lacks};
use proptest::prelude::*;
use std::io::Read;
use std::process::Command;
use std::sync::Arc;

/// Members: a name, and how many bytes.
fn members() -> impl Strategy<Value = Vec<(String, usize)>> {
    prop::collection::vec(("[a-z]{1,8}(/[a-z]{1,8}){0,2}", 0_usize..3000), 0..12).prop_map(|members| {
        let numbered = members.into_iter().enumerate();
        numbered.map(|(number, (name, size))| (format!("{number}-{name}"), size)).collect()
    })
}

fn content(number: usize, size: usize) -> Vec<u8> {
    noise(number as u64 + 1, size)
}

/// A zip of stored members, with as many bytes in front of each as `gap` says.
fn zip(members: &[(String, usize)], gap: usize) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (number, (name, size)) in members.iter().enumerate() {
        out.extend(content(90 + number, gap));
        let (at, bytes) = (out.len() as u32, content(number, *size));
        let sum = crc32fast::hash(&bytes).to_le_bytes();
        let size = (*size as u32).to_le_bytes();
        let length = (name.len() as u16).to_le_bytes();
        let common = [&[20, 0, 0, 0, 0, 0, 0, 0, 33, 0][..], &sum, &size, &size, &length, &[0, 0]].concat();
        out.extend([b"PK\x03\x04", &common[..], name.as_bytes(), &bytes].concat());
        let record = [b"PK\x01\x02\x14\x00", &common[..], &[0; 10], &at.to_le_bytes(), name.as_bytes()].concat();
        directory.extend(record);
    }
    let (at, count) = ((out.len() as u32).to_le_bytes(), (members.len() as u16).to_le_bytes());
    let length = (directory.len() as u32).to_le_bytes();
    out.extend(directory);
    out.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count, &length, &at, &[0, 0]].concat());
    out
}

/// A tar of these members and its end.
fn tar(members: &[(String, usize)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, (name, size)) in members.iter().enumerate() {
        let mut block = vec![0; 512];
        block[..name.len()].copy_from_slice(name.as_bytes());
        block[100..108].copy_from_slice(b"0000644\0");
        block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
        block[136..148].copy_from_slice(b"00000000000\0");
        block[156] = b'0';
        block[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum::<u32>() + 8 * 32;
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend(block);
        out.extend(content(number, *size));
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

/// A cpio of the form newc.
fn cpio(members: &[(String, usize)]) -> Vec<u8> {
    let mut out = Vec::new();
    let trailer = ("TRAILER!!!".to_owned(), 0);
    for (number, (name, size)) in members.iter().chain([&trailer]).enumerate() {
        let mode = if name == "TRAILER!!!" { 0 } else { 0o100_644 };
        let fields = [number as u32 + 1, mode, 0, 0, 1, 0, *size as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        out.extend(b"070701");
        fields.iter().for_each(|field| out.extend(format!("{field:08x}").as_bytes()));
        out.extend(name.as_bytes());
        out.push(0);
        out.resize(out.len().next_multiple_of(4), 0);
        out.extend(content(number, *size));
        out.resize(out.len().next_multiple_of(4), 0);
    }
    out
}

/// An ar of these members, whose names have no slash.
fn ar(members: &[(String, usize)]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (number, (name, size)) in members.iter().enumerate() {
        let name: String = name.replace('/', "_").chars().take(15).collect();
        out.extend(format!("{:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", name + "/", 0, 0, 0, "100644").as_bytes());
        out.extend(content(number, *size));
        if size % 2 > 0 {
            out.push(b'\n');
        }
    }
    out
}

/// An LHA of stored members, with headers of level 0.
fn lha(members: &[(String, usize)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, (name, size)) in members.iter().enumerate() {
        let (bytes, size) = (content(number, *size), (*size as u32).to_le_bytes());
        let sum = bytes.iter().fold(0_u16, |sum, byte| {
            (0..8).fold(sum ^ u16::from(*byte), |sum, _| if sum & 1 > 0 { sum >> 1 ^ 0xa001 } else { sum >> 1 })
        });
        let head = [b"-lh0-", &size[..], &size, &[0, 0, 0x21, 0, 0x20, 0, name.len() as u8], name.as_bytes()].concat();
        let head = [head, sum.to_le_bytes().to_vec()].concat();
        let check = head.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        out.extend([&[head.len() as u8, check], &head[..], &bytes].concat());
    }
    out.push(0);
    out
}

/// The account of an archive, whose extents tile it.
fn account(format: Format, archive: &[u8]) -> Account {
    let bytes: Arc<dyn Bytes> = Arc::new(archive.to_vec());
    let account = pfh_archive::account(format, &bytes).unwrap().unwrap();
    let mut at = 0;
    for extent in &account.extents {
        assert!(extent.start == at && extent.length > 0, "{extent:?}");
        at = extent.end();
    }
    assert_eq!(at, archive.len() as u64);
    account
}

/// Headers of a tar that state a directory or a label, and hold bytes all the same.
#[test]
fn members_of_a_tar_that_should_hold_nothing_keep_their_bytes() {
    for (kind, name, expected) in [(0, "d/", "d"), (b'V', "label", "label"), (b'D', "d/", "d:dumpdir")] {
        let mut archive = tar(&[(name.to_owned(), 700), ("last".to_owned(), 5)]);
        archive[156] = kind;
        archive[148..156].fill(b' ');
        let sum: u32 = archive[..512].iter().map(|byte| u32::from(*byte)).sum();
        archive[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let bytes: Arc<dyn Bytes> = Arc::new(archive.clone());
        let nodes: Vec<_> = archive::open(Format::Tar, bytes, b"a.tar", &Limits::default()).unwrap().collect();
        let first = nodes[0].as_ref().unwrap();
        let (mut read, mut stream) = (Vec::new(), first.content.as_ref().unwrap().open().unwrap());
        stream.read_to_end(&mut read).unwrap();
        assert_eq!((&first.path[..], read), (expected.as_bytes(), content(0, 700)));
        assert_eq!(nodes.len(), 2);
        assert_eq!(account(Format::Tar, &archive).sum(Holds::Content), 705);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn extents_of_archives_tile_them(members in members()) {
        let content: usize = members.iter().map(|(_, size)| size).sum();
        let archives = [
            (Format::Zip, zip(&members, 0)),
            (Format::Tar, tar(&members)),
            (Format::Cpio, cpio(&members)),
            (Format::Ar, ar(&members)),
            (Format::Lha, lha(&members)),
        ];
        for (format, archive) in archives {
            let found = account(format, &archive);
            let name = format.name();
            prop_assert!(found.faults.is_empty(), "{name}: {:?}", found.faults);
            prop_assert!(found.overlaps.is_empty() && found.residue().next().is_none(), "{name}: {found:?}");
            prop_assert_eq!(found.sum(Holds::Content), content as u64, "{}", name);
        }
    }

    #[test]
    fn bytes_between_the_members_of_a_zip_are_residue(members in members(), gap in 512_usize..900) {
        let found = account(Format::Zip, &zip(&members, gap));
        // The rest behind whole sectors may be one byte alone.
        let (all, sectors) = (gap * members.len(), 512 * members.len());
        prop_assert_eq!(found.sum(Holds::Residue) + found.sum(Holds::Padding), all as u64);
        prop_assert!(found.sum(Holds::Residue) >= sectors as u64);
    }

    #[test]
    fn an_archive_that_is_cut_has_a_fault_or_less_content(members in members(), cut in 1_usize..400) {
        prop_assume!(members.iter().any(|(_, size)| *size > 0));
        for (format, whole) in [(Format::Tar, tar(&members)), (Format::Cpio, cpio(&members)), (Format::Ar, ar(&members))] {
            // The end of a tar is two blocks, and one will do.
            let cut = if format == Format::Tar { cut + 1024 } else { cut };
            let Some(left) = whole.len().checked_sub(cut).filter(|left| *left > 8) else { continue };
            let found = account(format, &whole[..left]);
            let content: usize = members.iter().map(|(_, size)| size).sum();
            let is_less = found.sum(Holds::Content) < content as u64;
            prop_assert!(!found.faults.is_empty() || found.residue().next().is_some() || (format == Format::Ar && !is_less), "{}", format.name());
        }
    }
}

#[test]
fn every_byte_of_a_7z_is_accounted_for() {
    if lacks(&[Need::Program("7z")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let (tree, path) = (room.path().join("tree"), room.path().join("a.7z"));
    std::fs::create_dir(&tree).unwrap();
    for (number, length) in [0, 1, 511, 512, 4095, 4096, 70_000, 300_000, 2_500_000].into_iter().enumerate() {
        std::fs::write(tree.join(format!("{number}.bin")), noise(number as u64, length)).unwrap();
        std::fs::write(tree.join(format!("{number}.txt")), format!("content {number}\n").repeat(length / 100)).unwrap();
    }
    for options in [&["-mx0"][..], &["-mx5"], &["-mx1", "-ms=off", "-mhc=off"]] {
        let _ = std::fs::remove_file(&path);
        let made = Command::new("7z").args(["a", "-bd"]).args(options).args([&path, &tree]).output().unwrap();
        assert!(made.status.success(), "{options:?}: {}", String::from_utf8_lossy(&made.stderr));
        let whole = std::fs::read(&path).unwrap();
        let faults = |bytes: &[u8]| -> Vec<String> {
            let bytes: Arc<dyn Bytes> = Arc::new(bytes.to_vec());
            let nodes = archive::open(Format::SevenZip, bytes, b"a.7z", &Limits::default()).unwrap();
            nodes.filter_map(|node| Some(node.err()?.cause)).collect()
        };
        let account = |bytes: &[u8]| {
            let bytes: Arc<dyn Bytes> = Arc::new(bytes.to_vec());
            pfh_archive::account(Format::SevenZip, &bytes).unwrap().unwrap()
        };
        let found = account(&whole);
        assert!(found.residue().next().is_none() && found.overlaps.is_empty(), "{options:?}: {found:?}");
        assert_eq!((faults(&whole), found.faults), (Vec::new(), Vec::new()), "{options:?}");
        let longer = [&whole[..], b"hidden behind the end", &[7; 600]].concat();
        assert_eq!(account(&longer).sum(Holds::Residue), 512, "the rest is of one value");
        let faults = faults(&longer);
        assert!(faults.len() == 1 && faults[0].starts_with("residue: 621 bytes"), "{faults:?}");
        // Zeros at the end are padding.
        assert!(account(&[&whole[..], &[0; 600]].concat()).residue().next().is_none());
    }
}
