//! Lists as other programs write them: what `pfh check` says of them, with the programs themselves
//! where they are here.

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::ffi::OsStr;
use std::process::Command;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn files() -> Room {
    let room = Room::new();
    room.file("a", b"hi\n");
    room.file("sub/b c", b"ho\n");
    room
}

/// What a shell command prints in the room.
fn printed(room: &Room, command: &str) -> Vec<u8> {
    let output = Command::new("sh").args(["-c", command]).current_dir(room.path()).output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    output.stdout
}

/// The list verifies two files; with one of them changed it does not.
#[track_caller]
fn verifies(room: &Room, list: &str, algorithm: &str) {
    let seen = pfh(room, ["check", "--no-progress", list]);
    let said = format!("2 files verified against {list}: {algorithm}");
    assert_eq!((seen.code, seen.stderr.contains(&said)), (Some(0), true), "{list}: {}", seen.stderr);
    room.file("a", b"ha\n");
    let seen = pfh(room, ["check", "--no-progress", list]);
    assert_eq!(seen.code, Some(1), "{list}: {}", seen.stderr);
    room.file("a", b"hi\n");
}

#[test]
fn lists_of_md5deep_with_more_columns() {
    if lacks(&[Need::Program("md5deep")]) {
        return;
    }
    let room = files();
    for options in ["-zl", "-cl", "-zcl", "-tl", "-ztl"] {
        room.file("list", &printed(&room, &format!("md5deep {options} a 'sub/b c'")));
        verifies(&room, "list", "md5");
    }
}

#[test]
fn sfv_of_rhash_and_ours_for_rhash() {
    if lacks(&[Need::Program("rhash")]) {
        return;
    }
    let room = files();
    room.file("theirs.sfv", &printed(&room, "rhash --sfv a 'sub/b c'"));
    verifies(&room, "theirs.sfv", "crc32");
    // Without its comments, and without a name that says what it is.
    room.file("bare", &printed(&room, "grep -v '^;' theirs.sfv"));
    verifies(&room, "bare", "crc32");
    let seen = pfh(&room, ["hash", "--no-progress", "-a", "crc32", "-f", "sfv", "-o", "ours.sfv", "a", "sub/b c"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    verifies(&room, "ours.sfv", "crc32");
    let said = String::from_utf8(printed(&room, "rhash -c ours.sfv")).unwrap();
    assert!(said.contains("Everything OK") && said.matches("OK").count() == 3, "{said}");
    let seen = pfh(&room, ["hash", "--no-progress", "-a", "sha256", "-f", "sfv", "a"]);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
}

#[test]
fn lists_of_windows_and_packed_ones() {
    let room = files();
    let sum = |name: &str| String::from_utf8(printed(&room, &format!("sha256sum '{name}'"))).unwrap()[..64].to_owned();
    let (a, b) = (sum("a"), sum("sub/b c"));
    room.file(
        "csv",
        format!("\"Algorithm\",\"Hash\",\"Path\"\r\n\"SHA256\",\"{a}\",\"a\"\r\n\"SHA256\",\"{b}\",\"sub\\b c\"\r\n")
            .as_bytes(),
    );
    verifies(&room, "csv", "sha256");
    room.file("list", format!("\r\nAlgorithm : SHA256\r\nHash      : {a}\r\nPath      : a\r\n\r\nAlgorithm : SHA256\r\nHash      : {b}\r\nPath      : sub\\b c\r\n").as_bytes());
    verifies(&room, "list", "sha256");
    let done = "CertUtil: -hashfile command completed successfully.\r\n";
    room.file(
        "util",
        format!("SHA256 hash of a:\r\n{a}\r\n{done}SHA256 hash of sub\\b c:\r\n{b}\r\n{done}").as_bytes(),
    );
    verifies(&room, "util", "sha256");
    room.file("oci", format!("sha256:{a}  a\nsha256:{b}  sub/b c\n").as_bytes());
    verifies(&room, "oci", "sha256");
    // Packed: the same, and one that was cut is not a short list.
    let packed = printed(&room, "gzip -c oci");
    room.file("oci.gz", &packed);
    verifies(&room, "oci.gz", "sha256");
    room.file("cut.gz", &packed[..packed.len() / 2]);
    let seen = pfh(&room, ["check", "cut.gz"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("packed with gzip: "), "{:?} {}", seen.code, seen.stderr);
}

#[test]
fn a_digest_alone_in_a_file_called_after_the_file() {
    let room = files();
    let digest = printed(&room, "sha256sum a | cut -c1-64");
    room.file("a.sha256", &digest);
    let seen = pfh(&room, ["check", "a.sha256"]);
    assert_eq!((seen.code, &seen.stdout[..]), (Some(0), &b"a: OK\n"[..]), "{}", seen.stderr);
    // From elsewhere by its path; and the wrong file is found out.
    let path = room.path().join("a.sha256");
    assert_eq!(pfh(&room, ["check".as_ref(), path.as_os_str()]).code, Some(0));
    room.file("a", b"ha\n");
    assert_eq!(pfh(&room, ["check", "a.sha256"]).code, Some(1));
    // Under a name that says nothing it says nothing.
    room.file("a.txt", &digest);
    assert_eq!(pfh(&room, ["check", "a.txt"]).code, Some(3));
}

/// RHash puts the name first and all digests of a file behind it; a CRC among them counts as well.
#[test]
fn several_digests_behind_a_name_as_rhash_writes_them() {
    if lacks(&[Need::Program("rhash")]) {
        return;
    }
    let room = files();
    for options in ["-M -H", "-M -H --sha256 --sha512", "-C -M"] {
        room.file("list", &printed(&room, &format!("rhash --simple {options} a 'sub/b c'")));
        let seen = pfh(&room, ["check", "list"]);
        assert_eq!(seen.code, Some(0), "{options}: {}", seen.stderr);
        // Each of the digests is compared: of the second file the last one is another now.
        let mut changed = printed(&room, &format!("rhash --simple {options} a 'sub/b c'"));
        let last = changed.iter().rposition(u8::is_ascii_hexdigit).expect("a digit");
        changed[last] = if changed[last] == b'0' { b'1' } else { b'0' };
        room.file("list", &changed);
        let seen = pfh(&room, ["check", "list"]);
        assert_eq!(seen.code, Some(1), "{options}: {}", seen.stderr);
        assert!(String::from_utf8_lossy(&seen.stdout).contains("sub/b c: FAILED"), "{options}");
    }
}
