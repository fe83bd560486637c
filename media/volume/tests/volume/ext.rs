//! ext2, ext3 and ext4 as mke2fs, the kernel and debugfs write them.

use std::fs;
use std::path::{Path, PathBuf};

use pfh_inject::{Need, lacks};
use pfh_volume::{Allocation, Kind, Options, VolumeContent, file_system};

use crate::image::{Bench, open, poke, run, text, unmount};
use crate::listing::{ALL, assert_same, bytes, fls, items, nodes, volume};
use crate::mutants;
use crate::tree::{self, Item, Items, noise};

const MIB: u64 = 1 << 20;

/// An image of the sample tree, and the expected items.
fn image(bench: &Bench, name: &str, options: &[&str]) -> (PathBuf, Items) {
    let root = bench.path("tree");
    if !root.exists() {
        tree::plain(&root);
        tree::posix(&root);
    }
    let image = bench.blank(name, 40 * MIB);
    let arguments = [options, &["-q", "-F", "-d", text(&root), text(&image)]].concat();
    run("mke2fs", &arguments);
    let mut expected = tree::items(&root);
    expected.insert(b"lost+found".to_vec(), Item::Directory);
    (image, expected)
}

const KINDS: [(&str, &[&str]); 8] = [
    ("ext2", &["-t", "ext2", "-b", "1024", "-L", "label"]),
    ("ext3", &["-t", "ext3", "-b", "2048"]),
    ("ext4", &["-t", "ext4", "-b", "4096"]),
    ("ext4", &["-t", "ext4", "-b", "1024", "-O", "64bit,meta_bg,^resize_inode"]),
    ("ext4", &["-t", "ext4", "-b", "4096", "-I", "256", "-O", "inline_data"]),
    ("ext4", &["-t", "ext4", "-O", "bigalloc", "-C", "16384"]),
    ("ext4", &["-t", "ext4", "-O", "^has_journal,sparse_super2,^metadata_csum"]),
    ("ext2", &["-t", "ext2", "-b", "1024", "-I", "128", "-O", "^filetype,^sparse_super,^dir_index,^resize_inode"]),
];

#[test]
fn what_went_in_comes_out() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("fls")]) {
        return;
    }
    let bench = Bench::new();
    for (number, (kind, options)) in KINDS.into_iter().enumerate() {
        let (image, mut expected) = image(&bench, &format!("image{number}"), options);
        if let (true, Some(Item::File(bytes))) = (options.contains(&"inline_data"), expected.get_mut(&b"sparse"[..])) {
            // mke2fs -d forgets the hole at the end there: `debugfs` says the same.
            bytes.truncate(2_002_944);
        }
        let volume = volume(&image);
        assert_eq!(volume.kind, kind, "{options:?}");
        assert_eq!(volume.label, if number == 0 { &b"label"[..] } else { b"" });
        assert_eq!(volume.warnings, []);
        assert_same(&items(&volume), &expected);
        if options.iter().any(|option| option.contains("inline") || option.contains("bigalloc")) {
            continue; // Not what this fls reads.
        }
        let (nodes, _) = nodes(&volume, Options::default());
        let listed = fls(&image, false);
        for node in nodes {
            let Ok(path) = String::from_utf8(node.path.clone()) else { continue };
            assert_eq!(listed.get(&path), node.id.map(|id| id.to_string()).as_ref(), "{path}");
        }
    }
}

#[test]
fn runs_are_where_the_bytes_are() {
    if lacks(&[Need::Program("mke2fs")]) {
        return;
    }
    let bench = Bench::new();
    let (image, _) = image(&bench, "image", KINDS[0].1);
    let raw = fs::read(&image).unwrap();
    for node in nodes(&volume(&image), Options::default()).0 {
        let Some(content) = &node.content else { continue };
        let mut put_together = Vec::new();
        for run in content.runs().expect("runs") {
            assert_eq!(run.file_offset, put_together.len() as u64);
            match run.medium_offset {
                Some(offset) => put_together.extend_from_slice(&raw[offset as usize..][..run.length as usize]),
                None => put_together.resize(put_together.len() + run.length as usize, 0),
            }
        }
        assert!(put_together == bytes(&node), "{}", String::from_utf8_lossy(&node.path));
    }
}

#[test]
fn what_the_kernel_writes() {
    if lacks(&[Need::Program("mke2fs"), Need::Loop]) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("image", 64 * MIB);
    run("mke2fs", &["-q", "-F", "-t", "ext4", text(&image)]);
    let mount = bench.path("mount");
    fs::create_dir(&mount).unwrap();
    run("mount", &["-o", "loop", text(&image), text(&mount)]);
    tree::plain(&mount);
    tree::posix(&mount);
    // Fragments: files that grow in turns; a directory with an index; preallocation.
    for round in 0..40 {
        for file in 0..3 {
            let mut open =
                fs::OpenOptions::new().append(true).create(true).open(mount.join(format!("grown{file}"))).unwrap();
            std::io::Write::write_all(&mut open, &noise(round * 3 + file, 9000)).unwrap();
            open.sync_all().unwrap();
        }
    }
    // A tree of extents of two levels.
    let comb = fs::File::create(mount.join("comb")).unwrap();
    for tooth in 0..900 {
        std::os::unix::fs::FileExt::write_all_at(&comb, &noise(tooth, 4096), tooth * 12_288).unwrap();
    }
    drop(comb);
    fs::create_dir(mount.join("hashed")).unwrap();
    for index in 0..2000 {
        fs::write(mount.join(format!("hashed/a name that fills the blocks of a directory {index}")), b"").unwrap();
    }
    fs::write(mount.join("reserved"), b"begin").unwrap();
    run("fallocate", &["-l", "200000", text(&mount.join("reserved"))]);
    fs::remove_file(mount.join("large.dat")).unwrap();
    let expected = tree::items(&mount);
    unmount(&mount);
    let volume = volume(&image);
    assert_eq!(volume.warnings, []);
    assert_same(&items(&volume), &expected);
}

#[test]
fn deleted_files_are_marked() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("debugfs"), Need::Program("icat")]) {
        return;
    }
    let bench = Bench::new();
    let (image, _) = image(&bench, "image", KINDS[0].1);
    // debugfs leaves the pointers of a deleted file where they are, as ext2 did.
    run("debugfs", &["-w", "-R", "rm /large.dat", text(&image)]);
    run("debugfs", &["-w", "-R", "rm \"/Many/file number 0149.txt\"", text(&image)]);
    let volume = volume(&image);
    let (all, failures) = nodes(&volume, ALL);
    assert_eq!(failures, []);
    let deleted: Vec<_> = all.iter().filter(|node| node.allocation != Allocation::Live).collect();
    for path in [&b"large.dat"[..], b"Many/file number 0149.txt"] {
        let node = deleted.iter().find(|node| node.path == path).expect("it is listed");
        assert_eq!((node.allocation, node.times.deleted.is_some()), (Allocation::Deleted, true));
        let icat =
            std::process::Command::new("icat").arg(text(&image)).arg(node.id.unwrap().to_string()).output().unwrap();
        assert!(bytes(node) == icat.stdout);
        assert!(!items(&volume).contains_key(path), "a deleted name among the live ones");
    }
    assert_eq!(bytes(deleted.iter().find(|node| node.path == b"large.dat").unwrap()), noise(99, 2_500_000));

    // Another file takes the blocks.
    let other = bench.path("other");
    fs::write(&other, noise(5, 3_000_000)).unwrap();
    run("debugfs", &["-w", "-R", &format!("write {} other", text(&other)), text(&image)]);
    let (all, _) = nodes(&crate::listing::volume(&image), ALL);
    let large = all.iter().find(|node| node.path == b"large.dat").map(|node| node.allocation);
    let orphans = all.iter().filter(|node| node.path.starts_with(b"$OrphanFiles")).count();
    assert!(large != Some(Allocation::Deleted), "{large:?} {orphans}");
}

#[test]
fn unallocated_runs_and_slack() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("blkls")]) {
        return;
    }
    let bench = Bench::new();
    let (image, _) = image(&bench, "image", KINDS[0].1);
    let (all, failures) = nodes(&volume(&image), Options { deleted: false, unallocated: true });
    assert_eq!(failures, []);
    let mut free = Vec::new();
    for node in all.iter().filter(|node| node.path.starts_with(b"$Unallocated/")) {
        assert_eq!(node.kind, Kind::Unallocated);
        free.extend(bytes(node));
    }
    let blkls = std::process::Command::new("blkls").arg(text(&image)).output().unwrap().stdout;
    assert!(free == blkls, "{} and {} bytes", free.len(), blkls.len());
    let slack = all.iter().find(|node| node.path == b"$Slack/size 4097.bin").expect("slack");
    assert_eq!((slack.size, bytes(slack)), (Some(1023), vec![0; 1023]));
}

#[test]
fn a_journal_that_was_not_replayed_is_said() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("debugfs")]) {
        return;
    }
    let bench = Bench::new();
    let (image, _) = image(&bench, "image", KINDS[2].1);
    run("debugfs", &["-w", "-R", "feature needs_recovery", text(&image)]);
    let warnings = volume(&image).warnings;
    assert!(warnings.iter().any(|warning| warning.cause.contains("journal")), "{warnings:?}");
}

/// The inode of a path, and where it stands on the image.
fn inode_place(image: &Path, path: &str) -> u64 {
    let line = run("debugfs", &["-R", &format!("imap \"{path}\""), text(image)]);
    let number = |word: &str| {
        let rest = line.split(word).nth(1).expect("a place").trim_start();
        let digits = rest.split(|letter: char| !letter.is_ascii_hexdigit() && letter != 'x').next().unwrap();
        u64::from_str_radix(digits.trim_start_matches("0x"), if digits.starts_with("0x") { 16 } else { 10 }).unwrap()
    };
    number("located at block ") * 1024 + number("offset ")
}

#[test]
fn contradictions_are_failures_in_their_place() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("debugfs")]) {
        return;
    }
    let bench = Bench::new();
    let (image, expected) = image(&bench, "image", KINDS[0].1);
    let at = inode_place(&image, "/size 300000.bin");
    crate::image::poke(&image, at + 0x28 + 4 * 12, &0x00ff_ffff_u32.to_le_bytes());
    let at = inode_place(&image, "/size 70000.bin");
    crate::image::poke(&image, at + 0x28, &0x00ff_ffff_u32.to_le_bytes());
    let (all, failures) = nodes(&volume(&image), Options::default());
    assert_eq!((failures, all.len()), (vec![], expected.len()));
    for name in [&b"size 300000.bin"[..], b"size 70000.bin"] {
        let node = all.iter().find(|node| node.path == name).unwrap();
        let Err(failed) = node.content.as_ref().unwrap().open() else { panic!("it opens") };
        assert_eq!(failed.path, name);
        assert!(node.content.as_ref().unwrap().runs().is_none());
    }
    // A directory whose entry leads to the root.
    run("debugfs", &["-w", "-R", "link <2> /Many/deep/circle", text(&image)]);
    let (all, failures) = nodes(&volume(&image), ALL);
    assert!(all.len() >= expected.len());
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].path, b"Many/deep/circle");
}

#[test]
fn inline_content_whose_attribute_is_damaged_is_no_content() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("debugfs")]) {
        return;
    }
    let bench = Bench::new();
    let (image, source) = (bench.blank("image", 8 << 20), bench.path("source"));
    run("mke2fs", &["-q", "-F", "-t", "ext4", "-O", "inline_data,^metadata_csum", "-I", "256", text(&image)]);
    fs::write(&source, [b'x'; 70]).unwrap();
    run("debugfs", &["-w", "-R", &format!("write {} a", text(&source)), text(&image)]);
    let open = || {
        let node = nodes(&volume(&image), Options::default()).0.into_iter().find(|node| node.path == b"a").unwrap();
        assert!(node.resident);
        node.content.unwrap().open()
    };
    assert!(open().is_ok());
    // The entry of `system.data`: length 4, index 7, and its name.
    let raw = fs::read(&image).unwrap();
    let place = raw.windows(20).position(|entry| entry[..2] == [4, 7] && entry[16..] == *b"data").unwrap() as u64;
    poke(&image, place + 2, &[4, 0]);
    assert!(open().is_err_and(|failed| failed.cause.contains("over one another")));
    poke(&image, place + 2, &raw[place as usize + 2..place as usize + 4]);
    poke(&image, place + 16, b"Data");
    assert!(open().is_err_and(|failed| failed.cause.contains("missing")));
}

#[test]
fn an_inode_with_a_wrong_checksum_is_a_failure() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("debugfs")]) {
        return;
    }
    let bench = Bench::new();
    let (image, expected) = image(&bench, "image", &["-t", "ext4", "-b", "1024"]);
    // A size that still makes sense: only the checksum shows that it was changed.
    let at = inode_place(&image, "/size 4097.bin");
    crate::image::poke(&image, at + 4, &4096_u32.to_le_bytes());
    let (all, failures) = nodes(&volume(&image), Options::default());
    // It has two names.
    assert_eq!((failures.len(), all.len()), (2, expected.len() - 2), "{failures:?}");
    assert!(failures.iter().all(|failed| failed.cause.contains("checksum") && failed.offset == Some(at)));
}

#[test]
fn what_is_not_read_is_said() {
    if lacks(&[Need::Program("mke2fs")]) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("journal", 16 * MIB);
    run("mke2fs", &["-q", "-F", "-O", "journal_dev", text(&image)]);
    assert!(matches!(file_system(open(&image)), Ok(VolumeContent::Unread(name)) if name.contains("journal")));
    let image = bench.blank("blank", MIB);
    assert!(matches!(file_system(open(&image)), Ok(VolumeContent::Unknown)));
}

#[test]
fn mutants_end() {
    if lacks(&[Need::Program("mke2fs")]) {
        return;
    }
    let bench = Bench::new();
    for (number, kind) in [1, 2, 4, 6].into_iter().enumerate() {
        let root = bench.path("small");
        if number == 0 {
            fs::create_dir_all(root.join("a/b/c")).unwrap();
            for index in 0..30_usize {
                fs::write(root.join(format!("a/file {index}")), noise(index as u64, index * 1500)).unwrap();
            }
            tree::posix_small(&root);
        }
        let image = bench.blank(&format!("image{number}"), 4 * MIB);
        run("mke2fs", &[KINDS[kind].1, &["-q", "-F", "-N", "128", "-d", text(&root), text(&image)]].concat());
        mutants::survive(&image, &[1024..2048, 1024..300_000]);
    }
}
