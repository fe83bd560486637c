//! NTFS as mkntfs and ntfs-3g write it.

use std::fs;
use std::path::{Path, PathBuf};

use pfh_inject::{Need, lacks};
use pfh_volume::{Allocation, Kind, Options};

use crate::image::{Bench, Mount, poke, run, text};
use crate::listing::{ALL, assert_same, bytes, fls, items_but, nodes, volume};
use crate::mutants;
use crate::tree::{self, Item, Items, noise};

const MIB: u64 = 1 << 20;

const TOOLS: [Need; 5] =
    [Need::Program("mkntfs"), Need::Program("ntfs-3g"), Need::Program("setfattr"), Need::Fuse, Need::Loop];

/// The system's own files, which a mount does not show.
fn is_system(path: &[u8]) -> bool {
    path.starts_with(b"$")
}

fn mount(bench: &Bench, image: &Path) -> Mount {
    Mount::new(bench, "ntfs-3g", &["-o", "no_detach,streams_interface=windows,compression"], image, "mount")
}

fn attribute(path: &Path, name: &str, value: &str) {
    run("setfattr", &["-h", "-n", name, "-v", value, text(path)]);
}

/// Text that compresses, in stretches between noise that does not.
fn mixed(length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let seed = bytes.len() as u64;
        bytes.extend(b"The quick brown fox jumps over the lazy dog. ".repeat(900 + (seed % 777) as usize));
        bytes.extend(noise(seed, 30_000 + (seed % 50_000) as usize));
        bytes.extend(vec![0; 70_000]);
    }
    bytes.truncate(length);
    bytes
}

/// An image with everything in it, and the expected items.
fn image(bench: &Bench, name: &str, size: u64, options: &[&str]) -> (PathBuf, Items) {
    let image = bench.blank(name, size);
    run("mkntfs", &[&["-q", "-F", "-f", "-L", "Größe"], options, &[text(&image)]].concat());
    let mount = mount(bench, &image);
    let root = &mount.path;
    tree::plain(root);
    let mut expected = Items::new();
    for (file, stream, content) in [
        ("size 1.bin", "Zone.Identifier", b"[ZoneTransfer]\r\nZoneId=3\r\n".to_vec()),
        ("size 4097.bin", "large stream", noise(77, 100_000)),
        ("size 0.bin", "empty", Vec::new()),
        ("Many", "of a directory", b"stream".to_vec()),
    ] {
        let path = format!("{file}:{stream}");
        fs::write(root.join(&path), &content).unwrap();
        expected.insert(path.into_bytes(), Item::File(content));
    }
    let sparse = fs::File::create(root.join("sparse")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&sparse, &noise(8, 5000), 1_000_000).unwrap();
    sparse.set_len(3_000_000).unwrap();
    drop(sparse);
    // FILE_ATTRIBUTE_COMPRESSED on a directory: files made in it are compressed.
    let packed = root.join("packed");
    fs::create_dir(&packed).unwrap();
    attribute(&packed, "system.ntfs_attrib_be", "0x00000810");
    for (name, content) in [
        ("text", b"words and words and words\n".repeat(40_000)),
        ("noise", noise(3, 200_000)),
        ("mixed", mixed(1_500_001)),
        ("zeros", vec![0; 500_000]),
        ("short", b"short".to_vec()),
    ] {
        fs::write(packed.join(name), content).unwrap();
    }
    // More pieces than one record has room for: a list of attributes.
    let comb = fs::File::create(root.join("comb")).unwrap();
    for tooth in 0..300 {
        std::os::unix::fs::FileExt::write_all_at(&comb, &noise(tooth, 4096), tooth * 40_960).unwrap();
    }
    drop(comb);
    for round in 0..30 {
        for file in 0..2 {
            let mut open =
                fs::OpenOptions::new().append(true).create(true).open(root.join(format!("grown{file}"))).unwrap();
            std::io::Write::write_all(&mut open, &noise(round * 2 + file, 4096)).unwrap();
        }
    }
    fs::hard_link(root.join("grown0"), root.join("Many/second name")).unwrap();
    expected.extend(tree::items(root));
    mount.end();
    (image, expected)
}

#[test]
fn what_went_in_comes_out() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (image, expected) = image(&bench, "image", 64 * MIB, &["-c", "4096"]);
    let volume = volume(&image);
    assert_eq!((volume.kind, &volume.label[..], volume.block_size), ("NTFS", "Größe".as_bytes(), 4096));
    assert_eq!(volume.warnings, []);
    assert_same(&items_but(&volume, is_system), &expected);
    let (all, _) = nodes(&volume, Options::default());
    let listed = fls(&image, false);
    // A file without an unnamed stream is one that fls does not list.
    for node in all.iter().filter(|node| node.kind != Kind::File || node.content.is_some()) {
        let path = String::from_utf8(node.path.clone()).unwrap();
        let inode = listed.get(&path).unwrap_or_else(|| panic!("fls does not list {path}"));
        assert_eq!(inode.split('-').next().unwrap(), node.id.unwrap().to_string(), "{path}");
    }
    let node = |name: &[u8]| all.iter().find(|node| node.path == name).unwrap();
    assert!(node(b"packed/text").compressed && !node(b"large.dat").compressed);
    assert!(node(b"size 1.bin").resident && !node(b"large.dat").resident);
    assert_eq!(node(b"size 1.bin:Zone.Identifier").kind, Kind::Stream);
    assert!(node(b"comb").content.as_ref().unwrap().runs().unwrap().len() > 500);
    // The MFT reads itself as the Sleuth Kit does.
    let icat = std::process::Command::new("icat").args([text(&image), "0"]).output().unwrap().stdout;
    assert!(bytes(node(b"$MFT")) == icat);
}

#[test]
fn clusters_of_other_sizes() {
    if lacks(&TOOLS) {
        return;
    }
    for cluster in ["512", "65536"] {
        let bench = Bench::new();
        let (image, mut expected) = image(&bench, "image", 96 * MIB, &["-c", cluster]);
        if cluster == "65536" {
            // Clusters of more than 4 KiB are not compressed.
            expected.retain(|path, _| !path.starts_with(b"packed/"));
        }
        let mut found = items_but(&volume(&image), is_system);
        found.retain(|path, _| expected.contains_key(path));
        assert_same(&found, &expected);
    }
}

#[test]
fn deleted_files_are_marked() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (image, mut expected) = image(&bench, "image", 64 * MIB, &["-c", "4096"]);
    let mounted = mount(&bench, &image);
    fs::remove_file(mounted.path.join("large.dat")).unwrap();
    fs::remove_file(mounted.path.join("size 1.bin")).unwrap();
    fs::remove_dir_all(mounted.path.join("Many/deep")).unwrap();
    fs::remove_file(mounted.path.join("packed/mixed")).unwrap();
    mounted.end();
    expected.retain(|path, _| {
        ![&b"large.dat"[..], b"size 1.bin", b"packed/mixed"].contains(&&path[..])
            && !path.starts_with(b"size 1.bin:")
            && !path.starts_with(b"Many/deep")
    });
    let volume = volume(&image);
    assert_same(&items_but(&volume, is_system), &expected);
    let (all, failures) = nodes(&volume, ALL);
    assert_eq!(failures, []);
    let deleted = |name: &str| {
        let found = all.iter().find(|node| node.path == name.as_bytes() && node.allocation != Allocation::Live);
        let node = found.unwrap_or_else(|| panic!("{name}"));
        (node.allocation, bytes(node))
    };
    assert!(deleted("large.dat") == (Allocation::Deleted, noise(99, 2_500_000)));
    assert!(deleted("size 1.bin") == (Allocation::Deleted, noise(1, 1)));
    assert!(deleted("size 1.bin:Zone.Identifier").1 == b"[ZoneTransfer]\r\nZoneId=3\r\n");
    assert!(deleted("packed/mixed") == (Allocation::Deleted, mixed(1_500_001)));
    assert!(deleted("Many/deep/er/and/deeper/Grüße, 世界 😀.txt") == (Allocation::Deleted, b"far down".to_vec()));

    // Another file takes the clusters.
    let mounted = mount(&bench, &image);
    fs::write(mounted.path.join("other"), noise(4, 40_000_000)).unwrap();
    mounted.end();
    let (all, _) = nodes(&crate::listing::volume(&image), ALL);
    let large = all.iter().find(|node| node.path == b"large.dat").map(|node| node.allocation);
    assert!(large != Some(Allocation::Deleted), "{large:?}");
}

#[test]
fn reparse_points_and_what_is_elsewhere() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("image", 16 * MIB);
    run("mkntfs", &["-q", "-F", "-f", text(&image)]);
    let mounted = mount(&bench, &image);
    let hex = |bytes: &[u8]| format!("0x{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let wide = |name: &str| name.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let (real, shown) = (wide("\\??\\C:\\Target"), wide("C:\\Target"));
    let offsets =
        [0, real.len(), real.len(), shown.len()].map(|value| u16::try_from(value).unwrap().to_le_bytes()).concat();
    let body = [&offsets[..], &0u32.to_le_bytes(), &real, &shown].concat();
    let header = [0xa000_000c_u32.to_le_bytes(), u32::try_from(body.len()).unwrap().to_le_bytes()].concat();
    fs::write(mounted.path.join("link"), b"").unwrap();
    attribute(&mounted.path.join("link"), "system.ntfs_reparse_data", &hex(&[header, body].concat()));
    fs::write(mounted.path.join("packed by Windows"), b"not the content").unwrap();
    let wof = [&0x8000_0017_u32.to_le_bytes()[..], &16_u32.to_le_bytes(), &[1; 16]].concat();
    attribute(&mounted.path.join("packed by Windows"), "system.ntfs_reparse_data", &hex(&wof));
    mounted.end();
    let (all, failures) = nodes(&volume(&image), Options::default());
    assert_eq!(failures, []);
    let node = |name: &[u8]| all.iter().find(|node| node.path == name).unwrap();
    assert_eq!(node(b"link").kind, Kind::Link(b"C:\\Target".to_vec()));
    let Err(failed) = node(b"packed by Windows").content.as_ref().unwrap().open() else { panic!("it opens") };
    assert!(failed.cause.contains("WOF"), "{failed:?}");
}

#[test]
fn torn_and_contradicting_records_are_failures() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (image, expected) = image(&bench, "image", 64 * MIB, &["-c", "4096"]);
    let (all, _) = nodes(&volume(&image), Options::default());
    let mft = all.iter().find(|node| node.path == b"$MFT").unwrap().content.as_ref().unwrap().runs().unwrap();
    let record = |name: &[u8]| {
        let from = 1024 * all.iter().find(|node| node.path == name).unwrap().id.unwrap();
        let run = mft.iter().find(|run| (run.file_offset..run.file_offset + run.length).contains(&from)).unwrap();
        run.medium_offset.unwrap() + from - run.file_offset
    };
    // The last bytes of a sector: a torn write.
    poke(&image, record(b"large.dat") + 510, b"\xde\xad");
    let (found, failures) = nodes(&volume(&image), ALL);
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!((&failures[0].path[..], failures[0].offset), (&b"large.dat"[..], Some(record(b"large.dat"))));
    assert!(failures[0].cause.contains("written in part"));
    let live = found.iter().filter(|node| node.allocation == Allocation::Live && !is_system(&node.path)).count();
    assert_eq!(live, expected.len() - 1);
    // The record of the MFT itself: the copy serves, and that is said.
    poke(&image, record(b"$MFT") + 510, b"\xde\xad");
    let warnings = volume(&image).warnings;
    assert!(warnings.iter().any(|warning| warning.cause.contains("its copy is used")), "{warnings:?}");
}

#[test]
fn free_clusters_are_those_of_blkls() {
    if lacks(&TOOLS) || lacks(&[Need::Program("blkls")]) {
        return;
    }
    let bench = Bench::new();
    let (image, _) = image(&bench, "image", 64 * MIB, &["-c", "4096"]);
    let (all, failures) = nodes(&volume(&image), Options { deleted: false, unallocated: true });
    assert_eq!(failures, []);
    let free: Vec<u8> = all.iter().filter(|node| node.path.starts_with(b"$Unallocated/")).flat_map(bytes).collect();
    let blkls = std::process::Command::new("blkls").arg(text(&image)).output().unwrap().stdout;
    assert!(free == blkls, "{} and {}", free.len(), blkls.len());
    let slack = all.iter().find(|node| node.path == b"$Slack/size 4097.bin").expect("slack");
    assert_eq!(slack.size, Some(4095));
}

/// A record in use whose name was taken out of the index of its directory.
#[test]
fn a_file_in_use_that_no_index_lists_is_listed_apart() {
    if lacks(&[TOOLS[0], Need::Program("ntfscp")]) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("image", 16 * MIB);
    run("mkntfs", &["-q", "-F", "-f", text(&image)]);
    let source = bench.path("source");
    fs::write(&source, noise(5, 30_000)).unwrap();
    run("ntfscp", &["-q", text(&image), text(&source), "secret"]);
    let before = volume(&image);
    let live = nodes(&before, Options::default()).0;
    assert!(live.iter().all(|node| !node.path.starts_with(b"$OrphanFiles")));
    let number = live.iter().find(|node| node.path == b"secret").expect("what was copied in").id.unwrap();
    let lost = |volume| {
        let all = nodes(volume, Options { deleted: false, unallocated: true }).0;
        all.iter().filter(|node| node.path.starts_with(b"$Lost/")).map(|node| node.size.unwrap()).sum::<u64>()
    };
    assert_eq!(lost(&before), 0);
    // The entry of the index names another record: $AttrDef, with its sequence number.
    let raw = fs::read(&image).unwrap();
    let name: Vec<u8> = "secret".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let is_entry = |at: &usize| {
        let reference = at.checked_sub(82).and_then(|start| raw.get(start..start + 6));
        raw[*at..].starts_with(&name) && reference == Some(&number.to_le_bytes()[..6])
    };
    let places: Vec<usize> = (0..raw.len() - name.len()).filter(is_entry).collect();
    for place in &places {
        poke(&image, *place as u64 - 82, &(4_u64 | 4 << 48).to_le_bytes());
    }
    assert!(!places.is_empty());
    let after = volume(&image);
    let (live, failures) = nodes(&after, Options::default());
    assert_eq!(failures, []);
    let orphan = live.iter().find(|node| node.path == b"$OrphanFiles/secret").expect("the record in use");
    assert_eq!(
        (orphan.id, orphan.allocation, bytes(orphan) == noise(5, 30_000)),
        (Some(number), Allocation::Live, true)
    );
    assert_eq!(live.iter().filter(|node| node.path.starts_with(b"$OrphanFiles")).count(), 1);
    // A record that is lost leaves clusters in use.
    let record = raw.windows(4).enumerate().filter(|(at, part)| part == b"FILE" && at % 1024 == 0);
    let record = record.map(|(at, _)| at).find(|at| raw[at + 44..at + 48] == (number as u32).to_le_bytes()).unwrap();
    poke(&image, record as u64, b"GONE");
    let all = nodes(&volume(&image), Options { deleted: false, unallocated: true }).0;
    let lost: Vec<_> = all.iter().filter(|node| node.path.starts_with(b"$Lost/")).collect();
    assert!(lost.iter().any(|node| bytes(node).starts_with(&noise(5, 30_000))), "{}", lost.len());
}

#[test]
fn mutants_end() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("image", 8 * MIB);
    run("mkntfs", &["-q", "-F", "-f", "-c", "1024", text(&image)]);
    let mounted = mount(&bench, &image);
    let packed = mounted.path.join("packed");
    fs::create_dir(&packed).unwrap();
    attribute(&packed, "system.ntfs_attrib_be", "0x00000810");
    fs::write(packed.join("text"), b"words and words and words\n".repeat(4000)).unwrap();
    for index in 0..60_usize {
        fs::write(mounted.path.join(format!("file number {index}")), noise(index as u64, index * 500)).unwrap();
    }
    fs::write(mounted.path.join("file number 3:stream"), b"stream").unwrap();
    fs::remove_file(mounted.path.join("file number 7")).unwrap();
    mounted.end();
    let mft = nodes(&volume(&image), Options::default()).0.into_iter().find(|node| node.path == b"$MFT").unwrap();
    let run = mft.content.unwrap().runs().unwrap()[0];
    let records = run.medium_offset.unwrap()..run.medium_offset.unwrap() + run.length;
    mutants::survive(&image, &[0..512, records.clone(), records, 0..8 * MIB]);
}
