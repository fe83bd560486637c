//! Objects in units: `plan`, `run` and `merge` give the manifest of one `hash`.

use super::server::{Fault, Proxy, Server};
use super::{LARGE, filled, pfh, put};
use crate::program::{Room, random};
use pfh_inject::{Need, lacks};
use std::fs;

/// The sizes of each unit's list.
fn sizes(room: &Room) -> Vec<Vec<usize>> {
    let mut names: Vec<_> = fs::read_dir(room.path().join("PLAN/units")).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    let size = |line: &[u8]| {
        let mut words = line.split(|byte| *byte == b' ').skip(1);
        str::from_utf8(words.next().unwrap()).unwrap().parse().unwrap()
    };
    let list = |path| fs::read(path).unwrap().split_inclusive(|byte| *byte == 0).map(size).collect();
    names.into_iter().map(list).collect()
}

#[test]
fn units_of_objects_give_the_manifest_of_one_run() {
    if lacks(&[Need::Program("s3proxy"), Need::Program("curl")]) {
        return;
    }
    let room = Room::new();
    let server = Server::start(room.path());
    filled(&room, &server);
    room.file("here", b"here");
    for (settings, input) in [
        (&["-f", "sums"][..], &["s3://bucket/pre"][..]),
        (
            &["-f", "jsonl", "-a", "md5,blake3"],
            &["s3://bucket/pre/many", "here", "s3://bucket/none", "s3://bucket/pre/plain"],
        ),
    ] {
        let words = |first: &[&'static str], last: &[&'static str]| [first, settings, input, last].concat();
        let one = pfh(&room, server.port, &words(&["hash", "--no-progress"], &[]));
        // A plan lists, and fetches nothing.
        let proxy = Proxy::start(server.port, Fault::Slow);
        let last = ["--unit", "500KB", "--files", "30", "-o", "PLAN"];
        let planned = pfh(&room, proxy.port, &words(&["plan", "--no-progress"], &last));
        assert_eq!(planned.code, one.code, "{}", planned.stderr);
        assert!(proxy.bytes() < 200_000, "{} bytes came", proxy.bytes());
        let sizes = sizes(&room);
        let full = |unit: &Vec<usize>| unit.len() == 1 || unit.iter().sum::<usize>() <= 500_000;
        assert!(sizes.len() > 2 && sizes.iter().all(full), "{sizes:?}");
        assert!(input.len() > 1 || sizes.contains(&vec![LARGE]), "{sizes:?}");
        for unit in (1..=sizes.len()).rev() {
            let seen = pfh(&room, server.port, &["run", "PLAN", "--no-progress", "--unit", &unit.to_string()]);
            assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        }
        // Nobody is spoken with any more.
        let merged = pfh(&room, 9, &["merge", "PLAN"]);
        assert_eq!(merged.code, one.code, "{}", merged.stderr);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&merged.stdout), text(&one.stdout));
        fs::remove_dir_all(room.path().join("PLAN")).unwrap();
    }
}

#[test]
fn objects_are_read_when_their_unit_runs() {
    if lacks(&[Need::Program("s3proxy"), Need::Program("curl")]) {
        return;
    }
    let room = Room::new();
    let server = Server::start(room.path());
    for n in 0..4 {
        put(&room, &server, &format!("{n}"), &random(n, 1000));
    }
    // More than is on its way at once. Parts requested before are still of the first.
    put(&room, &server, "large", &random(9, 4 * LARGE));
    let seen = pfh(&room, server.port, &["plan", "s3://bucket/pre", "-f", "jsonl", "-o", "PLAN"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    // One is another, one is gone, and one came later below the name of one that is there.
    put(&room, &server, "1", b"another");
    fs::remove_file(room.path().join("store/bucket/pre/2")).unwrap();
    put(&room, &server, "10", b"later");
    // Addresses start from nowhere: another directory will do.
    fs::create_dir(room.path().join("elsewhere")).unwrap();
    let endpoint = format!("AWS_ENDPOINT_URL=http://127.0.0.1:{}", server.port);
    let seen = pfh_inject::Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["run", "../PLAN", "--unit", "1", "--no-progress"])
        .directory(room.path().join("elsewhere"))
        .under(["env", &endpoint, "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "AWS_REGION=us-east-1"])
        .run()
        .unwrap();
    assert!(seen.code == Some(3) && seen.stderr.contains("s3://bucket/pre/2"), "{:?} {}", seen.code, seen.stderr);
    let merged = pfh(&room, 9, &["merge", "PLAN"]);
    assert_eq!(merged.code, Some(3), "{}", merged.stderr);
    let text = String::from_utf8_lossy(&merged.stdout).into_owned();
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| lines.iter().find(|line| line["path"] == format!("s3://bucket/pre/{name}"));
    assert_eq!(of("1").unwrap()["size"], 7, "{text}");
    assert_eq!(of("2").unwrap()["type"], "error", "{text}");
    assert!(of("10").is_none() && of("3").unwrap()["size"] == 1000, "{text}");

    // Replaced while its unit reads it: an error, and no digest.
    let other = room.file("other", &random(2, 4 * LARGE));
    let proxy = Proxy::start(server.port, Fault::Pause(6 << 20));
    std::thread::scope(|scope| {
        let run = scope.spawn(|| pfh(&room, proxy.port, &["run", "PLAN", "--unit", "1", "--again", "--no-progress"]));
        proxy.wait();
        server.put("bucket/pre/large", &other);
        proxy.resume();
        let seen = run.join().unwrap();
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        assert!(seen.stderr.contains("large: ") && seen.stderr.contains("replaced"), "{}", seen.stderr);
    });
}
