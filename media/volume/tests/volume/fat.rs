//! FAT as mtools write it, exFAT as its FUSE program does.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pfh_inject::{Need, lacks};
use pfh_volume::{Allocation, Options};

use crate::image::{Bench, Mount, poke, run, text};
use crate::listing::{ALL, assert_same, bytes, fls, items, nodes, volume};
use crate::mutants;
use crate::tree::{self, noise};

const MIB: u64 = 1 << 20;

const TOOLS: [Need; 3] = [Need::Program("mkfs.vfat"), Need::Program("mcopy"), Need::Program("fls")];

fn copy_in(image: &Path, root: &Path) {
    let names: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut arguments = vec!["-i", text(image), "-s", "-m"];
    arguments.extend(names.iter().map(|path| text(path)));
    arguments.push("::/");
    run("mcopy", &arguments);
}

fn image(bench: &Bench, name: &str, size: u64, options: &[&str]) -> (PathBuf, PathBuf) {
    let root = bench.path("tree");
    if !root.exists() {
        tree::plain(&root);
        // mtools know no letters beyond 16 bits.
        let far = root.join("Many/deep/er/and/deeper");
        fs::rename(far.join("Grüße, 世界 😀.txt"), far.join("Grüße, 世界.txt")).unwrap();
        fs::write(root.join("SHORT.TXT"), b"short").unwrap();
        fs::write(root.join("lower.txt"), b"lower").unwrap();
    }
    let image = bench.blank(name, size);
    run("mkfs.vfat", &[options, &["-n", "LABEL", "-i", "cafe0123", text(&image)]].concat());
    copy_in(&image, &root);
    (image, root)
}

const KINDS: [(&str, u64, &[&str]); 4] = [
    ("FAT12", 24 * MIB, &["-F", "12", "-s", "16"]),
    ("FAT16", 40 * MIB, &["-F", "16", "-s", "4"]),
    ("FAT32", 80 * MIB, &["-F", "32", "-s", "1"]),
    ("FAT16", 80 * MIB, &["-F", "16", "-S", "4096", "-s", "1"]),
];

#[test]
fn what_went_in_comes_out() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    for (number, (kind, size, options)) in KINDS.into_iter().enumerate() {
        let (image, root) = image(&bench, &format!("image{number}"), size, options);
        let volume = volume(&image);
        assert_eq!((volume.kind, volume.id.as_str(), &volume.label[..]), (kind, "CAFE-0123", &b"LABEL"[..]));
        assert_eq!(volume.warnings, []);
        let found = items(&volume);
        assert_same(&found, &tree::items(&root));
        let listed = fls(&image, false);
        for path in found.keys() {
            let path = String::from_utf8(path.clone()).unwrap();
            assert!(listed.contains_key(&path), "fls does not list {path}");
        }
    }
}

#[test]
fn fragments_and_deleted_files() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    for (number, (_, size, options)) in KINDS.into_iter().enumerate().skip(1).take(2) {
        let (image, root) = image(&bench, &format!("image{number}"), size, options);
        // Holes all over, and files that fill them.
        for index in (1..400).step_by(2) {
            let name = format!("Many/file number {index:04}.txt");
            fs::remove_file(root.join(&name)).unwrap();
            run("mdel", &["-i", text(&image), &format!("::/{name}")]);
        }
        let more = bench.path(&format!("fragments{number}"));
        fs::create_dir(&more).unwrap();
        let left = nodes(&volume(&image), Options { deleted: false, unallocated: true }).0;
        let left = left.iter().filter(|node| node.path.starts_with(b"$Unallocated/")).filter_map(|node| node.size);
        let large = noise(1234, usize::try_from(left.sum::<u64>()).unwrap() - 50_000);
        fs::write(more.join("in pieces.bin"), &large).unwrap();
        copy_in(&image, &more);
        run("mdel", &["-i", text(&image), "::/large.dat"]);
        fs::remove_file(root.join("large.dat")).unwrap();
        fs::copy(more.join("in pieces.bin"), root.join("in pieces.bin")).unwrap();

        let volume = volume(&image);
        assert_same(&items(&volume), &tree::items(&root));
        let (all, failures) = nodes(&volume, ALL);
        assert_eq!(failures, []);
        let pieces = all.iter().find(|node| node.path == b"in pieces.bin").unwrap();
        let runs = pieces.content.as_ref().unwrap().runs().unwrap();
        assert!(runs.len() > 1, "{runs:?}");
        let deleted = all.iter().find(|node| node.path == b"_arge.dat").expect("the deleted file");
        assert_eq!((deleted.allocation, bytes(deleted) == noise(99, 2_500_000)), (Allocation::Deleted, true));
        // A file that was deleted before is listed, and its room went to the file in pieces.
        let overwritten = all.iter().filter(|node| node.allocation == Allocation::Overwritten).count();
        assert!(overwritten > 50, "{overwritten}");
        let listed = fls(&image, true);
        for node in all.iter().filter(|node| node.allocation != Allocation::Live) {
            let path = String::from_utf8(node.path.clone()).unwrap();
            assert!(listed.contains_key(&path), "fls does not list {path}");
        }
        fs::write(root.join("large.dat"), noise(99, 2_500_000)).unwrap();
        fs::remove_file(root.join("in pieces.bin")).unwrap();
        for index in (1..400_usize).step_by(2) {
            let content = format!("content {index}\n").repeat(index % 50);
            fs::write(root.join(format!("Many/file number {index:04}.txt")), content).unwrap();
        }
    }
}

#[test]
fn free_clusters_are_those_of_blkls() {
    if lacks(&[Need::Program("blkls"), TOOLS[0], TOOLS[1]]) {
        return;
    }
    let bench = Bench::new();
    let (image, _) = image(&bench, "image", KINDS[1].1, KINDS[1].2);
    let (all, failures) = nodes(&volume(&image), Options { deleted: false, unallocated: true });
    assert_eq!(failures, []);
    let free: Vec<u8> = all.iter().filter(|node| node.path.starts_with(b"$Unallocated/")).flat_map(bytes).collect();
    let blkls = std::process::Command::new("blkls").arg(text(&image)).output().unwrap().stdout;
    assert!(free == blkls[..free.len()], "{} and {}", free.len(), blkls.len());
    // The sectors behind the last whole cluster belong to none.
    assert!(blkls.len() - free.len() < 2048);
    let slack = all.iter().find(|node| node.path == b"$Slack/size 4097.bin").expect("slack");
    assert_eq!(slack.size, Some(2047));
}

/// The mark of the end written over the first letter of a name hides it and all names behind it.
#[test]
fn names_behind_the_end_of_a_directory_are_deleted_or_counted() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (image, root) = (bench.blank("image", 40 * MIB), bench.path("tree"));
    run("mkfs.vfat", &["-F", "16", "-s", "4", text(&image)]);
    fs::create_dir_all(root.join("SUB")).unwrap();
    let contents = [("A.TXT", noise(1, 3000)), ("B.TXT", noise(2, 9000)), ("SUB/C.TXT", noise(3, 20_000))];
    for (name, content) in &contents {
        fs::write(root.join(name), content).unwrap();
        run("mcopy", &["-i", text(&image), text(&root.join(name)), "::/"]);
        if name.starts_with("B") {
            run("mmd", &["-i", text(&image), "::/SUB"]);
        }
    }
    run("mmove", &["-i", text(&image), "::/C.TXT", "::/SUB"]);
    let raw = fs::read(&image).unwrap();
    let place = raw.windows(11).position(|name| name == b"B       TXT").unwrap() as u64;
    poke(&image, place, &[0]);

    let volume = volume(&image);
    let (live, failures) = nodes(&volume, Options::default());
    assert_eq!(live.iter().map(|node| &node.path[..]).collect::<Vec<_>>(), [b"A.TXT"]);
    let [failed] = &failures[..] else { panic!("{failures:?}") };
    assert!(failed.offset == Some(place) && failed.cause.contains("behind the end"), "{failed:?}");

    let (all, failures) = nodes(&volume, ALL);
    assert_eq!(failures, []);
    for (name, content) in [(&b"_.TXT"[..], &contents[1].1), (b"SUB/C.TXT", &contents[2].1)] {
        let node = all.iter().find(|node| node.path == name).unwrap_or_else(|| panic!("{name:?}"));
        assert_eq!((node.allocation, &bytes(node) == content), (Allocation::Deleted, true), "{name:?}");
    }
    // The chains are in use, and no live file has them: B, the directory and C.
    let all = nodes(&volume, Options { deleted: false, unallocated: true }).0;
    let lost = all.iter().filter(|node| node.path.starts_with(b"$Lost/"));
    let lost: u64 = lost.map(|node| bytes(node).len() as u64).sum();
    assert_eq!(lost, 2048 * (9000_u64.div_ceil(2048) + 1 + 20_000_u64.div_ceil(2048)));
}

/// The same for exFAT, whose sets have checksums.
#[test]
fn sets_behind_the_end_of_an_exfat_directory() {
    if lacks(&[Need::Program("mkfs.exfat"), Need::Program("mount.exfat-fuse"), Need::Fuse, Need::Loop]) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("image", 16 * MIB);
    run("mkfs.exfat", &[text(&image)]);
    let mount = Mount::new(&bench, "mount.exfat-fuse", &["-d"], &image, "mount");
    for (name, seed) in [("first", 1), ("second", 2), ("third", 3)] {
        fs::write(mount.path.join(name), noise(seed, 10_000)).unwrap();
    }
    fs::write(mount.path.join("secret.PFILE"), b"ciphertext").unwrap();
    mount.end();
    let before = volume(&image);
    let (live, failures) = nodes(&before, Options::default());
    assert_eq!((live.len(), failures), (4, vec![]));
    let closed = live.iter().find(|node| node.path == b"secret.PFILE").unwrap().content.as_ref().unwrap().open();
    assert!(closed.is_err_and(|failed| failed.cause.contains("encrypted (EFS")));
    let lost = |volume| {
        let all = nodes(volume, Options { deleted: false, unallocated: true }).0;
        all.iter().filter(|node| node.path.starts_with(b"$Lost/")).map(|node| node.size.unwrap()).sum::<u64>()
    };
    assert_eq!(lost(&before), 0);
    // The record of the second file's set: its name is three records behind.
    let raw = fs::read(&image).unwrap();
    let name: Vec<u8> = "second".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let place = raw.windows(name.len()).position(|part| part == name).unwrap() as u64 - 2 - 64;
    poke(&image, place, &[0]);
    let after = volume(&image);
    let (live, failures) = nodes(&after, Options::default());
    assert_eq!((live.len(), failures.len()), (1, 1), "{failures:?}");
    let all = nodes(&after, ALL).0;
    let third = all.iter().find(|node| node.path == b"third").expect("behind the end");
    assert_eq!((third.allocation, bytes(third) == noise(3, 10_000)), (Allocation::Deleted, true));
    assert!(lost(&after) > 20_000);
}

#[test]
fn exfat_as_it_is_mounted() {
    if lacks(&[Need::Program("mkfs.exfat"), Need::Program("mount.exfat-fuse"), Need::Fuse, Need::Loop]) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("image", 64 * MIB);
    run("mkfs.exfat", &["-L", "Grüße", text(&image)]);
    let mount = Mount::new(&bench, "mount.exfat-fuse", &["-d"], &image, "mount");
    tree::plain(&mount.path);
    // Fragments: two files that grow in turns.
    for round in 0..30 {
        for file in 0..2 {
            let path = mount.path.join(format!("grown{file}"));
            let mut open = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
            std::io::Write::write_all(&mut open, &noise(round * 2 + file, 9000)).unwrap();
        }
    }
    fs::remove_file(mount.path.join("large.dat")).unwrap();
    fs::remove_dir_all(mount.path.join("Many/deep")).unwrap();
    let expected = tree::items(&mount.path);
    mount.end();
    let volume = volume(&image);
    assert_eq!((volume.kind, &volume.label[..]), ("exFAT", "Grüße".as_bytes()));
    assert_same(&items(&volume), &expected);
    let (all, failures) = nodes(&volume, ALL);
    assert_eq!(failures, []);
    let large = all.iter().find(|node| node.path == b"large.dat").expect("the deleted file");
    assert_eq!((large.allocation, bytes(large) == noise(99, 2_500_000)), (Allocation::Deleted, true));
    let far = all.iter().find(|node| node.path.ends_with("Grüße, 世界 😀.txt".as_bytes())).expect("a deleted tree");
    assert_eq!((far.allocation, bytes(far)), (Allocation::Deleted, b"far down".to_vec()));
    let listed = fls(&image, true);
    assert!(listed.contains_key("large.dat"), "{listed:?}");
}

#[test]
fn chains_that_contradict_the_size_are_failures() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (image, root) = image(&bench, "image", KINDS[1].1, KINDS[1].2);
    let live = nodes(&volume(&image), Options::default()).0;
    let first = |name: &[u8]| live.iter().find(|node| node.path == name).unwrap().id.unwrap();
    let table = 4 * 512; // Reserved sectors: mkfs.vfat leaves as many as a cluster has.
    // A chain that leads to itself, one that ends early, one that leaves the volume.
    let (circle, short, beyond) = (first(b"large.dat"), first(b"size 300000.bin"), first(b"size 70000.bin"));
    poke(&image, table + 2 * circle, &u16::try_from(circle).unwrap().to_le_bytes());
    poke(&image, table + 2 * short, &0xffff_u16.to_le_bytes());
    poke(&image, table + 2 * beyond, &0xfff0_u16.to_le_bytes());
    let (all, failures) = nodes(&volume(&image), Options::default());
    assert_eq!((failures, all.len()), (vec![], tree::items(&root).len()));
    for (name, cause) in [(&b"size 300000.bin"[..], "ends after 2048"), (b"size 70000.bin", "not one of the volume's")]
    {
        let node = all.iter().find(|node| node.path == name).unwrap();
        let Err(failed) = node.content.as_ref().unwrap().open() else { panic!("it opens") };
        assert!(failed.cause.contains(cause) && failed.path == name, "{failed:?}");
    }
    let node = all.iter().find(|node| node.path == b"large.dat").unwrap();
    assert!(node.content.as_ref().unwrap().open().is_err());
}

/// 9 + 250 is 3 in eight bits; cargo-fuzz found it.
#[test]
fn a_file_that_calls_itself_a_label_is_a_file_and_a_lost_signature_is_named() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    for (number, (_, size, options)) in KINDS.into_iter().enumerate().take(3) {
        let (image, _) = image(&bench, &format!("image{number}"), size, options);
        let raw = fs::read(&image).unwrap();
        let record = raw.windows(11).position(|name| name == b"SHORT   TXT").expect("its record") as u64;
        for attributes in [0x08, 0x18] {
            poke(&image, record + 11, &[attributes]);
            let (found, failures) = nodes(&volume(&image), Options::default());
            let short = found.iter().find(|node| node.path == b"SHORT.TXT").expect("a file");
            assert_eq!((bytes(short), failures), (b"short".to_vec(), Vec::new()));
        }
        poke(&image, record + 11, &[0x0f]);
        let (_, failures) = nodes(&volume(&image), Options::default());
        assert!(failures.iter().any(|failed| failed.cause.contains("a part of a long name")), "{failures:?}");
        poke(&image, record + 11, &[0x20]);
        poke(&image, 510, &[0, 0]);
        let opened = volume(&image);
        assert!(opened.warnings.iter().any(|failed| failed.cause.contains("no signature")), "{:?}", opened.warnings);
        assert!(nodes(&opened, Options::default()).0.iter().any(|node| node.path == b"SHORT.TXT"));
    }
}

#[test]
fn clusters_of_an_impossible_size_are_a_failure() {
    for (sector, cluster) in [(9, 250), (12, 244), (12, 14), (9, 17), (13, 0), (8, 0), (255, 255)] {
        let mut medium = vec![0; 65536];
        medium[3..11].copy_from_slice(b"EXFAT   ");
        medium[108..110].copy_from_slice(&[sector, cluster]);
        let failure = pfh_volume::file_system(Arc::new(medium)).err().expect("a failure");
        assert!(failure.cause.contains("of a size that no system writes"), "{sector}, {cluster}: {failure}");
    }
}

#[test]
fn mutants_end() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("small");
    fs::create_dir_all(root.join("a/b/c with a longer name")).unwrap();
    for index in 0..30_usize {
        fs::write(root.join(format!("a/file number {index}")), noise(index as u64, index * 1500)).unwrap();
    }
    for (number, options) in
        [["-F", "12", "-s", "8"], ["-F", "16", "-s", "1"], ["-F", "32", "-s", "1"]].iter().enumerate()
    {
        let image = bench.blank(&format!("image{number}"), if number == 2 { 40 * MIB } else { 8 * MIB });
        run("mkfs.vfat", &[&options[..], &[text(&image)]].concat());
        copy_in(&image, &root);
        run("mdel", &["-i", text(&image), "::/a/file number 7"]);
        mutants::survive(&image, &[0..512, 0..200_000]);
    }
    if lacks(&[Need::Program("mkfs.exfat"), Need::Program("mount.exfat-fuse"), Need::Fuse, Need::Loop]) {
        return;
    }
    let image = bench.blank("exfat", 8 * MIB);
    run("mkfs.exfat", &[text(&image)]);
    let mount = Mount::new(&bench, "mount.exfat-fuse", &["-d"], &image, "mount");
    run("cp", &["-r", text(&root.join("a")), text(&mount.path)]);
    fs::remove_file(mount.path.join("a/file number 7")).unwrap();
    mount.end();
    mutants::survive(&image, &[0..512, MIB..MIB + 65536, 2 * MIB..3 * MIB]);
}
