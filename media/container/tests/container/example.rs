//! The example `raw`, which runs as it is.

#[path = "../../examples/raw.rs"]
#[allow(dead_code, reason = "its main function")]
mod raw;

use crate::ewf::{Image, data};
use pfh_container::ewf::{Compression, Errors, extension};
use pfh_inject::{Need, lacks};
use raw::Gap;
use std::path::PathBuf;
use std::process::Command;

/// Writes the segments of an image, the first of them with these bytes in place of others.
fn written(room: &tempfile::TempDir, image: &Image, disk: &[u8], change: Option<(usize, u8)>) -> PathBuf {
    for (number, mut segment) in image.write(disk).0.into_iter().enumerate() {
        if let Some((at, byte)) = change.filter(|_| number == 0) {
            segment[at] = byte;
        }
        std::fs::write(room.path().join("d").with_extension(extension(number as u16 + 1).unwrap()), segment).unwrap();
    }
    room.path().join("d.E01")
}

fn copied(image: &std::path::Path) -> (Vec<u8>, Vec<Gap>) {
    let mut out = Vec::new();
    let gaps = raw::copy(&*raw::open(image).unwrap(), &mut out).unwrap();
    (out, gaps)
}

#[test]
fn an_e01_is_written_as_raw_bytes_with_its_gaps_named() {
    let (room, mut disk) = (tempfile::tempdir().unwrap(), data(1 << 20, 7));
    let stored = Image { segment: 400_000, compression: Compression::None, ..Image::default() };
    assert_eq!(copied(&written(&room, &stored, &disk, None)), (disk.clone(), Vec::new()));
    // A byte of the first chunk.
    let first = std::fs::read(room.path().join("d.E01")).unwrap();
    let at = first.windows(64).position(|bytes| bytes == &disk[..64]).unwrap();
    let (out, gaps) = copied(&written(&room, &stored, &disk, Some((at, !disk[0]))));
    assert_eq!((gaps.len(), gaps[0].start, gaps[0].length), (1, 0, 32 << 10), "{gaps:?}");
    assert!(gaps[0].cause.contains("checksum") && out[..32 << 10].iter().all(|byte| *byte == 0));
    assert!(out[32 << 10..] == disk[32 << 10..]);
    // Sectors that the imager could not read.
    let room = tempfile::tempdir().unwrap();
    disk[5120..6656].fill(0);
    let image = Image { errors: Errors(vec![(10, 3)]), ..Image::default() };
    let (out, gaps) = copied(&written(&room, &image, &disk, None));
    assert_eq!((out == disk, gaps.len(), gaps[0].start, gaps[0].length), (true, 1, 5120, 1536), "{gaps:?}");
    assert!(raw::open(&room.path().join("missing")).is_err());
}

#[test]
fn a_qcow2_is_written_as_raw_bytes() {
    if lacks(&[Need::Program("qemu-img")]) {
        return;
    }
    let (room, disk) = (tempfile::tempdir().unwrap(), data(1 << 20, 8));
    std::fs::write(room.path().join("raw"), &disk).unwrap();
    let line = ["convert", "-f", "raw", "-O", "qcow2", "-c", "raw", "d.qcow2"];
    assert!(Command::new("qemu-img").args(line).current_dir(room.path()).status().unwrap().success());
    assert_eq!(copied(&room.path().join("d.qcow2")), (disk, Vec::new()));
}
