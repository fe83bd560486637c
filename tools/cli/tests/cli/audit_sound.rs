//! `pfh audit`: what would be proved of nothing, hostile numbers, signatures that are there, and
//! what a refusal is worth.

use crate::audited::{Served, committed, good, impostor, json, noise, pfh, run, text};
use crate::program::{MIB, Room};
use pfh_inject::{Need, lacks};

/// Both sides hold the same wrong bytes: the auditor's copy does not give the root that is kept, so
/// nothing is proved.
#[test]
fn a_copy_that_does_not_give_the_kept_root_proves_nothing() {
    let (room, _) = committed("blake3", 1_000_000);
    room.file("zeros", &vec![0; 1_000_000]);
    // A tree for the zeros that states the root that is kept: its header is the genuine one.
    good(&room, ["tree", "build", "--leaf", "1KiB", "zeros"]);
    let genuine = std::fs::read(room.path().join("case/disk.img.pfhtree")).unwrap();
    for sample in ["--all", "--find=1%"] {
        good(&room, ["audit", "challenge", "kept", sample, "-o", "c"]);
        for tree in [Some(genuine.clone()), None, Some(std::fs::read(room.path().join("zeros.pfhtree")).unwrap())] {
            room.file("case/zeros", &vec![0; 1_000_000]);
            room.file("case/zeros.pfhtree", &genuine);
            let answer = run(&room, ["audit", "prove", "--keyed", "c", "case/zeros"]).stdout;
            assert_eq!(answer.len(), 32);
            room.file("p", &answer);
            match &tree {
                Some(tree) => drop(room.file("mine.pfhtree", tree)),
                None => std::fs::remove_file(room.path().join("mine.pfhtree")).unwrap(),
            }
            room.file("mine", &vec![0; 1_000_000]);
            let seen = run(&room, ["audit", "verify", "kept", "c", "p", "--data", "mine"]);
            assert_eq!((seen.code, text(&seen).as_str()), (Some(3), ""), "{sample}: {seen:?}");
            assert!(seen.stderr.contains("the copy is not the file that was committed"), "{}", seen.stderr);
        }
        // The right copy, with its tree and without one, finds the wrong answer.
        for copy in ["case/disk.img", "alone"] {
            room.file("alone", &std::fs::read(room.path().join("case/disk.img")).unwrap());
            let seen = run(&room, ["audit", "verify", "--json", "kept", "c", "p", "--data", copy]);
            assert_eq!((seen.code, json(&seen)["verdict"].as_str()), (Some(1), Some("differs")));
            good(&room, ["audit", "prove", "--keyed", "c", "case/disk.img", "-o", "q"]);
            good(&room, ["audit", "verify", "kept", "c", "q", "--data", copy]);
        }
    }
    assert_eq!(run(&room, ["audit", "verify", "kept", "c", "p", "--data", "nowhere"]).code, Some(3));
}

#[test]
fn a_signature_that_is_there_is_verified_and_its_key_named() {
    let (room, _) = committed("sha256", 50_000);
    crate::audit::secret(room.file("key", "01".repeat(32).as_bytes()));
    let public = ed25519_dalek::SigningKey::from_bytes(&[1; 32]).verifying_key().to_bytes();
    let public: String = public.iter().map(|byte| format!("{byte:02x}")).collect();
    good(&room, ["audit", "challenge", "kept", "-o", "c"]);
    good(&room, ["audit", "prove", "--key", "key", "c", "case/disk.img", "-o", "signed"]);
    let seen = good(&room, ["audit", "verify", "kept", "c", "signed"]);
    assert!(text(&seen).ends_with(&format!("; signed by {public}, a key that was not asked for\n")), "{}", text(&seen));
    let seen = json(&good(&room, ["audit", "verify", "--json", "kept", "c", "signed"]));
    assert_eq!((&seen["signed_by"], &seen["signer_was_asked_for"]), (&public.clone().into(), &false.into()));
    let proof = std::fs::read(room.path().join("signed")).unwrap();
    // Key and signature are the last 96 bytes.
    for at in [0, 31, 32, 63, 64, 95] {
        let mut forged = proof.clone();
        let place = forged.len() - 96 + at;
        forged[place] ^= 1;
        room.file("forged", &forged);
        let seen = run(&room, ["audit", "verify", "kept", "c", "forged"]);
        assert_eq!((seen.code, text(&seen).as_str()), (Some(1), "disk.img: REJECTED: the signature is wrong\n"));
    }
    let mut zeros = proof.clone();
    let end = zeros.len();
    zeros[end - 96..].fill(0);
    room.file("zeros", &zeros);
    assert_eq!(run(&room, ["audit", "verify", "kept", "c", "zeros"]).code, Some(1));
    // A server with such answers is found out as well, and a key that was asked for and did not
    // sign.
    let server = Served::start(&room, &["--key", "key"]);
    let seen = good(&room, ["audit", "ask", &server.url, "kept"]);
    assert!(text(&seen).contains("a key that was not asked for"), "{}", text(&seen));
    let server = Served::start(&room, &[]);
    room.file("public", public.as_bytes());
    let seen = run(&room, ["audit", "ask", &server.url, "kept", "--signed-by", "public"]);
    assert_eq!((seen.code, text(&seen).contains("REJECTED: the answer is not signed")), (Some(1), true));
}

/// The form of a challenge, with a right checksum and whatever numbers.
fn challenge(root: [u8; 32], length: u64, count: u32, identity: &[u8]) -> Vec<u8> {
    let mut bytes = [&b"pfh chal\x01"[..], &[9; 32], &root, &length.to_le_bytes(), &count.to_le_bytes()].concat();
    bytes.push(identity.len() as u8);
    bytes.extend(identity);
    let checksum = blake3::derive_key("pfh audit 1 challenge checksum", &bytes);
    bytes.extend(&checksum[..16]);
    bytes
}

#[test]
fn numbers_of_a_hostile_file_cost_nothing() {
    let room = Room::new();
    let root = [7; 32];
    let digits = "07".repeat(32);
    room.file("proof", b"pfh prov\x01\xff\xff\xff\xff\xff\xff\xff\x7f");
    room.file("data", &noise(10_000, 1));
    for (length, count) in
        [(1 << 60, 0), (u64::MAX, 0), (1 << 60, u32::MAX), (1 << 60, 1 << 22), (u64::MAX, 1 << 22), (5, u32::MAX)]
    {
        room.file("kept", format!("pfh-commitment 1 blake3 1024 {length} {digits} x\n").as_bytes());
        room.file("c", &challenge(root, length, count, b"x"));
        let trial = |options: &[&str]| {
            let arguments = ["audit", "verify", "kept", "c", "proof"];
            let seen = pfh(arguments.iter().chain(options)).directory(room.path()).run().expect("a run");
            assert!(matches!(seen.code, Some(1..=3)), "{length} bytes, {count} leaves: {seen:?}");
            assert!(seen.peak < 512 * MIB, "{} bytes", seen.peak);
        };
        trial(&[]);
        trial(&["--data", "data"]);
    }
    // More leaves than a sample can have are not a challenge.
    room.file("c", &challenge(root, 1 << 60, (1 << 22) + 1, b"x"));
    let seen = run(&room, ["audit", "verify", "kept", "c", "proof"]);
    assert_eq!((seen.code, seen.stderr.contains("impossible number of leaves")), (Some(2), true), "{seen:?}");
}

/// An honest server proves all of a file of any length; neither side holds it in memory.
#[test]
fn all_leaves_of_a_large_file_pass_in_bounded_memory() {
    if lacks(&[Need::Peak]) {
        return;
    }
    let room = Room::new();
    let file = room.path().join("case/disk.img");
    std::fs::create_dir(room.path().join("case")).unwrap();
    std::fs::File::create(&file).and_then(|file| file.set_len(200 << 20)).unwrap();
    good(&room, ["tree", "build", "case/disk.img"]);
    good(&room, ["audit", "commit", "--identity", "disk.img", "case/disk.img", "-o", "kept"]);
    let server = Served::start(&room, &[]);
    let asked = pfh(["audit", "ask", &server.url, "kept", "--all", "--json", "--timeout", "600"]);
    let seen = asked.directory(room.path()).run().unwrap();
    assert_eq!((seen.code, json(&seen)["verdict"].as_str()), (Some(0), Some("verified")), "{seen:?}");
    assert!(seen.peak < 64 * MIB, "{} bytes", seen.peak);
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 64 << 10, "the server took {peak} KiB");
    // The same by files.
    good(&room, ["audit", "challenge", "kept", "--all", "-o", "c"]);
    let proved = pfh(["audit", "prove", "c", "case/disk.img", "-o", "p"]).directory(room.path()).run().unwrap();
    assert!(proved.code == Some(0) && proved.peak < 64 * MIB, "{proved:?}");
    let seen = pfh(["audit", "verify", "kept", "c", "p"]).directory(room.path()).run().unwrap();
    assert!(seen.code == Some(0) && seen.peak < 64 * MIB, "{seen:?}");
}

#[test]
fn a_refusal_and_nobody_there_are_no_verdicts() {
    let (room, _) = committed("blake3", 100_000);
    let server = Served::start(&room, &["--most", "1KiB"]);
    for (url, why) in [
        (server.url.clone(), "413"),
        ("http://127.0.0.1:9".into(), ""),
        (impostor(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n", false), "503"),
        (impostor(b"HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\npfh prov\x01", false), "to its end"),
    ] {
        let seen = run(&room, ["audit", "ask", &url, "kept", "--timeout", "20"]);
        assert_eq!(seen.code, Some(3), "{url}: {seen:?}");
        assert!(text(&seen).starts_with("disk.img: NOT ASKED: ") && text(&seen).contains(why), "{}", text(&seen));
        let seen = json(&run(&room, ["audit", "ask", &url, "kept", "--json", "--timeout", "20"]));
        assert_eq!(seen["verdict"].as_str(), Some("nothing-to-compare-with"), "{url}");
    }
}

#[test]
fn long_identities_are_audited() {
    let room = Room::new();
    let long = format!("{}/{}/disk.img", "d".repeat(250), "e".repeat(200));
    room.file(format!("case/{long}"), &noise(50_000, 1));
    good(&room, ["tree", "build", &format!("case/{long}")]);
    good(&room, ["audit", "commit", "--identity", &long, &format!("case/{long}"), "-o", "kept"]);
    let server = Served::start(&room, &[]);
    let seen = good(&room, ["audit", "ask", &server.url, "kept"]);
    assert!(text(&seen).contains("PROVED: 4 of 4 leaves"), "{}", text(&seen));
    let too_long = "x".repeat(4097);
    let seen = run(&room, ["audit", "commit", "--identity", &too_long, &format!("case/{long}")]);
    assert_eq!(seen.code, Some(2));
}
