//! Verifications where a part cannot be read, as a table: kinds of image, kinds of evidence,
//! unreadable ranges. The files lie in a FUSE file system that fails in these ranges; sha256sum,
//! cmp and ewfverify must fail on them as well. Without the whole of the evidence nothing is
//! *verified*, and nothing *differs*, for no byte was changed.
#![cfg(unix)] // FUSE

use crate::room::Room;
use crate::verdicts::{EVIDENCE, Evidence, Image, SIZE, copy, files, judged, state};
use pfh_inject::{Errno, File, Files, Need, content, lacks};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The unreadable place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unreadable {
    /// The first page of the first file.
    Start,
    /// A page in the middle of the first file, of a container one that holds data of the medium.
    Middle,
    /// The last page of the last file.
    End,
    /// The first file.
    All,
    /// A page in the middle of the source.
    Source,
}

const UNREADABLE: [Unreadable; 5] =
    [Unreadable::Start, Unreadable::Middle, Unreadable::End, Unreadable::All, Unreadable::Source];
const PAGE: u64 = 4096;

impl Unreadable {
    /// The file and the range in it.
    fn place(self, image: Image, room: &Path) -> (PathBuf, Range<u64>) {
        let all = files(room);
        let (first, last) = (all[0].clone(), all[all.len() - 1].clone());
        let length = |path: &Path| fs::metadata(path).unwrap().len();
        let page = |at: u64| at / PAGE * PAGE..(at / PAGE + 1) * PAGE;
        match self {
            Unreadable::Start => (first, page(0)),
            Unreadable::Middle if image.is_container() => {
                let bytes = fs::read(&first).unwrap();
                let wanted = &content(40, SIZE)[SIZE as usize / 2..][..512];
                let at = bytes.windows(512).position(|part| part == wanted).unwrap();
                (first, page(at as u64))
            }
            Unreadable::Middle => {
                let middle = length(&first) / 2;
                (first, page(middle))
            }
            Unreadable::End => {
                let end = length(&last) - 1;
                (last, page(end))
            }
            Unreadable::All => {
                let end = length(&first);
                (first, 0..end)
            }
            Unreadable::Source => (room.join("source"), page(SIZE / 2)),
        }
    }

    /// The exit code that follows.
    fn expected(self, image: Image, evidence: Evidence) -> i32 {
        use Evidence::{Log, OtherKey, Signed, SourceAndLog};
        // Whether the log states the place to be outside of the image. Elsewhere first and last
        // sectors are read as well: they may be those of another format.
        let is_outside = image == Image::Larger && self == Unreadable::Middle;
        match evidence {
            OtherKey => 1,
            // Without a log the sides begin at other bytes: the readable parts differ, as cmp says.
            // Where an end fails, the format is unknown, and nothing was compared.
            Evidence::Source
                if matches!(image, Image::Seek | Image::Part)
                    && matches!(self, Unreadable::Middle | Unreadable::Source) =>
            {
                1
            }
            Log | Signed | SourceAndLog if is_outside => 0,
            _ => 3,
        }
    }
}

/// Rows of one kind of image: how many there were.
fn rows(image: Image) -> usize {
    let (made, work) = (Room::new(), Room::new());
    image.make(&made);
    let has_ewfverify = image.is_ewf() && !lacks(&[Need::Program("ewfverify")]);
    let room = work.path().join("row");
    let mut counts = BTreeMap::new();
    for evidence in EVIDENCE.into_iter().filter(|evidence| image.has_log() || !evidence.is_of_log()) {
        for kind in UNREADABLE {
            // Another container keeps data wherever it likes; the last page may hold none.
            if kind == Unreadable::End && image.is_container() {
                continue;
            }
            if kind == Unreadable::Source && !matches!(evidence, Evidence::Source | Evidence::SourceAndLog) {
                continue;
            }
            copy(made.path(), &room);
            let mut request = state(evidence, image, &room);
            let (place, range) = kind.place(image, &room);
            let mut all = Files::new();
            for entry in fs::read_dir(&room).unwrap() {
                let path = entry.unwrap().path();
                let file = File::of(path.file_name().unwrap().as_encoded_bytes(), fs::read(&path).unwrap());
                all = all.with(if path == place { file.fails_in(range.clone(), Errno::EIO) } else { file });
            }
            let mounted = all.mount().unwrap();
            let moved = |path: &mut PathBuf| *path = mounted.path().join(path.file_name().unwrap());
            for path in [&mut request.image, &mut request.log, &mut request.key, &mut request.against] {
                path.iter_mut().for_each(moved);
            }
            let (code, said) = judged(&request);
            let row = format!("{image:?}, {evidence:?}, {kind:?}: {code}: {said}");
            let damaged = mounted.path().join(place.file_name().unwrap());
            let fails =
                |program: &str, words: &[&Path]| !Command::new(program).args(words).output().unwrap().status.success();
            assert!(fails("sha256sum", &[&damaged]), "{row}");
            if evidence == Evidence::Source && image == Image::Raw {
                let [one, other] = [image.first(), "source"].map(|name| mounted.path().join(name));
                assert!(fails("cmp", &[&one, &other]), "{row}");
            }
            if has_ewfverify && evidence == Evidence::Nothing {
                let first = mounted.path().join(image.first());
                assert!(fails("ewfverify", &[Path::new("-q"), &first]), "{row}");
            }
            assert_eq!(code, kind.expected(image, evidence), "{row}");
            *counts.entry(code).or_insert(0) += 1;
        }
    }
    println!("{image:?}: {counts:?}");
    counts.values().sum()
}

#[test]
fn verdicts_of_unreadable_images_that_pfh_makes() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let kinds =
        [Image::Raw, Image::Split, Image::E01, Image::Segments, Image::Padded, Image::Larger, Image::Seek, Image::Part];
    let count: usize = kinds.into_iter().map(rows).sum();
    assert_eq!(count, 8 * (12 * 4 + 2));
}

#[test]
fn verdicts_of_unreadable_images_that_others_make() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    if !lacks(&[Need::Program("ewfacquire")]) {
        assert_eq!(rows(Image::EnCase1), 6 * 4 + 1);
    }
    if !lacks(&[Need::Program("qemu-img")]) {
        assert_eq!(rows(Image::Qcow2) + rows(Image::Vhdx), 2 * (6 * 3 + 1));
    }
}
