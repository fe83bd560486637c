//! `pfh audit`: honest servers pass, all others are found out, and the HTTP server gives nothing
//! but proofs of registered files.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::audited::{Served, committed, good, impostor, json, pfh, run, text};
use crate::program::Room;

/// A key that its owner alone can read: others are warned of.
pub fn secret(path: std::path::PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("its owner");
}

#[test]
fn an_honest_answer_passes_through_files_and_pipes() {
    for algorithm in ["blake3", "sha256", "sha3-256"] {
        let (room, _) = committed(algorithm, 1_000_000);
        good(&room, ["audit", "challenge", "kept", "-o", "c"]);
        good(&room, ["audit", "prove", "c", "case/disk.img", "-o", "p"]);
        let seen = good(&room, ["audit", "verify", "kept", "c", "p"]);
        let said = "disk.img: PROVED: 459 of 977 leaves give the kept";
        let found = format!("{said} {algorithm} root; a loss of 1 % is found with p = 0.998\n");
        assert_eq!(text(&seen), found);
        // Two challenges are never the same.
        let other = good(&room, ["audit", "challenge", "kept"]).stdout;
        assert_ne!(other, std::fs::read(room.path().join("c")).unwrap());
        // The same through pipes.
        let trial = pfh(["audit", "prove", "-", "case/disk.img"]).directory(room.path()).input(other.clone());
        let proof = trial.run().unwrap().stdout;
        room.file("other", &other);
        let trial = pfh(["audit", "verify", "--json", "kept", "other", "-"]).directory(room.path()).input(proof);
        let seen = trial.run().unwrap();
        assert_eq!((seen.code, json(&seen)["verdict"].as_str()), (Some(0), Some("verified")));
        // The short answer, for an auditor who has the file.
        good(&room, ["audit", "challenge", "kept", "--all", "-o", "all"]);
        assert_eq!(good(&room, ["audit", "prove", "--keyed", "all", "case/disk.img", "-o", "k"]).stdout, b"");
        assert_eq!(std::fs::read(room.path().join("k")).unwrap().len(), 32);
        let seen = good(&room, ["audit", "verify", "kept", "all", "k", "--data", "case/disk.img"]);
        let said = "disk.img: PROVED: the keyed digest of 977 of 977 leaves is that of your copy, which gives the kept";
        assert_eq!(text(&seen), format!("{said} {algorithm} root; any loss is found\n"));
    }
}

#[test]
fn the_sample_follows_from_confidence_and_corruption() {
    let (room, _) = committed("blake3", 2_000_000);
    for (options, leaves) in [
        (&[][..], 459),
        (&["--confidence", "0.99", "--corruption", "0.01"], 459),
        (&["--confidence", "0.95"], 299),
        (&["--corruption", "0.1"], 44),
        (&["--leaves", "7"], 7),
        (&["--all"], 1954),
    ] {
        good(&room, ["audit", "challenge", "kept", "-o", "c"].iter().chain(options));
        good(&room, ["audit", "prove", "c", "case/disk.img", "-o", "p"]);
        let seen = good(&room, ["audit", "verify", "--json", "kept", "c", "p"]);
        assert_eq!(json(&seen)["leaves"].as_u64(), Some(leaves), "{options:?}");
    }
    for wrong in [&["--confidence", "1"][..], &["--corruption", "0"], &["--leaves", "0"], &["--all", "--leaves", "3"]] {
        assert_eq!(run(&room, ["audit", "challenge", "kept"].iter().chain(wrong)).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn damaged_replayed_and_foreign_answers_are_rejected_with_1() {
    let (room, file) = committed("sha256", 100_000);
    good(&room, ["audit", "challenge", "kept", "--all", "-o", "c1"]);
    good(&room, ["audit", "challenge", "kept", "--all", "-o", "c2"]);
    good(&room, ["audit", "prove", "c1", "case/disk.img", "-o", "p1"]);
    let rejected = |arguments: &[&str]| {
        let seen = run(&room, ["audit", "verify"].iter().chain(arguments));
        assert_eq!(seen.code, Some(1), "{arguments:?}: {seen:?}");
        assert!(text(&seen).starts_with("disk.img: REJECTED: "), "{}", text(&seen));
    };
    // Replayed.
    rejected(&["kept", "c2", "p1"]);
    // Cut, and no proof at all.
    let proof = std::fs::read(room.path().join("p1")).unwrap();
    room.file("cut", &proof[..proof.len() - 1]);
    room.file("none", b"");
    rejected(&["kept", "c1", "cut"]);
    rejected(&["kept", "c1", "none"]);
    // The keyed answer of other data, and no keyed answer.
    let mut bytes = std::fs::read(&file).unwrap();
    room.file("mine", &bytes);
    rejected(&["kept", "c1", "p1", "--data", "mine"]);
    bytes[50_000] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    good(&room, ["audit", "prove", "--keyed", "c1", "case/disk.img", "-o", "k"]);
    rejected(&["kept", "c1", "k", "--data", "mine"]);
    // A server whose file is damaged and whose tree is not.
    good(&room, ["audit", "prove", "c1", "case/disk.img", "-o", "damaged"]);
    rejected(&["kept", "c1", "damaged"]);
    // A challenge about another file than is kept makes no sense.
    good(&room, ["audit", "commit", "case/disk.img", "-o", "named-otherwise"]);
    assert_eq!(run(&room, ["audit", "verify", "named-otherwise", "c1", "p1"]).code, Some(2));
    // A tree that was made of the damaged file is another file's: it cannot answer.
    good(&room, ["tree", "build", "-a", "sha256", "--leaf", "1KiB", "case/disk.img"]);
    assert_eq!(run(&room, ["audit", "prove", "c1", "case/disk.img"]).code, Some(3));
    // Nor can a file that has become shorter.
    std::fs::write(&file, &bytes[..99_000]).unwrap();
    assert_eq!(run(&room, ["audit", "prove", "c2", "case/disk.img"]).code, Some(3));
    assert_eq!(run(&room, ["audit", "commit", "case/disk.img"]).code, Some(1));
}

#[test]
fn signatures_name_the_server() {
    let (room, _) = committed("blake3", 50_000);
    secret(room.file("key", "01".repeat(32).as_bytes()));
    room.file("stranger", "02".repeat(32).as_bytes());
    good(&room, ["audit", "challenge", "kept", "-o", "c"]);
    good(&room, ["audit", "prove", "c", "case/disk.img", "-o", "unsigned"]);
    good(&room, ["audit", "prove", "--key", "key", "c", "case/disk.img", "-o", "signed"]);
    // The file of the secret key alone is not a public key, so the public one is derived as openssl
    // would.
    let public = ed25519_dalek::SigningKey::from_bytes(&[1; 32]).verifying_key().to_bytes();
    let stranger = ed25519_dalek::SigningKey::from_bytes(&[2; 32]).verifying_key().to_bytes();
    let hex = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    room.file("public", hex(public).as_bytes());
    room.file("other", hex(stranger).as_bytes());
    let seen = good(&room, ["audit", "verify", "--signed-by", "public", "kept", "c", "signed"]);
    let said = "disk.img: PROVED: 49 of 49 leaves give the kept blake3 root; any loss is found; signed by";
    assert_eq!(text(&seen), format!("{said} {}\n", hex(public)));
    for (key, proof) in [("other", "signed"), ("public", "unsigned")] {
        assert_eq!(run(&room, ["audit", "verify", "--signed-by", key, "kept", "c", proof]).code, Some(1));
    }
}

#[test]
fn a_server_is_asked_over_http_and_found_out() {
    let (room, file) = committed("blake3", 1_000_000);
    secret(room.file("key", "01".repeat(32).as_bytes()));
    let public = ed25519_dalek::SigningKey::from_bytes(&[1; 32]).verifying_key().to_bytes();
    room.file("public", public.iter().map(|byte| format!("{byte:02x}")).collect::<String>().as_bytes());
    let server = Served::start(&room, &["--key", "key"]);
    for options in [&[][..], &["--signed-by", "public"], &["--all"]] {
        let seen = good(&room, ["audit", "ask", &server.url, "kept", "--json"].iter().chain(options));
        assert_eq!(json(&seen)["verdict"].as_str(), Some("verified"), "{options:?}");
    }
    // What was asked and answered can be judged again from files.
    good(&room, ["audit", "ask", &server.url, "kept", "--evidence", "e"]);
    good(&room, ["audit", "verify", "--signed-by", "public", "kept", "e.0.challenge", "e.0.proof"]);
    // One byte of each leaf: any sample finds it.
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.iter_mut().step_by(1024).for_each(|byte| *byte ^= 1);
    std::fs::write(&file, &bytes).unwrap();
    let seen = run(&room, ["audit", "ask", &server.url, "kept", "--leaves", "1", "--json"]);
    assert_eq!((seen.code, json(&seen)["verdict"].as_str()), (Some(1), Some("differs")));
    // A server that cannot open the file refuses: whether it could have answered is not known, and
    // not taken for a verdict.
    std::fs::remove_file(&file).unwrap();
    let seen = run(&room, ["audit", "ask", &server.url, "kept"]);
    assert_eq!((seen.code, text(&seen).starts_with("disk.img: NOT ASKED: the server refused: 500")), (Some(3), true));
    let url = server.url.clone();
    drop(server);
    let seen = run(&room, ["audit", "ask", &url, "kept", "--timeout", "5"]);
    assert_eq!(seen.code, Some(3), "nobody there is no verdict: {seen:?}");
    assert!(text(&seen).starts_with("disk.img: NOT ASKED: "));
}

/// A challenge for an identity that is not the registered one, made by a client that wants to see
/// other files.
fn challenge_for(room: &Room, identity: &str) -> Vec<u8> {
    good(room, ["audit", "commit", "--identity", identity, "case/disk.img", "-o", "kept-otherwise"]);
    good(room, ["audit", "challenge", "kept-otherwise"]).stdout
}

#[test]
fn only_registered_files_are_ever_opened() {
    let (room, file) = committed("blake3", 10_000);
    // The same file with its tree outside of the directory, reachable by every trick of paths.
    let outside = room.file("secret.img", &std::fs::read(&file).unwrap());
    std::fs::copy(file.with_extension("img.pfhtree"), room.path().join("secret.img.pfhtree")).unwrap();
    std::os::unix::fs::symlink(&outside, room.path().join("case/link.img")).unwrap();
    std::os::unix::fs::symlink(room.path().join("secret.img.pfhtree"), room.path().join("case/link.img.pfhtree"))
        .unwrap();
    room.file("case/no-tree.img", b"data");
    let server = Served::start(&room, &[]);
    let absolute = outside.to_str().unwrap();
    for identity in [
        "../secret.img",
        "./../secret.img",
        "case/../../secret.img",
        absolute,
        "link.img",
        "no-tree.img",
        "disk.img.pfhtree",
        "./disk.img",
        "disk.img/",
        "/disk.img",
        ".",
        "..",
        "/etc/passwd",
    ] {
        let (status, body) = server.post(&challenge_for(&room, identity));
        assert_eq!((status, &body[..]), (Some(404), &b"no file of this name is registered\n"[..]), "{identity:?}");
    }
    assert_eq!(server.post(&challenge_for(&room, "disk.img")).0, Some(200));
    // A registered name that is a link by now is not followed.
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&outside, &file).unwrap();
    let kept = std::fs::read(room.path().join("kept")).unwrap();
    room.file("kept-otherwise", &kept);
    let challenge = good(&room, ["audit", "challenge", "kept-otherwise"]).stdout;
    assert_eq!(server.post(&challenge).0, Some(500));
}

#[test]
fn requests_are_bounded_in_bytes_and_time() {
    let (room, _) = committed("blake3", 1_000_000);
    let server = Served::start(&room, &["--most", "100KiB", "--connections", "2"]);
    let challenge = good(&room, ["audit", "challenge", "kept"]).stdout;
    assert_eq!(server.post(&challenge).0, Some(413), "459 KiB of leaves");
    let few = good(&room, ["audit", "challenge", "kept", "--leaves", "90"]).stdout;
    assert_eq!(server.post(&few).0, Some(200));
    assert_eq!(server.post(&[few.clone(), vec![0; 8000]].concat()).0, Some(413));
    assert_eq!(server.post(&few[..few.len() - 1]).0, Some(400));
    assert_eq!(server.raw(b"GET /prove HTTP/1.1\r\n\r\n").0, Some(405));
    assert_eq!(server.raw(b"GET /../etc/passwd HTTP/1.1\r\n\r\n").0, Some(404));
    assert_eq!(server.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n").0, Some(400));
    // The connection may be reset before the answer is read, as more was sent than the server
    // takes.
    let status = server.raw(&[&b"POST /prove HTTP/1.1\r\nx: "[..], &[b'a'; 20_000]].concat()).0;
    assert!(status.is_none_or(|status| status == 431), "{status:?}");

    // As many peers as there are connections say nothing, or a byte at a time: they are cut off,
    // and the next one is served. On a busy machine that one may be cut off itself.
    let server = Served::start(&room, &["--timeout", "2", "--most", "100KiB", "--connections", "2"]);
    let from = Instant::now();
    let mut idle: Vec<TcpStream> = (0..2).map(|_| server.connect()).collect();
    let _ = idle[0].write_all(b"POST /prove HTTP/1.1\r\n");
    let mut slow = idle.pop().unwrap();
    let drip = std::thread::spawn(move || {
        while from.elapsed() < Duration::from_secs(120) && slow.write_all(b"G").is_ok() {
            std::thread::sleep(Duration::from_millis(200));
        }
        from.elapsed()
    });
    assert!((0..20).any(|_| server.post(&few).0 == Some(200)));
    assert!(drip.join().unwrap() < Duration::from_secs(120), "a peer that drips is cut off");
}

#[test]
fn a_server_without_files_or_with_a_signal_ends() {
    if pfh_inject::lacks(&[pfh_inject::Need::SignalMask]) {
        return;
    }
    let room = Room::new();
    room.file("case/file", b"no tree");
    assert_eq!(run(&room, ["audit", "serve", "case"]).code, Some(2));
    assert_eq!(run(&room, ["audit", "serve", "nothing-there"]).code, Some(3));
    let (room, _) = committed("blake3", 1000);
    let seen = pfh(["audit", "serve", "--listen", "127.0.0.1:0", "case"])
        .directory(room.path())
        .signal_once_caught(Duration::from_millis(300), 15)
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(128 + 15));
}

#[test]
fn a_server_that_answers_something_else_is_no_proof_and_no_harm() {
    let (room, _) = committed("blake3", 10_000);
    let ask = |url: &str| {
        let seen = run(&room, ["audit", "ask", url, "kept", "--timeout", "120"]);
        (seen.code, text(&seen))
    };
    let (code, said) = ask(&impostor(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", false));
    assert_eq!((code, said.starts_with("disk.img: REJECTED: not an answer")), (Some(1), true), "{said}");
    let (code, said) = ask(&impostor(b"HTTP/1.1 404 Not Found\r\ncontent-length: 6\r\n\r\n\x1b[31mx", false));
    assert_eq!((code, said.as_str()), (Some(3), "disk.img: NOT ASKED: the server refused: 404 ?[31mx\n"));
    let elsewhere = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    let (code, said) = ask(&impostor(elsewhere, false));
    assert_eq!((code, said.starts_with("disk.img: NOT ASKED: the server refused: 302")), (Some(3), true), "{said}");
    // An endless answer is judged as it comes, and its first bytes are none.
    let (code, said) = ask(&impostor(b"HTTP/1.1 200 OK\r\n\r\n", true));
    assert_eq!((code, said.starts_with("disk.img: REJECTED: not an answer")), (Some(1), true), "{said}");
    for (answer, endless) in [(&b""[..], false), (b"220 smtp\r\n", false)] {
        let (code, said) = ask(&impostor(answer, endless));
        assert_eq!((code, said.starts_with("disk.img: NOT ASKED: ")), (Some(3), true), "{said}");
    }
}

#[test]
fn the_question_goes_to_the_server_that_is_named_and_to_no_proxy() {
    let (room, _) = committed("blake3", 10_000);
    let server = Served::start(&room, &[]);
    let seen = pfh(["audit", "ask", &server.url, "kept"])
        .under(["env", "http_proxy=http://127.0.0.1:9", "ALL_PROXY=http://127.0.0.1:9"])
        .directory(room.path())
        .run()
        .expect("a run");
    assert_eq!(seen.code, Some(0), "{seen:?}");
}
