//! Squashfs as `mksquashfs` writes it, by each method and option, beside the tree that went in; and
//! images that contradict themselves.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pfh_inject::{Need, lacks};
use pfh_volume::{Bytes, Kind, Options, VolumeContent, file_system, small_file_system};

use crate::image::{Bench, run, text};
use crate::listing::{assert_same, faults, items, lies_as_it_is, nodes, volume, volume_of};
use crate::mutants::survive;
use crate::tree::{self, Item, Items, noise};

const TOOLS: [Need; 2] = [Need::Program("mksquashfs"), Need::Program("setfattr")];

/// Trees of `mksquashfs` by its options.
const FORMS: [&[&str]; 11] = [
    &["-comp", "gzip"],
    &["-comp", "lzma"],
    &["-comp", "lzo"],
    &["-comp", "lz4"],
    &["-comp", "xz", "-Xbcj", "x86"],
    &["-comp", "zstd", "-b", "1M"],
    &["-b", "4096"],
    &["-no-fragments"],
    &["-always-use-fragments"],
    &["-no-duplicates", "-no-sparse"],
    &PLAIN,
];
/// Nothing is compressed.
const PLAIN: [&str; 4] = ["-noI", "-noD", "-noF", "-noX"];

/// A tree of files of every kind; three have attributes, two the same long one.
fn tree(bench: &Bench) -> (PathBuf, Vec<u8>) {
    let root = bench.path("tree");
    tree::plain(&root);
    tree::posix(&root);
    let long = noise(5, 3000).iter().map(|byte| b'a' + byte % 26).collect::<Vec<u8>>();
    let value = std::str::from_utf8(&long).unwrap();
    for (name, value) in [("large.dat", "a note"), ("size 59.bin", value), ("size 60.bin", value)] {
        run("setfattr", &["-n", "user.note", "-v", value, text(&root.join(name))]);
    }
    (root, long)
}

fn make(bench: &Bench, root: &Path, options: &[&str]) -> PathBuf {
    let image = bench.path("image");
    let fixed = ["-noappend", "-quiet", "-no-progress"];
    run("mksquashfs", &[&[text(root), text(&image)], &fixed[..], options].concat());
    image
}

/// The streams of the three attributes, beside the tree.
fn expected(root: &Path, long: &[u8]) -> Items {
    let mut expected = tree::items(root);
    for (name, value) in [("large.dat", &b"a note"[..]), ("size 59.bin", long), ("size 60.bin", long)] {
        expected.insert(format!("{name}:user.note").into_bytes(), Item::File(value.to_vec()));
    }
    expected
}

#[test]
fn every_method_and_form() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (root, long) = tree(&bench);
    let expected = expected(&root, &long);
    for options in FORMS {
        let image = make(&bench, &root, options);
        let found = volume(&image);
        assert!(found.kind == "squashfs" && found.warnings.is_empty(), "{options:?}");
        assert_same(&items(&found), &expected);
        let medium = fs::read(&image).unwrap();
        let (all, _) = nodes(&found, Options::default());
        let mut as_they_are = 0;
        for node in all.iter().filter(|node| node.kind == Kind::File) {
            let content = node.content.as_ref().unwrap();
            let stated = fs::symlink_metadata(root.join(std::ffi::OsStr::from_bytes(&node.path))).unwrap();
            let modified = stated.modified().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
            assert_eq!(node.times.modified, Some(i128::from(modified) * 1_000_000_000));
            assert!(content.places().is_some());
            as_they_are += usize::from(!node.compressed && lies_as_it_is(node, &medium));
        }
        assert!(as_they_are > 0 && (options != PLAIN || as_they_are > 400), "{options:?}: {as_they_are}");
    }
}

#[test]
fn a_small_image_is_a_volume() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("t");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("one"), b"some words").unwrap();
    let image = make(&bench, &root, &["-nopad"]);
    let raw = fs::read(image).unwrap();
    assert!(raw.len() < 1000);
    let Ok(VolumeContent::FileSystem(found)) = small_file_system(Arc::new(raw.clone())) else { panic!("no volume") };
    assert_eq!(items(&found)[&b"one"[..]], Item::File(b"some words".to_vec()));
    // Of another version, and by an unknown method.
    for (at, value, name) in [(28, 3, "squashfs 3.0"), (28, 9, "squashfs"), (20, 7, "squashfs compressed by method 7")]
    {
        let mut other = raw.clone();
        other[at] = value;
        let found = small_file_system(Arc::new(other)).unwrap();
        assert!(matches!(found, VolumeContent::Unread(why) if why == name), "{name}");
    }
    // Cut off behind the superblock.
    assert!(file_system(Arc::new(raw[..90].to_vec())).is_err());
    assert!(small_file_system(Arc::new(raw[..100].to_vec())).is_err());
}

fn le64(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// An image of a directory `d` with a file of two blocks and an end, nothing compressed; and where
/// the inodes and lists begin.
fn plain(bench: &Bench) -> (Vec<u8>, usize, usize) {
    let root = bench.path("p");
    fs::create_dir_all(root.join("d")).unwrap();
    fs::write(root.join("d/file"), noise(3, 9000)).unwrap();
    let options = [&PLAIN[..], &["-b", "4096", "-always-use-fragments"]].concat();
    let raw = fs::read(make(bench, &root, &options)).unwrap();
    let (inodes, lists) = (le64(&raw, 64) + 2, le64(&raw, 72) + 2);
    (raw, inodes, lists)
}

#[test]
fn contradictions_are_failures_in_their_place() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (raw, inodes, lists) = plain(&bench);
    assert!(faults(raw.clone()).is_empty());
    let changed = |at: usize, value: &[u8]| {
        let mut other = raw.clone();
        other[at..at + value.len()].copy_from_slice(value);
        faults(other)
    };
    let says = |found: Vec<String>, words: &str| assert!(found.iter().any(|cause| cause.contains(words)), "{found:?}");
    // The file's inode comes first: its header, start, fragment, place, size, two lengths.
    assert_eq!(raw[inodes], 2);
    says(changed(inodes, &[99]), "an inode of the type 99");
    says(changed(inodes + 28, &9500_u32.to_le_bytes()), "a fragment that ends at");
    says(changed(inodes + 24, &5_u32.to_le_bytes()), "a fragment that ends at");
    says(changed(inodes + 20, &7_u32.to_le_bytes()), "fragment 7 of 1");
    says(changed(inodes + 32, &(1_u32 << 24 | 4000).to_le_bytes()), "a block of 4000 bytes, where the file has 4096");
    says(changed(inodes + 32, &(1_u32 << 24 | 5000).to_le_bytes()), "a block that is longer than blocks are");
    says(changed(inodes + 32, &4096_u32.to_le_bytes()), "a block that does not unpack");
    says(changed(inodes + 16, &0x7fff_ffff_u32.to_le_bytes()), "the medium ends before");
    // Lists: a header that states more names, a directory that leads to itself, a bad name.
    says(changed(lists, &[200]), "a list of names that is cut off");
    says(changed(lists + 4, &[0xff; 3]), "the medium ends before");
    says(changed(lists + 20, b"/"), "a name with a slash");
    let second = lists + 12 + 8 + 4;
    let root = raw[32..34].to_vec();
    assert_eq!(raw[second + 20], b'd');
    says(changed(second + 12, &root), "leads to itself");
    // The root, the superblock, the medium's end.
    let refused = |at: usize, value: &[u8]| {
        let mut other = raw.clone();
        other[at..at + value.len()].copy_from_slice(value);
        file_system(Arc::new(other) as Arc<dyn Bytes>).err().expect("a failure").cause
    };
    assert!(refused(32, &[0; 8]).contains("the root is not a directory"));
    assert!(refused(12, &[1]).contains("a size of blocks"));
    assert!(refused(64, &u64::MAX.to_le_bytes()).contains("the table of inodes is not in the volume"));
    let cut = volume_of(Arc::new(raw[..le64(&raw, 40) - 1].to_vec()) as Arc<dyn Bytes>);
    assert!(cut.warnings[0].cause.contains("missing"), "{:?}", cut.warnings);
}

/// Linux allows a slash in the name of an attribute: it can be no name of a stream.
#[test]
fn an_attribute_with_a_slash_is_named() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("t");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("one"), b"some words").unwrap();
    run("setfattr", &["-n", "user.a/b", "-v", "x", text(&root.join("one"))]);
    let (found, failures) = nodes(&volume(&make(&bench, &root, &[])), Options::default());
    assert!(found.len() == 1 && failures.len() == 1 && failures[0].path == b"one", "{failures:?}");
    assert!(failures[0].cause.contains("none of a stream"), "{failures:?}");
}

#[test]
fn mutants_end() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (root, _) = tree(&bench);
    for options in [&PLAIN[..], &["-comp", "gzip"], &["-comp", "zstd"], &["-comp", "lzo"]] {
        let image = make(&bench, &root, options);
        let raw = fs::read(&image).unwrap();
        let metadata = le64(&raw, 64) as u64..raw.len() as u64;
        survive(&image, &[0..96, metadata]);
    }
}
