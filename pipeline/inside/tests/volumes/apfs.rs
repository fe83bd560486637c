//! A container of APFS in a partition: the names of its volumes stand in front of their files.

#[path = "../../../../media/volume/tests/volume/apfs/blocks.rs"]
#[allow(dead_code)]
mod blocks;
#[path = "../../../../media/volume/tests/volume/apfs/container.rs"]
#[allow(dead_code)]
mod container;
#[path = "../../../../media/volume/tests/volume/apfs/files.rs"]
#[allow(dead_code)]
mod files;

use self::container::{Container, Kind};
use self::files::{Files, ROOT};
use crate::found;
use pfh_inside::Options;
use std::collections::BTreeMap;

/// Two volumes, one of them encrypted, and a snapshot of the other.
fn image() -> Vec<u8> {
    let mut container = Container::new();
    let (mut now, mut before) = (Files::new(true), Files::new(true));
    let folder = now.directory(ROOT, b"Users");
    let number = now.file(&mut container.blocks, folder, b"a!", &[Ok(b"words of now")]);
    now.attribute(number, b"com.apple.quarantine", b"0081");
    before.file(&mut container.blocks, ROOT, b"old", &[Ok(b"older words")]);
    container.volume(Kind::Usual, b"Macintosh HD", &now, Some((b"first", &before)));
    container.volume(Kind::Encrypted, b"Data", &now, None);
    container.end()
}

#[test]
fn volumes_and_snapshots_have_names() {
    let folder = tempfile::tempdir().expect("a directory");
    let expected = |part: &str| -> BTreeMap<String, Option<Vec<u8>>> {
        let files: [(&str, Option<&[u8]>); 4] = [
            ("Data/", None),
            ("Macintosh HD/Users/a!", Some(b"words of now")),
            ("Macintosh HD/Users/a!:com.apple.quarantine", Some(b"0081")),
            ("Macintosh HD@first/old", Some(b"older words")),
        ];
        files.into_iter().map(|(name, bytes)| (format!("{part}{name}"), bytes.map(<[u8]>::to_vec))).collect()
    };
    let bare = folder.path().join("bare");
    std::fs::write(&bare, image()).expect("written");
    assert_eq!(found(&bare, Options::default()), expected(""));

    // Behind a table of partitions, of the type that APFS has on disks with an MBR.
    let mut disk = vec![0; 1 << 20];
    let sectors = (image().len() / 512) as u32;
    disk[446..462].copy_from_slice(&[0, 0, 2, 0, 0xaf, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]);
    disk[458..462].copy_from_slice(&sectors.to_le_bytes());
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    disk.extend(image());
    let whole = folder.path().join("whole");
    std::fs::write(&whole, disk).expect("written");
    assert_eq!(found(&whole, Options::default()), expected("p1/"));
}
