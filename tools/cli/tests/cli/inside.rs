//! Files in archives and images: the digests of the usual programs, names that read back, and
//! nothing that passes in silence.

use crate::program::{Line, Room, assert_refused, records, sha256};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// The programs that make and open what is looked into.
const ARCHIVERS: &[Need] = &[
    Need::Program("7z"),
    Need::Program("bzip2"),
    Need::Program("mkfs.ext4"),
    Need::Program("sfdisk"),
    Need::Program("tar"),
    Need::Program("unzip"),
    Need::Program("xmllint"),
    Need::Program("xz"),
    Need::Program("zip"),
    Need::Program("zstd"),
];

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) -> Vec<u8> {
    let output = Command::new("sh").args(["-c", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A tree with names of every kind that archives can hold.
fn tree(room: &Room) {
    let names = ["plain", "sub/b.bin", "ümlaut €", "bang!", "dir!/x", "dir!!/y!", "new\nline", "empty", " sp ace"];
    for (at, name) in names.iter().enumerate() {
        let length = if *name == "empty" { 0 } else { 1000 + at * at * 20_011 };
        room.file(format!("t/{name}"), &crate::program::random(at as u64, length));
    }
}

/// Digest by name of what `pfh hash --inside` found in a container.
fn found(room: &Room, options: &[&str], container: &str) -> BTreeMap<String, String> {
    let seen = pfh(room, [&["hash", "--inside", "-f", "jsonl"], options, &[container]].concat());
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let lines = records(&seen);
    let start = format!("{container}!/");
    let inside = lines.iter().filter(|line| line.path().starts_with(&start));
    inside
        .map(|line| (line.path()[start.len()..].to_owned(), line.digest("sha256").unwrap_or("skipped").to_owned()))
        .collect()
}

#[test]
fn archives_have_the_digests_of_their_own_programs() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    sh(&room, "zip -q -r a.zip t; tar -cf a.tar t; tar -czf a.tar.gz t; tar -cJf a.tar.xz t; tar -cjf a.tar.bz2 t");
    sh(&room, "tar --zstd -cf a.tar.zst t; 7z a -bd a.7z t");
    let before: BTreeMap<String, String> = {
        let seen = pfh(&room, ["hash", "-r", "-f", "jsonl", "t"]);
        records(&seen)
            .iter()
            .filter(|line| line.kind() == "file")
            .map(|line| {
                // Inside of a container marks in front of a slash are doubled.
                let name = line.path().replace("!!/", "!!!!/");
                let name = if name.contains("!!!!/") { name } else { name.replace("!/", "!!/") };
                (name, line.digest("sha256").unwrap().to_owned())
            })
            .collect()
    };
    assert_eq!(before.len(), 9);
    for archive in ["a.zip", "a.tar", "a.tar.gz", "a.tar.xz", "a.tar.bz2", "a.tar.zst", "a.7z"] {
        for options in [&[][..], &["--threads", "1"], &["--mode", "smt", "-a", "md5,sha256"], &["--mode", "mtp"]] {
            assert_eq!(found(&room, options, archive), before, "{archive} {options:?}");
        }
    }
    let own = [
        ("unzip -p a.zip t/sub/b.bin", "a.zip"),
        ("tar -xOf a.tar t/sub/b.bin", "a.tar"),
        ("7z e -so a.7z t/sub/b.bin", "a.7z"),
    ];
    for (line, archive) in own {
        assert_eq!(found(&room, &[], archive)["t/sub/b.bin"], sha256(&sh(&room, line)), "{line}");
    }
    sh(&room, "gzip -k t/plain; bzip2 -k t/plain; xz -k t/plain; zstd -q t/plain");
    for (line, stream) in [("gzip -dc", "gz"), ("bzip2 -dc", "bz2"), ("xz -dc", "xz"), ("zstd -dcq", "zst")] {
        let expected = sha256(&sh(&room, &format!("{line} t/plain.{stream}")));
        assert_eq!(found(&room, &[], &format!("t/plain.{stream}")), [("plain".to_owned(), expected)].into());
    }
}

/// The second command: what was hashed inside is checked inside, from anywhere, in any order.
#[test]
fn what_is_hashed_inside_is_checked_inside() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    sh(
        &room,
        "zip -q -r in.zip t; mkdir -p d 'd/odd!'; tar -czf d/a.tar.gz in.zip t; cp in.zip 'd/odd!/z!'; rm -r t in.zip",
    );
    for format in ["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv"] {
        let hash = ["hash", "-r", "--inside", "-f", format, "--force", "-o", "m", "d"];
        let seen = pfh(&room, hash);
        // hashdeep's format has no form for the three names with a line feed.
        let (code, files) = if format == "hashdeep" { (3, 27) } else { (0, 30) };
        assert_eq!(seen.code, Some(code), "{format}: {}", seen.stderr);
        let seen = pfh(&room, ["check", "m"]);
        assert_eq!(seen.code, Some(0), "{format}: {}", seen.stderr);
        assert!(seen.stderr.contains(&format!("{files} files verified against m")), "{format}: {}", seen.stderr);
        if format == "hashdeep" {
            continue;
        }
        let seen = pfh(&room, ["check", "--audit", "m"]);
        assert_eq!(seen.code, Some(0), "{format}: {}", seen.stderr);
        let seen = pfh(&room, ["check", "--audit", "--below", "d", "m"]);
        assert_eq!(seen.code, Some(0), "{format}: {}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    }
    let full = room.path().join("d");
    let seen = pfh(&room, ["hash", "-r", "--inside", "-o", "absolute", full.to_str().unwrap()]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    sh(&room, "grep -v '^#' absolute | sort -r -k 2 > sorted; grep -v '^#' m >/dev/null; mkdir elsewhere");
    for manifest in ["../absolute", "../sorted"] {
        let check = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["check", manifest]);
        let seen = check.directory(room.path().join("elsewhere")).run().unwrap();
        let whole = if manifest == "../absolute" { Some(0) } else { seen.code.filter(|code| [0, 3].contains(code)) };
        assert_eq!(seen.code, whole, "{manifest}: {}", seen.stderr);
        assert!(seen.stderr.contains("30 files verified"), "{manifest}: {}", seen.stderr);
    }
    // A member with another content, one that is gone, and a container that is gone.
    let list = String::from_utf8(pfh(&room, ["hash", "-r", "--inside", "d"]).stdout).unwrap();
    let line = list.lines().find(|line| line.ends_with("a.tar.gz!/in.zip!/t/plain")).unwrap();
    let changed = format!("{}{}", if line.starts_with('0') { "1" } else { "0" }, &line[1..]);
    room.file("changed", format!("{changed}\n").as_bytes());
    room.file("gone", line.replace("t/plain", "t/gone").as_bytes());
    room.file("away", line.replace("a.tar.gz", "b.tar.gz").as_bytes());
    for manifest in ["changed", "gone", "away"] {
        let seen = pfh(&room, ["check", manifest]);
        assert_eq!(seen.code, Some(1), "{manifest}: {}", seen.stderr);
    }
}

#[test]
fn nested_to_the_depth_and_no_further() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    room.file("leaf", b"leaf");
    sh(&room, "zip -q 1.zip leaf; tar -cf 2.tar 1.zip; gzip -k 2.tar; zip -q 4.zip 2.tar.gz");
    let names = |depth: &str| {
        let seen = pfh(&room, ["hash", "--inside", "--depth", depth, "-f", "jsonl", "4.zip"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let lines = records(&seen);
        let shown = |line: &Line| format!("{} {}", line.kind(), line.path());
        lines.iter().filter(|line| line.kind() != "summary").map(shown).collect::<Vec<_>>()
    };
    let deep =
        ["file 4.zip", "file 4.zip!/2.tar.gz", "file 4.zip!/2.tar.gz!/1.zip", "file 4.zip!/2.tar.gz!/1.zip!/leaf"];
    assert_eq!(names("3"), deep);
    assert_eq!(names("64"), deep);
    assert_eq!(names("2"), [&deep[..3], &["skipped 4.zip!/2.tar.gz!/1.zip!/"]].concat());
    assert_eq!(names("1"), [&deep[..2], &["skipped 4.zip!/2.tar.gz!/"]].concat());
}

#[test]
fn what_cannot_be_read_is_an_error_and_the_rest_comes() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    sh(&room, "printf hello > a; printf world > b; zip -q -0 x.zip a b; zip -q -P secret e.zip a; zip -q e.zip b");
    let mut bytes = std::fs::read(room.path().join("x.zip")).unwrap();
    let at = bytes.windows(5).position(|bytes| bytes == b"hello").unwrap();
    bytes[at] = b'j';
    room.file("x.zip", &bytes);
    for (archive, word) in [("x.zip", "CRC"), ("e.zip", "encrypted")] {
        let seen = pfh(&room, ["hash", "--inside", "-f", "jsonl", archive]);
        assert_refused(&seen, "a", "inside");
        let lines = records(&seen);
        let cause = lines.iter().find(|line| line.kind() == "error").unwrap().0["cause"].as_str().unwrap().to_owned();
        assert!(cause.contains(word), "{cause}");
        let right = lines.iter().find(|line| line.path() == format!("{archive}!/b")).unwrap();
        assert_eq!(right.digest("sha256"), Some(&sha256(b"world")[..]));
        // A format without a place for errors has no digest of it either.
        let seen = pfh(&room, ["hash", "--inside", archive]);
        assert_eq!(seen.code, Some(3));
        assert!(!String::from_utf8_lossy(&seen.stdout).contains("!/a"));
    }
    // Cut off: what there is, and that there was more.
    sh(
        &room,
        "head -c 300000 /dev/urandom > c; tar -cf t.tar a c; head -c 200000 t.tar > cut.tar; gzip t.tar; head -c 200000 t.tar.gz > cut.tar.gz",
    );
    for archive in ["cut.tar", "cut.tar.gz"] {
        let seen = pfh(&room, ["hash", "--inside", "-f", "jsonl", archive]);
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        let lines = records(&seen);
        let of = |name: &str| lines.iter().find(|line| line.path() == format!("{archive}!/{name}")).unwrap();
        assert_eq!(of("a").digest("sha256"), Some(&sha256(b"hello")[..]));
        assert_eq!(of("c").kind(), "error");
    }
}

#[test]
fn bombs_are_errors() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    // 16 times 16 archives of 16 MB each. By other names than .zip, which zip does not compress.
    sh(&room, "head -c 16000000 /dev/zero > zeros; zip -q 0.zip zeros; rm zeros");
    for level in 0..2 {
        let copies: Vec<String> = (0..16).map(|copy| format!("c{copy}.dat")).collect();
        for copy in &copies {
            sh(&room, &format!("cp {level}.zip {copy}"));
        }
        sh(&room, &format!("zip -q {}.zip {}; rm c*.dat", level + 1, copies.join(" ")));
    }
    let seen = pfh(&room, ["hash", "--inside", "--expand", "64MiB", "-f", "jsonl", "2.zip"]);
    assert_eq!(seen.code, Some(3));
    let lines = records(&seen);
    let bombs =
        lines.iter().filter(|line| line.kind() == "error" && line.0["cause"].as_str().unwrap().contains("bomb"));
    assert!(bombs.count() > 200, "{}", seen.stderr);
    // Members that are the same bytes (D. Fifield's bomb): the directory lists one twice.
    sh(&room, "zip -q -0 two.zip 0.zip 1.zip");
    let mut bytes = std::fs::read(room.path().join("two.zip")).unwrap();
    let directory: Vec<usize> = (0..bytes.len() - 4).filter(|at| &bytes[*at..*at + 4] == b"PK\x01\x02").collect();
    let first = *directory.iter().rev().nth(1).unwrap();
    let second = *directory.last().unwrap();
    bytes.copy_within(first + 42..first + 46, second + 42);
    room.file("two.zip", &bytes);
    let seen = pfh(&room, ["hash", "--inside", "--depth", "1", "-f", "jsonl", "two.zip"]);
    assert_eq!(seen.code, Some(3));
    let lines = records(&seen);
    assert_eq!(lines.iter().filter(|line| line.kind() == "error").count(), 2, "{}", seen.stderr);
}

/// Commands that take names of files refuse what is none, in place of passing it over.
#[test]
fn dups_and_plans_are_of_files() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    sh(&room, "zip -q -r a.zip t");
    for words in [&["dups", "--inside", "."][..], &["plan", "-r", "--inside", "a.zip", "-o", "PLAN"]] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(2), "{words:?}: {}", seen.stderr);
        assert!(seen.stderr.contains("inside of"), "{words:?}: {}", seen.stderr);
    }
    let seen = pfh(&room, ["hash", "--inside", "--order", "size", "a.zip"]);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    let seen = pfh(&room, ["hash", "--depth", "2", "a.zip"]);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
}

/// A second run, at another speed, gives the same bytes; a list of JSON lines with a base is one.
#[test]
fn the_same_bytes_whatever_the_threads() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    sh(&room, "tar -czf a.tar.gz t; 7z a -bd b.7z t; zip -q c.zip a.tar.gz b.7z; mkdir d");
    let mut before = None;
    for options in [&["--threads", "1"][..], &["--threads", "8"], &["--mode", "mtp", "-p", "3"], &["-m", "1"]] {
        let seen = pfh(&room, [&["hash", "--inside", "-f", "jsonl"], options, &["a.tar.gz", "b.7z", "c.zip"]].concat());
        assert_eq!(seen.code, Some(0), "{options:?}: {}", seen.stderr);
        assert_eq!(before.get_or_insert_with(|| seen.stdout.clone()), &seen.stdout, "{options:?}");
    }
    assert_eq!(pfh(&room, ["hash", "--inside", "-a", "md5", "-f", "jsonl", "-o", "d/m", "c.zip"]).code, Some(0));
    let seen = pfh(&room, ["known", "build", "set", "--good", "d/m"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

#[test]
fn match_and_compare_look_inside() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    sh(&room, "zip -q -r a.zip t; cp a.zip b.zip; sha256sum t/plain > bad");
    let seen = pfh(&room, ["match", "--inside", "-k", "bad", "--class", "bad", "a.zip"]);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(
        String::from_utf8_lossy(&seen.stdout).contains("a.zip!/t/plain"),
        "{}",
        String::from_utf8_lossy(&seen.stdout)
    );
    let seen = pfh(&room, ["compare", "--inside", "-a", "tlsh", "a.zip", "b.zip"]);
    let pairs = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(pairs.contains("a.zip!/t/sub/b.bin") && pairs.contains("b.zip!/t/sub/b.bin"), "{pairs}{}", seen.stderr);
}

/// An installation medium as a known set, in one command.
#[test]
fn a_known_set_of_what_is_in_an_archive() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    sh(
        &room,
        "zip -q -r medium.zip t; tar -czf case.tar.gz t/plain t/bang!; printf new > new; tar -cf case.tar new; gzip case.tar -c > other.tar.gz",
    );
    let seen = pfh(&room, ["known", "build", "set.pfhknown", "--inside", "--good", "medium.zip"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let info = pfh(&room, ["known", "info", "set.pfhknown"]);
    let info = String::from_utf8_lossy(&info.stdout).into_owned();
    assert!(info.contains("medium: 10 records"), "{info}");
    let seen =
        pfh(&room, ["match", "--inside", "-k", "set.pfhknown", "--only", "unknown", "case.tar.gz", "other.tar.gz"]);
    let unknown = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(unknown.contains("other.tar.gz!/new") && !unknown.contains("!/t/plain"), "{unknown}{}", seen.stderr);
    // A second time, from the same bytes, the same set.
    let before = std::fs::read(room.path().join("set.pfhknown")).unwrap();
    let seen = pfh(&room, ["known", "build", "set.pfhknown", "--inside", "--good", "medium.zip"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(std::fs::read(room.path().join("set.pfhknown")).unwrap() == before);
}

#[test]
fn a_list_has_names_and_metadata_alone() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    sh(&room, "touch -d '2020-02-03 04:05:06.789 UTC' t/plain; ln -s plain t/link; tar --format=pax -cf a.tar t");
    let seen = pfh(&room, ["list", "--json", "a.tar"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let lines = records(&seen);
    let plain = lines.iter().find(|line| line.path() == "a.tar!/t/plain").unwrap();
    assert_eq!(
        (plain.0["size"].as_u64(), plain.0["mtime"].as_str()),
        (Some(1000), Some("2020-02-03T04:05:06.789000000Z"))
    );
    assert_eq!(
        (plain.0["inside"]["kind"].as_str(), plain.0["inside"]["container"].as_str()),
        (Some("tar"), Some("a.tar"))
    );
    assert!(lines.iter().any(|line| line.kind() == "skipped" && line.path() == "a.tar!/t/link"));
    let seen = pfh(&room, ["list", "--bodyfile", "a.tar"]);
    let body = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(body.contains("0|a.tar!/t/plain|0|r/r---------|0|0|1000|"), "{body}");
    assert!(body.lines().all(|line| line.split('|').count() == 11), "{body}");
    assert_eq!(pfh(&room, ["list", "a.tar"]).code, Some(0));
    // What holds nothing is reported as that.
    assert_eq!(pfh(&room, ["list", "t/plain"]).code, Some(3));
    assert_eq!(pfh(&room, ["list", "gone"]).code, Some(3));
}

#[test]
fn files_in_images() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    sh(&room, "rm -r 't/new\nline'; zip -q -r t/in.zip t/plain; truncate -s 16M ext.img; mkfs.ext4 -q -d t ext.img");
    let image = found(&room, &[], "ext.img");
    assert_eq!(image["sub/b.bin"], sha256(&sh(&room, "cat t/sub/b.bin")));
    assert_eq!(image["dir!!/x"], sha256(&sh(&room, "cat 't/dir!/x'")));
    assert_eq!(image["in.zip!/t/plain"], sha256(&sh(&room, "cat t/plain")));
    // A partition table, in pieces, in an E01, in an archive.
    sh(&room, "truncate -s 24M disk; printf 'label: gpt\\nstart=2048, size=32768, type=linux\\n' | sfdisk -q disk");
    sh(
        &room,
        "dd if=ext.img of=disk bs=512 seek=2048 conv=notrunc; split -b 10M -d -a 3 disk disk.; zip -q disk.zip disk",
    );
    let acquired = pfh(&room, ["acquire", "disk", "--to", "disk.E01"]);
    assert_eq!(acquired.code, Some(0), "{}", acquired.stderr);
    for container in ["disk", "disk.000", "disk.E01"] {
        let found = found(&room, &[], container);
        assert_eq!(found["p1/sub/b.bin"], image["sub/b.bin"], "{container}");
        assert_eq!(found["p1/in.zip!/t/plain"], image["in.zip!/t/plain"], "{container}");
    }
    assert_eq!(found(&room, &["--depth", "2"], "disk.zip")["disk!/p1/plain"], image["plain"]);
    let seen = pfh(&room, ["hash", "--inside", "-o", "m", "disk.E01", "disk.000", "ext.img"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let seen = pfh(&room, ["check", "m"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    sh(&room, "mkdir other; mv disk.E01 disk.0* ext.img other");
    let seen = pfh(&room, ["check", "--root", "other", "m"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

/// DFXML has what fiwalk writes of each file: where its bytes are, in which inode.
#[test]
fn dfxml_has_places_of_bytes() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    sh(&room, "truncate -s 16M ext.img; mkfs.ext4 -q -d t ext.img");
    let seen = pfh(&room, ["hash", "--inside", "-f", "dfxml", "ext.img"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    room.file("m.xml", &seen.stdout);
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/manifest/tests/schema/dfxml.xsd");
    sh(&room, &format!("xmllint --noout --schema {schema} m.xml 2>&1"));
    let text = String::from_utf8(seen.stdout).unwrap();
    let object = text.split("<fileobject>").find(|object| object.contains("ext.img!/sub/b.bin<")).unwrap();
    let offset = object.split("img_offset='").nth(1).unwrap().split('\'').next().unwrap();
    let file = std::fs::read(room.path().join("t/sub/b.bin")).unwrap();
    let image = std::fs::read(room.path().join("ext.img")).unwrap();
    let at: usize = offset.parse().unwrap();
    assert_eq!(image[at..at + 512], file[..512]);
    assert!(object.contains("<inode>") && object.contains("<alloc>1<"), "{object}");
    let seen = pfh(&room, ["check", "m.xml"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

/// A container that is written to while its members are read has no digests of them.
#[test]
fn a_container_that_changes_is_an_error() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    for file in 0..40 {
        room.file(format!("t/{file}"), &crate::program::random(file, 4_000_000));
    }
    sh(&room, "tar -cf a.tar t");
    let tar = room.path().join("a.tar");
    let writer = std::thread::spawn(move || {
        for _ in 0..200 {
            std::thread::sleep(std::time::Duration::from_millis(5));
            touch(&tar);
        }
    });
    let seen = pfh(&room, ["hash", "--inside", "-a", "sha3-512", "--threads", "1", "-f", "jsonl", "a.tar"]);
    writer.join().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(records(&seen).iter().any(|line| line.path().contains("!/t/") && line.code() == "changed"));
}

fn touch(path: &Path) {
    use std::os::unix::fs::FileExt;
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    let _ = file.write_at(b"t", 0);
}

/// A file that was deleted is hashed on request alone; `list` needs no `--inside`.
#[test]
fn deleted_files_come_on_request() {
    if lacks(&[Need::Program("mcopy"), Need::Program("mkfs.vfat")]) {
        return;
    }
    let room = Room::new();
    room.file("gone", b"deleted content\n");
    room.file("kept", b"kept\n");
    sh(
        &room,
        "mkfs.vfat -C f.img 2000; mcopy -i f.img kept ::/KEPT.TXT; mcopy -i f.img gone ::/GONE.TXT; mdel -i f.img ::/GONE.TXT",
    );
    let listed = |words: &[&str]| {
        let seen = pfh(&room, [&["list"], words, &["f.img"]].concat());
        (seen.code, String::from_utf8_lossy(&seen.stdout).lines().filter(|line| line.contains("!deleted-")).count())
    };
    // A list has all of them, marked, unless it is asked for one kind.
    assert_eq!(listed(&["--only", "live"]), (Some(0), 0));
    assert_eq!(listed(&["--deleted"]), (Some(0), 1));
    let seen = pfh(&room, ["hash", "--inside", "--deleted", "f.img"]);
    let digest = String::from_utf8(sh(&room, "sha256sum gone")).unwrap()[..64].to_owned();
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    let line = text.lines().find(|line| line.contains("!deleted-")).unwrap_or_default();
    assert!(seen.code == Some(0) && line.starts_with(&digest), "{text}{}", seen.stderr);
    // What was listed so is found again.
    room.file("m", &seen.stdout);
    let seen = pfh(&room, ["check", "m"]);
    assert_eq!(seen.code, Some(0), "{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    for command in [&["hash", "--deleted"][..], &["check", "--depth", "2"], &["match", "--expand", "1G"]] {
        assert_eq!(pfh(&room, [command, &["f.img"]].concat()).code, Some(2), "{command:?}");
    }
}
