//! The paper's own command line (Breitinger & Petrov, section IV-B): its modes, defaults and
//! results.
#![cfg(unix)]

use crate::program::{Room, digest_by, random};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::collections::BTreeSet;
use std::process::Command;

fn pfh<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments)
}

fn run(room: &Room, line: &str) -> Outcome {
    pfh(line.split_whitespace()).directory(room.path()).run().expect("a run")
}

fn text(seen: &Outcome) -> String {
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

/// The first field of every line: the paths.
fn paths(seen: &Outcome) -> BTreeSet<String> {
    text(seen).lines().filter_map(|line| line.split('\t').next().map(str::to_owned)).collect()
}

/// A tree t5 of this many files: every third resembles the one before it, every seventh is a copy
/// of the first; some lie deeper.
fn corpus(count: u64) -> Room {
    let room = Room::new();
    for n in 0..count {
        let mut bytes = random(n - u64::from(n % 3 == 2), 9_000 + (n as usize / 3 % 5) * 4_000);
        if n % 3 == 2 {
            let at = bytes.len() / 2;
            bytes.splice(at..at + 1, random(n + 10_000, 300));
        }
        let bytes = if n % 7 == 6 { random(0, 9_000) } else { bytes };
        let below = if n % 5 == 4 { "deeper/" } else { "" };
        room.file(format!("t5/{below}{n:03}"), &bytes);
    }
    room
}

#[test]
fn the_nine_printed_lines_run() {
    let room = corpus(12);
    let same = room.file("t5/same", &random(0, 9_000));
    std::fs::copy(same, room.path().join("t5/again")).expect("a copy");
    for line in [
        "-c hash -m 256 -d t5 -r",
        "-d t5 -t 2 -h ssdeep",
        "-c full -d t5 -t 8 -m 128",
        "-c full -d t5 -t 8 -m 128 -h ssdeep",
        "-c full -d t5 -t 8 -m 128 -h sdhash",
        "-h md5 -c hash -d t5 -m 256 -t 4",
        "-h mrsh -c hash -d t5 -m 128 -t 4",
        "-t 8 -c hash -d t5 -h md5",
        "-t 8 -c hash -d t5 -h md5 -p 2",
        "-t 8 -c hash -d t5 -h ssdeep",
    ] {
        let seen = run(&room, line);
        assert_eq!((seen.code, seen.stdout.is_empty()), (Some(0), false), "{line}: {}", seen.stderr);
    }
}

/// FILENAME mode finds the files that the tools find: `md5deep -m`, `ssdeep -m`.
#[test]
fn a_list_finds_what_the_tools_find() {
    if lacks(&[Need::Program("md5deep"), Need::Program("ssdeep")]) {
        return;
    }
    let room = corpus(300);
    let tool = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(room.path()).output().expect(program);
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let some: Vec<String> = (0..300).step_by(11).filter(|n| n % 5 != 4).map(|n| format!("t5/{n:03}")).collect();
    let some: Vec<&str> = some.iter().map(String::as_str).collect();
    room.file("md5", tool("md5deep", &some).as_bytes());
    let seen = run(&room, "-c md5 -d t5 -h md5 -r");
    let theirs: BTreeSet<String> =
        tool("md5deep", &["-l", "-r", "-m", "md5", "t5"]).lines().map(str::to_owned).collect();
    assert!(theirs.len() > 28, "{theirs:?}");
    assert_eq!((seen.code, paths(&seen)), (Some(0), theirs), "{}", seen.stderr);
    let listed = tool("ssdeep", &[&["-l"][..], &some].concat());
    room.file("ssdeep", listed.as_bytes());
    let seen = run(&room, "-c ssdeep -d t5 -h ssdeep -r");
    let theirs = tool("ssdeep", &["-l", "-r", "-m", "ssdeep", "t5"]);
    let ours: BTreeSet<String> = text(&seen)
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            format!("{} matches ssdeep:{} ({})", fields[0], fields[3], fields[2])
        })
        .collect();
    let theirs: BTreeSet<String> = theirs.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    assert!(theirs.len() > 40, "{theirs:?}");
    assert_eq!(ours, theirs);
}

/// For every algorithm: a list and bare digests find the same files, and those that the modern form
/// finds.
#[test]
fn every_list_is_looked_up_whatever_the_algorithm() {
    let room = corpus(60);
    for n in [0, 3, 10, 20, 30] {
        std::fs::create_dir_all(room.path().join("some")).expect("made");
        std::fs::copy(room.path().join(format!("t5/{n:03}")), room.path().join(format!("some/{n}"))).expect("a copy");
    }
    for hash in ["md5", "sha1", "sha3", "fnv", "crc32", "kt128", "ssdeep", "sdhash", "mrsh-v2", "tlsh"] {
        let listed = run(&room, &format!("-d some -h {hash}"));
        assert_eq!(listed.code, Some(0), "{hash}: {}", listed.stderr);
        room.file("list", &listed.stdout);
        let bare: String = text(&listed)
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("ssdeep,"))
            .map(|line| match hash {
                "ssdeep" => line.split(',').next().expect("a digest").to_owned() + "\n",
                // With an empty name, as the methods print a digest alone.
                "mrsh-v2" => line[line.find(':').expect("a name")..].to_owned() + "\n",
                "sdhash" => {
                    let fields: Vec<&str> = line.splitn(5, ':').collect();
                    format!("sdbf:03:0::{}\n", fields[4])
                }
                _ => line.split_whitespace().next().expect("a digest").to_owned() + "\n",
            })
            .collect();
        room.file("bare", bare.as_bytes());
        let named = run(&room, &format!("-c list -d t5 -r -h {hash}"));
        let alone = run(&room, &format!("-c bare -d t5 -r -h {hash}"));
        assert_eq!((named.code, alone.code), (Some(0), Some(0)), "{hash}: {} {}", named.stderr, alone.stderr);
        assert!(paths(&named).len() >= 5, "{hash}: {}", text(&named));
        assert_eq!(paths(&named), paths(&alone), "{hash}");
        assert!(text(&alone).contains("\tline 1\t"), "{hash}: {}", text(&alone));
        // Without -h the list names its algorithm.
        if !matches!(hash, "fnv" | "crc32" | "sha3" | "kt128") {
            for list in ["list", "bare"] {
                let seen = run(&room, &format!("-c {list} -d t5 -r"));
                assert_eq!((seen.code, paths(&seen)), (Some(0), paths(&named)), "{hash} {list}: {}", seen.stderr);
            }
        }
        // A list as -d is not hashed: the names in it lead nowhere from elsewhere.
        let elsewhere = Room::new();
        let (list, bare) = (elsewhere.file("list", &listed.stdout), elsewhere.file("bare", bare.as_bytes()));
        let digest = text(&named).lines().next().and_then(|line| line.split('\t').nth(4).map(str::to_owned));
        let digest = digest.expect("a value");
        for file in [list, bare] {
            let trial = pfh(["-c", &digest, "-h", hash, "-d"]).arg(&file).directory(elsewhere.path());
            let seen = trial.run().expect("a run");
            assert_eq!(seen.code, Some(0), "{hash}: {}", seen.stderr);
            assert!(text(&seen).lines().next().is_some_and(|line| line.contains(&digest)), "{hash}: {}", text(&seen));
        }
    }
    let modern = pfh(["match", "--no-progress", "-r", "--similar", "list", "-f", "values", "t5"]);
    let modern = modern.directory(room.path()).run().expect("a run");
    assert_eq!(paths(&modern), paths(&run(&room, "-c list -d t5 -r")), "{}", modern.stderr);
}

/// DIGEST against a file of digests opens none of the files that are listed in it.
#[test]
fn a_file_of_digests_is_not_read_through() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = corpus(6);
    let listed = run(&room, "-d t5 -h md5");
    room.file("list", &listed.stdout);
    room.file("bare", text(&listed).lines().map(|line| line[..32].to_owned() + "\n").collect::<String>().as_bytes());
    let digest = text(&listed)[..32].to_owned();
    for list in ["list", "bare"] {
        let trial = pfh(["-c", &digest, "-d", list, "-h", "md5"]).directory(room.path());
        let seen = trial.under(["strace", "-f", "-o", "trace", "-e", "trace=file"]).run().expect("a run");
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let trace = std::fs::read_to_string(room.path().join("trace")).expect("a trace");
        assert!(trace.contains(&format!("\"{list}\"")) && !trace.contains("t5/"), "{list}");
    }
}

/// Lists that only known sets are read from: compiled sets, tables.
#[test]
fn known_sets_are_lists_too() {
    let room = corpus(9);
    let md5 = digest_by("md5sum", &random(3, 13_000));
    room.file("plain", format!("{md5}\n").as_bytes());
    let table = format!(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\n\
         \"0000000000000000000000000000000000000000\",\"{md5}\",\"00000000\",\"x\",1,1,\"1\",\"\"\n"
    );
    room.file("NSRLFile.txt", table.as_bytes());
    assert_eq!(run(&room, "known build --no-progress set --bad plain").code, Some(0));
    for (list, hash) in [("plain", ""), ("set", ""), ("set", " -h md5"), ("NSRLFile.txt", " -h md5")] {
        let seen = run(&room, &format!("-c {list} -d t5 -r{hash}"));
        assert_eq!((seen.code, text(&seen).lines().count()), (Some(0), 1), "{list}: {}", seen.stderr);
        let line = text(&seen);
        let fields: Vec<&str> = line.trim_end().split('\t').collect();
        assert_eq!(fields[..3], ["t5/003", &md5, "100"], "{list}");
    }
    room.file("other", b"00000000000000000000000000000001\n");
    assert_eq!(run(&room, "known build --no-progress none --bad other").code, Some(0));
    for list in ["other", "none"] {
        let seen = run(&room, &format!("-c {list} -d t5 -r -h md5"));
        assert_eq!((seen.code, text(&seen).as_str()), (Some(1), ""), "{list}: {}", seen.stderr);
    }
    // Nothing of the set can be compared with SHA-1.
    let seen = run(&room, "-c set -d t5 -r -h sha1");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let seen = run(&room, "-c plain -d t5 -r -h sha1");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
}

/// Listing 3 of the paper, as the program reads: files of 8, 4, 3, 2, 4 and 5 MB, a table of 10 MB.
#[test]
fn files_are_read_in_the_order_of_listing_3() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    for (name, megabytes) in [("A", 8), ("B", 4), ("C", 3), ("D", 2), ("E", 4), ("F", 5)] {
        room.file(format!("listing/{name}"), &random(megabytes, megabytes as usize * 1_000_000));
    }
    let order = |words: &str| {
        let line = format!("-c hash -d listing -h sha256 -m 10 -t 2 -p 1 {words}");
        let strace = ["strace", "-f", "-y", "-qq", "-e", "trace=read,pread64,readv", "-o", "log"];
        let seen = pfh(line.split_whitespace()).under(strace).directory(room.path()).run().expect("a run");
        assert_eq!((seen.code, text(&seen).lines().count()), (Some(0), 6), "{}", seen.stderr);
        let log = std::fs::read_to_string(room.path().join("log")).expect("a log");
        let mut order = String::new();
        for name in log.lines().filter_map(|line| line.split_once("/listing/")?.1.split('>').next()) {
            if !order.contains(name) {
                order += name;
            }
        }
        order
    };
    assert_eq!(order("--order balanced"), "ADBFCE");
    assert_eq!(order("--order path"), "ABCDEF");
}

/// A directory that is left out for want of `-r` is named, and no failure: the exit is the match's.
#[test]
fn a_directory_that_is_left_out_does_not_change_the_exit() {
    let room = Room::new();
    for (name, seed) in [("two/a", 1), ("two/b", 2), ("two/sub/c", 3)] {
        room.file(name, &random(seed, 9_000));
    }
    let there = digest_by("md5sum", &random(1, 9_000));
    let below = digest_by("md5sum", &random(3, 9_000));
    for (line, exit) in [
        (format!("-c {there} -d two -h md5"), 0),
        (format!("-c {below} -d two -h md5"), 1),
        (format!("-c {below} -d two -h md5 -r"), 0),
        ("-c full -d two -h ssdeep".to_owned(), 0),
        ("-c hash -d two -h md5".to_owned(), 0),
    ] {
        let seen = run(&room, &line);
        assert_eq!(seen.code, Some(exit), "{line}: {}", seen.stderr);
        if !line.ends_with("-r") && !line.contains("hash") {
            assert!(seen.stderr.contains("1 directory was left out"), "{line}: {}", seen.stderr);
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let room = corpus(3);
    room.file("note", b"no list of anything\n");
    room.file("nothing", b"");
    for (line, word) in [
        ("-c t5/000 -d t5", "pfh compare t5/000 --against"),
        ("-c note -d t5 -h md5", "pfh compare note --against"),
        ("-c nothing -d t5 -h md5", "no list of digests"),
        ("-c nonsense -d t5", "neither HASH nor FULL"),
        ("-d t5 -t 2 -p 2", "P < N"),
        ("-d t5 -t 8 -p 9", "P < N"),
        ("-d t5 -t 1", "P < N"),
        ("-d t5 -h sha4", "sha4"),
        ("-d t5 -q", "pfh -h"),
        ("-c hash", "-d PATH"),
    ] {
        let seen = run(&room, line);
        assert_eq!((seen.code, seen.stdout.len()), (Some(2), 0), "{line}: {}", seen.stderr);
        assert!(seen.stderr.contains(word), "{line}: {}", seen.stderr);
    }
}

#[test]
fn words_and_families_in_any_case() {
    let room = corpus(3);
    for line in ["-c HASH -d t5", "-c Hash -d t5 -h MRSH", "-d t5"] {
        assert_eq!(text(&run(&room, line)), text(&run(&room, "-c hash -d t5 -h mrsh-v2")), "{line}");
    }
    for (name, member) in [("sha2", "sha256"), ("SHA3", "sha3-256"), ("fnv", "fnv1a-64")] {
        let seen = run(&room, &format!("-d t5 -h {name}"));
        assert!(seen.stderr.contains(&format!("-h {name} is a family of algorithms; this is {member}")));
        assert_eq!(text(&seen), text(&run(&room, &format!("-d t5 -h {member}"))));
    }
}

/// Every thread is counted: N in all, P of them read. The files are more than a reader may run
/// ahead of the oldest record that is not out yet (8,192), so that the first thread cannot have
/// done them all before the one that prints has started the others.
#[test]
fn threads_are_all_threads() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    for n in 0..8_500 {
        room.file(format!("t5/{:02}/{n:04}", n % 10), b"");
    }
    for (line, most) in
        [("-t 8 -p 2", 8), ("-t 8", 8), ("-t 2", 2), ("-t 2 -p 1", 2), ("-t 2 -p 0", 2), ("-t 3 -p auto", 3)]
    {
        let trial = pfh(line.split_whitespace().chain(["-d", "t5", "-r", "-h", "md5"])).directory(room.path());
        let strace = ["strace", "-f", "--seccomp-bpf", "-o", "trace", "-e", "trace=clone,clone3"];
        let seen = trial.under(strace).run().expect("a run");
        assert_eq!(seen.code, Some(0), "{line}: {}", seen.stderr);
        let trace = std::fs::read_to_string(room.path().join("trace")).expect("a trace");
        let clones = trace.lines().filter(|line| line.contains("clone") && !line.contains("resumed")).count();
        assert_eq!(clones, most, "{line}: {trace}");
    }
}

#[test]
fn times_and_states_are_printed_when_asked_for() {
    let room = corpus(9);
    let seen = run(&room, "-c full -d t5 -h ssdeep --with-timing --with-stats");
    for word in [
        "total time: ",
        "compare time: ",
        "hash time",
        "waiting for RAM",
        "waiting for a file",
        "reading from disk",
        "throughput of hashing: ",
        "throughput of comparing: ",
        "waits for a file: ",
        "waits for space in the RAM table: ",
    ] {
        assert!(seen.stderr.contains(word), "{word}: {}", seen.stderr);
    }
    let seen = run(&room, "compare --no-progress -a ssdeep --stats json t5");
    let figures = seen.stderr.lines().find(|line| line.starts_with('{')).expect("an object");
    let figures: serde_json::Value = serde_json::from_str(figures).expect("JSON");
    for name in [
        "total_s",
        "compare_s",
        "hash_s",
        "wait_for_space_s",
        "wait_for_data_s",
        "read_s",
        "mb_per_s",
        "names_s",
        "compared_pairs_per_s",
    ] {
        assert!(figures[name].is_number(), "{name}: {figures}");
    }
    assert_eq!(figures["compared_pairs"], 9 * 8 / 2);
}

/// A file below an algorithm's least size was read: it is noted and counted, and is not a failure.
#[test]
fn small_files_are_noted_and_counted() {
    let room = corpus(6);
    room.file("t5/small", b"small");
    room.file("t5/smaller", b"s");
    for (line, note) in [
        ("-c hash -d t5 -h sdhash", "2 files have no digest of sdhash"),
        ("hash --no-progress -r -a sdhash -f sdbf t5", "2 files have no digest of sdhash"),
        ("-c full -d t5 -r -h sdhash", "2 files have no digest of sdhash"),
        ("compare --no-progress -a sdhash t5", "2 files have no digest of sdhash"),
    ] {
        let seen = run(&room, line);
        assert_eq!(seen.code, Some(0), "{line}: {}", seen.stderr);
        assert!(seen.stderr.contains(note), "{line}: {}", seen.stderr);
    }
}

#[test]
fn the_form_explains_itself() {
    let room = Room::new();
    let help = run(&room, "-h");
    assert_eq!(help.code, Some(0), "{}", help.stderr);
    for word in ["[default: 20]", "[default: 1]", "[default: HASH]", "N - P hash", "FILENAME"] {
        assert!(text(&help).contains(word), "{word}: {}", text(&help));
    }
    assert_eq!(text(&run(&room, "-c full --help")), text(&help));
    assert!(!text(&run(&room, "--help")).contains("-c MODE"));
    assert_eq!(run(&room, "man pages").code, Some(0));
    let page = std::fs::read_to_string(room.path().join("pages/pfh-paper.1")).expect("a page");
    assert!(page.contains("FILENAME") && page.contains("prefetching"), "{page}");
    // Pages of our own are made again.
    assert_eq!(run(&room, "man pages").code, Some(0));
}

/// The order in which files are read is nobody's business but the table's.
#[test]
fn the_order_of_reading_does_not_show() {
    let room = Room::new();
    for n in 0..40_u64 {
        room.file(format!("t5/{n:02}"), &random(n, (n as usize * 7919) % 60_000 + 1));
    }
    let expected = text(&run(&room, "-d t5 -h md5"));
    for order in ["size", "inode", "extent", "balanced"] {
        for more in ["", " -p 0 -t 2", " -t 4 -p 2", " -t 3 -p auto", " -t 1 -p auto", " -m 1"] {
            let seen = run(&room, &format!("-d t5 -h md5 --order {order}{more}"));
            assert_eq!(text(&seen), expected, "{order}{more}: {}", seen.stderr);
        }
        let seen = run(&room, &format!("hash --no-progress -r -a md5 -m 256k --order {order} t5"));
        assert_eq!(text(&seen), expected, "{order}: {}", seen.stderr);
    }
}
