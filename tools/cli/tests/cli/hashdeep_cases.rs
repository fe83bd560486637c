//! The cases of hashdeep's own tests/tests.sh, one by one, beside the programs that they are of.
//! What they ask for is the same; how it is written differs, so lines are compared in the form that
//! says least: digests, sizes, offsets and names.
//!
//! | tests.sh | there | here |
//! |---|---|---|
//! | 1, 22, 24, 26, 32 | `md5deep -r`, sha1deep, sha256deep, hashdeep | [`whole_files`] |
//! | 2, 16, 23, 25, 27, 33 | `-p512` | [`pieces`] |
//! | 3 | `-z`: sizes | [`whole_files`] (hashdeep's lines have them) |
//! | 4, 13 | `-b`, `-k`: bare names, asterisks | [`bare_names_and_asterisks`] |
//! | 5 to 8 | `-m -x -M -X` | [`matching`] |
//! | 9, 11, 12 | `-w`, `-a DIGEST`, `-A DIGEST` | [`matching`], [`single_digests`]; names of known files are not kept |
//! | 10 | `-n`: known files that are not there | [`known_files_that_are_not_there`] |
//! | 14, 15 | `-i`, `-I`: size limits | [`size_limits`] |
//! | 17 | `-Z`: triage | [`triage`]: the first piece and the whole from one read |
//! | 18 to 20 | a list with a line that is none, a directory without `-r` | [`a_line_that_is_none_and_a_directory`] |
//! | 21, 41 | `/dev/null` | [`devices`] |
//! | 28 to 31, 46 | tiger, whirlpool | [`tiger_and_whirlpool`] |
//! | 34 to 38 | `hashdeep -m -M -x -w -k` | [`matching_with_several_digests`] |
//! | 39, 40 | `hashdeep -a`, `-v` | [`audits`], and `check.rs` |
//! | 42 to 45 | standard input | [`standard_input`] |
//! | 47 | `-vvvbak known1 -k known2` of two algorithms | [`two_lists_of_different_algorithms`] |
//! | 48 to 52 | BSD, iLook and NSRL lists, by MD5 and by SHA-1 | [`lists_of_others`] |
//! | its tree | links, cycles, names beyond ASCII, empty files | [`tree`], [`links`] |

use crate::program;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;

fn pfh<S: AsRef<std::ffi::OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

/// What one of the deep programs prints, with `input` at its standard input; relative names.
fn deep(room: &Room, program: &str, arguments: &[&str], input: &str) -> String {
    deep_as_is(room, program, &[&["-l"], arguments].concat(), input)
}

fn deep_as_is(room: &Room, program: &str, arguments: &[&str], input: &str) -> String {
    use std::io::Write;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(room.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

fn missing() -> bool {
    lacks(&["md5deep", "sha1deep", "sha256deep", "hashdeep"].map(Need::Program))
}

/// The lines of a text in order; hashdeep's comments aside.
fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().filter(|line| !line.starts_with(['%', '#'])).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Files of every kind in `d`, but for links.
fn tree() -> Room {
    let room = Room::new();
    // Its MD5 begins with deadbeef.
    room.file("d/deadbeef.txt", b"10259750338\n");
    room.file("d/foo.txt", b"foo\n");
    room.file("d/one-byte-file.txt", b"1");
    room.file("d/zero-byte-file.txt", b"");
    room.file("d/dir_a/web2", "aardvark\n".repeat(3000).as_bytes());
    room.file("d/dir_a/dir_b/web2a", "zymurgy\n".repeat(64).as_bytes());
    room.file("d/dir_c/words1", "word\n".repeat(201).as_bytes());
    room.file("d/unicode_snowman_\u{2603}.txt", b"snow");
    room.file("d/comma,name", b"comma");
    room
}

/// The names of the files that have one of these verdicts, with one of their digests.
fn verdicts(room: &Room, more: &[&str]) -> Vec<(String, String)> {
    let seen = pfh(room, [&["match", "--no-progress", "-f", "jsonl"], more].concat());
    let lines = seen.lines().into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    let mut found: Vec<(String, String)> = lines
        .filter(|line| line["type"] == "match" && line["verdict"] != "error")
        .map(|line| {
            let digests = line["digests"].as_object().unwrap();
            (line["path"].as_str().unwrap().to_owned(), digests.values().next().unwrap().as_str().unwrap().to_owned())
        })
        .collect();
    found.sort();
    found
}

fn names(found: &[(String, String)]) -> Vec<String> {
    found.iter().map(|(name, _)| name.clone()).collect()
}

#[test]
fn whole_files() {
    if missing() {
        return;
    }
    let room = tree();
    for (program, algorithm) in [("md5deep", "md5"), ("sha1deep", "sha1"), ("sha256deep", "sha256")] {
        let ours = text(&pfh(&room, ["hash", "--no-progress", "-r", "-a", algorithm, "d"]));
        assert_eq!(sorted(&ours), sorted(&deep(&room, program, &["-r", "d"], "")), "{program}");
        assert_eq!(ours.lines().count(), 9);
    }
    let ours = pfh(&room, ["hash", "--no-progress", "-r", "-a", "md5,sha256", "-f", "hashdeep", "d"]);
    assert_eq!(sorted(&text(&ours)), sorted(&deep(&room, "hashdeep", &["-r", "d"], "")));
    // Sizes in front.
    let ours = text(&pfh(&room, ["hash", "--no-progress", "-r", "-a", "md5", "-f", "hashdeep", "d"]));
    let theirs = deep(&room, "md5deep", &["-zr", "d"], "");
    let theirs: String = theirs.lines().map(|line| line.trim_start().replacen("  ", ",", 2) + "\n").collect();
    assert_eq!(sorted(&ours), sorted(&theirs));
}

#[test]
fn pieces() {
    if missing() {
        return;
    }
    let room = tree();
    for (program, algorithms) in
        [("md5deep", "md5"), ("sha1deep", "sha1"), ("sha256deep", "sha256"), ("hashdeep", "md5,sha256")]
    {
        let ours =
            pfh(&room, ["hash", "--no-progress", "-r", "-a", algorithms, "--piecewise", "512", "-f", "hashdeep", "d"]);
        let theirs = deep(&room, program, &["-p512", "-r", "d"], "");
        // An empty file has no pieces here, and one from 0 to 0 there; the size of a piece stands
        // in hashdeep's lines alone.
        let theirs = theirs.replace(" offset 0-0", "").replace("one-byte-file.txt", "one-byte-file.txt offset 0-0");
        let ours = text(&ours);
        let ours: String = match program {
            "hashdeep" => ours,
            _ => ours
                .lines()
                .filter(|line| !line.starts_with(['#', '%']))
                .map(|line| line.split_once(',').unwrap().1.replacen(',', "  ", 1) + "\n")
                .collect(),
        };
        assert_eq!(sorted(&ours), sorted(&theirs), "{program}");
        assert!(ours.lines().count() > 60);
    }
}

#[test]
fn bare_names_and_asterisks() {
    if missing() {
        return;
    }
    let room = tree();
    let theirs = deep_as_is(&room, "md5deep", &["-b", "d/deadbeef.txt"], "");
    let ours = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["hash", "-a", "md5", "deadbeef.txt"])
        .directory(room.path().join("d"))
        .run()
        .unwrap();
    assert_eq!(text(&ours), theirs);
    let theirs = deep(&room, "md5deep", &["-k", "d/deadbeef.txt"], "");
    assert_eq!(text(&pfh(&room, ["hash", "-a", "md5", "--binary", "d/deadbeef.txt"])), theirs);
    assert!(theirs.starts_with("deadbeef") && theirs.contains(" *d/"), "{theirs}");
}

/// A list of two files that are there and one that is not, as `program` writes it.
fn partial(room: &Room, program: &str) {
    let mut list = deep(room, program, &["d/deadbeef.txt", "d/foo.txt"], "");
    // The programs hash with several threads: which of the two lines is the last differs from run
    // to run.
    let last = list.lines().find(|line| line.ends_with("d/foo.txt")).unwrap();
    let absent = last.replace("d/foo.txt", "no/match/em").replace(['0', '1', '2', '3', '4', '5'], "6");
    list += &(absent + "\n");
    room.file("list", list.as_bytes());
}

#[test]
fn matching() {
    if missing() {
        return;
    }
    let room = tree();
    partial(&room, "md5deep");
    for (flag, only) in [("-m", "known"), ("-x", "unknown")] {
        let ours = verdicts(&room, &["-r", "-k", "list", "--only", only, "d"]);
        assert_eq!(names(&ours), sorted(&deep(&room, "md5deep", &[flag, "list", "-r", "d"], "")), "{flag}");
        let theirs = deep(&room, "md5deep", &[&flag.to_uppercase(), "list", "-r", "d"], "");
        let ours: Vec<String> = ours.iter().map(|(name, digest)| format!("{digest}  {name}")).collect();
        assert_eq!(sorted(&ours.join("\n")), sorted(&theirs), "{flag} with digests");
    }
    let theirs = deep(&room, "md5deep", &["-m", "list", "-w", "-r", "d"], "");
    let theirs: String = theirs.lines().map(|line| line.split_once(" matched ").unwrap().0.to_owned() + "\n").collect();
    assert_eq!(names(&verdicts(&room, &["-r", "-k", "list", "--only", "known", "d"])), sorted(&theirs));
}

#[test]
fn single_digests() {
    if missing() {
        return;
    }
    let room = tree();
    let digest = "deadbeefb303ba89ae055ad0234eb7e8";
    for (flag, only) in [("-a", "known"), ("-A", "unknown")] {
        let ours = verdicts(&room, &["-r", "--digest", digest, "--only", only, "d"]);
        assert_eq!(names(&ours), sorted(&deep(&room, "md5deep", &[flag, digest, "-r", "d"], "")), "{flag}");
    }
    assert_eq!(pfh(&room, ["match", "--digest", digest, "d/foo.txt"]).code, Some(1), "nothing has it");
}

#[test]
fn known_files_that_are_not_there() {
    if missing() {
        return;
    }
    let room = tree();
    partial(&room, "md5deep");
    let theirs = deep(&room, "md5deep", &["-m", "list", "-n", "-r", "d"], "");
    // The whole tree: of what lies outside of --below nobody says that it is missing.
    let seen = pfh(&room, ["check", "--no-progress", "--audit", "-f", "jsonl", "list"]);
    let lines = seen.lines().into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    let ours: Vec<String> =
        lines.filter(|line| line["class"] == "missing").map(|line| line["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ours, sorted(&theirs));
    assert_eq!((ours, seen.code), (vec!["no/match/em".to_owned()], Some(1)));
}

#[test]
fn size_limits() {
    if missing() {
        return;
    }
    let room = tree();
    let ours = text(&pfh(&room, ["hash", "--no-progress", "-r", "-a", "md5", "--max-size", "999", "d"]));
    assert_eq!(sorted(&ours), sorted(&deep(&room, "md5deep", &["-i1000", "-r", "d"], "")));
    // -I lists the others as well, with asterisks for a digest; here they are left out and reported
    // by nobody.
    let theirs = deep(&room, "md5deep", &["-I1000", "-r", "d"], "");
    let hashed: Vec<String> = sorted(&theirs).into_iter().filter(|line| !line.starts_with('*')).collect();
    assert_eq!((sorted(&ours), theirs.lines().count()), (hashed, 9));
}

#[test]
fn triage() {
    if missing() {
        return;
    }
    let room = tree();
    let seen = pfh(&room, ["hash", "--no-progress", "-a", "md5", "--piecewise", "512", "-f", "jsonl", "d/dir_a/web2"]);
    let line: Value = serde_json::from_slice(seen.lines()[0]).unwrap();
    let [first, whole] =
        [&line["pieces"][0]["digests"]["md5"], &line["digests"]["md5"]].map(|md5| md5.as_str().unwrap());
    let ours = format!("{}\t{first}\t{whole}\td/dir_a/web2\n", line["size"]);
    assert_eq!(ours, deep(&room, "md5deep", &["-Z", "d/dir_a/web2"], ""));
}

#[test]
fn a_line_that_is_none_and_a_directory() {
    let room = tree();
    room.file("list", b"07ff3b8f4f2990192b595ca148d284bd  ChangeLog\nhello world!\n");
    // The line is reported, the directory is an error: neither is passed over in silence, and there
    // is not an option that would.
    let seen = pfh(&room, ["match", "--no-progress", "-k", "list", "d"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(seen.stderr.contains("list:2: ") && text(&seen).contains("is a directory"), "{}", seen.stderr);
}

#[test]
fn devices() {
    if missing() {
        return;
    }
    let room = tree();
    for (program, options) in [("md5deep", &["-a", "md5"][..]), ("hashdeep", &["-a", "md5,sha256", "-f", "hashdeep"])] {
        let seen = pfh(&room, [&["hash", "--special"], options, &["/dev/null"]].concat());
        assert_eq!((seen.code, sorted(&text(&seen))), (Some(0), sorted(&deep(&room, program, &["/dev/null"], ""))));
    }
    // Nobody reads a device by accident.
    assert_eq!(pfh(&room, ["hash", "/dev/null"]).code, Some(3));
}

#[test]
fn tiger_and_whirlpool() {
    let room = tree();
    for (algorithm, program) in [("tiger", "tigerdeep"), ("whirlpool", "whirlpooldeep")] {
        if missing() {
            return;
        }
        let ours = pfh(&room, ["hash", "-r", "-a", algorithm, "d"]);
        assert_eq!(sorted(&text(&ours)), sorted(&deep(&room, program, &["-r", "d"], "")), "{algorithm}");
        let list = deep(&room, "hashdeep", &["-r", "-c", &format!("md5,{algorithm}"), "d"], "");
        room.file("list", list.as_bytes());
        let seen = pfh(&room, ["check", "--no-progress", "list"]);
        assert!(seen.code == Some(0) && seen.stderr.contains(&format!("md5, {algorithm}")), "{}", seen.stderr);
        let ours = pfh(&room, ["hash", "-r", "-a", &format!("md5,{algorithm}"), "-f", "hashdeep", "d"]);
        assert_eq!(sorted(&text(&ours)), sorted(&list), "{algorithm}");
    }
    // Lists that have such columns are read all the same: the other digests count.
    let list = "%%%% HASHDEEP-1.0\n%%%% size,snefru,md5,has160,filename\n4,x,d3b07384d113edec49eaa6238ad5ff00,y,foo\n";
    room.file("list", list.as_bytes());
    assert_eq!(names(&verdicts(&room, &["-k", "list", "--only", "known", "d/foo.txt"])), ["d/foo.txt"]);
}

#[test]
fn matching_with_several_digests() {
    if missing() {
        return;
    }
    let room = tree();
    partial(&room, "hashdeep");
    let files = ["d/deadbeef.txt", "d/foo.txt", "d/one-byte-file.txt", "d/zero-byte-file.txt"];
    for (flag, only) in [("-m", "known"), ("-x", "unknown")] {
        let ours = verdicts(&room, &[&["-k", "list", "--only", only], &files[..]].concat());
        let theirs = deep(&room, "hashdeep", &[&[flag, "-k", "list"], &files[..]].concat(), "");
        assert_eq!(names(&ours), sorted(&theirs), "{flag}");
        let theirs = deep(&room, "hashdeep", &[&["-w", flag, "-k", "list"], &files[..]].concat(), "");
        let theirs: Vec<&str> = theirs.lines().map(|line| line.split(" matches ").next().unwrap()).collect();
        assert_eq!(names(&ours), sorted(&theirs.join("\n")), "{flag} -w");
    }
    let theirs = deep(&room, "hashdeep", &[&["-M", "-k", "list"], &files[..]].concat(), "");
    let with_digests: Vec<String> =
        sorted(&theirs).iter().map(|line| line.rsplit_once(',').unwrap().1.to_owned()).collect();
    assert_eq!(with_digests, ["d/deadbeef.txt", "d/foo.txt"]);
}

#[test]
fn audits() {
    if missing() {
        return;
    }
    let room = tree();
    let manifest = deep(&room, "hashdeep", &["-r", "d"], "");
    room.file("list", manifest.as_bytes());
    for verbose in [&[][..], &["-v"]] {
        let theirs = deep(&room, "hashdeep", &[verbose, &["-r", "-a", "-k", "list", "d"]].concat(), "");
        assert!(theirs.starts_with("hashdeep: Audit passed"), "{theirs}");
    }
    let seen = pfh(&room, ["check", "--no-progress", "--audit", "-f", "hashdeep", "--below", "d", "list"]);
    assert!(seen.code == Some(0) && text(&seen).starts_with("hashdeep: Audit passed"), "{}", text(&seen));
    assert!(text(&seen).contains("Files matched: 9"), "{}", text(&seen));
}

#[test]
fn standard_input() {
    if missing() {
        return;
    }
    let room = tree();
    for (program, algorithm) in [("md5deep", "md5"), ("sha1deep", "sha1"), ("sha256deep", "sha256")] {
        let seen =
            Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-a", algorithm, "-"]).input("README.txt\n").run();
        let ours = text(&seen.unwrap());
        let theirs = deep(&room, program, &[], "README.txt\n");
        assert_eq!(ours.split_whitespace().next(), theirs.split_whitespace().next(), "{program}");
    }
    let arguments = ["hash", "-a", "md5,sha256", "-f", "hashdeep", "-"];
    let ours = text(&Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).input("README.txt\n").run().unwrap());
    let theirs = deep(&room, "hashdeep", &[], "README.txt\n").replace(",stdin\n", ",-\n");
    assert_eq!(sorted(&ours), sorted(&theirs));
}

#[test]
fn two_lists_of_different_algorithms() {
    if missing() {
        return;
    }
    let room = Room::new();
    for name in ["foo", "bar", "moo", "cow"] {
        room.file(name, format!("{name}\n").as_bytes());
    }
    room.file("known1", deep_as_is(&room, "hashdeep", &["-bc", "md5", "foo", "bar"], "").as_bytes());
    room.file("known2", deep_as_is(&room, "hashdeep", &["-bc", "sha1", "moo", "cow"], "").as_bytes());
    let theirs = deep_as_is(&room, "hashdeep", &["-vvvbak", "known1", "-k", "known2", "foo", "bar", "moo", "cow"], "");
    assert_eq!(theirs.lines().filter(|line| line.ends_with(": Ok")).count(), 4, "{theirs}");
    let seen = pfh(&room, ["match", "-f", "jsonl", "-k", "known1", "-k", "known2", "foo", "bar", "moo", "cow"]);
    let lines = seen.lines().into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    let found: Vec<(String, String)> = lines
        .filter(|line| line["type"] == "match")
        .map(|line| {
            [&line["path"], &line["sets"][0]["algorithm"]].map(|value| value.as_str().unwrap().to_owned()).into()
        })
        .collect();
    let expected = [("foo", "md5"), ("bar", "md5"), ("moo", "sha1"), ("cow", "sha1")];
    assert_eq!(found, expected.map(|(name, algorithm)| (name.to_owned(), algorithm.to_owned())));
    // An audit of both. Without names of their directories, so that the lists are not files of it.
    let seen = pfh(&room, ["check", "--no-progress", "--audit", "-f", "hashdeep", "--all", "known1", "known2"]);
    assert_eq!((seen.code, text(&seen).matches(": Ok").count()), (Some(0), 4), "{}", text(&seen));
    for known in ["known1", "known2"] {
        let seen = pfh(&room, ["check", "--no-progress", known]);
        assert_eq!((seen.code, text(&seen).matches(": OK").count()), (Some(0), 2), "{known}");
    }
}

#[test]
fn lists_of_others() {
    if missing() {
        return;
    }
    let room = tree();
    let upper = |program, content: &[u8]| program::digest_by(program, content).to_uppercase();
    let (md5, sha1) = (upper("md5sum", b"foo\n"), upper("sha1sum", b"foo\n"));
    let bsd = format!("MD5 (install.txt) = d7adbcf07c5c813693ddf958be9c40e3\nMD5 (foo.txt) = {md5}\n");
    let ilook = format!(
        "V4Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512,CreateTime,ModTime,LastAccessTime\n\
         {md5},{sha1},foo.txt,D:\\x\\,4,,,,16.4.2008 14:29:24,16.4.2008 10:24:28,18.4.2008\n"
    );
    let nsrl = format!(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n\
         \"{sha1}\",\"{md5}\",\"E32A12F9\",\"foo.txt\",4,3192,\"WIN\",\"\"\r\n"
    );
    for (what, list, programs) in [
        ("BSD", bsd, &[("md5deep", "md5")][..]),
        ("iLook 4", ilook, &[("md5deep", "md5"), ("sha1deep", "sha1")]),
        ("NSRL 2", nsrl, &[("md5deep", "md5"), ("sha1deep", "sha1")]),
    ] {
        room.file("list", list.as_bytes());
        for (program, algorithm) in programs {
            let theirs = sorted(&deep(&room, program, &["-m", "list", "-r", "d"], ""));
            let ours = names(&verdicts(&room, &["-r", "-a", algorithm, "-k", "list", "--only", "known", "d"]));
            assert_eq!((&ours, &ours[..]), (&theirs, &["d/foo.txt".to_owned()][..]), "{what} by {program}");
        }
    }
}

#[test]
fn links() {
    if missing() {
        return;
    }
    let room = tree();
    let d = room.path().join("d");
    symlink("web2", d.join("dir_a/link")).unwrap();
    symlink("..", d.join("dir_a/up")).unwrap();
    symlink("../dir_c", d.join("dir_a/across")).unwrap();
    symlink("nowhere", d.join("badlink")).unwrap();
    // There links are always followed, here when asked; a cycle and a link to nowhere are errors on
    // both sides.
    let seen = pfh(&room, ["hash", "--no-progress", "-r", "-L", "-a", "md5", "d"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert_eq!(sorted(&text(&seen)), sorted(&deep(&room, "md5deep", &["-r", "d"], "")));
    let seen = pfh(&room, ["hash", "--no-progress", "-r", "-a", "md5", "d"]);
    assert_eq!((seen.code, text(&seen).lines().count()), (Some(0), 9));
    assert_eq!(seen.stderr.matches("skipped: symbolic link").count(), 4, "{}", seen.stderr);
}
