//! Disks of a system that states them by calls (Windows): the rows, from the facts of each device
//! and the volumes' places.

use super::row::{Content, Disk, Mount, Partition};
use pfh_source::os::storage::{StorageEntry, Volume};
use std::path::PathBuf;

/// The rows of all disks, with the volumes on them.
pub(super) fn rows(listed: Vec<StorageEntry>, volumes: &[Volume]) -> Vec<Disk> {
    listed.into_iter().map(|one| row(one, volumes)).collect()
}

fn row(listed: StorageEntry, volumes: &[Volume]) -> Disk {
    let facts = listed.facts;
    let denied = || Content::Unread("the system does not let this user open it".to_owned());
    Disk {
        name: listed.name,
        path: PathBuf::from(listed.path),
        model: facts.model,
        serial: facts.serial,
        wwid: facts.wwid,
        firmware: facts.firmware,
        size: facts.size,
        sector: facts.sectors.0,
        physical_sector: facts.sectors.1,
        bus: if listed.disk.is_some() { facts.bus } else { "shadow-copy" }.to_owned(),
        removable: facts.removable,
        rotational: facts.rotational,
        // A shadow copy is never written to.
        write_blocked: facts.write_blocked.unwrap_or(listed.disk.is_none()),
        content: if listed.is_open { Content::Unasked } else { denied() },
        partitions: listed.disk.map_or_else(Vec::new, |disk| partitions(disk, volumes)),
        ..Disk::default()
    }
}

/// The parts of volumes on a disk, in order of place.
fn partitions(disk: u32, volumes: &[Volume]) -> Vec<Partition> {
    let part = |volume: &Volume| {
        let mount = |at: &String| Mount { at: PathBuf::from(at), writable: !volume.write_blocked };
        let row = Partition {
            name: volume.shown().to_owned(),
            path: Some(PathBuf::from(&volume.name)),
            write_blocked: volume.write_blocked,
            content: Content::Unasked,
            mounts: volume.mounts.iter().map(mount).collect(),
            ..Partition::default()
        };
        let extents = volume.extents.iter().filter(|extent| extent.disk == disk);
        let rows: Vec<Partition> =
            extents.map(|extent| Partition { start: extent.start, size: extent.length, ..row.clone() }).collect();
        rows
    };
    let mut found: Vec<Partition> = volumes.iter().flat_map(part).collect();
    found.sort_by_key(|part| part.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_source::os::storage::{Extent, Facts};

    #[test]
    fn rows_have_the_facts_and_the_volumes() {
        let facts = Facts { model: "M".into(), bus: "nvme", size: 1 << 30, sectors: (512, 4096), ..Facts::default() };
        let disk = |number: u32, facts: &Facts| StorageEntry {
            name: format!("PhysicalDrive{number}"),
            path: format!(r"\\.\PhysicalDrive{number}"),
            disk: Some(number),
            is_open: true,
            facts: facts.clone(),
        };
        let shut = StorageEntry { is_open: false, ..disk(2, &Facts::default()) };
        let copy = StorageEntry {
            name: "ShadowCopy3".into(),
            path: "copy".into(),
            disk: None,
            is_open: true,
            facts: facts.clone(),
        };
        let extent = |disk, start| Extent { disk, start, length: 9 };
        let volumes = [
            Volume { name: r"\\?\Volume{2}".into(), extents: vec![extent(0, 50), extent(1, 8)], ..Volume::default() },
            Volume {
                name: r"\\?\Volume{1}".into(),
                mounts: vec![r"C:\".into(), r"D:\mnt\".into()],
                extents: vec![extent(0, 20)],
                write_blocked: true,
            },
        ];
        let blocked = Facts { write_blocked: Some(true), ..facts.clone() };
        let rows = rows(vec![disk(0, &blocked), disk(1, &facts), shut, copy], &volumes);
        assert_eq!(rows.iter().map(|disk| disk.bus.as_str()).collect::<Vec<_>>(), ["nvme", "nvme", "", "shadow-copy"]);
        assert_eq!(rows.iter().map(|disk| disk.write_blocked).collect::<Vec<_>>(), [true, false, false, true]);
        let parts: Vec<_> = rows[0].partitions.iter().map(|part| (part.name.as_str(), part.start)).collect();
        assert_eq!(parts, [("C:", 20), (r"\\?\Volume{2}", 50)]);
        let first = &rows[0].partitions[0];
        assert_eq!((first.path.as_deref(), first.write_blocked), (Some(r"\\?\Volume{1}".as_ref()), true));
        assert!(first.mounts.len() == 2 && first.mounts.iter().all(|mount| !mount.writable));
        assert_eq!(
            rows[1].partitions.iter().map(|part| part.start).collect::<Vec<_>>(),
            [8],
            "a volume over two disks"
        );
        assert!(matches!(&rows[2].content, Content::Unread(why) if why.contains("open")));
        assert!(rows[3].partitions.is_empty());
    }
}
