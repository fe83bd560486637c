//! `pfh compare` and the paper's own modes: the pairs of brute force, in the forms of the reference
//! tools.

use crate::program::{Room, random};
use pfh::similarity::mrsh_v2::{self, Base, MrshV2};
use pfh::similarity::sdhash::{self, Sdhash};
use pfh::similarity::ssdeep::Ssdeep;
use pfh::similarity::tlsh::Tlsh;
use pfh::similarity::{Method, shared};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Families of files that share parts, some that share nothing, short and empty ones; by name.
fn family(room: &Room) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for (family, length) in [(1, 40_000), (2, 90_000), (3, 7_000)] {
        let base = random(family, length);
        for member in 0..6 {
            let mut bytes = base.clone();
            match member {
                0 => {}
                1 => bytes.insert(length / 2, b'x'),
                2 => bytes.truncate(length * 2 / 3),
                3 => bytes.splice(0..0, random(family + 50, length / 8)).for_each(drop),
                4 => (0..length).step_by(4001).for_each(|at| bytes[at] ^= 1),
                _ => bytes.splice(length / 2.., random(family + 90, length / 2)).for_each(drop),
            }
            files.push((format!("{family}-{member}"), bytes));
        }
    }
    files.extend((0..4).map(|n| (format!("alone-{n}"), random(100 + n, 20_000))));
    files.extend([("empty".into(), Vec::new()), ("empty2".into(), Vec::new()), ("short".into(), b"short".to_vec())]);
    files.push(("zeros".into(), vec![0; 30_000]));
    files.sort();
    for (name, bytes) in &files {
        room.file(name, bytes);
    }
    files
}

/// The pairs of an algorithm by comparing each with each, as `a,b,score`.
fn brute(algorithm: &str, files: &[(String, Vec<u8>)], threshold: u32) -> Vec<String> {
    fn all<M: Method>(
        method: M,
        files: &[(String, Vec<u8>)],
        threshold: u32,
        score: impl Fn(&M::Digest, &M::Digest) -> u32,
    ) -> Vec<String> {
        let digests: Vec<(&str, M::Digest)> =
            files.iter().filter_map(|(name, bytes)| Some((name.as_str(), method.digest(bytes).ok()?))).collect();
        let distance = matches!(method.name(), "tlsh");
        let mut rows = Vec::new();
        for (i, (a, first)) in digests.iter().enumerate() {
            for (b, second) in &digests[i + 1..] {
                let score = score(first, second);
                if if distance { score <= threshold } else { score >= threshold.max(1) } {
                    rows.push(format!("{a},{b},{score}"));
                }
            }
        }
        rows
    }
    match algorithm {
        "ssdeep" => all(Ssdeep, files, threshold, |a, b| Ssdeep.compare(a, b).score.number()),
        "sdhash" => {
            all(Sdhash::STREAM, files, threshold, |a, b| u32::from(sdhash::compare(a, b, Ordering::Equal).unwrap_or(0)))
        }
        "mrsh-v2" => all(MrshV2::PLAIN, files, threshold, |a, b| {
            u32::from(mrsh_v2::compare(&MrshV2::PLAIN, a, b, Base::Smaller))
        }),
        _ => all(Tlsh, files, threshold, |a, b| a.distance(b)),
    }
}

/// The rows of the csv form as `a,b,score`.
fn rows(seen: &Outcome) -> Vec<String> {
    let text = text(seen);
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    assert_eq!(header, "a,b,algorithm,score,kind,shared_chunks,shared_features,degenerate,a_b64,b_b64");
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            format!("{},{},{}", fields[0], fields[1], fields[3])
        })
        .collect()
}

#[test]
fn the_pairs_are_those_of_brute_force() {
    let room = Room::new();
    let files = family(&room);
    for (algorithm, thresholds) in
        [("ssdeep", [1, 50, 100]), ("sdhash", [1, 21, 90]), ("mrsh-v2", [1, 21, 90]), ("tlsh", [5, 30, 200])]
    {
        for threshold in thresholds {
            for memory in ["1", "128"] {
                let seen = good(
                    compare(["-a", algorithm, "--threshold", &threshold.to_string(), "-m", memory, "-f", "csv"])
                        .args(files.iter().map(|(name, _)| name))
                        .directory(room.path()),
                );
                let expected = brute(algorithm, &files, threshold);
                assert_eq!(rows(&seen), expected, "{algorithm} {threshold}");
                assert!(threshold > 89 || !expected.is_empty(), "{algorithm} {threshold}");
            }
        }
    }
    // The defaults that are stated.
    let seen = good(
        compare(["-a", "ssdeep,sdhash,mrsh-v2,tlsh", "-f", "csv"])
            .args(files.iter().map(|f| &f.0))
            .directory(room.path()),
    );
    let expected: Vec<String> = [("ssdeep", 1), ("sdhash", 21), ("mrsh-v2", 21), ("tlsh", 30)]
        .into_iter()
        .flat_map(|(algorithm, threshold)| brute(algorithm, &files, threshold))
        .collect();
    assert_eq!(rows(&seen), expected);
}

#[test]
fn evidence_is_what_both_files_hold() {
    let room = Room::new();
    let files = family(&room);
    let names: BTreeMap<&str, &[u8]> = files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    for algorithm in ["mrsh-v2", "sdhash"] {
        let features = |bytes: &[u8]| -> Vec<u64> {
            use pfh::similarity::Hasher;
            if algorithm == "mrsh-v2" {
                let mut generator = mrsh_v2::Generator::keeping_features(MrshV2::PLAIN);
                generator.update(bytes);
                generator.finalize_featured().chunks
            } else {
                let mut generator = sdhash::Generator::keeping_features(Sdhash::STREAM);
                generator.update(bytes);
                generator.finalize_featured().map(|featured| featured.features).unwrap_or_default()
            }
        };
        let expected: Vec<String> = brute(algorithm, &files, 1)
            .into_iter()
            .filter_map(|row| {
                let (pair, _) = row.rsplit_once(',').expect("three fields");
                let (a, b) = pair.split_once(',').expect("two names");
                let both = shared(&features(names[a]), &features(names[b]));
                (both > 0).then(|| format!("{row},{both}"))
            })
            .collect();
        assert!(expected.len() > 10);
        for memory in ["1", "64"] {
            let seen = good(
                compare(["--evidence", "--threshold", "1", "-f", "jsonl", "-m", memory, "-a", algorithm])
                    .args(files.iter().map(|(name, _)| name))
                    .directory(room.path()),
            );
            let found: Vec<String> = seen
                .lines()
                .into_iter()
                .map(|line| {
                    let pair: serde_json::Value = serde_json::from_slice(line).expect("JSON");
                    let both = pair.get("shared_chunks").or(pair.get("shared_features")).expect("evidence");
                    let name = |end: &str| pair[end].as_str().expect("a name").to_owned();
                    format!("{},{},{},{both}", name("a"), name("b"), pair["similarity"])
                })
                .collect();
            assert_eq!(found, expected, "{algorithm}");
        }
    }
    for (arguments, why) in [
        (["--evidence", "-a", "ssdeep", "."], "has no features"),
        (["--evidence", "-a", "tlsh", "."], "has no features"),
    ] {
        let seen = compare(arguments).directory(room.path()).run().expect("a run");
        assert_eq!(seen.code, Some(2));
        assert!(seen.stderr.contains(why), "{}", seen.stderr);
    }
}

#[test]
fn ssdeep_prints_the_same() {
    let room = Room::new();
    let files = family(&room);
    let names: Vec<&String> = files.iter().map(|(name, _)| name).collect();
    let Ok(theirs) = Command::new("ssdeep").args(["-l", "-d"]).args(&names).current_dir(room.path()).output() else {
        return println!("skipped: no ssdeep");
    };
    let ours = good(compare(["-a", "ssdeep"]).args(&names).directory(room.path()));
    assert!(!theirs.stdout.is_empty());
    assert_eq!(text(&ours), String::from_utf8_lossy(&theirs.stdout));
}

fn vector(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/similarity/expected").join(name)
}

#[test]
fn lists_of_the_reference_tools_give_their_scores() {
    for (list, scores) in [
        ("sdhash4_stream.txt", "sdhash4_stream_scores_t0.txt"),
        ("sdhash4_dd16.txt", "sdhash4_dd16_scores_t0.txt"),
        ("mrshv2.txt", "mrshv2_scores_t0.txt"),
    ] {
        let seen = good(compare(["--parity"]).arg(vector(list)));
        let expected = std::fs::read_to_string(vector(scores)).expect("a file of the project");
        let score = |line: &str| line.trim_end().rsplit([' ', '|']).next().and_then(|score| score.parse::<i32>().ok());
        let mut expected: Vec<&str> =
            expected.lines().filter(|line| score(line).is_some_and(|score| score > 0)).collect();
        let seen = text(&seen);
        let mut found: Vec<&str> = seen.lines().collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found.len(), expected.len(), "{list}");
        assert_eq!(found, expected, "{list}");
    }
}

#[test]
fn lists_trees_and_two_sets() {
    let room = Room::new();
    let files = family(&room);
    let names: Vec<&String> = files.iter().map(|(name, _)| name).collect();
    for (algorithm, format) in
        [("ssdeep", "ssdeep"), ("sdhash", "csv"), ("mrsh-v2", "mrsh"), ("tlsh", "sums"), ("mrsh-v2", "jsonl")]
    {
        let list = room.path().join(format!("list.{format}"));
        let made = pfh(["hash", "--no-progress", "-a", algorithm, "-f", format, "-o"]).arg(&list).args(&names);
        good(made.directory(room.path()));
        let direct = good(compare(["-a", algorithm, "-f", "csv"]).args(&names).directory(room.path()));
        // No -a: the list says what it holds.
        let listed = good(compare(["-f", "csv"]).arg(&list).directory(room.path()));
        assert_eq!(text(&listed), text(&direct), "{algorithm} {format}");
        // Two sets: the pairs across, whether listed or hashed.
        let across = good(
            compare(["-a", algorithm, "-f", "csv"])
                .arg("1-0")
                .arg("2-0")
                .arg("--against")
                .arg(&list)
                .directory(room.path()),
        );
        let expected: Vec<String> = rows(&direct);
        for row in rows(&across) {
            assert!(row.starts_with("1-0,") || row.starts_with("2-0,"), "{row}");
        }
        let with_1 = expected.iter().filter(|row| row.starts_with("1-0,") || row.contains(",1-0,")).count();
        let found = rows(&across).iter().filter(|row| row.starts_with("1-0,")).count();
        // Besides its relatives the file meets itself in the list.
        assert_eq!(found, with_1 + 1, "{algorithm}");
        std::fs::remove_file(list).expect("a list");
    }
    // Equal digests, for algorithms that know nothing else.
    let same = good(compare(["-a", "sha256"]).args(&names).directory(room.path()));
    assert_eq!(text(&same), "empty2 matches empty (100)\n");
}

#[test]
fn groups() {
    let room = Room::new();
    family(&room);
    let seen = good(compare(["-a", "mrsh-v2", "--cluster", "."]).directory(room.path()));
    let members = |n: u32| (0..6).map(|m| format!("./{n}-{m}\n")).collect::<String>();
    let expected: String = [1, 2, 3].map(|n| format!("** Cluster size 6\n{}\n", members(n))).concat();
    assert_eq!(text(&seen), expected);
    let csv = text(&good(compare(["-a", "mrsh-v2", "--cluster", "-f", "csv", "."]).directory(room.path())));
    assert_eq!(csv.lines().nth(7), Some("mrsh-v2,2,6,./2-0,"));
    let json = good(compare(["-a", "mrsh-v2", "--cluster", "-f", "jsonl", "."]).directory(room.path()));
    let first: serde_json::Value = serde_json::from_slice(json.lines()[0]).expect("JSON");
    assert_eq!((&first["size"], &first["members"][5]["path"]), (&6.into(), &"./1-5".into()));
}

#[test]
fn malformed_lists_are_told_line_by_line() {
    let room = Room::new();
    let list = room.file(
        "list",
        b"ssdeep,1.1--blocksize:hash:hash,filename\n3:abcdefgh:i,\"a\"\n3:a*:b,\"x\"\n4:a:b,\"x\"\n3:abcdefgh:i,\"b\"\nrubbish\n",
    );
    let seen = compare(["--threshold", "1"]).arg(&list).run().expect("a run");
    assert_eq!((seen.code, text(&seen).as_str()), (Some(3), "b matches a (100)\n"));
    for line in ["line 3: character", "line 4: impossible block size", "line 6: wrong number"] {
        assert!(seen.stderr.contains(line), "{}", seen.stderr);
    }
    // A line that the memory does not hold is one fault.
    let mut long = b"sdbf:03:1:a:600:sha1:256:5:7ff:160:99999:1:".to_vec();
    long.resize(5 << 20, b'A');
    long.push(b'\n');
    let list = room.file("long", &long);
    let seen = compare(["-m", "1"]).arg(&list).run().expect("a run");
    assert_eq!(seen.code, Some(3));
    assert!(seen.stderr.contains("line 1: line too long"), "{}", seen.stderr);
    for (arguments, why) in [
        (vec!["--threshold", "x", "."], "number"),
        (vec!["--threshold", "sdhash=101", "."], "at most 100"),
        (vec!["-f", "xml", "."], "text, csv, jsonl and values"),
        (vec!["-a", "sha257", "."], "unknown algorithm"),
        (vec!["--evidence", "-a", "sdhash", "list"], "holds no features"),
        (vec![], "nothing is named"),
    ] {
        let seen = compare(arguments).directory(room.path()).run().expect("a run");
        assert_eq!(seen.code, Some(2), "{}", seen.stderr);
        assert!(seen.stderr.contains(why), "{}", seen.stderr);
    }
}

#[test]
fn names_come_through_whole() {
    use std::os::unix::ffi::OsStrExt;
    let room = Room::new();
    let bytes = random(7, 20_000);
    for name in [&b"a,\"b\nc"[..], b"\xff\x1b[31m", "\u{202e}x".as_bytes()] {
        room.file(std::ffi::OsStr::from_bytes(name), &bytes);
    }
    let seen = good(compare(["-a", "ssdeep", "-f", "jsonl", "."]).directory(room.path()));
    assert_eq!(seen.lines().len(), 3);
    let last: serde_json::Value = serde_json::from_slice(seen.lines()[2]).expect("JSON");
    assert_eq!((&last["a"], &last["b_b64"]), (&"./\u{202e}x".into(), &"Li//G1szMW0=".into()));
    for form in ["text", "csv"] {
        let seen = good(compare(["-a", "ssdeep", "-f", form, "."]).directory(room.path()));
        assert!(!seen.stdout.iter().any(|byte| matches!(byte, 0x1b | 0xff)));
        assert!(!text(&seen).contains('\u{202e}'));
    }
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

/// The paper's form takes the files of a directory and nothing below; what it leaves out is said,
/// and is not a clean result.
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

#[test]
fn one_input_is_nothing_to_compare() {
    let room = Room::new();
    let file = room.file("tree/only", &random(1, 20_000));
    std::fs::create_dir(room.path().join("empty")).expect("made");
    for (operands, against) in
        [(vec!["tree"], vec![]), (vec!["empty"], vec![]), (vec!["tree"], vec!["empty"]), (vec!["empty"], vec!["tree"])]
    {
        let mut trial = compare(&operands).directory(room.path());
        if !against.is_empty() {
            trial = trial.arg("--against").args(&against);
        }
        let seen = trial.run().expect("a run");
        assert_eq!(seen.code, Some(3), "{operands:?} {against:?} {}", seen.stderr);
        assert!(seen.stderr.contains("nothing to compare"), "{}", seen.stderr);
    }
    let seen = compare([&file, &file]).run().expect("a run");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

/// Nearly equal digests by the ten thousand: what is ahead is said at once, and the groups come
/// without the pairs.
#[test]
fn near_equal_digests_are_said_and_their_groups_are_found() {
    let room = Room::new();
    let mut list = String::from("ssdeep,1.1--blocksize:hash:hash,filename\n");
    let base: Vec<u8> = random(1, 64).iter().map(|byte| b'A' + byte % 26).collect();
    for i in 0..12_000u64 {
        let mut letters = base.clone();
        for (n, byte) in random(i + 2, 4).into_iter().enumerate() {
            letters[usize::from(byte) % 64] = b'a' + n as u8;
        }
        list += &format!("96:{}:x,\"{i}\"\n", String::from_utf8(letters).expect("letters"));
    }
    let list = room.file("list", list.as_bytes());
    let seen = good(compare(["--cluster", "-f", "csv", "--stats", "text"]).arg(&list));
    assert!(seen.stderr.contains("12000 digests compared, 1 group"), "{}", seen.stderr);
    let compared = seen.stderr.split(", ").find_map(|part| part.strip_suffix(" compared")).expect("a number");
    assert!(compared.parse::<u64>().expect("a number") < 1_000_000, "{}", seen.stderr);
    let seen = good(compare(["--threshold", "100"]).arg(&list));
    assert!(seen.stderr.contains("digests share") && seen.stderr.contains("--cluster"), "{}", seen.stderr);
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
