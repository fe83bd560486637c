//! Dumps of storage sites as manifests: a name, perhaps a size, and an Adler-32.

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::process::Command;

fn pfh(room: &Room, arguments: &[&str]) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

/// Files, and the numbers that zlib gives for them, the first of which has fewer than eight digits.
fn filled(room: &Room) -> Vec<(String, u64, u32)> {
    let mut found = Vec::new();
    for (name, length) in [("a", 3), ("b c", 100_000), ("deep/d", 5), ("empty", 0)] {
        let path = room.file(name, &crate::program::random(length, length as usize));
        let code = "import sys,zlib; print(zlib.adler32(open(sys.argv[1],'rb').read()))";
        let output = Command::new("python3").args(["-c", code]).arg(path).output().unwrap();
        let sum = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        found.push((name.to_owned(), length, sum));
    }
    found
}

#[test]
fn each_form_verifies_and_finds_a_changed_file() {
    if lacks(&[Need::Program("python3")]) {
        return;
    }
    let room = Room::new();
    let files = filled(&room);
    let root = room.path().to_str().unwrap().to_owned();
    type Form = fn(&str, u64, u32) -> String;
    let forms: [(&str, &[&str], Form); 8] = [
        ("absolute", &[], |name, _, sum| format!("{name} {sum:08x}")),
        ("bare", &[], |name, _, sum| format!("{name} {sum:x}")),
        ("prefixed", &[], |name, _, sum| format!("{name} adler32:{sum:08x}")),
        ("sized", &[], |name, size, sum| format!("{name},{size},{sum:08X}")),
        ("columns", &[], |name, size, sum| format!("{name}\t{size}\tadler32:{sum:x}")),
        ("dump.adler32", &[], |name, _, sum| format!("{name} {sum:x}")),
        ("said", &["-a", "adler32"], |name, _, sum| format!("{name} {sum:08x}")),
        ("reversed", &["-a", "adler32"], |name, _, sum| format!("{sum:x} {name}")),
    ];
    for (list, options, form) in forms {
        let relative = list == "dump.adler32" || !options.is_empty();
        let name = |name: &str| if relative { name.to_owned() } else { format!("{root}/{name}") };
        let lines: Vec<String> = files.iter().map(|(file, size, sum)| form(&name(file), *size, *sum)).collect();
        room.file(list, (lines.join("\n") + "\n").as_bytes());
        let check: Vec<&str> = ["check", "--no-progress"].iter().chain(options).copied().chain([list]).collect();
        let seen = pfh(&room, &check);
        let said = format!("4 files verified against {list}: adler32");
        assert_eq!((seen.code, seen.stderr.contains(&said)), (Some(0), true), "{list}: {}", seen.stderr);
        room.file("deep/d", b"other");
        let seen = pfh(&room, &check);
        assert_eq!(seen.code, Some(1), "{list}: {}", seen.stderr);
        room.file("deep/d", &crate::program::random(5, 5));
    }
}

#[test]
fn a_list_without_a_sign_is_settled_by_its_files() {
    if lacks(&[Need::Program("python3")]) {
        return;
    }
    let room = Room::new();
    let files = filled(&room);
    // Names that do not begin at the root: the form of an SFV.
    let lines: String = files.iter().map(|(name, _, sum)| format!("{name} {sum:08x}\n")).collect();
    room.file("list", lines.as_bytes());
    let seen = pfh(&room, &["check", "--no-progress", "list"]);
    assert_eq!((seen.code, seen.stderr.contains("adler32")), (Some(0), true), "{}", seen.stderr);
    // A file called so says what it is.
    room.file("list.sfv", lines.as_bytes());
    let seen = pfh(&room, &["check", "--no-progress", "list.sfv"]);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
}

/// A site's dump beside the site's catalogue: neither reads a file of the site.
#[test]
fn a_dump_is_compared_with_a_catalogue() {
    if lacks(&[Need::Program("python3")]) {
        return;
    }
    let room = Room::new();
    let files = filled(&room);
    std::fs::create_dir(room.path().join("site")).unwrap();
    for name in ["a", "b c", "deep", "empty"] {
        std::fs::rename(room.path().join(name), room.path().join("site").join(name)).unwrap();
    }
    assert_eq!(pfh(&room, &["tree", "build", "-a", "adler32", "site"]).code, Some(0));
    std::fs::rename(room.path().join("site"), room.path().join("away")).unwrap();
    let dump = |files: &[(String, u64, u32)]| -> String {
        files.iter().map(|(name, size, sum)| format!("/store/vo/{name},{size},{sum:08x}\n")).collect()
    };
    room.file("dump", dump(&files).as_bytes());
    let seen = pfh(&room, &["diff", "dump", "site.pfhtree"]);
    assert_eq!(seen.code, Some(0), "{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    // Another sum, a file that the site has not, and dark data: a file that the dump has not.
    let mut other = files.clone();
    other[1].2 ^= 1;
    other[3].0 = "gone".into();
    room.file("dump", dump(&other).as_bytes());
    let seen = pfh(&room, &["diff", "dump", "site.pfhtree"]);
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert_eq!(seen.code, Some(1), "{text}{}", seen.stderr);
    for name in ["b c", "gone", "empty"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(!text.contains("deep/d"), "{text}");
    // A catalogue that was changed behind its root is none.
    let catalogue = room.path().join("site.pfhtree");
    let code = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('update entries set size=7'); c.commit()";
    assert!(Command::new("python3").args(["-c", code]).arg(&catalogue).status().unwrap().success());
    let seen = pfh(&room, &["diff", "dump", "site.pfhtree"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
}

#[test]
fn a_known_set_says_that_checksums_identify_nothing() {
    let room = Room::new();
    room.file("dump", b"/store/a 03da0195\n/store/b 13da0195\n");
    let seen = pfh(&room, &["known", "build", "set.pfhknown", "--bad", "dump"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(seen.stderr.contains("dump:2: a checksum"), "{}", seen.stderr);
}
