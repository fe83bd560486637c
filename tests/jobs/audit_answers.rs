//! An audit through files: which answers prove, which are rejected, and which say nothing.

use crate::audited::{Judged, answer, challenge, commit, committed, hex, judge, keys, prove};
use crate::room::Room;
use crate::trees::built;
use pfh::Control;
use pfh::audit::demo::{self, ChallengeKind, Server};
use pfh::audit::prove::Answer;
use pfh::audit::{By, Event, Evidence, Extent, Problem, Status, verify};
use pfh::job::{Error, Kind};
use pfh::tree::beside;

use std::fs;
use std::path::Path;

const ALL: Extent = Extent { loss: 0.01, by: By::All };

/// A verification with a copy of the data.
fn against(mut request: verify::Request, copy: &Path) -> Result<Judged, Error> {
    request.data = Some(copy.to_owned());
    judge(&request)
}

#[test]
fn an_honest_answer_proves_the_leaves_that_were_asked_for() {
    for algorithm in ["blake3", "sha256", "sha3-256"] {
        let (room, file) = committed(algorithm, 1_000_000);
        let first = challenge(&room, "kept", Extent::default(), "c");
        prove(&room, "c", &file, Answer::Leaves(None), "p").unwrap();
        let judged = judge(&answer(&room, "c", "p")).unwrap();
        assert_eq!((judged.status, judged.leaves, judged.algorithm), (Status::Proved, (459, 977), algorithm));
        assert_eq!((judged.identity.as_str(), judged.evidence), ("disk.img", Evidence::Root));
        assert_eq!((judged.finds * 1000.0).floor(), 998.0);
        // Two challenges are never the same.
        assert_ne!(challenge(&room, "kept", Extent::default(), "other"), first);
        // The short answer, for an auditor who has the file.
        challenge(&room, "kept", ALL, "all");
        assert_eq!(prove(&room, "all", &file, Answer::Keyed, "k").unwrap().len(), 32);
        let judged = against(answer(&room, "all", "k"), &file).unwrap();
        assert_eq!((judged.status, judged.leaves, judged.finds), (Status::Proved, (977, 977), 1.0));
        assert_eq!(judged.evidence, Evidence::Copy);
    }
}

#[test]
fn the_sample_follows_from_confidence_and_loss() {
    let (room, file) = committed("blake3", 2_000_000);
    let by = |confidence, loss| Extent { loss, by: By::Confidence(confidence) };
    for (extent, leaves) in [
        (Extent::default(), 459),
        (by(0.99, 0.01), 459),
        (by(0.95, 0.01), 299),
        (by(0.99, 0.1), 44),
        (Extent { loss: 0.01, by: By::Leaves(7) }, 7),
        (ALL, 1954),
    ] {
        challenge(&room, "kept", extent, "c");
        prove(&room, "c", &file, Answer::Leaves(None), "p").unwrap();
        let judged = judge(&answer(&room, "c", "p")).unwrap();
        assert_eq!((judged.status, judged.leaves), (Status::Proved, (leaves, 1954)), "{extent:?}");
    }
    let none = Extent { loss: 0.01, by: By::Leaves(0) };
    for wrong in [by(1.0, 0.01), by(0.99, 0.0), by(f64::NAN, 0.01), by(0.99, 1e-9), none] {
        assert!(wrong.sample().is_err(), "{wrong:?}");
    }
}

#[test]
fn damaged_replayed_and_foreign_answers_are_rejected() {
    let (room, file) = committed("sha256", 100_000);
    challenge(&room, "kept", ALL, "c1");
    challenge(&room, "kept", ALL, "c2");
    let proof = prove(&room, "c1", &file, Answer::Leaves(None), "p1").unwrap();
    assert_eq!(judge(&answer(&room, "c1", "p1")).unwrap().status, Status::Proved);
    let rejected = |request: &verify::Request| {
        let judged = judge(request).unwrap();
        assert!(judged.status == Status::Rejected && !judged.why.is_empty(), "{judged:?}");
    };
    // Replayed, cut, and no proof at all.
    rejected(&answer(&room, "c2", "p1"));
    room.file("cut", &proof[..proof.len() - 1]);
    room.file("none", "");
    rejected(&answer(&room, "c1", "cut"));
    rejected(&answer(&room, "c1", "none"));
    // The keyed answer of other data, and no keyed answer.
    let mut bytes = fs::read(&file).unwrap();
    let mine = room.file("mine", &bytes);
    let keyed = |name: &str| {
        let mut request = answer(&room, "c1", name);
        request.data = Some(mine.clone());
        request
    };
    rejected(&keyed("p1"));
    bytes[50_000] ^= 1;
    fs::write(&file, &bytes).unwrap();
    prove(&room, "c1", &file, Answer::Keyed, "k").unwrap();
    rejected(&keyed("k"));
    // A server whose file is damaged and whose tree is not.
    prove(&room, "c1", &file, Answer::Leaves(None), "damaged").unwrap();
    rejected(&answer(&room, "c1", "damaged"));
    // A challenge about another file than is kept makes no sense.
    commit(&room, &file, "another name", "otherwise").unwrap();
    let other = verify::Request::new(room.at("otherwise"), room.at("c1"), room.at("p1"));
    let error = judge(&other).unwrap_err();
    assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::NotKept)), "{error}");
    // A tree that was made of the damaged file is another file's: it cannot answer.
    built(&file, "sha256", 1024);
    assert_eq!(prove(&room, "c1", &file, Answer::Leaves(None), "p").unwrap_err().kind(), Kind::Input);
    // Nor can a file that has become shorter.
    fs::write(&file, &bytes[..99_000]).unwrap();
    assert_eq!(prove(&room, "c2", &file, Answer::Leaves(None), "p").unwrap_err().kind(), Kind::Input);
    let shorter = commit(&room, &file, "disk.img", "new").unwrap_err();
    assert!(matches!(shorter.find(), Some(Problem::Length { found: 99_000, stated: 100_000, .. })), "{shorter}");
    assert_eq!(shorter.kind(), Kind::Negative);
}

#[test]
fn signatures_name_the_server() {
    let (room, file) = committed("blake3", 50_000);
    let public = keys(&room);
    let stranger = ed25519_dalek::SigningKey::from_bytes(&[2; 32]).verifying_key().to_bytes();
    room.file("other", &hex(&stranger));
    challenge(&room, "kept", Extent::default(), "c");
    prove(&room, "c", &file, Answer::Leaves(None), "unsigned").unwrap();
    let proof = prove(&room, "c", &file, Answer::Leaves(Some(room.at("key"))), "signed").unwrap();
    let by = |key: Option<&str>, name: &str| {
        let mut request = answer(&room, "c", name);
        request.signed_by = key.map(|key| room.at(key));
        judge(&request).unwrap()
    };
    let asked = by(Some("public"), "signed");
    assert_eq!((asked.status, asked.leaves, asked.finds), (Status::Proved, (49, 49), 1.0));
    assert_eq!(asked.signer, Some((public.clone(), true)));
    for (key, name) in [("other", "signed"), ("public", "unsigned")] {
        let judged = by(Some(key), name);
        assert_eq!((judged.status, judged.signer), (Status::Rejected, None), "{key} {name}");
    }
    // One that is there is verified, and its key is named as one that was not asked for.
    let unasked = by(None, "signed");
    assert_eq!((unasked.status, unasked.signer), (Status::Proved, Some((public, false))));
    // Key and signature are the last 96 bytes.
    let forge = |change: &dyn Fn(&mut [u8])| {
        let mut forged = proof.clone();
        let end = forged.len();
        change(&mut forged[end - 96..]);
        room.file("forged", &forged);
        let judged = by(None, "forged");
        assert_eq!((judged.status, judged.signer), (Status::Rejected, None));
        judged.why
    };
    for at in [0, 31, 32, 63, 64, 95] {
        assert_eq!(forge(&|end| end[at] ^= 1), "the signature is wrong", "byte {at}");
    }
    forge(&|end| end.fill(0));
}

/// Both sides hold the same wrong bytes: the auditor's copy does not give the root that is kept, so
/// nothing is proved.
#[test]
fn a_copy_that_does_not_give_the_kept_root_proves_nothing() {
    let (room, file) = committed("blake3", 1_000_000);
    let zeros = room.file("case/zeros", &vec![0; 1_000_000]);
    let of_zeros = {
        built(&zeros, "blake3", 1024);
        fs::read(beside(&zeros)).unwrap()
    };
    // A tree for the zeros that states the root that is kept: its header is the genuine one.
    let genuine = fs::read(beside(&file)).unwrap();
    fs::write(beside(&zeros), &genuine).unwrap();
    let mine = room.file("mine", &vec![0; 1_000_000]);
    let alone = room.file("alone", &fs::read(&file).unwrap());
    for extent in [ALL, Extent::default()] {
        challenge(&room, "kept", extent, "c");
        assert_eq!(prove(&room, "c", &zeros, Answer::Keyed, "p").unwrap().len(), 32);
        for tree in [Some(&genuine), None, Some(&of_zeros)] {
            match tree {
                Some(tree) => fs::write(beside(&mine), tree).unwrap(),
                None => fs::remove_file(beside(&mine)).unwrap(),
            }
            let error = against(answer(&room, "c", "p"), &mine).unwrap_err();
            assert_eq!(error.kind(), Kind::Input);
            assert!(error.to_string().contains("the copy is not the file that was committed"), "{error}");
        }
        // The right copy, with its tree and without one, finds the wrong answer.
        for copy in [&file, &alone] {
            assert_eq!(against(answer(&room, "c", "p"), copy).unwrap().status, Status::Rejected);
            prove(&room, "c", &file, Answer::Keyed, "q").unwrap();
            assert_eq!(against(answer(&room, "c", "q"), copy).unwrap().status, Status::Proved);
        }
    }
    assert_eq!(against(answer(&room, "c", "p"), &room.at("nowhere")).unwrap_err().kind(), Kind::Input);
}

/// An honest keyed answer does not accuse its server for want of the data.
#[test]
fn a_keyed_answer_without_the_data_is_not_rejected() {
    let (room, file) = committed("blake3", 100_000);
    challenge(&room, "kept", Extent::default(), "asked");
    prove(&room, "asked", &file, Answer::Keyed, "answer").unwrap();
    let request = answer(&room, "asked", "answer");
    let error = judge(&request).unwrap_err();
    assert!(error.kind() == Kind::Input && matches!(error.find(), Some(Problem::Keyed(_))), "{error}");
    assert_eq!(against(request.clone(), &file).unwrap().status, Status::Proved);
    // Other bytes are an answer that proves nothing.
    room.file("answer", &[0; 31]);
    assert_eq!(judge(&request).unwrap().status, Status::Rejected);
    // So is the beginning of an answer that shows leaves.
    let whole = prove(&room, "asked", &file, Answer::Leaves(None), "answer").unwrap();
    room.file("answer", &whole[..32]);
    assert_eq!(judge(&request).unwrap().status, Status::Rejected);
}

/// Figure 1 of Lopes et al.: without the data the plain challenge is answered, and ours is not.
#[test]
fn the_attack_of_the_figure_and_its_failure() {
    let room = Room::new();
    let staged = |bytes, extent| {
        let mut request = demo::Request::default();
        (request.bytes, request.extent, request.room) = (bytes, extent, room.path().to_owned());
        let mut scenes = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Staged(scene) = event {
                scenes.push(scene.clone());
            }
            Ok(())
        };
        demo::run(&request, &mut take, &Control::new()).map(|_| scenes)
    };
    let expected = [
        (ChallengeKind::Plain, Server::Honest, true),
        (ChallengeKind::Leaves, Server::Honest, true),
        (ChallengeKind::Plain, Server::Digests, true),
        (ChallengeKind::Leaves, Server::Digests, false),
        (ChallengeKind::Leaves, Server::Replay, false),
    ];
    for (bytes, extent) in [(1 << 20, Extent::default()), (64 << 10, Extent { loss: 0.01, by: By::Leaves(2) })] {
        let scenes = staged(bytes, extent).unwrap();
        let found: Vec<_> = scenes.iter().map(|scene| (scene.asked, scene.server, scene.passes)).collect();
        assert_eq!(found, expected);
        assert!(scenes.iter().all(|scene| scene.why.is_some() != scene.passes), "{scenes:?}");
        // The server that cheats keeps 40 bytes, and the traffic is small but for the leaves.
        assert_eq!((scenes[2].keeps, scenes[2].answer, scenes[0].keeps), (40, 32, bytes));
        assert!(scenes[1].answer > scenes[1].question);
    }
    for wrong in [100, 0] {
        assert!(matches!(staged(wrong, ALL).unwrap_err().find(), Some(Problem::Staged(64))), "{wrong}");
    }
    assert!(room.names().is_empty(), "nothing is left behind");
}

/// A change is followed from the root that is kept, and from no other.
#[test]
fn any_changed_byte_of_an_update_is_found() {
    use pfh::audit::renew;
    use pfh::tree::update::{self, ChangedParts};
    for algorithm in ["blake3", "sha256"] {
        let (room, file) = committed(algorithm, 300_000);
        let mut bytes = fs::read(&file).unwrap();
        bytes[5000] ^= 1;
        bytes[200_000] ^= 1;
        fs::write(&file, &bytes).unwrap();
        let mut request = update::Request::new(&file, ChangedParts::Ranges(vec![5000..5001, 200_000..200_001]));
        request.proof = Some(room.at("update"));
        update::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
        let renew = |kept: &str, update: &str, output: &str| {
            let mut request = renew::Request::new(room.at(kept), room.at(update));
            request.output = room.at(output).into();
            renew::run(&request, &mut |_| Ok(()), &Control::new())
        };
        let renewed = renew("kept", "update", "new").unwrap();
        assert_eq!(renewed.ranges, [4096..5120, 199_680..200_704]);
        // It equals a commitment of the changed file.
        commit(&room, &file, "disk.img", "committed").unwrap();
        assert_eq!(fs::read(room.at("new")).unwrap(), fs::read(room.at("committed")).unwrap());
        // The same update again starts from a root that is no longer kept.
        assert_eq!(renew("new", "update", "none").unwrap_err().kind(), Kind::Negative);
        // One byte per kind of field, and all bits of some.
        let proof = fs::read(room.at("update")).unwrap();
        for place in (0..proof.len()).step_by(13) {
            let mut forged = proof.clone();
            forged[place] ^= 1 << (place % 8);
            room.file("forged", &forged);
            let kind = renew("kept", "forged", "none").unwrap_err().kind();
            assert!(matches!(kind, Kind::Negative | Kind::Request), "byte {place}: {kind:?}");
        }
        assert!(!room.at("none").exists());
    }
}
