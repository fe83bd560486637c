//! Several media that are pieces of one array, in any order among other inputs, alone, and by the
//! names that they print.

#[path = "../../../../media/volume/tests/volume/raid/layouts.rs"]
#[allow(dead_code)]
mod layouts;
#[path = "../../../../media/volume/tests/volume/raid/maker.rs"]
#[allow(dead_code)]
mod maker;

use self::layouts::LAYOUTS;
use self::maker::{Array, CHUNK, own, seal};
use super::{btrfs, listed};
use pfh_inside::{Lookup, Options, name};
use pfh_source::{Descend, Item, Operands, Source};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// A Btrfs in a RAID 5 over three images, spread by a layout that the kernel's rows show:
/// left-symmetric.
fn write(folder: &Path) -> [std::path::PathBuf; 3] {
    assert!(LAYOUTS.iter().any(|layout| layout.name.starts_with("raid5-left-symmetric") && layout.number == 2));
    let mut content = btrfs::image();
    content.resize(content.len().next_multiple_of(2 * CHUNK), 0);
    let mut devices = vec![Vec::new(); 3];
    for (row, pair) in content.chunks(2 * CHUNK).enumerate() {
        let (first, second) = pair.split_at(CHUNK);
        let parity: Vec<u8> = first.iter().zip(second).map(|(a, b)| a ^ b).collect();
        let p = 2 - row % 3;
        for (place, chunk) in [(p, &parity[..]), ((p + 1) % 3, first), ((p + 2) % 3, second)] {
            devices[place].extend_from_slice(chunk);
        }
    }
    let (chunk, used) = (CHUNK, devices[0].len() as u64);
    let of = Array { level: 5, layout: 2, chunk, devices: 3, used, features: 0, resync: u64::MAX, name: "nas:data" };
    ["b.img", "a+1.img", "c.img"].map(|name| folder.join(name)).into_iter().enumerate().for_each(|(role, path)| {
        std::fs::write(path, of.member(own(role), &devices[role])).expect("written");
    });
    ["b.img", "a+1.img", "c.img"].map(|name| folder.join(name))
}

type Found = BTreeMap<String, Option<Vec<u8>>>;

fn expected(front: &str) -> Found {
    let names = btrfs::expected("");
    names.into_iter().map(|(name, bytes)| (format!("{front}!/data/{name}"), bytes)).collect()
}

/// The entries inside these inputs, without the inputs' directory.
fn found(folder: &Path, paths: &[&Path]) -> Found {
    let mut all = BTreeMap::new();
    for (name, bytes) in listed(paths, Options::default()) {
        assert!(all.insert(name.replace(&format!("{}/", folder.display()), ""), bytes).is_none());
    }
    all
}

#[test]
fn media_wait_for_each_other() {
    let folder = tempfile::tempdir().expect("a directory");
    let [b, a, c] = write(folder.path());
    let other = folder.path().join("words.txt");
    std::fs::write(&other, b"words").expect("written");
    assert_eq!(found(folder.path(), &[&b, &other, &a, &c]), expected("b.img+a+1.img+c.img"));
    assert_eq!(found(folder.path(), &[&c, &a, &b, &c]), expected("c.img+a+1.img+b.img"));
    // Degraded, with a word about that; too few.
    let mut two = expected("a+1.img+c.img");
    two.insert("a+1.img+c.img!/data".to_owned(), None);
    assert_eq!(found(folder.path(), &[&a, &c]), two);
    assert_eq!(found(folder.path(), &[&c]), BTreeMap::from([("c.img!/data".to_owned(), None)]));
}

#[test]
fn names_over_several_media_are_found_again() {
    let folder = tempfile::tempdir().expect("a directory");
    let paths = write(folder.path());
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    let joined = name::joined(&paths.each_ref().map(|path| bytes(path)));
    let names: Vec<Vec<u8>> = btrfs::expected("")
        .into_keys()
        .map(|inner| [&joined[..], b"!/data/", &name::escape(inner.as_bytes())].concat())
        .collect();
    let outer = Operands::new(names.clone(), Descend::default());
    let mut lookup = Lookup::new(Box::new(outer), Arc::new(Options::default()), b"");
    for name in &names {
        let item = lookup.pull().expect("an item");
        let Item::Entry(entry) = item else { panic!("{} is not found", String::from_utf8_lossy(name)) };
        assert_eq!(&entry.name(), name);
    }
    // With one of them gone it is missing, like a file in a container that is gone.
    std::fs::remove_file(&paths[2]).expect("removed");
    let outer = Operands::new(names[..1].to_vec(), Descend::default());
    let item = Lookup::new(Box::new(outer), Arc::new(Options::default()), b"").pull();
    assert!(matches!(item, Some(Item::Entry(entry)) if entry.look().is_none()));
}

#[test]
fn one_medium_of_a_mirror_is_read_alone() {
    let folder = tempfile::tempdir().expect("a directory");
    let content = btrfs::image();
    let used = content.len() as u64;
    let of = Array { level: 1, layout: 0, chunk: 0, devices: 2, used, features: 0, resync: u64::MAX, name: "7" };
    let path = folder.path().join("one.img");
    std::fs::write(&path, of.member(own(1), &content)).expect("written");
    let mut alone: Found =
        btrfs::expected("").into_iter().map(|(name, bytes)| (format!("one.img!/md7/{name}"), bytes)).collect();
    alone.insert("one.img!/md7".to_owned(), None);
    assert_eq!(found(folder.path(), &[&path]), alone);
}

/// A disk with one partition, which holds the file system.
fn divided() -> Vec<u8> {
    let content = btrfs::image();
    let mut disk = vec![0; 1 << 20];
    let sectors = (content.len() / 512) as u32;
    disk[446..462].copy_from_slice(&[0, 0, 2, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]);
    disk[458..462].copy_from_slice(&sectors.to_le_bytes());
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    disk.extend(content);
    disk
}

#[test]
fn a_table_in_an_array_and_one_beside_an_old_superblock() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut disk = divided();
    let used = disk.len() as u64;
    let of = Array { level: 1, layout: 0, chunk: 0, devices: 1, used, features: 0, resync: u64::MAX, name: "7" };
    // A disk that was a member once: its table counts.
    let old = of.superblock(own(0), 4096, 512);
    let mut reused = disk.clone();
    reused[4096..4096 + old.len()].copy_from_slice(&old);
    let path = folder.path().join("reused");
    std::fs::write(&path, reused).expect("written");
    let names = |front: &str, image: &str| -> Found {
        let names = btrfs::expected("").into_iter();
        names.map(|(name, bytes)| (format!("{image}!/{front}{name}"), bytes)).collect()
    };
    assert_eq!(found(folder.path(), &[&path]), names("p1/", "reused"));
    // A superblock behind all data: the table is the array's.
    let at = disk.len().next_multiple_of(4096);
    disk.resize(at + 8192, 0);
    let mut own = of.superblock(own(0), at, at);
    own[128..136].fill(0);
    seal(&mut own);
    disk[at..at + own.len()].copy_from_slice(&own);
    let path = folder.path().join("whole");
    std::fs::write(&path, &disk).expect("written");
    assert_eq!(found(folder.path(), &[&path]), names("md7/p1/", "whole"));
    // One that says that it holds itself ends.
    let size = disk.len() as u64;
    own[80..88].copy_from_slice(&(size / 512).to_le_bytes());
    own[136..144].copy_from_slice(&(size / 512).to_le_bytes());
    seal(&mut own);
    disk[at..at + own.len()].copy_from_slice(&own);
    disk[446..462].copy_from_slice(&[0, 0, 2, 0, 0x83, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    disk[458..462].copy_from_slice(&((size / 512) as u32).to_le_bytes());
    std::fs::write(&path, &disk).expect("written");
    assert!(listed(&[&path], Options::default()).len() < 20);
}
