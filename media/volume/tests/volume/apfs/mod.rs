//! APFS. No tool on Linux writes files into it: the images are made here, block by block.

mod blocks;
pub mod compression;
#[allow(dead_code)]
mod container;
mod damage;
mod files;
mod sample;

use std::sync::Arc;

use pfh_volume::{FileSystem, Member, Options, VolumeContent, Volumes, file_system};

use self::blocks::BLOCK;
use self::container::{Container, Kind};
use self::files::{Files, ROOT};
use self::sample::sample;
use crate::listing::{assert_same, bytes, items, items_but, nodes};
use crate::tree::Item;

/// The volumes on an image.
fn volumes(image: Vec<u8>) -> Volumes {
    match file_system(Arc::new(image)) {
        Ok(VolumeContent::Volumes(found)) => found,
        Ok(_) => panic!("no volumes"),
        Err(failed) => panic!("{failed}"),
    }
}

/// The names of the volumes, with the content of each.
fn said(found: &Volumes) -> Vec<(String, String)> {
    let what = |member: &Member| match &member.found {
        Ok(VolumeContent::FileSystem(system)) => format!("{} {}", system.kind, String::from_utf8_lossy(&system.label)),
        Ok(VolumeContent::Locked(locked)) => format!("encrypted: {}", locked.format),
        Ok(VolumeContent::Encrypted(name)) => format!("encrypted: {name}, without a key"),
        Ok(VolumeContent::Unread(name)) => format!("unread: {name}"),
        Ok(_) => "another".to_owned(),
        Err(failed) => failed.to_string(),
    };
    let name = |member: &Member| String::from_utf8_lossy(&member.name).into_owned();
    found.members.iter().map(|member| (name(member), what(member))).collect()
}

/// The file system of this name.
fn system<'a>(found: &'a Volumes, name: &str) -> &'a FileSystem {
    let member = found.members.iter().find(|member| member.name == name.as_bytes()).expect("a volume");
    match &member.found {
        Ok(VolumeContent::FileSystem(system)) => system,
        _ => panic!("{name} is not read"),
    }
}

#[test]
fn volumes_and_snapshots_by_their_names() {
    let found = volumes(sample().image);
    let expected = [
        ("Data", "APFS Data"),
        ("Data@com.apple.TimeMachine.2026-11-20", "APFS Data"),
        // Two of one label.
        ("volume-2", "APFS Twin"),
        ("Secret", "encrypted: APFS (FileVault)"),
        ("volume-4", "APFS Twin"),
        ("Phone", "encrypted: APFS (a key for each file, which the device keeps), without a key"),
    ];
    let expected = expected.map(|(name, what)| (name.to_owned(), what.to_owned()));
    assert_eq!(said(&found), expected);
    assert_eq!((found.kind, found.id.as_str()), ("APFS", "07070707-0707-0707-0707-070707070707"));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}

#[test]
fn files_of_every_kind() {
    let sample = sample();
    let found = volumes(sample.image);
    assert_same(&items(system(&found, "Data")), &sample.data);
    let before = items(system(&found, "Data@com.apple.TimeMachine.2026-11-20"));
    assert_same(&before, &[(b"gone".to_vec(), Item::File(b"older words".to_vec()))].into());
    let cases = items(system(&found, "volume-2"));
    let expected = [("Name", "upper"), ("name", "lower")];
    let expected = expected.map(|(name, words)| (name.as_bytes().to_vec(), Item::File(words.as_bytes().to_vec())));
    assert_same(&cases, &expected.into());
}

#[test]
fn sealed_volumes_have_extents_of_their_own() {
    let found = volumes(sample().image);
    let system = system(&found, "volume-4");
    // A file in a cloud has a name, and a failure in place of bytes.
    let here = items_but(system, |path| path == b"far away");
    let file = |index: u32| (format!("{index:02}").into_bytes(), Item::File(format!("sealed {index}").into_bytes()));
    assert_same(&here, &(0..40).map(file).collect());
    let (nodes, _) = nodes(system, Options::default());
    let far = nodes.iter().find(|node| node.path == b"far away").expect("a name");
    let why = far.content.as_ref().expect("a content").open().err().expect("a failure");
    assert!(why.cause.contains("not on the medium") && why.path == b"far away", "{why:?}");
}

#[test]
fn places_times_and_numbers() {
    let image = sample().image;
    let found = volumes(image.clone());
    let (nodes, _) = nodes(system(&found, "Data"), Options::default());
    let node = |name: &str| nodes.iter().find(|node| node.path == name.as_bytes()).expect("a name");
    let pieces = node("pieces");
    let runs = pieces.content.as_ref().unwrap().runs().unwrap();
    assert_eq!(runs.len(), 2);
    let stored: Vec<u8> = runs
        .iter()
        .flat_map(|run| image[run.medium_offset.unwrap() as usize..][..run.length as usize].to_vec())
        .collect();
    assert_eq!(stored, bytes(pieces));
    let holes: Vec<_> = node("sparse")
        .content
        .as_ref()
        .unwrap()
        .runs()
        .unwrap()
        .iter()
        .map(|run| run.medium_offset.is_none())
        .collect();
    assert_eq!(holes, [false, true, false, true]);
    assert_eq!(node("second name").id, node("Folder/Grüße, 世界 😀.txt").id);
    let base = 1_700_000_000_000_000_000 + i128::from(pieces.id.unwrap()) * 1_000_000_007;
    let times = pieces.times;
    let found = [times.born, times.modified, times.changed, times.accessed, times.deleted];
    assert_eq!(found, [Some(base), Some(base + 1), Some(base + 2), Some(base + 3), None]);
    let packed = node("fork 8");
    assert!(packed.compressed && !packed.resident && packed.content.as_ref().unwrap().runs().is_none());
    assert!(node("inline 7 224").resident);
}

/// A tree of three levels, whose every directory is found.
#[test]
fn large_trees() {
    let mut container = Container::new();
    let mut files = Files::new(true);
    let mut expected = crate::tree::Items::new();
    for folder in 0..30 {
        let name = format!("folder {folder}");
        let number = files.directory(ROOT, name.as_bytes());
        expected.insert(name.clone().into_bytes(), Item::Directory);
        for file in 0..150 {
            let words = format!("{folder} of {file}");
            let content: &[_] = if file == 75 { &[Ok(words.as_bytes())] } else { &[] };
            files.file(&mut container.blocks, number, format!("file {file}").as_bytes(), content);
            let held = if file == 75 { words.clone().into_bytes() } else { Vec::new() };
            expected.insert(format!("{name}/file {file}").into_bytes(), Item::File(held));
        }
    }
    container.volume(Kind::Usual, b"Large", &files, None);
    let image = container.end();
    assert!(image.len() > 200 * BLOCK);
    assert_same(&items(system(&volumes(image), "Large")), &expected);
}
