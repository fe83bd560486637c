//! `pfh report`: the results of every command on one page, seals and chains verified again, and
//! nothing of it that a name could make into more than text.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Browser, Need, Outcome, Trial, content, lacks};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names that would be markup, script or another direction if they were not escaped.
const HOSTILE: [&[u8]; 4] = [
    b"<script>document.title='owned'<%2Fscript>",
    b"<img src=x onerror=\"document.title='owned'\">",
    "\u{202e}gpj.exe".as_bytes(),
    b"not \xff UTF-8",
];

fn pfh(room: &Room, words: &str) -> Outcome {
    let words = words.split_whitespace();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().expect("a run")
}

/// Runs a command that prints a result, and writes it into the case.
fn keep(room: &Room, words: &str, code: i32, name: &str) {
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(code), "{words}: {}", seen.stderr);
    fs::write(room.path().join("case").join(name), &seen.stdout).expect("a file");
}

fn done(room: &Room, words: &str) {
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
}

/// A folder `case` with the results of each command for two states of a tree and of a disk.
fn case() -> Room {
    let room = Room::new();
    for name in HOSTILE {
        room.file(Path::new("old").join(OsStr::from_bytes(name)), &content(1, 40_000));
    }
    room.file("old/letter", &content(2, 30_000));
    room.file("old/photo", &content(3, 50_000));
    room.file("old/gone", &content(4, 900));
    room.file("new/letter", &[content(2, 29_000), content(5, 1_000)].concat());
    room.file("new/photo", &content(3, 50_000));
    room.file("new/came", &content(6, 700));
    room.file("disk", &content(7, 300_000));
    room.file("bag/data/letter", b"Dear Ada");
    fs::create_dir_all(room.path().join("case")).expect("a folder");
    done(&room, "hash -r -a md5,sha256,ssdeep -f jsonl old -o case/old.jsonl --seal");
    done(&room, "hash -r -a md5 -f dfxml old -o case/old.xml");
    done(&room, "hash -r new -o case/new.sums");
    fs::write(room.path().join("bad.md5"), fs::read(room.path().join("case/new.sums")).expect("a list")).expect("bad");
    keep(&room, "check case/old.jsonl --json", 0, "check.jsonl");
    keep(&room, "check --audit case/new.sums old --json", 1, "audit.jsonl");
    keep(&room, "diff old new --json", 1, "diff.jsonl");
    keep(&room, "dups old new --json", 0, "dups.jsonl");
    keep(&room, "compare -a ssdeep old new --json --no-progress", 0, "pairs.jsonl");
    keep(&room, "compare -a ssdeep --cluster old new --json --no-progress", 0, "groups.jsonl");
    done(&room, "known build sets.pfhknown --bad bad.md5 --no-progress");
    keep(&room, "match -r -k sets.pfhknown -f jsonl old", 1, "match.jsonl");
    done(&room, "known build blocks.pfhknown --blocks 512 --bad new --no-progress");
    keep(&room, "match --sectors 512 --json old/photo -k blocks.pfhknown", 1, "sectors.jsonl");
    keep(
        &room,
        "acquire disk --to case/disk.img --verify --case 12 --examiner Ada --json --no-progress",
        0,
        "acquired.json",
    );
    keep(&room, "verify case/disk.img --json", 0, "verify.json");
    done(&room, "tree build disk --no-progress");
    keep(&room, "tree check disk --json --no-progress", 0, "tree.json");
    done(&room, "bag create bag");
    keep(&room, "bag validate bag --json", 0, "bag.jsonl");
    room
}

fn page(room: &Room) -> String {
    fs::read_to_string(room.path().join("case/report.html")).expect("the page")
}

#[test]
fn a_case_on_one_page() {
    let room = case();
    let seen = pfh(&room, "report case --html case/report.html --title Case&12");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let html = page(&room);
    for part in [
        "<header><h1>Case&amp;12</h1></header>",
        "<h2>Problems</h2>",
        "<h2>Files read</h2>",
        "<h2>Hashed files</h2>",
        "<h2>Known sets</h2>",
        "<h2>Verdicts and their evidence</h2>",
        "<h2>Acquisitions</h2>",
        "<h2>Duplicates</h2>",
        "<h2>Similar files</h2>",
        "<h2>Groups of similar files</h2>",
        "manifest (dfxml)",
        "audit of a tree: differs",
        "difference: differs",
        "chain of a log, verified again",
        "seal, verified again",
        "the records of case/old.jsonl with the root that was sealed",
        "verification of an image",
        "check of a tree: disk",
        "validation of a bag",
        "its log is on this page",
        "sectors of known files",
        "photo at offset 0",
        "<th>examiner</th><td>Ada</td>",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    let sha256 = crate::program::digest_by("sha256sum", &fs::read(room.path().join("disk")).expect("the disk"));
    assert!(html.contains(&sha256), "the digest of the acquisition");
    let own = crate::program::digest_by("sha256sum", &fs::read(room.path().join("case/check.jsonl")).expect("it"));
    assert!(html.contains(&own), "the digest of each result");
    // Errors come first.
    assert!(html.find("<h2>Problems").expect("one") < html.find("<h2>Files read").expect("one"));
    for forbidden in ["<img", "href=", "http://", "https://", "@import", "url(", "\u{202e}", "src="] {
        let text = html.replace("&lt;img src=x", "");
        assert!(!text.contains(forbidden), "{forbidden}");
    }
    assert_eq!(html.matches("<script").count(), 1);
    assert!(html.contains("default-src 'none'"));
    // The same again: refused, and with --force the page itself is not a result.
    let again = pfh(&room, "report case --html case/report.html");
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert_eq!(page(&room), html);
    let again = pfh(&room, "report case --html case/report.html --title Case&12 --force");
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let without_date = |page: &str| page.lines().filter(|line| !line.contains("made by pfh")).collect::<String>();
    assert_eq!(without_date(&page(&room)), without_date(&html));
    // Somewhere else, a page of before is listed and not read.
    let other = pfh(&room, "report case case/report.html --html other.html");
    assert_eq!(other.code, Some(0), "{}", other.stderr);
    // Never onto a result.
    let onto = pfh(&room, "report case/check.jsonl --html case/check.jsonl --force");
    assert_eq!(onto.code, Some(2), "{}", onto.stderr);
}

#[test]
fn a_chain_or_a_seal_that_does_not_hold_is_a_verdict() {
    let room = case();
    let log = room.path().join("case/disk.img.log.jsonl");
    let text = fs::read_to_string(&log).expect("the log");
    fs::write(&log, text.replace("\"examiner\":\"Ada\"", "\"examiner\":\"Mallory\"")).expect("a changed log");
    let seen = pfh(&room, "report case --html page");
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(seen.stderr.contains("disk.img.log.jsonl: DOES NOT HOLD: line 1"), "{}", seen.stderr);
    let html = fs::read_to_string(room.path().join("page")).expect("the page");
    assert!(html.contains("nothing of this log is shown below") && !html.contains("Mallory"), "{html}");
    fs::write(&log, text).expect("the log");
    let list = room.path().join("case/old.jsonl");
    let records = fs::read_to_string(&list).expect("the manifest");
    fs::write(&list, records.replace("\"size\":900", "\"size\":901")).expect("a changed manifest");
    let seen = pfh(&room, "report case --html page --force");
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(seen.stderr.contains("old.jsonl.seal: DOES NOT HOLD"), "{}", seen.stderr);
    assert!(seen.stderr.contains("it is not whole"), "the end counts other bytes: {}", seen.stderr);
}

/// A result whose end is missing is named, on the page as well.
#[test]
fn what_is_not_understood_is_named_and_in_the_exit() {
    let room = Room::new();
    room.file("t/a", b"abc");
    fs::create_dir(room.path().join("case")).expect("a folder");
    keep(&room, "hash -r t -f jsonl", 0, "whole");
    let whole = fs::read_to_string(room.path().join("case/whole")).expect("it");
    let first = whole.lines().next().expect("a line").to_owned() + "\n";
    for (name, content, why) in [("torn", first.as_str(), "without its last line"), ("nothing", "", "it is empty")] {
        let path = room.path().join("case").join(name);
        fs::write(&path, content).expect("a file");
        let seen = pfh(&room, "report case --html page --force");
        assert_eq!(seen.code, Some(3), "{name}: {}", seen.stderr);
        assert!(
            seen.stderr.contains(&format!("case/{name}: ")) && seen.stderr.contains(why),
            "{name}: {}",
            seen.stderr
        );
        let html = fs::read_to_string(room.path().join("page")).expect("the page");
        assert!(html.contains(why), "{name}: {html}");
        fs::remove_file(path).expect("removed");
    }
    assert_eq!(pfh(&room, "report case --html page --force").code, Some(0));
    assert_eq!(pfh(&room, "report nowhere --html none").code, Some(3));
    assert!(!room.path().join("none").exists());
}

/// Stores are listed and not read: a page of them alone says so, in its exit code as well.
#[test]
fn a_page_without_a_result_is_no_success() {
    let room = Room::new();
    room.file("case/table.parquet", b"PAR1 and other bytes, then PAR1");
    let seen = pfh(&room, "report case --html page");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(seen.stderr.contains("no result is among the files"), "{}", seen.stderr);
}

/// Errors of a run and its counts are on the page.
#[test]
fn what_has_no_digest_is_a_problem() {
    let room = Room::new();
    room.file("t/a", b"abc");
    let listed = pfh(&room, "hash t/a t/none -f jsonl -o list");
    assert_eq!(listed.code, Some(3));
    let seen = pfh(&room, "report list --html page");
    assert_eq!(seen.code, Some(0), "what the list says was understood: {}", seen.stderr);
    let html = fs::read_to_string(room.path().join("page")).expect("the page");
    assert!(html.contains("no digest: open: No such file or directory"), "{html}");
}

fn picture(browser: &Browser, page: &Path, name: &str, options: &[&str]) -> PathBuf {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&out);
    let shot = format!("--screenshot={}", out.display());
    browser.open(page, &[&[shot.as_str(), "--window-size=1200,2400"], options].concat());
    assert!(fs::metadata(&out).is_ok_and(|found| found.len() > 10_000), "{name}");
    out
}

#[test]
fn a_browser_shows_it_in_light_in_dark_and_on_paper() {
    let Some(browser) = Browser::find() else { return };
    let room = case();
    let page = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("case.html");
    let seen = pfh(&room, &format!("report case --html {} --force", page.display()));
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let document = browser.document(&page);
    assert!(document.contains("<title>Report of a case</title>"), "no name has run");
    assert_eq!(document.matches("<script").count(), 1);
    assert_eq!(document.matches("<img").count(), 0);
    assert!(document.contains("&lt;script&gt;document.title"), "the name is there as text");
    let console = browser.open(&page, &["--enable-logging=stderr", "--dump-dom"]);
    let console = String::from_utf8_lossy(&console.stderr).into_owned();
    assert!(!console.contains("Content Security Policy"), "{console}");
    let light = picture(&browser, &page, "case-light.png", &[]);
    let dark = picture(&browser, &page, "case-dark.png", &["--blink-settings=preferredColorScheme=0"]);
    assert_ne!(fs::read(light).expect("light"), fs::read(dark).expect("dark"), "the reader's choice is followed");
    let paper = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("case.pdf");
    let _ = fs::remove_file(&paper);
    browser.open(&page, &[&format!("--print-to-pdf={}", paper.display())]);
    assert!(fs::read(&paper).is_ok_and(|found| found.starts_with(b"%PDF") && found.len() > 10_000));
}

#[test]
fn everybody_can_read_the_pages() {
    if lacks(&[Need::Program("axe.min.js")]) {
        return;
    }
    let room = case();
    room.file("one.txt", "a text of some length, which two files share but for a word\n".repeat(40).as_bytes());
    room.file("two.txt", "a text of some length, which two files share but for a line\n".repeat(40).as_bytes());
    pfh(&room, "report case --html case.html --force");
    pfh(&room, "compare one.txt two.txt --html compare.html");
    for page in ["case.html", "compare.html"] {
        let Some(browser) = Browser::find() else { return };
        let mut tab = browser.stay(&format!("file://{}", room.path().join(page).display()));
        assert_eq!(tab.barriers(), Vec::<String>::new(), "{page}");
    }
}

/// D13: with --force a page takes the place of a page, and of nothing else in the folder.
#[test]
fn a_result_of_the_case_is_never_replaced_by_the_page() {
    let room = Room::new();
    room.file("disk", &content(1, 100_000));
    fs::create_dir(room.path().join("case")).expect("a folder");
    keep(&room, "acquire disk --to case/a --json --no-progress", 0, "a.json");
    room.file("case/notes.html", b"<!DOCTYPE html>\n<p>my own notes");
    for name in ["a.json", "a", "a.log", "a.log.jsonl", "a.map", "notes.html"] {
        let path = room.path().join("case").join(name);
        let before = fs::read(&path).expect("a file");
        let seen = pfh(&room, &format!("report case --html case/{name} --force"));
        assert_eq!(seen.code, Some(2), "{name}: {}", seen.stderr);
        assert_eq!(fs::read(&path).expect("a file"), before, "{name}");
    }
    for _ in 0..2 {
        let seen = pfh(&room, "report case --html case/report.html --force");
        assert!([Some(0), Some(3)].contains(&seen.code), "{}", seen.stderr);
    }
    room.file("case/empty", b"");
    let seen = pfh(&room, "report case --html case/empty");
    assert!([Some(0), Some(3)].contains(&seen.code), "{}", seen.stderr);
}

/// Every command's `--json`, as it is without further options, is understood: no line is left over.
#[test]
fn the_output_of_every_command_is_understood() {
    let room = Room::new();
    for (name, bytes) in [("d/1", &b"abc"[..]), ("d/2", b"abc"), ("e/1", b"abd")] {
        room.file(name, bytes);
    }
    let text: String = (1..3000).map(|n| format!("{n}\n")).collect();
    room.file("s/a", text.as_bytes());
    room.file("s/b", format!("{text}more").as_bytes());
    room.file("list", b"900150983cd24fb0d6963f7d28e17f72  d/1\n");
    room.file("disk", &content(5, 200_000));
    fs::create_dir_all(room.path().join("bag/data")).expect("a folder");
    room.file("bag/data/x", b"x");
    let tar = Command::new("tar").args(["-cf", "d.tar", "d"]).current_dir(room.path()).status();
    assert!(tar.expect("tar").success());
    for line in ["hash -r d -o sums", "bag create bag", "known build k.pfhknown --bad list", "tree build disk"] {
        assert_eq!(pfh(&room, line).code, Some(0), "{line}");
    }
    let lines = [
        "hash -r --json d",
        "check --json sums",
        "check --audit --json sums d",
        "diff --json d e",
        "dups --json d",
        "dups --json --chunks cdc s",
        "bag validate --json bag",
        "match -r -k list --json d",
        "match -r -k list --class bad --json d",
        "lookup -k list --digest 900150983cd24fb0d6963f7d28e17f72 --json",
        "known info --json k.pfhknown",
        "compare --json s",
        "compare -a ssdeep --json s",
        "compare -a ssdeep --cluster --json s",
        "list --json disk",
        "list --json d.tar",
        "extract d.tar --to out --json",
        "cat --runs --json d.tar!/d/1",
        "acquire disk --to x.img --json --no-progress",
        "verify x.img --json --no-progress",
        "tree check --json disk",
        "tree root --as s3-etag --json disk",
        "algorithms --json",
        "algorithms --measure --json",
        "disks --json",
        "hash --update sums --json d",
        "plan -r d -o PLAN --json",
    ];
    for line in lines {
        let seen = pfh(&room, line);
        assert!(matches!(seen.code, Some(0 | 1 | 3)), "{line}: {:?} {}", seen.code, seen.stderr);
        if seen.stdout.is_empty() {
            continue;
        }
        room.file("one.json", &seen.stdout);
        let shown = pfh(&room, "report one.json --html page.html --force");
        assert!(shown.code == Some(0), "{line}: {:?} {}", shown.code, shown.stderr);
        let page = fs::read_to_string(room.path().join("page.html")).expect("a page");
        assert!(!page.contains("not understood"), "{line}");
        if line.contains("--class bad") {
            assert!(page.contains("known-bad") && !page.contains("None was found"), "{line}");
        }
        fs::remove_file(room.path().join("page.html")).expect("a page");
    }
}

/// A check that differs names the files above all else, and a missing one is called so.
#[test]
fn the_problems_name_the_files() {
    let room = Room::new();
    room.file("a", b"one");
    room.file("b", b"two");
    assert_eq!(pfh(&room, "hash a b -o list").code, Some(0));
    room.file("a", b"other");
    fs::remove_file(room.path().join("b")).expect("a file");
    room.file("check.json", &pfh(&room, "check --json list").stdout);
    assert_eq!(pfh(&room, "report check.json --html page.html").code, Some(0));
    let page = fs::read_to_string(room.path().join("page.html")).expect("a page");
    let problems = page.split("<h2>Files read").next().expect("a part");
    for words in
        ["check: failed", "check: missing", "class=\"file\">a<", "class=\"file\">b<", "by: pfh report check.json"]
    {
        assert!(problems.contains(words), "{words}: {problems}");
    }
    // A missing folder, and one without a file, are named.
    let seen = pfh(&room, "report nofolder --html other.html");
    assert!(seen.code == Some(3) && seen.stderr.contains("nofolder"), "{}", seen.stderr);
    fs::create_dir(room.path().join("empty")).expect("a folder");
    let seen = pfh(&room, "report empty --html other.html");
    assert!(seen.code == Some(3) && seen.stderr.contains("no file in it"), "{}", seen.stderr);
}
