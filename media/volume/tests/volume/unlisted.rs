//! Inodes, partitions, sessions of a disc and clusters that no directory lists, or that one table
//! has and another has not.

use std::fs;
use std::io::Write;

use pfh_inject::{Need, lacks};
use pfh_volume::account::{Account, Holds};
use pfh_volume::{Allocation, Kind, Options, Scheme, Usage, file_system, partitions};

use crate::image::{Bench, open, poke, run, run_with, text};
use crate::listing::{ALL, bytes, nodes, volume};
use crate::tree::noise;

const MIB: u64 = 1 << 20;

/// An ext image with a file `keep`, a file `cut`, and a directory `d` with a file in it.
fn ext(bench: &Bench, options: &[&str]) -> std::path::PathBuf {
    let (image, source) = (bench.blank("ext", 8 * MIB), bench.path("source"));
    run("mke2fs", &[options, &["-q", "-F", text(&image)]].concat());
    fs::write(&source, noise(7, 5000)).unwrap();
    let source = text(&source);
    for line in [
        format!("write {source} keep"),
        format!("write {source} cut"),
        "mkdir d".into(),
        format!("write {source} d/in"),
    ] {
        run("debugfs", &["-w", "-R", &line, text(&image)]);
    }
    image
}

#[test]
fn inodes_in_use_that_no_directory_lists_are_live() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("debugfs")]) {
        return;
    }
    for options in [&["-t", "ext4"][..], &["-t", "ext2", "-b", "1024"], &["-t", "ext4", "-O", "^has_journal,quota"]] {
        let bench = Bench::new();
        let image = ext(&bench, options);
        let before = nodes(&volume(&image), ALL);
        assert!(
            before.1.is_empty() && before.0.iter().all(|node| !node.path.starts_with(b"$Orphan")),
            "{before:?}",
            before = before.1
        );
        // Names are taken away, and nothing else.
        for name in ["cut", "d"] {
            run("debugfs", &["-w", "-R", &format!("unlink {name}"), text(&image)]);
        }
        let (found, failures) = nodes(&volume(&image), Options::default());
        assert_eq!(failures, [], "{options:?}");
        let orphans: Vec<_> = found.iter().filter(|node| node.path.starts_with(b"$OrphanFiles/")).collect();
        let files: Vec<_> = orphans.iter().filter(|node| node.kind == Kind::File).collect();
        assert_eq!((orphans.len(), files.len()), (3, 2), "{options:?}");
        assert!(files.iter().all(|node| node.allocation == Allocation::Live && bytes(node) == noise(7, 5000)));
        assert!(files.iter().any(|node| node.path.ends_with(b"/in")));
        // The names are still in the directory, and lead to the same bytes.
        let (all, failures) = nodes(&volume(&image), ALL);
        assert_eq!(failures, []);
        let gone = all.iter().find(|node| node.path == b"cut").expect("its name");
        assert_eq!((gone.allocation, bytes(gone)), (Allocation::Deleted, noise(7, 5000)));
    }
}

#[test]
fn a_file_that_was_deleted_while_open_is_live() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("debugfs")]) {
        return;
    }
    let bench = Bench::new();
    let image = ext(&bench, &["-t", "ext4", "-O", "^metadata_csum"]);
    for line in ["unlink cut", "set_inode_field <13> links_count 0"] {
        run("debugfs", &["-w", "-R", line, text(&image)]);
    }
    let (found, failures) = nodes(&volume(&image), Options::default());
    assert_eq!(failures, []);
    let orphan = found.iter().find(|node| node.path == b"$OrphanFiles/OrphanFile-13").expect("it is listed");
    assert_eq!(bytes(orphan), noise(7, 5000));
    // With a time of deletion it is deleted, and its bitmap is behind.
    run("debugfs", &["-w", "-R", "set_inode_field <13> dtime 1700000000", text(&image)]);
    let (found, _) = nodes(&volume(&image), Options::default());
    assert!(found.iter().all(|node| !node.path.starts_with(b"$OrphanFiles")));
}

#[test]
fn a_file_that_calls_itself_a_link_or_a_device_is_a_file() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("debugfs")]) {
        return;
    }
    let bench = Bench::new();
    let image = ext(&bench, &["-t", "ext2", "-b", "1024"]);
    run("debugfs", &["-w", "-R", "symlink l ../a/b", text(&image)]);
    run("debugfs", &["-w", "-R", "mknod f p", text(&image)]);
    for mode in ["010644", "020644", "060644", "0140644"] {
        run("debugfs", &["-w", "-R", &format!("set_inode_field cut mode {mode}"), text(&image)]);
        let (found, failures) = nodes(&volume(&image), Options::default());
        let of = |name: &[u8]| found.iter().find(|node| node.path == name).expect("a name");
        assert_eq!((of(b"cut").kind.clone(), bytes(of(b"cut")), failures), (Kind::File, noise(7, 5000), Vec::new()));
        assert_eq!(of(b"l").kind, Kind::Link(b"../a/b".to_vec()));
        assert!(matches!(of(b"f").kind, Kind::Special(_)));
    }
    // As a link it has two lines.
    let source = bench.path("lines");
    fs::write(&source, "a line\n".repeat(200)).unwrap();
    run("debugfs", &["-w", "-R", &format!("write {} lines", text(&source)), text(&image)]);
    run("debugfs", &["-w", "-R", "set_inode_field lines mode 0120644", text(&image)]);
    let (found, _) = nodes(&volume(&image), Options::default());
    let lines = found.iter().find(|node| node.path == b"lines").expect("a file");
    assert_eq!((&lines.kind, bytes(lines)), (&Kind::File, fs::read(&source).unwrap()));
}

#[test]
fn checksums_of_directories_without_types_are_no_fault() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("debugfs")]) {
        return;
    }
    let bench = Bench::new();
    let image = ext(&bench, &["-t", "ext4", "-O", "^filetype,metadata_csum"]);
    let (found, failures) = nodes(&volume(&image), Options::default());
    assert_eq!(failures, []);
    assert!(found.iter().any(|node| node.path == b"d/in"));
}

#[test]
fn archives_behind_the_end_of_a_file_system_are_named() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("debugfs")]) {
        return;
    }
    let bench = Bench::new();
    let image = ext(&bench, &["-t", "ext4"]);
    let header = [&b"\xcf\x90\x73\0\0\x0d\0\0\0\0\0\0\0"[..], &noise(5, 100)].concat();
    let cases = [(noise(5, 3000), false), ([&b"Rar!\x1a\x07\0"[..], &header].concat(), true)];
    for (behind, is_named) in cases {
        let with = [&fs::read(&image).unwrap()[..], &[0; 512], &behind].concat();
        let other = bench.path("with");
        fs::write(&other, with).unwrap();
        let unread = volume(&other).unread;
        assert_eq!(unread.iter().any(|unread| unread.cause.starts_with("RAR 4 behind")), is_named, "{unread:?}");
    }
}

/// A FAT volume with one file.
fn fat(bench: &Bench) -> Vec<u8> {
    let image = bench.blank("part", 4 * MIB);
    run("mkfs.vfat", &["-F", "12", text(&image)]);
    fs::write(bench.path("hidden.txt"), b"hidden").unwrap();
    run("mcopy", &["-i", text(&image), text(&bench.path("hidden.txt")), "::"]);
    fs::read(image).unwrap()
}

/// Writes an entry of an MBR: its type, start and length in sectors.
fn entry(image: &std::path::Path, slot: u64, kind: u8, start: u32, sectors: u32) {
    let raw = [&[0, 0, 0, 0, kind, 0, 0, 0][..], &start.to_le_bytes(), &sectors.to_le_bytes()].concat();
    poke(image, 446 + 16 * slot, &raw);
}

#[test]
fn partitions_that_one_table_has_alone_are_partitions() {
    if lacks(&[Need::Program("sfdisk"), Need::Program("mkfs.vfat"), Need::Program("mcopy")]) {
        return;
    }
    let bench = Bench::new();
    let volume = fat(&bench);
    let at = 20 * MIB;
    let numbers = |image: &std::path::Path| -> Vec<u32> {
        partitions(&open(image)).unwrap().partitions.iter().filter_map(|part| part.number).collect()
    };

    // A hybrid table repeats the GPT's partition, and has one more.
    let image = bench.blank("hybrid", 32 * MIB);
    run_with("sfdisk", &["--quiet", text(&image)], b"label: gpt\nstart=2048,size=8192\n");
    poke(&image, at, &volume);
    entry(&image, 1, 0x83, 2048, 8192);
    let table = partitions(&open(&image)).unwrap();
    assert_eq!((table.scheme, numbers(&image), table.warnings.len()), (Scheme::Gpt, vec![1], 0));
    entry(&image, 2, 0x0c, (at / 512) as u32, (4 * MIB / 512) as u32);
    let table = partitions(&open(&image)).unwrap();
    assert_eq!(numbers(&image), [1, 3]);
    assert!(table.warnings[0].cause.contains("read as p3"), "{:?}", table.warnings);
    // With both headers of the GPT lost, the rest of the MBR is still known.
    poke(&image, 512, &[0; 92]);
    poke(&image, 32 * MIB - 512, &[0; 92]);
    assert_eq!(numbers(&image), [2, 3]);
    assert!(partitions(&open(&image)).unwrap().warnings.iter().any(|warning| warning.cause.contains("neither header")));

    // An entry of type 0 is a partition where a volume begins, and else none.
    let image = bench.blank("typeless", 32 * MIB);
    run_with("sfdisk", &["--quiet", text(&image)], b"label: dos\nstart=2048,size=8192\n");
    entry(&image, 1, 0, (at / 512) as u32, (4 * MIB / 512) as u32);
    assert_eq!(numbers(&image), [1]);
    poke(&image, at, &volume);
    assert_eq!(numbers(&image), [1, 2]);

    // Neither is one without a length, nor an extended one that holds nothing else.
    for (kind, sectors, said) in [(0x06, 0, "states no length"), (0x05, 8192, "calls itself extended")] {
        entry(&image, 1, kind, (at / 512) as u32, sectors);
        let table = partitions(&open(&image)).unwrap();
        let part = table.partitions.iter().find(|part| part.number == Some(2)).expect("a partition");
        assert_eq!((part.usage, numbers(&image)), (Usage::Partition, vec![1, 2]));
        assert!(part.length >= 4 * MIB && table.warnings.iter().any(|warning| warning.cause.contains(said)));
        poke(&image, at, &[0; 512]);
        assert!(
            partitions(&open(&image))
                .unwrap()
                .partitions
                .iter()
                .all(|part| part.usage != Usage::Partition || part.number == Some(1))
        );
        poke(&image, at, &volume);
    }
}

#[test]
fn clusters_marked_bad_are_named_if_they_hold_bytes() {
    if lacks(&[Need::Program("mkfs.vfat"), Need::Program("mcopy")]) {
        return;
    }
    let bench = Bench::new();
    fat(&bench);
    let image = bench.path("part");
    let raw = fs::read(&image).unwrap();
    let word = |at: usize| u64::from(u16::from_le_bytes([raw[at], raw[at + 1]]));
    let (reserved, tables, each) = (word(14), u64::from(raw[16]), word(22));
    // Entries 100 and 101 of a table in 12 bits.
    poke(&image, reserved * 512 + 150, &[0xf7, 0x7f, 0xff]);
    let data = (reserved + tables * each) * 512 + word(17) * 32;
    let size = u64::from(raw[13]) * 512;
    let hidden = ALL_SPACE;
    assert_eq!(nodes(&volume(&image), Options::default()).1, [], "bad clusters of zeros are what disks have");
    poke(&image, data + 98 * size, b"hidden in a bad cluster");
    let (_, failures) = nodes(&volume(&image), Options::default());
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].offset, Some(data + 98 * size));
    assert!(failures[0].cause.contains("marked bad hold bytes") && failures[0].cause.contains("text: hidden"));
    let (all, _) = nodes(&volume(&image), hidden);
    let bad = all.iter().find(|node| node.path.starts_with(b"$Bad/")).expect("a node");
    assert!(bytes(bad).starts_with(b"hidden in a bad cluster") && bytes(bad).len() as u64 == 2 * size);
}

const ALL_SPACE: Options = Options { deleted: false, unallocated: true };

#[test]
fn every_session_of_a_disc_is_listed() {
    if lacks(&[Need::Program("genisoimage")]) {
        return;
    }
    let bench = Bench::new();
    for (directory, name) in [("one", "first"), ("two", "second")] {
        fs::create_dir(bench.path(directory)).unwrap();
        fs::write(bench.path(directory).join(name), name).unwrap();
    }
    let (first, second) = (bench.path("first.iso"), bench.path("second.iso"));
    run("genisoimage", &["-quiet", "-R", "-o", text(&first), text(&bench.path("one"))]);
    let alone = nodes(&volume(&first), Options::default());
    assert!(alone.1.is_empty() && alone.0.len() == 1);
    let start = fs::metadata(&first).unwrap().len().div_ceil(2048) + 200;
    let place = format!("0,{start}");
    let two = bench.path("two");
    let merged = ["-quiet", "-R", "-C", &place, "-M", text(&first), "-o", text(&second), text(&two)];
    run("genisoimage", &merged);
    let mut disc = fs::OpenOptions::new().append(true).open(&first).unwrap();
    disc.set_len(start * 2048).unwrap();
    disc.write_all(&fs::read(&second).unwrap()).unwrap();
    let (found, failures) = nodes(&volume(&first), Options::default());
    assert_eq!(failures, []);
    let files: Vec<_> = found.iter().map(|node| (&node.path[..], bytes(node))).collect();
    assert_eq!(files, [(&b"first"[..], b"first".to_vec()), (b"$Session-2/second", b"second".to_vec())]);
}

#[test]
fn partitions_behind_the_tree_of_a_disc_are_read_beside_it() {
    if lacks(&[Need::Program("xorriso"), Need::Program("mkfs.vfat"), Need::Program("mcopy")]) {
        return;
    }
    let bench = Bench::new();
    fat(&bench);
    fs::create_dir(bench.path("tree")).unwrap();
    fs::write(bench.path("tree").join("a"), "a").unwrap();
    let image = bench.path("disc.iso");
    let (part, tree) = (bench.path("part"), bench.path("tree"));
    let line = [
        "-as",
        "mkisofs",
        "-quiet",
        "-R",
        "-o",
        text(&image),
        "-append_partition",
        "2",
        "0xef",
        text(&part),
        text(&tree),
    ];
    run("xorriso", &line);
    let medium = open(&image);
    let table = partitions(&medium).unwrap();
    let numbers: Vec<_> = table.partitions.iter().map(|part| part.number).collect();
    assert_eq!((numbers, table.warnings.len()), (vec![None, Some(2)], 0));
    assert!(
        matches!(file_system(table.partitions[1].open(&medium).unwrap()), Ok(pfh_volume::VolumeContent::FileSystem(found)) if found.kind == "FAT12")
    );
}

/// The account of a medium, whose extents tile it.
fn account(image: &std::path::Path) -> Account {
    let medium = open(image);
    let account = pfh_volume::account::medium(&medium).unwrap();
    let mut at = 0;
    for extent in &account.extents {
        assert_eq!(extent.start, at, "{extent:?}");
        at = extent.end();
    }
    assert_eq!(at, medium.size());
    account
}

#[test]
fn every_byte_of_ext_and_fat_is_accounted_for() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("mkfs.vfat"), Need::Program("mcopy")]) {
        return;
    }
    let bench = Bench::new();
    let tree = bench.path("tree");
    crate::tree::plain(&tree);
    crate::tree::posix(&tree);
    let ext: [&[&str]; 7] = [
        &["-t", "ext2", "-b", "1024"],
        &["-t", "ext3", "-b", "2048"],
        &["-t", "ext4", "-b", "4096"],
        &["-t", "ext4", "-O", "bigalloc", "-C", "16384"],
        &["-t", "ext4", "-b", "1024", "-O", "64bit,meta_bg,^resize_inode"],
        &["-t", "ext4", "-I", "256", "-O", "inline_data,mmp,quota"],
        &["-t", "ext4", "-O", "^has_journal,sparse_super2"],
    ];
    for options in ext {
        let image = bench.blank("ext.img", 40 * MIB);
        run("mke2fs", &[options, &["-q", "-F", "-d", text(&tree), text(&image)]].concat());
        let found = account(&image);
        let residue: Vec<_> = found.residue().collect();
        assert!(
            residue.is_empty() && found.overlaps.is_empty() && found.opaque.is_empty(),
            "{options:?}: {residue:?} {found:?}",
            found = found.overlaps
        );
        // Each byte of content is in the account once.
        let mut contents = std::collections::BTreeMap::new();
        for node in nodes(&volume(&image), Options::default()).0 {
            let runs = node.content.and_then(|content| content.runs()).unwrap_or_default();
            let stored: u64 = runs.iter().filter(|run| run.medium_offset.is_some()).map(|run| run.length).sum();
            contents.insert(node.id, stored);
        }
        assert_eq!(found.sum(Holds::Content), contents.values().sum::<u64>(), "{options:?}");
    }
    fs::write(bench.path("file"), noise(3, 100_000)).unwrap();
    for (bits, size) in [("12", 4 * MIB), ("16", 40 * MIB), ("32", 40 * MIB)] {
        let image = bench.blank("fat.img", size);
        run("mkfs.vfat", &["-F", bits, text(&image)]);
        run("mcopy", &["-i", text(&image), text(&bench.path("file")), "::"]);
        let found = account(&image);
        assert!(found.residue().next().is_none() && found.overlaps.is_empty(), "FAT{bits}");
        assert_eq!(found.sum(Holds::Content), 100_000);
    }
}

#[test]
fn bytes_that_nothing_accounts_for_are_residue() {
    if lacks(&[Need::Program("sfdisk"), Need::Program("mkfs.vfat"), Need::Program("mcopy")]) {
        return;
    }
    let bench = Bench::new();
    let part = fat(&bench);
    let image = bench.blank("disk", 32 * MIB);
    run_with("sfdisk", &["--quiet", text(&image)], b"label: gpt\nstart=2048,size=8192\n");
    poke(&image, MIB, &part);
    let clean = account(&image);
    assert!(clean.residue().next().is_none() && clean.overlaps.is_empty(), "{clean:?}");
    // The last reserved sector in front of the tables, or what lies behind the last cluster.
    let end = MIB + 4 * MIB - 512;
    let hidden = clean
        .extents
        .iter()
        .find(|extent| extent.holds == Holds::Padding && extent.start > MIB)
        .map(|extent| extent.start);
    let at = hidden.unwrap_or(end);
    poke(&image, at, b"hidden where no file lies");
    let found = account(&image);
    let residue: Vec<_> = found.residue().map(|extent| (extent.start, &extent.name[..])).collect();
    assert_eq!(residue, [(at, &b"text: hidden where no file lie"[..])]);
}
