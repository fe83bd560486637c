//! Files that differ are read a second time, and the conclusion names the fault.
#![cfg(unix)]

use crate::program::{Room, pfh, sha256};
use pfh_inject::{Errno, File, Files, Loop, Need, Outcome, Trial, content, lacks};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A list of these contents under names in a directory, and a check of it that prints JSON.
fn check(room: &Room, root: &Path, listed: &[(&str, &[u8])], options: &[&str]) -> Outcome {
    let lines: String = listed.iter().map(|(name, bytes)| format!("SHA256 ({name}) = {}\n", sha256(bytes))).collect();
    let list = room.file("list", lines.as_bytes());
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).arg("check").args(options).arg(list).arg(root);
    trial.run().unwrap()
}

fn rows(seen: &Outcome) -> Vec<Value> {
    seen.lines().iter().map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// The same content with one bit of one byte turned.
fn turned(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut other = bytes.to_vec();
    other[at] ^= 0x10;
    other
}

/// Five files that differ at the first read, each for another reason, and one that does not.
#[test]
fn each_conclusion_has_its_witness() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    for size in [1, 4096, 300_000, 3_000_001] {
        let room = Room::new();
        let truth = content(7, size);
        let [one, other] = [0, truth.len() - 1].map(|at| turned(&truth, at));
        let other = if one == other { turned(&turned(&truth, 0), 0).iter().map(|byte| !byte).collect() } else { other };
        let listed = ["changing", "once", "other", "right", "same", "unread"];
        let files = Files::new()
            .with(File::of("changing", one.clone()).then(truth.clone()).then_touched())
            .with(File::of("once", one.clone()).then(truth.clone()))
            .with(File::of("other", one.clone()).then(other.clone()))
            .with(File::of("right", truth.clone()))
            .with(File::of("same", one.clone()))
            .with(File::of("unread", one.clone()).then_fails(Errno::EIO));
        let mounted = files.mount().unwrap();
        let listed = listed.map(|name| (name, &truth[..]));
        let seen = check(&room, mounted.path(), &listed, &["--json"]);
        assert_eq!(seen.code, Some(1), "{size}: {}", seen.stderr);
        let rows = rows(&seen);
        for (row, (name, _)) in rows.iter().zip(listed) {
            assert_eq!(row["path"], name);
            if name == "right" {
                assert_eq!((&row["result"], row.get("reread")), (&Value::from("ok"), None));
                continue;
            }
            let reread = &row["reread"];
            assert_eq!((&row["result"], &reread["outcome"]), (&Value::from("failed"), &Value::from(name)), "{row}");
            assert_eq!(reread["first"]["sha256"], sha256(&one), "{row}");
            let second = match name {
                "unread" => Value::Null,
                "same" => sha256(&one).into(),
                "other" => sha256(&other).into(),
                _ => sha256(&truth).into(),
            };
            assert_eq!(reread["second"].get("sha256").cloned().unwrap_or_default(), second, "{row}");
        }
        let summary = rows.last().unwrap();
        let each = serde_json::json!({"changing": 1, "once": 1, "other": 1, "same": 1, "unread": 1});
        assert_eq!((&summary["reread"], &summary["failed"]), (&each, &Value::from(5)), "{summary}");
        for words in ["once: differed once: cable or memory; first read: sha256", "1 differed both times"] {
            assert!(seen.stderr.contains(words), "{words}: {}", seen.stderr);
        }
    }
}

/// A read that lied once fails alone as well, in each form; `--once` reads nothing twice.
#[test]
fn a_lie_is_never_a_success() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let truth = content(3, 70_000);
    for (options, code) in [(&["--json"][..], 1), (&[], 1), (&["--status"], 1), (&["--json", "--once"], 1)] {
        let room = Room::new();
        let lying = File::of("a", turned(&truth, 5)).then(truth.clone());
        let mounted = Files::new().with(lying).mount().unwrap();
        let seen = check(&room, mounted.path(), &[("a", &truth)], options);
        assert_eq!(seen.code, Some(code), "{options:?}: {}", seen.stderr);
        let is_once = options.contains(&"--once");
        let says = seen.stderr.contains("differed once: cable or memory");
        assert_eq!(says, !is_once && !options.contains(&"--status"), "{options:?}: {}", seen.stderr);
        if is_once {
            assert_eq!(rows(&seen)[0].get("reread"), None);
        }
    }
}

/// An audit says it of files that are not as their name is listed.
#[test]
fn audits_read_twice() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let truth = content(3, 9_000);
    let room = Room::new();
    let files = || {
        let lying = File::of("a", turned(&truth, 5)).then(truth.clone());
        Files::new().with(lying).with(File::of("b", truth.clone())).mount().unwrap()
    };
    let mounted = files();
    let seen = check(&room, mounted.path(), &[("a", &truth), ("b", &truth)], &["--audit", "--json"]);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    let found = rows(&seen);
    assert_eq!((&found[0]["class"], &found[0]["reread"]["outcome"]), (&"modified".into(), &"once".into()), "{found:?}");
    assert_eq!(found.last().unwrap()["reread"]["once"], 1);
    let mounted = files();
    let seen = check(&room, mounted.path(), &[("a", &truth), ("b", &truth)], &["--audit"]);
    assert!(String::from_utf8_lossy(&seen.stdout).contains("differed once: cable or memory"), "{}", seen.stderr);
}

/// A digest of 64 digits may be of several algorithms, which a second read tries: what was wrong by
/// SHA-256 first and is right by SHA-256 then does not succeed, with `--once` either.
#[test]
fn the_trial_of_algorithms_believes_no_other_bytes() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let truth = content(3, 9_000);
    for (options, last) in [(&["--json"][..], "same"), (&["--json", "--once"], "")] {
        let room = Room::new();
        let lying = File::of("a", turned(&truth, 5)).then(truth.clone());
        let other = File::of("b", turned(&truth, 5)).then(turned(&truth, 9));
        let wrong = File::of("c", turned(&truth, 5));
        let mounted = Files::new().with(lying).with(other).with(wrong).mount().unwrap();
        let lines: String = ["a", "b", "c"].iter().map(|name| format!("{}  {name}\n", sha256(&truth))).collect();
        let list = room.file("plain", lines.as_bytes());
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).arg("check").args(options).arg(list).arg(mounted.path());
        let seen = trial.run().unwrap();
        let found = rows(&seen);
        assert_eq!(seen.code, Some(1), "{}", seen.stderr);
        for (row, outcome) in found.iter().zip(["once", "other", last]) {
            assert_eq!(
                (&row["result"], row["reread"]["outcome"].as_str().unwrap_or_default()),
                (&"failed".into(), outcome),
                "{row}"
            );
        }
        assert_eq!(found[0]["reread"]["first"]["sha256"], sha256(&turned(&truth, 5)));
        assert_eq!(found[0]["reread"]["second"]["sha256"], sha256(&truth));
    }
}

/// Where the size, an absence or an error says all, nothing is read a second time, nor behind 100
/// files that differ both times.
#[test]
fn a_second_read_is_bounded() {
    let room = Room::new();
    let root = room.path().join("d");
    fs::create_dir(&root).unwrap();
    let list: String = (0..130)
        .map(|number| {
            fs::write(root.join(format!("{number:03}")), format!("{number}")).unwrap();
            format!("SHA256 ({number:03}) = {}\n", sha256(b"other"))
        })
        .collect();
    room.file("list", list.as_bytes());
    let seen = pfh(&room, "check --json list d");
    let summary = rows(&seen).pop().unwrap();
    assert_eq!((seen.code, &summary["failed"], &summary["reread"]["same"]), (Some(1), &130.into(), &100.into()));
    room.file("sized", format!("{{\"path\":\"000\",\"size\":7,\"sha256\":\"{}\"}}\n", sha256(b"other!!")).as_bytes());
    let seen = pfh(&room, "check --json sized d");
    let found = rows(&seen);
    assert_eq!((&found[0]["result"], found[0].get("reread")), (&"failed".into(), None), "{found:?}");
}

/// The first read comes from the page cache, the second from the disk below: they differ where the
/// disk does. No answer of the cache can stand for it.
#[test]
fn the_second_read_goes_past_the_page_cache() {
    if lacks(&[Need::Root, Need::Program("mkfs.ext4"), Need::Program("losetup")]) {
        return;
    }
    let room = Room::new();
    let (truth, wrong) = (content(9, 200_000), turned(&content(9, 200_000), 100_000));
    let image = room.path().join("image");
    fs::File::create(&image).unwrap().set_len(16 << 20).unwrap();
    let is_done = |command: &mut Command| assert!(command.output().unwrap().status.success(), "{command:?}");
    is_done(Command::new("mkfs.ext4").arg("-q").arg(&image));
    let device = Loop::attach(&image, &["--direct-io=on"]).or_else(|_| Loop::attach(&image, &[])).unwrap();
    let place = room.path().join("m");
    fs::create_dir(&place).unwrap();
    is_done(Command::new("mount").arg(device.path()).arg(&place));
    struct Mount<'a>(&'a Path);
    impl Drop for Mount<'_> {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg(self.0).status();
        }
    }
    let _mount = Mount(&place);
    fs::write(place.join("a"), &wrong).unwrap();
    is_done(Command::new("sync").arg("-f").arg(place.join("a")));
    // The bytes on the disk become the truth, below a cache that keeps the wrong ones.
    assert_eq!(fs::read(place.join("a")).unwrap(), wrong);
    let disk = fs::read(&image).unwrap();
    let at = disk.windows(64).position(|window| window == &wrong[99_968..100_032]).expect("the bytes of the file");
    {
        use std::os::unix::fs::FileExt;
        let file = fs::OpenOptions::new().write(true).open(&image).unwrap();
        file.write_all_at(&truth[99_968..100_032], at as u64).unwrap();
        file.sync_all().unwrap();
    }
    let seen = check(&room, &place, &[("a", &truth)], &["--json"]);
    let found = rows(&seen);
    let reread = &found[0]["reread"];
    assert_eq!(reread["first"]["sha256"], sha256(&wrong), "the page cache no longer had it: {found:?}");
    assert_eq!((seen.code, &reread["outcome"]), (Some(1), &"once".into()), "{found:?}");
    assert_eq!((&reread["second"]["sha256"], &reread["uncached"]), (&sha256(&truth).into(), &true.into()));
}

/// An image, raw and E01, whose bytes came wrong once, and one that holds other bytes: `verify`
/// tells them apart, and neither is verified.
#[test]
fn images_are_verified_by_two_reads() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let room = Room::new();
    room.file("source", &content(4, 3_000_000));
    fs::create_dir(room.path().join("made")).unwrap();
    let made = pfh(&room, "acquire source --to made/i.dd --to made/i.E01 --no-progress -a sha256");
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let read = |name: &str| fs::read(room.path().join("made").join(name)).unwrap();
    for name in ["i.dd", "i.E01"] {
        let (bytes, middle) = (read(name), read(name).len() / 2);
        let stated = format!("SHA256 ({name}) = {}\n", sha256(&bytes));
        let files = |image: File| {
            let beside = File::of(format!("{name}.sha256"), stated.clone().into_bytes());
            Files::new().with(image).with(beside).mount().unwrap()
        };
        let verify = |root: &Path, options: &[&str]| {
            let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["verify", "--no-progress"]).args(options);
            trial.arg(root.join(name)).run().unwrap()
        };
        let sound = files(File::of(name, bytes.clone()));
        let seen = verify(sound.path(), &["--json"]);
        assert_eq!(
            (seen.code, &rows(&seen)[0]["reread"]),
            (Some(0), &serde_json::json!([])),
            "{name}: {}",
            seen.stderr
        );
        let lying = files(File::of(name, bytes.clone()).flips_once(middle as u64));
        let seen = verify(lying.path(), &["--json"]);
        let found = &rows(&seen)[0];
        assert_eq!((seen.code, &found["verified"]), (Some(1), &false.into()), "{name}: {found}");
        assert_eq!(found["reread"][0]["outcome"], "once", "{name}: {found}");
        let digest = if name == "i.dd" { sha256(&bytes) } else { sha256(&content(4, 3_000_000)) };
        let second =
            &found["reread"].as_array().unwrap().iter().map(|one| one["second"]["sha256"].clone()).collect::<Vec<_>>();
        assert!(second.contains(&digest.into()) || second.contains(&sha256(&bytes).into()), "{name}: {found}");
        let lying = files(File::of(name, bytes.clone()).flips_once(middle as u64));
        let seen = verify(lying.path(), &[]);
        assert!(seen.code == Some(1) && seen.stderr.contains("differed once: cable or memory"), "{}", seen.stderr);
        let wrong = files(File::of(name, turned(&bytes, middle)));
        let seen = verify(wrong.path(), &["--json"]);
        let found = &rows(&seen)[0];
        assert_eq!((seen.code, &found["reread"][0]["outcome"]), (Some(1), &"same".into()), "{name}: {found}");
        let seen = verify(wrong.path(), &["--json", "--once"]);
        assert_eq!((seen.code, &rows(&seen)[0]["reread"]), (Some(1), &serde_json::json!([])), "{name}");
    }
}
