//! `pfh bag`: packages by RFC 8493, beside the conformance suite and bagit.py.

use crate::program::{Room, digest_by};
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path()).run().unwrap()
}

fn out(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn read(room: &Room, name: &str) -> String {
    fs::read_to_string(room.path().join(name)).unwrap()
}

/// The Library of Congress's suite (`vectors/bagit`), written out.
#[test]
fn the_conformance_suite_passes() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/bagit/suite.json");
    let files: BTreeMap<String, Value> = serde_json::from_slice(&fs::read(suite).unwrap()).unwrap();
    let room = Room::new();
    let mut bags: BTreeMap<String, String> = BTreeMap::new();
    for (name, content) in &files {
        let bytes = match content["base64"].as_str() {
            Some(text) => base64(text),
            None => content.as_str().unwrap().as_bytes().to_vec(),
        };
        room.file(name, &bytes);
        let parts: Vec<&str> = name.split('/').collect();
        if parts.len() > 3 {
            bags.insert(parts[..3].join("/"), parts[1].to_owned());
        }
    }
    let mut wrong = Vec::new();
    for (bag, kind) in &bags {
        let seen = pfh(&room, &format!("bag validate {bag}"));
        let warned = seen.stderr.contains("warning: ");
        let right = match &**kind {
            "valid" => seen.code == Some(0),
            "invalid" | "linux-only" => seen.code == Some(1),
            _ => seen.code == Some(1) || (seen.code == Some(0) && warned),
        };
        if !right {
            wrong.push(format!("{bag}: {:?}\n{}{}", seen.code, out(&seen), seen.stderr));
        }
    }
    assert!(bags.len() > 50, "{}", bags.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn base64(text: &str) -> Vec<u8> {
    let output = Command::new("sh").arg("-c").arg(format!("printf %s '{text}' | base64 -d")).output().unwrap();
    assert!(output.status.success());
    output.stdout
}

#[test]
fn a_bag_is_made_validated_and_updated() {
    let room = Room::new();
    room.file("b/data/letter", b"Dear Ada");
    room.file("b/data/d/100%\n", b"odd");
    room.file("b/about.txt", b"a tag file of the owner's");
    let seen = pfh(&room, "bag create -a sha256,md5,sha3-256 --info Source-Organization=Archive b");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("b: a bag of 2 files, 11 bytes, by sha256, md5, sha3-256"), "{}", seen.stderr);
    assert_eq!(read(&room, "b/bagit.txt"), "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    let letter = format!("{}  data/letter\n", digest_by("md5sum", b"Dear Ada"));
    assert!(read(&room, "b/manifest-md5.txt").ends_with(&letter), "{}", read(&room, "b/manifest-md5.txt"));
    assert!(read(&room, "b/manifest-sha3256.txt").contains("  data/d/100%25%0A\n"));
    assert!(read(&room, "b/bag-info.txt").ends_with("Payload-Oxum: 11.2\nSource-Organization: Archive\n"));
    assert!(read(&room, "b/tagmanifest-sha256.txt").contains("  about.txt\n"));
    let seen = pfh(&room, "bag validate b --json");
    let summary: Value = serde_json::from_slice(seen.lines().last().unwrap()).unwrap();
    assert_eq!((seen.code, &summary["verdict"], &summary["files"]), (Some(0), &"verified".into(), &2.into()));
    assert_eq!(summary["algorithms"].to_string(), r#"["md5","sha256","sha3-256"]"#);
    // Its manifest is one that every command reads.
    let seen = pfh(&room, "check b/manifest-md5.txt b");
    assert_eq!(
        (seen.code, out(&seen).contains("data/letter: OK")),
        (Some(1), true),
        "a bag is more: names are encoded"
    );
    // The second command.
    let seen = pfh(&room, "bag create b");
    assert_eq!(seen.code, Some(2));
    assert!(seen.stderr.contains("is a bag already"), "{}", seen.stderr);
    // What came and went is taken; what changed is not, unless that is said.
    room.file("b/data/new", b"new");
    fs::remove_file(room.path().join("b/data/d/100%\n")).unwrap();
    let seen = pfh(&room, "bag validate b");
    assert_eq!(seen.code, Some(1));
    assert!(out(&seen).contains("error       data/new: is in no manifest\n"), "{}", out(&seen));
    assert!(out(&seen).contains("error       data/d/100%\\n: is missing\n"), "{}", out(&seen));
    let seen = pfh(&room, "bag update b -a sha512");
    assert_eq!((seen.code, &*out(&seen)), (Some(0), "- data/d/100%\\n\n+ data/new\n"), "{}", seen.stderr);
    assert_eq!(pfh(&room, "bag validate b").code, Some(0), "{}", pfh(&room, "bag validate b").stderr);
    assert!(read(&room, "b/manifest-sha512.txt").contains("  data/new\n"));
    assert!(read(&room, "b/bag-info.txt").contains("Payload-Oxum: 11.2\nSource-Organization: Archive\n"));
    room.file("b/data/letter", b"Dear Bob");
    let before = read(&room, "b/manifest-md5.txt");
    let seen = pfh(&room, "bag update b");
    assert_eq!((seen.code, read(&room, "b/manifest-md5.txt") == before), (Some(1), true), "{}", seen.stderr);
    assert!(out(&seen).contains("data/letter: its content is not that of manifest-md5.txt"), "{}", out(&seen));
    assert_eq!(pfh(&room, "bag update b --force").code, Some(0));
    assert_eq!(pfh(&room, "bag validate b").code, Some(0));
    room.file("b/about.txt", b"another");
    let seen = pfh(&room, "bag validate b --quiet");
    assert_eq!((seen.code, &*out(&seen)), (Some(1), ""));
}

#[test]
fn what_is_no_bag_or_cannot_be_one() {
    let room = Room::new();
    room.file("loose/letter", b"x");
    for (words, code, why) in [
        ("bag validate loose", 1, "no valid bag"),
        ("bag validate nowhere", 3, "No such file"),
        ("bag validate loose/letter", 3, "ENOTDIR"),
        ("bag create loose", 2, "no folder data"),
        ("bag update loose", 2, "bagit.txt is missing"),
        ("bag create -a ssdeep loose", 2, "ssdeep has no manifests"),
    ] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(code), "{words}: {}", seen.stderr);
        assert!(seen.stderr.contains(why), "{words}: {}", seen.stderr);
    }
    // What no manifest can hold: nothing is written.
    room.file("l/data/one", b"x");
    symlink("one", room.path().join("l/data/link")).unwrap();
    let seen = pfh(&room, "bag create l");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(out(&seen).contains("data/link: is a symbolic link, and no file"), "{}", out(&seen));
    assert_eq!(fs::read_dir(room.path().join("l")).unwrap().count(), 1);
    let seen = pfh(&room, "bag create --info Payload:x=1 loose");
    assert_eq!(seen.code, Some(2));
}

#[test]
fn names_that_lead_out_are_refused_and_nothing_is_fetched() {
    let room = Room::new();
    room.file("secret", b"secret");
    room.file("b/data/letter", b"x");
    assert_eq!(pfh(&room, "bag create -a md5 b").code, Some(0));
    fs::remove_file(room.path().join("b/tagmanifest-md5.txt")).unwrap();
    let manifest = read(&room, "b/manifest-md5.txt");
    let secret = digest_by("md5sum", b"secret");
    for name in
        ["../secret", "data/../../secret", "/etc/passwd", "~/secret", "~root/x", "data/%0a/../../../secret", "secret"]
    {
        room.file("b/manifest-md5.txt", format!("{manifest}{secret}  {name}\n").as_bytes());
        let seen = pfh(&room, "bag validate b");
        assert_eq!(seen.code, Some(1), "{name}: {}", out(&seen));
        assert!(out(&seen).contains("manifest-md5.txt: line 2: has "), "{name}: {}", out(&seen));
    }
    // A tag manifest must not lead out by a link either.
    room.file("b/manifest-md5.txt", manifest.as_bytes());
    symlink("../secret", room.path().join("b/out")).unwrap();
    room.file("b/tagmanifest-md5.txt", format!("{secret}  out\n").as_bytes());
    assert_eq!(pfh(&room, "bag validate b").code, Some(3));
    // Nor does an update read what the link leads to.
    let seen = pfh(&room, "bag update b");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("out: warning: is a symbolic link"), "{}", seen.stderr);
    assert!(!read(&room, "b/tagmanifest-md5.txt").contains("out"));
    fs::remove_file(room.path().join("b/tagmanifest-md5.txt")).unwrap();
    // To be fetched: not complete, and not wrong.
    room.file("b/manifest-md5.txt", format!("{manifest}{secret}  data/far\n").as_bytes());
    assert_eq!(pfh(&room, "bag validate b").code, Some(1), "missing");
    room.file("b/fetch.txt", b"http://127.0.0.1:9/far 6 data/far\n");
    let seen = pfh(&room, "bag validate b");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(out(&seen).contains("data/far: is yet to be fetched from http://127.0.0.1:9/far"), "{}", out(&seen));
    assert_eq!(pfh(&room, "bag update b").code, Some(0));
    assert!(read(&room, "b/manifest-md5.txt").contains("data/far"));
    assert_eq!(pfh(&room, "bag validate b").code, Some(3));
    assert_eq!(pfh(&room, "bag update -a sha256 b").code, Some(2), "there is no sha256 of it");
    room.file("b/data/far", b"secret");
    assert_eq!(pfh(&room, "bag update b").code, Some(0));
    assert_eq!(pfh(&room, "bag validate b").code, Some(0), "{}", out(&pfh(&room, "bag validate b")));
    // An unknown algorithm is named, and in the exit code.
    room.file("b/manifest-snefru.txt", b"00  data/letter\n00  data/far\n");
    let seen = pfh(&room, "bag validate b");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(out(&seen).contains("manifest-snefru.txt: its algorithm is not known here"), "{}", out(&seen));
}

/// What lies elsewhere is not in the bag, whatever the bag says.
#[test]
fn links_in_a_bag_are_not_followed() {
    let room = Room::new();
    room.file("b/data/letter", b"x");
    room.file("away/letter", b"x");
    assert_eq!(pfh(&room, "bag create -a md5 b").code, Some(0));
    fs::rename(room.path().join("b/data"), room.path().join("kept")).unwrap();
    symlink("../away", room.path().join("b/data")).unwrap();
    let seen = pfh(&room, "bag validate b");
    assert_eq!(seen.code, Some(1), "{}", out(&seen));
    assert!(out(&seen).contains("data: is a symbolic link"), "{}", out(&seen));
    assert_eq!(pfh(&room, "bag update b").code, Some(2));
    fs::remove_file(room.path().join("b/data")).unwrap();
    fs::rename(room.path().join("kept"), room.path().join("b/data")).unwrap();
    assert_eq!(pfh(&room, "bag validate b").code, Some(0));
    fs::rename(room.path().join("b/manifest-md5.txt"), room.path().join("away/m")).unwrap();
    symlink("../away/m", room.path().join("b/manifest-md5.txt")).unwrap();
    let seen = pfh(&room, "bag validate b");
    assert_eq!(seen.code, Some(1), "{}", out(&seen));
    assert!(out(&seen).contains("manifest-md5.txt: open: is a symbolic link"), "{}", out(&seen));
    symlink("away", room.path().join("data")).unwrap();
    assert_eq!(pfh(&room, "bag create .").code, Some(2));
}

/// The reference implementation validates what we make, and we what it makes.
#[test]
fn beside_bagit_py() {
    if lacks(&[Need::Program("bagit.py")]) {
        return;
    }
    let room = Room::new();
    let bagit = |words: &str| {
        let ran = Command::new("bagit.py").args(words.split(' ')).current_dir(room.path()).output().unwrap();
        (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    for (name, algorithms) in [("one", "md5"), ("two", "sha256,sha512"), ("three", "sha1,sha3-256,blake2b")] {
        // Of what RFC 8493 encodes, bagit.py 1.9 does not decode percent signs.
        room.file(format!("{name}/data/d/two\nlines"), b"content");
        room.file(format!("{name}/data/empty"), b"");
        assert_eq!(pfh(&room, &format!("bag create -a {algorithms} {name}")).code, Some(0));
        let (code, said) = bagit(&format!("--validate {name}"));
        assert_eq!(code, Some(0), "{name}: {said}");
        room.file(format!("{name}/data/more"), b"more");
        assert_eq!(bagit(&format!("--validate {name}")).0, Some(1));
        assert_eq!(pfh(&room, &format!("bag update {name}")).code, Some(0));
        let (code, said) = bagit(&format!("--validate {name}"));
        assert_eq!(code, Some(0), "{name}: {said}");
    }
    for options in ["--md5", "--sha256 --sha512", "--sha1 --sha3_256 --processes 2"] {
        let name = options.replace([' ', '-'], "");
        room.file(format!("{name}/d/file"), b"content");
        room.file(format!("{name}/x"), b"");
        let (code, said) = bagit(&format!("{options} --contact-name Ada {name}"));
        assert_eq!(code, Some(0), "{said}");
        let seen = pfh(&room, &format!("bag validate {name}"));
        assert_eq!(seen.code, Some(0), "{options}: {}{}", out(&seen), seen.stderr);
        room.file(format!("{name}/data/x"), b"x");
        assert_eq!(pfh(&room, &format!("bag validate {name}")).code, Some(1));
    }
}
