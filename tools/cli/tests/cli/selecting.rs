//! Patterns by the names that are printed, patterns that match nothing, and audits of `/`.

use crate::program::Room;
use pfh_inject::{Outcome, Trial};
use std::path::MAIN_SEPARATOR;

fn pfh(room: &Room, line: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split(' ')).directory(room.path()).run().unwrap()
}

fn printed(room: &Room, line: &str) -> Vec<String> {
    let seen = pfh(room, line);
    let lines = seen.lines().into_iter().map(|line| String::from_utf8_lossy(line).into_owned());
    lines.filter_map(|line| line.split_once("  ").map(|(_, name)| name.to_owned())).collect()
}

fn room() -> Room {
    let room = Room::new();
    for name in ["d/1", "d/2", "d/s/1", "d/s/t"] {
        room.file(name, name.as_bytes());
    }
    room
}

#[test]
fn a_pattern_matches_the_name_as_it_is_printed() {
    let room = room();
    let typed = room.path().join("d").display().to_string();
    let whole = if cfg!(windows) { typed.replace('\\', "/") } else { typed.clone() };
    let here = |names: &[&str]| names.iter().map(|name| format!("d/{name}")).collect::<Vec<_>>();
    for (pattern, left) in [
        ("d/1", here(&["2", "s/1", "s/t"])),
        ("./d/1", here(&["2", "s/1", "s/t"])),
        ("d/*", here(&[])),
        ("*/1", here(&["2", "s/t"])),
        ("**/1", here(&["2", "s/t"])),
        ("/1", here(&["2", "s/1", "s/t"])),
        ("s/1", here(&["1", "2", "s/t"])),
        ("d/s", here(&["1", "2"])),
        ("d/s/", here(&["1", "2"])),
        ("s", here(&["1", "2"])),
        ("1", here(&["2", "s/t"])),
    ] {
        assert_eq!(printed(&room, &format!("hash -r d --exclude {pattern}")), left, "{pattern}");
    }
    assert_eq!(printed(&room, "hash -r d --include d/s/*"), here(&["s/1", "s/t"]));
    let left = printed(&room, &format!("hash -r {typed} --exclude {typed}{MAIN_SEPARATOR}s"));
    assert_eq!(left, [format!("{whole}/1"), format!("{whole}/2")]);
}

#[test]
fn a_pattern_that_matches_nothing_is_said() {
    let room = room();
    pfh(&room, "hash -r d -o list");
    for line in ["hash -r d", "match -k list -r d", "compare d", "dups d", "plan -r d -o plan", "hash -n -r d"] {
        let seen = pfh(&room, &format!("{line} --exclude nothing --exclude d/1"));
        assert!(seen.stderr.contains("pattern 'nothing' matched nothing"), "{line}: {}", seen.stderr);
        assert!(!seen.stderr.contains("'d/1'"), "{line}: {}", seen.stderr);
    }
    let seen = pfh(&room, "hash -r d --include *.jpg");
    assert!(seen.stderr.contains("pattern '*.jpg' matched nothing") && seen.stdout.is_empty(), "{}", seen.stderr);
    let seen = pfh(&room, "hash -r d --include 1 --include s/*");
    assert!(!seen.stderr.contains("matched nothing"), "{}", seen.stderr);
}
