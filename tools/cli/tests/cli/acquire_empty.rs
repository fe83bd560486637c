//! Sources that give no byte: an image of 0 bytes is made of a regular file of 0 bytes, and of
//! nothing else.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, Zram, content, lacks};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

fn pfh(room: &Room, words: &str) -> Outcome {
    let words = words.split_whitespace();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().unwrap()
}

/// The command lines that read `source` into `image`.
fn commands(source: &str) -> [String; 2] {
    [format!("acquire --no-progress {source} --to image"), format!("dd if={source} of=image hash=md5")]
}

fn nothing_is_left(room: &Room, before: usize, words: &str) {
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), before, "{words} left something");
}

fn fifo(room: &Room, name: &str) {
    assert!(Command::new("mkfifo").arg(room.path().join(name)).status().unwrap().success());
}

/// D0: a pipe whose writer comes late is waited for, as GNU dd does.
#[test]
fn a_pipe_is_waited_for_until_it_has_a_writer() {
    for (number, words) in commands("pipe").iter().enumerate() {
        let room = Room::new();
        fifo(&room, "pipe");
        let bytes = content(number as u64, 2_100_000);
        let mut started = Command::new(env!("CARGO_BIN_EXE_pfh"))
            .args(words.split_whitespace())
            .current_dir(room.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(600));
        assert!(started.try_wait().unwrap().is_none(), "{words}: it ended without a writer");
        let mut writer = fs::OpenOptions::new().write(true).open(room.path().join("pipe")).unwrap();
        let (now, later) = bytes.split_at(1_000_000);
        writer.write_all(now).unwrap();
        sleep(Duration::from_millis(300));
        writer.write_all(later).unwrap();
        drop(writer);
        assert_eq!(started.wait().unwrap().code(), Some(0), "{words}");
        assert!(fs::read(room.path().join("image")).unwrap() == bytes, "{words}");
    }
}

#[test]
fn waiting_for_a_writer_ends_with_a_signal() {
    let room = Room::new();
    fifo(&room, "pipe");
    for words in commands("pipe") {
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path());
        let seen = trial.signal_once_caught(Duration::from_millis(200), 15).limit(Duration::from_secs(60)).run();
        assert_eq!(seen.unwrap().code, Some(143), "{words}");
        for name in ["image", "image.log", "image.log.jsonl"] {
            let _ = fs::remove_file(room.path().join(name));
        }
    }
    // One that has begun and writes no more.
    let mut writer = None;
    let path = room.path().join("pipe");
    let opened = std::thread::spawn(move || fs::OpenOptions::new().write(true).open(path).unwrap());
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["dd", "if=pipe", "of=image"]).directory(room.path());
    let seen = trial.signal_once_caught(Duration::from_millis(400), 2).limit(Duration::from_secs(60)).run().unwrap();
    writer.replace(opened.join().unwrap());
    assert_eq!(seen.code, Some(130), "{}", seen.stderr);
}

/// A stream that ended before its first byte is refused, not taken as a medium of 0 bytes.
#[test]
fn an_empty_stream_is_no_image() {
    let room = Room::new();
    fifo(&room, "pipe");
    for source in ["pipe", "/dev/null", "-"] {
        for words in commands(source) {
            let words = if source == "-" { words.replace("if=- ", "") } else { words };
            let path = room.path().join("pipe");
            let writer = (source == "pipe").then(|| std::thread::spawn(move || drop(fs::File::create(path))));
            let seen = pfh(&room, &words);
            writer.map(std::thread::JoinHandle::join);
            assert_eq!(seen.code, Some(4), "{words}: {}", seen.stderr);
            assert!(seen.stderr.contains("ended before its first byte"), "{words}: {}", seen.stderr);
            for name in ["image", "image.log", "image.log.jsonl"] {
                let _ = fs::remove_file(room.path().join(name));
            }
        }
    }
    // Nothing was asked for, and a file of 0 bytes is one.
    assert_eq!(pfh(&room, "dd if=/dev/null of=none count=0").code, Some(0));
    room.file("empty", b"");
    assert_eq!(pfh(&room, "acquire --no-progress empty --to copy").code, Some(0));
    assert_eq!(pfh(&room, "dd if=empty of=other").code, Some(0));
}

/// D4: a card reader without a card, a loop device without a file.
#[test]
fn a_device_without_a_medium_is_no_image() {
    if lacks(&[Need::Loop, Need::Zram]) {
        return;
    }
    let room = Room::new();
    let found = Command::new("losetup").arg("-f").output().unwrap();
    let free = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    let zram = Zram::add(1 << 20, 1 << 20).unwrap();
    let reset = format!("/sys/block/{}/reset", zram.path().file_name().unwrap().to_string_lossy());
    fs::write(reset, "1").unwrap();
    for device in [Path::new(&free), zram.path()] {
        for words in commands(&device.display().to_string()) {
            let seen = pfh(&room, &words);
            assert_eq!(seen.code, Some(3), "{words}: {}", seen.stderr);
            assert!(seen.stderr.contains("No medium found"), "{words}: {}", seen.stderr);
            nothing_is_left(&room, 0, &words);
        }
        let seen = pfh(&room, &format!("acquire --no-progress --image {} --to image", device.display()));
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        nothing_is_left(&room, 0, "acquire --image");
    }
}
