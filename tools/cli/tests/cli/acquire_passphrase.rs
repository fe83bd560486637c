//! Encrypted keys: their passphrase is typed on a terminal and not shown there.
#![cfg(unix)]

use crate::program::{MIB, Room};
use pfh_inject::{Need, Trial, content, lacks};
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// The private key of RFC 8410 (10.3) under the passphrase `secret`, as OpenSSL 3.0 wrote it
/// (`openssl pkcs8 -topk8 -v2 aes256`); and its public half.
const ENCRYPTED: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhbug7jlyoKfQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELbCz2hg0/QgBrE1f5DrVqgEQO8N
mc0a7HnU4ng7KAUTsbV+U4NaIJOGk2UrKJBLaFmnd0p0cC19jTPCCaVJHIrxF2ft
nINSSfzDjb916S5kytQ=
-----END ENCRYPTED PRIVATE KEY-----
";
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";

/// Runs the program on a terminal of its own (script(1)) and types `keys` when it asks. Gives the
/// exit code and the text on the terminal.
fn typed(room: &Room, words: &str, keys: &[u8]) -> (Option<i32>, String) {
    let command = format!("{} {words}", env!("CARGO_BIN_EXE_pfh"));
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .current_dir(room.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut shown, mut byte) = (Vec::new(), [0]);
    // The question itself: text typed before it is discarded.
    while !shown.ends_with(b"Passphrase of key.pem: ") && output.read(&mut byte).unwrap() == 1 {
        shown.extend(byte);
    }
    input.write_all(keys).unwrap();
    output.read_to_end(&mut shown).unwrap();
    drop(input);
    (child.wait().unwrap().code(), String::from_utf8_lossy(&shown).into_owned())
}

fn pfh(room: &Room, words: &str) -> pfh_inject::Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().unwrap()
}

fn prepared() -> Room {
    let room = Room::new();
    room.file("disk", &content(51, MIB));
    room.file("key.pem", ENCRYPTED.as_bytes());
    room.file("public.pem", PUBLIC.as_bytes());
    room
}

#[test]
fn a_passphrase_is_asked_for_on_the_terminal_and_not_shown() {
    if lacks(&[Need::Program("script")]) {
        return;
    }
    let room = prepared();
    let (code, shown) = typed(&room, "acquire disk --to image --key key.pem --no-progress", b"secret\n");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("Passphrase of key.pem: ") && !shown.contains("secret"), "{shown}");
    assert_eq!(pfh(&room, "verify --log image.log.jsonl --key public.pem").code, Some(0));
    // A seal looks at its key before the run and signs behind it: it is asked for once.
    let (code, shown) = typed(&room, "hash disk -o list --seal --key key.pem --no-progress", b"secreX\x7ft\n");
    assert_eq!((code, shown.matches("Passphrase").count()), (Some(0), 1), "{shown}");
    assert_eq!(pfh(&room, "check list --key public.pem").code, Some(0));
}

#[test]
fn a_wrong_passphrase_and_a_cancelled_question_write_nothing() {
    if lacks(&[Need::Program("script")]) {
        return;
    }
    let room = prepared();
    for (keys, said) in [(&b"wrong\n"[..], "the passphrase is wrong"), (b"sec\x03", "cancelled")] {
        let (code, shown) = typed(&room, "acquire disk --to image --key key.pem --no-progress", keys);
        assert_eq!(code, Some(2), "{shown}");
        assert!(shown.contains(said) && !shown.contains("sec\x03"), "{shown}");
    }
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), 3);
}

#[test]
fn without_a_terminal_an_encrypted_key_is_refused() {
    if lacks(&[Need::Program("setsid")]) {
        return;
    }
    let room = prepared();
    let words = ["acquire", "disk", "--to", "image", "--key", "key.pem", "--no-progress"];
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path());
    let seen = trial.under(["setsid", "--wait"]).input(b"secret\n".to_vec()).run().unwrap();
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert!(seen.stderr.contains("there is no terminal"), "{}", seen.stderr);
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), 3);
}
