//! The account of discs and of NTFS as other programs write them.

use crate::image::{Bench, open, poke, run, text};
use crate::listing::{nodes, volume};
use crate::tree::noise;
use pfh_inject::{Need, lacks};
use pfh_volume::Options;
use pfh_volume::account::{self, Account, Holds};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const MIB: u64 = 1 << 20;

/// The account of a medium, whose extents tile it, and in which each byte of its files is once.
fn account(image: &Path, what: &str) -> Account {
    let medium = open(image);
    let account = account::medium(&medium).unwrap();
    let mut at = 0;
    for extent in &account.extents {
        assert_eq!(extent.start, at, "{what}: {extent:?}");
        at = extent.end();
    }
    assert_eq!(at, medium.size(), "{what}");
    assert!(account.opaque.is_empty() && account.overlaps.is_empty(), "{what}: {:?}", account.overlaps);
    assert!(account.faults.is_empty(), "{what}: {:?}", account.faults);
    account
}

/// Bytes of all files, those with several names once.
fn stored(image: &Path) -> u64 {
    let mut contents = BTreeMap::new();
    for node in nodes(&volume(image), Options::default()).0 {
        let runs = node.content.as_ref().and_then(|content| content.runs()).unwrap_or_default();
        let stored: u64 = runs.iter().filter(|run| run.medium_offset.is_some()).map(|run| run.length).sum();
        contents.insert(runs.first().and_then(|run| run.medium_offset), stored);
    }
    contents.remove(&None);
    contents.values().sum()
}

#[test]
fn every_byte_of_a_disc_is_accounted_for() {
    if lacks(&[Need::Program("genisoimage"), Need::Program("xorriso")]) {
        return;
    }
    let bench = Bench::new();
    let tree = bench.path("tree");
    crate::tree::plain(&tree);
    fs::write(tree.join("boot.img"), noise(5, 2048)).unwrap();
    let ways: [(&str, &[&str]); 6] = [
        ("genisoimage", &["-quiet", "-R"]),
        ("genisoimage", &["-quiet", "-J", "-R"]),
        ("genisoimage", &["-quiet", "-iso-level", "3", "-l"]),
        ("genisoimage", &["-quiet", "-R", "-b", "boot.img", "-c", "boot.cat", "-no-emul-boot"]),
        ("xorriso", &["-as", "mkisofs", "-quiet", "-R", "-J"]),
        ("xorriso", &["-as", "mkisofs", "-quiet", "-b", "boot.img", "-c", "boot.cat", "-no-emul-boot"]),
    ];
    for (program, options) in ways {
        let image = bench.path("disc.iso");
        let _ = fs::remove_file(&image);
        run(program, &[options, &["-o", text(&image), text(&tree)]].concat());
        let what = format!("{program} {options:?}");
        let found = account(&image, &what);
        let residue: Vec<_> = found.residue().collect();
        assert!(residue.is_empty(), "{what}: {residue:?}");
        assert_eq!(found.sum(Holds::Content), stored(&image), "{what}");
        // The filling behind the files is nobody's.
        let Some(filling) = found.extents.iter().rev().find(|extent| extent.holds == Holds::Padding) else { continue };
        let at = filling.start.next_multiple_of(512);
        poke(&image, at, b"hidden behind the files");
        let found = account(&image, &what);
        let residue: Vec<_> = found.residue().map(|extent| &extent.name[..]).collect();
        assert_eq!(residue, [&b"text: hidden behind the files"[..]], "{what}");
    }
}

#[test]
fn every_byte_of_ntfs_is_accounted_for() {
    if lacks(&[Need::Program("mkfs.ntfs"), Need::Program("ntfscp")]) {
        return;
    }
    let bench = Bench::new();
    for cluster in ["512", "4096", "65536"] {
        let image = bench.blank("ntfs.img", 40 * MIB);
        run("mkfs.ntfs", &["-q", "-F", "-f", "-c", cluster, text(&image)]);
        for number in 0..60 {
            let file = bench.path("file");
            fs::write(&file, noise(number + 1, 300 + 4000 * number as usize)).unwrap();
            let name = format!("a name that makes the index of the root long {number}");
            run("ntfscp", &["-q", text(&image), text(&file), &name]);
        }
        let found = account(&image, cluster);
        let residue: Vec<_> = found.residue().collect();
        assert!(residue.is_empty(), "{cluster}: {residue:?}");
        assert_eq!(found.sum(Holds::Content), stored(&image), "{cluster}");
        let kinds: Vec<_> = found.extents.iter().map(|extent| &extent.name[..]).collect();
        assert!(kinds.contains(&&b"index"[..]) && kinds.contains(&&b"copy of the boot sector"[..]), "{cluster}");
    }
}
