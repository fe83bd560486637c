//! Members of containers, without records of the containers of the input.
#![cfg(unix)]

use crate::program::{Room, random};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::ffi::OsStr;
use std::process::Command;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

/// A room with a tree in an ext4 image, an archive with another one in it, a plain file and a
/// volume that is encrypted.
fn case() -> Room {
    let room = Room::new();
    room.file("t/one", &random(1, 5000));
    room.file("t/two", &random(2, 300_001));
    room.file("plain", &random(3, 70_000));
    let line = "truncate -s 9M ext && mke2fs -q -F -t ext4 -d t ext && zip -q inner.zip plain \
        && zip -q outer.zip inner.zip t/one && rm inner.zip \
        && truncate -s 64k locked && printf '\\353X\\220-FVE-FS-' | dd of=locked conv=notrunc status=none";
    let output = Command::new("sh").args(["-c", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    room
}

fn lines(seen: &Outcome) -> Vec<String> {
    String::from_utf8_lossy(&seen.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn containers_of_the_input_are_left_out_and_nothing_else() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("zip")]) {
        return;
    }
    let room = case();
    let inputs = ["ext", "outer.zip", "plain", "locked"];
    let all = pfh(&room, [&["hash", "--inside"][..], &inputs].concat());
    assert_eq!(all.code, Some(3), "{}", all.stderr);
    assert!(all.stderr.contains("locked!/: is encrypted (BitLocker)"), "{}", all.stderr);
    let members = pfh(&room, [&["hash", "--inside", "--members"][..], &inputs].concat());
    assert_eq!(members.code, Some(3), "{}", members.stderr);
    assert!(members.stderr.starts_with("pfh: locked!/: is encrypted (BitLocker)\n"), "{}", members.stderr);
    let own = |line: &&String| line.ends_with("  ext") || line.ends_with("  outer.zip");
    let all = lines(&all);
    assert_eq!(all.iter().filter(own).count(), 2, "{all:?}");
    let wanted: Vec<String> = all.iter().filter(|line| !own(line)).cloned().collect();
    for name in ["ext!/two", "outer.zip!/inner.zip", "outer.zip!/inner.zip!/plain", "plain", "locked"] {
        assert!(wanted.iter().any(|line| line.ends_with(&format!("  {name}"))), "{name}: {wanted:?}");
    }
    assert_eq!(lines(&members), wanted);
}

#[test]
fn an_image_is_read_where_its_files_lie_and_what_was_written_is_checked() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("zip"), Need::Program("xmllint")]) {
        return;
    }
    let room = case();
    std::fs::create_dir(room.path().join("c")).unwrap();
    for name in ["ext", "outer.zip"] {
        std::fs::rename(room.path().join(name), room.path().join("c").join(name)).unwrap();
    }
    for (format, name) in [("sums", "list"), ("jsonl", "list.jsonl"), ("dfxml", "list.xml")] {
        let seen = pfh(&room, ["hash", "-r", "--inside", "--members", "-f", format, "-o", name, "c"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        for check in [&["check"][..], &["check", "--audit", "--inside", "--members", "--below", "c"]] {
            let checked = pfh(&room, [check, &[name]].concat());
            assert_eq!(checked.code, Some(0), "{format} {check:?}: {} {:?}", checked.stderr, lines(&checked));
        }
    }
    // An audit of the containers as well finds those that the list has not.
    let audited = pfh(&room, ["check", "--audit", "--inside", "--below", "c", "list"]);
    assert_eq!(audited.code, Some(1), "{}", audited.stderr);
    let new: Vec<String> = lines(&audited).into_iter().filter(|line| line.starts_with("new ")).collect();
    assert!(new.len() == 2 && new[0].ends_with("c/ext") && new[1].ends_with("c/outer.zip"), "{new:?}");
    // As images, and in the volumes of DFXML.
    let seen = pfh(&room, ["hash", "--image", "--inside", "--members", "-f", "dfxml", "c/ext"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let written = String::from_utf8_lossy(&seen.stdout).into_owned();
    let volume = &written[written.find("<volume").unwrap()..written.find("</volume>").unwrap()];
    assert!(volume.contains("ext!/one") && volume.contains("ext!/two"), "{written}");
    assert_eq!(written.matches("<fileobject").count(), volume.matches("<fileobject").count(), "{written}");
    // Without containers there is nothing to leave out.
    let seen = pfh(&room, ["hash", "--members", "plain"]);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert!(seen.stderr.contains("add --inside"), "{}", seen.stderr);
}

#[test]
fn unknown_parts_of_a_medium_are_not_read() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("zip"), Need::Program("strace")]) {
        return;
    }
    let room = case();
    let read = |arguments: &[&str]| {
        let trace = room.path().join("trace");
        let run = Command::new("strace")
            .args(["-f", "-y", "-e", "trace=pread64,read,preadv,readv", "-o"])
            .arg(&trace)
            .arg(env!("CARGO_BIN_EXE_pfh"))
            .args(arguments)
            .current_dir(room.path())
            .output()
            .expect("strace");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let lines = std::fs::read_to_string(&trace).unwrap();
        let image = lines.lines().filter(|line| line.contains("/ext>"));
        image.filter_map(|line| line.rsplit("= ").next()?.trim().parse::<u64>().ok()).sum::<u64>()
    };
    let all = read(&["hash", "--no-progress", "--inside", "ext"]);
    let members = read(&["hash", "--no-progress", "--inside", "--members", "ext"]);
    // The image has 9 MiB with some holes, its files 300 KB.
    assert!(all > 6 << 20, "{all}");
    assert!(members < 3 << 20, "{members} of {all}");
}
