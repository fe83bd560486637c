//! Archives in several files, through the job that hashes: container images of other programs in
//! compressed tars and in directories, split WIMs.

use crate::inside::{asked, checked, found, of, ran, row, rows};
use crate::room::Room;
use pfh_inject::{Need, lacks, random};
use std::collections::BTreeMap;
use std::fs;

/// An image of two layers: `rootfs` is its tree.
const IMAGE: &str = "umoci init --layout lay; umoci new --image lay:1.0
    umoci unpack --rootless --image lay:1.0 one; mkdir -p one/rootfs/etc/old; echo 1 >one/rootfs/etc/a
    echo 2 >one/rootfs/etc/old/b; seq 1 100000 >one/rootfs/rows; umoci repack --image lay:1.0 one
    umoci unpack --rootless --image lay:1.0 two; rm -r two/rootfs/etc/old; echo 3 >two/rootfs/etc/a
    umoci repack --image lay:1.0 two; mv two/rootfs rootfs";

/// Of the files in this container below a name.
fn below(found: &BTreeMap<String, String>, front: &str) -> BTreeMap<String, String> {
    let short = |(name, digest): (&String, &String)| Some((name.strip_prefix(front)?.to_owned(), digest.clone()));
    found.iter().filter_map(short).collect()
}

/// The digest of each file in a tar, whose links are skipped.
fn files(room: &Room, tar: &str) -> BTreeMap<String, String> {
    let (rows, summary) = rows(room, &[tar]);
    assert_eq!(summary.failed, 0, "{rows:?}");
    let inner = rows.iter().filter(|row| row.found.is_ok());
    inner
        .filter_map(|row| Some((row.name.strip_prefix(&format!("{tar}!/"))?.to_owned(), row.digest().to_owned())))
        .collect()
}

/// The digests of the tree that the image was made of.
fn tree(room: &Room) -> BTreeMap<String, String> {
    let (rows, _) = rows(room, &["rootfs"]);
    rows.iter().map(|row| (row.name.replacen("rootfs/", "", 1), row.digest().to_owned())).collect()
}

#[test]
fn compressed_image_tars_have_the_tree_of_the_plain_one() {
    let programs = ["umoci", "skopeo", "gzip", "xz", "zstd", "bzip2"];
    if lacks(&programs.map(Need::Program)) {
        return;
    }
    let room = Room::new();
    room.sh(IMAGE);
    room.sh("skopeo copy -q oci:lay:1.0 docker-archive:d.tar:x:1; skopeo copy -q oci:lay:1.0 oci-archive:o.tar:1.0
         tar -C lay -cf l.tar .; for tar in d o l; do gzip -k $tar.tar; xz -k $tar.tar; zstd -q $tar.tar; bzip2 -k $tar.tar; done");
    let expected = tree(&room);
    assert_eq!(expected.len(), 2);
    for (tar, image) in [("d.tar", "docker.io%2Flibrary%2Fx:1/"), ("o.tar", "1.0/"), ("l.tar", "1.0/")] {
        let plain = files(&room, tar);
        assert_eq!(below(&plain, image), expected, "{tar}");
        for ending in ["gz", "xz", "zst", "bz2"] {
            assert_eq!(files(&room, &format!("{tar}.{ending}")), plain, "{tar}.{ending}");
        }
    }
}

#[test]
fn a_layout_in_a_directory_has_the_tree_behind_its_index() {
    if lacks(&[Need::Program("umoci"), Need::Program("skopeo")]) {
        return;
    }
    let room = Room::new();
    room.sh(IMAGE);
    room.sh("skopeo copy -q --dest-compress-format zstd oci:lay:1.0 oci:sko:1.0");
    let expected = tree(&room);
    for layout in ["lay", "sko"] {
        let index = format!("{layout}/index.json");
        assert_eq!(below(&of(&index, &rows(&room, &[&index])), "1.0/"), expected, "{layout}");
        // A walk: each file once, the images behind the index, and no layer on its own.
        let walked = rows(&room, &[layout]);
        assert_eq!(below(&of(&index, &walked), "1.0/"), expected, "{layout}");
        let files = walked.0.iter().filter(|row| !row.name.contains("!/"));
        let inner = walked.0.iter().filter(|row| row.name.contains("!/"));
        assert_eq!(
            (files.count(), inner.count()),
            (room.sh(&format!("find {layout} -type f")).iter().filter(|byte| **byte == b'\n').count(), 2)
        );
    }
    // A list of the files in a layout reads back.
    let list = room.at("list.pfh");
    let (walked, _) = rows(&room, &["lay"]);
    let lines: String =
        walked.iter().map(|row| format!("{}  {}\n", row.digest(), room.at(&row.name).display())).collect();
    fs::write(&list, lines).unwrap();
    assert_eq!(checked(&list), [walked.len() as u64, 0, 0, 0]);
    // A layer whose digest is not that of its name.
    room.sh("for blob in sko/blobs/sha256/*; do if zstd -tq $blob; then printf x >>$blob; break; fi; done");
    let (found, summary) = rows(&room, &["sko"]);
    assert!(summary.failed > 0 && found.iter().any(|row| row.cause().contains("as its name states")), "{found:?}");
}

#[test]
fn a_split_image_is_one_archive() {
    if lacks(&[Need::Program("wimlib-imagex")]) {
        return;
    }
    let room = Room::new();
    for seed in 0..5 {
        room.file(format!("t/{seed}"), &random(seed, 700_000));
    }
    room.sh("wimlib-imagex capture t a.wim >&2; wimlib-imagex split a.wim s.swm 1 >&2; rm a.wim");
    let (files, _) = rows(&room, &["t"]);
    let expected: BTreeMap<String, String> =
        files.iter().map(|row| (row.name.replacen("t/", "1/", 1), row.digest().to_owned())).collect();
    assert_eq!(found(&room, "s.swm"), expected);
    let parts = ["s3.swm", "s2.swm", "s.swm", "s4.swm"];
    assert_eq!(of("s.swm", &ran(&room, &asked(&room, &parts, |_| {}))), expected);
    fs::remove_file(room.at("s3.swm")).unwrap();
    let (found, summary) = rows(&room, &["s.swm"]);
    assert!(row(&found, "s.swm!/").cause().contains("part 3 of "), "{found:?}");
    let lost = found.iter().filter(|row| row.cause().contains("it is in another part, or lost")).count() as u64;
    assert!(lost > 0 && summary.failed == lost + 1, "{found:?}");
}
