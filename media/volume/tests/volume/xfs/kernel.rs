//! Files that the kernel writes onto a mounted volume.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use pfh_inject::{Need, lacks};
use pfh_volume::{Allocation, Kind, Node, Options};

use super::MIB;
use crate::image::{Bench, run, text, unmount};
use crate::listing::{ALL, assert_same, bytes, items, nodes, volume};
use crate::tree::{self, Item, noise};

/// A volume that the kernel has mounted, as long as this is there.
struct Mounted(PathBuf);

impl Mounted {
    fn new(bench: &Bench, image: &Path) -> Mounted {
        let path = bench.path("mount");
        fs::create_dir_all(&path).unwrap();
        run("mount", &["-o", "loop", "-t", "xfs", text(image), text(&path)]);
        Mounted(path)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        unmount(&self.0);
    }
}

/// Whether the kernel reads XFS: not all do.
fn lacks_xfs() -> bool {
    if lacks(&[Need::Root, Need::Loop, Need::Program("mkfs.xfs"), Need::Program("setfattr")]) {
        return true;
    }
    let _ = std::process::Command::new("modprobe").arg("xfs").output();
    let is_there = fs::read_to_string("/proc/filesystems").unwrap().lines().any(|line| line.ends_with("\txfs"));
    if !is_there {
        eprintln!("skipped: the kernel has no XFS");
    }
    !is_there
}

fn blank(bench: &Bench, options: &[&str]) -> PathBuf {
    let image = bench.blank("image", 320 * MIB);
    run("mkfs.xfs", &[&["-q"], options, &[text(&image)]].concat());
    image
}

fn find<'a>(found: &'a [Node], path: &str) -> &'a Node {
    found.iter().find(|node| node.path == path.as_bytes()).unwrap_or_else(|| panic!("{path} is missing"))
}

#[test]
fn what_the_kernel_writes() {
    if lacks_xfs() {
        return;
    }
    let bench = Bench::new();
    let image = blank(&bench, &["-m", "rmapbt=1", "-i", "nrext64=1"]);
    let mount = Mounted::new(&bench, &image);
    let at = |name: &str| mount.0.join(name);
    tree::plain(&mount.0);
    tree::posix(&mount.0);
    // A directory with a tree as its index, and free room in it.
    fs::create_dir(at("node")).unwrap();
    for index in 0..3000 {
        fs::write(at(&format!("node/a name that takes some room {index}")), b"").unwrap();
    }
    for index in (0..3000).step_by(3) {
        fs::remove_file(at(&format!("node/a name that takes some room {index}"))).unwrap();
    }
    // A tree of extents; room that was not written to; blocks of others, and its own twice.
    let pieces = File::create(at("pieces")).unwrap();
    for index in 0..600 {
        pieces.write_all_at(&noise(index, 4096), index * 8192).unwrap();
    }
    drop(pieces);
    run("fallocate", &["-l", "3000000", text(&at("unwritten"))]);
    OpenOptions::new().write(true).open(at("unwritten")).unwrap().write_all_at(&noise(5, 9000), 100_000).unwrap();
    run("cp", &["--reflink=always", text(&at("large.dat")), text(&at("shared"))]);
    OpenOptions::new().write(true).open(at("shared")).unwrap().write_all_at(&noise(6, 9000), 300_000).unwrap();
    fs::write(at("twice"), noise(8, 65_536)).unwrap();
    run("xfs_io", &["-c", &format!("reflink {} 0 131072 65536", text(&at("twice"))), text(&at("twice"))]);
    // Attributes in the inode, in leaves, and in blocks of their own.
    let mut expected = tree::items(&mount.0);
    for (file, count, length) in [("size 1.bin", 2, 10), ("size 60.bin", 40, 100), ("pieces", 700, 60), ("Many", 1, 6)]
    {
        let values: Vec<_> = (0..count).map(|index| (format!("user.name{index}"), noise(index, length))).collect();
        restore(&at(file), &values);
        for (name, value) in values {
            expected.insert(format!("{file}:{name}").into_bytes(), Item::File(value));
        }
    }
    let large: Vec<_> = [5000, 20_000, 65_536].map(|length| (format!("user.of {length}"), noise(3, length))).into();
    restore(&at("large.dat"), &large);
    for (name, value) in large {
        expected.insert(format!("large.dat:{name}").into_bytes(), Item::File(value));
    }
    let facts: Vec<_> = ["size 1.bin", "node", "twice"].map(|name| fs::metadata(at(name)).unwrap()).into();
    drop(mount);
    let found = volume(&image);
    assert_eq!(found.warnings, []);
    assert_same(&items(&found), &expected);
    let (found, _) = nodes(&found, Options::default());
    for (name, facts) in ["size 1.bin", "node", "twice"].into_iter().zip(facts) {
        let node = find(&found, name);
        let time = |seconds: i64, rest: i64| Some(i128::from(seconds) * 1_000_000_000 + i128::from(rest));
        assert_eq!(node.id, Some(facts.ino()), "{name}");
        assert_eq!(node.times.modified, time(facts.mtime(), facts.mtime_nsec()), "{name}");
        assert_eq!(node.times.changed, time(facts.ctime(), facts.ctime_nsec()), "{name}");
        assert!(node.times.born.is_some());
    }
    let runs = |name: &str| find(&found, name).content.as_ref().unwrap().runs().unwrap();
    assert!(runs("pieces").len() > 1000);
    assert_eq!(runs("shared")[0].medium_offset, runs("large.dat")[0].medium_offset);
    assert_eq!(runs("twice")[0].medium_offset, runs("twice").last().unwrap().medium_offset);
    // Targets and values in blocks of their own have checksums.
    let mut raw = fs::read(&image).unwrap();
    for magic in [b"XSLM", b"XARM"] {
        let at = raw.chunks(4096).position(|block| block.starts_with(magic)).expect("a block") * 4096;
        raw[at + 70] ^= 1;
    }
    let (found, failures) = nodes(&super::opened(raw), Options::default());
    assert!(failures.len() == 1 && failures[0].cause == "block of a target: the checksum is wrong", "{failures:?}");
    assert_eq!(failures[0].path, b"long link");
    let values = found.iter().filter_map(|node| node.content.as_ref()?.open().err());
    let causes: Vec<_> = values.map(|failed| failed.cause).collect();
    assert_eq!(causes, ["block of an attribute's value: the checksum is wrong"]);
}

/// Sets extended attributes of a file, of any bytes and sizes.
fn restore(path: &Path, values: &[(String, Vec<u8>)]) {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let lines: String = values.iter().map(|(name, value)| format!("{name}=0x{}\n", hex(value))).collect();
    let list = format!("# file: {}\n{lines}", text(path).replace(' ', "\\040"));
    crate::image::run_with("setfattr", &["--restore=-"], list.as_bytes());
}

#[test]
fn deleted_files() {
    if lacks_xfs() {
        return;
    }
    let bench = Bench::new();
    let image = blank(&bench, &[]);
    let mount = Mounted::new(&bench, &image);
    let folder = mount.0.clone();
    let at = |name: &str| folder.join(name);
    fs::create_dir(at("folder")).unwrap();
    for index in 0..60 {
        fs::write(at(&format!("folder/a file that stays, number {index}")), noise(index, 100)).unwrap();
    }
    let (one, two) = (noise(1, 3 * 4096), noise(2, 300_000));
    fs::write(at("folder/gone of three blocks"), &one).unwrap();
    let pieces = File::create(at("folder/gone in pieces")).unwrap();
    for index in 0..2000 {
        pieces.write_all_at(&noise(index, 4096), index * 8192).unwrap();
    }
    drop(pieces);
    fs::write(at("nameless"), &two).unwrap();
    // Inodes of the same chunk stay in use, and whole chunks behind them do not.
    for index in 60..200 {
        fs::write(at(&format!("folder/a file that stays, number {index}")), noise(index, 100)).unwrap();
    }
    let late = |index: u64| format!("folder/late, number {index}");
    for index in 0..300 {
        fs::write(at(&late(index)), noise(index, 5000)).unwrap();
        // Blocks of names that are all gone are gone as well.
        fs::hard_link(at("folder/a file that stays, number 0"), at(&format!("folder/link {index}"))).unwrap();
    }
    // Inodes are in the log alone until then.
    drop(mount);
    let mount = Mounted::new(&bench, &image);
    for name in ["folder/gone of three blocks", "folder/gone in pieces", "nameless"] {
        fs::remove_file(at(name)).unwrap();
    }
    for index in 0..300 {
        fs::remove_file(at(&late(index))).unwrap();
    }
    drop(mount);
    let (live, failures) = nodes(&volume(&image), Options::default());
    assert_eq!((live.len(), failures), (501, vec![]));
    let (all, failures) = nodes(&volume(&image), ALL);
    assert_eq!(failures, []);
    assert!(all[..501].iter().all(|node| node.allocation == Allocation::Live));
    let three = find(&all, "folder/gone of three blocks");
    assert_eq!((three.allocation, &three.kind), (Allocation::Deleted, &Kind::File));
    assert!(bytes(three) == one);
    find(&all, "folder/gone in pieces");
    let begins = |node: &&Node| node.path.starts_with(b"$OrphanFiles/") && node.size == Some(303_104);
    let nameless: Vec<_> = all.iter().filter(begins).filter(|node| bytes(node).starts_with(&two)).collect();
    assert_eq!(nameless.len(), 1);
    // As they were, with their sizes.
    let whole = (0..300).filter(|&index| {
        all.iter().any(|node| {
            node.path == late(index).as_bytes()
                && node.allocation == Allocation::Deleted
                && node.size == Some(5000)
                && bytes(node) == noise(index, 5000)
        })
    });
    assert!(whole.count() > 100);
}

/// Files that are open while they are deleted, and a log that was not replayed: the medium as it is
/// after a power cut.
#[test]
fn a_power_cut() {
    if lacks_xfs() {
        return;
    }
    let bench = Bench::new();
    let image = blank(&bench, &[]);
    let copy = bench.path("copy");
    let mount = Mounted::new(&bench, &image);
    fs::write(mount.0.join("stays"), b"in use").unwrap();
    let mut open = File::create(mount.0.join("open")).unwrap();
    open.write_all(&noise(4, 9000)).unwrap();
    run("sync", &["-f", text(&mount.0)]);
    fs::remove_file(mount.0.join("open")).unwrap();
    run("fsfreeze", &["--freeze", text(&mount.0)]);
    fs::copy(&image, &copy).unwrap();
    run("fsfreeze", &["--unfreeze", text(&mount.0)]);
    drop(open);
    drop(mount);
    let found = volume(&copy);
    let said: Vec<_> = found.warnings.iter().map(|warning| warning.cause.as_str()).collect();
    assert_eq!(said, ["the log was not replayed: the state without it is read"]);
    let (live, failures) = nodes(&found, Options::default());
    assert_eq!((live.len(), failures), (1, vec![]));
    let (all, _) = nodes(&found, ALL);
    let open = all.iter().find(|node| node.path.starts_with(b"$OrphanFiles/")).expect("the open file");
    assert_eq!(open.allocation, Allocation::Deleted);
    assert!(bytes(open) == noise(4, 9000));
    assert_eq!(volume(&image).warnings, []);
}
