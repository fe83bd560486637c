//! `pfh verify` and the logs of other imaging tools.

use crate::program::{MIB, Room};
use pfh_inject::{Need, Trial, content, lacks};
use std::fs;

/// Whether the table has a digest of the image that this log states, and that is equal.
fn is_equal(said: &str, log: &str) -> bool {
    said.lines()
        .any(|line| line.contains(" of the image ") && line.contains(&format!("  {log}")) && line.ends_with("  yes"))
}

/// The exit code of `pfh WORDS`, with everything that it says.
fn pfh(room: &Room, words: &str) -> (i32, String) {
    let words = words.split_whitespace();
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().unwrap();
    (seen.code.unwrap(), format!("{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr))
}

fn tool(room: &Room, program: &str, words: &str) {
    let seen = Trial::new(program).args(words.split_whitespace()).directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(0), "{program} {words}: {}", seen.stderr);
}

/// Verified as it is, and another image when a bit of it was changed.
#[track_caller]
fn is_evidence(room: &Room, image: &str, log: &str, words: &str) {
    let (code, said) = pfh(room, &format!("verify {words}"));
    assert!(code == 0 && is_equal(&said, log), "{words}: {code} {said}");
    let path = room.path().join(image);
    let whole = fs::read(&path).unwrap();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    fs::write(&path, changed).unwrap();
    let (code, said) = pfh(room, &format!("verify {words}"));
    assert!(code == 1 && said.contains("the image differs"), "{words}: {code} {said}");
    fs::write(&path, whole).unwrap();
}

/// Verified as it is, and not compared when a bit of it was changed: the log does not state what it
/// covers.
#[track_caller]
fn verifies_and_does_not_accuse(room: &Room, image: &str, log: &str, words: &str) {
    let (code, said) = pfh(room, &format!("verify {words}"));
    assert!(code == 0 && is_equal(&said, log), "{words}: {code} {said}");
    let path = room.path().join(image);
    let whole = fs::read(&path).unwrap();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    fs::write(&path, changed).unwrap();
    is_not_read(room, words, "it does not state how many bytes it covers");
    fs::write(&path, whole).unwrap();
}

/// Not read, and why.
#[track_caller]
fn is_not_read(room: &Room, words: &str, why: &str) {
    let (code, said) = pfh(room, &format!("verify {words}"));
    assert!(code == 3 && said.contains(why) && !said.contains("differs"), "{words}: {code} {said}");
}

#[test]
fn a_hash_log_of_dd() {
    let room = Room::new();
    room.file("s", &content(1, MIB));
    let dd = |words: &str| assert_eq!(pfh(&room, &format!("dd if=s hash=md5,sha256 {words}")).0, 0, "{words}");
    dd("of=a.img hashlog=a.img.hashlog hashwindow=100k");
    is_evidence(&room, "a.img", "a.img.hashlog", "a.img");
    dd("of=b.img hashlog=totals");
    is_evidence(&room, "b.img", "totals", "b.img --log totals");
    is_not_read(&room, "b.img", "nothing to compare with");
    let totals = fs::read_to_string(room.path().join("totals")).unwrap();
    room.file("totals", totals.split_once('\n').unwrap().1.as_bytes());
    verifies_and_does_not_accuse(&room, "b.img", "totals", "b.img --log totals");
    // Windows without a total, and lines that no such tool writes.
    let text = fs::read_to_string(room.path().join("a.img.hashlog")).unwrap();
    let windows = &text[..text.find("Total").unwrap()];
    for (changed, why) in [
        (windows.to_owned(), "it states no digest of all"),
        (String::new(), "it states no digest of all"),
        (format!("{text}and more\n"), "is not one of a hash log"),
        (format!("# 9 bytes at offset 0 of the output\n{text}"), "is not one of a hash log"),
        (text.replace("Total (md5)", "Total (sha1)"), "a digest that is not understood"),
    ] {
        room.file("a.img.hashlog", changed.as_bytes());
        is_not_read(&room, "a.img", why);
    }
    // The log for people of an acquisition is none of these.
    assert_eq!(pfh(&room, "acquire s --to c.img").0, 0);
    assert_eq!(pfh(&room, "verify c.img").0, 0);
}

/// `pfh dd` states the offset and the length of what it copied.
#[test]
fn a_hash_log_of_dd_states_its_place() {
    let room = Room::new();
    room.file("s", &content(5, MIB));
    let dd = |words: &str| assert_eq!(pfh(&room, &format!("dd if=s bs=4096 hash=md5 {words}")).0, 0, "{words}");
    dd("of=a.img seek=3 hashlog=a.img.hashlog");
    is_evidence(&room, "a.img", "a.img.hashlog", "a.img");
    let (_, said) = pfh(&room, "verify a.img");
    assert!(said.contains("1048576 bytes from offset 12288 on, of 1060864"), "{said}");
    // Written into a file, whose end no log states.
    room.file("b.img", &content(6, 2 * MIB));
    dd("of=b.img seek=3 conv=notrunc hashlog=b.img.hashlog");
    is_not_read(&room, "b.img", "bytes longer than b.img.hashlog");
    let path = room.path().join("b.img");
    let mut bytes = fs::read(&path).unwrap();
    bytes[MIB as usize] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let (code, said) = pfh(&room, "verify b.img");
    assert!(code == 1 && said.contains("the image differs"), "{said}");
    bytes.truncate(MIB as usize);
    fs::write(&path, &bytes).unwrap();
    let (code, said) = pfh(&room, "verify b.img");
    assert!(code == 1 && said.contains("states 1048576 bytes from offset 12288 on"), "{said}");
    // Of standard output nothing is known but its bytes: no place is stated.
    let script = "\"$1\" dd if=s hash=md5 hashlog=c.img.hashlog > c.img";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_pfh")]).current_dir(room.path());
    assert!(shell.status().unwrap().success());
    verifies_and_does_not_accuse(&room, "c.img", "c.img.hashlog", "c.img");
}

#[test]
fn logs_of_dc3dd() {
    if lacks(&[Need::Program("dc3dd")]) {
        return;
    }
    let room = Room::new();
    room.file("s", &content(2, MIB));
    room.file("odd", &content(3, 100_100));
    tool(&room, "dc3dd", "if=s of=a.img hash=md5 hash=sha256 log=a.log hlog=hashes.hlog");
    is_evidence(&room, "a.img", "a.log", "a.img");
    is_evidence(&room, "a.img", "hashes.hlog", "a.img --log hashes.hlog");
    tool(&room, "dc3dd", "if=odd hof=odd.img hash=sha1 hlog=hashlog.txt");
    is_evidence(&room, "odd.img", "hashlog.txt", "odd.img");
    tool(&room, "dc3dd", "if=s hofs=p.000 ofsz=400k hash=md5 log=p.log");
    is_evidence(&room, "p.001", "p.log", "p.000");
    // Of another image, without a digest, not at the start of the file.
    assert_eq!(pfh(&room, "dd if=s of=other.img").0, 0);
    is_not_read(&room, "other.img", "nothing to compare with");
    tool(&room, "dc3dd", "if=s of=none.img log=none.log");
    is_not_read(&room, "none.img", "it states no digest");
    room.file("later.img", &[0; 2048]);
    tool(&room, "dc3dd", "if=s of=later.img oskip=4 hash=md5 log=later.log");
    is_not_read(&room, "later.img", "a part of the file");
}

#[test]
fn hash_logs_of_dcfldd() {
    if lacks(&[Need::Program("dcfldd")]) {
        return;
    }
    let room = Room::new();
    room.file("s", &content(4, MIB));
    tool(&room, "dcfldd", "if=s of=a.img hash=md5,sha256 hashwindow=256k hashlog=a.img.hashlog");
    is_evidence(&room, "a.img", "a.img.hashlog", "a.img");
    tool(&room, "dcfldd", "if=s of=b.img hash=sha256 sha256log=b.img.sha256.log");
    verifies_and_does_not_accuse(&room, "b.img", "b.img.sha256.log", "b.img");
    tool(&room, "dcfldd", "if=s of=c.img hash=md5 hashlog=totals.txt");
    verifies_and_does_not_accuse(&room, "c.img", "totals.txt", "c.img --log totals.txt");
    // Behind `seek=`, in a file that is longer, and in one that was cut: not compared.
    tool(&room, "dcfldd", "if=s of=d.img bs=4096 seek=3 hash=md5 hashlog=d.img.hashlog");
    is_not_read(&room, "d.img", "it does not state how many bytes it covers");
    tool(&room, "dcfldd", "if=s of=e.img bs=4096 seek=3 hash=md5 hashwindow=256k hashlog=e.img.hashlog");
    is_not_read(&room, "e.img", "it covers 1048576 of 1060864 bytes, and does not state which");
    let path = room.path().join("a.img");
    let mut bytes = fs::read(&path).unwrap();
    bytes.push(0);
    fs::write(&path, &bytes).unwrap();
    is_not_read(&room, "a.img", "it covers 1048576 of 1048577 bytes, and does not state which");
    bytes.truncate(1000);
    fs::write(&path, &bytes).unwrap();
    is_not_read(&room, "a.img", "it covers 1048576 bytes, and the image has 1000");
}
