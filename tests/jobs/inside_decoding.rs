//! Contents that several threads decode ahead: the same rows as one thread gives, of sound and of
//! damaged containers.

use crate::inside::{asked, ran};
use crate::room::Room;
use pfh::Plan;
use pfh_inject::{Need, digest_by, lacks, mutants, random};

/// The programs that make the containers.
const TOOLS: &[Need] = &[
    Need::Program("mksquashfs"),
    Need::Program("mkfs.erofs"),
    Need::Program("mkfs.ext4"),
    Need::Program("qemu-img"),
    Need::Program("zip"),
    Need::Program("tar"),
    Need::Program("ewfacquire"),
    Need::Program("xz"),
    Need::Program("bzip2"),
    Need::Program("pzstd"),
    Need::Program("lz4"),
    Need::Program("lzip"),
    Need::Program("7z"),
];
const CONTAINERS: [&str; 17] = [
    "a.sqsh",
    "a.erofs",
    "a.raw",
    "a.E01",
    "a.qcow2",
    "a.zip",
    "a.tgz",
    "a.txz",
    "a.tbz",
    "a.tzst",
    "p.tzst",
    "a.tlz4",
    "a.tlz",
    "a.7z",
    "filtered.7z",
    "folders.7z",
    "apart.7z",
];
/// Threads and bytes of memory: the least that is taken, and all.
const PLANS: [(usize, usize); 4] = [(2, 128 << 20), (2, 1 << 20), (8, 128 << 20), (8, 4 << 20)];

/// Names, digests and problems, one a line.
fn rows(room: &Room, container: &str, (threads, memory): (usize, usize)) -> Vec<String> {
    let request = asked(room, &[container], |_| {});
    let plan = Plan { threads, memory, ..request.plan.clone() };
    let (rows, _) = ran(room, &request.plan(plan));
    rows.iter().map(|row| format!("{} {:?} {:?}", row.name, row.found, row.size)).collect()
}

/// Files of many sizes: none, parts of a fragment, whole blocks, more than a piece; a picture of an
/// archive within.
fn tree(room: &Room) -> Vec<(String, Vec<u8>)> {
    let sizes = [0, 1, 511, 4096, 70_000, 131_072, 262_144, 262_145, 1 << 20, (1 << 20) + 1, 3_500_000];
    let mut files = Vec::new();
    for (number, size) in sizes.into_iter().enumerate() {
        // Half noise, half text, so that blocks are stored and packed.
        let mut bytes = random(number as u64, size);
        bytes[size / 2..].iter_mut().for_each(|byte| *byte = b'a' + (*byte & 7));
        files.push((format!("d{}/f{number}", number % 3), bytes));
    }
    for number in 0..300 {
        let bytes = format!("the small file {number}\n").repeat(number % 40);
        files.push((format!("many/s{number}"), bytes.into_bytes()));
    }
    // Directories that are looked at ahead.
    for number in 0..90 {
        let bytes = random(2000 + number, number as usize * 97);
        files.push((format!("deep/{}/{}/x{number}", number % 9, number % 5), bytes));
    }
    files.iter().for_each(|(name, bytes)| _ = room.file(format!("t/{name}"), bytes));
    room.sh("mkdir u && cp t/many/s7 u && (cd u && zip -q ../t/d1/inner.zip s7)");
    files
}

fn containers(room: &Room) {
    room.sh("mksquashfs t a.sqsh -noappend -quiet -no-progress >/dev/null && mkfs.erofs --quiet -zlz4 a.erofs t");
    room.sh("truncate -s 48M a.raw && mkfs.ext4 -q -O ^has_journal -d t a.raw && tar -czf a.tgz t && (cd t && zip -qr ../a.zip .)");
    // Streams that are cut where blocks, frames and dictionaries begin, and one that is not.
    room.sh("tar -cf u.tar t && xz -T2 -1 --block-size=256KiB -c u.tar >a.txz && bzip2 -1 -c u.tar >a.tbz && zstd -q -1 -c u.tar >a.tzst");
    room.sh("for n in 0 1 2; do dd if=u.tar bs=3M skip=$n count=1 status=none >p && pzstd -q -1 -c p; done >p.tzst; dd if=u.tar bs=3M skip=3 status=none >p && pzstd -q -1 -c p >>p.tzst");
    room.sh("lz4 -q -B4 -c u.tar >a.tlz4 && lzip -1 -b 600KiB -c u.tar >a.tlz && 7z a -bso0 -bsp0 -mx1 -m0=lzma2:c=1m a.7z u.tar && 7z a -bso0 -bsp0 -mx1 -mf=bcj -m0=lzma filtered.7z t");
    // Several folders: of many members and of one each.
    room.sh(
        "7z a -bso0 -bsp0 -mx1 -m0=lzma -ms=700k folders.7z t && 7z a -bso0 -bsp0 -mx1 -m0=ppmd -ms=off apart.7z t",
    );
    room.sh("qemu-img convert -c -O qcow2 a.raw a.qcow2 && ewfacquire -u -q -t a -c fast a.raw >/dev/null 2>&1");
}

#[test]
fn any_number_of_threads_gives_the_rows_of_one() {
    if lacks(TOOLS) {
        return;
    }
    let room = Room::new();
    let files = tree(&room);
    containers(&room);
    for container in CONTAINERS {
        let alone = rows(&room, container, (1, 128 << 20));
        for plan in PLANS {
            assert_eq!(rows(&room, container, plan), alone, "{container} {plan:?}");
        }
        for (name, bytes) in &files {
            let digest = digest_by("sha256sum", bytes);
            let is_there = alone.iter().any(|row| row.contains(&format!("/{name} ")) && row.contains(&digest));
            assert!(is_there, "{container}: {name} {digest}");
        }
        assert!(alone.iter().any(|row| row.contains("inner.zip!/s7 ")), "{container}: a container in it");
    }
}

/// The part of the work that one thread does is stated where others decode ahead of it.
#[test]
fn the_time_of_listing_is_stated() {
    if lacks(&TOOLS[5..6]) {
        return;
    }
    let room = Room::new();
    tree(&room);
    room.sh("tar -cf a.tar t");
    for threads in [1, 2, 8] {
        let request = asked(&room, &["a.tar"], |_| {});
        let plan = Plan { threads, ..request.plan.clone() };
        let (_, summary) = ran(&room, &request.plan(plan));
        assert_eq!(summary.stats.names.is_zero(), threads == 1, "{threads} threads");
    }
}

#[test]
fn damage_is_where_one_thread_finds_it() {
    if lacks(TOOLS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    containers(&room);
    let each = mutants() / 60;
    for (number, container) in CONTAINERS.into_iter().enumerate() {
        let sound = std::fs::read(room.at(container)).unwrap();
        for mutant in 0..each {
            let mut bytes = sound.clone();
            for place in random(1000 * number as u64 + mutant, 24).chunks(8) {
                let place = u64::from_le_bytes(place.try_into().unwrap()) as usize % bytes.len();
                bytes[place] ^= 0x55;
            }
            if mutant % 4 == 3 {
                bytes.truncate(bytes.len() / 8 * 7);
            }
            std::fs::write(room.at(container), &bytes).unwrap();
            let alone = rows(&room, container, (1, 128 << 20));
            for plan in [PLANS[0], PLANS[3]] {
                assert_eq!(rows(&room, container, plan), alone, "{container} {mutant} {plan:?}");
            }
        }
    }
}
