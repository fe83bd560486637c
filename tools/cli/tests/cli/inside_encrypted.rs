//! `--passwords` and `--volume-key`: the commands that open encrypted volumes, their sentences and
//! exits.

use crate::program::trees::text;
use crate::program::{Room, pfh};
use pfh_inject::{Need, lacks};
use std::process::Command;

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
    ] {
        let seen = pfh(&room, words);
        assert!(seen.code == Some(code) && seen.stderr.contains(sentence), "{words}: {seen:?}");
    }
    assert_eq!(std::fs::read(room.path().join("keys")).unwrap(), b"wrong\r\ncorrect horse\n");
}
