//! An array over several images: listed, hashed, checked, read and compared under the name of all.

use crate::diff_sides::{differing, ran};
use crate::inside::{asked, input, listed, rows};
use crate::room::Room;
use pfh::hash::{self, Manifest};
use pfh::{Control, cat, check, diff};
use pfh_inject::{Need, digest_by, lacks, random};

const CHUNK: usize = 64 << 10;

/// A member of a RAID 0 of Linux, with its superblock at byte 4096 and its data behind 1 MiB.
fn member(role: u16, devices: u32, data: &[u8]) -> Vec<u8> {
    let mut sb = vec![0; 256 + 8];
    let mut put = |at: usize, bytes: &[u8]| sb[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &0xa92b_4efc_u32.to_le_bytes());
    put(4, &1_u32.to_le_bytes());
    put(16, b"an array of pfh!");
    put(32, b"box:data");
    put(88, &(CHUNK as u32 / 512).to_le_bytes());
    put(92, &devices.to_le_bytes());
    put(128, &2048_u64.to_le_bytes());
    put(136, &(data.len() as u64 / 512).to_le_bytes());
    put(144, &8_u64.to_le_bytes());
    put(160, &u32::from(role).to_le_bytes());
    put(208, &u64::MAX.to_le_bytes());
    put(220, &4_u32.to_le_bytes());
    for role in 0..4_u16 {
        put(256 + 2 * usize::from(role), &role.to_le_bytes());
    }
    let sum: u64 = sb.chunks(4).map(|word| u64::from(u32::from_le_bytes(word.try_into().unwrap()))).sum();
    let sum = (sum as u32).wrapping_add((sum >> 32) as u32);
    sb[216..220].copy_from_slice(&sum.to_le_bytes());
    let mut image = vec![0; 1 << 20];
    image[4096..4096 + sb.len()].copy_from_slice(&sb);
    image.extend_from_slice(data);
    image
}

/// A tree `t`, and an ext4 of it in stripes over `d/0`, `d/1` and `d/2`.
fn stripes() -> Option<Room> {
    if lacks(&[Need::Program("mke2fs")]) {
        return None;
    }
    let room = Room::new();
    room.file("t/one", &random(1, 5000));
    room.file("t/sub/two", &random(2, 300_001));
    room.sh("truncate -s 6M fs && mke2fs -q -F -t ext4 -d t fs && mkdir d");
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    let content = std::fs::read(room.at("fs")).unwrap();
    content.chunks(CHUNK).zip((0..3).cycle()).for_each(|(chunk, part)| parts[part].extend_from_slice(chunk));
    for (role, part) in parts.iter().enumerate() {
        room.file(format!("d/{role}"), &member(role as u16, 3, part));
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
    let mut bytes = Vec::new();
    let name = room.at("d/0+1+2!/data/sub/two").display().to_string();
    let mut take = |event: cat::Event<'_>| {
        if let cat::Event::Bytes(part) = event {
            bytes.extend_from_slice(part);
        }
        Ok(())
    };
    cat::run(&cat::Request::new(name.into_bytes()), &mut take, &Control::new()).unwrap();
    assert!(bytes == random(2, 300_001));
    // With one of three there is nothing.
    let two = rows(&room, &["d/0", "d/2"]);
    let failed = two.0.iter().find(|row| row.name == "d/0+2!/data").expect("a problem");
    assert!(failed.cause().contains("missing devices: 1 of 3"), "{}", failed.cause());
}

#[test]
fn lists_and_trees_are_compared_with_it() {
    let Some(room) = stripes() else { return };
    let request = asked(&room, &["d/0", "d/1", "d/2"], |options| options.members = true);
    let list = room.at("list");
    hash::write(&request, &Manifest::new(list.clone()), &mut |_| Ok(()), &Control::new()).unwrap();
    let checked = || {
        let summary = check::run(&check::Request::new(list.clone()), &mut |_| Ok(()), &Control::new()).unwrap();
        match &summary.parts[0].findings {
            check::Findings::Files(files) => [files.right, files.different, files.missing, files.unread],
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(checked(), [2, 0, 0, 0]);
    let compared = || differing(&ran(&diff::Request::new(room.at("t"), room.at("d/0+1+2"))).1).len();
    assert_eq!(compared(), 0);
    // A byte of a file on one of them; then one of them gone.
    let mut disk = std::fs::read(room.at("d/1")).unwrap();
    let whole = random(2, 300_001);
    let place = disk.windows(64).position(|part| whole.chunks(512).any(|other| other.starts_with(part)));
    disk[place.expect("a block of the file")] ^= 1;
    std::fs::write(room.at("d/1"), &disk).unwrap();
    assert_eq!((checked(), compared()), ([1, 1, 0, 0], 1));
    std::fs::remove_file(room.at("d/1")).unwrap();
    assert_eq!(checked(), [0, 0, 2, 0]);
}
