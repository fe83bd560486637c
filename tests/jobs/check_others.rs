//! Lists as other programs write them, with the programs themselves where they are here.

use crate::check::{Ended, of};
use crate::room::Room;
use crate::rows::{algorithms, list, listed, printed};
use pfh::check::{FileOutcome, Request, Verdict};
use pfh::job::Kind;
use pfh_inject::{Need, lacks, sha256_of};

fn files() -> Room {
    let room = Room::new();
    room.file("a", "hi\n");
    room.file("sub/b c", "ho\n");
    room
}

/// The list verifies two files; with one of them changed it does not.
#[track_caller]
fn verifies(room: &Room, list: &str, algorithm: &str) {
    let ended = of(room, list);
    let found = (ended.conclusion(), ended.names(FileOutcome::Right), ended.algorithms());
    assert_eq!(found, (Verdict::Verified, vec!["a", "sub/b c"], vec![algorithm.to_owned()]), "{list}");
    room.file("a", "ha\n");
    let ended = of(room, list);
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Wrong)), (Verdict::Differs, vec!["a"]), "{list}");
    room.file("a", "hi\n");
}

#[test]
fn lists_of_md5deep_with_more_columns() {
    if lacks(&[Need::Program("md5deep")]) {
        return;
    }
    let room = files();
    for options in ["-zl", "-cl", "-zcl", "-tl", "-ztl"] {
        // Its threads decide the order of the lines.
        room.file("list", &printed(&room, &format!("md5deep -j0 {options} a 'sub/b c'")));
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
    // Without its comments, and without a name that says its format.
    room.file("bare", &printed(&room, "grep -v '^;' theirs.sfv"));
    verifies(&room, "bare", "crc32");
    let path = list(&room, "ours.sfv", "crc32", "sfv", &["a", "sub/b c"]);
    let ended = Ended::of(&Request::new(path));
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right).len()), (Verdict::Verified, 2));
    let said = String::from_utf8(printed(&room, "rhash -c ours.sfv")).unwrap();
    assert!(said.contains("Everything OK") && said.matches("OK").count() == 3, "{said}");
    assert_eq!(listed(&room, "no.sfv", "sha256", "sfv", &["a"]).err().unwrap().kind(), Kind::Request);
}

#[cfg(unix)]
#[test]
fn lists_of_windows_and_packed_ones() {
    let room = files();
    let (a, b) = (sha256_of(&room.at("a")), sha256_of(&room.at("sub/b c")));
    let csv =
        format!("\"Algorithm\",\"Hash\",\"Path\"\r\n\"SHA256\",\"{a}\",\"a\"\r\n\"SHA256\",\"{b}\",\"sub\\b c\"\r\n");
    room.file("csv", &csv);
    verifies(&room, "csv", "sha256");
    let item = |hash: &str, path: &str| format!("Algorithm : SHA256\r\nHash      : {hash}\r\nPath      : {path}\r\n");
    room.file("list", &format!("\r\n{}\r\n{}", item(&a, "a"), item(&b, "sub\\b c")));
    verifies(&room, "list", "sha256");
    let done = "CertUtil: -hashfile command completed successfully.\r\n";
    room.file("util", &format!("SHA256 hash of a:\r\n{a}\r\n{done}SHA256 hash of sub\\b c:\r\n{b}\r\n{done}"));
    verifies(&room, "util", "sha256");
    room.file("oci", &format!("sha256:{a}  a\nsha256:{b}  sub/b c\n"));
    verifies(&room, "oci", "sha256");
    // Packed: the same, and one that was cut is not a short list.
    let packed = printed(&room, "gzip -c oci");
    room.file("oci.gz", &packed);
    verifies(&room, "oci.gz", "sha256");
    room.file("cut.gz", &packed[..packed.len() / 2]);
    let error = crate::check::run(&Request::new(room.at("cut.gz"))).0.unwrap_err();
    assert!(error.kind() == Kind::Input && error.to_string().contains("packed with gzip: "), "{error}");
}

#[test]
fn a_digest_alone_in_a_file_called_after_the_file() {
    let room = files();
    let digest = format!("{}\n", sha256_of(&room.at("a")));
    room.file("a.sha256", &digest);
    // With a root, and without one by its own path.
    let rootless = || Ended::of(&Request::new(room.at("a.sha256")));
    for ended in [of(&room, "a.sha256"), rootless()] {
        assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Verified, vec!["a"]));
    }
    room.file("a", "ha\n");
    assert_eq!(rootless().conclusion(), Verdict::Differs);
    // Under a name that says nothing it says nothing.
    room.file("a.txt", &digest);
    assert_eq!(of(&room, "a.txt").conclusion(), Verdict::NothingToCompareWith);
}

/// RHash puts the name first and all digests of a file behind it; a CRC among them counts as well.
#[test]
fn several_digests_behind_a_name_as_rhash_writes_them() {
    if lacks(&[Need::Program("rhash")]) {
        return;
    }
    let room = files();
    for options in ["-M -H", "-M -H --sha256 --sha512", "-C -M"] {
        let mut lines = printed(&room, &format!("rhash --simple {options} a 'sub/b c'"));
        room.file("list", &lines);
        let ended = of(&room, "list");
        assert_eq!(ended.conclusion(), Verdict::Verified, "{options}");
        assert_eq!(ended.algorithms().len(), options.split_whitespace().count(), "{options}: {:?}", ended.algorithms());
        // Each of the digests is compared: of the second file the last one is another now.
        let last = lines.iter().rposition(u8::is_ascii_hexdigit).unwrap();
        lines[last] = if lines[last] == b'0' { b'1' } else { b'0' };
        room.file("list", &lines);
        let ended = of(&room, "list");
        assert_eq!(
            (ended.conclusion(), ended.names(FileOutcome::Wrong)),
            (Verdict::Differs, vec!["sub/b c"]),
            "{options}"
        );
    }
}

/// Lists of other programs, and our lists that other programs verify.
#[test]
fn what_other_tools_wrote_and_read() {
    let room = Room::new();
    (0..20).for_each(|n| drop(room.file(format!("d/{n}"), &format!("content {n}"))));
    let names: String = (0..20).map(|n| format!(" d/{n}")).collect();
    for (command, list) in [
        ("b3sum", "list"),
        ("b2sum", "list"),
        ("xxhsum -H2", "list.xxh128"),
        ("xxhsum -H2 --tag", "list"),
        ("rhash --sha3-256 --simple", "list"),
        ("rhash --bsd --md5", "list"),
        ("rhash --bsd --sha1", "list"),
        ("rhash --ripemd160 --simple", "list"),
    ] {
        if lacks(&[Need::Program(command.split(' ').next().unwrap())]) {
            continue;
        }
        room.file(list, &printed(&room, &format!("{command}{names}")));
        let ended = of(&room, list);
        assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right).len()), (Verdict::Verified, 20), "{command}");
    }
    // And they read our lists: with comments where they take them, without where they do not.
    for (by, format, command) in [
        ("sha256", "sums", "sha256sum --strict -c"),
        ("blake2b", "sums", "b2sum --strict -c"),
        ("blake3", "sums", "b3sum -c"),
        ("xxh3-128", "sums", "xxhsum -c"),
        ("xxh3-128", "bsd", "xxhsum --strict -c"),
        ("sha3-256", "sums", "rhash --sha3-256 -c"),
        ("sha256,blake2b", "bsd", "cksum --strict -c"),
    ] {
        if lacks(&[Need::Program(command.split(' ').next().unwrap())]) {
            continue;
        }
        list(&room, "m", by, format, &["d"]);
        // It ends well.
        let said = String::from_utf8(printed(&room, &format!("{command} m"))).unwrap();
        assert!(said.matches("OK").count() >= 20 * algorithms(by).len(), "{command}: {said}");
    }
}
