//! Every byte of a small known-set file changed, one at a time: the answers stay, or there is none.

use crate::generators;
use std::fs;
use std::path::Path;

use crate::generators::digest;
use pfh_digest::Digest;
use pfh_known::{Build, Class, DEFAULT_RESIDENT, Error, Hit, Input, KnownSet};

/// Two lists and a Bloom filter of three blocks with checksums, the last of them short: keys 0 to
/// 20, 10 to 30 and 100 to 140.
fn built(directory: &Path) -> Vec<u8> {
    let file = |name: &str, bytes: &[u8]| {
        let path = directory.join(name);
        fs::write(&path, bytes).expect("written");
        path
    };
    let good = file("os.txt", generators::list("sha1", 0..20).as_bytes());
    let bad = file("bad.txt", generators::list("sha1", 10..30).as_bytes());
    let maybe = file("circl.bloom", &generators::bloom_of(70_000, 100..140));
    let build = Build {
        inputs: vec![Input::new(good, Class::Good), Input::new(bad, Class::Bad), Input::new(maybe, Class::NoChange)],
        output: directory.join("known"),
        work: None,
        memory: 0,
        fault: &mut |path, line, fault| panic!("{}:{line}: {fault}", path.display()),
        progress: &mut |_| {},
        cancel: Default::default(),
    };
    build.run().unwrap_or_else(|error| panic!("{error}"));
    fs::read(directory.join("known")).expect("read")
}

fn asked() -> Vec<Digest> {
    let keys = (0..40).chain(100..150);
    keys.map(|n| digest("sha1", n)).chain([digest("md5", 0)]).collect()
}

fn answers(path: &Path) -> Result<Vec<Vec<Hit>>, Error> {
    let known = KnownSet::open(path, DEFAULT_RESIDENT)?;
    asked().iter().map(|digest| known.find(digest)).collect()
}

#[test]
fn no_changed_byte_changes_an_answer() {
    let directory = tempfile::tempdir().expect("a directory");
    let whole = built(directory.path());
    let right = answers(&directory.path().join("known")).expect("a good file");
    assert_eq!(right.iter().filter(|hits| hits.is_empty()).count(), 10 + 10 + 1);
    let path = directory.path().join("changed");
    let mut refused = 0;
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        // All eight bits in turn, from one byte to the next.
        bytes[at] ^= 1 << (at % 8);
        fs::write(&path, &bytes).expect("written");
        match answers(&path) {
            Err(_) => refused += 1,
            Ok(answers) => assert_eq!(answers, right, "byte {at} changed the answers"),
        }
    }
    // Only parts that no answer needs may change in silence: the digest of the whole file, blocks
    // of a filter that nobody asked.
    assert!(refused > whole.len() / 2, "{refused} of {} changes were noticed", whole.len());
}

/// A file as version 1 of the layout has it: filters without checksums.
fn of_version_1(whole: &[u8]) -> Vec<u8> {
    let tail = whole.len() - 88;
    let number = |at: usize| u64::from_le_bytes(whole[at..at + 8].try_into().expect("eight"));
    let start = number(tail) as usize;
    let mut directory: serde_json::Value = serde_json::from_slice(&whole[start..tail]).expect("JSON");
    directory["version"] = 1.into();
    for bloom in directory["blooms"].as_array_mut().expect("an array") {
        assert!(bloom.as_object_mut().expect("an object").remove("sums").is_some(), "it has checksums");
    }
    let directory = directory.to_string().into_bytes();
    let mut bytes = whole[..start].to_vec();
    bytes.extend_from_slice(&directory);
    let all = blake3::hash(&bytes);
    bytes.extend_from_slice(&(start as u64).to_le_bytes());
    bytes.extend_from_slice(&(directory.len() as u64).to_le_bytes());
    bytes.extend_from_slice(blake3::hash(&directory).as_bytes());
    bytes.extend_from_slice(all.as_bytes());
    bytes.extend_from_slice(&whole[whole.len() - 8..]);
    bytes
}

#[test]
fn files_of_the_version_before_are_read_and_checked_as_a_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let whole = built(directory.path());
    let right = answers(&directory.path().join("known")).expect("a good file");
    let old = of_version_1(&whole);
    let path = directory.path().join("old");
    fs::write(&path, &old).expect("written");
    assert_eq!(answers(&path).expect("an old file"), right);
    for at in (0..old.len()).step_by(7) {
        let mut bytes = old.clone();
        bytes[at] ^= 0x10;
        fs::write(&path, &bytes).expect("written");
        let seen = answers(&path);
        assert!(seen.is_err(), "byte {at}");
    }
}
