//! `pfh audit demo`, and keyed answers that are verified without the data.

use crate::program::Room;
use pfh_inject::{Outcome, Trial};
use serde_json::Value;
use std::fs;

fn pfh(room: &Room, words: &[&str]) -> Outcome {
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path());
    trial.limit(std::time::Duration::from_secs(120)).run().unwrap()
}

/// Figure 1 of Lopes et al.: without the data the plain challenge is answered, and ours is not.
#[test]
fn the_attack_of_the_figure_and_its_failure() {
    let room = Room::new();
    let seen = pfh(&room, &["audit", "demo", "--size", "1MiB", "--json"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let text = String::from_utf8(seen.stdout).unwrap();
    let scenes: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> = scenes.iter().map(|one| (&one["challenge"], &one["server"], &one["passes"])).collect();
    let expected = [
        ("plain", "honest", true),
        ("leaves", "honest", true),
        ("plain", "digests", true),
        ("leaves", "digests", false),
        ("leaves", "replay", false),
    ];
    assert_eq!(told.len(), expected.len());
    for ((challenge, server, passes), told) in expected.into_iter().zip(told) {
        assert_eq!((&Value::from(challenge), &Value::from(server), &Value::from(passes)), told);
    }
    let bytes = |at: usize, what: &str| scenes[at][what].as_u64().unwrap();
    // The server that cheats keeps 40 bytes of 1 MiB, and the traffic is small but for the leaves.
    assert_eq!((bytes(2, "keeps_bytes"), bytes(2, "answer_bytes")), (40, 32));
    assert!(bytes(0, "keeps_bytes") == 1 << 20 && bytes(1, "answer_bytes") > bytes(1, "question_bytes"));
    assert!(scenes[3]["reason"].is_string() && scenes[0]["reason"].is_null());

    let seen = pfh(&room, &["audit", "demo", "--size", "64KiB", "--leaves", "2"]);
    let text = String::from_utf8(seen.stdout).unwrap();
    assert_eq!(seen.code, Some(0), "{text}{}", seen.stderr);
    assert_eq!((text.matches("PASSES").count(), text.matches("REJECTED").count()), (3, 2), "{text}");
    assert_eq!(text.matches("  question ").count(), 5, "the traffic of each scene: {text}");
    for wrong in [&["--size", "100"][..], &["--size", "0"]] {
        assert_eq!(pfh(&room, &[&["audit", "demo"], wrong].concat()).code, Some(2), "{wrong:?}");
    }
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), 0, "nothing is left behind");
}

/// An honest keyed answer does not accuse its server for want of the data.
#[test]
fn a_keyed_answer_without_the_data_is_not_rejected() {
    let room = Room::new();
    room.file("disk", &crate::program::random(7, 100_000));
    for words in [
        &["tree", "build", "disk"][..],
        &["audit", "commit", "disk", "-o", "kept"],
        &["audit", "challenge", "kept", "-o", "asked"],
        &["audit", "prove", "--keyed", "asked", "disk", "-o", "answer"],
    ] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(0), "{words:?}: {}", seen.stderr);
    }
    let verify = ["audit", "verify", "kept", "asked", "answer"];
    let seen = pfh(&room, &verify);
    assert_eq!((seen.code, seen.stdout.len()), (Some(3), 0), "{}", seen.stderr);
    assert!(seen.stderr.contains("a keyed answer, which needs --data") && !seen.stderr.contains("REJECTED"));
    let seen = pfh(&room, &[&verify[..], &["--data", "disk"]].concat());
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    // Other bytes are an answer that proves nothing, as before.
    room.file("answer", &[0; 31]);
    assert_eq!(pfh(&room, &verify).code, Some(1));
    // So is the beginning of an answer that shows leaves.
    assert_eq!(pfh(&room, &["audit", "prove", "asked", "disk", "-o", "answer", "--force"]).code, Some(0));
    let whole = fs::read(room.path().join("answer")).unwrap();
    room.file("answer", &whole[..32]);
    assert_eq!(pfh(&room, &verify).code, Some(1));
}
