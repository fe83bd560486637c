//! `pfh audit`: the output of its steps, as text and as JSON, their pipes and their exits.
#![cfg(unix)]

use crate::audited::{Served, committed, damage, good, impostor, json, pfh, run, text};
use crate::program::Room;

#[test]
fn verdicts_are_printed_and_steps_are_piped() {
    let (room, file) = committed("blake3", 1_000_000);
    good(&room, ["audit", "challenge", "kept", "-o", "c"]);
    good(&room, ["audit", "prove", "c", "case/disk.img", "-o", "p"]);
    let said = "disk.img: PROVED: 459 of 977 leaves give the kept blake3 root; a loss of 1 % is found with p = 0.998\n";
    assert_eq!(text(&good(&room, ["audit", "verify", "kept", "c", "p"])), said);
    // The same through pipes.
    let challenge = good(&room, ["audit", "challenge", "kept"]).stdout;
    let trial = pfh(["audit", "prove", "-", "case/disk.img"]).directory(room.path()).input(challenge.clone());
    let proof = trial.run().unwrap().stdout;
    room.file("other", &challenge);
    let trial = pfh(["audit", "verify", "--json", "kept", "other", "-"]).directory(room.path()).input(proof);
    let seen = trial.run().unwrap();
    let found = json(&seen);
    assert_eq!((seen.code, &found["verdict"], &found["leaves"]), (Some(0), &"verified".into(), &459.into()));
    // The short answer.
    good(&room, ["audit", "challenge", "kept", "--all", "-o", "all"]);
    good(&room, ["audit", "prove", "--keyed", "all", "case/disk.img", "-o", "k"]);
    let seen = good(&room, ["audit", "verify", "kept", "all", "k", "--data", "case/disk.img"]);
    let said = "disk.img: PROVED: the keyed digest of 977 of 977 leaves is that of your copy, which gives the kept";
    assert_eq!(text(&seen), format!("{said} blake3 root; any loss is found\n"));
    let seen = run(&room, ["audit", "verify", "kept", "all", "k"]);
    assert_eq!((seen.code, seen.stdout.len()), (Some(3), 0), "{}", seen.stderr);
    assert!(seen.stderr.contains("a keyed answer, which needs --data") && !seen.stderr.contains("REJECTED"));
    // Damage, and a copy that is not the file.
    damage(&file);
    good(&room, ["audit", "prove", "c", "case/disk.img", "-o", "damaged"]);
    let seen = run(&room, ["audit", "verify", "kept", "c", "damaged"]);
    assert_eq!((seen.code, text(&seen).starts_with("disk.img: REJECTED: ")), (Some(1), true), "{seen:?}");
    let seen = run(&room, ["audit", "verify", "kept", "all", "k", "--data", "case/disk.img"]);
    assert_eq!((seen.code, seen.stdout.len()), (Some(3), 0), "{}", seen.stderr);
    assert!(seen.stderr.contains("the copy is not the file that was committed"), "{}", seen.stderr);
    // A change that is followed.
    let update = ["tree", "update", "case/disk.img", "--range", "5000:1,200000:1", "--proof", "update"];
    good(&room, update);
    let seen = run(&room, ["audit", "renew", "kept", "update", "-o", "kept.new"]);
    assert_eq!(seen.code, Some(0), "{seen:?}");
    assert!(seen.stderr.contains("nothing changed but the leaves at 4096:1024,199680:1024"), "{}", seen.stderr);
    assert_eq!(run(&room, ["audit", "renew", "kept.new", "update", "-o", "none"]).code, Some(1));
}

#[test]
fn samples_are_options() {
    let (room, _) = committed("blake3", 10_000 * 1024);
    for (options, leaves, probability) in [
        (&["--find", "0.1%"][..], 4603, 0.997),
        (&["--find", ".05", "--confidence", "95%"], 59, 0.951),
        (&["--corruption", "0.1"], 44, 0.990),
        (&["--leaves", "1", "--find", "10%"], 1, 0.1),
    ] {
        good(&room, ["audit", "challenge", "kept", "-o", "c"].iter().chain(options));
        good(&room, ["audit", "prove", "c", "case/disk.img", "-o", "p"]);
        let find = options.iter().position(|word| *word == "--find").map_or(&[][..], |at| &options[at..at + 2]);
        let seen = json(&good(&room, ["audit", "verify", "kept", "c", "p", "--json"].iter().chain(find)));
        assert_eq!(seen["leaves"], leaves, "{options:?}");
        if !find.is_empty() {
            assert_eq!(seen["finds"]["probability"], probability, "{options:?}");
        }
    }
    for wrong in ["0", "100%", "1", "x", "-1%", "nan"] {
        assert_eq!(run(&room, ["audit", "challenge", "kept", &format!("--find={wrong}")]).code, Some(2), "{wrong}");
    }
    for wrong in [&["--confidence", "1"][..], &["--corruption", "0"], &["--leaves", "0"], &["--all", "--leaves", "3"]] {
        assert_eq!(run(&room, ["audit", "challenge", "kept"].iter().chain(wrong)).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn signers_are_printed() {
    let (room, _) = committed("blake3", 50_000);
    crate::audit::secret(room.file("key", "01".repeat(32).as_bytes()));
    let public = ed25519_dalek::SigningKey::from_bytes(&[1; 32]).verifying_key().to_bytes();
    let public: String = public.iter().map(|byte| format!("{byte:02x}")).collect();
    room.file("public", public.as_bytes());
    good(&room, ["audit", "challenge", "kept", "-o", "c"]);
    good(&room, ["audit", "prove", "--key", "key", "c", "case/disk.img", "-o", "signed"]);
    let seen = good(&room, ["audit", "verify", "--signed-by", "public", "kept", "c", "signed"]);
    let said = "disk.img: PROVED: 49 of 49 leaves give the kept blake3 root; any loss is found; signed by";
    assert_eq!(text(&seen), format!("{said} {public}\n"));
    let seen = good(&room, ["audit", "verify", "kept", "c", "signed"]);
    assert!(text(&seen).ends_with(&format!("; signed by {public}, a key that was not asked for\n")), "{}", text(&seen));
    let seen = json(&good(&room, ["audit", "verify", "--json", "kept", "c", "signed"]));
    assert_eq!((&seen["signed_by"], &seen["signer_was_asked_for"]), (&public.into(), &false.into()));
    good(&room, ["audit", "prove", "c", "case/disk.img", "-o", "unsigned"]);
    let seen = run(&room, ["audit", "verify", "--signed-by", "public", "kept", "c", "unsigned"]);
    assert_eq!((seen.code, text(&seen).contains("REJECTED: the answer is not signed")), (Some(1), true), "{seen:?}");
}

#[test]
fn what_a_server_answers_is_printed() {
    let (room, file) = committed("blake3", 300_000);
    std::fs::copy(&file, room.path().join("copy")).unwrap();
    let server = Served::start(&room, &["--most", "100KiB"]);
    let ask = |url: &str, words: &[&str]| run(&room, ["audit", "ask", url].iter().chain(words));
    let seen = ask(&server.url, &["kept", "--leaves", "7", "--json"]);
    assert_eq!((seen.code, json(&seen)["verdict"].as_str()), (Some(0), Some("verified")), "{seen:?}");
    let seen = ask(&server.url, &["kept", "--keyed", "--data", "copy", "--leaves", "7"]);
    assert!(text(&seen).contains("is that of your copy, which gives the kept blake3 root"), "{seen:?}");
    assert_eq!(ask(&server.url, &["kept", "--keyed"]).code, Some(2), "with what?");
    // A refusal gives no verdict.
    for (url, why) in [
        (server.url.clone(), "the server refused: 413"),
        ("http://127.0.0.1:9".into(), ""),
        (impostor(b"HTTP/1.1 404 Not Found\r\ncontent-length: 6\r\n\r\n\x1b[31mx", false), "refused: 404 ?[31mx\n"),
    ] {
        let seen = ask(&url, &["kept", "--timeout", "20"]);
        assert!(text(&seen).starts_with("disk.img: NOT ASKED: ") && text(&seen).contains(why), "{seen:?}");
        assert_eq!(seen.code, Some(3), "{url}: {seen:?}");
        let seen = json(&ask(&url, &["kept", "--json", "--timeout", "20"]));
        assert_eq!(seen["verdict"], "nothing-to-compare-with", "{url}");
    }
    // Tokens, which are used up.
    good(&room, ["audit", "tokens", "kept", "--data", "copy", "--count", "1", "--leaves", "50", "-o", "tokens"]);
    let seen = ask(&server.url, &["--tokens", "tokens"]);
    assert!(text(&seen).starts_with("disk.img: PROVED: the keyed digest of 50 of 293 leaves is that of the token"));
    assert_eq!((seen.code, seen.stderr.contains("that was the last token")), (Some(0), true), "{seen:?}");
    let seen = ask(&server.url, &["--tokens", "tokens"]);
    assert_eq!((seen.code, seen.stderr.contains("all tokens have been used")), (Some(3), true), "{seen:?}");
    // A set.
    let seen = json(&ask(&server.url, &["kept", "--together", "--leaves", "7", "--json"]));
    assert_eq!((&seen["type"], &seen["verdict"]), (&"audit-set".into(), &"verified".into()));
    assert_eq!((&seen["files"], &seen["files_asked"], &seen["leaves_of_file"]), (&1.into(), &1.into(), &293.into()));
    // Rounds, until it is caught.
    let rounds = ["kept", "--leaves", "7", "--every", "1s", "--rounds", "2"];
    assert_eq!(text(&ask(&server.url, &rounds)).lines().count(), 2);
    damage(&file);
    let seen = ask(&server.url, &rounds);
    assert_eq!((seen.code, text(&seen).lines().count()), (Some(1), 1), "{seen:?}");
    assert_eq!(json(&ask(&server.url, &["kept", "--leaves", "7", "--json"]))["verdict"], "differs");
    assert_eq!(ask(&server.url, &["kept", "--every", "soon"]).code, Some(2));
}

/// A schedule that waits ends with a signal.
#[test]
fn a_schedule_ends_with_a_signal() {
    if pfh_inject::lacks(&[pfh_inject::Need::SignalMask]) {
        return;
    }
    let (room, _) = committed("blake3", 1000);
    let caught = pfh(["audit", "ask", "http://127.0.0.1:9", "kept", "--every", "1h"])
        .directory(room.path())
        .signal_once_caught(std::time::Duration::from_millis(500), 15)
        .run()
        .unwrap();
    assert_eq!(caught.code, Some(128 + 15));
}

/// The questions and answers of Figure 1 of Lopes et al.
#[test]
fn the_demonstration_is_printed() {
    let room = Room::new();
    let seen = good(&room, ["audit", "demo", "--size", "1MiB", "--json"]);
    let text_of = text(&seen);
    let scenes: Vec<serde_json::Value> = text_of.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let passes: Vec<_> = scenes.iter().map(|scene| scene["passes"].as_bool().unwrap()).collect();
    assert_eq!(passes, [true, true, true, false, false]);
    let named: Vec<_> = scenes.iter().map(|scene| (&scene["challenge"], &scene["server"])).collect();
    assert_eq!(
        named[2..],
        [
            (&"plain".into(), &"digests".into()),
            (&"leaves".into(), &"digests".into()),
            (&"leaves".into(), &"replay".into())
        ]
    );
    assert_eq!((&scenes[2]["keeps_bytes"], &scenes[2]["answer_bytes"]), (&40.into(), &32.into()));
    assert!(scenes[3]["reason"].is_string() && scenes[0]["reason"].is_null());
    let text = text(&good(&room, ["audit", "demo", "--size", "64KiB", "--leaves", "2"]));
    assert_eq!((text.matches("PASSES").count(), text.matches("REJECTED").count()), (3, 2), "{text}");
    assert_eq!(text.matches("  question ").count(), 5, "the traffic of each scene: {text}");
    for wrong in ["100", "0"] {
        assert_eq!(run(&room, ["audit", "demo", "--size", wrong]).code, Some(2), "{wrong}");
    }
    assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 0, "nothing is left behind");
}
