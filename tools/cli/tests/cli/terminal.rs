//! The screen at 80 columns and at 40, and the sentences at the end.
#![cfg(unix)]

use crate::program::{Room, pfh, random};
use std::process::{Command, Stdio};

/// Runs a line on a terminal of this many columns; gives all that is written to it.
fn seen(room: &Room, columns: u32, line: &str) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_pfh"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let line = format!("stty cols {columns} rows 24; {line}");
    let seen = Command::new("timeout")
        .args(["120", "script", "-qec", &line, "/dev/null"])
        .env("PATH", path)
        .env("TERM", "xterm")
        .current_dir(room.path())
        .stdin(Stdio::null())
        .output()
        .expect("script");
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

/// The states of the line that is drawn again and again, without control sequences.
fn drawn(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\x1b' {
            rest.by_ref().find(char::is_ascii_alphabetic);
            plain.push('\r');
        } else {
            plain.push(c);
        }
    }
    plain.split(['\r', '\n']).map(|line| line.trim_end().to_owned()).filter(|line| line.contains("left")).collect()
}

#[test]
fn the_bar_keeps_rate_and_time_left() {
    let room = Room::new();
    let file = std::fs::File::create(room.path().join("big")).unwrap();
    file.set_len(4 << 30).unwrap();
    for (columns, keeps_rate) in [(120, true), (80, true), (40, false)] {
        let text = seen(&room, columns, "timeout -s INT 3 pfh hash -a sha3-512 -t 1 big");
        let lines = drawn(&text);
        assert!(!lines.is_empty(), "{columns}: {text:?}");
        for line in &lines {
            assert!(line.chars().count() < columns as usize && line.ends_with(" left"), "{columns}: {line}");
            assert!(!keeps_rate || line.contains("/s, "), "{columns}: {line}");
            assert_eq!(line.contains('['), columns >= 80, "{columns}: {line}");
            assert!(line.contains(" %"), "{columns}: {line}");
        }
    }
}

#[test]
fn a_search_for_duplicates_has_no_total_that_it_does_not_know() {
    let room = Room::new();
    for name in ["d/1", "d/2"] {
        let file = std::fs::File::create(room.file(name, b"")).unwrap();
        file.set_len(1 << 30).unwrap();
    }
    let text = seen(&room, 100, "timeout -s INT 3 pfh dups -a sha3-512 d");
    assert!(text.contains("/s") && !text.contains("of 0 B"), "{text:?}");
}

#[test]
fn what_writes_a_file_ends_with_one_sentence() {
    let room = Room::new();
    room.file("d/1", b"abc");
    for (line, said) in [
        ("hash -r d -o list", "pfh: list: 1 file, 3 B, "),
        ("merge PLAN -o merged", "pfh: merged: 1 file, 3 B\n"),
        ("run PLAN --unit 1", "pfh: unit 1: 1 file, 3 B, "),
        ("hash -r d -o again --cache kept", "pfh: again: 1 file, 3 B, "),
    ] {
        if line.starts_with("merge") {
            let planned = pfh(&room, "plan -r d -o PLAN");
            let text = String::from_utf8_lossy(&planned.stdout).into_owned();
            assert_eq!(text, "1 unit: 1 file, 3 bytes; 0 skipped, 0 cannot be listed\n");
            assert_eq!(pfh(&room, "run PLAN --unit 1").code, Some(0));
        }
        let line = if line.starts_with("run") { format!("{line} --again") } else { line.to_owned() };
        let seen = pfh(&room, &line);
        assert!(seen.code == Some(0) && seen.stderr.starts_with(said), "{line}: {}", seen.stderr);
        assert_eq!(seen.stderr.lines().count(), 1, "{line}: {}", seen.stderr);
    }
    assert_eq!(pfh(&room, "hash -q -r d -o quiet").stderr, "");
}

#[test]
fn verify_prints_one_table() {
    let room = Room::new();
    room.file("disk", &random(1, 100_000));
    assert_eq!(pfh(&room, "acquire disk --to x.E01").code, Some(0));
    let seen = pfh(&room, "verify x.E01");
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert_eq!(seen.code, Some(0), "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.ends_with("  yes")).collect();
    assert!(rows.iter().any(|row| row.starts_with("md5 of the image") && row.contains("x.E01 itself")), "{text}");
    let hex = |line: &str| line.split([' ', ':']).filter(|word| word.len() == 64).count();
    let sha256 = text.lines().find_map(|line| line.strip_prefix("sha256 ").filter(|hex| hex.len() == 64));
    let sha256 = sha256.expect("a digest");
    assert_eq!(text.matches(sha256).count(), 1, "{text}");
    assert!(text.lines().last().is_some_and(|line| line.starts_with("verified: ") && hex(line) == 0), "{text}");
    assert!(text.contains("in 1 file\n"), "{text}");
}

#[test]
fn what_an_image_was_padded_with_is_said_before_its_digests() {
    let room = Room::new();
    room.file("disk", &random(1, 1000));
    let seen = pfh(&room, "acquire disk --to x.E01");
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(text.starts_with("disk: 1000 bytes (1.0 kB) in ") && seen.code == Some(0), "{text}");
    assert!(text.find("padded with").unwrap() < text.find("sha256 ").unwrap(), "{text}");
}

/// bash offers the values of options.
#[test]
fn completions_know_values() {
    let room = Room::new();
    room.file("pfh.bash", &pfh(&room, "completions bash").stdout);
    let offered = |words: &str| {
        let list: Vec<&str> = words.split(' ').collect();
        let script = format!(
            "source ./pfh.bash; COMP_WORDS=({}); COMP_CWORD={}; _pfh pfh '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            list.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            list.len() - 1,
            list[list.len() - 1],
            list[list.len() - 2],
        );
        let seen = Command::new("bash").args(["-c", &script]).current_dir(room.path()).output().expect("bash");
        String::from_utf8_lossy(&seen.stdout).into_owned()
    };
    for (typed, value) in [
        ("pfh hash -a sha", "sha256"),
        ("pfh hash -f js", "jsonl"),
        ("pfh compare -a ss", "ssdeep"),
        ("pfh match -f v", "values"),
        ("pfh export --to time", "timesketch"),
        ("pfh known export --to k", "kdb"),
        ("pfh acquire -f e", "e01"),
    ] {
        let offered = offered(typed);
        assert!(offered.lines().any(|line| line == value), "{typed}: {offered}");
    }
}
