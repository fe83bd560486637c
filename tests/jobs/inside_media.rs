//! An array over several images: listed, hashed, checked, read and compared under the name of all.

#[path = "../../media/volume/tests/volume/raid/layouts.rs"]
#[allow(dead_code)]
mod layouts;
#[path = "../../media/volume/tests/volume/raid/maker.rs"]
#[allow(dead_code)]
mod maker;

use self::maker::{Array, own};
use crate::cat::{bytes, request};
use crate::diff_sides::{differing, ran};
use crate::inside::{asked, checked, input, listed, rows};
use crate::room::Room;
use pfh::hash::{self, Manifest};
use pfh::{Control, diff};
use pfh_inject::{Need, digest_by, lacks, random};

const CHUNK: usize = 64 << 10;

/// A tree `t`, and an ext4 of it in stripes over `d/0`, `d/1` and `d/2`.
fn stripes() -> Option<Room> {
    if lacks(&[Need::Program("mke2fs")]) {
        return None;
    }
    let room = Room::new();
    room.file("t/one", &random(1, 5000));
    room.file("t/sub/two", &random(2, 300_001));
    room.sh("truncate -s 6M fs && mke2fs -q -F -t ext4 -d t fs && mkdir d");
    let name = "box:data";
    let of = Array { level: 0, layout: 0, chunk: CHUNK, devices: 3, used: 0, features: 0, resync: u64::MAX, name };
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    let content = std::fs::read(room.at("fs")).unwrap();
    content.chunks(CHUNK).zip((0..3).cycle()).for_each(|(chunk, part)| parts[part].extend_from_slice(chunk));
    for (role, part) in parts.iter().enumerate() {
        room.file(format!("d/{role}"), &of.member(own(role), part));
    }
    Some(room)
}

#[test]
fn an_array_over_images_is_read_under_the_name_of_all() {
    let Some(room) = stripes() else { return };
    let seen = rows(&room, &["d/0", "d/1", "d/2"]);
    assert_eq!(seen.1.failed, 0, "{:?}", seen.0);
    for (name, content) in [("one", random(1, 5000)), ("sub/two", random(2, 300_001))] {
        let row = seen.0.iter().find(|row| row.name == format!("d/0+1+2!/data/{name}")).expect("the file");
        assert_eq!(row.digest(), digest_by("sha256sum", &content));
    }
    // A directory finds them too, in its own order.
    let walked = rows(&room, &["d"]);
    assert_eq!(walked.0.len(), seen.0.len());
    let (names, _) = listed(&room, &pfh::list::Request::new(input(&room, &["d/2", "d/0", "d/1"], |_| {})));
    assert!(names.iter().any(|(name, _)| name == "d/2+0+1!/data/sub/two"), "{names:?}");
    assert!(bytes(&request(&room, "d/0+1+2!/data/sub/two")) == random(2, 300_001));
    // With one of three there is nothing.
    let two = rows(&room, &["d/0", "d/2"]);
    let failed = two.0.iter().find(|row| row.name == "d/0+2!/data").expect("a problem");
    assert!(failed.cause().contains("missing devices: 1 of 3"), "{}", failed.cause());
}

#[test]
fn lists_and_trees_are_compared_with_it() {
    let Some(room) = stripes() else { return };
    let asked = asked(&room, &["d/0", "d/1", "d/2"], |options| options.members = true);
    let list = room.at("list");
    hash::write(&asked, &Manifest::new(list.clone()), &mut |_| Ok(()), &Control::new()).unwrap();
    assert_eq!(checked(&list), [2, 0, 0, 0]);
    let compared = || differing(&ran(&diff::Request::new(room.at("t"), room.at("d/0+1+2"))).1).len();
    assert_eq!(compared(), 0);
    // A byte of a file on one of them; then one of them gone.
    let mut disk = std::fs::read(room.at("d/1")).unwrap();
    let whole = random(2, 300_001);
    let place = disk.windows(64).position(|part| whole.chunks(512).any(|other| other.starts_with(part)));
    disk[place.expect("a block of the file")] ^= 1;
    std::fs::write(room.at("d/1"), &disk).unwrap();
    assert_eq!((checked(&list), compared()), ([1, 1, 0, 0], 1));
    std::fs::remove_file(room.at("d/1")).unwrap();
    assert_eq!(checked(&list), [0, 0, 2, 0]);
}
