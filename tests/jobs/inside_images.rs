//! File systems in images: images that were cut off, space that no file has, and left-out entries.

use crate::inside::{asked, found, input, listed, ran, row, rows};
use crate::room::Room;
use pfh::list::{self, NameChoice};
use pfh_inject::{Need, digest_by, lacks, random};
use std::collections::BTreeSet;
use std::fs;

const NEEDS: &[Need] = &[
    Need::Program("mke2fs"),
    Need::Program("mkfs.vfat"),
    Need::Program("mcopy"),
    Need::Program("sfdisk"),
    Need::Program("blkls"),
];

fn sha256(bytes: &[u8]) -> String {
    digest_by("sha256sum", bytes)
}

#[test]
fn an_image_need_not_end_with_a_sector() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    let (one, two) = (random(1, 5000), random(2, 300_001));
    room.file("t/one", &one);
    room.file("t/sub/two", &two);
    // 100 bytes beyond the last sector, and one less than a block.
    room.sh("truncate -s 9000100 ext && mke2fs -q -F -t ext4 -d t ext");
    room.sh("truncate -s 4M fat && mkfs.vfat fat >/dev/null && mcopy -s -i fat t/one t/sub :: && printf tail >>fat");
    room.sh("truncate -s 16M disk && printf '2048,20480,83\n' | sfdisk -q disk");
    room.sh("dd if=ext of=disk bs=1M seek=1 conv=notrunc status=none && printf tail >>disk; gzip -k ext disk");
    for image in ["ext", "fat", "disk", "ext.gz", "disk.gz"] {
        let inner = image.strip_suffix(".gz").map_or(String::new(), |inner| format!("{inner}!/"));
        let part = if image.starts_with("disk") { "p1/" } else { "" };
        let found = found(&room, image);
        for (name, content) in [("one", &one), ("sub/two", &two)] {
            assert_eq!(found.get(&format!("{inner}{part}{name}")), Some(&sha256(content)), "{image}: {found:?}");
        }
    }
}

/// Each file behind the cut is a problem, and each file before it has its digest.
#[test]
fn an_image_that_was_cut_off_has_problems() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    for number in 0..40 {
        room.file(format!("t/{number:02}"), &random(number, 200_000));
    }
    room.sh("truncate -s 16M ext && mke2fs -q -F -t ext4 -d t ext && head -c 6000001 ext >cut");
    let whole = found(&room, "ext");
    assert_eq!(whole.len(), 40);
    let (rows, _) = rows(&room, &["cut"]);
    let start = row(&rows, "cut!/");
    assert!(start.cause().contains("the volume only 6000001"), "{start:?}");
    let (mut right, mut failed) = (0, 0);
    for (name, row) in rows.iter().filter_map(|row| Some((row.name.strip_prefix("cut!/")?, row))) {
        match row.found.is_ok() {
            true => assert_eq!(row.digest(), whole[name]),
            false if name.is_empty() => continue,
            false => failed += 1,
        }
        right += usize::from(row.found.is_ok());
    }
    assert!(right > 0 && right < 40 && right + failed == 40, "{right} {failed}");
}

/// Letters that stand where a magic does make no text an image.
#[test]
fn texts_are_no_images() {
    let room = Room::new();
    let mut digits = vec![b'4'; 40_001];
    digits[510..512].copy_from_slice(b"55");
    room.file("digits", &digits);
    let mut letters = "ABCDEFGH".repeat(5001).into_bytes();
    letters[1024..1026].copy_from_slice(b"BD");
    room.file("letters", &letters);
    for text in ["digits", "letters"] {
        let (rows, summary) = rows(&room, &[text]);
        assert_eq!((rows.len(), summary.hashed, summary.failed, summary.unopened), (1, 1, 0, 0), "{rows:?}");
    }
}

/// A disk with two partitions: at 1 MiB an ext4 file system with a file of 100 bytes and noise in
/// its free blocks, at 6 MiB a FAT one; gaps before, between and behind.
fn disk(room: &Room) -> Vec<u8> {
    room.file("tree/small", &random(1, 100));
    room.file("tree/sub/large", &random(2, 300_001));
    room.sh("truncate -s 4M ext && mke2fs -q -F -t ext4 -b 4096 -d tree ext");
    room.sh("truncate -s 2M fat && mkfs.vfat fat >/dev/null");
    let mut disk = random(3, 10 << 20);
    let mut ext = fs::read(room.at("ext")).unwrap();
    // Noise in the free blocks, and behind the small file.
    let free = room.sh("blkls -l ext");
    for line in String::from_utf8(free).unwrap().lines() {
        if let Some((Ok(block), "f")) = line.split_once('|').map(|(block, state)| (block.parse::<usize>(), state)) {
            ext[block * 4096..(block + 1) * 4096].copy_from_slice(&random(block as u64, 4096));
        }
    }
    let small = random(1, 100);
    let at = (0..ext.len()).step_by(4096).find(|at| ext[*at..].starts_with(&small)).unwrap();
    ext[at + 100..at + 4096].copy_from_slice(&random(9, 3996));
    room.file("ext", &ext);
    disk[1 << 20..5 << 20].copy_from_slice(&ext);
    disk[6 << 20..8 << 20].copy_from_slice(&fs::read(room.at("fat")).unwrap());
    // The first sector is the table's.
    disk[..512].fill(0);
    room.file("disk", &disk);
    room.sh("printf '2048,8192,83\n12288,4096,c\n' | sfdisk -q disk");
    fs::read(room.at("disk")).unwrap()
}

#[test]
fn space_that_no_file_has_is_hashed_where_it_lies() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    let disk = disk(&room);
    let (all, summary) = ran(&room, &asked(&room, &["disk"], |options| options.unallocated = true));
    assert_eq!(summary.failed, 0, "{all:?}");
    let is_free = |name: &str| name.ends_with("!unallocated") || name.ends_with("!slack");
    let mut names = BTreeSet::new();
    let mut covered = [0; 3];
    for row in all.iter().filter(|row| row.found.is_ok()) {
        assert!(names.insert(&row.name), "twice: {}", row.name);
        assert_eq!(row.inside.as_ref().is_some_and(|inside| inside.unallocated), is_free(&row.name), "{}", row.name);
        let Some(name) = row.name.strip_suffix("!unallocated") else { continue };
        let base = row.inside.as_ref().and_then(|inside| inside.volume_offset).unwrap_or(0);
        let from = (base + name.rsplit('/').next().unwrap().parse::<u64>().unwrap()) as usize;
        let size = row.size.unwrap() as usize;
        assert_eq!(row.digest(), sha256(&disk[from..from + size]), "{}", row.name);
        let place = ["disk!/p1/", "disk!/p2/"].iter().position(|part| name.starts_with(part));
        covered[place.unwrap_or(2)] += size;
    }
    // Free blocks as blkls has them; gaps of 1 MiB in front, 1 MiB between, 2 MiB behind.
    let [ext, fat] = ["blkls ext", "blkls fat"].map(|line| room.sh(line).len());
    assert_eq!([covered[0], covered[2]], [ext, 4 << 20], "{names:?}");
    // blkls takes sectors behind the last cluster that are too few for one.
    assert!(covered[1] <= fat && fat - covered[1] < 2048, "{names:?}");
    assert_eq!(row(&all, "disk!/p1/small!slack").digest(), sha256(&random(9, 3996)));
    // Live files are the same as without, and come first in each file system.
    let (without, _) = rows(&room, &["disk"]);
    let live: Vec<&str> = all.iter().map(|row| &*row.name).filter(|name| !is_free(name)).collect();
    assert_eq!(live, without.iter().map(|row| &*row.name).collect::<Vec<_>>());
    let of_first = |name: &str| name.starts_with("disk!/p1/");
    let first_free = all.iter().position(|row| of_first(&row.name) && is_free(&row.name));
    let last_live = all.iter().rposition(|row| of_first(&row.name) && !is_free(&row.name));
    assert!(first_free > last_live);
    // A list has it only when it is asked for.
    let of = |unallocated: bool, only: NameChoice| {
        let input = input(&room, &["disk"], |options| options.unallocated = unallocated);
        let (names, _) = listed(&room, &list::Request::new(input).only(only));
        (names.iter().filter(|(name, _)| is_free(name)).count(), names.len())
    };
    assert_eq!(of(false, NameChoice::All).0, 0);
    let (free, all) = of(true, NameChoice::All);
    assert!(free > 4 && all > free);
    assert_eq!(of(false, NameChoice::Unallocated), (free, free));
    assert_eq!(of(true, NameChoice::Live).0, 0);
}

#[test]
fn a_container_that_takes_too_long_is_a_problem_and_the_rest_comes() {
    if lacks(&[Need::Program("zstd"), Need::Program("zip"), Need::Time]) {
        return;
    }
    let room = Room::new();
    room.sh("head -c 6G /dev/zero | zstd -q -1 -o a.zst");
    room.file("in", "zip");
    room.sh("zip -q b.zip in");
    let request = asked(&room, &["a.zst", "b.zip"], |options| options.time = Some(std::time::Duration::from_secs(1)));
    let (rows, _) = ran(&room, &request);
    let late = row(&rows, "a.zst!/a");
    assert!(late.code() == "inside" && late.cause().contains("more than 1 seconds"), "{late:?}");
    assert_eq!(row(&rows, "b.zip!/in").digest(), sha256(b"zip"));
    assert!(row(&rows, "a.zst").found.is_ok(), "the file itself is a file");
}

/// Containers of the input are left out on request, and nothing else.
#[test]
fn members_are_without_their_containers() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("zip")]) {
        return;
    }
    let room = Room::new();
    room.file("t/one", &random(1, 5000));
    room.file("t/two", &random(2, 300_001));
    room.file("plain", &random(3, 70_000));
    room.sh("truncate -s 9M ext && mke2fs -q -F -t ext4 -d t ext && zip -q inner.zip plain \
        && zip -q outer.zip inner.zip t/one && rm inner.zip \
        && truncate -s 64k locked && printf '\\353X\\220-FVE-FS-' | dd of=locked conv=notrunc status=none");
    let inputs = ["ext", "outer.zip", "plain", "locked"];
    let (all, counts) = rows(&room, &inputs);
    let locked = row(&all, "locked!/");
    assert!(locked.cause().contains("is encrypted (BitLocker)") && counts.failed == 1, "{locked:?}");
    let (members, counts) = ran(&room, &asked(&room, &inputs, |options| options.members = true));
    assert_eq!((counts.failed, counts.unopened), (1, 1));
    let names = |rows: &[crate::inside::Row]| rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
    let mut wanted = names(&all);
    assert!(wanted.contains(&"ext".into()) && wanted.contains(&"outer.zip".into()));
    wanted.retain(|name| name != "ext" && name != "outer.zip");
    for name in ["ext!/two", "outer.zip!/inner.zip", "outer.zip!/inner.zip!/plain", "plain", "locked"] {
        assert!(wanted.iter().any(|one| one == name), "{name}: {wanted:?}");
    }
    assert_eq!(names(&members), wanted);
    assert!(members.iter().all(|one| row(&all, &one.name).found == one.found));
}
