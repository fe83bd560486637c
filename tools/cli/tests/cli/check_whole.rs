//! What a manifest holds and `pfh check` could not compare is counted, named and in the exit code;
//! audits say only what was looked at.

use crate::program;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

fn check(room: &Room, more: &[&str]) -> Outcome {
    pfh(room, [&["check", "--no-progress"], more].concat())
}

fn tree() -> Room {
    let room = Room::new();
    for n in 0..6 {
        room.file(format!("d/{n}"), format!("content {n}").as_bytes());
    }
    room.file("d/sub/deep", b"deep");
    room
}

/// The manifest of `d` in a format that promises an end.
fn manifest(room: &Room, algorithm: &str, format: &str) -> Vec<u8> {
    let seen = pfh(room, ["hash", "--no-progress", "-r", "-a", algorithm, "-f", format, "d"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    seen.stdout
}

#[test]
fn a_manifest_that_was_cut_does_not_pass() {
    let room = tree();
    for (algorithm, format) in
        [("sha256", "jsonl"), ("sha256", "csv"), ("sha256", "dfxml"), ("sha256", "hashdeep"), ("sha3-256", "sums")]
    {
        let whole = manifest(&room, algorithm, format);
        room.file("m", &whole);
        assert_eq!(check(&room, &["m"]).code, Some(0), "{format}");
        // At every line's end, and within lines.
        let ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let cuts: Vec<usize> =
            ends.flat_map(|at| [at.saturating_sub(7), at]).filter(|at| *at < whole.len() - 1).collect();
        for cut in cuts {
            room.file("m", &whole[..cut]);
            let seen = check(&room, &["--quiet", "m"]);
            let expected = if format == "dfxml" { &[4][..] } else { &[1, 3] };
            assert!(expected.contains(&seen.code.unwrap()), "{format} cut at {cut}: {:?} {}", seen.code, seen.stderr);
            assert!(
                ["no end", "not whole", "improper", "not well-formed", "nothing to compare"]
                    .iter()
                    .any(|word| seen.stderr.contains(word)),
                "{format} cut at {cut}: {}",
                seen.stderr
            );
        }
        // A line taken out of the middle.
        if format != "dfxml" {
            let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
            let at = lines.len() - 3;
            room.file("m", &[&lines[..at], &lines[at + 1..]].concat().concat());
            let seen = check(&room, &["m"]);
            assert!(
                seen.code == Some(3) && seen.stderr.contains("not whole"),
                "{format}: {:?} {}",
                seen.code,
                seen.stderr
            );
        }
    }
}

#[test]
fn what_was_not_understood_counts() {
    let room = tree();
    let right = program::sha256(b"content 0");
    let list = |more: &str| {
        room.file("list", format!("SHA256 (d/0) = {right}\n{more}").as_bytes());
        check(&room, &["list"])
    };
    assert_eq!(list("").code, Some(0));
    for (more, word) in [
        (format!("SNEFRU-256 (d/1) = {right}\nSNEFRU-256 (d/2) = {right}\n"), "2 lines of SNEFRU-256 not verified"),
        ("hello world\n".to_owned(), "1 line is improperly formatted"),
        (format!("HAS-160 (d/1) = 00000000\n{right}0  d/0\n"), "1 line of HAS-160 not verified"),
    ] {
        let seen = list(&more);
        assert!(seen.code == Some(3) && seen.stderr.contains(word), "{more}: {:?} {}", seen.code, seen.stderr);
        assert_eq!(text(&seen), "d/0: OK\n");
        assert!(seen.stderr.contains("1 file verified against list: sha256; not all"), "{}", seen.stderr);
        assert_eq!(check(&room, &["--lenient", "list"]).code, Some(0));
        assert!(check(&room, &["--status", "list"]).stderr.is_empty());
    }
    // What -a leaves out was not asked for.
    list(&format!("SNEFRU-256 (d/1) = {right}\nMD5 (d/1) = 00\n"));
    assert_eq!(check(&room, &["-a", "sha256", "list"]).code, Some(0));
    // A negative verdict goes before it.
    let seen = list(&format!("SHA256 (d/1) = {right}\nSNEFRU-256 (d/1) = {right}\n"));
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    // A column of an algorithm that is not here.
    let deep = format!("%%%% HASHDEEP-1.0\n%%%% size,snefru,sha256,filename\n9,x,{right},d/0\n");
    room.file("list", deep.as_bytes());
    let seen = check(&room, &["list"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("1 digest of snefru not compared"), "{}", seen.stderr);
}

#[test]
fn errors_of_the_run_that_wrote_it_are_not_passed_over() {
    let room = tree();
    for format in ["jsonl", "csv", "dfxml"] {
        let seen = pfh(&room, ["hash", "--no-progress", "-f", format, "--force", "-o", "m", "d/0", "d/none", "d/1"]);
        assert_eq!(seen.code, Some(3));
        let seen = check(&room, &["m"]);
        assert_eq!(seen.code, Some(3), "{format}: {}", seen.stderr);
        assert!(seen.stderr.contains("1 record has no digest") && seen.stderr.contains("d/none"), "{}", seen.stderr);
        fs::remove_file(room.path().join("m")).unwrap();
    }
    // What was left out by rule is said, and no fault: there is nothing to compare.
    symlink("0", room.path().join("d/link")).unwrap();
    room.file("m", &manifest(&room, "sha256", "jsonl"));
    let seen = check(&room, &["m"]);
    assert!(seen.code == Some(0) && seen.stderr.contains("1 without a digest, skipped"), "{}", seen.stderr);
}

#[test]
fn nothing_to_compare_with() {
    let room = tree();
    room.file("empty", b"");
    room.file("rubbish", b"no list at all\n");
    room.file("absent", format!("{}  nowhere\n", program::sha256(b"")).as_bytes());
    for (arguments, code, word) in [
        (&["empty"][..], 3, "nothing to compare with"),
        (&["rubbish"], 3, "nothing to compare with"),
        (&["--lenient", "rubbish"], 3, "nothing to compare with"),
        (&["--ignore-missing", "absent"], 3, "nothing to compare with"),
        (&["--audit", "empty"], 3, "nothing to compare with"),
        (&["nosuch"], 3, "nosuch: open: No such file or directory (ENOENT)"),
        (&["d"], 2, "d is a directory: give the manifest first"),
        (&["--audit", "absent", "nosuch"], 3, "nosuch"),
    ] {
        let seen = check(&room, arguments);
        assert!(
            seen.code == Some(code) && seen.stderr.contains(word),
            "{arguments:?}: {:?} {}",
            seen.code,
            seen.stderr
        );
    }
    // Several manifests, and a directory behind them.
    room.file("one", format!("{}  0\n", program::sha256(b"content 0")).as_bytes());
    room.file("two", format!("{}  1\n", program::sha256(b"content 1")).as_bytes());
    for arguments in [&["one", "two", "d"][..], &["--root", "d", "one", "two"]] {
        let seen = check(&room, arguments);
        assert_eq!((seen.code, text(&seen).as_str()), (Some(0), "0: OK\n1: OK\n"), "{}", seen.stderr);
    }
    assert_eq!(check(&room, &["one", "nosuch"]).code, Some(1), "what is missing outweighs what is not read");
}

#[test]
fn a_document_of_fiwalk() {
    if lacks(&[Need::Program("fiwalk"), Need::Program("mkfs.ext2")]) {
        return;
    }
    let room = tree();
    let script = "truncate -s 4M fs.img && mkfs.ext2 -q -d d fs.img && fiwalk -X m fs.img >/dev/null";
    if !Command::new("sh").args(["-c", script]).current_dir(room.path()).status().unwrap().success() {
        eprintln!("skipped: mkfs.ext2 -d or fiwalk does not work here");
        return;
    }
    let seen = check(&room, &["m", "d"]);
    assert_eq!((seen.code, text(&seen).matches(": OK").count()), (Some(3), 7), "{}{}", text(&seen), seen.stderr);
    assert!(seen.stderr.contains("records of a directory not verified"), "{}", seen.stderr);
    assert!(!text(&seen).contains("/.: ") && check(&room, &["--lenient", "m", "d"]).code == Some(0));
}

/// The class of each file, and where it came from.
type Classes = BTreeMap<String, (String, Option<String>)>;

/// The exit code, each file's class, and the summary.
fn audit(room: &Room, more: &[&str]) -> (Option<i32>, Classes, Value) {
    let seen = check(room, &[&["--audit", "--all", "-f", "jsonl"], more].concat());
    let mut lines: Vec<Value> = seen.lines().iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    let summary = lines.pop().unwrap_or_else(|| panic!("{}", seen.stderr));
    let count = |class: &str| summary[class].as_u64().unwrap();
    let own = count("matched") + count("metadata-only") + count("modified") + count("bit-rot");
    assert_eq!(count("examined"), own + count("moved") + count("copied") + count("new") + count("error"), "{summary}");
    assert_eq!(count("expected"), own + count("moved") + count("missing") + count("unverified"), "{summary}");
    let told = |value: &Value| value.as_str().map(str::to_owned);
    let classes =
        lines.iter().map(|line| (told(&line["path"]).unwrap(), (told(&line["class"]).unwrap(), told(&line["from"]))));
    (seen.code, classes.collect(), summary)
}

fn class(classes: &Classes, name: &str) -> String {
    classes.get(name).map_or_else(|| panic!("{name} among {classes:?}"), |(class, _)| class.clone())
}

#[test]
fn an_audit_finds_its_base() {
    let room = tree();
    let absolute = room.path().join("d");
    room.file("relative", &manifest(&room, "sha256", "jsonl"));
    let full = absolute.to_str().unwrap();
    assert_eq!(
        pfh(&room, ["hash", "--no-progress", "-r", "-f", "jsonl", "--force", "-o", "absolute", full]).code,
        Some(0)
    );
    let inside = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-r", "-f", "jsonl", "."]).directory(&absolute);
    room.file("inside", &inside.run().unwrap().stdout);
    assert!(Command::new("cp").args(["-a", "d", "copy"]).current_dir(room.path()).status().unwrap().success());
    for manifest in ["relative", "absolute", "inside"] {
        // The same tree, a copy that keeps times, a path in full, one with a slash behind it.
        for root in ["d", "copy", full, "d/"] {
            let (code, classes, summary) = audit(&room, &[manifest, root]);
            assert_eq!((code, summary["matched"].as_u64()), (Some(0), Some(7)), "{manifest} {root}: {classes:?}");
            assert_eq!(summary["verdict"], "verified");
            let seen = check(&room, &[manifest, root]);
            assert_eq!(seen.code, Some(0), "{manifest} {root}: {}", seen.stderr);
        }
    }
    // From elsewhere, and without a root, absolute names say where they are.
    let elsewhere = Room::new();
    let path = room.path().join("absolute");
    let seen = pfh(&elsewhere, ["check", "--audit", path.to_str().unwrap()]);
    assert!(
        seen.code == Some(0) && seen.stderr.contains("which all names have in common"),
        "{}{}",
        text(&seen),
        seen.stderr
    );
    // Times that a copy does not keep are not an alarm either.
    assert!(Command::new("cp").args(["-r", "d", "young"]).current_dir(room.path()).status().unwrap().success());
    let seen = check(&room, &["--audit", "relative", "young"]);
    assert!(seen.code == Some(0) && text(&seen).lines().count() == 1, "{}", text(&seen));
    // hashdeep's manifests have absolute names unless it is asked for others.
    if lacks(&[Need::Program("hashdeep")]) {
        return;
    }
    let theirs = Command::new("hashdeep").args(["-r", "d"]).current_dir(room.path()).output().unwrap();
    room.file("theirs", &theirs.stdout);
    for arguments in [&["theirs"][..], &["--audit", "theirs", "d"], &["--audit", "theirs", "copy"]] {
        let seen = check(&room, arguments);
        assert_eq!(seen.code, Some(0), "{arguments:?}: {}{}", text(&seen), seen.stderr);
    }
}

#[test]
fn files_that_changed_places_were_moved() {
    let room = tree();
    room.file("m", &manifest(&room, "sha256", "jsonl"));
    let d = room.path().join("d");
    let swap = |one: &str, other: &str| {
        fs::rename(d.join(one), d.join("between")).unwrap();
        fs::rename(d.join(other), d.join(one)).unwrap();
        fs::rename(d.join("between"), d.join(other)).unwrap();
    };
    swap("0", "1");
    // Rotated: 4 is the old 3, 3 the old 2, 2 is new.
    fs::remove_file(d.join("4")).unwrap();
    fs::rename(d.join("3"), d.join("4")).unwrap();
    fs::rename(d.join("2"), d.join("3")).unwrap();
    fs::write(d.join("2"), "begun anew").unwrap();
    fs::write(d.join("5"), "changed").unwrap();
    let (code, classes, _) = audit(&room, &["m", "d"]);
    let from = |name: &str| classes[name].1.as_deref();
    assert_eq!((from("d/0"), from("d/1"), code), (Some("d/1"), Some("d/0"), Some(1)), "{classes:?}");
    assert_eq!(from("d/3"), Some("d/2"), "{classes:?}");
    assert_eq!((class(&classes, "d/2"), class(&classes, "d/5")), ("new".into(), "modified".into()));
    // The old content of 4 is nowhere.
    let seen = check(&room, &["--audit", "m", "d"]);
    assert!(
        text(&seen).contains("missing        d/4  (its name is there, with the content of another)"),
        "{}",
        text(&seen)
    );
}

#[test]
fn missing_is_not_said_of_what_nobody_looked_at() {
    let room = tree();
    symlink("sub", room.path().join("d/link")).unwrap();
    let seen = pfh(&room, ["hash", "--no-progress", "-r", "-L", "-f", "jsonl", "--force", "-o", "m", "d"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let (code, classes, _) = audit(&room, &["-L", "m", "d"]);
    assert_eq!((code, class(&classes, "d/link/deep")), (Some(0), "matched".into()));
    // What links lead to, where they are not followed.
    let (code, classes, summary) = audit(&room, &["m", "d"]);
    assert_eq!((code, class(&classes, "d/link/deep")), (Some(3), "unverified".into()));
    assert_eq!((summary["missing"].as_u64(), summary["unverified"].as_u64()), (Some(0), Some(1)));
    // Outside of the part that was asked for: no fault.
    for below in ["d/sub".to_owned(), room.path().join("d/sub/").to_str().unwrap().to_owned()] {
        let (code, classes, summary) = audit(&room, &["--below", &below, "m"]);
        assert_eq!(
            (code, class(&classes, "d/0"), class(&classes, "d/sub/deep")),
            (Some(0), "unverified".into(), "matched".into())
        );
        assert_eq!((summary["beyond"].as_u64(), summary["verdict"].as_str()), (Some(7), Some("verified")));
    }
    assert_eq!(audit(&room, &["--below", "sub", "m", "d"]).0, Some(0));
    // Outside of ROOT.
    room.file(
        "more",
        &[manifest(&room, "sha256", "sums"), format!("{}  e/x\n", program::sha256(b"x")).into_bytes()].concat(),
    );
    let (code, classes, _) = audit(&room, &["more", "d"]);
    assert_eq!((code, class(&classes, "e/x")), (Some(3), "unverified".into()), "{classes:?}");
    // A directory that cannot be read.
    if lacks(&[Need::Program("setpriv")]) {
        return;
    }
    fs::set_permissions(room.path().join("d/sub"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(room.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let arguments = [
        "--reuid=65534",
        "--clear-groups",
        env!("CARGO_BIN_EXE_pfh"),
        "check",
        "--audit",
        "-f",
        "jsonl",
        "--all",
        "m",
        "d",
    ];
    let output = Command::new("setpriv").args(arguments).current_dir(room.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("\"class\":\"unverified\"") && !said.contains("\"class\":\"missing\""), "{said}");
}

#[test]
fn a_seal_that_holds_is_said() {
    let room = tree();
    for algorithm in ["sha256", "blake3", "mrsh-v2-network", "kt128"] {
        let seen = pfh(&room, ["hash", "--no-progress", "-r", "-a", algorithm, "--seal", "--force", "-o", "m", "d"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let seen = check(&room, &["m"]);
        assert_eq!(seen.code, Some(0), "{algorithm}: {}", seen.stderr);
        assert!(seen.stderr.contains("m.seal: the seal holds: 7 records, not signed"), "{}", seen.stderr);
        assert!(check(&room, &["--status", "m"]).stderr.is_empty());
        fs::remove_file(room.path().join("m")).unwrap();
        let seen = check(&room, &["m"]);
        assert!(seen.code == Some(3) && seen.stderr.contains("ENOENT"), "{:?} {}", seen.code, seen.stderr);
        fs::remove_file(room.path().join("m.seal")).unwrap();
    }
}

#[test]
fn an_interrupted_run_says_what_is_true() {
    let room = tree();
    let fifo = room.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // It waits for the pipe's writer until the signal comes.
    let script = format!(
        "sleep 600 > fifo & p=$!; {} hash --special -o m d/0 fifo & sleep 2; kill -INT $!; wait $!; code=$?; kill $p; exit $code",
        env!("CARGO_BIN_EXE_pfh")
    );
    let output = Command::new("bash").args(["-mc", &script]).current_dir(room.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted: no file was written") && !said.contains("records are out"), "{said}");
    assert!(!room.path().join("m").exists());
}

#[test]
fn a_terminal_gets_nothing_raw() {
    if lacks(&[Need::Program("script")]) {
        return;
    }
    let room = Room::new();
    room.file("d/\u{1b}[31mred\u{202e}", b"x");
    for format in ["sums", "bsd", "hashdeep", "csv"] {
        let command = format!("{} hash --no-progress -r -a md5 -f {format} d", env!("CARGO_BIN_EXE_pfh"));
        let output =
            Command::new("script").args(["-qec", &command, "/dev/null"]).current_dir(room.path()).output().unwrap();
        let seen = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!seen.contains('\u{1b}') && !seen.contains('\u{202e}'), "{format}: {seen:?}");
        assert!(seen.contains("\\x1b[31mred\\u{202e}"), "{format}: {seen:?}");
    }
    // Into a file it goes as it is.
    assert!(text(&pfh(&room, ["hash", "-r", "d"])).contains('\u{1b}'));
}
