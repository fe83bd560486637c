//! DFXML of the files inside of images: `<volume>` elements as fiwalk writes them, valid by the
//! schema, in the order of the stream, and read back.
#![cfg(unix)]

use crate::program::{Room, random, records};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::process::Command;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) -> Vec<u8> {
    let output = Command::new("sh").args(["-c", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

const NEEDS: &[Need] = &[
    Need::Program("fiwalk"),
    Need::Program("mke2fs"),
    Need::Program("mkfs.vfat"),
    Need::Program("mcopy"),
    Need::Program("mkfs.exfat"),
    Need::Program("mkntfs"),
    Need::Program("sfdisk"),
    Need::Program("xmllint"),
    Need::Program("xorriso"),
    Need::Program("zip"),
];

/// Fails unless the document keeps to the schema.
fn assert_valid(room: &Room, document: &str) {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/manifest/tests/schema/dfxml.xsd");
    sh(room, &format!("xmllint --noout --nonet --schema {schema} {document} 2>&1"));
}

/// One volume of a document: the elements that describe it, and the names of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Volume {
    head: String,
    attributes: String,
    names: Vec<String>,
}

impl Volume {
    /// The text between these tags in front of the files.
    fn of(&self, element: &str) -> Option<&str> {
        let (_, rest) = self.head.split_once(&format!("<{element}>"))?;
        Some(rest.split_once("</")?.0)
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        let (_, rest) = self.attributes.split_once(&format!("{name}='"))?;
        Some(rest.split_once('\'')?.0)
    }

    /// Offset, file system and size of blocks.
    fn system(&self) -> [Option<&str>; 5] {
        let element = |name| self.of(name);
        let [place, number, name, block] = ["partition_offset", "ftype", "ftype_str", "block_size"].map(element);
        [self.attribute("offset"), place, number, name, block]
    }
}

fn names(text: &str) -> Vec<String> {
    let of = |rest: &str| rest.split_once('>').and_then(|(_, rest)| rest.split_once("</")).map(|(name, _)| name.into());
    text.split("<filename").skip(1).filter_map(of).collect()
}

/// The volumes of a document in its order, and the files that are in none.
fn volumes(document: &[u8]) -> (Vec<Volume>, Vec<String>) {
    let text = String::from_utf8_lossy(document);
    let mut parts = text.split("<volume");
    assert!(names(parts.next().unwrap()).is_empty() || !text.contains("<volume"), "files in front of volumes");
    let mut outside = String::new();
    let all = parts.map(|part| {
        let (inner, behind) = part.split_once("</volume>").expect("an end");
        outside += behind;
        let (attributes, inner) = inner.split_once('>').expect("a tag");
        let head = inner.split("<fileobject").next().unwrap_or_default().to_owned();
        Volume { head, attributes: attributes.to_owned(), names: names(inner) }
    });
    (all.collect(), names(&outside))
}

/// A disk with ext4, an empty ext2, FAT12 and a part that is encrypted.
fn disk(room: &Room) {
    room.file("t/a", &random(1, 5000));
    room.file("t/sub/b", &random(2, 70_000));
    sh(room, "truncate -s 4M ext4 && mke2fs -q -F -t ext4 -b 4096 -d t ext4");
    sh(room, "truncate -s 1M empty && mke2fs -q -F -t ext2 -b 1024 empty");
    sh(room, "truncate -s 4M fat12 && mkfs.vfat -F 12 fat12 >/dev/null && mcopy -s -i fat12 t/a t/sub ::");
    sh(room, "printf 'LUKS\\272\\276\\0\\2' > luks; truncate -s 1M luks; truncate -s 16M disk");
    sh(room, "printf '2048,8192,83\\n10240,2048,83\\n12288,8192,1\\n20480,2048,83\\n' | sfdisk -q disk");
    for (part, sector) in [("ext4", 2048), ("empty", 10240), ("fat12", 12288), ("luks", 20480)] {
        sh(room, &format!("dd if={part} of=disk bs=512 seek={sector} conv=notrunc status=none"));
    }
}

#[test]
fn volumes_are_those_of_fiwalk() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    disk(&room);
    sh(
        &room,
        "truncate -s 16M ntfs; mkntfs -q -F -f ntfs >/dev/null 2>&1; truncate -s 16M exfat; mkfs.exfat exfat >/dev/null",
    );
    sh(
        &room,
        "xorriso -as mkisofs -quiet -R -o disc t 2>/dev/null; truncate -s 48M fat32; mkfs.vfat -F 32 -s 1 fat32 >/dev/null",
    );
    sh(
        &room,
        "truncate -s 24M fat16; mkfs.vfat -F 16 fat16 >/dev/null; truncate -s 8M ext3; mke2fs -q -F -t ext3 ext3",
    );
    for (image, code) in [
        ("disk", 3),
        ("ext4", 0),
        ("empty", 0),
        ("ext3", 0),
        ("fat16", 0),
        ("fat32", 0),
        ("exfat", 0),
        ("ntfs", 0),
        ("disc", 0),
    ] {
        let seen = pfh(&room, ["hash", "--inside", "-a", "md5", "-f", "dfxml", "--force", "-o", "m.xml", image]);
        assert_eq!(seen.code, Some(code), "{image}: {}", seen.stderr);
        assert_valid(&room, "m.xml");
        let (ours, outside) = volumes(&std::fs::read(room.path().join("m.xml")).unwrap());
        let (theirs, _) = volumes(&sh(&room, &format!("fiwalk -x {image}")));
        // fiwalk says nothing of a part that it does not read.
        let read: Vec<&Volume> = ours.iter().filter(|volume| volume.of("ftype").is_some()).collect();
        let systems = |all: &[&Volume]| {
            all.iter().map(|one| one.system().map(|text| text.map(str::to_owned))).collect::<Vec<_>>()
        };
        assert_eq!(systems(&read), systems(&theirs.iter().collect::<Vec<_>>()), "{image}");
        assert!(!read.is_empty(), "{image}");
        assert_eq!(outside, [image], "the image itself is in no volume");
        for volume in &ours {
            let name = volume.attribute("pfh:name").expect("its name");
            assert!(volume.names.iter().all(|file| file.starts_with(name)), "{volume:?}");
        }
        if image != "disk" {
            continue;
        }
        let seen: Vec<_> =
            ours.iter().map(|volume| (volume.attribute("pfh:partition").unwrap(), volume.names.len())).collect();
        assert_eq!(seen, [("1", 2), ("2", 0), ("3", 2), ("4", 1)]);
        assert_eq!((ours[3].system()[0], ours[3].of("ftype_str")), (Some("10485760"), None));
        // The runs of each file lie within those of its volume.
        let text = std::fs::read_to_string(room.path().join("m.xml")).unwrap();
        let (_, second) = text.split_once("disk!/p3/a<").unwrap();
        let place = second.split_once("img_offset='").unwrap().1.split_once('\'').unwrap().0.parse::<usize>().unwrap();
        let bytes = std::fs::read(room.path().join("disk")).unwrap();
        assert_eq!(bytes[place..place + 5000], random(1, 5000));
    }
    // As fiwalk's own lists of all files do.
    let seen = pfh(&room, ["hash", "--inside", "--deleted", "-a", "md5", "-f", "dfxml", "ext4"]);
    assert_eq!(volumes(&seen.stdout).0[0].of("allocated_only"), Some("0"));
}

/// A directory of files, images, and an image within an image: everything once, in a document that
/// keeps to the schema, with volumes that go on behind an interruption.
#[test]
fn a_stream_of_files_and_images_is_valid_and_reads_back() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    disk(&room);
    sh(&room, "mkdir -p deep case; zip -q -j deep/k.zip ext4 t/a; cp t/a deep/z; cp fat12 deep/b.img; cp t/a deep/a");
    sh(
        &room,
        "truncate -s 24M outer; mkfs.vfat -F 16 outer >/dev/null; mcopy -i outer deep/a deep/b.img deep/k.zip deep/z ::",
    );
    sh(&room, "cp t/a case/1; mv outer case/2.img; cp t/sub/b case/3; mv fat12 case/4.img; cp t/a case/5");
    // A directory that is named like the inside of a container.
    room.file("case/4.img!/x", b"on the host");
    let hash = |options: &[&str]| {
        let seen =
            pfh(&room, [&["hash", "-r", "--inside", "-f", "dfxml", "-a", "sha256"], options, &["case"]].concat());
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        seen.stdout
    };
    let document = hash(&["--threads", "1"]);
    assert!(document == hash(&["--threads", "4"]), "the same with any number of threads");
    room.file("m.xml", &document);
    assert_valid(&room, "m.xml");
    let (all, outside) = volumes(&document);
    let shown: Vec<_> = all
        .iter()
        .map(|volume| {
            let name = volume.attribute("pfh:name").unwrap();
            let base = volume.names.iter().map(|file| file.strip_prefix(name).expect("its file")).collect::<Vec<_>>();
            (name, volume.attribute("pfh:continued").is_some(), base.join(" "))
        })
        .collect();
    let expected = [
        ("case/2.img!/", false, "a b.img"),
        ("case/2.img!/b.img!/", false, "a sub/b"),
        ("case/2.img!/", true, "k.zip k.zip!/ext4"),
        ("case/2.img!/k.zip!/ext4!/", false, "a sub/b"),
        ("case/2.img!/", true, "k.zip!/a z"),
        ("case/4.img!/", false, "a sub/b"),
    ];
    assert_eq!(shown, expected.map(|(name, continued, base)| (name, continued, base.to_owned())));
    assert_eq!(outside, ["case/1", "case/2.img", "case/3", "case/4.img", "case/4.img!/x", "case/5"]);
    // The second commands.
    let names: BTreeSet<String> = all.iter().flat_map(|volume| volume.names.clone()).chain(outside).collect();
    let seen = pfh(&room, ["hash", "-r", "--inside", "-f", "jsonl", "-a", "sha256", "case"]);
    let lines = records(&seen);
    assert_eq!(names, lines.iter().map(|line| line.path().to_owned()).filter(|path| !path.is_empty()).collect());
    for check in [&["check", "m.xml"][..], &["check", "--audit", "--below", "case", "m.xml"]] {
        let seen = pfh(&room, check);
        assert_eq!(seen.code, Some(0), "{check:?}: {}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    }
    let seen = pfh(&room, ["known", "build", "set.pfhknown", "--good", "m.xml"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    for sets in ["m.xml", "set.pfhknown"] {
        let words = ["match", "-r", "--inside", "-k", sets, "-f", "dfxml", "--force", "-o", "v.xml", "case"];
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert_valid(&room, "v.xml");
        let verdicts = std::fs::read(room.path().join("v.xml")).unwrap();
        let (found, _) = volumes(&verdicts);
        let same = |volume: &Volume| (volume.attributes.clone(), volume.names.clone());
        assert_eq!(found.iter().map(same).collect::<Vec<_>>(), all.iter().map(same).collect::<Vec<_>>());
        assert!(String::from_utf8_lossy(&verdicts).contains("byte_run "));
    }
    // The output of fiwalk for a part of it is read as well.
    sh(&room, "fiwalk -x case/4.img | grep -v 'DOCTYPE' > f.xml");
    // FAT's times are local ones of no known zone.
    sh(&room, "grep -q '<mtime prec=.2.>[^Z]*</mtime>' f.xml");
    let seen = pfh(&room, ["match", "-k", "f.xml", "--only", "known", "t/a"]);
    assert!(String::from_utf8_lossy(&seen.stdout).contains("t/a"), "{seen:?}");
}

/// More files outside of any volume than are held back are in a volume without offset.
#[test]
fn many_files_in_front_of_an_image_are_not_held() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    disk(&room);
    let long = "n".repeat(200);
    for number in 0..2500 {
        room.file(format!("case/{number:04}{long}"), b"x");
    }
    sh(&room, "cp fat12 case/image; cp t/a case/z");
    let seen = pfh(&room, ["hash", "-r", "--inside", "-f", "dfxml", "-o", "m.xml", "case"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_valid(&room, "m.xml");
    let (all, outside) = volumes(&std::fs::read(room.path().join("m.xml")).unwrap());
    assert_eq!(all.iter().map(|volume| volume.attribute("offset")).collect::<Vec<_>>(), [None, Some("0")]);
    assert_eq!([all[0].names.len(), all[1].names.len()], [2501, 2]);
    assert_eq!(outside, ["case/z"]);
    let seen = pfh(&room, ["check", "m.xml"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("2504 files verified"), "{}", seen.stderr);
}
