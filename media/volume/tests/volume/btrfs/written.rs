//! Volumes that mkfs.btrfs and the kernel write, against the tree that went in and the mounted one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pfh_inject::{Need, lacks};
use pfh_volume::{Bytes, Piece, Slice, VolumeContent, Volumes, compose, file_system};

use super::system;
use crate::image::{Bench, open, run, text, unmount};
use crate::listing::{assert_same, items};
use crate::tree::{self, Items};

const MADE: [Need; 1] = [Need::Program("mkfs.btrfs")];
const MOUNTED: [Need; 3] = [Need::Program("mkfs.btrfs"), Need::Root, Need::Loop];

fn volumes_of(bytes: Arc<dyn Bytes>) -> Volumes {
    match file_system(bytes).expect("a file system") {
        VolumeContent::Volumes(found) => found,
        _ => panic!("no volumes"),
    }
}

#[test]
fn every_checksum_and_size_of_nodes() {
    if lacks(&MADE) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("tree");
    tree::plain(&root);
    tree::posix(&root);
    let expected = tree::items(&root);
    for options in [
        &["--csum", "crc32c"][..],
        &["--csum", "xxhash", "-n", "4k"],
        &["--csum", "sha256", "-n", "32k"],
        &["--csum", "blake2", "-n", "64k"],
        &["-M", "-n", "4k"],
        &["-O", "^no-holes,^extref,^skinny-metadata", "-d", "dup"],
    ] {
        let image = bench.blank("image", 200 << 20);
        run("mkfs.btrfs", &[options, &["-q", "-f", "-L", "a label", "--rootdir", text(&root), text(&image)]].concat());
        let found = volumes_of(open(&image));
        assert_eq!(found.warnings, [], "{options:?}");
        let top = system(&found, "top-level");
        assert_eq!((top.kind, &top.label[..]), ("Btrfs", &b"a label"[..]));
        assert_same(&items(top), &expected);
        fs::remove_file(image).unwrap();
    }
}

/// A file system over loop devices, mounted until it is dropped.
struct Mounted {
    devices: Vec<String>,
    at: PathBuf,
}

impl Mounted {
    fn new(bench: &Bench, images: &[PathBuf], options: &[&str], mount: &str) -> Mounted {
        let attach = |image: &PathBuf| run("losetup", &["-f", "--show", text(image)]).trim().to_owned();
        let devices: Vec<String> = images.iter().map(attach).collect();
        let names: Vec<&str> = devices.iter().map(String::as_str).collect();
        run("mkfs.btrfs", &[&["-q", "-f"], options, &names].concat());
        run("btrfs", &[&["device", "scan"], &names[..]].concat());
        let at = bench.path("mount");
        fs::create_dir_all(&at).unwrap();
        run("mount", &["-t", "btrfs", "-o", mount, names[0], text(&at)]);
        Mounted { devices, at }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        unmount(&self.at);
        self.devices.iter().for_each(|device| drop(run("losetup", &["-d", device])));
    }
}

/// Images one behind the other, some of them lost.
struct Row(Vec<Arc<dyn Bytes>>);

impl Bytes for Row {
    fn size(&self) -> u64 {
        self.0.iter().map(|image| image.size()).sum()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let (mut offset, mut rest) = (offset, self.0.iter());
        let image = rest.find(|image| {
            let is_in = offset < image.size();
            offset -= if is_in { 0 } else { image.size() };
            is_in
        });
        image.map_or(Ok(0), |image| image.read_at(offset, buffer))
    }
}

/// Files of every kind in a subvolume, with one below it and a snapshot.
fn fill(at: &Path) -> Vec<(&'static str, Items)> {
    for name in ["@", "@/below"] {
        run("btrfs", &["subvolume", "create", text(&at.join(name))]);
    }
    tree::plain(&at.join("@"));
    tree::posix(&at.join("@"));
    fs::write(at.join("@/below/deep"), b"deep words").unwrap();
    run("btrfs", &["subvolume", "snapshot", "-r", text(&at.join("@")), text(&at.join("before"))]);
    let before = tree::items(&at.join("before"));
    fs::write(at.join("@/size 511.bin"), b"changed").unwrap();
    fs::remove_file(at.join("@/large.dat")).unwrap();
    run("cp", &["--reflink=always", text(&at.join("@/size 300000.bin")), text(&at.join("@/again"))]);
    run("fallocate", &["-l", "1M", text(&at.join("@/set aside"))]);
    fs::write(at.join("@/words"), "line of words that are alike\n".repeat(20_000)).unwrap();
    run("sync", &["-f", text(at)]);
    let mut now = tree::items(&at.join("@"));
    now.remove(&b"below/deep"[..]);
    vec![("@", now), ("@/below", tree::items(&at.join("@/below"))), ("before", before)]
}

fn has_kernel() -> bool {
    fs::read_to_string("/proc/filesystems").unwrap_or_default().contains("\tbtrfs\n")
}

#[test]
fn what_the_kernel_compresses() {
    if lacks(&MOUNTED) || !has_kernel() {
        return;
    }
    for method in ["zlib", "lzo", "zstd:9"] {
        let bench = Bench::new();
        let image = bench.blank("image", 200 << 20);
        let mount = format!("compress-force={method}");
        let expected = fill(&Mounted::new(&bench, std::slice::from_ref(&image), &[], &mount).at);
        let found = volumes_of(open(&image));
        assert_eq!(found.warnings, []);
        for (name, expected) in &expected {
            assert_same(&items(system(&found, name)), expected);
        }
        let names: Vec<_> = found.members.iter().map(|member| (&member.name[..], member.is_snapshot)).collect();
        assert_eq!(names, [(&b"top-level"[..], false), (b"@", false), (b"before", true), (b"@/below", false)]);
    }
}

#[test]
fn several_devices_with_one_lost() {
    if lacks(&[&MOUNTED[..], &[Need::Time]].concat()) || !has_kernel() {
        return;
    }
    for (profile, count, lost) in
        [("raid0", 2, 0), ("raid1", 2, 1), ("raid10", 4, 1), ("raid1c3", 3, 2), ("raid5", 3, 1), ("raid6", 4, 2)]
    {
        let bench = Bench::new();
        let images: Vec<PathBuf> = (0..count).map(|index| bench.blank(&format!("image {index}"), 256 << 20)).collect();
        let expected = fill(&Mounted::new(&bench, &images, &["-d", profile, "-m", profile], "noatime").at);
        let raw: Vec<Arc<dyn Bytes>> = images.iter().map(|image| open(image)).collect();
        // All of them, then all ways to lose as many as the profile bears.
        for without in (0_u32..1 << count).filter(|without| [0, lost].contains(&without.count_ones())) {
            let there = raw.iter().enumerate().filter(|(index, _)| without >> index & 1 == 0);
            let found = volumes_of(Arc::new(Row(there.map(|(_, image)| image.clone()).collect())));
            assert_eq!(found.warnings.len() as u32, without.count_ones());
            for (name, expected) in expected.iter().take(if without == 0 { 3 } else { 1 }) {
                assert_same(&items(system(&found, name)), expected);
            }
        }
        // As partitions of one medium, in any order.
        let medium: Arc<dyn Bytes> = Arc::new(Row(raw.iter().rev().cloned().collect()));
        let part = |index: u32| {
            let part: Arc<dyn Bytes> = Arc::new(Slice::new(medium.clone(), u64::from(index) << 28, 256 << 20).unwrap());
            Piece::of(format!("p{}", index + 1).as_bytes(), &part).unwrap()
        };
        let joined = compose(&(0..count).map(part).collect::<Vec<_>>());
        let [Ok(volume)] = &joined.volumes[..] else { panic!("no file system") };
        let names: Vec<String> = (1..=count).map(|number| format!("p{number}")).collect();
        assert!(joined.is_complete && volume.name == names.join("+").into_bytes());
        let found = volumes_of(volume.bytes.clone());
        assert_same(&items(system(&found, "@")), &expected[0].1);
    }
}
