//! F2FS as `mkfs.f2fs` and `sload.f2fs` write it, beside the tree that went in; images that the
//! kernel wrote, where there are some; and images that contradict themselves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use pfh_inject::{Need, lacks};
use pfh_volume::{Allocation, Bytes, Kind, Options, VolumeContent, file_system};

use crate::image::{Bench, text};
use crate::listing::{ALL, assert_same, items, lies_as_it_is, nodes, volume, volume_of};
use crate::mutants::survive;
use crate::tree::{self, Items, noise};

const TOOLS: [Need; 2] = [Need::Program("mkfs.f2fs"), Need::Program("sload.f2fs")];

/// Options of `mkfs.f2fs`, and of `sload.f2fs`.
const FORMS: [(&[&str], &[&str]); 10] = [
    (&[], &[]),
    (&["-O", "extra_attr,inode_checksum,sb_checksum"], &[]),
    (&["-O", "extra_attr,flexible_inline_xattr,inode_crtime,lost_found"], &[]),
    (&["-O", "extra_attr,project_quota,quota,verity,encrypt"], &[]),
    (&["-i"], &[]),
    (&["-O", "casefold", "-C", "utf8"], &[]),
    (&["-O", "extra_attr,compression"], &["-c", "-a", "lz4"]),
    (&["-O", "extra_attr,compression"], &["-c", "-a", "lzo", "-L", "3"]),
    (&["-O", "extra_attr,compression,ro"], &["-c", "-a", "lz4", "-r"]),
    (&["-s", "2", "-l", "a label"], &[]),
];

/// A tree of files that both programs take; some can be compressed.
fn grown(bench: &Bench) -> (PathBuf, Items) {
    let root = bench.path("tree");
    tree::plain(&root);
    tree::posix_small(&root);
    let words: Vec<u8> = (0..60_000_u32).flat_map(|n| format!("{} of line {n}\n", n % 89).into_bytes()).collect();
    fs::write(root.join("words"), &words).unwrap();
    fs::write(root.join("words and more"), [&words[..300_001], &noise(4, 100_000), &words[..70_000]].concat()).unwrap();
    fs::write(root.join("zeros"), vec![0; 500_000]).unwrap();
    let expected = tree::items(&root);
    (root, expected)
}

/// Makes an image; `None` if these versions of the programs have no such option.
fn made(bench: &Bench, root: &Path, (make, load): (&[&str], &[&str])) -> Option<PathBuf> {
    let image = bench.blank("image", 128 << 20);
    let make = Command::new("mkfs.f2fs").args(["-f", "-q"]).args(make).arg(&image).output().unwrap();
    if !make.status.success() {
        eprintln!("mkfs.f2fs: {}", String::from_utf8_lossy(&make.stdout));
        return None;
    }
    let load = Command::new("sload.f2fs").args(["-f", text(root)]).args(load).arg(&image).output().unwrap();
    let said = String::from_utf8_lossy(&load.stdout);
    // It goes on without an option that it was built without.
    if !load.status.success() || said.contains("not supported") {
        eprintln!("sload.f2fs: {said}");
        return None;
    }
    Some(image)
}

#[test]
fn what_the_programs_write() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (root, expected) = grown(&bench);
    let mut tried = 0;
    for form in FORMS {
        let Some(image) = made(&bench, &root, form) else { continue };
        tried += 1;
        let found = volume(&image);
        eprintln!("{form:?} {:?}", found.warnings);
        assert!(found.kind == "F2FS" && found.size == 128 << 20, "{form:?}");
        let mut held = items(&found);
        held.remove(&b"lost+found"[..]);
        assert_same(&held, &expected);
        let medium = fs::read(&image).unwrap();
        let (all, failures) = nodes(&found, Options { deleted: true, unallocated: true });
        assert!(failures.is_empty(), "{failures:?}");
        assert!(all.iter().any(|node| node.path.starts_with(b"$Unallocated/")));
        let mut packed = 0;
        for node in all.iter().filter(|node| node.kind == Kind::File && node.allocation == Allocation::Live) {
            packed += usize::from(!lies_as_it_is(node, &medium));
        }
        assert_eq!(packed > 0, !form.1.is_empty(), "{form:?}: {packed}");
    }
    assert!(tried > 4, "{tried}");
}

/// The failure of opening an image, or its first warning.
fn said(raw: Vec<u8>) -> String {
    match file_system(Arc::new(raw) as Arc<dyn Bytes>) {
        Ok(VolumeContent::FileSystem(found)) => {
            found.warnings.first().map_or(String::new(), |first| first.cause.clone())
        }
        Ok(VolumeContent::Unread(why)) => why,
        Ok(_) => "not known".to_owned(),
        Err(failed) => failed.cause,
    }
}

#[test]
fn superblocks_and_checkpoints() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("t");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("one"), b"some words").unwrap();
    let image = made(&bench, &root, (&["-O", "extra_attr,sb_checksum"], &[])).unwrap();
    let raw = fs::read(&image).unwrap();
    let number = |at: usize| u32::from_le_bytes(raw[at..at + 4].try_into().unwrap()) as usize;
    let changed = |places: &[usize]| {
        let mut other = raw.clone();
        places.iter().for_each(|&at| other[at] ^= 0x55);
        said(other)
    };
    assert!(changed(&[1500]).contains("its copy is used"));
    assert!(changed(&[1024]).contains("its copy is used"));
    assert!(changed(&[1500, 4096 + 1500]).contains("the checksum of the superblock is wrong"));
    let packs = [number(1024 + 76) * 4096, (number(1024 + 76) + 512) * 4096];
    assert!(changed(&packs).contains("the checksum of a checkpoint is wrong"));
    // One pack is enough; the older one holds an empty root.
    for pack in packs {
        let mut other = raw.clone();
        other[pack + 10] ^= 1;
        assert!(said(other.clone()).contains("the checksum of a checkpoint is wrong: the other checkpoint is used"));
        let (found, _) = nodes(&volume_of(Arc::new(other)), Options::default());
        assert!(found.len() <= 1);
    }
    let mut cut = raw.clone();
    cut.truncate(64 << 20);
    assert!(said(cut).contains("missing"));
}

/// A checkpoint for a fast start has all summaries, as one of an unmounted volume has: the journal
/// of nodes stands in front of six, and not of three.
#[test]
fn a_checkpoint_for_a_fast_start() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("t");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("one"), b"some words").unwrap();
    let mut raw = fs::read(made(&bench, &root, FORMS[0]).unwrap()).unwrap();
    let word = |raw: &[u8], at: usize| u32::from_le_bytes(raw[at..at + 4].try_into().unwrap()) as usize;
    let listed = |raw: &[u8]| {
        let (found, failures) = nodes(&volume_of(Arc::new(raw.to_vec())), Options::default());
        let names: Vec<_> = found.iter().map(|node| (node.path.clone(), node.id, node.size)).collect();
        (names, failures)
    };
    let before = listed(&raw);
    let number = before.0.iter().find(|(path, ..)| path == b"one").and_then(|(_, id, _)| *id).unwrap() as u32;
    // Its row leaves both copies of the map for the journal.
    let map = word(&raw, 1024 + 84) * 4096 + 9 * number as usize;
    let mut row = Vec::new();
    for at in [map, map + 512 * 4096] {
        let held = raw[at..at + 9].to_vec();
        if word(&held, 1) == number as usize {
            row = held;
        }
        raw[at..at + 9].fill(0);
    }
    let first = word(&raw, 1024 + 76) * 4096;
    let (count, summaries) = (word(&raw, first + 136), word(&raw, first + 140));
    assert!(row.len() == 9 && count - summaries == 7, "{count} {summaries}");
    let journal = first + summaries * 4096 + 3584;
    let rows = [&1_u16.to_le_bytes()[..], &number.to_le_bytes(), &row].concat();
    raw[journal..journal + rows.len()].copy_from_slice(&rows);
    for block in [first, first + (count - 1) * 4096] {
        // Not unmounted, and for a fast start.
        raw[block + 132] = raw[block + 132] & !1 | 0x20;
        let end = block + word(&raw, block + 164);
        let mut hasher = crc32fast::Hasher::new_with_initial(!0xf2f5_2010);
        hasher.update(&raw[block..end]);
        raw[end..end + 4].copy_from_slice(&(!hasher.finalize()).to_le_bytes());
    }
    assert!(said(raw.clone()).contains("was not unmounted"));
    assert_eq!(listed(&raw), before);
}

#[test]
fn mutants_end() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("t");
    fs::create_dir_all(root.join("d/e")).unwrap();
    for index in 0..60 {
        fs::write(root.join(format!("d/e/{index}")), noise(index, 97 * index as usize)).unwrap();
    }
    fs::write(root.join("words"), b"some words ".repeat(30_000)).unwrap();
    for form in [FORMS[0], FORMS[6]] {
        let Some(image) = made(&bench, &root, form) else { continue };
        let raw = fs::read(&image).unwrap();
        let number = |at: usize| u64::from(u32::from_le_bytes(raw[at..at + 4].try_into().unwrap()));
        let [checkpoints, main] = [76, 92].map(|at| number(1024 + at) * 4096);
        // Areas that are in use: the maps' first blocks, nodes, names.
        let used: Vec<_> = (main / 4096..raw.len() as u64 / 4096)
            .filter(|block| raw[(block * 4096) as usize..][..4096].iter().any(|&byte| byte != 0))
            .take(400)
            .map(|block| block * 4096..block * 4096 + 4096)
            .collect();
        let mut structures = vec![1024..4096, checkpoints..checkpoints + 40_960];
        structures.extend([80, 84].map(|at| number(1024 + at) * 4096..number(1024 + at) * 4096 + 8192));
        structures.extend(used);
        survive(&image, &structures);
    }
}

/// Images that the kernel wrote, beside the digests that it read from them: see `PFH_F2FS_IMAGES`,
/// a folder of images with a list of digests (`NAME.sums`, as `sha256sum` writes it) for each.
#[test]
#[ignore = "needs images that a kernel with F2FS wrote, in the folder PFH_F2FS_IMAGES: `cargo test --manifest-path media/Cargo.toml -p pfh-volume --test volume what_the_kernel_wrote -- --ignored`"]
fn what_the_kernel_wrote() {
    let folder = std::env::var_os("PFH_F2FS_IMAGES").expect("PFH_F2FS_IMAGES names a folder of images");
    for entry in fs::read_dir(folder).unwrap() {
        let image = entry.unwrap().path();
        if image.extension().is_none_or(|ending| ending != "img") {
            continue;
        }
        let sums = fs::read_to_string(image.with_extension("sums")).unwrap();
        let found = volume(&image);
        let (all, failures) = nodes(&found, ALL);
        let (mut right, mut wrong, mut missing, mut deleted) = (0, 0, 0, [0, 0]);
        for line in sums.lines() {
            let (sum, path) = line.split_once("  ").unwrap();
            let path = path.trim_start_matches("./").as_bytes();
            let is_it = |node: &&pfh_volume::Node| node.path == path && node.allocation == Allocation::Live;
            let Some(node) = all.iter().find(is_it) else {
                missing += 1;
                eprintln!("missing: {line}");
                continue;
            };
            let mut held = Vec::new();
            let read = node.content.as_ref().unwrap().open().map_err(|failed| failed.cause);
            let read = read.and_then(|mut reader| {
                std::io::Read::read_to_end(&mut reader, &mut held).map_err(|error| error.to_string())
            });
            if read.is_ok() && pfh_inject::digest_by("sha256sum", &held) == sum {
                right += 1;
            } else {
                wrong += 1;
                eprintln!("wrong: {line} {read:?}");
            }
        }
        for node in all.iter().filter(|node| node.allocation != Allocation::Live) {
            let read = node.content.as_ref().is_some_and(|content| content.open().is_ok());
            deleted[usize::from(read)] += 1;
        }
        let live = all.iter().filter(|node| node.allocation == Allocation::Live && node.kind == Kind::File).count();
        eprintln!(
            "{}: {right} right, {wrong} wrong, {missing} missing, {live} files, deleted {deleted:?}; {:?} {failures:?}",
            image.display(),
            found.warnings
        );
        assert!(wrong == 0 && missing == 0 && live == right + wrong, "{}", image.display());
    }
}
