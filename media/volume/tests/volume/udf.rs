//! UDF as mkudffs, the kernel and genisoimage write it, against the tree that went in and against
//! 7-Zip.

use std::fs;
use std::path::Path;

use pfh_inject::{Need, lacks};
use pfh_volume::{Options, VolumeContent, file_system};

use crate::image::{Bench, open, poke, run, text, unmount};
use crate::listing::{assert_same, bytes, items, nodes, volume};
use crate::mutants;
use crate::tree::{self, Items, noise};

const TOOLS: [Need; 3] = [Need::Program("mkudffs"), Need::Program("genisoimage"), Need::Program("7z")];

/// A tree with names that UDF takes.
fn small(root: &Path) {
    fs::create_dir_all(root.join("a/b/c/d")).unwrap();
    for index in 0..40_usize {
        fs::write(root.join(format!("a/file number {index}")), noise(index as u64, index * 1500)).unwrap();
    }
    fs::write(root.join("a/b/Grüße, 世界.txt"), b"far").unwrap();
    fs::write(root.join("empty"), b"").unwrap();
}

/// The items that 7-Zip extracts from an image, as UDF or as ISO 9660.
fn seven_zip(bench: &Bench, kind: &str, image: &Path) -> Items {
    let out = bench.path(kind);
    run("7z", &["x", "-bd", &format!("-t{kind}"), &format!("-o{}", text(&out)), text(image)]);
    tree::items(&out)
}

#[test]
fn what_genisoimage_writes() {
    if lacks(&TOOLS) {
        return;
    }
    for options in [&["-udf"][..], &["-R", "-udf"], &["-J", "-R", "-udf"]] {
        let bench = Bench::new();
        let (root, image) = (bench.path("tree"), bench.path("image"));
        small(&root);
        let line = [options, &["-quiet", "-input-charset", "utf-8", "-V", "LABEL", "-o", text(&image), text(&root)]];
        run("genisoimage", &line.concat());
        let volume = volume(&image);
        assert_eq!((volume.kind, &volume.label[..]), ("UDF", &b"LABEL"[..]));
        assert_eq!(volume.warnings, []);
        let found = items(&volume);
        assert_same(&found, &tree::items(&root));
        assert_same(&found, &seven_zip(&bench, "udf", &image));
    }
}

/// An empty volume of each kind of medium and each revision, with files that the kernel puts into
/// it where it can.
#[test]
fn what_mkudffs_makes() {
    if lacks(&TOOLS) {
        return;
    }
    let kernel = fs::read_to_string("/proc/filesystems").unwrap_or_default().contains("\tudf\n");
    for options in [
        &["--blocksize=2048"][..],
        &["--blocksize=512", "--udfrev=2.01"],
        &["--blocksize=4096"],
        &["--media-type=dvdram", "--blocksize=2048"],
        &["--media-type=cdrw", "--blocksize=2048"],
        &["--media-type=hd", "--udfrev=1.02", "--blocksize=512"],
    ] {
        let bench = Bench::new();
        let image = bench.blank("image", 64 << 20);
        run("mkudffs", &[options, &["--label=LABEL", text(&image)]].concat());
        let mut expected = Items::new();
        if kernel && !options.contains(&"--media-type=cdrw") {
            let (root, mount) = (bench.path("tree"), bench.path("mount"));
            small(&root);
            tree::posix_small(&root);
            fs::create_dir(&mount).unwrap();
            run("mount", &["-t", "udf", "-o", "loop", text(&image), text(&mount)]);
            run("cp", &["-a", &format!("{}/.", text(&root)), text(&mount)]);
            fs::remove_file(mount.join("a/file number 7")).unwrap();
            expected = tree::items(&mount);
            unmount(&mount);
        }
        let volume = volume(&image);
        assert_eq!((volume.kind, &volume.label[..]), ("UDF", &b"LABEL"[..]), "{options:?}");
        assert_eq!(volume.warnings, [], "{options:?}");
        let mut found = items(&volume);
        found.remove(&b"lost+found"[..]);
        expected.remove(&b"lost+found"[..]);
        assert_same(&found, &expected);
    }
    // Written piece by piece, each piece behind the others: said and not read.
    let bench = Bench::new();
    let image = bench.blank("image", 64 << 20);
    run("mkudffs", &["--media-type=cdr", text(&image)]);
    assert!(matches!(file_system(open(&image)), Ok(VolumeContent::Unread(what)) if what.contains("virtual")));
}

#[test]
fn damage_is_named_and_the_reserve_is_used() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (root, image) = (bench.path("tree"), bench.path("image"));
    small(&root);
    run("genisoimage", &["-quiet", "-udf", "-o", text(&image), text(&root)]);
    let raw = fs::read(&image).unwrap();
    // The first sequence of descriptors stands where the anchor says.
    let first = u64::from(u32::from_le_bytes(raw[256 * 2048 + 20..][..4].try_into().unwrap()));
    poke(&image, first * 2048 + 3 * 2048 + 500, &[0xff; 4]);
    poke(&image, first * 2048 + 2048 + 100, &[0xff; 4]);
    let hurt = volume(&image);
    assert!(hurt.warnings.iter().any(|warning| warning.cause.contains("reserve")), "{:?}", hurt.warnings);
    assert_same(&items(&hurt), &tree::items(&root));
    // A file's entry: that file fails, by name, and the others are there.
    let live = nodes(&hurt, Options::default()).0;
    let node = live.iter().find(|node| node.path == b"a/file number 9").unwrap();
    assert!(bytes(node) == noise(9, 9 * 1500));
    let at = raw.windows(16).enumerate().filter(|(at, tag)| at % 2048 == 0 && tag[..2] == [5, 1]);
    let entries: Vec<usize> = at.map(|(at, _)| at).collect();
    assert!(entries.len() > 40);
    poke(&image, entries[entries.len() - 2] as u64 + 60, &[0xff; 4]);
    let (found, failures) = nodes(&volume(&image), Options::default());
    assert!(failures.len() == 1 && failures[0].cause.contains("checksum"), "{failures:?}");
    // ISO 9660 still has the file that UDF lost.
    assert!(found.iter().any(|node| node.path.starts_with(b"$ISO9660/")));
}

#[test]
fn mutants_end() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (root, image) = (bench.path("tree"), bench.path("image"));
    small(&root);
    run("genisoimage", &["-quiet", "-udf", "-o", text(&image), text(&root)]);
    mutants::survive(&image, &[32_768..80_000, 524_288..527_000, 527_000..720_000]);
}
