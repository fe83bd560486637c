//! The content of images, by the job that hashes and by fiwalk: MD5 and SHA-1 of every file, of
//! images that are made here and of images of others.

use crate::inside::{input, of, ran, rows};
use crate::room::Room;
use pfh::hash::Request;
use pfh_inject::{Need, lacks, random};
use std::collections::{BTreeMap, BTreeSet};

const NEEDS: [&str; 11] = [
    "fiwalk",
    "mcopy",
    "mke2fs",
    "mkfs.exfat",
    "mkfs.vfat",
    "mkntfs",
    "mount.exfat-fuse",
    "ntfs-3g",
    "sfdisk",
    "sgdisk",
    "xorriso",
];

/// Volume, name and the digests, MD5 and SHA-1, of each live file. Volumes count in the order in
/// which they come.
type Found = BTreeMap<(usize, String), Vec<String>>;

/// The text between the tags of a line.
fn content<'a>(line: &'a str, element: &str) -> Option<&'a str> {
    let (_, rest) = line.trim().strip_prefix('<')?.strip_prefix(element)?.split_once('>')?;
    Some(rest.rsplit_once("</")?.0)
}

/// The live files as fiwalk has them.
fn fiwalk(room: &Room, image: &str) -> Found {
    let text = String::from_utf8_lossy(&room.sh(&format!("fiwalk -x {image}"))).into_owned();
    let mut found = Found::new();
    for (volume, part) in text.split("<volume ").skip(1).enumerate() {
        for object in part.split("<fileobject").skip(1) {
            let of = |element: &str| object.lines().find_map(|line| content(line, element));
            let name = of("filename").unwrap_or_default();
            let name = [("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"), ("&quot;", "\""), ("&amp;", "&")]
                .iter()
                .fold(name.to_owned(), |text, (from, to)| text.replace(from, to));
            let digests =
                object.lines().filter_map(|line| content(line, "hashdigest")).map(str::to_lowercase).collect();
            // Deleted entries have no <alloc>, or 0.
            let is_live = of("name_type") == Some("r") && of("alloc") == Some("1");
            if is_live && !name.starts_with('$') {
                found.insert((volume, name), digests);
            }
        }
    }
    found
}

/// The same by the job that hashes.
fn ours(room: &Room, image: &str) -> Found {
    let mut input = input(room, &[], |options| options.limits.depth = 1);
    input.paths = vec![room.at(image).into()];
    let algorithms = ["md5", "sha1"].map(|name| name.parse().unwrap());
    let (rows, summary) = ran(room, &Request::new(input, algorithms));
    assert_eq!(summary.failed, 0, "{rows:?}");
    let (mut volumes, mut found) = (Vec::new(), Found::new());
    for row in &rows {
        let Some(inside) = row.inside.as_ref() else { continue };
        let name = row.name.split_once("!/").unwrap().1;
        let name = inside.partition.map_or(name, |number| name.strip_prefix(&format!("p{number}/")).unwrap());
        if !volumes.contains(&inside.partition) {
            volumes.push(inside.partition);
        }
        let number = volumes.iter().position(|one| *one == inside.partition).unwrap();
        if let (Ok(digests), false) = (&row.found, name.starts_with('$')) {
            found.insert((number, name.to_owned()), digests.clone());
        }
    }
    found
}

/// That both find the same files with the same digests; fiwalk has none for empty files.
fn assert_same(room: &Room, image: &str, files: usize) {
    let (ours, theirs) = (ours(room, image), fiwalk(room, image));
    assert_eq!((ours.len(), theirs.len()), (files, files), "{image}: {ours:?}");
    if image.contains('.') {
        // Of a disc fiwalk shows the plain names, even if there are other names.
        let digests = |found: &Found| {
            let mut all: Vec<_> = found.values().filter(|digests| !digests.is_empty()).cloned().collect();
            all.retain(|digests| digests[0] != "d41d8cd98f00b204e9800998ecf8427e");
            all.sort();
            all
        };
        return assert_eq!(digests(&ours), digests(&theirs), "{image}");
    }
    for (name, digests) in &theirs {
        assert!(digests.is_empty() || *digests == ours[name], "{image}: {name:?}");
        assert_eq!(ours[name].len(), 2);
    }
    // One file of seven is empty.
    assert!(theirs.values().filter(|digests| digests.len() != 2).count() <= files / 7, "{image}");
}

#[test]
fn twelve_images_have_the_digests_of_fiwalk() {
    if lacks(&[&NEEDS.map(Need::Program)[..], &[Need::Fuse, Need::Loop]].concat()) {
        return;
    }
    let room = Room::new();
    let names = ["a", "Long name with spaces.text", "sub/ümlaut €", "sub/deeper/b.bin", "sub/512", "large", "empty"];
    for (n, name) in names.iter().enumerate() {
        let length = [1, 511, 5000, 40_000, 512, 700_003, 0][n];
        room.file(format!("t/{name}"), &random(n as u64 + 1, length));
    }
    for (name, options) in [("ext2", "-t ext2 -b 1024"), ("ext3", "-t ext3 -b 2048"), ("ext4", "-t ext4 -b 4096")] {
        room.sh(&format!("truncate -s 12M {name} && mke2fs -q -F {options} -d t {name}"));
    }
    for (name, size, bits) in [("fat12", "4M", "12 -s 4"), ("fat16", "24M", "16 -s 1"), ("fat32", "48M", "32 -s 1")] {
        room.sh(&format!("truncate -s {size} {name} && mkfs.vfat -F {bits} {name} >/dev/null"));
        room.sh(&format!("for one in t/*; do LC_ALL=C.UTF-8 mcopy -s -i {name} \"$one\" ::; done"));
    }
    room.sh("mkdir at; truncate -s 16M ntfs; mkntfs -q -F -f ntfs >/dev/null 2>&1");
    room.sh("ntfs-3g ntfs at && cp -r t/. at/ && umount at; truncate -s 16M exfat; mkfs.exfat exfat >/dev/null");
    room.sh("l=$(losetup -f --show exfat); mount.exfat-fuse $l at >/dev/null 2>&1 && cp -r t/. at/; umount at; losetup -d $l");
    room.sh("xorriso -as mkisofs -quiet -R -o rock.iso t 2>/dev/null; xorriso -as mkisofs -quiet -J -o joliet.iso t 2>/dev/null");
    room.sh("truncate -s 40M mbr && printf '2048,24576,83\\n28672,8192,1\\n' | sfdisk -q mbr");
    room.sh("truncate -s 60M gpt && sgdisk -n 1:2048:+16M -n 2:40960:+12M -n 3:81920:+4M gpt >/dev/null");
    for (part, disk, sector) in [
        ("ext4", "mbr", 2048),
        ("fat12", "mbr", 28_672),
        ("ntfs", "gpt", 2048),
        ("ext2", "gpt", 40_960),
        ("fat12", "gpt", 81_920),
    ] {
        room.sh(&format!("dd if={part} of={disk} bs=512 seek={sector} conv=notrunc status=none"));
    }
    let files = names.len();
    for name in ["ext2", "ext3", "ext4", "fat12", "fat16", "fat32", "ntfs", "exfat", "rock.iso", "joliet.iso"] {
        assert_same(&room, name, files);
    }
    assert_same(&room, "mbr", 2 * files);
    assert_same(&room, "gpt", 3 * files);
}

/// Copies the test data of dfVFS into the room.
fn outsiders(room: &Room) {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/cli/tests/images/dfvfs");
    room.sh(&format!("cp '{place}'/* ."));
}

/// The MD5 of three files that are in all of their file systems.
const DFVFS: [(&str, &str); 3] = [
    ("a_directory/a_file", "85bebf486af24792085f769afa46717d"),
    ("a_directory/another_file", "d54ff73404ed6041a3bd66850b061bff"),
    ("passwords.txt", "39cb097008d17660abd0539891a672af"),
];

#[cfg(unix)]
#[test]
fn images_of_others_hold_their_known_files() {
    let room = Room::new();
    outsiders(&room);
    for name in ["ext2.E01", "imynd.dd", "iso9660.raw"] {
        let ours = ours(&room, name);
        let found: BTreeMap<String, &str> =
            ours.iter().map(|((_, name), digests)| (name.to_lowercase(), &*digests[0])).collect();
        assert_eq!(found, DFVFS.map(|(file, md5)| (file.to_owned(), md5)).into(), "{name}");
    }
    // The archives hold the same two files, under names; some begin with a slash.
    for name in ["syslog.zip", "with_directory.zip", "syslog.tar", "with_directory.tar"] {
        let inner = rows(&room, &[name]);
        assert!(!of(name, &inner).is_empty());
        let members = inner.0.iter().filter(|row| row.name.contains("!/") && row.found.is_ok());
        let sizes: BTreeSet<u64> = members.map(|row| row.size.unwrap()).collect();
        let expected: &[u64] = if name == "syslog.tar" { &[1247] } else { &[1247, 1537] };
        assert_eq!(sizes.into_iter().collect::<Vec<_>>(), expected, "{name}");
    }
    if lacks(&[Need::Program("fiwalk")]) {
        return;
    }
    for name in ["ext2.E01", "imynd.dd", "iso9660.raw"] {
        assert_eq!(ours(&room, name), fiwalk(&room, name), "{name}");
    }
}
