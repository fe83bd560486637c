//! Files in archives and images: the digests of the usual programs, names that are unique, and
//! nothing that passes in silence.

use crate::inside::{ARCHIVERS, asked, found, input, listed, of, ran, row, rows, tree};
use crate::room::Room;
use pfh::list;
use pfh::{Mode, Plan};
use pfh_inject::{Need, digest_by, lacks, random, sha256_of};
use std::collections::BTreeMap;
use std::fs;

fn sha256(bytes: &[u8]) -> String {
    digest_by("sha256sum", bytes)
}

#[test]
fn archives_have_the_digests_of_their_own_programs() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    room.sh("zip -q -r a.zip t; tar -cf a.tar t; tar -czf a.tar.gz t; tar -cJf a.tar.xz t; tar -cjf a.tar.bz2 t");
    room.sh("tar --zstd -cf a.tar.zst t; 7z a -bd a.7z t");
    // Inside of a container marks in front of a slash are doubled.
    let inner = |name: &str| match name.contains("!!/") {
        true => name.replace("!!/", "!!!!/"),
        false => name.replace("!/", "!!/"),
    };
    let (files, _) = rows(&room, &["t"]);
    let before: BTreeMap<String, String> =
        files.iter().map(|row| (inner(&row.name), row.digest().to_owned())).collect();
    assert_eq!(before.len(), 9);
    for row in &files {
        assert_eq!(sha256_of(&room.at(&row.name)), row.digest(), "{}", row.name);
    }
    for archive in ["a.zip", "a.tar", "a.tar.gz", "a.tar.xz", "a.tar.bz2", "a.tar.zst", "a.7z"] {
        assert_eq!(found(&room, archive), before, "{archive}");
    }
    for (line, archive) in [
        ("unzip -p a.zip t/sub/b.bin", "a.zip"),
        ("tar -xOf a.tar t/sub/b.bin", "a.tar"),
        ("7z e -so a.7z t/sub/b.bin", "a.7z"),
    ] {
        assert_eq!(found(&room, archive)["t/sub/b.bin"], sha256(&room.sh(line)), "{line}");
    }
    room.sh("gzip -k t/plain; bzip2 -k t/plain; xz -k t/plain; zstd -q t/plain");
    for (line, stream) in [("gzip -dc", "gz"), ("bzip2 -dc", "bz2"), ("xz -dc", "xz"), ("zstd -dcq", "zst")] {
        let expected = sha256(&room.sh(&format!("{line} t/plain.{stream}")));
        assert_eq!(found(&room, &format!("t/plain.{stream}")), [("plain".to_owned(), expected)].into());
    }
}

/// Any number of threads, in any role, with any memory gives the same rows in the same order.
#[test]
fn the_same_rows_whatever_the_threads() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    room.sh("tar -czf a.tar.gz t; 7z a -bd b.7z t; zip -q c.zip a.tar.gz b.7z");
    let mut before = None;
    for (threads, readers, mode, memory) in [
        (1, 1, Mode::Adaptive, 128),
        (8, 1, Mode::Adaptive, 128),
        (2, 3, Mode::Mtp, 128),
        (2, 1, Mode::Smt, 128),
        (2, 1, Mode::Adaptive, 1),
    ] {
        let mut plan = Plan::new(["md5".parse::<pfh::Algorithm>().unwrap(), "sha256".parse().unwrap()]);
        (plan.threads, plan.prefetchers, plan.mode, plan.memory) = (threads, readers, mode, memory << 20);
        let (rows, _) = ran(&room, &asked(&room, &["a.tar.gz", "b.7z", "c.zip"], |_| {}).plan(plan));
        let rows: Vec<_> = rows.into_iter().map(|row| (row.name, row.found)).collect();
        assert_eq!(before.get_or_insert_with(|| rows.clone()), &rows, "{threads} {mode:?} {memory}");
    }
    assert_eq!(before.map(|rows| rows.len()), Some(3 + 2 + 4 * 9));
}

#[test]
fn nested_to_the_depth_and_no_further() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    room.file("leaf", "leaf");
    room.sh("zip -q 1.zip leaf; tar -cf 2.tar 1.zip; gzip -k 2.tar; zip -q 4.zip 2.tar.gz");
    let names = |depth: u32| {
        let (rows, summary) = ran(&room, &asked(&room, &["4.zip"], |options| options.limits.depth = depth));
        assert_eq!(summary.failed, 0, "{rows:?}");
        rows.iter().map(|row| format!("{}{}", row.code(), row.name)).collect::<Vec<_>>()
    };
    let deep = ["4.zip", "4.zip!/2.tar.gz", "4.zip!/2.tar.gz!/1.zip", "4.zip!/2.tar.gz!/1.zip!/leaf"];
    assert_eq!(names(3), deep);
    assert_eq!(names(64), deep);
    assert_eq!(names(2), [&deep[..3], &["skipped4.zip!/2.tar.gz!/1.zip!/"]].concat());
    assert_eq!(names(1), [&deep[..2], &["skipped4.zip!/2.tar.gz!/"]].concat());
}

#[test]
fn damage_and_encryption_are_problems_and_the_rest_comes() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    room.sh("printf hello > a; printf world > b; zip -q -0 x.zip a b; zip -q -P secret e.zip a; zip -q e.zip b");
    let mut bytes = fs::read(room.at("x.zip")).unwrap();
    let at = bytes.windows(5).position(|bytes| bytes == b"hello").unwrap();
    bytes[at] = b'j';
    room.file("x.zip", &bytes);
    for (archive, word) in [("x.zip", "CRC"), ("e.zip", "encrypted")] {
        let (rows, summary) = rows(&room, &[archive]);
        let wrong = row(&rows, &format!("{archive}!/a"));
        assert!(wrong.code() == "inside" && wrong.cause().contains(word), "{wrong:?}");
        assert_eq!((row(&rows, &format!("{archive}!/b")).digest(), summary.failed), (&*sha256(b"world"), 1));
    }
    // Cut off: the present part, and that there was more.
    room.sh("head -c 300000 /dev/urandom > c; tar -cf t.tar a c; head -c 200000 t.tar > cut.tar; gzip t.tar; \
         head -c 200000 t.tar.gz > cut.tar.gz");
    for archive in ["cut.tar", "cut.tar.gz"] {
        let (rows, summary) = rows(&room, &[archive]);
        assert_eq!(row(&rows, &format!("{archive}!/a")).digest(), sha256(b"hello"));
        assert!(row(&rows, &format!("{archive}!/c")).found.is_err() && summary.failed > 0, "{rows:?}");
    }
}

#[test]
fn bombs_are_problems() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    // 16 times 16 archives of 16 MB each. By other names than .zip, which zip does not compress.
    room.sh("head -c 16000000 /dev/zero > zeros; zip -q 0.zip zeros; rm zeros");
    for level in 0..2 {
        let copies: Vec<String> = (0..16).map(|copy| format!("c{copy}.dat")).collect();
        for copy in &copies {
            room.sh(&format!("cp {level}.zip {copy}"));
        }
        room.sh(&format!("zip -q {}.zip {}; rm c*.dat", level + 1, copies.join(" ")));
    }
    let (rows, _) = ran(&room, &asked(&room, &["2.zip"], |options| options.limits.bytes = 64 << 20));
    assert!(rows.iter().filter(|row| row.cause().contains("bomb")).count() > 200, "{rows:?}");
    // Members that are the same bytes (D. Fifield's bomb): the directory lists one twice.
    room.sh("zip -q -0 two.zip 0.zip 1.zip");
    let mut bytes = fs::read(room.at("two.zip")).unwrap();
    let directory: Vec<usize> = (0..bytes.len() - 4).filter(|at| &bytes[*at..*at + 4] == b"PK\x01\x02").collect();
    let [.., first, second] = directory[..] else { panic!("{directory:?}") };
    bytes.copy_within(first + 42..first + 46, second + 42);
    room.file("two.zip", &bytes);
    let (rows, summary) = ran(&room, &asked(&room, &["two.zip"], |options| options.limits.depth = 1));
    // Both, and the bytes of the second that no member has now.
    assert_eq!(summary.failed, 3, "{rows:?}");
    assert!(rows.iter().any(|row| row.cause().contains("residue")), "{rows:?}");
}

#[test]
fn files_in_images() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    room.sh("rm -r t/new*; zip -q -r t/in.zip t/plain; truncate -s 16M ext.img; mkfs.ext4 -q -d t ext.img");
    let image = found(&room, "ext.img");
    assert_eq!(image["sub/b.bin"], sha256_of(&room.at("t/sub/b.bin")));
    assert_eq!(image["dir!!/x"], sha256_of(&room.at("t/dir!/x")));
    assert_eq!(image["in.zip!/t/plain"], sha256_of(&room.at("t/plain")));
    // A partition table, in pieces, in an E01, in an archive.
    room.sh("truncate -s 24M disk; printf 'label: gpt\\nstart=2048, size=32768, type=linux\\n' | sfdisk -q disk");
    room.sh(
        "dd if=ext.img of=disk bs=512 seek=2048 conv=notrunc; split -b 10M -d -a 3 disk disk.; zip -q disk.zip disk",
    );
    #[cfg(feature = "image")]
    crate::imaged::acquire(&crate::imaged::asked(&room, "disk", "disk.E01"));
    for container in ["disk", "disk.000", "disk.E01"] {
        let found = found(&room, container);
        assert_eq!(found["p1/sub/b.bin"], image["sub/b.bin"], "{container}");
        assert_eq!(found["p1/in.zip!/t/plain"], image["in.zip!/t/plain"], "{container}");
    }
    let deep = ran(&room, &asked(&room, &["disk.zip"], |options| options.limits.depth = 2));
    assert_eq!(row(&deep.0, "disk.zip!/disk!/p1/plain").digest(), image["plain"]);
}

/// A container that is written to while its members are read has no digests of them.
#[cfg(unix)]
#[test]
fn a_container_that_changes_is_a_problem() {
    use std::os::unix::fs::FileExt;
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    for file in 0..40 {
        room.file(format!("t/{file}"), &random(file, 4_000_000));
    }
    room.sh("tar -cf a.tar t");
    let tar = fs::OpenOptions::new().write(true).open(room.at("a.tar")).unwrap();
    let writer = std::thread::spawn(move || {
        for _ in 0..200 {
            std::thread::sleep(std::time::Duration::from_millis(5));
            let _ = tar.write_at(b"t", 0);
        }
    });
    let mut plan = Plan::new(["sha3-512".parse::<pfh::Algorithm>().unwrap()]);
    plan.threads = 1;
    let (rows, _) = ran(&room, &asked(&room, &["a.tar"], |_| {}).plan(plan));
    writer.join().unwrap();
    assert!(rows.iter().any(|row| row.name.contains("!/t/") && row.code() == "changed"), "{rows:?}");
}

/// A file that was deleted is hashed on request alone, and listed unless one kind is asked for.
#[test]
fn deleted_files_come_on_request() {
    if lacks(&[Need::Program("mcopy"), Need::Program("mkfs.vfat")]) {
        return;
    }
    let room = Room::new();
    let gone = room.file("gone", "deleted content\n");
    room.file("kept", "kept\n");
    room.sh("mkfs.vfat -C f.img 2000; mcopy -i f.img kept ::/KEPT.TXT; mcopy -i f.img gone ::/GONE.TXT");
    room.sh("mdel -i f.img ::/GONE.TXT");
    let only = |only| listed(&room, &list::Request::new(input(&room, &["f.img"], |_| {})).only(only)).0;
    let deleted = |names: &[(String, pfh::Inside)]| names.iter().filter(|(_, inside)| inside.deleted).count();
    for (which, expected) in
        [(list::NameChoice::All, (2, 1)), (list::NameChoice::Live, (1, 0)), (list::NameChoice::Deleted, (1, 1))]
    {
        let names = only(which);
        assert_eq!((names.len(), deleted(&names)), expected, "{which:?}: {names:?}");
        assert_eq!(names.iter().filter(|(name, _)| name.contains("!deleted-")).count(), expected.1);
    }
    assert_eq!(found(&room, "f.img").len(), 1);
    let with = ran(&room, &asked(&room, &["f.img"], |options| options.deleted = true));
    let found = of("f.img", &with);
    let (name, digest) = found.iter().find(|(name, _)| name.contains("!deleted-")).expect("the deleted file");
    assert_eq!((found.len(), digest), (2, &sha256_of(&gone)), "{name}");
}

/// Names and metadata of a list, without reading content.
#[test]
fn a_list_has_names_and_metadata_alone() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    room.sh("touch -d '2020-02-03 04:05:06.789 UTC' t/plain; ln -s plain t/link; tar --format=pax -cf a.tar t");
    let request = list::Request::new(input(&room, &["a.tar"], |_| {}));
    let (names, summary) = listed(&room, &request);
    let (_, plain) = names.iter().find(|(name, _)| name == "a.tar!/t/plain").unwrap();
    let container = room.at("a.tar").into_os_string().into_encoded_bytes();
    assert_eq!((plain.kind, &plain.container), ("tar", &container));
    let modified = plain.modified.as_ref().map(ToString::to_string);
    assert_eq!(modified.as_deref(), Some("2020-02-03T04:05:06.789000000Z"));
    // The link, and the directories.
    assert_eq!((names.len(), summary.failed, summary.files), (9, 0, 1));
    assert!(summary.skipped >= 1);
    // A file without members is empty.
    for (name, failed) in [("t/plain", 0), ("gone", 1)] {
        let (_, summary) = listed(&room, &list::Request::new(input(&room, &[name], |_| {})));
        assert_eq!((summary.names, summary.failed, summary.is_empty()), (0, failed, failed == 0), "{name}");
    }
}

/// The parts of a zip are one, by its last: one that is missing is named, and `check` reads the
/// names back.
#[test]
fn a_zip_in_parts_is_one() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    room.file("t/noise", &random(9, 200_000));
    room.file("t/small", "small");
    room.sh("cd t && zip -q -s 64k ../d.zip noise small && mkdir ../d && mv ../d.z* ../d && 7z a -v64k ../d/e.7z noise >/dev/null");
    let (all, summary) = rows(&room, &["d"]);
    assert_eq!(summary.failed, 0, "{all:?}");
    for (name, file) in [("d/d.zip!/noise", "t/noise"), ("d/d.zip!/small", "t/small"), ("d/e.7z.001!/noise", "t/noise")]
    {
        assert_eq!(row(&all, name).digest(), sha256(&fs::read(room.at(file)).unwrap()), "{name}");
    }
    fs::rename(room.at("d/d.z02"), room.at("z02")).unwrap();
    fs::rename(room.at("d/e.7z.002"), room.at("7z002")).unwrap();
    let (all, _) = rows(&room, &["d"]);
    assert!(row(&all, "d/d.zip!/").cause().contains("d.z02 is not beside it"), "{all:?}");
    assert!(!row(&all, "d/e.7z.001!/").cause().is_empty(), "{all:?}");
}

/// Cabinets and LHA, by their own programs.
#[test]
fn cabinets_and_lha_have_the_digests_of_their_files() {
    if lacks(&[Need::Program("gcab"), Need::Program("jlha")]) {
        return;
    }
    let room = Room::new();
    room.file("t/noise", &random(9, 200_000));
    room.file("t/small", "small");
    room.sh("cd t && gcab -cz ../a.cab noise small && jlha aq ../a.lzh noise small");
    for archive in ["a.cab", "a.lzh"] {
        let found = found(&room, archive);
        for name in ["noise", "small"] {
            assert_eq!(found[name], sha256(&fs::read(room.at(format!("t/{name}"))).unwrap()), "{archive}");
        }
    }
}
