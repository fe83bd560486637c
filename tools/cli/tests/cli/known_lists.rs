//! Lists that cannot be read, or only in part, and sets that hold nothing: no verdict passes over
//! them.

use crate::program;
use std::fs;
use std::path::Path;

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

fn pfh<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments)
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn build(room: &Room, lists: &[&Path]) -> Outcome {
    let mut trial = pfh(["known", "build", "--no-progress"]).arg(room.path().join("known"));
    for list in lists {
        trial = trial.arg("--bad").arg(list);
    }
    trial.run().unwrap()
}

fn matched(list: &Path, more: &[&str], file: &Path) -> Outcome {
    pfh(["match", "--no-progress", "-k"]).arg(list).args(more.iter().copied()).arg(file).run().unwrap()
}

#[test]
fn feeds_of_any_shape_are_read_or_refused() {
    let room = Room::new();
    let file = room.file("evil", b"evil");
    let (md5, sha256) = (program::digest_by("md5sum", b"evil"), program::sha256(b"evil"));
    for (name, feed) in [
        ("array", format!("[{{\"md5\":\"{md5}\"}}]")),
        ("lines", format!("{{\"md5\":\"{md5}\",\"sha256\":\"{sha256}\"}}\n")),
        ("data", format!("{{\"data\":[{{\"sha256\":\"{sha256}\"}}]}}")),
        (
            "bom",
            format!(
                "{{\"bomFormat\":\"CycloneDX\",\"components\":[{{\"hashes\":[{{\"alg\":\"SHA-256\",\"content\":\"{sha256}\"}}]}}]}}"
            ),
        ),
    ] {
        let feed = room.file(format!("{name}.json"), feed.as_bytes());
        assert_eq!(build(&room, &[&feed]).code, Some(0), "{name}");
        for list in [&feed, &room.path().join("known")] {
            let seen = matched(list, &["--class", "bad"], &file);
            assert_eq!((seen.code, text(&seen).starts_with("known-bad ")), (Some(1), true), "{name}: {}", seen.stderr);
        }
    }
}

#[test]
fn a_set_of_no_digests_is_said_and_exits_with_3() {
    let room = Room::new();
    let file = room.file("good", b"good");
    let good = room.file("good.txt", (program::sha256(b"good") + "\n").as_bytes());
    for (name, content) in [
        ("empty", ""),
        ("comment", "# nothing\n"),
        ("shape.json", "{\"rows\":[[\"a\",1]]}"),
        ("other.json", "{\"data\":[{\"name\":\"a\"}]}"),
        ("plain.dfxml", "<?xml version='1.0'?>\n<dfxml><fileobject><filename>a</filename></fileobject></dfxml>\n"),
    ] {
        let list = room.file(name, content.as_bytes());
        let seen = build(&room, &[&list, &good]);
        assert!(seen.code == Some(3) && seen.stderr.contains(name), "{name}: {:?} {}", seen.code, seen.stderr);
        // The file that was built says it again, and so does the list by itself; beside a good one
        // and alone.
        let known = room.path().join("known");
        for arguments in [vec![&known], vec![&list, &good], vec![&list]] {
            let mut trial = pfh(["match", "--no-progress"]);
            for set in &arguments {
                trial = trial.arg("-k").arg(set);
            }
            let seen = trial.arg("--fail-on").arg("unknown").arg(&file).run().unwrap();
            assert_eq!(seen.code, Some(3), "{name} of {arguments:?}: {}", seen.stderr);
            assert!(seen.stderr.contains("holds no digest"), "{name}: {}", seen.stderr);
        }
        let seen = pfh(["lookup", "-k"]).arg(&list).input(program::sha256(b"good")).run().unwrap();
        assert_eq!(seen.code, Some(3), "{name}: {}", seen.stderr);
    }
}

/// One law: the count, an example by its line, and the exit code, in every command.
#[test]
fn a_list_that_is_read_in_part_is_exit_3_everywhere() {
    let room = Room::new();
    let file = room.file("a", b"a");
    let digest = program::digest_by("md5sum", b"a");
    let list = room.file("l", format!("{digest}  a\nhello world\n").as_bytes());
    let seen = [
        build(&room, &[&list]),
        matched(&list, &[], &file),
        pfh(["lookup", "-k"]).arg(&list).args(["--digest", &digest]).run().unwrap(),
    ];
    for seen in seen {
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        assert!(seen.stderr.contains("/l:2: "), "{}", seen.stderr);
    }
    // Known-bad files stay known-bad.
    assert_eq!(matched(&list, &["--class", "bad"], &file).code, Some(1));
    // A thousand faults are not a thousand sentences.
    let list = room.file("many", format!("{digest}\n{}", "hello\n".repeat(1000)).as_bytes());
    let seen = matched(&list, &[], &file);
    assert_eq!(
        (seen.code, seen.stderr.contains("990 more places"), seen.stderr.lines().count() < 20),
        (Some(3), true, true),
        "{}",
        seen.stderr
    );
}

/// Half of the lines are MD5, half SHA-1: with one algorithm half of the list would be passed over.
#[test]
fn lists_of_several_algorithms_are_compared_as_a_whole() {
    let room = Room::new();
    let [a, b] = ["a", "b"].map(|name| room.file(name, name.as_bytes()));
    let lines =
        [program::digest_by("md5sum", b"a"), program::digest_by("md5sum", b"x"), program::digest_by("sha1sum", b"b")];
    let list = room.file("l", (lines.join("\n") + "\n").as_bytes());
    let seen = pfh(["match", "--no-progress", "-k"]).arg(&list).arg(&a).arg(&b).run().unwrap();
    assert_eq!((seen.code, text(&seen).matches("known ").count()), (Some(0), 2), "{}{}", text(&seen), seen.stderr);
    let seen = pfh(["match", "--no-progress", "-a", "md5", "-k"])
        .arg(room.file("l2", (lines.join("\n") + "\n").as_bytes()))
        .arg(&a)
        .arg(&b);
    let seen = seen.run().unwrap();
    assert_eq!(seen.code, Some(3), "{}{}", text(&seen), seen.stderr);
}

/// NSRL's special code M makes a file bad, whatever the list is called, built or not.
#[test]
fn special_codes_mean_the_same_in_lists_and_in_sets() {
    let room = Room::new();
    let file = room.file("evil", b"evil");
    let (sha1, md5) = (program::digest_by("sha1sum", b"evil"), program::digest_by("md5sum", b"evil"));
    let table = format!(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\n\
         \"{sha1}\",\"{md5}\",\"00000000\",\"evil\",4,1,\"WIN\",\"M\"\n"
    );
    let list = room.file("NSRLFile.txt", table.as_bytes());
    let seen =
        pfh(["known", "build", "--no-progress"]).arg(room.path().join("known")).arg("--good").arg(&list).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    for set in [list, room.path().join("known")] {
        let seen = matched(&set, &[], &file);
        assert_eq!((seen.code, text(&seen).starts_with("known-bad ")), (Some(1), true), "{}", text(&seen));
        let seen = pfh(["lookup", "-k"]).arg(&set).args(["--fail-on", "bad", "--digest", &sha1]).run().unwrap();
        assert_eq!((seen.code, text(&seen).starts_with("known-bad ")), (Some(1), true), "{}", text(&seen));
    }
}

/// What users of hfind write. Standard input is never read: here it would wait for ever, and the
/// trial would end with a signal.
#[test]
fn a_digest_is_looked_up() {
    let room = Room::new();
    let list = room.file("list.txt", (program::sha256(b"in") + "\n").as_bytes());
    let lookup = |digest: &str| pfh(["lookup", "-k"]).arg(&list).args(["--digest", digest]).run().unwrap();
    let seen = lookup(&program::sha256(b"in"));
    assert_eq!(
        (seen.code, text(&seen).lines().count(), text(&seen).starts_with("known ")),
        (Some(0), 1, true),
        "{}",
        text(&seen)
    );
    let seen = lookup(&program::sha256(b"out").to_uppercase());
    assert_eq!(
        (seen.code, text(&seen).lines().count(), text(&seen).starts_with("unknown ")),
        (Some(1), 1, true),
        "{}",
        text(&seen)
    );
    // No set has an MD5, so nothing is said of this one.
    let seen = lookup(&program::digest_by("md5sum", b"in"));
    assert_eq!((seen.code, text(&seen).starts_with("nothing-to-compare-with ")), (Some(3), true), "{}", text(&seen));
    assert_eq!(lookup("1234").code, Some(2));
    assert_eq!(
        pfh(["lookup", "--digest", &program::sha256(b"in")]).run().unwrap().code,
        Some(2),
        "nothing to look up in"
    );
}

#[test]
fn a_list_without_a_class_is_said_and_a_bad_one_prints_hits() {
    let room = Room::new();
    for name in ["evil", "other"] {
        room.file(format!("tree/{name}"), name.as_bytes());
    }
    let tree = room.path().join("tree");
    let list = room.file("malware.txt", (program::sha256(b"evil") + "\n").as_bytes());
    let seen = matched(&list, &["-r"], &tree);
    assert_eq!(seen.code, Some(0));
    assert!(seen.stderr.contains("a list of no class") && seen.stderr.contains("--class bad"), "{}", seen.stderr);
    let seen = matched(&list, &["-r", "--class", "bad"], &tree);
    assert_eq!((seen.code, text(&seen).lines().count()), (Some(1), 1), "{}", text(&seen));
    assert!(text(&seen).starts_with("known-bad ") && text(&seen).contains("malware: bad"), "{}", text(&seen));
    assert!(seen.stderr.contains("1 unknown") && !seen.stderr.contains("no class"), "{}", seen.stderr);
    // What machines read stays whole.
    let seen = matched(&list, &["-r", "--class", "bad", "-f", "jsonl"], &tree);
    assert_eq!(text(&seen).lines().count(), 3, "{}", text(&seen));
    let seen = matched(&list, &["-r", "--class", "bad", "--only", "unknown"], &tree);
    assert!(text(&seen).starts_with("unknown ") && text(&seen).lines().count() == 1, "{}", text(&seen));
}

#[test]
fn a_skip_is_told_once_and_a_missing_directory_is_not_made() {
    let room = Room::new();
    room.file("tree/a", b"a");
    std::os::unix::fs::symlink("a", room.path().join("tree/link")).unwrap();
    let list = room.file("l", (program::sha256(b"a") + "\n").as_bytes());
    let seen = matched(&list, &["-r"], &room.path().join("tree"));
    assert_eq!(
        (text(&seen).matches("tree/link").count(), seen.stderr.matches("tree/link").count()),
        (1, 0),
        "{}",
        seen.stderr
    );
    assert!(seen.stderr.contains("1 skipped"), "{}", seen.stderr);
    let out = room.path().join("not/there/known");
    let seen = pfh(["known", "build"]).arg(&out).arg("--good").arg(&list).run().unwrap();
    assert_eq!((seen.code, fs::exists(room.path().join("not")).unwrap()), (Some(2), false), "{}", seen.stderr);
}
