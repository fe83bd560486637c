//! Volumes that `mkfs.xfs` makes from a tree, and changes to them that keep their checksums right.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};

use crate::image::{Bench, run, text};
use crate::tree::noise;

/// A tree of everything that a prototype can state: names have no spaces there. `mkfs.xfs` 6.1
/// makes long targets without the headers of version 5.
pub fn plant(root: &Path, in_node: usize, long_links: bool) {
    fs::create_dir_all(root.join("a/b/c/d")).unwrap();
    for (seed, length) in [0, 1, 155, 511, 512, 4095, 4096, 4097, 70_000].into_iter().enumerate() {
        fs::write(root.join(format!("size{length}.bin")), noise(seed as u64, length)).unwrap();
    }
    fs::write(root.join("large.dat"), noise(99, 1_500_000)).unwrap();
    fs::write(root.join("a/b/c/d/Grüße_世界"), b"far down").unwrap();
    // Directories in the inode, in one block, with an index, and with a tree of one.
    for (name, count) in [("short", 3), ("block", 20), ("leaf", 150), ("node", in_node)] {
        fs::create_dir(root.join(name)).unwrap();
        for index in 0..count {
            let words = format!("{index} of {name}\n").repeat(index % 7);
            fs::write(root.join(format!("{name}/file_{index:04}_of_a_directory_with_names")), words).unwrap();
        }
    }
    symlink("size1.bin", root.join("short_link")).unwrap();
    if long_links {
        symlink("x/".repeat(200), root.join("long_link")).unwrap();
        symlink("y/".repeat(500), root.join("longest_link")).unwrap();
    }
    run("mkfifo", &[text(&root.join("pipe"))]);
}

/// Lines of a prototype for the items below a directory.
fn prototype(folder: &Path, lines: &mut String) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let name = entry.file_name().into_string().unwrap();
        if kind.is_dir() {
            lines.push_str(&format!("{name} d--755 0 0\n"));
            prototype(&path, lines);
            lines.push_str("$\n");
        } else if kind.is_symlink() {
            lines.push_str(&format!("{name} l--777 0 0 {}\n", text(&fs::read_link(&path).unwrap())));
        } else if kind.is_fifo() {
            lines.push_str(&format!("{name} p--644 0 0\n"));
        } else {
            lines.push_str(&format!("{name} ---644 0 0 {}\n", text(&path)));
        }
    }
}

/// A volume of this size with the items below a directory.
pub fn volume(bench: &Bench, name: &str, size: u64, options: &[&str], tree: &Path) -> PathBuf {
    let mut lines = "/boot\n0 0\nd--755 0 0\n".to_owned();
    prototype(tree, &mut lines);
    lines.push_str("$\n");
    let list = bench.path("prototype");
    fs::write(&list, lines).unwrap();
    let image = bench.blank(name, size);
    // Without these it makes no volume of less than 300 MB.
    let small = ["QA_CHECK_FS=1", "TEST_DEV=1", "TEST_DIR=1"];
    let arguments = [&small[..], &["mkfs.xfs", "-q", "-f", "-p", text(&list)], options, &[text(&image)]].concat();
    run("env", &arguments);
    image
}

/// The checksum of XFS, bit by bit.
fn crc(bytes: impl Iterator<Item = u8>) -> u32 {
    let step = |crc: u32, byte: u8| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 })
    };
    !bytes.fold(!0, step)
}

/// Writes over bytes of the structure of this length at this place, and makes its checksum right,
/// which stands at `sum` in it.
pub fn change(image: &mut [u8], place: std::ops::Range<usize>, sum: usize, at: usize, bytes: &[u8]) {
    let raw = &mut image[place];
    raw[at..at + bytes.len()].copy_from_slice(bytes);
    raw[sum..sum + 4].fill(0);
    let found = crc(raw.iter().copied());
    raw[sum..sum + 4].copy_from_slice(&found.to_le_bytes());
}
