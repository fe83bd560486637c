//! Files in archives and images: lists of them read back, and commands that take them or refuse
//! them.
#![cfg(unix)]

use crate::program::{Room, records};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::ffi::OsStr;
use std::process::Command;

/// The programs that make and open the containers.
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

/// The second command: files hashed inside are checked inside, from anywhere, in any order.
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

/// Commands that take names of files refuse the names of members, in place of passing them over.
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
    // A file without members is reported as such.
    assert_eq!(pfh(&room, ["list", "t/plain"]).code, Some(3));
    assert_eq!(pfh(&room, ["list", "gone"]).code, Some(3));
}

/// The account as text and as a page with a bar, with bytes that no member has.
#[test]
fn the_account_is_a_page_with_a_bar() {
    let room = Room::new();
    sh(
        &room,
        "printf hello > a; tar --format=ustar -cf a.tar a; printf 'hidden <here>' | dd of=a.tar bs=1 seek=5000 conv=notrunc status=none",
    );
    let seen = pfh(&room, ["list", "--account", "--page", "a.tar"]);
    let page = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    for part in
        ["<h2>a.tar</h2>", "<svg", ": structure</title>", ": residue</title>", "text: hidden &lt;here&gt;", "</html>"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    // Without an account there is no page.
    assert_eq!(pfh(&room, ["list", "--page", "a.tar"]).code, Some(2));
}

/// Images in pieces, in an E01 and as they are: the files hashed in them are checked from
/// elsewhere.
#[test]
fn what_is_hashed_in_images_is_checked() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    tree(&room);
    sh(&room, "rm -r 't/new\nline'; zip -q -r t/in.zip t/plain; truncate -s 16M ext.img; mkfs.ext4 -q -d t ext.img");
    sh(&room, "truncate -s 24M disk; printf 'label: gpt\\nstart=2048, size=32768, type=linux\\n' | sfdisk -q disk");
    sh(&room, "dd if=ext.img of=disk bs=512 seek=2048 conv=notrunc; split -b 10M -d -a 3 disk disk.");
    let acquired = pfh(&room, ["acquire", "disk", "--to", "disk.E01"]);
    assert_eq!(acquired.code, Some(0), "{}", acquired.stderr);
    let seen = pfh(&room, ["hash", "--inside", "-o", "m", "disk.E01", "disk.000", "ext.img"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let list = std::fs::read_to_string(room.path().join("m")).unwrap();
    assert!(list.contains("  disk.E01!/p1/in.zip!/t/plain\n") && list.contains("  ext.img!/dir!!/x\n"), "{list}");
    let seen = pfh(&room, ["check", "m"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    sh(&room, "mkdir other; mv disk.E01 disk.0* ext.img other");
    let seen = pfh(&room, ["check", "--root", "other", "m"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

/// DFXML has the facts that fiwalk writes of each file: where its bytes are, in which inode.
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
    for (words, expected) in [(&["--only", "live"][..], 0), (&["--deleted"], 1)] {
        let seen = pfh(&room, [&["list"], words, &["f.img"]].concat());
        let text = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert_eq!((seen.code, text.matches("!deleted-").count()), (Some(0), expected), "{words:?}: {text}");
    }
    let seen = pfh(&room, ["hash", "--inside", "--deleted", "f.img"]);
    assert!(seen.code == Some(0) && String::from_utf8_lossy(&seen.stdout).contains("!deleted-"), "{seen:?}");
    // The names listed so are found again.
    room.file("m", &seen.stdout);
    let seen = pfh(&room, ["check", "m"]);
    assert_eq!(seen.code, Some(0), "{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    for command in [&["hash", "--deleted"][..], &["check", "--depth", "2"], &["match", "--expand", "1G"]] {
        assert_eq!(pfh(&room, [command, &["f.img"]].concat()).code, Some(2), "{command:?}");
    }
}
