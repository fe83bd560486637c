//! HFS+ and HFSX: volumes that are made here, block by block, and those that xorriso writes.

mod damage;
mod discs;
mod sample;
mod tree;
mod volume;

use std::sync::Arc;

use pfh_volume::{Allocation, FileSystem, Kind, Options, VolumeContent, file_system};

use self::sample::sample;
use self::volume::{BLOCK, EPOCH, ROOT, Volume};
use crate::listing::{assert_same, bytes, items, nodes, volume_of};

fn opened(image: Vec<u8>) -> FileSystem {
    volume_of(Arc::new(image))
}

#[test]
fn files_of_every_kind() {
    for (is_folded, kind) in [(true, "HFS+"), (false, "HFSX")] {
        let (image, expected) = sample(is_folded);
        let found = opened(image);
        assert_eq!((found.kind, &found.label[..], found.id.as_str()), (kind, &b"Sample"[..], "0123456789abcdef"));
        assert_eq!((&found.warnings, &found.unread), (&vec![], &vec![]));
        assert_same(&items(&found), &expected);
    }
}

#[test]
fn places_times_and_numbers() {
    let (image, _) = sample(true);
    let found = opened(image.clone());
    let (nodes, _) = nodes(&found, Options::default());
    let node = |name: &str| nodes.iter().find(|node| node.path == name.as_bytes()).expect("a name");
    for (name, pieces) in [("pieces", 20), ("forks:com.apple.ResourceFork", 15), ("forks:large", 20)] {
        let runs = node(name).content.as_ref().unwrap().runs().unwrap();
        assert!(runs.len() >= pieces, "{name}: {}", runs.len());
        let stored: Vec<u8> = runs
            .iter()
            .flat_map(|run| image[run.medium_offset.unwrap() as usize..][..run.length as usize].to_vec())
            .collect();
        assert_eq!(stored, bytes(node(name)));
    }
    let (one, two) = (node("Folder/one of 77"), node("Folder/two of 77"));
    assert_eq!((one.id, one.times), (two.id, two.times));
    assert_ne!(one.id, node("Folder/one of 7").id);
    let times = node("pieces").times;
    let second = |index: i128| Some((1_000_000 * i128::from(node("pieces").id.unwrap()) + index) * 1_000_000_000);
    let found = [times.born, times.modified, times.changed, times.accessed, times.deleted];
    assert_eq!(found, [second(0), second(1), second(2), second(3), None]);
    assert_eq!(EPOCH, 66 * 365 * 86_400 + 17 * 86_400);
    assert!(node("zlib 3").resident && node("zlib 3").compressed && !node("zlib 4").resident);
    assert!(node("zlib 4").content.as_ref().unwrap().runs().is_none());
}

/// Free runs, slack and used blocks are all of the volume, and none of a file is free.
#[test]
fn free_space_and_slack() {
    let (image, _) = sample(true);
    let found = opened(image.clone());
    let (nodes, failures) = nodes(&found, Options { deleted: false, unallocated: true });
    assert_eq!(failures, []);
    let is_free = |name: &[u8]| name.starts_with(b"$Unallocated/");
    let runs = |node: &pfh_volume::Node| node.content.as_ref().unwrap().runs().unwrap_or_default();
    let free: Vec<_> = nodes.iter().filter(|node| is_free(&node.path)).flat_map(runs).collect();
    assert!(free.len() > 60, "{}", free.len());
    for run in &free {
        let at = run.medium_offset.unwrap() as usize;
        assert!(image[at..at + run.length as usize].iter().all(|&byte| byte == 0xdd), "{run:?}");
    }
    let all = image.chunks(BLOCK).filter(|block| block.iter().all(|&byte| byte == 0xdd)).count();
    assert_eq!(free.iter().map(|run| run.length).sum::<u64>(), (all * BLOCK) as u64);
    let slack: Vec<_> = nodes.iter().filter(|node| node.path.starts_with(b"$Slack/")).collect();
    for node in &slack {
        assert_eq!(node.kind, Kind::Unallocated);
        assert!(bytes(node).iter().all(|&byte| byte == 0xee), "{}", String::from_utf8_lossy(&node.path));
    }
    let names: Vec<_> = slack.iter().map(|node| String::from_utf8_lossy(&node.path)).collect();
    for name in ["pieces", "forks", "forks:com.apple.ResourceFork", "Folder/one of 7", "first name/within"] {
        assert_eq!(names.iter().filter(|found| **found == format!("$Slack/{name}")).count(), 1, "{name}: {names:?}");
    }
}

/// Deleted files come from records that remain in nodes, with the known parts of their blocks.
#[test]
fn deleted_files() {
    let mut volume = Volume::new("Deleted", true);
    let (folder, gone) = (volume.directory(ROOT, "Folder"), volume.directory(ROOT, "gone"));
    let content = crate::tree::noise(3, 9000);
    volume.plain(folder, "stays", b"in use");
    volume.file(folder, "forks", sample::PLAIN, (&content, 3), (b"of the fork", 1));
    volume.plain(folder, "taken", b"of another file");
    volume.plain(gone, "below", b"without a directory");
    volume.file(ROOT, "pieces", sample::PLAIN, (&content, 8), (b"", 0));
    for (parent, name) in [(folder, "forks"), (gone, "below"), (ROOT, "pieces"), (ROOT, "gone")] {
        volume.delete(parent, name, false);
    }
    volume.delete(folder, "taken", true);
    let image = volume.end();
    let found = opened(image.clone());
    let (live, failures) = nodes(&found, Options::default());
    assert_eq!((live.len(), failures.len()), (2, 0));
    let (all, failures) = nodes(&found, crate::listing::ALL);
    assert_eq!(failures, []);
    let said: Vec<_> = all[2..]
        .iter()
        .map(|node| {
            let content = node.content.as_ref().map(|_| bytes(node));
            (String::from_utf8_lossy(&node.path).into_owned(), node.allocation, content)
        })
        .collect();
    let (deleted, overwritten) = (Allocation::Deleted, Allocation::Overwritten);
    let expected = [
        ("Folder/forks", deleted, Some(content.clone())),
        ("Folder/forks:com.apple.ResourceFork", deleted, Some(b"of the fork".to_vec())),
        ("$OrphanFiles/below", deleted, Some(b"without a directory".to_vec())),
        ("pieces", deleted, Some(content)),
        ("gone", deleted, None),
        ("Folder/taken", overwritten, Some(b"of another file".to_vec())),
    ];
    for (found, (name, allocation, content)) in said.iter().zip(&expected) {
        assert_eq!((found.0.as_str(), found.1), (*name, *allocation));
        assert!(found.2 == *content, "{name}");
    }
    assert_eq!(said.len(), expected.len());
}

/// A tree of several levels, whose every directory is found.
#[test]
fn large_trees() {
    let mut volume = Volume::new("Large", true);
    let mut expected = crate::tree::Items::new();
    for folder in 0..30 {
        let name = format!("folder {folder}");
        let number = volume.directory(ROOT, &name);
        expected.insert(name.clone().into_bytes(), crate::tree::Item::Directory);
        for file in 0..40 {
            let words = if file == 20 { format!("{folder} of {file}") } else { String::new() };
            volume.plain(number, &format!("file {file} of a long name"), words.as_bytes());
            let path = format!("{name}/file {file} of a long name").into_bytes();
            expected.insert(path, crate::tree::Item::File(words.into_bytes()));
        }
    }
    assert_same(&items(&opened(volume.end())), &expected);
}

/// An HFS volume around an HFS+ volume: places are those of the medium, and the rest is named.
#[test]
fn volumes_in_an_hfs_volume() {
    let (inner, expected) = sample(true);
    let mut image = vec![0; 8 * 512 + 3 * 2048];
    image[1024..1026].copy_from_slice(b"BD");
    image[1024 + 20..1024 + 24].copy_from_slice(&2048_u32.to_be_bytes());
    image[1024 + 28..1024 + 30].copy_from_slice(&8_u16.to_be_bytes());
    let mut alone = image.clone();
    image[1024 + 124..1024 + 128].copy_from_slice(b"H+\0\x03");
    image.extend(&inner);
    let found = opened(image.clone());
    assert_same(&items(&found), &expected);
    assert_eq!((found.size, found.unread.len()), (image.len() as u64, 1));
    assert!(found.unread[0].cause.contains("HFS volume around"), "{:?}", found.unread);
    let (nodes, _) = nodes(&found, Options::default());
    let node = nodes.iter().find(|node| node.path == b"forks").unwrap();
    let run = node.content.as_ref().unwrap().runs().unwrap()[0];
    assert_eq!(image[run.medium_offset.unwrap() as usize..][..4], *b"data");
    // HFS alone is named.
    alone.resize(64 << 10, 0);
    assert!(matches!(file_system(Arc::new(alone)), Ok(VolumeContent::Unread(name)) if name == "HFS"));
    // The place of the volume is empty.
    image[8 * 512 + 3 * 2048 + 1024] = 0;
    let failed = file_system(Arc::new(image)).err().expect("a failure");
    assert!(failed.cause.contains("not there"), "{failed}");
}
