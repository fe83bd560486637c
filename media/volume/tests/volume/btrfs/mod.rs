//! Btrfs: volumes that are made here item by item, and those of mkfs.btrfs and the kernel.

mod damage;
mod maker;
mod sample;
mod written;

use std::sync::Arc;

use pfh_volume::{Allocation, FileSystem, Options, VolumeContent, Volumes, file_system};

use self::maker::{ROOT, SIZE};
use self::sample::sample;
use crate::listing::{assert_same, bytes, items, nodes};

/// The volumes on an image.
fn volumes(image: Vec<u8>) -> Volumes {
    match file_system(Arc::new(image)) {
        Ok(VolumeContent::Volumes(found)) => found,
        Ok(VolumeContent::Unread(name)) => panic!("not read: {name}"),
        Ok(_) => panic!("no volumes"),
        Err(failed) => panic!("{failed}"),
    }
}

/// The file system of this name.
fn system<'a>(found: &'a Volumes, name: &str) -> &'a FileSystem {
    let member = found.members.iter().find(|member| member.name == name.as_bytes());
    match member.map(|member| &member.found) {
        Some(Ok(VolumeContent::FileSystem(system))) => system,
        Some(Err(failed)) => panic!("{name}: {failed}"),
        _ => panic!("{name} is not read"),
    }
}

#[test]
fn files_of_every_kind_in_every_subvolume() {
    for has_two in [false, true] {
        let sample = sample(has_two);
        let found = volumes(sample.maker.end());
        assert_eq!(found.warnings, []);
        let names: Vec<_> = found
            .members
            .iter()
            .map(|member| (String::from_utf8_lossy(&member.name).into_owned(), member.is_snapshot))
            .collect();
        let expected = sample.expected.iter().map(|(name, _)| (name.to_string(), name.contains("yesterday")));
        assert_eq!(names, expected.collect::<Vec<_>>());
        for (name, expected) in &sample.expected {
            assert_same(&items(system(&found, name)), expected);
        }
        assert_eq!((found.kind, found.id.as_str()), ("Btrfs", "11111111-1111-1111-1111-111111111111"));
        let home = system(&found, "home");
        assert_eq!((&home.label[..], home.id.as_str()), (&b"Label"[..], "07070707-0707-0707-0707-070707070707"));
    }
}

#[test]
fn deleted_files_places_times_and_numbers() {
    let sample = sample(false);
    let image = sample.maker.end();
    let found = volumes(image.clone());
    let system = system(&found, "top-level");
    let (nodes, failures) = nodes(system, Options { deleted: true, unallocated: false });
    assert_eq!(failures, []);
    let gone: Vec<_> = nodes.iter().filter(|node| node.allocation != Allocation::Live).collect();
    assert_eq!((gone.len(), bytes(gone[0])), (1, b"gone".to_vec()));
    let node = |name: &str| nodes.iter().find(|node| node.path == name.as_bytes()).expect("a name");
    let pieces = node("pieces");
    let runs = pieces.content.as_ref().unwrap().runs().unwrap();
    let stored: Vec<u8> = runs
        .iter()
        .flat_map(|run| match run.medium_offset {
            Some(offset) => image[offset as usize..][..run.length as usize].to_vec(),
            None => vec![0; run.length as usize],
        })
        .collect();
    assert_eq!(stored, bytes(pieces));
    assert!(runs.iter().any(|run| run.medium_offset.is_none()) && runs.len() > 4);
    assert_eq!(node("plain").id, node("Grüße 世界").id);
    let base = (1_700_000_000 + i128::from(pieces.id.unwrap())) * 1_000_000_000;
    let times = pieces.times;
    let found = [times.accessed, times.changed, times.modified, times.born, times.deleted];
    assert_eq!(found, [Some(base + 1), Some(base + 2), Some(base + 3), Some(base + 4), None]);
    let facts = |name: &str| (node(name).resident, node(name).compressed);
    assert_eq!(facts("inline"), (true, false));
    assert_eq!(facts("inline packed"), (true, true));
    assert_eq!((facts("zstd"), facts("plain")), ((false, true), (false, false)));
    let packed = node("zlib again").content.as_ref().unwrap();
    assert!(packed.runs().is_none() && packed.places().unwrap().len() == 2);
    // The same bytes at any position.
    for name in ["plain", "pieces", "lzo", "zlib again", "inline", "without sums"] {
        let (whole, part) = (bytes(node(name)), node(name).content.as_ref().unwrap().bytes().unwrap());
        assert_eq!(part.size(), whole.len() as u64);
        for at in (0..whole.len()).rev().step_by(1999) {
            let mut buffer = vec![0; (whole.len() - at).min(3000)];
            part.read_exact_at(at as u64, &mut buffer).unwrap();
            assert_eq!(buffer, whole[at..at + buffer.len()], "{name} {at}");
        }
    }
}

#[test]
fn free_space_is_what_no_extent_has() {
    let sample = sample(true);
    let image = sample.maker.end();
    let found = volumes(image);
    let mut used = vec![true; SIZE];
    for node in found.unallocated() {
        for run in node.unwrap().content.unwrap().runs().unwrap() {
            let at = run.medium_offset.unwrap() as usize;
            used[at..at + run.length as usize].fill(false);
        }
    }
    let is_used = |at: u64| used[at as usize];
    // The superblock, and both copies of the data in the chunk.
    assert!(is_used(65_536) && is_used(65_536 + 4095) && is_used(1 << 20) && is_used(4 << 20));
    assert!(!is_used(0) && !is_used(65_536 + 4096) && !is_used((4 << 20) - 1) && !is_used((7 << 20) - 1));
    assert!(!is_used(7 << 20) && !is_used(SIZE as u64 - 1));
    let (nodes, _) = nodes(system(&found, "top-level"), Options::default());
    let runs = nodes.iter().filter_map(|node| node.content.as_ref()?.runs()).flatten();
    assert!(runs.filter_map(|run| run.medium_offset).all(is_used));
}

/// Names that only one of a directory's two lists has.
#[test]
fn no_name_is_lost_with_one_list() {
    for kind in [84, 96] {
        let mut maker = maker::Maker::new(false);
        for name in [&b"first"[..], b"second", b"third"] {
            maker.file(5, ROOT, name, name);
        }
        let tree = maker.trees.get_mut(&5).unwrap();
        let lost = *tree.keys().filter(|at| at.1 == kind).nth(1).unwrap();
        tree.remove(&lost);
        let found = items(system(&volumes(maker.end()), "top-level"));
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
