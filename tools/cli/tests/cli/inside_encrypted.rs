//! `--passwords` and `--volume-key`: the commands that open encrypted volumes, their sentences and
//! exits.
#![cfg(unix)]

use crate::program::trees::text;
use crate::program::{Room, pfh};
use pfh_inject::{Need, lacks};
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// As malware is passed on.
#[test]
fn a_zip_under_a_password_is_opened_like_a_volume() {
    if lacks(&[Need::Program("7z"), Need::Program("zip")]) {
        return;
    }
    let room = Room::new();
    room.file("sample.exe", b"MZ and more\n");
    room.file("keys", b"infected\n");
    let make = "zip -q -P infected one.zip sample.exe && 7z a -bd -pinfected -mem=AES256 two.zip sample.exe";
    assert!(
        Command::new("sh")
            .args(["-c", make])
            .current_dir(room.path())
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    for zip in ["one.zip", "two.zip"] {
        let seen = pfh(&room, &format!("hash --inside {zip}"));
        assert!(
            seen.code == Some(3) && seen.stderr.contains("a password opens it (--passwords FILE"),
            "{}",
            seen.stderr
        );
        let seen = pfh(&room, &format!("hash --inside --passwords keys -o {zip}.pfh {zip}"));
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert_eq!(pfh(&room, &format!("check --inside --passwords keys {zip}.pfh")).code, Some(0));
        assert_eq!(pfh(&room, &format!("check --inside {zip}.pfh")).code, Some(3));
        let seen = pfh(&room, &format!("cat --passwords keys {zip}!/sample.exe"));
        assert_eq!((seen.code, &seen.stdout[..]), (Some(0), &b"MZ and more\n"[..]), "{}", seen.stderr);
        room.file("wrong", b"other\n");
        let seen = pfh(&room, &format!("hash --inside --passwords wrong {zip}"));
        // A wrong one seems to fit the traditional cipher now and then, whose salt is random.
        let is_said = seen.stderr.contains("none of the passwords opens it")
            || zip == "one.zip" && seen.stderr.contains("or the password is wrong");
        assert!(seen.code == Some(3) && is_said, "{}", seen.stderr);
    }
}

/// Of many wrong passwords some seem to fit: each is named as a doubt, and none gives content.
#[test]
fn a_wrong_password_that_seems_to_fit_is_doubted() {
    if lacks(&[Need::Program("zip")]) {
        return;
    }
    let room = Room::new();
    room.file("sample.exe", b"MZ and more\n");
    let make = ["-c", "zip -q -P infected one.zip sample.exe"];
    assert!(Command::new("sh").args(make).current_dir(room.path()).status().unwrap().success());
    let wrong: String = (0..3000).map(|number| format!("w{number}\n")).collect();
    room.file("wrong", wrong.as_bytes());
    let seen = pfh(&room, "hash --inside --passwords wrong one.zip");
    assert!(seen.code == Some(3) && seen.stderr.contains("or the password is wrong"), "{}", seen.stderr);
    room.file("wrong", (wrong + "infected\n").as_bytes());
    let seen = pfh(&room, "cat --passwords wrong one.zip!/sample.exe");
    assert_eq!((seen.code, &seen.stdout[..]), (Some(0), &b"MZ and more\n"[..]), "{}", seen.stderr);
}

#[test]
fn keys_are_given_in_files_to_every_command() {
    if lacks(&[Need::Program("cryptsetup"), Need::Program("mke2fs")]) {
        return;
    }
    let room = Room::new();
    room.file("t/one", b"the one file\n");
    room.file("keys", b"wrong\r\ncorrect horse\n");
    room.file("pass", b"correct horse");
    let make = "truncate -s 48M luks && mke2fs -q -F -t ext4 -d t luks 16M && cryptsetup reencrypt --encrypt --type luks2 \
                --reduce-device-size 32M --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file pass luks";
    assert!(Command::new("bash").args(["-c", make]).current_dir(room.path()).status().unwrap().success());

    let seen = pfh(&room, "list luks");
    let said = "luks!/: is encrypted (LUKS): opens with a passphrase or a key file; no such key was given";
    assert!(seen.code == Some(3) && seen.stderr.contains(said), "{}", seen.stderr);
    for keys in ["--passwords keys", "--volume-key pass", "--volume-key keys --volume-key pass"] {
        let seen = pfh(&room, &format!("list {keys} luks"));
        assert!(seen.code == Some(0) && text(&seen).contains("one"), "{keys}: {seen:?}");
    }
    // The list is read back, with the same keys.
    assert_eq!(pfh(&room, "hash --inside --passwords keys -o list.pfh luks").code, Some(0));
    assert_eq!(pfh(&room, "check --inside --passwords keys list.pfh").code, Some(0));
    assert_eq!(pfh(&room, "check list.pfh").code, Some(3));
    assert_eq!(pfh(&room, "diff --inside --passwords keys t luks").code, Some(0));
    let list = std::fs::read_to_string(room.path().join("list.pfh")).unwrap();
    assert!(!list.contains("horse") && list.contains("luks!/one"), "{list}");

    for (words, code, sentence) in [
        ("hash --passwords keys luks", 2, "add --inside"),
        ("hash --inside --passwords nowhere luks", 3, "nowhere: No such file"),
        ("hash --inside --volume-key nowhere luks", 3, "nowhere: No such file"),
        ("hash --inside --passwords keys --force -o keys luks", 2, "keys"),
        // Nobody is there to ask.
        ("list --ask-password luks", 2, "--ask-password: needs a terminal"),
        ("hash --ask-password luks", 2, "add --inside"),
    ] {
        let seen = pfh(&room, words);
        assert!(seen.code == Some(code) && seen.stderr.contains(sentence), "{words}: {seen:?}");
    }
    assert_eq!(std::fs::read(room.path().join("keys")).unwrap(), b"wrong\r\ncorrect horse\n");

    // At a terminal, which does not show the password.
    if lacks(&[Need::Program("script")]) {
        return;
    }
    for (typed, code) in [("correct horse", 0), ("correct horses", 3), ("", 2)] {
        let command = format!("{} list --ask-password luks > listed", env!("CARGO_BIN_EXE_pfh"));
        let _ = std::fs::remove_file(room.path().join("seen"));
        let mut script = Command::new("script");
        script.args(["-qefc", &command, "seen"]).current_dir(room.path());
        let mut child = script.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        // The terminal shows typed text until the program has asked and stopped it.
        let mut typing = child.stdin.take().unwrap();
        while !std::fs::read(room.path().join("seen")).is_ok_and(|seen| seen.ends_with(b"volumes: ")) {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it asked");
            sleep(Duration::from_millis(20));
        }
        sleep(Duration::from_millis(500));
        writeln!(typing, "{typed}").unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{typed:?}");
        drop(typing);
        let seen = String::from_utf8_lossy(&std::fs::read(room.path().join("seen")).unwrap()).into_owned();
        assert!(seen.contains("Password of encrypted volumes: ") && !seen.contains("horse"), "{seen}");
        let listed = std::fs::read_to_string(room.path().join("listed")).unwrap();
        assert_eq!(listed.contains("luks!/one"), code == 0, "{listed}");
    }
}
