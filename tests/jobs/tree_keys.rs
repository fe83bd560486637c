//! Trees under keys: the verbs, audits and proofs with the key, without it and with another.

use crate::room::Room;
use crate::trees::{build, tree_of};
use pfh::audit::{self, Status, challenge, commit, renew};
use pfh::job::{Error, Kind};
use pfh::tree::check::{self, Must};
use pfh::tree::update::{self, ChangedParts};
use pfh::tree::{Failure, Function, Problem, TreeKeyError, append, build as verb, diff, prove, verify};
use pfh::{Control, Secret, SecretError};
use pfh_inject::{Need, lacks, random};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

const KEY: &str = "whats the Elvish word for friend";

fn room() -> Room {
    let room = Room::new();
    room.file("key", KEY);
    room.file("other", "whats the Elvish word for foe...");
    room
}

fn secret(room: &Room, name: &str) -> Option<Secret> {
    Some(Secret::read(&room.at(name)).unwrap())
}

fn request(file: &Path, algorithm: &str, key: &Option<Secret>) -> Result<verb::Request, Error> {
    verb::Request::file(file).algorithm(algorithm, Some(1 << 10), key.as_ref())
}

fn built(file: &Path, function: Function, key: &Option<Secret>) -> Vec<u8> {
    build(&request(file, function.name(), key).unwrap()).unwrap().root
}

fn checked(file: &Path, key: &Option<Secret>, must: Option<Must>) -> Result<pfh::tree::Summary, Error> {
    let mut request = check::Request::new(file);
    (request.secret, request.must) = (key.clone(), must);
    check::run(&request, &mut |_| Ok(()), &Control::new())
}

fn updated(file: &Path, changed: ChangedParts, key: &Option<Secret>, proof: Option<PathBuf>) -> Result<Vec<u8>, Error> {
    let mut request = update::Request::new(file, changed);
    (request.secret, request.proof) = (key.clone(), proof);
    update::run(&request, &mut |_| Ok(()), &Control::new()).map(|summary| summary.root)
}

fn ranges(only: Range<u64>) -> Vec<Range<u64>> {
    std::iter::once(only).collect()
}

fn ranged(only: Range<u64>) -> ChangedParts {
    ChangedParts::Ranges(ranges(only))
}

/// Why the key of a tree, a proof or an auditor's line was refused.
fn locked<T: std::fmt::Debug>(done: Result<T, Error>) -> TreeKeyError {
    let error = done.unwrap_err();
    assert_eq!(error.kind(), Kind::Request, "{error}");
    match (error.find(), error.find(), error.find()) {
        (Some(Failure::Locked { why, .. }), ..) => *why,
        (_, Some(Problem::Locked { why, .. } | Problem::NoKey(why)), _) => *why,
        (.., Some(audit::Problem::Locked { why, .. })) => *why,
        _ => panic!("{error}"),
    }
}

#[test]
fn a_change_gives_the_tree_of_a_fresh_build() {
    let room = room();
    let key = secret(&room, "key");
    for function in Function::KEYED {
        let mut bytes = random(1, 200_000);
        let file = room.file("file", &bytes);
        let before = room.file("before", &bytes);
        let root = built(&file, function, &key);
        bytes[100_000] ^= 1;
        fs::write(&file, &bytes).unwrap();
        let found = checked(&file, &key, None).unwrap();
        assert!(found.differs() && found.corrupt() == Some(ranges(99_328..100_352)), "{function:?}");
        let now = updated(&file, ranged(100_000..100_001), &key, None).unwrap();
        let tree = tree_of(&file);
        assert_ne!(now, root);
        assert_eq!((built(&file, function, &key), &tree_of(&file)), (now.clone(), &tree), "{function:?}");
        assert_eq!(tree[9], Function::KEYED.iter().position(|one| *one == function).unwrap() as u8 + 4);
        // By a copy, and bytes behind the end.
        fs::copy(&before, &file).unwrap();
        assert_eq!(built(&file, function, &key), root);
        fs::write(&file, &bytes).unwrap();
        assert_eq!(updated(&file, ChangedParts::Since(before), &key, None).unwrap(), now);
        bytes.extend(random(2, 5000));
        fs::write(&file, &bytes).unwrap();
        let mut grown = append::Request::new(&file);
        assert_eq!(locked(append::run(&grown, &mut |_| Ok(()), &Control::new())), TreeKeyError::Missing(function));
        grown.secret = key.clone();
        let grown = append::run(&grown, &mut |_| Ok(()), &Control::new()).unwrap();
        let tree = tree_of(&file);
        assert_eq!((built(&file, function, &key), tree_of(&file)), (grown.root.clone(), tree));
        assert!(!checked(&file, &key, Some(Must::Root(grown.root))).unwrap().differs());
        assert!(checked(&file, &key, Some(Must::Root(now))).unwrap().differs());
    }
}

/// A wrong key is not shown as damage, and nothing is written for it.
#[test]
fn other_keys_are_refused() {
    let room = room();
    let (key, other) = (secret(&room, "key"), secret(&room, "other"));
    room.file("short", "31 bytes, which is one too few.");
    room.file("empty", "");
    for function in Function::KEYED {
        let file = room.file("file", &random(3, 10_000));
        let root = built(&file, function, &key);
        let tree = tree_of(&file);
        for (key, why) in [(&None, TreeKeyError::Missing(function)), (&other, TreeKeyError::Other(function))] {
            assert_eq!(locked(checked(&file, key, None)), why);
            assert_eq!(locked(updated(&file, ranged(0..1), key, None)), why);
            assert_eq!(locked(proved(&file, &room.at("part"), key)), why);
        }
        assert!(matches!(locked(request(&file, function.name(), &None)), TreeKeyError::Missing(_)));
        assert!(matches!(locked(request(&file, function.name(), &secret(&room, "empty"))), TreeKeyError::Unfit(..)));
        let short = request(&file, function.name(), &secret(&room, "short"));
        assert_eq!(short.is_err(), function == Function::Blake3Keyed);
        assert_eq!(tree_of(&file), tree);
        // A proof needs the key that made it; under it, what it shows is judged.
        proved(&file, &room.at("part"), &key).unwrap();
        let shown = |key: &Option<Secret>, root: &[u8]| {
            let mut request = verify::Request::new(room.at("part"), root.try_into().unwrap());
            request.secret = key.clone();
            verify::run(&request, &mut |_| Ok(()), &Control::new()).map(|judged| judged.shown)
        };
        assert_eq!(locked(shown(&None, &root)), TreeKeyError::Missing(function));
        assert_eq!(locked(shown(&other, &root)), TreeKeyError::Other(function));
        assert_eq!(shown(&key, &root).unwrap().unwrap().range, 5000..5100);
        assert!(shown(&key, &[0; 32]).unwrap().is_err());
        // Two trees are compared under their key.
        let beside = room.file("beside", &random(4, 10_000));
        built(&beside, function, &key);
        let mut compared = diff::Request::new(&file, &beside);
        assert_eq!(locked(diff::run(&compared, &mut |_| Ok(()), &Control::new())), TreeKeyError::Missing(function));
        compared.secret = key.clone();
        assert!(!diff::run(&compared, &mut |_| Ok(()), &Control::new()).unwrap().is_same());
        // Damage stays damage.
        let mut damaged = tree.clone();
        damaged[200] ^= 1;
        room.file("file.pfhtree", &damaged);
        let error = checked(&file, &key, None).unwrap_err();
        assert!(matches!(error.find(), Some(Failure::Tree { .. })), "{error}");
    }
}

/// A key for a tree without one is refused, as of `hash`; a key is never an output.
#[test]
fn a_key_that_nothing_takes_is_refused() {
    let room = room();
    let key = secret(&room, "key");
    let file = room.file("file", &random(5, 10_000));
    for algorithm in ["blake3", "sha256", "sha3-256", "kt128"] {
        let leaf = (algorithm != "kt128").then_some(1 << 10);
        let error = verb::Request::file(&file).algorithm(algorithm, leaf, key.as_ref()).unwrap_err();
        assert!(matches!(error.find(), Some(Problem::Keyless { .. })), "{algorithm}: {error}");
        build(&verb::Request::file(&file).algorithm(algorithm, leaf, None).unwrap()).unwrap();
        let error = checked(&file, &key, None).unwrap_err();
        assert_eq!(error.kind(), Kind::Request, "{algorithm}: {error}");
    }
    for wrong in ["hmac-md5", "blake3-derive-key", "sha-0"] {
        let error = request(&file, wrong, &key).unwrap_err();
        assert!(matches!(error.find(), Some(Problem::NoTree(_))), "{wrong}: {error}");
    }
    let mut onto = request(&file, "hmac-sha256", &key).unwrap();
    (onto.tree, onto.replace) = (Some(room.at("key")), true);
    assert_eq!(build(&onto).unwrap_err().kind(), Kind::Request);
    assert_eq!(fs::read_to_string(room.at("key")).unwrap(), KEY);
    assert!(matches!(Secret::read(&room.at("none")), Err(SecretError::Read { .. })));
}

fn proved(file: &Path, output: &Path, key: &Option<Secret>) -> Result<(), Error> {
    let mut request = prove::Request::new(file, 5000..5100);
    request.output = output.into();
    (request.replace, request.secret) = (true, key.clone());
    prove::run(&request, &mut |_| Ok(()), &Control::new())
}

/// The root under keyed BLAKE3 is b3sum's.
#[test]
fn a_root_under_keyed_blake3_is_b3sums() {
    let room = room();
    let file = room.file("file", &random(6, 300_000));
    let root = built(&file, Function::Blake3Keyed, &secret(&room, "key"));
    let hashed = secret(&room, "key").unwrap().algorithm("blake3-keyed").unwrap();
    assert_eq!(root, hashed.digest(&fs::read(&file).unwrap()).bytes());
    if lacks(&[Need::Program("b3sum")]) {
        return;
    }
    let theirs = crate::rows::printed(&room, "b3sum --keyed file <key");
    assert!(String::from_utf8(theirs).unwrap().starts_with(&pfh::hex::encode(&root)));
}

/// A server without the key holds the file; the auditor with it judges it, and follows changes.
#[test]
fn an_audit_by_the_key() {
    let room = room();
    let (key, other) = (secret(&room, "key"), secret(&room, "other"));
    let (quiet, control) = (&mut |_event: audit::Event<'_>| Ok(()), &Control::new());
    for function in Function::KEYED {
        let mut bytes = random(7, 50_000);
        let file = room.file("file", &bytes);
        built(&file, function, &key);
        let mut commit = commit::Request::new([&file]).output(room.at("kept"));
        commit.replace = true;
        assert_eq!(locked(commit::run(&commit, quiet, control)), TreeKeyError::Missing(function));
        commit.secret = key.clone();
        commit::run(&commit, quiet, control).unwrap();
        let line = fs::read_to_string(room.at("kept")).unwrap();
        assert!(
            line.starts_with(&format!("pfh-commitment 1 {}:", function.name())) && !line.contains("Elvish"),
            "{line}"
        );
        let mut asked = challenge::Request::new(room.at("kept")).output(room.at("question"));
        asked.replace = true;
        challenge::run(&asked, quiet, control).unwrap();
        let mut answer = audit::prove::Request::new(room.at("question"), &file).output(room.at("answer"));
        answer.replace = true;
        audit::prove::run(&answer, quiet, control).unwrap();
        let judged = |key: &Option<Secret>| {
            let mut request = audit::verify::Request::new(room.at("kept"), room.at("question"), room.at("answer"));
            request.secret = key.clone();
            audit::verify::run(&request, &mut |_| Ok(()), &Control::new()).map(|verdict| verdict.status())
        };
        assert_eq!(judged(&key).unwrap(), Status::Proved);
        assert_eq!(locked(judged(&None)), TreeKeyError::Missing(function));
        assert_eq!(locked(judged(&other)), TreeKeyError::Other(function));
        // The owner changes the file, and the auditor follows without it.
        bytes[40_000] ^= 1;
        fs::write(&file, &bytes).unwrap();
        let proof = Some(room.at("proof"));
        let _ = fs::remove_file(room.at("proof"));
        let root = updated(&file, ranged(40_000..40_001), &key, proof).unwrap();
        let mut renewed = renew::Request::new(room.at("kept"), room.at("proof"));
        (renewed.output, renewed.replace) = (room.at("now").into(), true);
        assert_eq!(locked(renew::run(&renewed, quiet, control).map(drop)), TreeKeyError::Missing(function));
        renewed.secret = key.clone();
        renew::run(&renewed, quiet, control).unwrap();
        assert!(fs::read_to_string(room.at("now")).unwrap().contains(&pfh::hex::encode(&root)));
        let kept = |key: &Option<Secret>| {
            let must = Must::Kept { path: room.at("now"), identity: None };
            checked(&file, key, Some(must)).map(|summary| summary.differs())
        };
        assert!(!kept(&key).unwrap());
        assert_eq!(locked(kept(&other)), TreeKeyError::Other(function));
        // A file that is lost is found out: by the one with the key, as the server does not look.
        fs::write(&file, random(8, 50_000)).unwrap();
        let mut asked = challenge::Request::new(room.at("now")).output(room.at("question"));
        asked.replace = true;
        challenge::run(&asked, quiet, control).unwrap();
        audit::prove::run(&answer, quiet, control).unwrap();
        let mut request = audit::verify::Request::new(room.at("now"), room.at("question"), room.at("answer"));
        request.secret = key.clone();
        assert_eq!(audit::verify::run(&request, quiet, control).unwrap().status(), Status::Rejected);
    }
}
