//! `pfh audit`: keyed answers, tokens, sets of files, updates that are followed, schedules.

use crate::audited;
use crate::audited::{Served, committed, good, json, noise, run, text};
use crate::program::Room;

#[test]
fn a_keyed_answer_over_http_is_compared_with_the_copy() {
    let (room, file) = committed("sha3-256", 500_000);
    room.file("copy", &std::fs::read(&file).unwrap());
    let server = Served::start(&room, &[]);
    let keyed = ["audit", "ask", &server.url, "kept", "--keyed", "--data", "copy"];
    for options in [&[][..], &["--all"], &["--leaves", "3"]] {
        let seen = good(&room, keyed.iter().chain(options));
        assert!(text(&seen).contains("is that of your copy, which gives the kept sha3-256 root"), "{}", text(&seen));
    }
    // A directory with the copies under their identities.
    std::fs::create_dir(room.path().join("copies")).unwrap();
    std::fs::copy(room.path().join("copy"), room.path().join("copies/disk.img")).unwrap();
    good(&room, ["audit", "ask", &server.url, "kept", "--keyed", "--data", "copies"]);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.iter_mut().step_by(1024).for_each(|byte| *byte ^= 1);
    std::fs::write(&file, &bytes).unwrap();
    let seen = run(&room, keyed);
    assert_eq!((seen.code, text(&seen).contains("REJECTED: the keyed digest")), (Some(1), true), "{seen:?}");
    // The auditor's copy is damaged as well: nothing to compare with.
    room.file("copy", &bytes);
    assert_eq!(run(&room, keyed).code, Some(3));
    assert_eq!(run(&room, ["audit", "ask", &server.url, "kept", "--keyed"]).code, Some(2), "with what?");
}

#[test]
fn tokens_audit_without_the_data_once_each() {
    use std::os::unix::fs::PermissionsExt;
    let (room, file) = committed("blake3", 300_000);
    std::fs::copy(&file, room.path().join("copy")).unwrap();
    let make = ["audit", "tokens", "kept", "--data", "copy", "--count", "3", "--leaves", "50", "-o", "tokens"];
    good(&room, make);
    let mode = std::fs::metadata(room.path().join("tokens")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The data is gone, and so is what was kept.
    std::fs::remove_file(room.path().join("copy")).unwrap();
    let server = Served::start(&room, &[]);
    let ask = ["audit", "ask", &server.url, "--tokens", "tokens"];
    let seen = good(&room, ask);
    assert!(text(&seen).starts_with("disk.img: PROVED: the keyed digest of 50 of 293 leaves is that of the token"));
    // A server that lost every leaf's first byte is found out by the next one.
    let genuine = std::fs::read(&file).unwrap();
    let mut bytes = genuine.clone();
    bytes.iter_mut().step_by(1024).for_each(|byte| *byte ^= 1);
    std::fs::write(&file, &bytes).unwrap();
    assert_eq!(run(&room, ask).code, Some(1));
    std::fs::write(&file, &genuine).unwrap();
    let seen = run(&room, ask);
    assert_eq!((seen.code, seen.stderr.contains("that was the last token")), (Some(0), true), "{seen:?}");
    let seen = run(&room, ask);
    assert_eq!((seen.code, seen.stderr.contains("all tokens have been used")), (Some(3), true), "{seen:?}");
    // A copy that is not the file makes no tokens; a token is not taken for another file's.
    room.file("copy", &bytes);
    assert_eq!(run(&room, make).code, Some(3));
    let tokens = std::fs::read_to_string(room.path().join("tokens")).unwrap();
    room.file("cut", &tokens.as_bytes()[..tokens.len() - 30]);
    assert_eq!(run(&room, ["audit", "ask", &server.url, "--tokens", "cut"]).code, Some(2));
}

/// Forty small files under one commitment: one sample over all of them, and small files are not
/// transferred whole.
#[test]
fn a_set_is_sampled_as_a_whole_under_one_commitment() {
    let room = Room::new();
    let mut commit: Vec<String> = vec!["audit".into(), "commit".into(), "-o".into(), "../catalogue".into()];
    for number in 0..40 {
        room.file(format!("case/f{number}"), &noise(20_000, number));
        commit.push(format!("f{number}"));
    }
    good(&room, ["tree", "build", "-r", "--leaf", "1KiB", "case"]);
    let seen = audited::pfh(commit).directory(room.path().join("case")).run().unwrap();
    assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""));
    // The owner stores the catalogue as well, and the auditor keeps the line for it.
    std::fs::copy(room.path().join("catalogue"), room.path().join("case/catalogue")).unwrap();
    good(&room, ["tree", "build", "case/catalogue"]);
    good(&room, ["audit", "commit", "--identity", "catalogue", "case/catalogue", "-o", "one"]);
    assert_eq!(std::fs::read_to_string(room.path().join("one")).unwrap().lines().count(), 1);
    let server = Served::start(&room, &[]);
    for arguments in [["catalogue", "--together"], ["one", "--catalogue"]] {
        let mut ask = vec!["audit", "ask", &server.url];
        ask.extend(arguments);
        ask.extend(["--find", "5%", "--json"]);
        let seen = json(&good(&room, &ask));
        assert_eq!((seen["type"].as_str(), seen["verdict"].as_str()), (Some("audit-set"), Some("verified")));
        assert_eq!((seen["leaves"].as_u64(), seen["leaves_of_file"].as_u64()), (Some(90), Some(800)));
        assert!(seen["finds"]["probability"].as_f64().unwrap() > 0.99, "{seen}");
        let asked = seen["files_asked"].as_u64().unwrap();
        assert!((25..=40).contains(&asked) && seen["files"].as_u64() == Some(40), "{seen}");
    }
    // A tenth of all leaves is lost.
    for number in 0..4 {
        std::fs::write(room.path().join(format!("case/f{number}")), vec![0; 20_000]).unwrap();
    }
    let seen =
        run(&room, ["audit", "ask", &server.url, "one", "--catalogue", "--confidence", ".999999", "--find", "5%"]);
    assert_eq!((seen.code, text(&seen).contains("REJECTED")), (Some(1), true), "{seen:?}");
    // Another catalogue than the one committed to is found out before it is believed.
    let mut other = std::fs::read(room.path().join("case/catalogue")).unwrap();
    other[100] ^= 1;
    std::fs::write(room.path().join("case/catalogue"), &other).unwrap();
    assert_eq!(run(&room, ["audit", "ask", &server.url, "one", "--catalogue"]).code, Some(1));
}

#[test]
fn a_change_is_followed_from_the_kept_root_and_from_no_other() {
    for algorithm in ["blake3", "sha256"] {
        let (room, file) = committed(algorithm, 300_000);
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[5000] ^= 1;
        bytes[200_000] ^= 1;
        std::fs::write(&file, &bytes).unwrap();
        let update = ["tree", "update", "case/disk.img", "--range", "5000:1,200000:1", "--proof", "update"];
        good(&room, update);
        let seen = run(&room, ["audit", "renew", "kept", "update", "-o", "kept.new"]);
        assert_eq!(seen.code, Some(0), "{seen:?}");
        assert!(seen.stderr.contains("nothing changed but the leaves at 4096:1024,199680:1024"), "{}", seen.stderr);
        // It is what a commitment of the changed file is.
        good(&room, ["audit", "commit", "--identity", "disk.img", "case/disk.img", "-o", "anew"]);
        let read = |name: &str| std::fs::read(room.path().join(name)).unwrap();
        assert_eq!(read("kept.new"), read("anew"));
        let server = Served::start(&room, &[]);
        good(&room, ["audit", "ask", &server.url, "kept.new"]);
        assert_eq!(run(&room, ["audit", "ask", &server.url, "kept"]).code, Some(3), "another root than the old one");
        // The same update again starts from a root that is no longer kept.
        let refused = |kept: &str, update: &str| {
            let seen = run(&room, ["audit", "renew", kept, update, "-o", "none"]);
            assert!(!room.path().join("none").exists(), "{seen:?}");
            seen.code
        };
        assert_eq!(refused("kept.new", "update"), Some(1));
        // Any changed byte is found: one per kind of field, and all bits of some.
        let proof = read("update");
        for place in (0..proof.len()).step_by(13) {
            let mut forged = proof.clone();
            forged[place] ^= 1 << (place % 8);
            room.file("forged", &forged);
            let code = refused("kept", "forged");
            assert!(matches!(code, Some(1 | 2)), "byte {place}: {code:?}");
        }
    }
}

#[test]
fn a_schedule_ends_when_a_server_is_caught() {
    if pfh_inject::lacks(&[pfh_inject::Need::SignalMask]) {
        return;
    }
    let (room, file) = committed("blake3", 50_000);
    let server = Served::start(&room, &[]);
    let ask = ["audit", "ask", &server.url, "kept", "--every", "1s", "--rounds", "2"];
    let seen = good(&room, ask);
    assert_eq!(text(&seen).lines().count(), 2);
    assert_eq!(
        run(&room, ["audit", "ask", "http://127.0.0.1:9", "kept", "--every", "1s", "--rounds", "2"]).code,
        Some(3)
    );
    std::fs::write(&file, vec![0; 50_000]).unwrap();
    let seen = run(&room, ask);
    assert_eq!((seen.code, text(&seen).lines().count()), (Some(1), 1), "{seen:?}");
    assert_eq!(run(&room, ["audit", "ask", &server.url, "kept", "--every", "soon"]).code, Some(2));
    let caught = audited::pfh(["audit", "ask", "http://127.0.0.1:9", "kept", "--every", "1h"])
        .directory(room.path())
        .signal_once_caught(std::time::Duration::from_millis(500), 15)
        .run()
        .unwrap();
    assert_eq!(caught.code, Some(128 + 15));
}

#[test]
fn the_chance_of_finding_a_loss_is_stated() {
    let (room, _) = committed("blake3", 10_000 * 1024);
    let server = Served::start(&room, &[]);
    let seen = good(&room, ["audit", "ask", &server.url, "kept"]);
    let said =
        "disk.img: PROVED: 459 of 10000 leaves give the kept blake3 root; a loss of 1 % is found with p = 0.991;";
    assert!(text(&seen).starts_with(said), "{}", text(&seen));
    for (options, leaves, probability) in [
        (&["--find", "0.1%"][..], 4603, 0.997),
        (&["--find", ".05", "--confidence", "95%"], 59, 0.951),
        (&["--leaves", "1", "--find", "10%"], 1, 0.1),
    ] {
        let seen = good(&room, ["audit", "ask", &server.url, "kept", "--json"].iter().chain(options));
        let seen = json(&seen);
        let found = (seen["leaves"].as_u64(), seen["finds"]["probability"].as_f64());
        assert_eq!(found, (Some(leaves), Some(probability)), "{options:?}");
    }
    for wrong in ["0", "100%", "1", "x", "-1%", "nan"] {
        assert_eq!(run(&room, ["audit", "challenge", "kept", &format!("--find={wrong}")]).code, Some(2), "{wrong}");
    }
}
