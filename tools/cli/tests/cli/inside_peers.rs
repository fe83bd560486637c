//! The content of images, by pfh and by fiwalk: MD5 and SHA-1 of every file, of images that are
//! made here and of images of others (`tests/images`).

use crate::program::{Room, random, records};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) -> Vec<u8> {
    let output = Command::new("sh").args(["-c", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Volume, name and the digests, MD5 and SHA-1, of each live file of a DFXML document whose
/// elements stand on lines of their own. Volumes count in the order in which they come.
type Found = BTreeMap<(usize, String), Vec<String>>;

/// The text between the tags of a line.
fn content<'a>(line: &'a str, element: &str) -> Option<&'a str> {
    let (_, rest) = line.trim().strip_prefix('<')?.strip_prefix(element)?.split_once('>')?;
    Some(rest.rsplit_once("</")?.0)
}

fn unescaped(text: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"), ("&quot;", "\""), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn dfxml(document: &[u8]) -> Vec<(String, Vec<String>, bool)> {
    let text = String::from_utf8_lossy(document).into_owned();
    let mut all = Vec::new();
    for object in text.split("<fileobject").skip(1) {
        let of = |element: &str| object.lines().find_map(|line| content(line, element));
        let name = unescaped(of("filename").unwrap_or_default());
        let digests: Vec<String> =
            object.lines().filter_map(|line| content(line, "hashdigest")).map(str::to_lowercase).collect();
        let live = of("name_type") == Some("r") && of("alloc") != Some("0");
        all.push((name, digests, live));
    }
    all
}

/// The live files as fiwalk has them.
fn fiwalk(image: &Path) -> Found {
    let output = Command::new("fiwalk").arg("-x").arg(image).output().expect("fiwalk");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut found = Found::new();
    for (volume, part) in text.split("<volume ").skip(1).enumerate() {
        for object in part.split("<fileobject").skip(1) {
            // Deleted entries have no <alloc>, or 0.
            let is_live = object.lines().any(|line| content(line, "alloc") == Some("1"));
            for (name, digests, live) in dfxml(format!("<fileobject{object}").as_bytes()) {
                if live && is_live && !name.starts_with('$') {
                    found.insert((volume, name), digests);
                }
            }
        }
    }
    found
}

/// The same by pfh.
fn found(room: &Room, image: &Path) -> Found {
    let name = image.to_str().unwrap();
    let seen = pfh(room, ["hash", "--inside", "--depth", "1", "-a", "md5,sha1", "-f", "dfxml", name]);
    assert_eq!(seen.code, Some(0), "{name}: {}", seen.stderr);
    let mut volumes: Vec<String> = Vec::new();
    let mut found = Found::new();
    for (path, digests, live) in dfxml(&seen.stdout) {
        let Some(inner) = path.strip_prefix(&format!("{name}!/")) else { continue };
        let part = inner.split_once('/').filter(|(part, _)| {
            part.strip_prefix('p')
                .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
        });
        let (volume, inner) = part.map_or((String::new(), inner), |(part, inner)| (part.to_owned(), inner));
        if !volumes.contains(&volume) {
            volumes.push(volume.clone());
        }
        let number = volumes.iter().position(|one| *one == volume).unwrap();
        if live && !inner.starts_with('$') {
            found.insert((number, inner.to_owned()), digests);
        }
    }
    found
}

/// That both find the same files with the same digests; fiwalk has none for empty files.
fn assert_same(room: &Room, image: &Path, files: usize) {
    let (ours, theirs) = (found(room, image), fiwalk(image));
    let names = |found: &Found| found.keys().cloned().collect::<Vec<_>>();
    if image.extension().is_some() {
        // Of a disc fiwalk shows the plain names, whatever other names it has.
        let digests = |found: &Found| {
            let mut all: Vec<_> = found.values().filter(|digests| !digests[..].is_empty()).cloned().collect();
            all.retain(|digests| digests[0] != "d41d8cd98f00b204e9800998ecf8427e");
            all.sort();
            all
        };
        assert_eq!((ours.len(), theirs.len(), digests(&ours)), (files, files, digests(&theirs)));
        return;
    }
    assert_eq!(names(&ours), names(&theirs), "{}", image.display());
    assert_eq!(ours.len(), files, "{}: {:?}", image.display(), names(&ours));
    for (name, digests) in &theirs {
        assert!(digests.is_empty() || *digests == ours[name], "{}: {name:?}", image.display());
        assert_eq!(ours[name].len(), 2);
    }
    // One file of seven is empty.
    assert!(theirs.values().filter(|digests| digests.len() != 2).count() <= files / 7, "{}", image.display());
}

/// A tree of seven files.
fn tree(room: &Room) -> usize {
    let names = ["a", "Long name with spaces.text", "sub/ümlaut €", "sub/deeper/b.bin", "sub/512", "large", "empty"];
    for (n, name) in names.iter().enumerate() {
        let length = [1, 511, 5000, 40_000, 512, 700_003, 0][n];
        room.file(format!("t/{name}"), &random(n as u64 + 1, length));
    }
    names.len()
}

fn programs(names: &[&'static str]) -> Vec<Need> {
    names.iter().map(|name| Need::Program(name)).collect()
}

#[test]
fn twelve_images_have_the_digests_of_fiwalk() {
    let needs = programs(&[
        "fiwalk",
        "mke2fs",
        "mkfs.vfat",
        "mcopy",
        "mkntfs",
        "ntfs-3g",
        "mkfs.exfat",
        "xorriso",
        "sfdisk",
        "sgdisk",
    ]);
    if lacks(&[&needs[..], &[Need::Fuse, Need::Loop, Need::Program("mount.exfat-fuse")]].concat()) {
        return;
    }
    let room = Room::new();
    let files = tree(&room);
    for (name, options) in [("ext2", "-t ext2 -b 1024"), ("ext3", "-t ext3 -b 2048"), ("ext4", "-t ext4 -b 4096")] {
        sh(&room, &format!("truncate -s 12M {name} && mke2fs -q -F {options} -d t {name}"));
    }
    for (name, size, bits) in [("fat12", "4M", "12 -s 4"), ("fat16", "24M", "16 -s 1"), ("fat32", "48M", "32 -s 1")] {
        sh(&room, &format!("truncate -s {size} {name} && mkfs.vfat -F {bits} {name} >/dev/null"));
        sh(&room, &format!("for one in t/*; do LC_ALL=C.UTF-8 mcopy -s -i {name} \"$one\" ::; done"));
    }
    sh(&room, "mkdir at; truncate -s 16M ntfs; mkntfs -q -F -f ntfs >/dev/null 2>&1");
    sh(&room, "ntfs-3g ntfs at && cp -r t/. at/ && umount at");
    sh(
        &room,
        "truncate -s 16M exfat; mkfs.exfat exfat >/dev/null && l=$(losetup -f --show exfat) && mount.exfat-fuse $l at >/dev/null 2>&1 && cp -r t/. at/; umount at; losetup -d $l",
    );
    sh(
        &room,
        "xorriso -as mkisofs -quiet -R -o rock.iso t 2>/dev/null; xorriso -as mkisofs -quiet -J -o joliet.iso t 2>/dev/null",
    );
    sh(&room, "truncate -s 40M mbr && printf '2048,24576,83\\n28672,8192,1\\n' | sfdisk -q mbr");
    sh(
        &room,
        "dd if=ext4 of=mbr bs=512 seek=2048 conv=notrunc status=none; dd if=fat12 of=mbr bs=512 seek=28672 conv=notrunc status=none",
    );
    sh(&room, "truncate -s 60M gpt && sgdisk -n 1:2048:+16M -n 2:40960:+12M -n 3:81920:+4M gpt >/dev/null");
    sh(
        &room,
        "dd if=ntfs of=gpt bs=512 seek=2048 conv=notrunc status=none; dd if=ext2 of=gpt bs=512 seek=40960 conv=notrunc status=none; dd if=fat12 of=gpt bs=512 seek=81920 conv=notrunc status=none",
    );
    for name in ["ext2", "ext3", "ext4", "fat12", "fat16", "fat32", "ntfs", "exfat", "rock.iso", "joliet.iso"] {
        assert_same(&room, &room.path().join(name), files);
    }
    assert_same(&room, &room.path().join("mbr"), 2 * files);
    assert_same(&room, &room.path().join("gpt"), 3 * files);
}

/// An image of the test data of dfVFS.
fn outsider(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/images/dfvfs").join(name)
}

/// The MD5 of three files that are in all of their file systems.
const DFVFS: [(&str, &str); 3] = [
    ("a_directory/a_file", "85bebf486af24792085f769afa46717d"),
    ("a_directory/another_file", "d54ff73404ed6041a3bd66850b061bff"),
    ("passwords.txt", "39cb097008d17660abd0539891a672af"),
];

#[test]
fn images_of_others_hold_what_they_are_known_to_hold() {
    let room = Room::new();
    for name in ["ext2.E01", "imynd.dd", "iso9660.raw"] {
        let ours = found(&room, &outsider(name));
        let found: BTreeMap<String, &String> =
            ours.iter().map(|((_, name), digests)| (name.to_lowercase(), &digests[0])).collect();
        for (file, md5) in DFVFS {
            assert_eq!(found.get(file).map(|found| found.as_str()), Some(md5), "{name}: {file} in {ours:?}");
        }
        assert_eq!(found.len(), DFVFS.len(), "{name}: {ours:?}");
    }
    // The archives hold the same two files, under names; some begin with a slash.
    for name in ["syslog.zip", "with_directory.zip", "syslog.tar", "with_directory.tar"] {
        let path = outsider(name);
        let seen =
            pfh(&room, [OsStr::new("hash"), "--inside".as_ref(), "-f".as_ref(), "jsonl".as_ref(), path.as_os_str()]);
        assert_eq!(seen.code, Some(0), "{name}: {}", seen.stderr);
        let lines = records(&seen);
        let sizes: Vec<u64> = lines
            .iter()
            .filter(|line| line.kind() == "file" && line.path().contains("!/"))
            .map(|line| line.0["size"].as_u64().unwrap())
            .collect();
        let expected: &[u64] = if name == "syslog.tar" { &[1247] } else { &[1247, 1537] };
        let sorted = std::collections::BTreeSet::from_iter(sizes);
        assert_eq!(sorted.into_iter().collect::<Vec<_>>(), expected, "{name}");
    }
}

#[test]
fn images_of_others_have_the_digests_of_fiwalk() {
    if lacks(&programs(&["fiwalk"])) {
        return;
    }
    let room = Room::new();
    for name in ["ext2.E01", "imynd.dd", "iso9660.raw"] {
        let (ours, theirs) = (found(&room, &outsider(name)), fiwalk(&outsider(name)));
        assert_eq!((ours.len(), &ours), (DFVFS.len(), &theirs), "{name}");
    }
}
