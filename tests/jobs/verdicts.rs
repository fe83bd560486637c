//! The verdicts of verifications, as a table: kinds of image, kinds of evidence, damage. The
//! expected verdict follows from the answers of other programs about the same files: cmp, sha256sum
//! and, where it is there, ewfverify. None is *verified* that was damaged, none *differs* that was
//! not.

use crate::room::Room;
use pfh::acquire::{self, ImageFormat, Origin, Pieces, Start, To};
use pfh::verify::{self, Claim, Of, Verdict};
use pfh::{Control, Digest};
use pfh_inject::{Need, content, digest_by, lacks, sha256_of};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const SIZE: u64 = 256 << 10;
/// No whole number of sectors.
const ODD: u64 = SIZE + 100;

/// A kind of image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Image {
    Raw,
    Split,
    E01,
    /// In several segments.
    Segments,
    /// Of a source whose size is not a whole number of sectors.
    Padded,
    /// At the start of a file that is twice as long.
    Larger,
    /// Behind the first 4096 bytes of a file.
    Seek,
    /// A part of the source.
    Part,
    /// EnCase 1, as ewfacquire writes it.
    EnCase1,
    Qcow2,
    Vhdx,
}

/// The evidence for the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    Nothing,
    /// SHA-256 of the content.
    Digest,
    /// SHA256SUMS of its files.
    List,
    /// SHA256SUMS of its first file.
    FirstOnly,
    Log,
    Signed,
    /// A log without a signature, and a key.
    Unsigned,
    /// A log that is signed by another key.
    OtherKey,
    /// A log whose end is missing.
    Unfinished,
    /// A file that is not a chained log, given as one.
    NotALog,
    /// The source.
    Source,
    SourceAndLog,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    None,
    Flipped,
    Truncated,
    Emptied,
    Longer,
}

pub const EVIDENCE: [Evidence; 12] = [
    Evidence::Nothing,
    Evidence::Digest,
    Evidence::List,
    Evidence::FirstOnly,
    Evidence::Log,
    Evidence::Signed,
    Evidence::Unsigned,
    Evidence::OtherKey,
    Evidence::Unfinished,
    Evidence::NotALog,
    Evidence::Source,
    Evidence::SourceAndLog,
];
const DAMAGE: [Damage; 5] = [Damage::None, Damage::Flipped, Damage::Truncated, Damage::Emptied, Damage::Longer];
const PRIVATE: [&str; 2] = [
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
];

impl Evidence {
    /// Whether it comes with the log.
    pub fn is_of_log(self) -> bool {
        use Evidence::{Digest, FirstOnly, List, NotALog, Nothing, Source};
        !matches!(self, Nothing | Digest | List | FirstOnly | NotALog | Source)
    }
}

impl Image {
    pub fn is_ewf(self) -> bool {
        matches!(self, Image::E01 | Image::Segments | Image::Padded | Image::EnCase1)
    }

    /// Whether pfh acquired it, so that there is a log.
    pub fn has_log(self) -> bool {
        !matches!(self, Image::EnCase1 | Image::Qcow2 | Image::Vhdx)
    }

    /// Whether it is a container of another kind than EWF.
    pub fn is_container(self) -> bool {
        matches!(self, Image::Qcow2 | Image::Vhdx)
    }

    /// Whether its files are the bytes of the medium.
    fn is_plain(self) -> bool {
        matches!(self, Image::Raw | Image::Split | Image::Larger | Image::Seek | Image::Part)
    }

    pub fn first(self) -> &'static str {
        match self {
            Image::Split => "image.000",
            Image::E01 | Image::Segments | Image::Padded | Image::EnCase1 => "image.E01",
            Image::Qcow2 => "image.qcow2",
            Image::Vhdx => "image.vhdx",
            _ => "image.dd",
        }
    }

    fn source_size(self) -> u64 {
        if self == Image::Padded { ODD } else { SIZE }
    }

    /// The image and its source below `room`, with a log that is signed where there is one.
    pub fn make(self, room: &Room) {
        let source = room.file("source", &content(40, self.source_size()));
        let program = |name: &str, words: &[&str]| {
            let seen = Command::new(name).args(words).current_dir(room.path()).output().unwrap();
            assert!(seen.status.success(), "{name} {words:?}: {seen:?}");
        };
        let form = match self {
            Image::EnCase1 => return program("ewfacquire", &["-u", "-q", "-f", "encase1", "-t", "image", "source"]),
            Image::Qcow2 => {
                return program("qemu-img", &["convert", "-f", "raw", "-O", "qcow2", "source", "image.qcow2"]);
            }
            Image::Vhdx => return program("qemu-img", &["convert", "-f", "raw", "-O", "vhdx", "source", "image.vhdx"]),
            Image::Split => {
                ImageFormat::Split(Pieces { length: 100_000, suffix: pfh::container::split::Suffix::Digits, width: 3 })
            }
            Image::E01 | Image::Padded => ImageFormat::E01 { compression: Default::default(), segment: 1 << 30 },
            Image::Segments => ImageFormat::E01 { compression: Default::default(), segment: 120_000 },
            Image::Larger => {
                room.file("image.dd", &content(41, 2 * SIZE));
                ImageFormat::Raw { seek: 0, sparse: false, direct: false, start: Some(Start::Into), synced: true }
            }
            Image::Seek => ImageFormat::Raw { seek: 4096, sparse: false, direct: false, start: None, synced: true },
            Image::Raw | Image::Part => ImageFormat::RAW,
        };
        let path = room.path().join(if self == Image::Split { "image" } else { self.first() });
        let mut asked = acquire::Request::new(Origin::Medium(source), vec![To { path, form }]);
        (asked.map, asked.log, asked.replace) = (None, Some(room.path().join(format!("{}.log", self.stem()))), true);
        if self == Image::Part {
            (asked.reading.from, asked.reading.length) = (4096, Some(SIZE / 2));
        }
        asked.key = Some(room.file("private", PRIVATE[0].as_bytes()));
        acquire::run(&asked, &mut |_| Ok(()), &Control::new()).unwrap();
    }

    /// The name that its log is derived from.
    fn stem(self) -> &'static str {
        if self == Image::Split { "image" } else { self.first() }
    }

    /// The expected verdict, by whether the files are as they were and by the evidence.
    fn expected(self, evidence: Evidence, damage: Damage, room: &Path) -> &'static [i32] {
        use Evidence::{Digest as Stated, *};
        let inner = self.is_ewf();
        match (damage, evidence) {
            (Damage::None, Nothing | FirstOnly) if inner => &[0],
            (Damage::None, FirstOnly) if self != Image::Split => &[0],
            (Damage::None, Nothing | FirstOnly) => &[3],
            (Damage::None, Stated | List | Log | Signed | SourceAndLog) => &[0],
            (Damage::None, Unsigned | Unfinished | NotALog) => &[3],
            (_, OtherKey) => &[1],
            (_, Source) if self.is_plain() => by_cmp(self, room),
            (Damage::None, Source) => &[0],
            (Damage::Flipped, Nothing | Unfinished | NotALog) => {
                if inner {
                    &[1]
                } else {
                    &[3]
                }
            }
            (Damage::Flipped, FirstOnly) if self == Image::Split => &[3],
            (Damage::Flipped, _) => &[1],
            // A container of others that is cut is damaged, or not read.
            (Damage::Truncated, _) if self.is_container() => &[1, 2, 3],
            (Damage::Truncated, Nothing | Unfinished | NotALog) => {
                if inner {
                    &[1]
                } else {
                    &[3]
                }
            }
            (Damage::Truncated, FirstOnly) if self == Image::Split => &[3],
            (Damage::Truncated, _) => &[1],
            // A set with an empty piece contradicts itself: no image has such pieces.
            (Damage::Emptied, _) if self == Image::Split => &[1],
            (Damage::Emptied, Nothing | Unfinished | NotALog) => &[3],
            (Damage::Emptied, Stated | Source) if !self.is_plain() => &[1, 3],
            (Damage::Emptied, _) => &[1],
            // The content of a container is as it was; the bytes behind are not read.
            (Damage::Longer, Stated | Source) if !self.is_plain() && !inner => &[0, 3],
            (Damage::Longer, Nothing | Unfinished | NotALog | Stated | Source) if !self.is_plain() => &[3],
            (Damage::Longer, FirstOnly) if matches!(self, Image::Split | Image::Segments) => &[3],
            (Damage::Longer, Nothing | Unfinished | NotALog) => &[3],
            (Damage::Longer, _) => &[1],
        }
    }
}

/// Image against source: cmp says equal, that one is the beginning of the other, or that they
/// differ.
fn by_cmp(image: Image, room: &Path) -> &'static [i32] {
    let all: Vec<u8> = files(room).iter().flat_map(|path| fs::read(path).unwrap()).collect();
    let path = room.join("all");
    fs::write(&path, all).unwrap();
    let seen = Command::new("cmp").arg(&path).arg(room.join("source")).env("LC_ALL", "C").output().unwrap();
    fs::remove_file(path).unwrap();
    let said = String::from_utf8_lossy(&seen.stderr).into_owned();
    match seen.status.code() {
        Some(0) => &[0],
        Some(1) if said.contains("EOF") => &[3],
        Some(1) => &[1],
        other => panic!("{image:?}: cmp: {other:?} {said}"),
    }
}

/// The files of the image in a directory, in order.
pub fn files(room: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(room).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("image.") && !name.contains(".log")
    });
    all.sort();
    all
}

fn damage(damage: Damage, image: Image, room: &Path) {
    let all = files(room);
    let last = all.last().unwrap();
    let change = |path: &Path, how: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = fs::read(path).unwrap();
        how(&mut bytes);
        fs::write(path, bytes).unwrap();
    };
    match damage {
        Damage::None => {}
        Damage::Flipped => match image {
            Image::Split => change(&all[1], &|bytes| bytes[7] ^= 1),
            Image::Qcow2 | Image::Vhdx => change(&all[0], &|bytes| {
                let wanted = &content(40, SIZE)[SIZE as usize / 2..][..512];
                let at = bytes.windows(512).position(|part| part == wanted).unwrap();
                bytes[at] ^= 1;
            }),
            _ => change(&all[0], &|bytes| {
                let at = bytes.len() / 3;
                bytes[at] ^= 1;
            }),
        },
        Damage::Truncated => change(last, &|bytes| bytes.truncate(bytes.len() / 2 - 7)),
        Damage::Emptied => change(&all[0], &Vec::clear),
        Damage::Longer => change(last, &|bytes| bytes.extend([7; 4096])),
    }
}

/// Makes the evidence, beside the image and in the request.
pub fn state(evidence: Evidence, image: Image, room: &Path) -> verify::Request {
    let mut request = verify::Request::image(room.join(image.first()));
    let log = room.join(format!("{}.log.jsonl", image.stem()));
    let public = |private: &str| {
        let path = room.join("key");
        fs::write(&path, private).unwrap();
        let bytes = pfh::key::signing(&path).unwrap().verifying_key().to_bytes();
        fs::write(&path, pfh::hex::encode(&bytes)).unwrap();
        Some(path)
    };
    let cut = |lines: usize| {
        let text = fs::read_to_string(&log).unwrap();
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        fs::write(&log, all[..all.len() - lines].concat()).unwrap();
    };
    let keeps_log = matches!(
        evidence,
        Evidence::Log
            | Evidence::Signed
            | Evidence::Unsigned
            | Evidence::OtherKey
            | Evidence::Unfinished
            | Evidence::SourceAndLog
    );
    if !keeps_log && log.exists() {
        fs::remove_file(&log).unwrap();
        fs::remove_file(log.with_extension("")).unwrap();
    }
    match evidence {
        Evidence::Nothing | Evidence::Log => {}
        Evidence::Digest => {
            let bytes: Vec<u8> = if image.is_plain() {
                files(room).iter().flat_map(|path| fs::read(path).unwrap()).collect()
            } else {
                let mut bytes = fs::read(room.join("source")).unwrap();
                bytes.resize(bytes.len().next_multiple_of(512), 0);
                bytes
            };
            let algorithm: pfh::Algorithm = "sha256".parse().unwrap();
            let digest = Digest::parse(*algorithm, &digest_by("sha256sum", &bytes)).unwrap();
            request.claims.push(Claim { digest, of: Of::Content, by: "the caller".into() });
        }
        Evidence::List | Evidence::FirstOnly => {
            let mut names: Vec<_> = files(room).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
            names.truncate(if evidence == Evidence::List { names.len() } else { 1 });
            let seen = Command::new("sha256sum").args(names).current_dir(room).output().unwrap();
            fs::write(room.join("SHA256SUMS"), seen.stdout).unwrap();
        }
        Evidence::Signed => request.key = public(PRIVATE[0]),
        Evidence::OtherKey => request.key = public(PRIVATE[1]),
        Evidence::Unsigned => {
            cut(1);
            // Without the log for people, which states that there was a signature.
            fs::remove_file(log.with_extension("")).unwrap();
            request.key = public(PRIVATE[0]);
        }
        Evidence::Unfinished => {
            cut(2);
            request.log = Some(log);
        }
        Evidence::NotALog => request.log = Some(room.join("source")),
        Evidence::Source | Evidence::SourceAndLog => request.against = Some(room.join("source")),
    }
    request
}

pub fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// The exit code of a verification, and its output.
pub fn judged(request: &verify::Request) -> (i32, String) {
    match verify::run(request, &mut |_| Ok(()), &Control::new()) {
        Ok(found) => {
            let findings = found.findings.iter().map(|finding| format!("{finding}\n"));
            let text = findings.chain([found.sentence()]).collect();
            let code = match found.verdict() {
                Verdict::Verified => 0,
                Verdict::Differs => 1,
                _ => 3,
            };
            (code, text)
        }
        Err(error) => (2, error.to_string()),
    }
}

/// Rows of one kind of image: how many there were.
fn rows(image: Image) -> usize {
    let (made, work) = (Room::new(), Room::new());
    image.make(&made);
    let whole: Vec<String> = files(made.path()).iter().map(|path| sha256_of(path)).collect();
    let has_ewfverify = image.is_ewf() && !lacks(&[Need::Program("ewfverify")]);
    let room = work.path().join("row");
    let mut counts = BTreeMap::new();
    for evidence in EVIDENCE {
        if evidence.is_of_log() && !image.has_log() {
            continue;
        }
        for kind in DAMAGE {
            copy(made.path(), &room);
            let request = state(evidence, image, &room);
            damage(kind, image, &room);
            let (code, said) = judged(&request);
            let row = format!("{image:?}, {evidence:?}, {kind:?}: {code}: {said}");
            // The answer of sha256sum for the files.
            let is_whole = files(&room).iter().map(|path| sha256_of(path)).eq(whole.iter().cloned());
            assert_eq!(is_whole, kind == Damage::None, "{row}");
            let lies_behind = kind == Damage::Longer && !image.is_plain() && !image.is_ewf();
            assert!(code != 0 || is_whole || lies_behind, "a false verified: {row}");
            let is_other_key = evidence == Evidence::OtherKey;
            let differs_by_cmp = evidence == Evidence::Source && image.is_plain() && by_cmp(image, &room) == [1];
            assert!(code != 1 || !is_whole || is_other_key || differs_by_cmp, "a false accusation: {row}");
            if has_ewfverify && code == 0 {
                let seen = Command::new("ewfverify").arg("-q").arg(room.join(image.first())).output().unwrap();
                assert!(seen.status.success(), "ewfverify: {seen:?}: {row}");
            }
            assert!(image.expected(evidence, kind, &room).contains(&code), "{row}");
            *counts.entry(code).or_insert(0) += 1;
        }
    }
    println!("{image:?}: {counts:?}");
    counts.values().sum()
}

#[cfg(unix)]
#[test]
fn verdicts_of_images_that_pfh_makes() {
    let kinds =
        [Image::Raw, Image::Split, Image::E01, Image::Segments, Image::Padded, Image::Larger, Image::Seek, Image::Part];
    let count: usize = kinds.into_iter().map(rows).sum();
    assert_eq!(count, 480);
}

#[test]
fn verdicts_of_images_that_others_make() {
    if !lacks(&[Need::Program("ewfacquire")]) {
        assert_eq!(rows(Image::EnCase1), 30);
    }
    if !lacks(&[Need::Program("qemu-img")]) {
        assert_eq!(rows(Image::Qcow2) + rows(Image::Vhdx), 60);
    }
}
