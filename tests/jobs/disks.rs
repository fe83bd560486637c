//! The disks of a copy of a system, as rows.
#![cfg(unix)] // a copy of Linux's /sys

use crate::room::cancelled;
use pfh::Control;
use pfh::disks::{self, Content, Contents, DeviceChoice, Disk, Event, Request, Summary};
use pfh::job::{Error, Kind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The copy of a system that `tests/conformance/system.sh` makes.
fn system(room: &Path) -> PathBuf {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/system.sh");
    let place = room.join("system");
    assert!(Command::new("bash").arg(script).arg(&place).status().unwrap().success());
    place
}

fn of(system: &Path) -> Request {
    let mut request = Request::new();
    request.system = system.to_owned();
    request
}

fn listed(request: &Request, control: &Control<'_>) -> Result<(Summary, Vec<Disk>), Error> {
    let mut found = Vec::new();
    let mut events = |event: Event<'_>| {
        let Event::Disk(disk) = event;
        found.push(disk.clone());
        Ok(())
    };
    Ok((disks::run(request, &mut events, control)?, found))
}

#[test]
fn a_disk_has_its_facts_and_partitions() {
    let room = tempfile::tempdir().unwrap();
    let (summary, found) = listed(&of(&system(room.path())), &Control::new()).unwrap();
    assert_eq!((summary.disks, summary.unread), (4, 0));
    let names: Vec<&str> = found.iter().map(|disk| disk.name.as_str()).collect();
    assert_eq!(names, ["sda", "sdb", "nvme0n1", "dm-0"]);

    let sata = &found[0];
    assert_eq!(
        (sata.model.as_str(), sata.serial.as_str(), sata.bus.as_str()),
        ("Samsung SSD 860", "S3Z9NB0K1234", "ata")
    );
    assert_eq!((sata.size, sata.sector, sata.physical_sector, sata.temperature), (64 << 20, 512, 4096, Some(38.0)));
    assert!(sata.write_blocked && sata.is_encrypted() && !sata.removable);
    let [efi, home] = &sata.partitions[..] else { panic!("{:?}", sata.partitions) };
    assert_eq!((efi.label.as_str(), efi.start), ("EFI system partition", 1 << 20));
    assert_eq!(efi.content, Content::FileSystem { format: "vfat".into(), label: "ESP".into() });
    assert_eq!((home.label.as_str(), &home.content), ("Ada's home", &Content::Encrypted("LUKS".into())));
    assert_eq!((home.holders[0].alias.as_str(), home.holders[0].kind.as_str()), ("home", "crypt"));
    // The mapped device above is mounted.
    assert_eq!((home.mounts[0].at.as_path(), home.mounts[0].writable), (Path::new("/mnt/case 7"), false));
    assert_eq!(sata.all_mounts().count(), 1);

    let nvme = &found[2];
    assert_eq!((nvme.bus.as_str(), nvme.temperature, nvme.sector), ("nvme", Some(41.85), 4096));
    let mounts: Vec<String> = nvme.all_mounts().map(|mount| mount.at.display().to_string()).collect();
    assert_eq!(mounts, ["/", "[SWAP]"]);
}

/// The kernel may have no parser for a table, or not have read it again.
#[cfg(feature = "inside")]
#[test]
fn a_partition_that_only_the_table_states_is_listed() {
    let room = tempfile::tempdir().unwrap();
    let (_, found) = listed(&of(&system(room.path())), &Control::new()).unwrap();
    let usb = &found[1];
    assert_eq!((usb.bus.as_str(), usb.serial.as_str(), usb.table.as_str()), ("usb", "4C530001220511115590", "mbr"));
    let [part] = &usb.partitions[..] else { panic!("{:?}", usb.partitions) };
    assert_eq!((part.number, part.start, part.size, part.kind.as_str()), (1, 1 << 20, 6 << 20, "0x83"));
    assert_eq!((&part.path, &part.content), (&None, &Content::Other("squashfs".into())));
}

#[test]
fn what_cannot_be_read_is_a_row_and_counted() {
    let room = tempfile::tempdir().unwrap();
    let system = system(room.path());
    std::fs::remove_file(system.join("dev/sda")).unwrap();
    let (summary, found) = listed(&of(&system), &Control::new()).unwrap();
    assert_eq!((summary.disks, summary.unread), (4, 1));
    // The record of udev stays.
    assert!(matches!(found[0].partitions[0].content, Content::FileSystem { .. }));
    assert!(matches!(&found[0].partitions[1].content, Content::Unread(cause) if cause.contains("No such file")));

    let mut request = of(&system);
    request.contents = Contents::Unread;
    let (summary, found) = listed(&request, &Control::new()).unwrap();
    assert_eq!((summary.unread, &found[0].partitions[1].content), (0, &Content::Unasked));
    request.which = DeviceChoice::All;
    assert_eq!(listed(&request, &Control::new()).unwrap().0.disks, 6);
}

#[test]
fn errors_are_those_of_all_jobs() {
    let room = tempfile::tempdir().unwrap();
    assert_eq!(listed(&of(room.path()), &Control::new()).unwrap_err().kind(), Kind::Input);
    let request = of(&system(room.path()));
    let refused = disks::run(&request, &mut |_| Err(std::io::Error::other("full")), &Control::new());
    assert_eq!(refused.unwrap_err().kind(), Kind::Output);
    assert_eq!(listed(&request, &cancelled()).unwrap_err().kind(), Kind::Cancelled);
}

#[test]
fn the_temperature_of_a_partition_is_that_of_its_disk() {
    let room = tempfile::tempdir().unwrap();
    let system = system(room.path());
    let degrees = |name: &str| disks::temperature(&system, &system.join("dev").join(name));
    assert_eq!((degrees("sda"), degrees("sda2"), degrees("nvme0n1p1")), (Some(38.0), Some(38.0), Some(41.85)));
    assert_eq!((degrees("sdb"), degrees("none")), (None, None));
}
