//! Digests under a key: HMAC and keyed BLAKE3, beside OpenSSL and b3sum.

use crate::check::{Ended, run};
use crate::room::Room;
use crate::rows::{input, printed};
use pfh::check::{FileOutcome, Request, Task, Verdict};
use pfh::hash::{self, Manifest, Problem, Reuse};
use pfh::job::Kind;
use pfh::{Algorithm, Control, Secret, SecretError};
use pfh_inject::{Need, lacks};
use std::path::PathBuf;

const KEY: &str = "whats the Elvish word for friend";

fn room() -> Room {
    let room = Room::new();
    room.file("key", KEY);
    room.file("other", "whats the Elvish word for foe...");
    room.file("d/a", "abc");
    room.file("d/b", &[7; 300_000]);
    room
}

fn secret(room: &Room, name: &str) -> Secret {
    Secret::read(&room.at(name)).unwrap()
}

fn under(secret: &Secret, names: &str) -> Vec<Algorithm> {
    names.split(',').map(|name| secret.algorithm(name).unwrap()).collect()
}

/// The digest of a file of the room.
fn digest(room: &Room, algorithm: Algorithm, name: &str) -> String {
    algorithm.digest(&std::fs::read(room.at(name)).unwrap()).to_string()
}

/// The list of `d` by these algorithms under the secret.
fn list(room: &Room, secret: &Secret, names: &str, format: &str) -> PathBuf {
    let request = hash::Request::new(input(room, &["d"]), under(secret, names)).secret(Some(secret.clone()));
    let manifest = Manifest::new(room.at("m")).format(format.parse().unwrap(), Default::default());
    let written = hash::write(&request.replace(true), &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    assert_eq!((written.summary.run.hashed, written.unwritten), (2, 0));
    room.at("m")
}

fn first_word(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap().split_whitespace().next().unwrap().to_owned()
}

#[test]
fn as_openssl_and_b3sum_have_it() {
    if lacks(&[Need::Program("openssl"), Need::Program("b3sum")]) {
        return;
    }
    let room = room();
    let key = secret(&room, "key");
    let hex = pfh::hex::encode(KEY.as_bytes());
    for (ours, name) in [("hmac-sha1", "sha1"), ("hmac-sha256", "sha256"), ("hmac-sha3-512", "sha3-512")] {
        let theirs = printed(&room, &format!("openssl dgst -{name} -r -mac HMAC -macopt hexkey:{hex} d/b"));
        assert_eq!(digest(&room, key.algorithm(ours).unwrap(), "d/b"), first_word(theirs), "{ours}");
    }
    let theirs = first_word(printed(&room, "b3sum --keyed d/b <key"));
    assert_eq!(digest(&room, key.algorithm("blake3-keyed").unwrap(), "d/b"), theirs);
    let text = std::fs::read_to_string(list(&room, &key, "blake3-keyed", "bsd")).unwrap();
    assert!(text.contains(&format!("BLAKE3-KEYED ({}) = {theirs}\n", room.at("d/b").display())), "{text}");
}

#[test]
fn a_list_names_that_it_is_keyed_and_is_compared_with_the_key_alone() {
    let room = room();
    let (key, other) = (secret(&room, "key"), secret(&room, "other"));
    for format in ["sums", "bsd", "jsonl", "csv", "dfxml"] {
        for algorithm in ["hmac-sha256", "blake3-keyed", "blake3-keyed:20"] {
            let m = Request::new(list(&room, &key, algorithm, format));
            let text = String::from_utf8_lossy(&std::fs::read(room.at("m")).unwrap()).to_lowercase();
            assert!(text.contains(algorithm.split(':').next().unwrap()) && !text.contains("elvish"), "{text}");
            let ended = Ended::of(&m.clone().secret(Some(key.clone())));
            assert_eq!((ended.conclusion(), ended.summary.verified()), (Verdict::Verified, 2), "{format}");
            // Without the key nothing is compared, and that is said; with another one all differs.
            let ended = Ended::of(&m);
            assert_eq!((ended.conclusion(), ended.files.len()), (Verdict::NothingToCompareWith, 0), "{format}");
            let said = ended.not_compared();
            assert!(said.contains(&format!("2 lines of {algorithm} (which needs its key)")), "{format}: {said}");
            let ended = Ended::of(&m.clone().secret(Some(other.clone())));
            assert_eq!((ended.conclusion(), ended.names(FileOutcome::Wrong).len()), (Verdict::Differs, 2), "{format}");
            let audit = m.root(room.at("d")).task(Task::Audit { below: Vec::new(), follow: false });
            assert_eq!(Ended::of(&audit).conclusion(), Verdict::NothingToCompareWith);
            assert_eq!(Ended::of(&audit.secret(Some(key.clone()))).conclusion(), Verdict::Verified);
        }
    }
    // Beside a digest without a key, that one is compared.
    let both = Request::new(list(&room, &key, "md5,hmac-sha256", "jsonl"));
    let ended = Ended::of(&both);
    assert_eq!((ended.conclusion(), ended.algorithms()), (Verdict::Incomplete, vec!["md5".to_owned()]));
    assert!(ended.not_compared().contains("2 digests of hmac-sha256 (which needs its key) not compared"));
    let ended = Ended::of(&both.secret(Some(key.clone())));
    assert_eq!((ended.conclusion(), ended.algorithms()), (Verdict::Verified, vec!["hmac-sha256".into(), "md5".into()]));
    // A comparison of trees leaves it out as well.
    list(&room, &key, "hmac-sha256", "jsonl");
    let (summary, _) = crate::diff_sides::between(&room, "m", "d");
    assert!(!matches!(summary.verdict(), Verdict::Verified | Verdict::Differs), "{summary:?}");
}

/// A key of bytes is the same key as that of a file with them.
#[test]
fn a_key_of_bytes_is_that_of_a_file() {
    let room = room();
    let (file, bytes) = (secret(&room, "key"), Secret::new(KEY.as_bytes()));
    assert!(file.path().is_some() && bytes.path().is_none() && !format!("{bytes:?}").contains("Elvish"));
    for algorithm in ["hmac-sha256", "blake3-keyed"] {
        let [of_file, of_bytes] = [&file, &bytes].map(|secret| secret.algorithm(algorithm).unwrap());
        assert_eq!(of_file.digest(b"abc"), of_bytes.digest(b"abc"));
        assert_eq!(Secret::hasher(algorithm, KEY.as_bytes()).unwrap().finalize(), of_file.digest(b""));
    }
    assert!(matches!(Secret::hasher("blake3-keyed", b"short"), Err(SecretError::Unfit { .. })));
    for (name, words) in [("sha256", "sha256 takes no key"), ("blake3-derive-key", "a context"), ("sha257", "unknown")]
    {
        let error = Secret::hasher(name, b"key").unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    assert!(matches!(Secret::new(b"short").algorithm("blake3-keyed"), Err(SecretError::Unfit { .. })));
}

/// As a known set it is of no use, and says so.
#[cfg(feature = "known")]
#[test]
fn keyed_digests_are_not_a_known_set() {
    let room = room();
    list(&room, &secret(&room, "key"), "hmac-sha256", "jsonl");
    let request = crate::known_files::against(&room, &["m"], &["d/a"]);
    let answered = crate::known_files::Answered::of(&request);
    assert_eq!(answered.conclusion(&request, &[]), Verdict::NothingToCompareWith);
    assert!(answered.gaps.iter().any(|gap| gap.contains("needs its key")), "{:?}", answered.gaps);
}

#[test]
fn what_is_refused() {
    let room = room();
    room.file("empty", "");
    let key = secret(&room, "key");
    assert!("hmac-sha256".parse::<Algorithm>().unwrap_err().needs_key());
    let unfit = |name: &str, algorithm: &str| secret(&room, name).algorithm(algorithm).unwrap_err();
    assert!(matches!(unfit("empty", "hmac-sha256"), SecretError::Unfit { .. }));
    assert!(matches!(unfit("d/a", "blake3-keyed"), SecretError::Unfit { .. }));
    assert!(matches!(unfit("key", "blake3-derive-key"), SecretError::Other { .. }));
    assert!(matches!(Secret::context("a purpose").algorithm("hmac-sha256"), Err(SecretError::Other { .. })));
    assert!(matches!(Secret::context("").algorithm("blake3-derive-key"), Err(SecretError::Unfit { .. })));
    assert!(matches!(Secret::read(&room.at("d/b")), Err(SecretError::Long(_))));
    assert!(matches!(Secret::read(&room.at("none")), Err(SecretError::Read { .. })));
    let asked = |names: &str| hash::Request::new(input(&room, &["d/a"]), under(&key, names)).secret(Some(key.clone()));
    let error = asked("sha256").check().unwrap_err();
    assert!(matches!(error.find(), Some(Problem::UnusedSecret)), "{error}");
    let cached = asked("hmac-sha256").reuse(Some(Reuse { path: room.at("c"), sample: 0.0 }));
    let error = cached.check().unwrap_err();
    assert!(matches!(error.find(), Some(Problem::KeyedCache(_))), "{error}");
    let onto = Manifest::new(room.at("key"));
    let error = hash::write(&asked("hmac-sha256").replace(true), &onto, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert_eq!((error.kind(), std::fs::read_to_string(room.at("key")).unwrap().as_str()), (Kind::Request, KEY));
    let m = Request::new(list(&room, &key, "blake3-keyed", "sums")).secret(Some(secret(&room, "d/a")));
    let error = run(&m).0.unwrap_err();
    assert!(error.kind() == Kind::Request && error.to_string().contains("32 bytes"), "{error}");
}

/// Keys that BLAKE3 derives are those of b3sum, and verified under their context alone.
#[test]
fn derived_keys_are_b3sums() {
    if lacks(&[Need::Program("b3sum")]) {
        return;
    }
    let room = room();
    let context = "example.com 2026-11-22 sessions";
    let purpose = Secret::context(context);
    let m = Request::new(list(&room, &purpose, "blake3-derive-key", "sums"));
    let text = std::fs::read_to_string(room.at("m")).unwrap();
    for name in ["d/a", "d/b"] {
        let theirs = first_word(printed(&room, &format!("b3sum --derive-key '{context}' {name}")));
        assert!(text.contains(&format!("{theirs}  {}\n", room.at(name).display())), "{theirs} {text}");
    }
    // The list names the algorithm, and is compared with the context alone.
    assert!(text.contains("algorithms=blake3-derive-key"), "{text}");
    let with = |secret: Option<Secret>| Ended::of(&m.clone().secret(secret)).conclusion();
    assert_eq!(with(Some(purpose)), Verdict::Verified);
    assert_eq!(with(Some(Secret::context("another"))), Verdict::Differs);
    assert_eq!(with(None), Verdict::NothingToCompareWith);
}
