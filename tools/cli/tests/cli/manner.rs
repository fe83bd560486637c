//! The manner of all commands: messages, colour, and runs that only list.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

fn trial(room: &Room, line: &str) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split(' ')).directory(room.path())
}

fn pfh(room: &Room, line: &str) -> Outcome {
    trial(room, line).run().unwrap()
}

/// The same with these variables in the environment, and no others that say anything of colour.
fn with(room: &Room, line: &str, variables: &[(&str, &str)]) -> Outcome {
    let unset = ["env", "-u", "NO_COLOR", "-u", "CLICOLOR", "-u", "CLICOLOR_FORCE"].map(str::to_owned);
    let set = variables.iter().map(|(name, value)| format!("{name}={value}"));
    trial(room, line).under(unset.into_iter().chain(set)).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn room() -> Room {
    let room = Room::new();
    room.file("d/a", b"abc");
    room.file("d/sub/b c", b"more than abc");
    std::os::unix::fs::symlink("a", room.path().join("d/link")).unwrap();
    room
}

/// A dry run lists the input of the run, in its order, and opens and writes nothing.
#[test]
fn dry_runs_list_what_would_be_read() {
    let room = room();
    for line in ["hash -r d", "match -r -k none d", "compare d"] {
        let seen = pfh(&room, &format!("{} --dry-run --no-progress", line));
        assert_eq!((seen.code, &*text(&seen)), (Some(0), "d/a\nd/sub/b c\n"), "{line}: {}", seen.stderr);
        assert!(seen.stderr.contains("2 files, 16 B would be read; nothing was"), "{line}: {}", seen.stderr);
        assert!(seen.stderr.contains("d/link: skipped: symbolic link"), "{line}: {}", seen.stderr);
    }
    let names = |line: &str| text(&pfh(&room, line)).lines().map(|line| line[66..].to_owned()).collect::<Vec<_>>();
    assert_eq!(names("hash -r --exclude a d"), ["d/sub/b c"]);
    assert_eq!(text(&pfh(&room, "hash -n -r --exclude a d")), "d/sub/b c\n");
    // Outputs that a run would make or replace are left alone.
    room.file("m", b"mine\n");
    assert_eq!(pfh(&room, "hash -n -r --force --seal --cache c -o m d").code, Some(0));
    assert_eq!(std::fs::read(room.path().join("m")).unwrap(), b"mine\n");
    assert!(!room.path().join("c").exists() && !room.path().join("m.seal").exists());
    // A file that cannot be listed is named, and in the exit code.
    let seen = pfh(&room, "hash -n d/a d/none");
    assert!(seen.code == Some(3) && seen.stderr.contains("d/none"), "{:?} {}", seen.code, seen.stderr);
    let seen = pfh(&room, "hash -n d d/a");
    assert!(seen.code == Some(3) && seen.stderr.contains("d: open: Is a directory"), "{}", seen.stderr);
    assert_eq!(pfh(&room, "hash -n").code, Some(2));
    // The files of a manifest, with the directory in which they are looked for.
    assert_eq!(pfh(&room, "hash -r --force -o m d").code, Some(0));
    let seen = pfh(&room, "check --dry-run m");
    assert_eq!((seen.code, &*text(&seen)), (Some(0), "d/a\nd/sub/b c\n"), "{}", seen.stderr);
    let seen = pfh(&room, "check -n --root . m");
    assert_eq!((seen.code, &*text(&seen)), (Some(0), "d/a\nd/sub/b c\n"), "{}", seen.stderr);
    let seen = pfh(&room, "check -n m d");
    assert_eq!((seen.code, &*text(&seen)), (Some(0), "d/a\nd/sub/b c\n"), "{}", seen.stderr);
    room.file("empty", b"");
    assert_eq!(pfh(&room, "check -n empty").code, Some(3));
    assert_eq!(pfh(&room, "check -n none").code, Some(3));
}

/// Standard error that is not a terminal has a closing line only when that is asked for, and only
/// problems with -q.
#[test]
fn quiet_and_verbose() {
    let room = room();
    assert_eq!(pfh(&room, "hash -r --exclude link d").stderr, "");
    let seen = pfh(&room, "hash -v -r --exclude link d");
    assert!(
        seen.stderr.starts_with("2 files, 16 B, ") && seen.stderr.ends_with(" s, no problems\n"),
        "{}",
        seen.stderr
    );
    assert_eq!(pfh(&room, "hash -q -v d/a").code, Some(2));
    room.file("known", b"900150983cd24fb0d6963f7d28e17f72  a\n");
    assert!(pfh(&room, "match -k known --class good d/a").stderr.contains("1"));
    assert_eq!(pfh(&room, "match -q -k known --class good d/a").stderr, "");
    let seen = pfh(&room, "hash -q d/none");
    assert!(seen.code == Some(3) && seen.stderr.contains("d/none"), "{}", seen.stderr);
}

#[test]
fn colour_is_for_verdicts_and_never_for_a_pipe_that_did_not_ask() {
    let room = room();
    pfh(&room, "hash -r -o m d");
    room.file("d/a", b"changed");
    for (variables, coloured) in [
        (&[][..], false),
        (&[("CLICOLOR", "1")], false),
        (&[("CLICOLOR_FORCE", "1")], true),
        (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
    ] {
        for line in ["check m", "check --audit m d", "diff m d"] {
            let seen = with(&room, line, variables);
            assert_eq!((seen.code, text(&seen).contains('\x1b')), (Some(1), coloured), "{line}: {}", text(&seen));
        }
    }
    room.file("bad", b"900150983cd24fb0d6963f7d28e17f72  a\n");
    room.file("disk", &[7; 70_000]);
    let seen = pfh(&room, "acquire --no-progress disk --to disk.img");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    room.file("d/abc \u{1b}[31m", b"abc");
    for (variables, coloured) in
        [(&[][..], false), (&[("CLICOLOR_FORCE", "1")], true), (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false)]
    {
        for (line, code) in [("match -r -k bad --class bad d", 1), ("verify --no-progress disk.img", 0)] {
            let seen = with(&room, line, variables);
            assert_eq!((seen.code, text(&seen).contains('\x1b')), (Some(code), coloured), "{line}: {}", text(&seen));
        }
    }
    let seen = with(&room, "match -r -k bad --class bad d", &[("CLICOLOR_FORCE", "1")]);
    let line = "\x1b[31mknown-bad\x1b[0m   d/abc \\x1b[31m  [bad: bad]\n";
    assert!(text(&seen).contains(line), "{}", text(&seen));
    let seen = with(&room, "verify --no-progress disk.img", &[("CLICOLOR_FORCE", "1")]);
    assert!(text(&seen).contains("\n\x1b[32mverified\x1b[0m: "), "{}", text(&seen));
    std::fs::remove_file(room.path().join("d/abc \u{1b}[31m")).unwrap();
    let seen = with(&room, "check m", &[("CLICOLOR_FORCE", "1")]);
    assert_eq!(text(&seen), "d/a: \x1b[31mFAILED\x1b[0m\nd/sub/b c: \x1b[32mOK\x1b[0m\n");
    // Output for programs has none, even if it is asked for.
    for line in [
        "check --json m",
        "hash d/a",
        "check --audit -f jsonl m d",
        "diff --json m d",
        "diff -z m d",
        "match --json -k bad d/a",
        "match -k bad -o verdicts --fail-on error d/a",
        "verify --json --no-progress disk.img",
    ] {
        let seen = with(&room, line, &[("CLICOLOR_FORCE", "1")]);
        assert!(!text(&seen).contains('\x1b'), "{line}: {}", text(&seen));
    }
}
