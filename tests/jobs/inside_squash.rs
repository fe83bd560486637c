//! Squashfs in an image, on a partition and in an archive: listed, hashed, checked and read.

use crate::cat::{bytes, request};
use crate::inside::{asked, checked, found, input, listed};
use crate::room::Room;
use pfh::Control;
use pfh::hash::{self, Manifest};
use pfh_inject::{Need, digest_by, lacks, random};

#[test]
fn files_of_squashfs_are_listed_hashed_checked_and_read() {
    if lacks(&[Need::Program("mksquashfs"), Need::Program("sfdisk")]) {
        return;
    }
    let room = Room::new();
    let (one, two) = (random(1, 5000), random(2, 300_001));
    room.file("t/one", &one);
    room.file("t/sub/two", &two);
    room.sh("mksquashfs t a.snap -noappend -quiet -no-progress -comp xz");
    room.sh("truncate -s 18M disk && printf '2048,32768,83\\n' | sfdisk -q disk");
    room.sh("dd if=a.snap of=disk bs=1M seek=1 conv=notrunc status=none && tar -cf all.tar a.snap");
    for (image, before) in [("a.snap", ""), ("disk", "p1/"), ("all.tar", "a.snap!/")] {
        let found = found(&room, image);
        for (name, content) in [("one", &one), ("sub/two", &two)] {
            assert_eq!(found.get(&format!("{before}{name}")), Some(&digest_by("sha256sum", content)), "{found:?}");
        }
    }
    let (names, _) = listed(&room, &pfh::list::Request::new(input(&room, &["a.snap"], |_| {})));
    assert!(names.iter().any(|(name, _)| name == "a.snap!/sub/two"), "{names:?}");
    assert!(bytes(&request(&room, "a.snap!/sub/two")) == two);
    let list = room.at("list");
    let asked = asked(&room, &["a.snap"], |options| options.members = true);
    hash::write(&asked, &Manifest::new(list.clone()), &mut |_| Ok(()), &Control::new()).unwrap();
    assert_eq!(checked(&list), [2, 0, 0, 0]);
    // A byte of a compressed block: no digest of anything else, but an error.
    let mut raw = std::fs::read(room.at("a.snap")).unwrap();
    raw[100_000] ^= 1;
    std::fs::write(room.at("a.snap"), raw).unwrap();
    assert_eq!(checked(&list)[0], 1);
}
