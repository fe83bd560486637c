//! ISO 9660 as xorriso and genisoimage write it.

use std::fs;
use std::path::PathBuf;

use pfh_inject::{Need, lacks};
use pfh_volume::{Options, Scheme, partitions};

use crate::image::{Bench, open, poke, run, text};
use crate::listing::{assert_same, bytes, fls, items, nodes, volume};
use crate::mutants;
use crate::tree::{self, Item, Items, noise};

const TOOLS: [Need; 3] = [Need::Program("xorriso"), Need::Program("genisoimage"), Need::Program("fls")];

fn image(bench: &Bench, program: &[&str]) -> (PathBuf, Items) {
    let root = bench.path("tree");
    if !root.exists() {
        tree::plain(&root);
        fs::create_dir_all(root.join("1/2/3/4/5/6/7/8/9/10/11")).unwrap();
        fs::write(root.join("1/2/3/4/5/6/7/8/9/10/11/deep"), b"deeper than ISO 9660 allows").unwrap();
        // genisoimage does not end with some of these.
        if program[0] == "xorriso" {
            tree::posix(&root);
        }
    }
    let image = bench.path("image");
    run(program[0], &[&program[1..], &["-o", text(&image), text(&root)]].concat());
    let mut expected = tree::items(&root);
    for item in expected.values_mut() {
        // Rock Ridge keeps components: a slash at the end has no place.
        if let Item::Link(target) = item {
            target.truncate(target.len() - usize::from(target.ends_with(b"/")));
        }
    }
    (image, expected)
}

#[test]
fn rock_ridge_is_what_went_in() {
    if lacks(&TOOLS) {
        return;
    }
    for program in [
        &["xorriso", "-as", "mkisofs", "-quiet", "-R", "-V", "LABEL"][..],
        &["xorriso", "-as", "mkisofs", "-quiet", "-R", "-J", "-V", "LABEL"],
        &["genisoimage", "-quiet", "-R", "-input-charset", "utf-8", "-V", "LABEL"],
    ] {
        let bench = Bench::new();
        let (image, expected) = image(&bench, program);
        let volume = volume(&image);
        assert_eq!((volume.kind, &volume.label[..]), ("ISO 9660", &b"LABEL"[..]));
        assert_eq!(volume.warnings, []);
        let mut found = items(&volume);
        if program[0] == "genisoimage" {
            // Where it puts directories that lie too deep for ISO 9660; they are listed in place.
            assert_eq!(found.remove(&b"rr_moved"[..]), Some(Item::Directory));
        }
        assert_same(&found, &expected);
        assert_eq!(partitions(&open(&image)).unwrap().scheme, Scheme::None);
    }
}

#[test]
fn joliet_and_plain_names() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("tree");
    tree::plain(&root);
    let image = bench.path("joliet");
    run("genisoimage", &["-quiet", "-J", "-joliet-long", "-input-charset", "utf-8", "-o", text(&image), text(&root)]);
    let found = items(&volume(&image));
    // Joliet has no letters beyond 16 bits, and no names beyond 103.
    let expected: Items =
        tree::items(&root).into_iter().filter(|(path, _)| !path.ends_with("😀.txt".as_bytes())).collect();
    let found: Items =
        found.into_iter().filter(|(path, _)| !path.starts_with("Many/deep/er/and/deeper/".as_bytes())).collect();
    assert_same(&found, &expected);

    let small = bench.path("small");
    fs::create_dir_all(small.join("DIR")).unwrap();
    fs::write(small.join("DIR/FILE.TXT"), b"plain").unwrap();
    fs::write(small.join("NOEXT"), b"none").unwrap();
    let image = bench.path("plain");
    run("genisoimage", &["-quiet", "-o", text(&image), text(&small)]);
    assert_same(&items(&volume(&image)), &tree::items(&small));
    let listed = fls(&image, false);
    assert!(listed.contains_key("DIR/FILE.TXT"), "{listed:?}");
}

#[test]
fn a_stick_image_is_one_volume_and_says_so() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (image, _) = image(&bench, &["xorriso", "-as", "mkisofs", "-quiet", "-R", "-isohybrid-gpt-basdat"]);
    // A table as isohybrid writes it, with the whole disc as a partition.
    poke(&image, 446, &[0x80, 0, 1, 0, 0x17, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0x40, 0, 0]);
    poke(&image, 510, &[0x55, 0xaa]);
    let table = partitions(&open(&image)).unwrap();
    assert_eq!((table.scheme, table.warnings.len()), (Scheme::None, 1));
}

#[test]
fn extents_that_leave_the_disc_are_failures() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (image, _) = image(&bench, &["xorriso", "-as", "mkisofs", "-quiet", "-R"]);
    let raw = fs::read(&image).unwrap();
    let live = nodes(&volume(&image), Options::default()).0;
    let large = live.iter().find(|node| node.path == b"large.dat").unwrap();
    assert!(bytes(large) == noise(99, 2_500_000));
    let block = u32::try_from(large.id.unwrap()).unwrap();
    let both = [block.to_le_bytes(), block.to_be_bytes()].concat();
    let at = raw.windows(8).position(|window| window == both).unwrap() as u64;
    let both = [0x00ff_ffff_u32.to_le_bytes(), 0x00ff_ffff_u32.to_be_bytes()].concat();
    poke(&image, at, &both);
    let (all, failures) = nodes(&volume(&image), Options::default());
    assert_eq!((failures, all.len()), (vec![], live.len()));
    let node = all.iter().find(|node| node.path == b"large.dat").unwrap();
    let Err(failed) = node.content.as_ref().unwrap().open() else { panic!("it opens") };
    assert!(failed.cause.contains("out of the volume") && failed.path == b"large.dat", "{failed:?}");
}

/// DFTT 14: names that one tree lists and another does not were found by no option.
#[test]
fn what_only_another_tree_lists_is_listed_apart() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("small");
    fs::create_dir(&root).unwrap();
    for (name, content) in [("first.txt", "one"), ("second.txt", "two!"), ("both.txt", "three"), ("none", "")] {
        fs::write(root.join(name), content).unwrap();
    }
    let image = bench.path("image");
    let hidden = ["-quiet", "-hide", "second.txt", "-hide-joliet", "first.txt", "-o", text(&image), text(&root)];
    for (options, expected) in [
        (
            &["-J"][..],
            &[("both.txt", "three"), ("none", ""), ("second.txt", "two!"), ("$ISO9660/FIRST.TXT", "one")][..],
        ),
        (&["-J", "-R"], &[("both.txt", "three"), ("first.txt", "one"), ("none", ""), ("$Joliet/second.txt", "two!")]),
    ] {
        run("genisoimage", &[options, &hidden].concat());
        let found = items(&volume(&image));
        let expected: Items =
            expected.iter().map(|(name, content)| (name.as_bytes().to_vec(), Item::File((*content).into()))).collect();
        assert_same(&found, &expected);
    }
    // An empty file has no place by which it could be known: the names of all are listed.
    let hidden = ["-quiet", "-J", "-hide-joliet", "none", "-o", text(&image), text(&root)];
    run("genisoimage", &hidden);
    assert!(items(&volume(&image)).contains_key(&b"$ISO9660/NONE"[..]));
}

#[test]
fn byte_orders_that_disagree_are_failures() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("small");
    fs::create_dir_all(root.join("DIR")).unwrap();
    fs::write(root.join("DIR/FILE"), b"content").unwrap();
    fs::write(root.join("OTHER"), b"other").unwrap();
    let image = bench.path("image");
    run("genisoimage", &["-quiet", "-o", text(&image), text(&root)]);
    let raw = fs::read(&image).unwrap();
    // The path table has the names as well: a record states its block twice.
    let is_record = |at: usize| {
        raw[at - 31..at - 27] != [0; 4] && raw[at - 31..at - 27].iter().eq(raw[at - 27..at - 23].iter().rev())
    };
    let record = |name: &[u8]| {
        let found = raw.windows(name.len()).enumerate().skip(34_000);
        found.filter(|(_, part)| *part == name).map(|(at, _)| at).find(|at| is_record(*at)).unwrap() as u64 - 33
    };
    // The block of a file, the size of a directory, the size of the volume.
    let (file, directory) = (record(b"OTHER.;1"), record(b"DIR"));
    poke(&image, file + 6, &[0, 0, 0, 99]);
    poke(&image, directory + 14, &[0, 0, 0, 99]);
    poke(&image, 32_768 + 84, &[0, 0, 0, 99]);
    let volume = volume(&image);
    let offsets: Vec<_> = volume.warnings.iter().map(|failed| failed.offset).collect();
    assert_eq!(offsets, [Some(32_768 + 80)]);
    let (all, failures) = nodes(&volume, Options::default());
    let [failed] = &failures[..] else { panic!("{failures:?}") };
    assert_eq!((failed.offset, &failed.path[..]), (Some(directory + 10), &b"DIR"[..]));
    let node = |name: &[u8]| all.iter().find(|node| node.path == name).unwrap();
    let Err(failed) = node(b"OTHER").content.as_ref().unwrap().open() else { panic!("it opens") };
    assert!(failed.offset == Some(file + 2) && failed.cause.contains("99 in the other"), "{failed:?}");
    assert_eq!(bytes(node(b"DIR/FILE")), b"content");
}

#[test]
fn mutants_end() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("small");
    fs::create_dir_all(root.join("a/b/c/d/e/f/g/h/i/j")).unwrap();
    for index in 0..30_usize {
        fs::write(root.join(format!("a/file number {index}")), noise(index as u64, index * 1500)).unwrap();
    }
    tree::posix_small(&root);
    for options in [&["-R"][..], &["-J"]] {
        let image = bench.path("image");
        run("genisoimage", &[options, &["-quiet", "-o", text(&image), text(&root)]].concat());
        mutants::survive(&image, &[32_768..40_000, 40_000..120_000]);
    }
}
