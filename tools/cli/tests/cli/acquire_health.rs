//! The statements of a disk about itself in the log of its acquisition: hidden areas, passwords,
//! S.M.A.R.T.
#![cfg(unix)]

use crate::program::{MIB, Room, sha256};
use pfh_inject::{Loop, Need, Outcome, Trial, content, lacks};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Stands in for smartctl(8): prints the documented JSON of an ATA disk whose reallocated sectors
/// grow from call to call.
const SMARTCTL: &str = r#"#!/bin/sh
echo "$@" >> "$0.calls"
n=$(wc -l < "$0.calls")
cat <<END
{ "json_format_version": [1, 0], "smartctl": { "version": [7, 3], "exit_status": 4 },
  "model_name": "Stub 1000", "serial_number": "S-1", "firmware_version": "F",
  "smart_status": { "passed": true }, "power_on_time": { "hours": 41 }, "temperature": { "current": 30 },
  "ata_smart_attributes": { "table": [
    { "id": 5, "name": "Reallocated_Sector_Ct", "raw": { "value": $n, "string": "$n" } },
    { "id": 197, "name": "Current_Pending_Sector", "raw": { "value": 0, "string": "0" } } ] } }
END
exit 4
"#;

/// Acquires a loop device with this search path for programs.
fn acquired(room: &Room, path: &str, image: &str) -> (Outcome, Vec<Value>, String) {
    let source = room.file("source", &content(41, MIB));
    let device = Loop::attach(&source, &["-r"]).unwrap();
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["acquire", "--no-progress", "--json", "--to", image])
        .arg(device.path())
        .directory(room.path())
        .under(["/usr/bin/env", &format!("PATH={path}")])
        .run()
        .unwrap();
    let log = fs::read_to_string(room.path().join(format!("{image}.log"))).unwrap();
    let lines = fs::read_to_string(room.path().join(format!("{image}.log.jsonl"))).unwrap();
    (seen, lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), log)
}

fn script(room: &Room, directory: &str, text: &str) -> String {
    let path = room.executable(Path::new(directory).join("smartctl"), text.as_bytes());
    format!("{}:/usr/bin:/bin", path.parent().unwrap().display())
}

fn smart(records: &[Value]) -> Vec<&Value> {
    records.iter().filter(|record| record["kind"] == "smart").collect()
}

#[test]
fn smart_values_are_in_the_log_before_and_after() {
    if lacks(&[Need::Loop, Need::Program("env")]) {
        return;
    }
    let room = Room::new();
    let path = script(&room, "bin", SMARTCTL);
    let (seen, records, log) = acquired(&room, &path, "image");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let calls = fs::read_to_string(room.path().join("bin/smartctl.calls")).unwrap();
    assert!(calls.lines().count() == 2 && calls.lines().all(|call| call.starts_with("--json -a /dev/loop")), "{calls}");
    let found = smart(&records);
    let [before, after] = found[..] else { panic!("{records:?}") };
    for (record, when, count) in [(before, "before", 1), (after, "after", 2)] {
        assert_eq!((record["when"].as_str(), record["status"].as_i64()), (Some(when), Some(4)));
        assert_eq!(record["facts"]["reallocated-sectors"], count);
        assert_eq!(record["facts"]["serial"], "S-1");
        // The report is kept as it was printed, and the digest is its.
        assert_eq!(record["sha256"], sha256(record["report"].as_str().unwrap().as_bytes()));
    }
    let at = |kind: &str| records.iter().position(|record| record["kind"] == kind).unwrap();
    assert!(at("start") < at("smart") && records.last().unwrap()["kind"] == "end");
    assert!(log.contains("S.M.A.R.T. before: firmware F, model Stub 1000"), "{log}");
    for text in [&seen.stderr, &log] {
        assert!(text.contains("reallocated-sectors was 1 before and is 2 now"), "{text}");
    }
    let report: Value = serde_json::from_slice(&seen.stdout).unwrap();
    assert_eq!(report["smart"]["after"]["reallocated-sectors"], 2);
}

#[test]
fn smart_values_that_are_not_read_are_said() {
    if lacks(&[Need::Loop, Need::Program("env")]) {
        return;
    }
    let room = Room::new();
    fs::create_dir(room.path().join("none")).unwrap();
    let none = room.path().join("none").display().to_string();
    let nonsense = script(&room, "nonsense", "#!/bin/sh\necho no JSON\n");
    let silent =
        "#!/bin/sh\necho '{\"smartctl\":{\"messages\":[{\"string\":\"Unable to detect device type\"}]}}'; exit 1\n";
    let silent = script(&room, "silent", silent);
    let cases = [
        (none, "a", "smartctl is not installed"),
        (nonsense, "b", "is not JSON"),
        (silent, "c", "Unable to detect device type"),
    ];
    for (path, image, cause) in cases {
        let (seen, records, log) = acquired(&room, &path, image);
        // The image is whole: a missing smartctl does not change that.
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let found = smart(&records);
        assert!(found.len() == 2 && found.iter().all(|r| r["cause"].as_str().unwrap().contains(cause)), "{found:?}");
        assert!(log.contains("S.M.A.R.T. before: not read: ") && log.contains(cause), "{log}");
    }
}

/// A loop device takes no ATA commands: its hidden areas are not determined, and the log says why.
#[test]
fn hidden_areas_and_passwords_are_in_log_and_summary() {
    if lacks(&[Need::Loop, Need::Program("env")]) {
        return;
    }
    let room = Room::new();
    let (seen, records, log) = acquired(&room, "/usr/bin:/bin", "image");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let record = records.iter().find(|record| record["kind"] == "hidden").unwrap();
    let report: Value = serde_json::from_slice(&seen.stdout).unwrap();
    for found in [record, &report["hidden"]] {
        for what in ["hpa", "dco", "security"] {
            assert_eq!(found[what]["state"], "not determined");
            assert!(found[what]["cause"].as_str().unwrap().contains("no ATA commands"), "{found}");
        }
    }
    assert!(log.contains("(HPA, DCO) and disk passwords: not determined: "), "{log}");
    // A file has nothing to hide.
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["acquire", "--no-progress", "--json", "--to", "of-file", "source"])
        .directory(room.path())
        .run()
        .unwrap();
    let report: Value = serde_json::from_slice(&seen.stdout).unwrap();
    assert!(
        report["hidden"].is_null() && !fs::read_to_string(room.path().join("of-file.log")).unwrap().contains("HPA")
    );
}
