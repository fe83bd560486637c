//! Real trees that go into images, and the expected items.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, FileTypeExt, symlink};
use std::path::Path;

/// The item behind a name.
#[derive(Clone, PartialEq, Eq)]
pub enum Item {
    Directory,
    File(Vec<u8>),
    Link(Vec<u8>),
    Special,
}

impl std::fmt::Debug for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Item::Directory => write!(f, "directory"),
            Item::File(bytes) => write!(f, "{} bytes", bytes.len()),
            Item::Link(target) => write!(f, "link to {}", String::from_utf8_lossy(target)),
            Item::Special => write!(f, "special"),
        }
    }
}

pub use crate::noise::noise;

pub type Items = BTreeMap<Vec<u8>, Item>;

/// Files of every size around the edges of blocks, with names that every system takes.
pub fn plain(root: &Path) {
    fs::create_dir_all(root.join("Many/deep/er/and/deeper")).unwrap();
    for (seed, length) in
        [0, 1, 59, 60, 61, 155, 156, 157, 511, 512, 700, 4095, 4096, 4097, 70_000, 300_000].into_iter().enumerate()
    {
        fs::write(root.join(format!("size {length}.bin")), noise(seed as u64, length)).unwrap();
    }
    fs::write(root.join("large.dat"), noise(99, 2_500_000)).unwrap();
    fs::write(root.join("Many/deep/er/and/deeper/Grüße, 世界 😀.txt"), b"far down").unwrap();
    fs::write(root.join("A rather long name with several words and more than one dot.tar.gz.part"), b"long").unwrap();
    for index in 0..400 {
        fs::write(
            root.join(format!("Many/file number {index:04}.txt")),
            format!("content {index}\n").repeat(index % 50),
        )
        .unwrap();
    }
}

/// Items that only POSIX systems have: links, a pipe, holes, names in bytes.
pub fn posix(root: &Path) {
    symlink("size 1.bin", root.join("short link")).unwrap();
    symlink("x/".repeat(200), root.join("long link")).unwrap();
    fs::hard_link(root.join("size 4097.bin"), root.join("second name")).unwrap();
    fs::write(root.join(std::ffi::OsStr::from_bytes(b"\xff\xfe not UTF-8\n")), b"bytes").unwrap();
    let sparse = File::create(root.join("sparse")).unwrap();
    sparse.set_len(3_000_000).unwrap();
    sparse.write_all_at(&noise(7, 5000), 1_000_000).unwrap();
    sparse.write_all_at(b"end", 2_000_000).unwrap();
    super::image::run("mkfifo", &[root.join("pipe").to_str().unwrap()]);
}

/// The items below a directory.
pub fn items(root: &Path) -> Items {
    let mut items = Items::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            let item = if kind.is_dir() {
                open.push(path.clone());
                Item::Directory
            } else if kind.is_symlink() {
                Item::Link(fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec())
            } else if kind.is_fifo() {
                Item::Special
            } else {
                Item::File(fs::read(&path).unwrap())
            };
            items.insert(path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec(), item);
        }
    }
    items
}

/// A few links and a file with a hole.
pub fn posix_small(root: &Path) {
    symlink("a/file 1", root.join("short link")).unwrap();
    symlink("x/".repeat(60), root.join("long link")).unwrap();
    File::create(root.join("sparse")).and_then(|file| file.write_all_at(b"end", 500_000)).unwrap();
}
