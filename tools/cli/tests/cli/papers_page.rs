//! Every command on docs/papers.md runs.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Trial, content};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts in backquotes in the last columns of the page's tables.
fn commands(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.matches(" | ").count() >= 2);
    rows.filter_map(|row| row.trim_end_matches(" |").rsplit(" | ").next())
        .flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// The inputs of the commands.
fn prepared() -> Room {
    let room = Room::new();
    let mut md5 = String::new();
    for (n, text) in
        ["abc".to_owned(), "one ".repeat(5000), "two ".repeat(7000), "one ".repeat(5000)].iter().enumerate()
    {
        room.file(format!("t5/{n}"), text.as_bytes());
        md5 += &format!("{}  t5/{n}\n", crate::program::digest_by("md5sum", text.as_bytes()));
    }
    for n in 4..8_u64 {
        room.file(format!("t5/{n}"), &content(n % 2, 30_000 + n * 100));
    }
    room.file("t5/deeper/below", b"abc");
    room.file("md5", md5.as_bytes());
    room.file("bare", md5.lines().map(|line| line[..32].to_owned() + "\n").collect::<String>().as_bytes());
    room.file("one", &content(1, 20_000));
    room.file("source", &content(9, 3 << 20));
    room.file("half 1", &content(4, 9000));
    room.file("half 2", &content(5, 9000));
    room.file("pieces", b"9000 half 2\n0 half 1\n");
    room.file("changed", &content(3, 300_000));
    // The runners of the study of languages are part of a checkout.
    std::os::unix::fs::symlink(root().join("bench"), room.path().join("bench")).expect("a link");
    let listed = pfh(&room, "pfh hash -a ssdeep -f ssdeep t5/4 t5/5 -o ssdeep");
    assert_eq!(listed.0, Some(0), "{}", listed.1);
    room
}

fn pfh(room: &Room, command: &str) -> (Option<i32>, String) {
    let words = command.split_whitespace().skip(1);
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path());
    let seen = trial.limit(Duration::from_secs(300)).run().expect("a run");
    (seen.code, seen.stderr)
}

#[test]
fn every_command_of_the_page_runs() {
    let page = std::fs::read_to_string(root().join("docs/papers.md")).expect("the page");
    let commands = commands(&page);
    assert!(commands.len() > 60, "{commands:?}");
    let room = prepared();
    for command in &commands {
        if let Some(script) = command.strip_prefix("bench/run ") {
            // They measure for minutes: the test asks only for the presence of the benchmark.
            assert!(script.ends_with(" --help"), "{command}");
            let run = Command::new("python3").arg(root().join("bench/run")).args(script.split(' ')).output();
            let run = run.expect("python3");
            assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
            continue;
        }
        let Some(words) = command.strip_prefix("pfh ") else { panic!("{command}: a command in the last column") };
        if crate::program::is_left_out(words) {
            continue;
        }
        let (code, said) = pfh(&room, command);
        assert_eq!(code, Some(0), "{command}: {said}");
    }
}
