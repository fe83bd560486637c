//! Volumes whose first sectors are damaged or lost: their copies are used, and a warning says so.

use std::fs;
use std::path::{Path, PathBuf};

use pfh_inject::{Need, lacks};
use pfh_volume::{VolumeContent, file_system};

use crate::image::{Bench, open, poke, run, text};
use crate::listing::{assert_same, items_but, volume};
use crate::tree;

const TOOLS: [Need; 5] = [
    Need::Program("mke2fs"),
    Need::Program("mkfs.vfat"),
    Need::Program("mcopy"),
    Need::Program("mkfs.exfat"),
    Need::Program("mkntfs"),
];

/// Each volume, and how many bytes of its start are lost.
fn volumes(bench: &Bench) -> Vec<(PathBuf, u64)> {
    let root = bench.path("tree");
    tree::plain(&root);
    let mut found = Vec::new();
    for block in ["1024", "2048", "4096"] {
        let image = bench.blank(&format!("ext{block}"), 300 << 20);
        run("mke2fs", &["-q", "-t", "ext4", "-b", block, "-d", text(&root), text(&image)]);
        found.push((image, 2048));
    }
    let image = bench.blank("fat", 64 << 20);
    run("mkfs.vfat", &["-F", "32", text(&image)]);
    run("mcopy", &["-s", "-i", text(&image), text(&root.join("large.dat")), text(&root.join("Many")), "::"]);
    found.push((image, 512));
    let image = bench.blank("exfat", 64 << 20);
    run("mkfs.exfat", &[text(&image)]);
    found.push((image, 512 * 11));
    let image = bench.blank("ntfs", 64 << 20);
    run("mkntfs", &["-q", "-F", "-f", text(&image)]);
    found.push((image, 512));
    found
}

/// The files of NTFS itself, some without content, but for the one of the start.
fn is_own(path: &[u8]) -> bool {
    path.starts_with(b"$") && path != b"$Boot"
}

fn used(path: &Path) -> String {
    let volume = volume(path);
    let said = volume.warnings.iter().find(|warning| warning.cause.contains("its copy is used"));
    said.map_or_else(|| panic!("{}: {:?}", path.display(), volume.warnings), |warning| warning.cause.clone())
}

#[test]
fn a_lost_start_is_replaced_by_its_copy() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    for (image, lost) in volumes(&bench) {
        let name = text(&image).to_owned();
        let before = volume(&image);
        assert!(!before.warnings.iter().any(|warning| warning.cause.contains("copy")), "{name}");
        let mut expected = items_but(&before, is_own);
        // Its content is the start itself.
        expected.remove(&b"$Boot"[..]);
        let start = fs::read(&image).unwrap()[..lost as usize].to_vec();
        poke(&image, 0, &vec![0; lost as usize]);
        assert!(used(&image).contains("is lost"), "{name}");
        let after = volume(&image);
        assert_eq!((after.kind, after.id.clone(), after.size), (before.kind, before.id, before.size), "{name}");
        let mut found = items_but(&after, is_own);
        if let Some(tree::Item::File(boot)) = found.remove(&b"$Boot"[..]) {
            assert!(boot[..lost as usize].iter().all(|byte| *byte == 0), "a file holds what stands there");
        }
        assert_same(&found, &expected);
        poke(&image, 0, &start);
    }
}

#[test]
fn a_start_that_contradicts_itself_is_replaced_too() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    for (image, _) in volumes(&bench) {
        let name = image.file_name().unwrap().to_str().unwrap().to_owned();
        // Inodes to a group, sectors to a table, size of clusters, size of records.
        let (at, bytes): (u64, &[u8]) = match &name[..3] {
            "ext" => (1024 + 40, &[0; 4]),
            "fat" => (36, &[0xff; 4]),
            "exf" => (108, &[0xff]),
            _ => (0x40, &[0]),
        };
        poke(&image, at, bytes);
        assert!(used(&image).contains("is damaged"), "{name}");
    }
}

/// Nothing replaces a volume whose copy is lost as well.
#[test]
fn without_a_copy_it_is_unknown() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("ext", 20 << 20);
    run("mke2fs", &["-q", "-b", "1024", "-t", "ext2", text(&image)]);
    poke(&image, 1024, &[0; 1024]);
    poke(&image, 8193 * 1024, &[0; 1024]);
    assert!(matches!(file_system(open(&image)), Ok(VolumeContent::Unknown)));
}
