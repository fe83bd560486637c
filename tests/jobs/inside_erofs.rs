//! Volumes behind programs (AppImages), of squashfs and of EROFS: listed, hashed and read.

use crate::cat::{bytes, request};
use crate::inside::found;
use crate::room::Room;
use pfh_inject::{Need, digest_by, lacks, random};

#[test]
fn files_of_appimages_are_hashed_and_read() {
    if lacks(&[Need::Program("mksquashfs"), Need::Program("mkfs.erofs")]) {
        return;
    }
    let room = Room::new();
    let (one, two) = (random(1, 5000), random(2, 300_001));
    room.file("t/one", &one);
    room.file("t/sub/two", &two);
    // A program of a header alone.
    let mut program = vec![0; 64];
    program[..6].copy_from_slice(b"\x7fELF\x02\x01");
    program[0x28] = 64;
    room.file("program", &program);
    room.sh("mksquashfs t volume.sq -noappend -quiet -no-progress && mkfs.erofs --quiet -zlz4 volume.er t");
    for kind in ["sq", "er"] {
        let name = format!("{kind}.AppImage");
        room.sh(&format!("cat program volume.{kind} > {name}"));
        for image in [name.clone(), format!("volume.{kind}")] {
            let found = found(&room, &image);
            for (name, content) in [("one", &one), ("sub/two", &two)] {
                assert_eq!(found.get(name), Some(&digest_by("sha256sum", content)), "{found:?}");
            }
        }
        assert!(bytes(&request(&room, &format!("{name}!/sub/two"))) == two);
    }
}
