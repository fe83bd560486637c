//! Outputs that lie on the source by way of devices: loop devices, partitions, file systems that
//! are mounted from it.
#![cfg(unix)]

use crate::program::{MIB, Room};
use pfh_inject::{Loop, Need, Outcome, Trial, content, lacks};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path()).run().unwrap()
}

fn run(program: &str, words: &[&str]) {
    let output = Command::new(program).args(words).output().expect(program);
    assert!(output.status.success(), "{program} {words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An ext4 file system on a device, unmounted when dropped. The kernel writes nothing of its own
/// accord: neither when a directory is listed nor to tables that are still to be made.
struct Mounted(PathBuf);

impl Mounted {
    fn new(device: &Path, at: PathBuf) -> Mounted {
        fs::create_dir_all(&at).unwrap();
        run("mount", &["-o", "noatime,noinit_itable", device.to_str().unwrap(), at.to_str().unwrap()]);
        Mounted(at)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

fn refused(room: &Room, words: &str, source: &Path) {
    let before = fs::read(source).unwrap();
    let names = |at: &Path| fs::read_dir(at).unwrap().flatten().map(|entry| entry.path()).collect::<Vec<_>>();
    let files = names(room.path());
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(2), "pfh {words}: {}", seen.stderr);
    assert!(fs::read(source).unwrap() == before, "pfh {words} changed the source");
    assert_eq!(names(room.path()), files, "pfh {words} left something");
}

#[test]
fn a_loop_device_and_its_file_are_one() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let source = room.file("disk", &content(1, MIB));
    let (one, two) = (Loop::attach(&source, &[]).unwrap(), Loop::attach(&source, &["-r"]).unwrap());
    let (one, two) = (one.path().display(), two.path().display());
    for words in [
        format!("acquire {one} --to new --log {one}"),
        format!("acquire {one} --to new --log disk --force"),
        format!("acquire {one} --to new --map disk --force"),
        format!("acquire {one} --to new --outboard disk --force"),
        format!("acquire {one} --to new --case-uco disk --force"),
        format!("acquire disk --to {one} --force"),
        format!("acquire {two} --to {one} --force"),
        format!("acquire {one} --to disk --force"),
        format!("dd if={two} of={one}"),
        format!("dd if={two} of=/dev/null hash=md5 hashlog=disk --force"),
        format!("dd if=disk of={one} conv=notrunc"),
        format!("hash --special {one} -o disk --force"),
    ] {
        refused(&room, &words, &source);
    }
}

#[test]
fn a_target_on_a_file_system_of_the_source_is_refused() {
    if lacks(&[Need::Loop, Need::Program("mkfs.ext4")]) {
        return;
    }
    let room = Room::new();
    let source = room.file("disk", &[]);
    fs::OpenOptions::new().write(true).open(&source).unwrap().set_len(16 * MIB).unwrap();
    run("mkfs.ext4", &["-q", source.to_str().unwrap()]);
    let device = Loop::attach(&source, &[]).unwrap();
    let mounted = Mounted::new(device.path(), room.path().join("mounted"));
    fs::create_dir(mounted.0.join("below")).unwrap();
    std::os::unix::fs::symlink("mounted/below/new", room.path().join("dangling")).unwrap();
    let device = device.path().display();
    run("sync", &["-f", mounted.0.to_str().unwrap()]);
    for words in [
        format!("acquire {device} --to mounted/new"),
        format!("acquire {device} --to mounted/below/new --force"),
        "acquire disk --to mounted/new".to_owned(),
        format!("acquire {device} --to dangling"),
        format!("acquire {device} --to new --log mounted/log"),
        format!("acquire {device} --to new --map mounted/map"),
        format!("acquire {device} --to new --outboard mounted/tree"),
        format!("dd if={device} of=mounted/new"),
        format!("dd if={device} of=/dev/null errlog=mounted/errors"),
        format!("hash --special {device} -o mounted/sums"),
        format!("hash --special {device} --cache mounted/cache"),
    ] {
        refused(&room, &words, &source);
        assert_eq!(fs::read_dir(&mounted.0).unwrap().count(), 2, "{words}: lost+found and below");
    }
    // A file on the file system may be read, and the output beside it.
    fs::write(mounted.0.join("file"), "text").unwrap();
    assert_eq!(pfh(&room, "hash mounted/file -o mounted/sums").code, Some(0));
}

#[test]
fn a_partition_and_its_disk_overlap_and_two_partitions_do_not() {
    if lacks(&[Need::Loop, Need::Program("sfdisk"), Need::Program("partx")]) {
        return;
    }
    let room = Room::new();
    let source = room.file("disk", &vec![0; 16 * MIB as usize]);
    let script = "printf '2048,8192\\n10240,8192\\n' | sfdisk -q \"$1\"";
    assert!(Command::new("sh").args(["-c", script, "sh"]).arg(&source).output().unwrap().status.success());
    let device = Loop::attach(&source, &["--partscan"]).unwrap();
    let disk = device.path().display();
    let (first, second) = (format!("{disk}p1"), format!("{disk}p2"));
    if !Path::new(&first).exists() || !Path::new(&second).exists() {
        println!("skipped: no device nodes for partitions of loop devices");
        return;
    }
    for words in [
        format!("acquire {disk} --to {first} --force --log log --map map"),
        format!("acquire {first} --to {disk} --force --log log --map map"),
        format!("acquire disk --to {second} --force --log log --map map"),
        format!("dd if={first} of=disk conv=notrunc"),
    ] {
        refused(&room, &words, &source);
    }
    let seen = pfh(&room, &format!("acquire {first} --to {second} --log log --map map"));
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

/// Refused, and the same command again: the first run must not make the second one believe that the
/// image is its own.
#[test]
fn a_refused_acquisition_is_refused_again() {
    let room = Room::new();
    room.file("source", &content(1, MIB));
    for (name, options) in [("image.dd", ""), ("image.E01", ""), ("image", "--split 300000")] {
        let file = if options.is_empty() { name.to_owned() } else { format!("{name}.000") };
        room.file(&file, b"precious");
        let words = format!("acquire source --to {name} {options}");
        for _ in 0..3 {
            let seen = pfh(&room, &words);
            assert_eq!(seen.code, Some(2), "{words}: {}", seen.stderr);
            assert_eq!(fs::read(room.path().join(&file)).unwrap(), b"precious", "{words}");
        }
        // A map that an earlier run left beside it does not name it, so it stays all the same.
        assert_eq!(pfh(&room, &format!("acquire source --to {name}.other --map {name}.map")).code, Some(0));
        let seen = pfh(&room, &format!("acquire source --to {name} --map {name}.map --log fresh {options}"));
        assert_eq!(seen.code, Some(2), "{}", seen.stderr);
        assert_eq!(fs::read(room.path().join(&file)).unwrap(), b"precious");
    }
}
