//! `pfh disks`: the page's example, the environment, and a device of this machine.
#![cfg(unix)]

use crate::program::{Room, pfh, system};
use pfh_inject::{Loop, Need, Trial, lacks};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The output that the page shows behind a command.
fn shown(command: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/disks.md");
    let page = fs::read_to_string(page).expect("the page");
    let (_, rest) = page.split_once(&format!("$ {command}\n")).expect(command);
    let end = rest.find("\n$ ").into_iter().chain(rest.find("\n```")).min().expect("an end");
    format!("{}\n", &rest[..end])
}

#[test]
fn the_page_shows_what_is_printed() {
    let room = Room::new();
    system(&room, "copy");
    let seen = pfh(&room, "disks --system copy");
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""));
    assert_eq!(text, shown("pfh disks --system copy"), "{text}");
}

#[test]
fn the_environment_names_the_system_too() {
    let room = Room::new();
    system(&room, "copy");
    fs::remove_file(room.path().join("copy/dev/sdb")).expect("a file");
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["disks", "--json"]).directory(room.path());
    let seen = trial.under(["env", "PFH_SYSTEM=copy"]).run().expect("a run");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert_eq!(seen.stderr, "pfh: 1 of 4 disks could not be read whole; --no-read lists without reading\n");
    let lines: Vec<Value> = seen.lines().into_iter().map(|line| serde_json::from_slice(line).expect("JSON")).collect();
    assert_eq!(lines[1]["content"]["cause"], "No such file or directory (ENOENT)", "{}", lines[1]);
    assert_eq!(lines[0]["partitions"][1]["content"]["state"], "encrypted");
    assert_eq!(pfh(&room, "disks --system none").code, Some(3));
}

#[test]
fn a_panic_of_a_reader_is_no_list() {
    let room = Room::new();
    system(&room, "copy");
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["disks", "--system", "copy"]).directory(room.path());
    let seen = trial.under(["env", "PFH_FAIL_POINT=disks:2"]).run().expect("a run");
    assert!(seen.code == Some(4) && seen.stdout.is_empty(), "{:?} {}", seen.code, seen.stderr);
}

#[test]
fn a_loop_device_is_a_disk() {
    if lacks(&[Need::Root, Need::Loop]) {
        return;
    }
    let room = Room::new();
    let file = room.file("case.dd", &[&b"LUKS\xba\xbe\0\x02"[..], &[0; 4 << 20]].concat());
    fs::File::options().write(true).open(&file).expect("the file").set_len(4 << 20).expect("a size");
    let device = Loop::attach(&file, &["-r"]).expect("a device");
    let seen = pfh(&room, "disks --json");
    let lines: Vec<Value> = seen.lines().into_iter().map(|line| serde_json::from_slice(line).expect("JSON")).collect();
    let ours = lines.iter().find(|line| line["path"] == device.path().to_str().expect("UTF-8")).expect("its row");
    assert_eq!((ours["bus"].as_str(), ours["size"].as_u64()), (Some("loop"), Some(4 << 20)));
    assert_eq!((&ours["write_blocked"], &ours["encrypted"]), (&Value::Bool(true), &Value::Bool(true)));
    assert_eq!(ours["backing_file"].as_str().map(Path::new), Some(file.as_path()));
    assert_eq!(ours["content"]["format"], "LUKS");
}
