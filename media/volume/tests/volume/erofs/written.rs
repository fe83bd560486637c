//! Volumes that `mkfs.erofs` writes.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use pfh_inject::{Need, lacks};
use pfh_volume::{Kind, Options};

use super::{TOOLS, grown, made};
use crate::image::{Bench, run, text, unmount};
use crate::listing::{assert_same, bytes, items, lies_as_it_is, nodes, volume};
use crate::tree;

/// Options of `mkfs.erofs`; every version has the first ones.
const FORMS: [&[&str]; 35] = [
    &[],
    &["-Enoinline_data"],
    &["-Eforce-inode-compact"],
    &["-Eforce-inode-extended"],
    &["--chunksize=4096"],
    &["--chunksize=65536"],
    &["-Eforce-chunk-indexes", "--chunksize=8192"],
    &["-zlz4"],
    &["-zlz4", "-Elegacy-compress"],
    &["-zlz4hc", "-C65536"],
    &["-zlz4hc,12", "-C1048576"],
    &["-zlz4", "-C16384", "-Elegacy-compress"],
    &["-zlz4", "-Eztailpacking"],
    &["-zlz4", "-Eztailpacking,legacy-compress"],
    &["-zlz4", "-C65536", "-Eztailpacking"],
    &["-zlz4", "-Efragments"],
    &["-zlz4", "-C65536", "-Efragments,ztailpacking"],
    &["-zlz4", "-Eall-fragments"],
    &["-zlz4", "-Ededupe"],
    &["-zlz4", "-C65536", "-Ededupe,fragments,legacy-compress"],
    &["-zlz4", "-Eall-fragments,dedupe", "-C32768"],
    &["-zlz4:lz4hc", "-C8192"],
    &["-b512"],
    &["-b1024", "-zlz4"],
    &["-b2048", "-zlz4", "-C8192", "-Eztailpacking"],
    &["-b16384", "-zlz4", "-C65536"],
    &["-b65536"],
    &["-zlzma"],
    &["-zlzma,level=9", "-C65536", "-Eztailpacking,fragments"],
    &["-zlzma", "-C65536", "-Eall-fragments"],
    &["-zdeflate"],
    &["-zdeflate,9", "-C65536", "-Efragments,dedupe,ztailpacking"],
    &["-zzstd"],
    &["-zzstd,level=9", "-C131072", "-Efragments,ztailpacking"],
    &["--xattr-prefix=user.long.name.of.", "-zlz4", "-Efragments"],
];

/// The kernel's mount, where it has EROFS and blocks of that size.
struct Mounted(PathBuf);

impl Mounted {
    fn new(bench: &Bench, image: &Path) -> Option<Mounted> {
        let path = bench.path("mount");
        fs::create_dir_all(&path).unwrap();
        let arguments = ["-o", "loop,ro", "-t", "erofs", text(image), text(&path)];
        let output = std::process::Command::new("mount").args(arguments).output().unwrap();
        output.status.success().then_some(Mounted(path))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        unmount(&self.0);
    }
}

#[test]
fn every_method_and_form() {
    if lacks(&TOOLS) {
        return;
    }
    let can_mount = !lacks(&[Need::Root, Need::Loop]);
    let bench = Bench::new();
    let (root, expected) = grown(&bench);
    let (mut tried, mut mounted, mut files) = (0, 0, 0);
    for options in FORMS {
        let Some(image) = made(&bench, &root, options) else { continue };
        tried += 1;
        let found = volume(&image);
        eprintln!("{options:?}: {} bytes", fs::metadata(&image).unwrap().len());
        assert!(found.kind == "EROFS" && found.warnings.is_empty(), "{options:?} {:?}", found.warnings);
        assert_same(&items(&found), &expected);
        let medium = fs::read(&image).unwrap();
        let (all, _) = nodes(&found, Options { unallocated: true, ..Options::default() });
        let mount = can_mount.then(|| Mounted::new(&bench, &image)).flatten();
        if let Some(mount) = &mount {
            mounted += 1;
            // The kernel's answers: names, kinds, bytes, and below sizes, times and numbers.
            let streams = |path: &[u8]| expected.contains_key(path) && path.windows(6).any(|part| part == b":user.");
            let mut by_kernel = tree::items(&mount.0);
            by_kernel.extend(
                expected.iter().filter(|(path, _)| streams(path)).map(|(path, item)| (path.clone(), item.clone())),
            );
            assert_same(&items(&found), &by_kernel);
        }
        let facts = mount.as_ref().map_or(&root, |mount| &mount.0);
        for node in all.iter().filter(|node| !matches!(node.kind, Kind::Stream | Kind::Unallocated)) {
            let stated = fs::symlink_metadata(facts.join(std::ffi::OsStr::from_bytes(&node.path))).unwrap();
            let modified = i128::from(stated.mtime()) * 1_000_000_000 + i128::from(stated.mtime_nsec());
            if mount.is_some() {
                assert_eq!(node.times.modified, Some(modified), "{options:?}");
                assert_eq!(node.id, Some(stated.ino()), "{options:?}");
            }
            if node.content.is_none() {
                continue;
            }
            files += 1;
            assert_eq!(node.size, Some(stated.size()));
            // Runs, where there are any, hold the bytes of the file.
            lies_as_it_is(node, &medium);
        }
    }
    eprintln!("{tried} images, {mounted} mounted, {files} files");
    assert!(tried > 8, "{tried}");
}

#[test]
fn files_on_a_device_that_is_not_here_are_named() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("t");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("one"), vec![7; 10_000]).unwrap();
    let blob = bench.blank("blob", 0);
    let Some(image) = made(&bench, &root, &["--chunksize=4096", &format!("--blobdev={}", text(&blob))]) else { return };
    let found = volume(&image);
    assert!(found.warnings.iter().any(|warning| warning.cause.contains("device 1")), "{:?}", found.warnings);
    let (all, failures) = nodes(&found, Options::default());
    assert!(failures.is_empty() && all.len() == 1);
    let failed = all[0].content.as_ref().unwrap().open().err().expect("a failure");
    assert!(failed.path == b"one" && failed.cause.contains("lies on device 1"), "{failed:?}");
}

#[test]
fn devices_and_files_that_two_names_have() {
    if lacks(&TOOLS) || lacks(&[Need::Root]) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("t");
    fs::create_dir(&root).unwrap();
    run("mknod", &[text(&root.join("b")), "b", "7", "1"]);
    run("mknod", &[text(&root.join("c")), "c", "1", "3"]);
    fs::write(root.join("one"), b"some words").unwrap();
    fs::hard_link(root.join("one"), root.join("two")).unwrap();
    let image = made(&bench, &root, &[]).unwrap();
    let (all, failures) = nodes(&volume(&image), Options::default());
    assert!(failures.is_empty());
    let of = |name: &str| all.iter().find(|node| node.path == name.as_bytes()).unwrap();
    assert_eq!(of("b").kind, Kind::Special("block device"));
    assert_eq!(of("c").kind, Kind::Special("character device"));
    assert_eq!(of("one").id, of("two").id);
    assert_eq!(bytes(of("two")), b"some words");
}
