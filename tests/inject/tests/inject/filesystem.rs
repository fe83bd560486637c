//! The filesystem misbehaves as set, and only then: seen through the kernel, as a program sees it.

use std::fs;
use std::io::Read;

use pfh_inject::{Errno, File, Files, Need, lacks};

#[test]
fn an_honest_file_reads_as_its_bytes() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let file = File::new("good", 300_000);
    let bytes = file.bytes();
    let mounted = Files::new().with(file).with(File::new("cached", 70_000).cached()).mount().unwrap();
    assert_eq!(fs::read(mounted.file("good")).unwrap(), bytes);
    assert_eq!(fs::read(mounted.file("cached")).unwrap(), File::new("cached", 70_000).bytes());
    assert_eq!(fs::metadata(mounted.file("good")).unwrap().len(), 300_000);
}

#[test]
fn faults_are_where_they_were_put() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let mounted = Files::new()
        .with(File::new("broken", 1 << 20).fails_in(4096..8192, Errno::EIO))
        .with(File::new("once", 1000).fails_at_first(0, Errno::EIO, 1))
        .with(File::new("short", 5000).reads_of(777))
        .with(File::new("virtual", 5000).states(0))
        .with(File::new("huge", 5000).states(1 << 62))
        .mount()
        .unwrap();
    let mut read = vec![0; 8192];
    let mut broken = fs::File::open(mounted.file("broken")).unwrap();
    assert_eq!(broken.read(&mut read).unwrap(), 4096);
    assert_eq!(broken.read(&mut read).unwrap_err().raw_os_error(), Some(5));
    let mut once = fs::File::open(mounted.file("once")).unwrap();
    assert_eq!(once.read(&mut read).unwrap_err().raw_os_error(), Some(5));
    assert_eq!(once.read(&mut read).unwrap(), 1000);
    assert_eq!(fs::File::open(mounted.file("short")).unwrap().read(&mut read).unwrap(), 777);
    assert_eq!(fs::metadata(mounted.file("virtual")).unwrap().len(), 0);
    assert_eq!(fs::read(mounted.file("virtual")).unwrap().len(), 5000);
    assert_eq!(fs::metadata(mounted.file("huge")).unwrap().len(), 1 << 62);
}

#[test]
fn a_file_changes_from_look_to_look() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    use std::os::unix::fs::MetadataExt;
    let mounted = Files::new()
        .with(File::new("grows", 100).grows(10))
        .with(File::new("touched", 100).is_rewritten())
        .mount()
        .unwrap();
    let (first, second) = (fs::metadata(mounted.file("grows")).unwrap(), fs::metadata(mounted.file("grows")).unwrap());
    assert!(second.len() > first.len());
    let (first, second) =
        (fs::metadata(mounted.file("touched")).unwrap(), fs::metadata(mounted.file("touched")).unwrap());
    assert_eq!((first.len(), first.mtime_nsec()), (second.len(), second.mtime_nsec()));
    assert_ne!(first.ctime_nsec(), second.ctime_nsec());
}

#[test]
fn names_cost_no_storage() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let mounted = Files::new().with_names(5_000).mount().unwrap();
    let names: Vec<_> = fs::read_dir(mounted.file("names")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names.len(), 5_000);
    assert_eq!(fs::read(&names[7]).unwrap().len(), 16);
}

#[test]
fn dropping_unmounts() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let mounted = Files::new().with(File::new("open", 10)).mount().unwrap();
    let path = mounted.path().to_owned();
    // A reader that still holds a file does not keep the mount.
    let _held = fs::File::open(mounted.file("open")).unwrap();
    drop(mounted);
    assert!(!path.exists());
    assert!(!fs::read_to_string("/proc/mounts").unwrap().contains(path.to_str().unwrap()));
}
