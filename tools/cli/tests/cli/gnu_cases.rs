//! The requirements of GNU's tests/cksum on `--check`, from the documented behaviour of the tools
//! (coreutils manual, "md5sum invocation" and "cksum output modes") and beside the installed ones.
//! The scripts, and where their cases are here:
//!
//! | script | here |
//! |---|---|
//! | md5sum.pl, sha1sum.pl, sha224sum.pl, sha256sum.pl, sha384sum.pl, sha512sum.pl | digests: vectors of the digest crate; `--check`: [`lines_of_every_form`], [`every_program`], `check.rs` (`--quiet --status --strict --warn --ignore-missing`) |
//! | sha1sum-vec.pl, cksum-sha3.sh | the digest crate's vectors; SHA-3 by its tags: `check_gnu.rs` of the jobs |
//! | b2sum.sh | [`every_program`]; of shortened BLAKE2b (`b2sum -l`): `check_gnu.rs` of the jobs |
//! | md5sum-bsd.sh | [`lines_of_every_form`]: tagged, BSD's one space, both mixed |
//! | md5sum-newline.pl | `check.rs`, names of every kind |
//! | cksum-a.sh, cksum-c.sh | `check_gnu.rs` of the jobs, [`every_program`] |
//! | cksum-base64.pl, cksum-base64-untagged.sh | `check_gnu.rs` of the jobs |
//! | cksum.sh, sum.pl, sum-sysv.sh, cksum-raw.sh | CRC and raw output: nothing to check |
//! | md5sum-parallel.sh | many processes with one output: `faults_c_output.rs` |
//! | sm3sum.pl | `check_gnu.rs` of the jobs |
#![cfg(unix)]

use crate::program;
use std::process::Command;

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

fn check(room: &Room, options: &[&str]) -> Outcome {
    let arguments = [&["check", "--no-progress"], options, &["list"]].concat();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn said(seen: &Outcome) -> (Option<i32>, String) {
    (seen.code, String::from_utf8(seen.stdout.clone()).unwrap())
}

fn run(room: &Room, program: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(program).args(arguments).current_dir(room.path()).env("LC_ALL", "C").output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

/// Files of one content under names that look like parts of a line.
fn room() -> Room {
    let room = Room::new();
    for name in ["f", "a b (c)", "(x) = y", " lead", "trail ", "f) = 0", "MD5 (f)"] {
        room.file(name, b"abc");
    }
    room
}

#[test]
fn lines_of_every_form() {
    let room = room();
    let upper = MD5.to_uppercase();
    for list in [
        format!("MD5 (f) = {MD5}\n"),
        format!("MD5 (a b (c)) = {MD5}\n"),
        format!("MD5 ((x) = y) = {MD5}\n"),
        format!("MD5 (f) = 0) = {MD5}\n"),
        format!("MD5 (MD5 (f)) = {MD5}\n"),
        format!("MD5(f)= {MD5}\n"),
        format!("MD5(a b (c))= {MD5}\n"),
        format!("MD5 (f)= {MD5}\n"),
        format!("{MD5} f\n"),
        format!("{MD5}  lead\n{MD5} f\n"),
        format!("{MD5} f\n{MD5}  lead\n"),
        format!("{MD5}   lead\n"),
        format!("{MD5}  trail \n"),
        format!("{MD5}  \n"),
        format!("  {MD5}  f\n"),
        format!("\t{MD5}  f\n"),
        format!("{MD5}\tf\n"),
        format!("#{MD5}  f\n{MD5}  f\n"),
        format!("\n{MD5}  f\n\n"),
        format!("{MD5}  f"),
        format!("\\{MD5}  f\n"),
        format!("\\{MD5}  f\\x\n"),
        format!("\\{MD5}  f\\\n"),
        format!("{upper}  f\n"),
        format!("0123  f\n{MD5}  f\n"),
        format!("{MD5}0  f\n{MD5} *f\n"),
        format!("MD5 (f) = {MD5} x\n"),
        format!("MD5 (f) = {MD5}\n{MD5}  a b (c)\n{MD5} *trail \n"),
        format!("{MD5}  f\r\n"),
        format!("MD5 (none) = {MD5}\n"),
        format!("MD5 (f = {MD5}\n"),
        format!("MD5 (f) = \n{MD5}  f\n"),
        format!("{}  f\n", MD5.replace('9', "8")),
    ] {
        room.file("list", list.as_bytes());
        for options in [&[][..], &["--strict"], &["--status"], &["--quiet"], &["--warn"], &["--ignore-missing"]] {
            let (code, text) = run(&room, "md5sum", &[&["-c"], options, &["list"]].concat());
            // A line that is not a record makes 3 here unless somebody says that it need not; a
            // list without any is 3 in either case.
            let lenient = if options.contains(&"--strict") { &[][..] } else { &["--lenient"] };
            let seen = check(&room, &[options, lenient].concat());
            let nothing = seen.stderr.contains("nothing to compare") || (options == ["--status"] && !is_record(&list));
            let code = if nothing && !options.contains(&"--strict") { Some(3) } else { code };
            // A file that is there but for blanks at the ends of its name is named, and never
            // missing: 3, and with --strict the 1 of the line that is not a record.
            if list == format!("{MD5}  lead\n{MD5} f\n") {
                let exit = if options == ["--strict"] { 1 } else { 3 };
                let named = if options == ["--status"] { "" } else { "lead: not compared\n" };
                assert_eq!(said(&seen), (Some(exit), named.to_owned()), "{list:?} {options:?}");
                continue;
            }
            assert_eq!(said(&seen), (code, text.clone()), "{list:?} {options:?}");
            let plain = check(&room, options);
            if plain.stderr.contains("improperly") && code == Some(0) {
                assert_eq!(said(&plain), (Some(3), text), "{list:?} {options:?}");
            }
        }
    }
}

/// Whether pfh finds a record in a list: with another option it says that there is nothing to
/// compare with.
fn is_record(list: &str) -> bool {
    let room = room();
    room.file("list", list.as_bytes());
    !check(&room, &[]).stderr.contains("nothing to compare")
}

#[test]
fn every_program() {
    let room = room();
    for (program, more) in [
        ("md5sum", &[][..]),
        ("sha1sum", &[]),
        ("sha224sum", &[]),
        ("sha256sum", &[]),
        ("sha384sum", &[]),
        ("sha512sum", &[]),
        ("b2sum", &["-a", "blake2b"]),
    ] {
        for options in [&["f", "a b (c)"][..], &["-b", "f"], &["--tag", "f", "(x) = y"]] {
            let (code, list) = run(&room, program, options);
            assert_eq!(code, Some(0));
            room.file("list", list.as_bytes());
            let seen = said(&check(&room, more));
            assert_eq!(seen, run(&room, program, &["-c", "list"]), "{program} {options:?}");
            assert_eq!(seen.0, Some(0));
        }
        // Read from standard input, and with records that end with NUL, which theirs cannot read
        // back.
        let (_, list) = run(&room, program, &["-z", "f", "a b (c)"]);
        room.file("list", list.as_bytes());
        assert_eq!(said(&check(&room, &[more, &["-z"]].concat())), (Some(0), "f: OK\na b (c): OK\n".to_owned()));
        let (_, list) = run(&room, program, &["f"]);
        let arguments = [&["check", "--no-progress"], more, &["-"]].concat();
        let seen =
            Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).input(list).run().unwrap();
        assert_eq!(said(&seen), (Some(0), "f: OK\n".to_owned()), "{program}");
    }
}

/// Where pfh does not do as GNU's tools do, and means it.
#[test]
fn what_differs() {
    let room = room();
    let ours = |list: &str| {
        room.file("list", list.as_bytes());
        let seen = check(&room, &["--warn"]);
        (said(&seen), seen.stderr)
    };
    let theirs = || run(&room, "md5sum", &["-c", "list"]);
    // A line without a name is not a record; theirs looks for a file of no name.
    let ((code, text), noted) = ours(&format!("MD5 () = {MD5}\n"));
    assert_eq!((code, text.as_str(), theirs().0), (Some(3), "", Some(1)));
    assert!(noted.contains("list:1: no name"), "{noted}");
    // Every algorithm that is named is checked, in any case of letters; `md5sum -c` takes MD5
    // alone.
    let sha256 = program::sha256(b"abc");
    assert_eq!(ours(&format!("sha256 (f) = {sha256}\n")).0, (Some(0), "f: OK\n".to_owned()));
    assert_eq!(theirs().0, Some(1));
    // A file that several lines name is read once and reported once.
    assert_eq!(ours(&format!("{MD5}  f\nMD5 (f) = {MD5}\n")).0, (Some(0), "f: OK\n".to_owned()));
    assert_eq!(theirs(), (Some(0), "f: OK\nf: OK\n".to_owned()));
    // A NUL ends no name: theirs reads the text before it.
    let ((code, _), noted) = ours(&format!("{MD5}  f\0g\n"));
    assert_eq!((code, theirs().0), (Some(3), Some(0)));
    assert!(noted.contains("NUL"), "{noted}");
    // An unreadable file is 3, not 1.
    assert_eq!((ours(&format!("{MD5}  .\n")).0.0, theirs().0), (Some(3), Some(1)));
    // `-` is a file of that name, not standard input.
    assert_eq!(ours(&format!("{MD5}  -\n")).0, (Some(1), "-: FAILED open or read\n".to_owned()));
    // Algorithms that are not here.
    for tag in ["SNEFRU-256", "HAS-160"] {
        let ((code, text), noted) = ours(&format!("{tag} (f) = {sha256}\n"));
        assert_eq!((code, text.as_str()), (Some(3), ""));
        assert!(noted.contains("list:1: ") && noted.contains(&format!("1 line of {tag} not verified")), "{noted}");
        // Beside lines that are right as well; and a wrong file goes before it.
        let ((code, _), _) = ours(&format!("SHA256 (f) = {sha256}\n{tag} (f) = {sha256}\n"));
        assert_eq!(code, Some(3));
        let ((code, _), _) = ours(&format!("SHA256 (trail ) = {}\n{tag} (f) = {sha256}\n", sha256.replace('a', "b")));
        assert_eq!(code, Some(1));
    }
}
