//! A file system of Btrfs, alone and in a partition: the names of its subvolumes stand in front of
//! their files.

#[path = "../../../../media/volume/tests/volume/btrfs/maker.rs"]
#[allow(dead_code)]
mod maker;

use self::maker::{Maker, ROOT};
use crate::found;
use pfh_inside::Options;
use std::collections::BTreeMap;

/// Two subvolumes, and a snapshot of one of them.
pub fn image() -> Vec<u8> {
    let mut maker = Maker::new(false);
    maker.file(5, ROOT, b"a!", b"words of now");
    maker.subvolume(257, (0, 7, 0));
    maker.name_subvolume(257, (5, ROOT), b"@home");
    let number = maker.file(257, ROOT, b"new", b"words at home");
    maker.attribute(257, number, b"user.note", b"0081");
    maker.subvolume(259, (1, 9, 7));
    maker.name_subvolume(259, (257, ROOT), b"yesterday");
    maker.file(259, ROOT, b"old", b"older words");
    maker.end()
}

/// The files of the image, with this in front of their names.
pub fn expected(part: &str) -> BTreeMap<String, Option<Vec<u8>>> {
    let files: [(&str, &[u8]); 4] = [
        ("top-level/a!", b"words of now"),
        ("@home/new", b"words at home"),
        ("@home/new:user.note", b"0081"),
        ("@home/yesterday/old", b"older words"),
    ];
    files.into_iter().map(|(name, bytes)| (format!("{part}{name}"), Some(bytes.to_vec()))).collect()
}

#[test]
fn subvolumes_and_snapshots_have_names() {
    let folder = tempfile::tempdir().expect("a directory");
    let bare = folder.path().join("bare");
    std::fs::write(&bare, image()).expect("written");
    assert_eq!(found(&bare, Options::default()), expected(""));

    let mut disk = vec![0; 1 << 20];
    let sectors = (image().len() / 512) as u32;
    disk[446..462].copy_from_slice(&[0, 0, 2, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]);
    disk[458..462].copy_from_slice(&sectors.to_le_bytes());
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    disk.extend(image());
    let path = folder.path().join("disk");
    std::fs::write(&path, disk).expect("written");
    assert_eq!(found(&path, Options::default()), expected("p1/"));
}
