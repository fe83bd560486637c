//! The second command of every user: what `pfh hash` wrote, `pfh check` verifies. Every algorithm,
//! every format, absolute and relative names, from any working directory, names of every kind; and
//! what others wrote, as they wrote it.

use crate::program;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;

const FORMATS: [&str; 6] = ["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv"];

fn pfh<S: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(directory).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

fn algorithms() -> Vec<String> {
    let seen = pfh(Path::new("."), ["algorithms", "--json"]);
    let rows = seen.lines().into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    // Those that need a key have tests of their own.
    rows.filter(|row| row["keyed"] != true).map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

/// Names of every kind; contents long enough for every similarity digest.
fn tree() -> Room {
    let room = Room::new();
    let names: [&[u8]; 9] =
        [b"plain", b"new\nline", b"back\\slash", b"  spaces ", b"*star", b"-", b"not\xffutf8", b"CR\r", b"sub/(x) = y"];
    for (n, name) in names.iter().enumerate() {
        let content: Vec<u8> =
            (0..20_000_u64).map(|i| ((i + 7 * n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
        room.file(Path::new("d").join(OsStr::from_bytes(name)), &content);
    }
    room
}

#[test]
fn every_algorithm_in_every_format() {
    let room = tree();
    let mut tried = 0;
    for algorithm in algorithms() {
        for format in FORMATS {
            let seen = pfh(
                room.path(),
                ["hash", "--no-progress", "-r", "-a", &algorithm, "-f", format, "--force", "-o", "m", "d"],
            );
            match seen.code {
                // What a format cannot hold it says.
                Some(2) if matches!(format, "hashdeep" | "bsd") => continue,
                Some(3) if format == "hashdeep" => {}
                code => assert_eq!(code, Some(0), "{algorithm} {format}: {}", seen.stderr),
            }
            tried += 1;
            let seen = pfh(room.path(), ["check", "--no-progress", "m"]);
            assert_eq!(seen.code, Some(0), "{algorithm} {format}: {}{}", text(&seen), seen.stderr);
            // Modes that print the same line for files as short as these.
            let name = match &algorithm[..] {
                "mrsh-v2-network" => "mrsh-v2",
                "sdhash-stream" => "sdhash",
                name => name,
            };
            assert!(seen.stderr.contains("verified against m: ") && seen.stderr.contains(name), "{}", seen.stderr);
        }
    }
    assert!(tried > 120, "{tried} manifests");
}

/// sdhash takes blocks from 16 MiB on, and its streams are distinguished from them by size.
#[test]
fn modes_of_sdhash_beyond_16_mib() {
    let room = Room::new();
    let long: Vec<u8> =
        (0..17_000_000_u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8 ^ (i >> 9) as u8).collect();
    room.file("d/long", &long);
    room.file("d/short", &long[..50_000]);
    for algorithm in ["sdhash", "sdhash-stream", "sdhash-dd"] {
        for format in ["sums", "sdbf", "jsonl"] {
            let hash = ["hash", "--no-progress", "-r", "-a", algorithm, "-f", format, "--force", "-o", "m", "d"];
            assert_eq!(pfh(room.path(), hash).code, Some(0));
            let seen = pfh(room.path(), ["check", "--no-progress", "m"]);
            assert_eq!(seen.code, Some(0), "{algorithm} {format}: {}{}", text(&seen), seen.stderr);
        }
    }
}

#[test]
fn through_a_pipe_and_with_lengths_and_several_algorithms() {
    let room = tree();
    for algorithms in [
        "sha3-256",
        "blake3",
        "kt128",
        "xxh3-128",
        "shake128:16",
        "blake3:20",
        "crc32",
        "sm3",
        "blake2b-256",
        "tth",
        "aich",
        "md5,sha3-224,blake3",
    ] {
        for format in ["sums", "jsonl", "csv", "dfxml"] {
            let list = pfh(room.path(), ["hash", "--no-progress", "-r", "-a", algorithms, "-f", format, "d"]);
            assert_eq!(list.code, Some(0), "{}", list.stderr);
            let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["check", "--no-progress", "-"]);
            let seen = trial.directory(room.path()).input(list.stdout).run().unwrap();
            assert_eq!((seen.code, text(&seen).matches(": OK").count()), (Some(0), 9), "{algorithms}: {}", seen.stderr);
        }
    }
    // Two algorithms of one length are two columns of a list with -z, and lines of two lists one
    // behind the other.
    let one = pfh(room.path(), ["hash", "-a", "sha256", "d/plain"]).stdout;
    let two = pfh(room.path(), ["hash", "-a", "blake3", "d/plain"]).stdout;
    room.file("both", &[one, two].concat());
    let seen = pfh(room.path(), ["check", "--no-progress", "both"]);
    assert_eq!((seen.code, text(&seen).as_str()), (Some(0), "d/plain: OK\n"), "{}", seen.stderr);
    assert!(seen.stderr.contains("blake3"), "{}", seen.stderr);
}

#[test]
fn from_any_working_directory() {
    let room = tree();
    let (elsewhere, parent) = (Room::new(), room.path().parent().unwrap().to_owned());
    let absolute = room.path().join("d");
    let beside = room.path().join("m");
    let away = elsewhere.path().join("m");
    for format in FORMATS {
        for algorithm in ["sha256", "sha3-256"] {
            if format == "hashdeep" && algorithm != "sha256" {
                continue;
            }
            for operand in [Path::new("d"), &absolute] {
                for manifest in [&beside, &away] {
                    let arguments =
                        ["hash", "--no-progress", "-r", "-a", algorithm, "-f", format, "-o"].map(OsStr::new);
                    let arguments = arguments.into_iter().chain([manifest.as_os_str(), operand.as_os_str()]);
                    let seen = pfh(room.path(), arguments);
                    assert!(matches!((seen.code, format), (Some(0), _) | (Some(3), "hashdeep")), "{}", seen.stderr);
                    for directory in [room.path(), &parent, elsewhere.path()] {
                        let seen = pfh(directory, [OsStr::new("check"), manifest.as_os_str()]);
                        let what = format!("{format} {operand:?} {manifest:?} from {directory:?}: {}", seen.stderr);
                        assert_eq!(seen.code, Some(0), "{what}");
                        let other = operand.is_relative() && directory != room.path();
                        assert_eq!(seen.stderr.contains("names start in"), other, "{what}");
                    }
                    fs::remove_file(manifest).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_copy_is_not_verified_by_its_original() {
    let (room, copy) = (tree(), Room::new());
    let seen = pfh(room.path(), ["hash", "--no-progress", "-r", "-o", "m", "d"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    // One file of nine arrived: beside a copy the copy is meant.
    copy.file("d/plain", &fs::read(room.path().join("d/plain")).unwrap());
    let seen = pfh(copy.path(), [OsStr::new("check"), room.path().join("m").as_os_str()]);
    assert_eq!((seen.code, text(&seen).matches(": OK").count()), (Some(1), 1), "{}", seen.stderr);
    assert!(seen.stderr.contains("more of the names are in"), "{}", seen.stderr);
}

#[test]
fn one_changed_and_one_removed() {
    let room = tree();
    for (algorithm, format) in
        [("blake3", "sums"), ("sha3-256", "sums"), ("sha256", "sums"), ("kt128", "bsd"), ("tlsh", "csv")]
    {
        let d = room.path().join("d");
        let seen =
            pfh(room.path(), ["hash", "--no-progress", "-r", "-a", algorithm, "-f", format, "--force", "-o", "m", "d"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let kept = fs::read(d.join("plain")).unwrap();
        fs::write(d.join("plain"), [&kept[..10_000], &[0; 10_000]].concat()).unwrap();
        let seen = pfh(room.path(), ["check", "--no-progress", "--quiet", "m"]);
        assert_eq!((seen.code, text(&seen).as_str()), (Some(1), "d/plain: FAILED\n"), "{algorithm}: {}", seen.stderr);
        assert!(
            seen.stderr.contains("8 of 9 files verified against m") && seen.stderr.contains("1 not as"),
            "{}",
            seen.stderr
        );
        fs::remove_file(d.join("plain")).unwrap();
        let seen = pfh(room.path(), ["check", "--no-progress", "--quiet", "m"]);
        assert_eq!((seen.code, text(&seen).as_str()), (Some(1), "d/plain: FAILED open or read\n"), "{algorithm}");
        let seen = pfh(room.path(), ["check", "--no-progress", "--quiet", "--ignore-missing", "m"]);
        assert_eq!((seen.code, text(&seen).as_str()), (Some(0), ""), "{algorithm}: {}", seen.stderr);
        fs::write(d.join("plain"), kept).unwrap();
    }
    // A part of the path that is not a directory is as good as missing.
    room.file(
        "list",
        format!("{}  d/plain/x\n{}  d/plain\n", program::sha256(b""), program::sha256_of(&room.path().join("d/plain")))
            .as_bytes(),
    );
    assert_eq!(pfh(room.path(), ["check", "--ignore-missing", "list"]).code, Some(0));
    assert_eq!(pfh(room.path(), ["check", "list"]).code, Some(1));
}

#[test]
fn a_forged_checksum_is_no_match_for_a_digest() {
    let room = Room::new();
    room.file("f", b"forged");
    let xxh = text(&pfh(room.path(), ["hash", "-a", "xxh3-128", "-f", "bsd", "f"]));
    let value = xxh.rsplit(' ').next().unwrap().trim();
    // Anyone who can choose the content makes its XXH3 come out as any MD5.
    room.file("MD5SUMS", format!("{value}  f\n").as_bytes());
    let seen = pfh(room.path(), ["check", "MD5SUMS"]);
    assert_eq!((seen.code, text(&seen).as_str()), (Some(1), "f: FAILED\n"));
    assert!(seen.stderr.contains("-a xxh3-128"), "{}", seen.stderr);
    assert_eq!(pfh(room.path(), ["check", "-a", "xxh3-128", "MD5SUMS"]).code, Some(0));
    // The name of the list says it as well.
    fs::rename(room.path().join("MD5SUMS"), room.path().join("f.xxh128")).unwrap();
    assert_eq!(pfh(room.path(), ["check", "f.xxh128"]).code, Some(0));
}

#[test]
fn what_other_tools_wrote_and_read() {
    let room = Room::new();
    for n in 0..20 {
        room.file(format!("d/{n}"), format!("content {n}").as_bytes());
    }
    let names: Vec<String> = (0..20).map(|n| format!("d/{n}")).collect();
    let run = |program: &str, options: &[&str]| {
        let output = Command::new(program).args(options).args(&names).current_dir(room.path()).output().unwrap();
        assert!(output.status.success(), "{program}");
        output.stdout
    };
    for (program, options, list) in [
        ("b3sum", &[][..], "list"),
        ("b2sum", &[], "list"),
        ("xxhsum", &["-H2"], "list.xxh128"),
        ("xxhsum", &["-H2", "--tag"], "list"),
        ("rhash", &["--sha3-256", "--simple"], "list"),
        ("rhash", &["--bsd", "--md5"], "list"),
        ("rhash", &["--bsd", "--sha1"], "list"),
        ("rhash", &["--ripemd160", "--simple"], "list"),
    ] {
        if lacks(&[Need::Program(program)]) {
            continue;
        }
        room.file(list, &run(program, options));
        let seen = pfh(room.path(), ["check", "--no-progress", list]);
        assert_eq!(
            (seen.code, text(&seen).matches(": OK").count()),
            (Some(0), 20),
            "{program} {options:?}: {}",
            seen.stderr
        );
    }
    // And they read what we write: with comments where they take them, without where they do not.
    for (algorithm, format, program, options) in [
        ("sha256", "sums", "sha256sum", &["--strict", "-c"][..]),
        ("blake2b", "sums", "b2sum", &["--strict", "-c"]),
        ("blake3", "sums", "b3sum", &["-c"]),
        ("xxh3-128", "sums", "xxhsum", &["-c"]),
        ("xxh3-128", "bsd", "xxhsum", &["--strict", "-c"]),
        ("sha3-256", "sums", "rhash", &["--sha3-256", "-c"]),
        ("sha256,blake2b", "bsd", "cksum", &["--strict", "-c"]),
    ] {
        if lacks(&[Need::Program(program)]) {
            continue;
        }
        let seen = pfh(room.path(), ["hash", "-r", "-a", algorithm, "-f", format, "--force", "-o", "m", "d"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let output = Command::new(program).args(options).arg("m").current_dir(room.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {algorithm} {format}: {said}");
    }
}

#[test]
fn the_run_leaves_its_own_output_out() {
    let room = Room::new();
    room.file("D/a", b"a");
    room.file("D/b/S", b"another file of that name");
    let hash = ["hash", "--no-progress", "-r", "D", "-f", "jsonl", "-o", "D/S", "--seal", "--cache", "D/c"];
    for round in 0..3 {
        let seen = pfh(room.path(), [&hash[..], if round > 0 { &["--force"] } else { &[] }].concat());
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let manifest = fs::read_to_string(room.path().join("D/S")).unwrap();
        assert_eq!(manifest.matches("\"type\":\"file\"").count(), 2, "{manifest}");
        assert!(round == 0 || seen.stderr.contains("D/S: skipped: output of this run"), "{}", seen.stderr);
        assert!(seen.stderr.contains("D/c: skipped: output of this run"), "{}", seen.stderr);
        let seen = pfh(room.path(), ["check", "--no-progress", "D/S"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert!(seen.stderr.contains("the seal holds: "), "{}", seen.stderr);
        let seen = pfh(room.path(), ["check", "--no-progress", "--audit", "D/S", "D"]);
        assert_eq!(seen.code, Some(0), "{}{}", text(&seen), seen.stderr);
    }
    // Through the shell.
    let shell = format!("{} hash --no-progress -r . > S", env!("CARGO_BIN_EXE_pfh"));
    for _ in 0..2 {
        let output = Command::new("sh").args(["-c", &shell]).current_dir(room.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.contains("./S: skipped: output of this run"), "{said}");
        assert!(!fs::read_to_string(room.path().join("S")).unwrap().contains("  ./S\n"));
    }
}
