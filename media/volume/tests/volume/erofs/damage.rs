//! Images that contradict themselves.

use std::fs;
use std::sync::Arc;

use pfh_inject::lacks;
use pfh_volume::{Options, VolumeContent, file_system, small_file_system};

use super::{TOOLS, grown, made};
use crate::image::{Bench, run, text};
use crate::listing::{faults, items, nodes, volume_of};
use crate::mutants::survive;
use crate::tree::{Item, noise};

const BLOCK: usize = 4096;

/// A volume that is written here: a root of one file and one directory, inodes in block 1.
fn small() -> Vec<u8> {
    let mut raw = vec![0; 6 * BLOCK];
    let mut put = |at: usize, bytes: &[u8]| raw[at..at + bytes.len()].copy_from_slice(bytes);
    put(1024, &[0xe2, 0xe1, 0xf5, 0xe0]);
    put(1036, &[12]);
    put(1048, &1_700_000_000_u64.to_le_bytes());
    put(1024 + 36, &6_u32.to_le_bytes());
    put(1024 + 40, &1_u32.to_le_bytes());
    put(1024 + 64, b"a label");
    // Root, its list behind it; a file of 5,000 bytes from block 3 on; an empty directory.
    let mut inode = |number: usize, form: u16, mode: u16, size: u32, place: u32| {
        let at = BLOCK + 32 * number;
        put(at, &form.to_le_bytes());
        put(at + 4, &mode.to_le_bytes());
        put(at + 6, &[1, 0]);
        put(at + 8, &size.to_le_bytes());
        put(at + 16, &place.to_le_bytes());
    };
    inode(0, 2 << 1, 0o40755, 29, 0);
    inode(10, 0, 0o100_644, 5000, 3);
    inode(11, 0, 0o40755, 0, 0);
    let list = BLOCK + 32;
    put(list, &10_u64.to_le_bytes());
    put(list + 8, &24_u16.to_le_bytes());
    put(list + 12, &11_u64.to_le_bytes());
    put(list + 20, &28_u16.to_le_bytes());
    put(list + 24, b"filed");
    put(3 * BLOCK, &[b'x'; 5000]);
    raw
}

#[test]
fn a_volume_of_six_blocks() {
    let raw = small();
    let Ok(VolumeContent::FileSystem(found)) = small_file_system(Arc::new(raw.clone())) else { panic!("no volume") };
    assert_eq!((found.block_size, found.size, &found.label[..]), (4096, 24_576, &b"a label"[..]));
    let items = items(&found);
    assert_eq!((items.len(), &items[&b"d"[..]]), (2, &Item::Directory));
    assert_eq!(items[&b"file"[..]], Item::File(vec![b'x'; 5000]));
    let (all, _) = nodes(&found, Options { unallocated: true, ..Options::default() });
    let slack = all.iter().find(|node| node.path == b"$Slack/file").expect("slack");
    assert_eq!(slack.size, Some(2 * 4096 - 5000));
    let one = all.iter().find(|node| node.path == b"file").unwrap();
    assert_eq!((one.id, one.times.modified), (Some(10), Some(1_700_000_000_000_000_000)));
}

#[test]
fn contradictions_are_failures_in_their_place() {
    let raw = small();
    assert!(faults(raw.clone()).is_empty());
    let changed = |at: usize, value: &[u8]| {
        let mut other = raw.clone();
        other[at..at + value.len()].copy_from_slice(value);
        other
    };
    let says = |at: usize, value: &[u8], words: &str| {
        let found = faults(changed(at, value));
        assert!(found.iter().any(|cause| cause.contains(words)), "{words}: {found:?}");
    };
    let (root, file, list) = (BLOCK, BLOCK + 320, BLOCK + 32);
    says(file, &[0x40], "an inode of the format 0x40");
    says(file, &[7 << 1], "an inode of the layout 7");
    says(file + 4, &[0, 0], "an inode of the type 0x0");
    says(file + 16, &[5], "a run leads out of the volume");
    says(file + 10, &[9], "a run leads out of the volume");
    says(file + 2, &[0xff, 0xff], "the medium ends before");
    says(list, &[0xff; 4], "the medium ends before");
    says(list + 12, &[0], "leads to itself");
    says(list + 8, &[25], "a list of names that begins where it cannot");
    says(list + 20, &[200], "a name that lies outside of its block");
    says(list + 24, b"/", "a name with a slash");
    says(root + 10, &[1], "a run leads out of the volume");
    let refused = |at: usize, value: &[u8]| file_system(Arc::new(changed(at, value))).err().expect("a failure").cause;
    assert!(refused(1036, &[8]).contains("a size of blocks"));
    assert!(refused(1038, &[10]).contains("the root is not a directory"));
    for (at, value, why) in [(1105, 1, "EROFS with unknown features (0x100)"), (1114, 1, "larger blocks")] {
        let found = file_system(Arc::new(changed(at, &[value]))).unwrap();
        assert!(matches!(found, VolumeContent::Unread(found) if found.contains(why)), "{why}");
    }
    // A checksum that is stated and wrong, and a medium that ends too early.
    let found = volume_of(Arc::new(changed(1032, &[1])));
    assert!(found.warnings[0].cause.contains("checksum"), "{:?}", found.warnings);
    let cut = volume_of(Arc::new(raw[..5 * BLOCK].to_vec()));
    assert!(cut.warnings[0].cause.contains("missing"), "{:?}", cut.warnings);
    assert!(file_system(Arc::new(raw[..1100].to_vec())).is_err());
}

#[test]
fn damaged_clusters_are_failures() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (root, _) = grown(&bench);
    let image = made(&bench, &root, &["-zlz4"]).unwrap();
    let mut raw = fs::read(image).unwrap();
    let length = raw.len();
    for byte in &mut raw[length / 4..length / 4 * 3] {
        *byte = !*byte;
    }
    let found = faults(raw);
    assert!(found.iter().any(|cause| cause.contains("does not unpack")), "{found:?}");
}

#[test]
fn mutants_end() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("t");
    fs::create_dir_all(root.join("d/e")).unwrap();
    let words: Vec<u8> = (0..9000_u32).flat_map(|n| format!("{} of {n}\n", n % 89).into_bytes()).collect();
    fs::write(root.join("words"), &words).unwrap();
    fs::write(root.join("d/again"), &words[..50_001]).unwrap();
    fs::write(root.join("d/noise"), noise(1, 30_000)).unwrap();
    for index in 0..200 {
        fs::write(root.join(format!("d/e/{index}")), &words[index * 40..index * 80]).unwrap();
    }
    std::os::unix::fs::symlink("words", root.join("link")).unwrap();
    run("setfattr", &["-n", "user.note", "-v", "a note", text(&root.join("words"))]);
    let forms: [&[&str]; 4] = [
        &["-Eforce-chunk-indexes", "--chunksize=4096"],
        &["-zlz4"],
        &["-zlz4", "-Elegacy-compress"],
        &["-zlz4", "-C65536", "-Efragments,dedupe,ztailpacking"],
    ];
    for options in forms {
        let Some(image) = made(&bench, &root, options) else { continue };
        let size = fs::metadata(&image).unwrap().len();
        survive(&image, &[1024..1152, 1152..size, 1152..20_000]);
    }
}
