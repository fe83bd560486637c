//! Images and archives as sides of a comparison.

use crate::diff_sides::{Row, between, differing, of, ran};
use crate::room::Room;
use crate::rows::{algorithms, input, list, printed};
use pfh::diff::{Class, Request};
use pfh::hash::{self, Manifest};
use pfh::inside::Options;
use pfh::{Control, Verdict};
use pfh_inject::{Need, lacks, random};

const NEEDS: &[Need] = &[Need::Program("mke2fs"), Need::Program("sfdisk"), Need::Program("zip"), Need::Program("tar")];

/// A tree `a`, a copy `b` in which a file of each class is, and of both a disk with one partition,
/// `a.disk` and `b.disk`.
fn disks() -> Room {
    let room = Room::new();
    for (n, name) in ["same", "d/changed", "moved", "removed", "d/e/deep"].iter().enumerate() {
        room.file(format!("a/{name}"), &random(n as u64, 3000 * n + 7));
    }
    let changes = "cp -a a b && printf x >> b/d/changed && mv b/moved b/d/here && rm b/removed && printf new > b/added";
    printed(&room, changes);
    printed(&room, "(cd a && zip -q -0 -r ../z.zip . ) && cp z.zip a/z.zip && cp z.zip b/z.zip");
    for side in ["a", "b"] {
        printed(&room, &format!("truncate -s 4M fs && mke2fs -q -F -t ext4 -d {side} fs"));
        printed(&room, &format!("truncate -s 6M {side}.disk && echo '2048,8192,83' | sfdisk -q {side}.disk"));
        printed(&room, &format!("dd if=fs of={side}.disk bs=1M seek=1 conv=notrunc status=none && rm fs"));
    }
    room
}

fn found() -> Vec<Row> {
    let row = |class, name: &str, from: Option<&str>| (class, name.to_owned(), from.map(str::to_owned));
    vec![
        row(Class::Added, "added", None),
        row(Class::Changed, "d/changed", None),
        row(Class::Moved, "d/here", Some("moved")),
        row(Class::Removed, "removed", None),
    ]
}

/// The files that are named are opened, and no archive in them.
fn shallow() -> Options {
    let mut options = Options::default();
    options.limits.depth = 1;
    options
}

/// The list of the files in a disk, but not of those in its archives.
fn list_inside(room: &Room, to: &str, format: &str, name: &str) {
    let mut request = hash::Request::new(input(room, &[name]), algorithms("sha256"));
    request.input.inside = Some(shallow());
    let manifest = Manifest::new(room.at(to)).format(format.parse().unwrap(), Default::default());
    hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
}

#[cfg(feature = "image")]
#[test]
fn an_image_is_a_side_like_a_directory_and_a_list() {
    use pfh::acquire::{self, ImageFormat, Origin, To};
    if lacks(NEEDS) {
        return;
    }
    let room = disks();
    let to = To { path: room.at("a.E01"), form: ImageFormat::e01() };
    let acquire = acquire::Request::new(Origin::Medium(room.at("a.disk")), vec![to]);
    acquire::run(&acquire, &mut |_| Ok(()), &Control::new()).unwrap();
    list(&room, "a.sums", "sha256", "sums", &["a"]);
    list(&room, "a.jsonl", "sha256", "jsonl", &["a"]);
    list_inside(&room, "in.jsonl", "jsonl", "a.disk");
    list_inside(&room, "in.sums", "sums", "a.E01");
    for a in ["a", "a.disk", "a.E01", "a.disk!/p1", "a.sums", "a.jsonl", "in.jsonl", "in.sums"] {
        let (summary, rows) = between(&room, a, "b.disk");
        assert_eq!((summary.verdict(), differing(&rows)), (Verdict::Differs, found()), "{a}");
        for (one, other) in [(a, "a.E01"), ("a.disk", a)] {
            let (summary, rows) = between(&room, one, other);
            let verdict = if one == other { Verdict::NothingToCompareWith } else { Verdict::Verified };
            assert_eq!((summary.verdict(), differing(&rows)), (verdict, vec![]), "{one} {other}");
        }
    }
    let (summary, rows) = between(&room, "a.disk", "b");
    assert_eq!((summary.verdict(), differing(&rows)), (Verdict::Differs, found()));
    assert_eq!(String::from_utf8_lossy(&summary.bases[0]), format!("{}!/p1/", room.at("a.disk").display()));
    // A directory in an image.
    printed(&room, "cp -a b/d only && rm only/here");
    let (_, rows) = between(&room, "b.disk!/p1/d", "only");
    assert_eq!(differing(&rows), [(Class::Removed, "here".into(), None)]);
}

#[test]
fn an_archive_is_a_side_and_archives_in_both_are_opened_on_request() {
    if lacks(NEEDS) {
        return;
    }
    let room = disks();
    printed(&room, "tar -cf a.tar -C a . && tar -czf a.tar.gz -C a . && (cd a && zip -q -r ../a.zip .)");
    for archive in ["a.zip", "a.tar", "a.tar.gz"] {
        for (a, b) in [(archive, "a"), ("a.disk", archive)] {
            let (summary, rows) = between(&room, a, b);
            assert_eq!((summary.verdict(), differing(&rows)), (Verdict::Verified, vec![]), "{a} {b}");
        }
    }
    // A list that is packed stays one.
    list(&room, "list", "sha256", "sums", &["a"]);
    printed(&room, "gzip list");
    assert_eq!(between(&room, "list.gz", "a").0.verdict(), Verdict::Verified);
    // Another file in an archive in both.
    printed(&room, "printf y > same && cp b/z.zip x.zip && zip -q -0 x.zip same && cp x.zip b/z.zip");
    let (_, rows) = between(&room, "a", "b");
    assert_eq!(of(&rows, Class::Changed), ["d/changed", "z.zip"]);
    let mut request = Request::new(room.at("a"), room.at("b"));
    request.inside = Some(Options::default());
    let (_, rows) = ran(&request);
    assert_eq!(of(&rows, Class::Changed), ["d/changed", "z.zip", "z.zip!/same"]);
    // A damaged member is an error, and not a difference.
    printed(&room, "printf '\\377' | dd of=a.zip bs=1 seek=3000 conv=notrunc status=none");
    let (summary, rows) = between(&room, "a", "a.zip");
    assert_eq!((summary.verdict(), differing(&rows)), (Verdict::Incomplete, vec![]), "{rows:?}");
    assert_eq!(of(&rows, Class::Error).len(), 1, "{rows:?}");
}

/// An archive of a folder has the folder's name in front of all of its names.
#[test]
fn a_common_directory_is_taken_off_an_archive() {
    if lacks(&[Need::Program("zip"), Need::Program("tar")]) {
        return;
    }
    let room = Room::new();
    room.file("d/1", "one");
    room.file("d/s/2", "two");
    printed(&room, "zip -qr z.zip d && tar cf z.tar d && cp -r d e && printf 2 > e/s/2 && zip -qr more.zip d z.tar");
    for (a, b) in [("z.zip", "d"), ("d", "z.tar"), ("z.zip", "z.tar"), ("z.tar", "d"), ("z.zip!/d", "d")] {
        let (summary, rows) = between(&room, a, b);
        assert_eq!((summary.verdict(), rows.len()), (Verdict::Verified, 2), "{a} {b}: {rows:?}");
    }
    // In the directory above it has its place, beside others.
    let (summary, rows) = between(&room, "z.zip", "");
    assert_eq!((summary.verdict(), of(&rows, Class::Moved).len()), (Verdict::Differs, 0), "{rows:?}");
    let (summary, rows) = between(&room, "z.zip", "e");
    assert_eq!(differing(&rows), [(Class::Changed, "s/2".into(), None)]);
    assert_eq!(String::from_utf8_lossy(&summary.bases[0]), format!("{}!/d/", room.at("z.zip").display()));
    // Where something lies beside the folder, nothing is left out.
    let (summary, rows) = between(&room, "more.zip", "d");
    assert!(summary.verdict() == Verdict::Differs && of(&rows, Class::Removed).contains(&"z.tar"), "{rows:?}");
}
