//! Reads everything of a volume, up to a megabyte of each file.

use std::io::{Read, copy, sink};
use std::sync::Arc;

use pfh_volume::account;
use pfh_volume::{Bytes, FileSystem, Nodes, Options, VolumeContent, file_system};

/// Puts `magic` at its places and lists all files, deleted ones and free space included.
pub fn exhaust(data: &[u8], least: usize, magic: &[(usize, &[u8])]) {
    let mut medium = data.to_vec();
    medium.resize(medium.len().max(least), 0);
    for (at, bytes) in magic {
        medium[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    let size = medium.len() as u64;
    let medium: Arc<dyn Bytes> = Arc::new(medium);
    if let Ok(found) = account::medium(&medium) {
        assert_eq!(found.extents.iter().map(|extent| extent.length).sum::<u64>(), size);
    }
    match file_system(medium) {
        Ok(VolumeContent::FileSystem(volume)) => {
            all(volume.nodes(ALL), &volume, size);
            for snapshot in &volume.snapshots {
                let Ok(opened) = snapshot.open() else { continue };
                all(opened.nodes(ALL), &opened.system, opened.bytes.size());
                let _ = opened.changed(ALL).count();
            }
        }
        Ok(VolumeContent::Volumes(volumes)) => {
            let _ = volumes.unallocated().count();
            for member in volumes.members {
                if let Ok(VolumeContent::FileSystem(volume)) = member.found {
                    all(volume.nodes(ALL), &volume, size);
                }
            }
        }
        _ => {}
    }
}

const ALL: Options = Options { deleted: true, unallocated: true };

fn all(nodes: Nodes, volume: &FileSystem, size: u64) {
    for node in nodes {
        let Ok(node) = node else { continue };
        let Some(content) = node.content else { continue };
        for run in content.runs().unwrap_or_default() {
            assert!(run.medium_offset.is_none_or(|offset| offset < volume.size && run.length <= volume.size - offset));
        }
        if let Ok(reader) = content.open() {
            let got = copy(&mut reader.take(1 << 20), &mut sink());
            // A reader that ends without a failure gave as many bytes as were stated.
            if let (Ok(got), Some(stated)) = (got, node.size) {
                assert_eq!(got, stated.min(1 << 20), "of {size}");
            }
        }
    }
}
