//! Images that qemu-img writes are read as qemu-img reads them.

use super::folder::{disk, open_path, run, same};
use pfh_inject::{Need, lacks};

/// Format, options, further words: each becomes an image.
pub const IMAGES: &[(&str, &str, &[&str])] = &[
    ("vpc", "subformat=fixed,force_size=on", &[]),
    ("vpc", "subformat=dynamic,force_size=on", &[]),
    ("vhdx", "subformat=dynamic", &[]),
    ("vhdx", "subformat=fixed", &[]),
    ("vhdx", "subformat=dynamic,block_size=1048576", &[]),
    ("vmdk", "subformat=monolithicSparse", &[]),
    ("vmdk", "subformat=monolithicFlat", &[]),
    ("vmdk", "subformat=twoGbMaxExtentSparse", &[]),
    ("vmdk", "subformat=twoGbMaxExtentFlat", &[]),
    ("vmdk", "subformat=streamOptimized", &[]),
    ("qcow2", "compat=0.10", &[]),
    ("qcow2", "compat=0.10", &["-c"]),
    ("qcow2", "compat=1.1", &[]),
    ("qcow2", "compat=1.1", &["-c"]),
    ("qcow2", "compression_type=zstd", &["-c"]),
    ("qcow2", "cluster_size=512", &[]),
    ("qcow2", "cluster_size=2M", &["-c"]),
    ("qcow2", "extended_l2=on", &[]),
    ("qcow2", "extended_l2=on,cluster_size=128k,compression_type=zstd", &["-c"]),
    ("qcow2", "preallocation=metadata", &[]),
];

#[test]
fn each_form_reads_as_the_disk_that_went_in() {
    if lacks(&[Need::Program("qemu-img")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let disk = disk();
    std::fs::write(room.path().join("raw"), &disk).unwrap();
    for (at, (format, options, words)) in IMAGES.iter().enumerate() {
        let what = format!("{format} {options} {words:?}");
        let name = format!("{at}.{format}");
        let line = [&["convert", "-f", "raw", "-O", format, "-o", options], *words, &["raw", &name]].concat();
        run(room.path(), "qemu-img", &line);
        let image = open_path(&room.path().join(&name)).unwrap_or_else(|failure| panic!("{what}: {failure}"));
        // VHDX states whole sectors of its block's table, and a size that QEMU rounds up.
        let mut expected = disk.clone();
        if image.size() > expected.len() as u64 && *format == "vhdx" {
            expected.resize(image.size() as usize, 0);
        }
        same(&*image, &expected, &what);
        assert!(image.check(&mut || true).is_empty() && image.digests().is_empty(), "{what}");
    }
}

/// A disk that was overwritten and discarded in part, with a snapshot in between.
#[test]
fn a_disk_that_was_in_use() {
    if lacks(&[Need::Program("qemu-img"), Need::Program("qemu-io")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    std::fs::write(room.path().join("raw"), disk()).unwrap();
    for (format, options) in
        [("qcow2", "compat=1.1"), ("qcow2", "extended_l2=on"), ("vpc", "force_size=on"), ("vhdx", "subformat=dynamic")]
    {
        run(room.path(), "qemu-img", &["convert", "-O", format, "-o", options, "raw", "image"]);
        let write = ["write -P 7 700k 33k", "write -P 0 0 8k", "write -P 9 3100k 5k"];
        for step in write {
            run(room.path(), "qemu-io", &["-f", format, "-c", step, "image"]);
        }
        if format == "qcow2" {
            run(room.path(), "qemu-img", &["snapshot", "-c", "before", "image"]);
            for step in ["write -z 3M 100k", "write -P 3 1M 64k", "discard 200k 128k"] {
                run(room.path(), "qemu-io", &["-f", format, "-c", step, "image"]);
            }
        }
        run(room.path(), "qemu-img", &["convert", "-f", format, "-O", "raw", "image", "now"]);
        let image = open_path(&room.path().join("image")).unwrap_or_else(|failure| panic!("{format}: {failure}"));
        same(&*image, &std::fs::read(room.path().join("now")).unwrap(), format);
        assert_eq!(image.notes().iter().any(|note| note.contains("1 snapshots")), format == "qcow2");
    }
}
