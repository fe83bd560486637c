//! `pfh compare` and the paper's own modes, as they are typed.

use crate::program::{Room, random};
use pfh_inject::{Need, Outcome, Trial, families, lacks};

fn pfh<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments)
}

fn compare<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    pfh(["compare", "--no-progress"]).args(arguments)
}

fn good(trial: Trial) -> Outcome {
    let seen = trial.run().expect("a run");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    seen
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).expect("UTF-8")
}

/// The families of files in the room.
fn family(room: &Room) -> Vec<(String, Vec<u8>)> {
    let files = families();
    files.iter().for_each(|(name, bytes)| drop(room.file(name, bytes)));
    files
}

#[test]
fn the_modes_of_the_paper() {
    let room = Room::new();
    family(&room);
    let full = good(pfh(["-c", "full", "-d", ".", "-t", "2", "-m", "128"]).directory(room.path()));
    assert_eq!(text(&full), text(&good(compare(["-a", "mrsh-v2", "-f", "values", "."]).directory(room.path()))));
    let first: Vec<String> = text(&full).lines().next().expect("a pair").split('\t').map(str::to_owned).collect();
    assert_eq!((first[0].as_str(), first[3].as_str()), ("./1-0", "./1-1"));
    assert!(first[2].starts_with('9') && first[1].starts_with(":40000:") && first[4].starts_with(":40001:"));
    let hash = good(pfh(["-c", "hash", "-d", "."]).directory(room.path()));
    assert!(text(&hash).starts_with("./1-0:40000:1:"));
    let elsewhere = Room::new();
    let list = elsewhere.file("list", &hash.stdout);
    // A list is not hashed again.
    let listed = good(pfh(["-c", "full", "-d"]).arg(&list).directory(room.path()));
    assert_eq!(text(&listed), text(&full));
    for (hash, matching) in [("mrsh", "1-3"), ("ssdeep", "1-3"), ("sdhash", "1-3"), ("tlsh", "1-1"), ("md5", "1-0")] {
        // One file with all others is the modern form's, which the refusal names.
        let refused = pfh(["-c", "1-0", "-d", ".", "-h", hash]).directory(room.path()).run().expect("a run");
        assert_eq!((refused.code, refused.stdout.len()), (Some(2), 0));
        assert!(refused.stderr.contains("pfh compare 1-0 --against"), "{}", refused.stderr);
        let named = good(compare(["-a", hash, "-f", "values", ".", "--against", "1-0"]).directory(room.path()));
        assert!(text(&named).contains(matching) && !text(&named).contains("2-"), "{hash}: {}", text(&named));
        let digest = good(pfh(["-c", "hash", "-d", "1-0", "-h", hash]).directory(room.path()));
        let digest = text(&digest);
        let line = digest.lines().rfind(|line| !line.is_empty()).expect("a digest");
        let digest =
            if matches!(hash, "md5" | "tlsh") { line.split_whitespace().next().expect("a digest") } else { line };
        let by_digest = good(pfh(["-c", digest, "-d", ".", "-h", hash]).directory(room.path()));
        let name = if matches!(hash, "md5" | "tlsh") { "DIGEST" } else { "1-0" };
        assert_eq!(text(&by_digest).lines().count(), text(&named).lines().count());
        assert!(text(&by_digest).contains(name), "{hash}: {}", text(&by_digest));
    }
    let wrong = pfh(["-c", "nonsense", "-d", "."]).directory(room.path()).run().expect("a run");
    assert_eq!(wrong.code, Some(2));
}

/// The paper's form takes the files of a directory and nothing below; left-out directories are
/// counted, and the result is not clean.
#[test]
fn directories_that_are_left_out_are_said() {
    let room = Room::new();
    let bytes = random(1, 20_000);
    for name in ["tree/a/x", "tree/b/x"] {
        room.file(name, &bytes);
    }
    let tree = room.path().join("tree");
    let paper = |more: &[&str]| pfh(["-c", "full", "-d"]).arg(&tree).args(more.iter().copied()).run().expect("a run");
    let seen = paper(&[]);
    assert_eq!((seen.code, text(&seen).as_str()), (Some(3), ""), "{}", seen.stderr);
    assert!(seen.stderr.contains("2 directories were left out"), "{}", seen.stderr);
    let seen = paper(&["-r"]);
    assert_eq!((seen.code, text(&seen).lines().count()), (Some(0), 1), "{}", seen.stderr);
    // With files beside the directories there is a result, and the directories are said all the
    // same.
    for name in ["tree/1", "tree/2"] {
        room.file(name, &bytes);
    }
    let seen = paper(&[]);
    assert_eq!((seen.code, text(&seen).lines().count()), (Some(0), 1), "{}", seen.stderr);
    assert!(seen.stderr.contains("2 directories were left out"), "{}", seen.stderr);
    // compare walks in any case; -r is the same.
    for more in [&["-r"][..], &[]] {
        let seen = compare(["-a", "mrsh-v2"]).arg(&tree).args(more.iter().copied()).run().expect("a run");
        assert_eq!((seen.code, text(&seen).lines().count()), (Some(0), 6), "{}", seen.stderr);
        assert!(seen.stderr.contains("4 digests compared, 6 pairs, the highest score 100"), "{}", seen.stderr);
    }
    let seen = pfh(["compare", "--help"]).run().expect("a run");
    assert!(!text(&seen).contains("--recursive") && !text(&seen).contains("with -r"), "{}", text(&seen));
}

/// The look whether a file is a list, the look for its algorithms, and the reading share one open
/// file and one reading of its beginning.
#[test]
fn a_list_is_opened_and_read_once() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    let files = family(&room);
    for algorithm in ["ssdeep", "sdhash", "mrsh-v2", "tlsh", "sha256"] {
        let list = room.path().join("list");
        let hashed = pfh(["hash", "--no-progress", "-a", algorithm, "--force", "-o"])
            .arg(&list)
            .args(files.iter().map(|(name, _)| room.path().join(name)));
        let hashed = hashed.run().expect("a run");
        assert!(matches!(hashed.code, Some(0)), "{}", hashed.stderr);
        let line = "strace -f -qq -e trace=openat,openat2,open,read,pread64,readv -P list -o t \"$0\" compare --no-progress list";
        let seen =
            Trial::new("sh").args(["-c", line, env!("CARGO_BIN_EXE_pfh")]).directory(room.path()).run().expect("a run");
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let trace = std::fs::read_to_string(room.path().join("t")).expect("read");
        let calls = |name: &str| trace.lines().filter(|line| line.contains(name)).collect::<Vec<_>>();
        assert_eq!(calls(" open").len(), 1, "{algorithm} {trace}");
        let bytes: u64 =
            calls("read").iter().filter_map(|line| line.rsplit_once("= ")?.1.trim().parse::<u64>().ok()).sum();
        assert_eq!(bytes, std::fs::metadata(&list).expect("there").len(), "{algorithm} {trace}");
    }
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let room = Room::new();
    room.file("t/only", &random(1, 20_000));
    room.file("list", b"ssdeep,1.1--blocksize:hash:hash,filename\n3:abcdefgh:i,\"a\"\n3:a*:b,\"x\"\n");
    for (arguments, code, why) in [
        (&["--threshold", "x", "."][..], 2, "number"),
        (&["--threshold", "sdhash=101", "."], 2, "at most 100"),
        (&["-f", "xml", "."], 2, "text, csv, jsonl and values"),
        (&["-a", "sha257", "."], 2, "unknown algorithm"),
        (&["--evidence", "-a", "sdhash", "list"], 2, "holds no features"),
        (&["--evidence", "-a", "ssdeep", "."], 2, "has no features"),
        (&[], 2, "nothing is named"),
        (&["--top", "0", "t"], 2, ""),
        (&["--sort", "size", "t"], 2, ""),
        (&["--top", "3", "--cluster", "t"], 2, ""),
        (&["--sort", "path", "--cluster", "t"], 2, ""),
        (&["t"], 3, "nothing to compare"),
        (&["list"], 3, "line 3: character"),
    ] {
        let seen = compare(arguments).directory(room.path()).run().expect("a run");
        assert_eq!(seen.code, Some(code), "{arguments:?}: {}", seen.stderr);
        assert!(seen.stderr.contains(why), "{arguments:?}: {}", seen.stderr);
    }
}

/// A text has none of the values of parts of programs, and the reason is said.
#[test]
fn a_text_has_no_value_of_a_program() {
    let room = Room::new();
    room.file("t/a", b"a text");
    for name in ["imphash", "richhash", "telfhash"] {
        let why = format!("1 file has no digest of {name} (not executables");
        let seen = compare(["-a", name, "t"]).directory(room.path()).run().expect("a run");
        assert!(seen.stderr.contains(&why), "{}", seen.stderr);
    }
}

/// Counts, inputs that are left out and searches that take long are said beside the pairs.
#[test]
fn what_is_said_of_the_pairs() {
    let room = Room::new();
    for name in ["a", "b"] {
        room.file(format!("small/{name}"), b"hello");
        room.file(format!("large/{name}"), &random(1, 30_000));
    }
    room.file("large/c", &random(1, 29_000));
    let said = |arguments: &[&str]| {
        let seen = good(compare(arguments).directory(room.path()));
        // The methods' scores of a pair stand below its line.
        (text(&seen).lines().filter(|line| !line.starts_with(' ')).count(), seen.stderr)
    };
    // Of all methods at once: a line with the heads, and one sentence for all.
    let (lines, stderr) = said(&["small", "large"]);
    assert_eq!(lines, 1 + 4, "{stderr}");
    for sentence in [
        "2 files have no digest of shingles",
        "5 files compared by sha256, shingles, ssdeep, sdhash, mrsh-v2, tlsh, strings, text, cells, pdq, crops: 4 pairs",
    ] {
        assert!(stderr.contains(sentence), "{sentence}: {stderr}");
    }
    let (pairs, stderr) = said(&["small", "large", "-a", "mrsh-v2"]);
    assert_eq!(pairs, 4, "{stderr}");
    for sentence in
        ["2 files have no digest of mrsh-v2", "3 digests compared, 3 pairs", "sha256: 2 digests compared, 1 pair"]
    {
        assert!(stderr.contains(sentence), "{sentence}: {stderr}");
    }
    let (pairs, stderr) = said(&["large", "-a", "ssdeep", "--top", "2"]);
    assert!(pairs == 2 && stderr.contains("ssdeep: the 2 best are listed") && stderr.contains("3 pairs"), "{stderr}");
    assert!(!said(&["large", "-a", "ssdeep", "--top", "9"]).1.contains("listed"));
    let once = random(3, 400_000);
    room.file("t/twice", &[&once[..], &once[..]].concat());
    room.file("t/other", &random(4, 20_000));
    let (pairs, stderr) = said(&["-a", "sdhash", "t"]);
    assert!(pairs == 0 && stderr.contains("1 pair with a digest that is saturated"), "{stderr}");
    let (pairs, stderr) = said(&["-a", "sdhash", "--parity", "t"]);
    assert!(pairs == 1 && stderr.contains("is among the pairs"), "{stderr}");
    let mut list = String::from("ssdeep,1.1--blocksize:hash:hash,filename\n");
    for i in 0..12_000u64 {
        let mut letters = *b"QWERTYUIOPASDFGHJKLZXCVBNMQAZWSXEDCRFVTGBYHNUJMIKOLPPLOKMIJNUHBY";
        random(i + 2, 4).iter().enumerate().for_each(|(n, at)| letters[usize::from(at % 64)] = b'a' + n as u8);
        list += &format!("96:{}:x,\"{i}\"\n", String::from_utf8_lossy(&letters));
    }
    room.file("list", list.as_bytes());
    let (_, stderr) = said(&["--threshold", "100", "list"]);
    assert!(stderr.contains("digests share") && stderr.contains("--cluster"), "{stderr}");
}
