//! `pfh verify`: its verdicts and the evidence that it names.

use crate::program::{MIB, Room, flip, pfh, sha256_of};
use pfh_inject::content;
use serde_json::Value;
use std::fs;

fn good(room: &Room, words: &str) -> String {
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(0), "pfh {words}: {}", seen.stderr);
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

/// Exit code and verdict, which must agree.
fn verdict(room: &Room, words: &str) -> (i32, String, String) {
    let seen = pfh(room, &format!("verify --json {words}"));
    let value: Value = serde_json::from_slice(&seen.stdout).unwrap_or_else(|e| panic!("{words}: {e}: {}", seen.stderr));
    let verdict = value["verdict"].as_str().unwrap().to_owned();
    let code = match verdict.as_str() {
        "verified" => 0,
        "differs" => 1,
        "nothing-to-compare-with" => 3,
        other => panic!("{other}"),
    };
    assert_eq!((seen.code, value["verified"].as_bool()), (Some(code), Some(code == 0)), "{words}: {}", seen.stderr);
    assert!(code != 0 || !value["compared"].as_array().unwrap().is_empty(), "{words}");
    (code, value.to_string(), seen.stderr)
}

#[test]
fn nothing_to_compare_with_is_no_success() {
    let room = Room::new();
    let source = room.file("some", &content(1, 100_000));
    for words in ["some", "/etc/passwd", "some -a md5,sha256"] {
        let seen = pfh(&room, &format!("verify {words}"));
        let text = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(seen.code == Some(3) && text.contains("nothing to compare with"), "{words}: {text}{}", seen.stderr);
        assert_eq!(verdict(&room, words).0, 3);
    }
    assert!(String::from_utf8_lossy(&pfh(&room, "verify some").stdout).contains(&sha256_of(&source)));
    assert_eq!(verdict(&room, &format!("some --digest sha256:{}", sha256_of(&source))).0, 0);
    assert_eq!(verdict(&room, "some --digest md5:00000000000000000000000000000000").0, 1);
    for words in ["some --digest md5:zz", "some --digest x", "some --digest none:00"] {
        let seen = pfh(&room, &format!("verify {words}"));
        assert!(seen.code == Some(2) && seen.stdout.is_empty(), "{words}: {}", seen.stderr);
    }
    for words in ["missing", "some --log missing", ".", "some --against missing"] {
        let seen = pfh(&room, &format!("verify {words}"));
        assert!(seen.code == Some(3) && seen.stdout.is_empty(), "{words}: {:?} {}", seen.code, seen.stderr);
    }
}

/// The log's name is in the report though nobody named a log.
#[test]
fn the_report_names_the_log() {
    let room = Room::new();
    room.file("source", &content(9, 5000));
    let report: Value = serde_json::from_str(&good(&room, "acquire source --to image --json")).unwrap();
    assert_eq!(report["log"], "image.log.jsonl");
}

/// The table, the findings and the hints of options.
#[test]
fn evidence_and_findings_are_printed() {
    let room = Room::new();
    // RFC 8410, 10.1.
    let public = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";
    room.file("k.pub", public.as_bytes());
    room.file("k.pem", crate::program::PRIVATE_KEY.as_bytes());
    room.file("s", &content(1, MIB));
    good(&room, "acquire s --to signed.dd --key k.pem");
    good(&room, "acquire s --to plain.dd");
    let text = good(&room, "verify plain.dd");
    assert!(text.contains("plain.dd.log.jsonl") && text.contains("sha256 of the image"), "{text}");
    let text = good(&room, "verify signed.dd --key k.pub");
    assert!(text.contains("the signature of that key                   signed.dd.log.jsonl  yes"), "{text}");
    let seen = pfh(&room, "verify signed.dd");
    let text = String::from_utf8_lossy(&seen.stdout).into_owned() + &seen.stderr;
    assert!(seen.code == Some(0) && text.contains("signed; give --key"), "{text}");
    let (code, _, said) = verdict(&room, "plain.dd --key k.pub");
    assert!(code == 3 && said.contains("the log is not signed by the key k.pub"), "{said}");
    let (code, _, said) = verdict(&room, "plain.dd --log s");
    assert!(code == 3 && !said.contains("differs"), "{said}");
    room.file("half", &content(1, 500_000));
    let (code, found, _) = verdict(&room, "s --against half");
    assert!(code == 3 && found.contains("the image is 548576 bytes longer than half"), "{found}");
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(
        (&found["comparisons"][0]["size"], &found["comparisons"][0]["other-size"]),
        (&MIB.into(), &500_000.into())
    );
    assert_eq!((&found["comparisons"][0]["alone"][0]["length"], &found["complete"]), (&548_576.into(), &false.into()));
    flip(&room, "plain.dd", 77);
    let (code, _, said) = verdict(&room, "plain.dd");
    assert!(code == 1 && said.contains("DIFFERENT"), "{said}");
}

/// A format that is not read is named, by the commands that read images.
#[test]
fn formats_have_their_exits() {
    let room = Room::new();
    for (name, start, code) in [("QCOW", &b"QFI\xfb\0\0\0\x01"[..], 2), ("VHDX", b"vhdxfile", 1)] {
        room.file("image", &[start, &content(5, 8192)].concat());
        for (words, code) in [("verify image", code), ("hash --image image", 3), ("acquire --image image --to copy", 2)]
        {
            let seen = pfh(&room, words);
            assert!(seen.code == Some(code) && seen.stderr.contains(name), "{words} of {name}: {seen:?}");
        }
        assert!(!room.path().join("copy").exists(), "{name}");
        assert_eq!(pfh(&room, "verify image --raw").code, Some(3), "{name}");
    }
    let seen = pfh(&room, "acquire image --to x.aff4");
    assert!(seen.code == Some(2) && seen.stderr.contains("-f raw"), "{}", seen.stderr);
    good(&room, "acquire image -f raw --to x.aff4");
}

/// Of standard output nothing is known but its bytes: a hash log states no place.
#[cfg(unix)]
#[test]
fn a_hash_log_of_standard_output_does_not_accuse() {
    let room = Room::new();
    room.file("s", &content(5, MIB));
    let script = "\"$1\" dd if=s hash=md5 hashlog=c.img.hashlog > c.img";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_pfh")]).current_dir(room.path());
    assert!(shell.status().unwrap().success());
    assert!(good(&room, "verify c.img").contains("c.img.hashlog"));
    let path = room.path().join("c.img");
    let mut bytes = fs::read(&path).unwrap();
    bytes[1000] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (code, _, said) = verdict(&room, "c.img");
    assert!(code == 3 && said.contains("it does not state how many bytes it covers"), "{said}");
}
