//! EROFS as `mkfs.erofs` writes it, by each option, beside the tree that went in and the kernel's
//! mount; and images that contradict themselves.

mod damage;
mod written;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pfh_inject::Need;

use crate::image::{Bench, run, text};
use crate::tree::{self, Item, Items, noise};

pub const TOOLS: [Need; 2] = [Need::Program("mkfs.erofs"), Need::Program("setfattr")];

/// A tree of files of every kind, some of them made to be compressed; five have attributes, four
/// of them the same.
pub fn grown(bench: &Bench) -> (PathBuf, Items) {
    let root = bench.path("tree");
    tree::plain(&root);
    tree::posix(&root);
    let words: Vec<u8> =
        (0..90_000_u32).flat_map(|n| format!("{} words of line {n}\n", n % 97 * 31 % 89).into_bytes()).collect();
    fs::write(root.join("words"), &words).unwrap();
    fs::write(root.join("words again"), &words[1_000_000..]).unwrap();
    fs::write(root.join("words and more"), [&words[..300_001], &noise(4, 100_000), &words[..70_000]].concat()).unwrap();
    fs::write(root.join("zeros"), vec![0; 1_500_000]).unwrap();
    for length in [10, 1000, 3000, 4096, 5000, 9000, 20_000, 65_536, 65_537, 131_072] {
        fs::write(root.join(format!("part {length}")), &words[length..2 * length]).unwrap();
    }
    let mut expected = tree::items(&root);
    let long = noise(5, 3000).iter().map(|byte| b'a' + byte % 26).collect::<Vec<u8>>();
    let long = std::str::from_utf8(&long).unwrap();
    let mut set = |file: &str, name: &str, value: &str| {
        run("setfattr", &["-n", name, "-v", value, text(&root.join(file))]);
        expected.insert(format!("{file}:{name}").into_bytes(), Item::File(value.as_bytes().to_vec()));
    };
    set("large.dat", "user.note", "a note");
    set("words", "user.long.name.of.the.first", "1");
    set("words", "user.long.name.of.the.second", "");
    for file in ["size 59.bin", "size 60.bin", "size 61.bin", "Many"] {
        set(file, "user.note", long);
    }
    (root, expected)
}

/// Makes an image; `None` if this version of the program has no such option.
pub fn made(bench: &Bench, root: &Path, options: &[&str]) -> Option<PathBuf> {
    let image = bench.path("image");
    let _ = fs::remove_file(&image);
    let output = Command::new("mkfs.erofs").arg("--quiet").args(options).args([&image, root]).output().unwrap();
    if !output.status.success() {
        eprintln!("mkfs.erofs {options:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success().then_some(image)
}
