//! Lists in the notations of other programs, by the exits and the words of the commands that read
//! them.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

/// The MD5 and the SHA-256 of `x` with a line feed.
const MD5: &str = "401b30e3b8b5d629635a5c613cdb7919";
const SHA256: &str = "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac";

fn pfh(room: &Room, arguments: &[&str]) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

/// A room with the files `f` and `d/g`, which hold the same.
fn room() -> Room {
    let room = Room::new();
    room.file("f", b"x\n");
    room.file("d/g", b"x\n");
    room
}

#[test]
fn whole_lists_are_verified_and_others_named() {
    let room = room();
    for (list, code) in [
        (format!("<hashlist><hash><file>f</file><size>2</size><md5>{MD5}</md5></hash></hashlist>"), 0),
        (format!("Name: f\nSize: 2 bytes\nSHA256: {SHA256}\n"), 0),
        (format!("f {MD5}\nd/g {MD5}\n"), 0),
        (format!("Hachage MD5 de f :\r\n{MD5}\r\n"), 0),
        (format!("{{\"files\":[{{\"path\":\"f\",\"md5\":\"{MD5}\"}},{{\"path\":\"d/g\"}}]}}"), 3),
        ("<!DOCTYPE html><html><body>404".to_owned(), 3),
        ("<rss><x/></rss>".to_owned(), 3),
        (format!("{SHA256} ?BLAKE2sp*f\n"), 3),
        (format!("#1  {MD5}\nf  {MD5}\n"), 1),
    ] {
        room.file("l", list.as_bytes());
        let seen = pfh(&room, &["check", "l"]);
        assert_eq!(seen.code, Some(code), "{list}: {}", seen.stderr);
        assert!(!seen.stderr.contains("well-formed"), "{}", seen.stderr);
    }
    room.file("l", format!("{{\"files\":[{{\"path\":\"f\",\"md5\":\"{MD5}\"}},{{\"path\":\"d/g\"}}]}}").as_bytes());
    let seen = pfh(&room, &["check", "l"]);
    assert!(seen.stderr.contains("d/g"), "{}", seen.stderr);
}

/// A digest alone is of the file that its list is called after, also where a program names standard
/// input beside it.
#[test]
fn a_digest_of_standard_input_is_of_the_file_that_the_list_is_called_after() {
    let room = room();
    for (name, line) in [
        ("f.sha256", format!("SHA2-256(stdin)= {SHA256}\n")),
        ("f.sha256", format!("{SHA256}  (stdin)\n")),
        ("f.sha256.txt", format!("{SHA256}\n")),
        ("f.sha256.txt", format!("{SHA256}  -\n")),
        ("f.md5.txt", format!("{MD5}  f\n")),
        ("f.sha256", format!("{}\n", spaced(SHA256))),
    ] {
        let good = room.file(name, line.as_bytes());
        let seen = pfh(&room, &["check", name]);
        assert_eq!((seen.code, &seen.stdout[..]), (Some(0), &b"f: OK\n"[..]), "{line}: {}", seen.stderr);
        std::fs::write(good, line.replacen(['3', 'C'], "0", 1)).unwrap();
        let seen = pfh(&room, &["check", name]);
        assert_eq!((seen.code, &seen.stdout[..]), (Some(1), &b"f: FAILED\n"[..]), "{line}: {}", seen.stderr);
    }
    room.file("list.txt", format!("{SHA256}\n").as_bytes());
    assert_eq!(pfh(&room, &["check", "list.txt"]).code, Some(3));
}

/// Digits in groups of eight capitals, as `gpg --print-md SHA256` prints them.
fn spaced(digits: &str) -> String {
    let groups: Vec<&str> = (0..digits.len() / 8).map(|at| &digits[8 * at..8 * at + 8]).collect();
    groups.join(" ").to_uppercase()
}

/// A stated size that is not the file's is a difference, wherever the list states it.
#[test]
fn a_size_in_a_line_of_its_own_is_compared() {
    let room = room();
    for (size, code) in [(2, 0), (3, 1)] {
        for list in [
            format!("SHA256 (f) = {SHA256}\nSIZE (f) = {size}\n"),
            format!("SIZE (f) = {size}\nSHA256 (f) = {SHA256}\n"),
        ] {
            room.file("distinfo", list.as_bytes());
            let seen = pfh(&room, &["check", "distinfo"]);
            assert_eq!(seen.code, Some(code), "{list}: {}", seen.stderr);
        }
    }
}

#[test]
fn columns_that_the_user_states() {
    let room = room();
    room.file("l", format!("7;f;{SHA256};{MD5}\n").as_bytes());
    room.file("t", format!("f\t2\t{SHA256}\n").as_bytes());
    let seen = pfh(&room, &["check", "t"]);
    assert!(seen.code == Some(0) && seen.stderr.contains("read as: column 1 name"), "{}", seen.stderr);
    assert_eq!(pfh(&room, &["check", "--columns", "-,name,-,md5", "l"]).code, Some(0));
    assert_eq!(pfh(&room, &["check", "--columns", "size,name,sha256,-", "l"]).code, Some(1));
    assert_eq!(pfh(&room, &["known", "build", "-o", "s", "--bad", "l", "--columns", "-,-,sha3-256,md5"]).code, Some(0));
}

#[test]
fn a_signed_list_is_never_written_to() {
    let room = room();
    let list = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{SHA256}  f\n-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n"
    );
    room.file("l", list.as_bytes());
    let seen = pfh(&room, &["check", "l"]);
    assert!(seen.code == Some(0) && seen.stderr.contains("not checked"), "{}", seen.stderr);
    assert_eq!(pfh(&room, &["hash", "--update", "l", "f", "d"]).code, Some(2));
    assert_eq!(std::fs::read(room.path().join("l")).unwrap(), list.as_bytes());
}

#[test]
fn an_archive_with_its_digest_behind_it() {
    let room = room();
    let mut tar = vec![0; 10_240];
    tar[257..262].copy_from_slice(b"ustar");
    room.file("AP.tar", &tar);
    let line = String::from_utf8(pfh(&room, &["hash", "-a", "md5", "-f", "sums", "AP.tar"]).stdout).unwrap();
    room.file("AP.tar.md5", [&tar[..], line.as_bytes()].concat().as_slice());
    let seen = pfh(&room, &["check", "AP.tar.md5"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    tar[9000] = 1;
    room.file("AP.tar.md5", [&tar[..], line.as_bytes()].concat().as_slice());
    assert_eq!(pfh(&room, &["check", "AP.tar.md5"]).code, Some(1));
}

#[test]
fn sets_are_not_mixed_in_an_export_and_asked_beside_similar_files() {
    let room = room();
    room.file("bad", format!("{MD5}\n").as_bytes());
    room.file("good", b"0123456789abcdef0123456789abcdef\n");
    assert_eq!(pfh(&room, &["known", "build", "-o", "s", "--bad", "bad", "--good", "good"]).code, Some(0));
    let seen = pfh(&room, &["known", "export", "s", "x.idx", "--to", "idx"]);
    assert!(seen.code == Some(2) && seen.stderr.contains("--class good"), "{}", seen.stderr);
    assert!(!room.path().join("x.idx").exists());
    assert_eq!(pfh(&room, &["known", "export", "s", "x.idx", "--to", "idx", "--class", "bad"]).code, Some(0));
    let text: String = (0..3000).map(|n| format!("{n}\n")).collect();
    room.file("t", text.as_bytes());
    let list = pfh(&room, &["hash", "-a", "tlsh", "-f", "sums", "t"]).stdout;
    let list = String::from_utf8(list).unwrap();
    for list in [list.clone(), list.to_lowercase(), list.replacen("T1", "", 1).replace("  ", "\t")] {
        room.file("similar", list.as_bytes());
        let seen = pfh(&room, &["match", "-k", "s", "--similar", "similar", "f", "t"]);
        let said = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(seen.code == Some(1) && said.contains("known-bad") && said.contains("\nt\tt\t"), "{list}: {said}");
    }
}

/// The SHA-1, the MD5 in base64, the XXH64 and the XXH128 of `x` with a line feed.
const SHA1: &str = "6fcf9dfbd479ed82697fee719b9f8c610a11ff2a";
const MD5_BASE64: &str = "QBsw47i11iljWlxhPNt5GQ==";
const XXH64: [&str; 2] = ["0ac3482722e9fdae", "aefde9222748c30a"];
const XXH128: [&str; 2] = ["2528250d92619b8e1bf67208bddf1edb", "db1edfbd0872f61b8e9b61920d252825"];

/// Lists of files, by programs that write them: of the sound tree each ends with 0, of a changed
/// file with 1, and neither accuses the other file.
#[test]
fn lists_of_other_programs_are_verified_and_show_a_change() {
    let lists = [
        ("one line of name, size and digest", format!("f.x 2 {SHA256}\n")),
        (
            "aria2",
            format!(
                "https://x/y\n  out=f\n  checksum=sha-256={SHA256}\nhttps://x/d/g\n  dir=d\n  checksum=md5={MD5}\n"
            ),
        ),
        (
            "azcopy",
            format!(
                "{{\"MessageType\":\"ListObject\",\"MessageContent\":\"{{\\\"Path\\\":\\\"f\\\",\\\"ContentMD5\\\":\\\"{MD5_BASE64}\\\"}}\"}}\n\
                 {{\"MessageType\":\"ListSummary\",\"MessageContent\":\"{{}}\"}}\n"
            ),
        ),
        (
            "az",
            format!(
                "[{{\"name\":\"f\",\"properties\":{{\"etag\":\"0x8\",\"contentSettings\":{{\"contentMd5\":\"{MD5_BASE64}\"}}}}}}]"
            ),
        ),
        ("mc", format!("{{\"status\":\"success\",\"type\":\"file\",\"key\":\"f\",\"etag\":\"{MD5}\",\"size\":2}}\n")),
        (
            "S3",
            format!(
                "<ListBucketResult><Contents><Key>f</Key><ETag>&quot;{MD5}&quot;</ETag></Contents></ListBucketResult>"
            ),
        ),
        (
            "Hugging Face",
            format!("[{{\"oid\":\"{SHA1}\",\"size\":2,\"lfs\":{{\"oid\":\"{SHA256}\"}},\"path\":\"f\"}}]"),
        ),
        (
            "RPM",
            format!(
                "<metadata><package><name>p</name><checksum type=\"sha256\">{SHA256}</checksum><location href=\"f\"/></package></metadata>"
            ),
        ),
        (
            "METS",
            format!("<mets><file CHECKSUM=\"{MD5}\" CHECKSUMTYPE=\"MD5\"><FLocat xlink:href=\"f\"/></file></mets>"),
        ),
        (
            "gcloud",
            format!("digest_format: base64\nmd5_hash: {MD5_BASE64}\nurl: f\n---\nmd5_hash: {MD5_BASE64}\nurl: d/g\n"),
        ),
        ("Sysmon", format!("Path,Hashes\nf,\"SHA1={SHA1},MD5={MD5}\"\n")),
        ("folder and name", format!("Name,Folder,MD5\nf,.,{MD5}\ng,d,{MD5}\n")),
        ("osquery", format!("+------+----+\n| path | md5 |\n+------+----+\n| f | {MD5} |\n+------+----+\n")),
        ("conda", format!("{{\"packages\":{{\"f.x\":{{\"name\":\"p\",\"version\":\"1\",\"md5\":\"{MD5}\"}}}}}}")),
        (
            "Dataverse",
            format!(
                "[{{\"directoryLabel\":\"d\",\"dataFile\":{{\"filename\":\"g\",\"md5\":\"{MD5}\"}}}},{{\"dataFile\":{{\"filename\":\"f\",\"md5\":\"{MD5}\"}}}}]"
            ),
        ),
        ("RO-Crate", format!("{{\"@graph\":[{{\"@id\":\"f\",\"sha256\":\"{SHA256}\"}}]}}")),
        ("Gradle", format!("<components><artifact name=\"f\"><sha256 value=\"{SHA256}\"/></artifact></components>")),
        ("Markdown", format!("## Checksums\n\n- `f`: `{SHA256}`\n- `d/g`: `{SHA256}`\n")),
        ("ExactFile", format!("2 {MD5} ?MD5*f\n")),
        ("NetBSD", format!("$NetBSD$\n\nSHA1 (f) = {SHA1}\nSize (f) = 2 bytes\n")),
        (
            "Slackware",
            format!("These are the MD5 message digests of files.\nTo test them, use this command:\n\n{MD5}  ./f\n"),
        ),
        ("xxhsum --little-endian --tag", format!("XXH64_LE (f) = {}\nXXH128_LE (d/g) = {}\n", XXH64[1], XXH128[1])),
        ("xxhsum --little-endian", format!("{}  f\n", XXH64[1])),
    ];
    for (program, list) in lists {
        let room = room();
        room.file("f.x", b"x\n");
        room.file("l", list.as_bytes());
        let seen = pfh(&room, &["check", "l"]);
        assert_eq!(seen.code, Some(0), "{program}: {}", seen.stderr);
        room.file("f", b"y\n");
        room.file("f.x", b"y\n");
        let seen = pfh(&room, &["check", "l"]);
        let said = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(seen.code == Some(1) && said.matches("FAILED").count() == 1, "{program}: {said}{}", seen.stderr);
    }
}

/// Documents whose digests are not of files, and digests that pfh does not compute, accuse nobody.
#[test]
fn digests_of_something_else_accuse_no_file() {
    for (list, said) in [
        (
            format!("[[package]]\nname = \"f\"\nversion = \"1\"\nchecksum = \"{}\"\n", SHA256.replace('7', "8")),
            "a lock file",
        ),
        ("{\"lockfileVersion\":3,\"packages\":{\"d/g\":{\"integrity\":\"sha1-x\"}}}".to_owned(), "a lock file"),
        (format!("entries:\n  - digest: {SHA256}\n    name: p\n    version: 1.0.0\n"), "package"),
        (format!("10 {SHA1} ima-ng sha256:{SHA256} /f\n"), "IMA"),
        ("{\"MessageType\":3,\"MessageContent\":{\"a\":1}}".to_owned(), "JSON without digests"),
        (
            "{\"entries\":[{\"type\":\"folder\",\"name\":\"d\",\"etag\":\"0\"},{\"name\":\"f\",\"etag\":\"1\"}]}"
                .to_owned(),
            "no digest of f",
        ),
        (format!("size,hash,count,files\n2,{SHA1},1,f\n"), "fclones"),
        ("Open Source Tripwire(R) 2.4.3.7 Integrity Check Report\n".to_owned(), "Tripwire"),
        (
            format!("{{\"Contents\":[{{\"Key\":\"f\",\"ETag\":\"\\\"{SHA1}-2\\\"\"}}]}}").replace(SHA1, MD5),
            "ETag of parts",
        ),
        (format!("[{{\"oid\":\"{}\",\"path\":\"f\"}}]", SHA1.replace('a', "b")), "git's objects"),
        (format!("{} ?f\n", SHA1.replace('a', "b")), "portable mode"),
    ] {
        let room = room();
        room.file("l", list.as_bytes());
        let seen = pfh(&room, &["diff", "l", "."]);
        assert!(seen.code == Some(3) && seen.stderr.contains(said), "{list}: {}", seen.stderr);
        assert_eq!(pfh(&room, &["check", "l"]).code, Some(3), "{list}");
    }
}

/// A digest without its algorithm: by none of its length, by a checksum, by the list's name.
#[test]
fn digests_without_their_algorithm_are_said_to_be_so() {
    let room = room();
    let other = SHA1.replace('a', "b");
    room.file("l", format!("{other}  f\n{other}  d/g\n").as_bytes());
    let seen = pfh(&room, &["check", "l"]);
    assert!(seen.code == Some(1) && seen.stderr.contains("no algorithm is named"), "{}", seen.stderr);
    let seen = pfh(&room, &["diff", "l", "."]);
    assert!(seen.code == Some(1) && String::from_utf8_lossy(&seen.stdout).contains("none is named"), "{}", seen.stderr);
    // One that is as listed shows which algorithm it is, and so does the name of the list.
    room.file("l", format!("{SHA1}  f\n{other}  d/g\n").as_bytes());
    let seen = pfh(&room, &["check", "l"]);
    assert!(seen.code == Some(1) && !seen.stderr.contains("is named"), "{}", seen.stderr);
    room.file("l.has160", format!("{other}  f\n").as_bytes());
    let seen = pfh(&room, &["check", "l.has160"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("has160"), "{}", seen.stderr);
    for words in [&["match", "-k", "l.has160", "f"][..], &["known", "build", "--good", "l.has160", "-o", "set"]] {
        let seen = pfh(&room, words);
        assert!(seen.code == Some(3) && seen.stderr.contains("has160"), "{words:?}: {}", seen.stderr);
    }
    for value in XXH128 {
        room.file("l", format!("{value}  g\n").as_bytes());
        for arguments in [["check", "l", "d"], ["diff", "l", "d"], ["diff", "d", "l"], ["audit", "l", "d"]] {
            let seen = pfh(&room, &arguments);
            assert_eq!(seen.code, Some(3), "{arguments:?}: {}", seen.stderr);
        }
        room.file("l", format!("{value}  f\n{value}  d/g\n").as_bytes());
        assert!(pfh(&room, &["check", "l"]).stderr.contains("-a xxh3-128"));
        room.file("MD5SUMS", format!("{value}  f\n").as_bytes());
        assert_eq!(pfh(&room, &["check", "MD5SUMS"]).code, Some(1));
    }
    // An extension that names a known algorithm as well names that one.
    room.file("l.btih.sha1", format!("{SHA1}  f\n").as_bytes());
    assert_eq!(pfh(&room, &["check", "l.btih.sha1"]).code, Some(0));
    room.file("l", format!("{}  f\n", XXH64[1]).as_bytes());
    assert!(pfh(&room, &["check", "l"]).stderr.contains("little-endian"));
    room.file("l", format!("{}  f\n", XXH128[1]).as_bytes());
    assert_eq!(pfh(&room, &["check", "-a", "xxh3-128", "l"]).code, Some(1), "the other order of bytes");
}

/// A link has the name of a file without its directories.
#[test]
fn files_of_links_are_found_below_the_directory() {
    let room = room();
    room.file("l", format!("magnet:?xl=2&dn=f&xt=urn:sha1:{SHA1}\nmagnet:?xl=2&dn=g&xt=urn:sha1:{SHA1}\n").as_bytes());
    for (command, more) in [("check", &["l"][..]), ("diff", &["l", "d"])] {
        let seen = pfh(&room, &[&[command], more].concat());
        let said = [String::from_utf8_lossy(&seen.stdout).into_owned(), seen.stderr].concat();
        let is_there = command == "diff" || (seen.code == Some(3) && said.contains("d/g is there"));
        assert!(is_there && !said.contains("g: FAILED"), "{said}");
    }
    let seen = pfh(&room, &["check", "--names", "as-found", "l"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    room.file("d/g", b"y\n");
    assert_eq!(pfh(&room, &["check", "--names", "as-found", "l"]).code, Some(1));
    // Two of one name and size: neither is taken.
    room.file("e/g", b"z\n");
    let seen = pfh(&room, &["check", "--names", "as-found", "l"]);
    assert!(seen.code == Some(1) && seen.stderr.contains("1 missing"), "{}", seen.stderr);
}
