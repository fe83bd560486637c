//! XFS as `mkfs.xfs`, `xfs_db` and the kernel write it.

mod damage;
mod kernel;
mod make;

use std::sync::Arc;

use pfh_inject::{Need, lacks};
use pfh_volume::{FileSystem, Kind, Options, VolumeContent, file_system};

use crate::image::{Bench, run, text};
use crate::listing::{assert_same, bytes, items, nodes, volume};
use crate::tree::{self, Item};

const MIB: u64 = 1 << 20;
const MAKES: [Need; 1] = [Need::Program("mkfs.xfs")];

/// Kinds of volumes, with their blocks.
const KINDS: [(&str, u32, &[&str]); 7] = [
    ("v5", 4096, &[]),
    ("v5 of 1 KiB", 1024, &["-b", "size=1024", "-m", "rmapbt=1", "-n", "size=8192"]),
    ("v5, wide", 2048, &["-b", "size=2048", "-i", "size=1024,nrext64=1", "-n", "size=16384"]),
    ("v5, sectors", 4096, &["-s", "size=4096", "-m", "reflink=0,bigtime=0,finobt=0", "-i", "sparse=0"]),
    ("v4", 4096, &["-m", "crc=0"]),
    ("v4 of 512", 512, &["-m", "crc=0", "-b", "size=512", "-i", "size=256", "-n", "ftype=0"]),
    ("v4, types", 1024, &["-m", "crc=0", "-b", "size=1024", "-n", "ftype=1,size=8192", "-i", "attr=1"]),
];

fn opened(image: Vec<u8>) -> FileSystem {
    match file_system(Arc::new(image)).expect("a file system") {
        VolumeContent::FileSystem(found) => found,
        _ => panic!("not read"),
    }
}

#[test]
fn what_went_in_comes_out() {
    if lacks(&MAKES) {
        return;
    }
    let bench = Bench::new();
    for (index, (name, block_size, options)) in KINDS.into_iter().enumerate() {
        let root = bench.path(&format!("tree{index}"));
        make::plant(&root, 700, options.contains(&"crc=0"));
        let expected = tree::items(&root);
        let options = [options, &["-L", "Etikett"]].concat();
        let image = make::volume(&bench, &format!("image{index}"), 64 * MIB, &options, &root);
        let found = volume(&image);
        assert_eq!((found.kind, &found.label[..], found.block_size), ("XFS", &b"Etikett"[..], block_size), "{name}");
        assert_eq!((found.size, found.id.len(), found.warnings.len()), (64 * MIB, 36, 0), "{:?}", found.warnings);
        assert_same(&items(&found), &expected);
    }
}

/// Runs are where the bytes are, numbers are those that `xfs_db` has, and free runs, used blocks
/// and slack are all of the volume.
#[test]
fn runs_numbers_and_free_space() {
    if lacks(&MAKES) || lacks(&[Need::Program("xfs_db")]) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("tree");
    make::plant(&root, 40, false);
    for (index, (_, block_size, options)) in [KINDS[0], KINDS[5]].into_iter().enumerate() {
        let image = make::volume(&bench, &format!("image{index}"), 64 * MIB, options, &root);
        let raw = std::fs::read(&image).unwrap();
        let (found, failures) = nodes(&volume(&image), Options { deleted: false, unallocated: true });
        assert_eq!(failures, []);
        let mut free = 0;
        for node in &found {
            let Some(content) = &node.content else { continue };
            let runs = content.runs().expect("runs");
            let mut put_together = Vec::new();
            for run in &runs {
                put_together.extend_from_slice(&raw[run.medium_offset.unwrap() as usize..][..run.length as usize]);
            }
            assert!(put_together == bytes(node), "{}", String::from_utf8_lossy(&node.path));
            if node.path.starts_with(b"$Unallocated/") {
                free += node.size.unwrap() / u64::from(block_size);
            }
        }
        let said = |commands: &[&str]| -> u64 {
            let arguments: Vec<&str> = commands.iter().flat_map(|command| ["-c", command]).collect();
            let said = run("xfs_db", &[&["-r"], &arguments[..], &[text(&image)]].concat());
            said.lines().filter_map(|line| line.rsplit([' ', '=']).next()?.parse::<u64>().ok()).sum()
        };
        let groups = said(&["sb 0", "p agcount"]);
        let stated: u64 = (0..groups).map(|group| said(&[&format!("agf {group}"), "p freeblks"])).sum();
        assert_eq!(free, stated);
        let file =
            found.iter().find(|node| node.path == b"a/b/c/d/Gr\xc3\xbc\xc3\x9fe_\xe4\xb8\x96\xe7\x95\x8c").unwrap();
        assert_eq!(file.id, Some(said(&["path /a/b/c/d/Grüße_世界", "inode"])));
        let slack = found.iter().find(|node| node.path == b"$Slack/size4097.bin").unwrap();
        assert_eq!(
            (&slack.kind, slack.size),
            (&Kind::Unallocated, Some((4097_u64).next_multiple_of(block_size.into()) - 4097))
        );
    }
}

/// Extended attributes of version 4 as `xfs_db` writes them: in a leaf, below a node, and with
/// values in blocks of their own.
#[test]
fn attributes_of_version_4() {
    if lacks(&MAKES) || lacks(&[Need::Program("xfs_db")]) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("tree");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("file"), b"with attributes").unwrap();
    for (index, options) in [KINDS[4].2, KINDS[5].2].into_iter().enumerate() {
        let image = make::volume(&bench, &format!("image{index}"), 64 * MIB, options, &root);
        let mut expected = tree::items(&root);
        let mut commands = vec!["path /file".to_owned()];
        let mut set = |flag: &str, space: &str, name: &str, length: usize| {
            commands.push(format!("attr_set -{flag} {name} -v {length}"));
            expected.insert(format!("file:{space}.{name}").into_bytes(), Item::File(vec![b'v'; length]));
        };
        set("u", "user", "one", 20);
        set("s", "security", "secret", 10);
        set("r", "trusted", "root", 30);
        set("u", "user", "long", 7000);
        set("u", "user", "longest", 60_000);
        for number in 0..400 {
            set("u", "user", &format!("name{number}"), 60);
        }
        let arguments: Vec<&str> = commands.iter().flat_map(|command| ["-c", command]).collect();
        run("xfs_db", &[&["-x"], &arguments[..], &[text(&image)]].concat());
        assert_same(&items(&volume(&image)), &expected);
    }
}

/// An XFS volume whose superblock is lost is opened by the one of its second group.
#[test]
fn a_lost_superblock_has_a_copy() {
    if lacks(&MAKES) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("tree");
    make::plant(&root, 10, false);
    for (index, (name, _, options)) in KINDS.into_iter().enumerate() {
        let options = [options, &["-d", "agcount=4"]].concat();
        let image = make::volume(&bench, &format!("image{index}"), 320 * MIB, &options, &root);
        let expected = items(&volume(&image));
        let size = if options.contains(&"size=4096") { 4096 } else { 512 };
        for bytes in [&[0; 4096][..size], b"XFSB\0\0\0\0"] {
            crate::image::poke(&image, 0, bytes);
            let found = volume(&image);
            assert!(found.warnings[0].cause.contains("its copy is used"), "{name}: {:?}", found.warnings);
            assert_same(&items(&found), &expected);
        }
    }
}

#[test]
fn what_is_not_read_is_named() {
    if lacks(&MAKES) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("tree");
    std::fs::create_dir(&root).unwrap();
    let image = make::volume(&bench, "image", 32 * MIB, &[], &root);
    let whole = std::fs::read(&image).unwrap();
    let named = |at: usize, bytes: &[u8]| {
        let mut image = whole.clone();
        make::change(&mut image, 0..512, 224, at, bytes);
        match file_system(Arc::new(image)).expect("a name") {
            VolumeContent::Unread(name) => name,
            _ => panic!("read"),
        }
    };
    assert_eq!(named(216, &[0x80, 0, 0, 3]), "XFS with the unknown features 0x80000000");
    assert_eq!(named(100, &[0, 2]), "XFS of version 2");
    assert_eq!(named(100, &[0x10, 4]), "XFS with directories of version 1");
    // A log and a realtime device elsewhere.
    let said = |changes: &[(usize, &[u8])]| {
        let mut image = whole.clone();
        for (at, bytes) in changes {
            make::change(&mut image, 0..512, 224, *at, bytes);
        }
        opened(image).warnings.into_iter().map(|warning| warning.cause).collect::<Vec<_>>()
    };
    assert!(said(&[(48, &[0; 8])])[0].contains("on another device"));
    assert_eq!(
        said(&[(16, &[0, 0, 0, 0, 0, 0, 1, 0])]),
        ["files on its realtime device of 1048576 bytes are not read"]
    );
    let cut = volume_of(&whole[..16 << 20]);
    assert!(cut.warnings[0].cause.contains("the volume only 16777216"), "{:?}", cut.warnings);
    let mut head = whole[..20_000].to_vec();
    let failed = pfh_volume::small_file_system(Arc::new(head.clone())).err().expect("a failure");
    assert_eq!(failed.cause, "XFS: the volume is cut off here");
    head.truncate(4096);
    assert!(matches!(pfh_volume::small_file_system(Arc::new(head)), Ok(VolumeContent::Unknown)));
}

fn volume_of(image: &[u8]) -> FileSystem {
    opened(image.to_vec())
}
