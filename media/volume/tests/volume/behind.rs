//! Volumes and archives behind something else.

use crate::noise::noise;
use pfh_inject::{Need, lacks, mutants};
use pfh_volume::{Bytes, account, partitions, shifted};
use std::process::Command;
use std::sync::Arc;

#[test]
fn an_archive_behind_partitions_is_named() {
    let mut disk = vec![0; 1 << 20];
    disk[510..512].copy_from_slice(b"\x55\xaa");
    disk[446..462].copy_from_slice(&[0, 0, 0, 0, 0x83, 0, 0, 0, 8, 0, 0, 0, 0xf8, 7, 0, 0]);
    let warnings = |disk: Vec<u8>| partitions(&(Arc::new(disk) as Arc<dyn Bytes>)).unwrap().warnings;
    assert_eq!(warnings(disk.clone()), []);
    let seven = b"7z\xbc\xaf\x27\x1c\0\x04\x8d\x9b\xd5\x0f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let with = [&disk[..], &[0; 700], seven].concat();
    let said = warnings(with.clone());
    assert!(said.len() == 1 && said[0].cause.contains("7z behind the partitions"), "{said:?}");
    assert_eq!(said[0].offset, Some((1 << 20) + 700));
    let account = account::medium(&(Arc::new(with) as Arc<dyn Bytes>)).unwrap();
    assert_eq!(account.extents.iter().map(|extent| extent.length).sum::<u64>(), (1 << 20) + 732);
    assert_eq!(warnings([&disk[..], &[0; 700], &noise(1, 5000)].concat()), []);
}

#[test]
fn a_volume_behind_some_sectors_is_found() {
    if lacks(&[Need::Program("mke2fs")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let line = "truncate -s 1M e && mke2fs -q -F -t ext4 e";
    assert!(Command::new("sh").args(["-c", line]).current_dir(room.path()).status().unwrap().success());
    let volume = std::fs::read(room.path().join("e")).unwrap();
    let place = |bytes: Vec<u8>| shifted(&(Arc::new(bytes) as Arc<dyn Bytes>));
    for sectors in [1, 4, 63, 128] {
        assert_eq!(place([&noise(1, 512 * sectors)[..], &volume].concat()), Some(512 * sectors as u64));
    }
    assert_eq!(place([&noise(1, 512 * 129)[..], &volume].concat()), None);
    assert_eq!(place([&vec![0; 1 << 20][..], &volume].concat()), Some(1 << 20));
    assert_eq!(place([&noise(1, 700)[..], &volume].concat()), None);
    assert_eq!(place(noise(1, 1 << 20)), None);
    for seed in 1..=mutants() {
        let mut bytes = [&noise(1, 1024)[..], &volume].concat();
        for pair in noise(seed, 24).chunks(8) {
            let number = u64::from_le_bytes(pair.try_into().unwrap());
            bytes[2048 + (number >> 8) as usize % 1024] = number as u8;
        }
        assert!(matches!(place(bytes), None | Some(1024)));
    }
}
