//! Keys in files of 64 digits: a private key that is given as the public one is named as such.
#![cfg(unix)]

use crate::audited::{committed, good, run};
use crate::program::Room;
use ed25519_dalek::{SigningKey, VerifyingKey};
use pfh_inject::{Outcome, Trial};

/// A private key whose digits are those of some public key as well, if that is asked for, or else
/// are none.
fn private(is_public_as_well: bool) -> SigningKey {
    let seeds = (1..=255_u8).map(|byte| [byte; 32]);
    let mut fitting = seeds.filter(|seed| VerifyingKey::from_bytes(seed).is_ok() == is_public_as_well);
    SigningKey::from_bytes(&fitting.next().expect("one in two is"))
}

fn digits(bytes: [u8; 32]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes `private` and `public`.
fn keys(room: &Room, key: &SigningKey) {
    secret(room.file("private", digits(key.to_bytes()).as_bytes()));
    room.file("public", digits(key.verifying_key().to_bytes()).as_bytes());
}

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().unwrap()
}

/// With the public key it holds; with the private one the command is refused, and the message holds
/// the public key and not the private.
fn assert_named(room: &Room, key: &SigningKey, is_public_as_well: bool, words: &str) {
    let seen = pfh(room, &words.replace("KEY", "public"));
    assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
    let seen = pfh(room, &words.replace("KEY", "private"));
    assert_eq!(seen.code, Some(2), "{words}: {}", seen.stderr);
    assert!(seen.stderr.contains("private key") && !seen.stderr.contains(&digits(key.to_bytes())), "{}", seen.stderr);
    let public = digits(key.verifying_key().to_bytes());
    assert_eq!(seen.stderr.contains(&public), is_public_as_well, "{}", seen.stderr);
}

/// A key that its owner alone can read: others are warned of.
fn secret(path: std::path::PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("its owner");
}

#[test]
fn a_private_key_given_as_the_public_one_is_named() {
    for is_public_as_well in [true, false] {
        let key = private(is_public_as_well);
        let (room, _) = committed("blake3", 100_000);
        keys(&room, &key);
        room.file("disk", b"abc");
        for words in ["hash disk -o list --seal --key private", "acquire disk --to image --key private --no-progress"] {
            let seen = pfh(&room, words);
            assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
        }
        good(&room, ["audit", "challenge", "kept", "-o", "c"]);
        good(&room, ["audit", "prove", "--key", "private", "c", "case/disk.img", "-o", "p"]);
        for words in
            ["check list --key KEY", "verify --log image.log.jsonl --key KEY", "audit verify kept c p --signed-by KEY"]
        {
            assert_named(&room, &key, is_public_as_well, words);
        }
        // Another private key has signed nothing of this: its digits are taken for a public key, as
        // far as they are one.
        room.file("private", digits([if is_public_as_well { 77 } else { 78 }; 32]).as_bytes());
        let seen = run(&room, ["verify", "--log", "image.log.jsonl", "--key", "private"]);
        assert!([Some(1), Some(2)].contains(&seen.code), "{}", seen.stderr);
    }
}
