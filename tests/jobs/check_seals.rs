//! Seals beside manifests: a manifest that was changed is not compared at all.

use crate::check::{Ended, run};
use crate::check_whole::tree;
use crate::room::Room;
use crate::rows::{algorithms, input};
use pfh::check::{Class, Event, FileOutcome, Findings, Request, Task, Verdict};
use pfh::hash::{self, Manifest, Sealing};
use pfh::job::Kind;
use pfh::seal::SignedBy;
use pfh::{Control, sha256};
use std::fs;
use std::path::PathBuf;

/// The private key of RFC 8410, 10.3.
const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
/// The public key of RFC 8032, 7.1, test 1.
const OTHER: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

fn sealed(room: &Room, by: &str, format: &str, key: Option<PathBuf>) -> Request {
    let request = hash::Request::new(input(room, &["d"]), algorithms(by)).replace(true);
    let seal = Sealing { key, ..Sealing::default() };
    let manifest = Manifest::new(room.at("m")).format(format.parse().unwrap(), Default::default()).seal(Some(seal));
    hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    Request::new(room.at("m"))
}

#[test]
fn a_seal_is_of_these_records_and_of_its_key() {
    let room = tree();
    let (key, other) = (room.file("key", KEY), room.file("other", OTHER));
    for format in ["sums", "jsonl", "dfxml", "hashdeep"] {
        let m = sealed(&room, "sha256", format, Some(key.clone()));
        assert_eq!(Ended::of(&m.clone().key(Some(key.clone()))).conclusion(), Verdict::Verified, "{format}");
        let error = run(&m.clone().key(Some(other.clone()))).0.unwrap_err();
        assert_eq!(error.kind(), Kind::Negative, "{format}: {error}");
        // The seal is not a file of the tree; the keys beside it are.
        let task = Task::Audit { below: Vec::new(), follow: false };
        let audit = Ended::of(&m.clone().root(room.path()).task(task));
        let Findings::Audit(counts) = audit.summary.parts[0].findings else { panic!("{:?}", audit.summary) };
        assert_eq!((counts.of(Class::New), counts.of(Class::Matched)), (2, 7), "{format}");
        // A name or a digit is another: nothing is compared any more.
        let whole = fs::read_to_string(room.at("m")).unwrap();
        let digest = sha256("content 0").to_string();
        for changed in [whole.replace("d/5", "d/6"), whole.replace(&digest[..8], "00000000")] {
            assert_ne!(changed, whole);
            room.file("m", &changed);
            let (ran, files) = run(&m);
            let error = ran.unwrap_err();
            assert!(error.kind() == Kind::Negative && files.is_empty(), "{format}: {error}");
            assert!(error.to_string().contains("not those that were sealed"), "{error}");
        }
        room.file("m", &whole);
        fs::remove_file(room.at("m.seal")).unwrap();
        assert_eq!(Ended::of(&m).conclusion(), Verdict::Verified);
        assert_eq!(run(&m.key(Some(key.clone()))).0.unwrap_err().kind(), Kind::Input, "there is no seal");
    }
}

/// A seal without a signature differs from nothing; one of other records does.
#[test]
fn an_unsigned_seal_is_not_signed_by_the_key() {
    let room = tree();
    let key = Some(room.file("key", OTHER));
    let m = sealed(&room, "sha256", "sums", None).key(key);
    let error = run(&m).0.unwrap_err();
    assert!(error.kind() == Kind::Input && error.to_string().contains("is not signed by this key"), "{error}");
    let whole = fs::read_to_string(room.at("m")).unwrap();
    room.file("m", &whole.replace("d/5", "d/6"));
    assert_eq!(run(&m).0.unwrap_err().kind(), Kind::Negative, "the records are not those");
}

#[test]
fn a_seal_that_holds_is_reported() {
    let room = tree();
    for by in ["sha256", "blake3", "mrsh-v2-network", "kt128"] {
        let m = sealed(&room, by, "sums", None);
        let mut held = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Sealed(seal) = event {
                held.push((seal.path.clone(), seal.records, matches!(seal.signer, SignedBy::Nobody)));
            }
            Ok(())
        };
        let summary = pfh::check::run(&m, &mut take, &Control::new()).unwrap();
        assert_eq!(summary.conclusion(), Verdict::Verified, "{by}");
        assert_eq!(held, [(room.at("m.seal"), 7, true)], "{by}");
        assert_eq!(Ended::of(&m).names(FileOutcome::Right).len(), 7);
        fs::remove_file(room.at("m")).unwrap();
        assert_eq!(run(&m).0.unwrap_err().kind(), Kind::Input, "{by}");
    }
}
