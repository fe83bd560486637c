//! No command writes onto its input or replaces a file that it did not make, by any option or name.
#![cfg(unix)]

use crate::output_case::{CASE, Case, TREES};
use crate::outputs_reads::{NO_PATHS, READS, SPILLED, STAMPED};
use crate::program::Room;
use pfh_inject::{Outcome, Trial, content};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const CASES: &[Case] = &[
    Case { page: "hash", option: "--output", words: "hash in -o OUT", ..CASE },
    Case { page: "hash", option: "--update", words: "hash in --update sums", file: "sums.1", ..CASE },
    Case { page: "check", option: "--state", words: "check sums --share 1/2 --state OUT", read: &["sums"], ..CASE },
    Case { page: "hash", option: "--cache", words: "hash in --cache OUT", twice: "-o OUT", ..CASE },
    Case {
        page: "hash",
        option: "--seal",
        words: "hash in --seal -o new",
        file: "new.seal",
        twice: "--cache new.seal",
        ..CASE
    },
    Case {
        page: "match",
        option: "--output",
        words: "match in -k sums -o OUT --fail-on error",
        read: &["in", "sums"],
        ..CASE
    },
    Case {
        page: "match",
        option: "--write-index",
        words: "match --similar list --write-index OUT",
        read: &["list"],
        twice: "-o OUT",
        ..CASE
    },
    Case {
        page: "compare",
        option: "--output",
        words: "compare -a ssdeep in same -o OUT",
        read: &["in", "same"],
        ..CASE
    },
    Case { page: "compare", option: "--html", words: "compare -a ssdeep in same --html OUT", twice: "-o OUT", ..CASE },
    Case { page: "dups", option: "--script", words: "dups in same --script OUT", read: &["in", "same"], ..CASE },
    Case { page: "known-export", option: "OUT", words: "known export md5s OUT --to kdb", read: &["md5s"], ..CASE },
    Case { page: "known-export", option: "--output", words: "known export md5s -o OUT --to kdb", read: &[], ..CASE },
    Case {
        page: "known-export",
        option: "OUT",
        words: "known export md5s new --to vics",
        file: "new",
        read: &["md5s"],
        ..CASE
    },
    Case { page: "export", option: "--output", words: "export lines --to bodyfile -o OUT", read: &["lines"], ..CASE },
    Case { page: "cat", option: "--output", words: "cat in.gz!/in -o OUT", read: &["in.gz"], ..CASE },
    Case { page: "report", option: "--html", words: "report sums --html OUT", read: &["sums"], ..CASE },
    Case {
        page: "bag-create",
        option: "BAG",
        words: "bag create packed",
        file: "packed/manifest-sha512.txt",
        read: &[],
        ..CASE
    },
    Case {
        page: "bag-create",
        option: "BAG",
        words: "bag create packed",
        file: "packed/bag-info.txt",
        read: &[],
        ..CASE
    },
    // An update is for its own manifest; a file that is not a manifest makes it no bag.
    Case {
        page: "bag-update",
        option: "BAG",
        words: "bag update bagged",
        file: "bagged/manifest-sha512.txt",
        read: &[],
        code: 2,
        ..CASE
    },
    Case {
        page: "diff",
        option: "--cache",
        words: "diff sums list --cache OUT",
        read: &["sums", "list"],
        code: 1,
        ..CASE
    },
    Case { page: "known-build", option: "OUT", words: "known build OUT --bad sums", read: &["sums"], ..CASE },
    Case { page: "known-build", option: "--output", words: "known build -o OUT --bad sums", read: &[], ..CASE },
    Case {
        page: "known-build",
        option: "OUT",
        words: "known build new --bad sums",
        file: "new.partial",
        read: &["sums"],
        ..CASE
    },
    Case {
        page: "known-build",
        option: "--work",
        words: "known build new --bad sums --work pages",
        file: "pages/run-1-0",
        read: &["sums"],
        ..CASE
    },
    Case {
        page: "audit-commit",
        option: "--output",
        words: "audit commit held -o OUT",
        read: &["held", "held.pfhtree"],
        ..CASE
    },
    Case {
        page: "audit-tokens",
        option: "--output",
        words: "audit tokens kept --data held --count 1 -o OUT",
        read: &["kept", "held", "held.pfhtree"],
        ..CASE
    },
    Case {
        page: "audit-renew",
        option: "--output",
        words: "audit renew kept update -o OUT",
        read: &["kept", "update"],
        ..CASE
    },
    Case {
        page: "audit-ask",
        option: "--tokens",
        words: "audit ask http://127.0.0.1:9 --tokens OUT",
        read: &[],
        code: 3,
        ..CASE
    },
    Case { page: "audit-challenge", option: "--output", words: "audit challenge kept -o OUT", read: &["kept"], ..CASE },
    Case {
        page: "audit-prove",
        option: "--output",
        words: "audit prove asked held -o OUT",
        read: &["asked", "held", "held.pfhtree"],
        ..CASE
    },
    Case {
        page: "audit-ask",
        option: "--evidence",
        words: "audit ask http://127.0.0.1:9 kept --evidence new",
        file: "new.0.challenge",
        read: &["kept"],
        code: 3,
        ..CASE
    },
    Case { page: "acquire", option: "--to", words: "acquire in --to OUT", twice: "--to OUT", ..CASE },
    Case {
        page: "acquire",
        option: "--to",
        words: "acquire in --to OUT -f raw --image",
        twice: "--outboard OUT",
        ..CASE
    },
    Case { page: "acquire", option: "--to", words: "acquire in --to new --split 1000", file: "new.000", ..CASE },
    Case { page: "acquire", option: "--to", words: "acquire in --to new --split 1000", file: "new.007", ..CASE },
    Case { page: "acquire", option: "--to", words: "acquire in --to new.E01", file: "new.E02", ..CASE },
    Case { page: "acquire", option: "--log", words: "acquire in --to new --log OUT", twice: "--to OUT", ..CASE },
    Case { page: "acquire", option: "--log", words: "acquire in --to new", file: "new.log", ..CASE },
    Case { page: "acquire", option: "--log", words: "acquire in --to new", file: "new.log.jsonl", ..CASE },
    Case { page: "acquire", option: "--map", words: "acquire in --to new --map OUT", twice: "--log OUT", ..CASE },
    Case { page: "acquire", option: "--map", words: "acquire in --to new", file: "new.map", ..CASE },
    Case { page: "acquire", option: "--map", words: "acquire in --to new", file: "new.map.new", ..CASE },
    Case {
        page: "acquire",
        option: "--outboard",
        words: "acquire in --to new --outboard OUT",
        twice: "--map OUT",
        ..CASE
    },
    Case {
        page: "acquire",
        option: "--case-uco",
        words: "acquire in --to n --case-uco OUT",
        twice: "--log OUT",
        ..CASE
    },
    Case { page: "acquire", option: "--then", words: SPILLED, file: "study/n.001", ..CASE },
    Case { page: "dd", option: "OPERAND", words: "dd if=in of=OUT", twice: "hashlog=OUT hash=md5", ..CASE },
    Case { page: "dd", option: "OPERAND", words: "dd if=in hof=OUT", twice: "of=OUT", ..CASE },
    Case { page: "dd", option: "OPERAND", words: "dd if=in ofs=new.000 ofsz=1000", file: "new.003", ..CASE },
    Case { page: "dd", option: "OPERAND", words: "dd if=in of=new split=1000", file: "new.000", ..CASE },
    Case { page: "dd", option: "OPERAND", words: "dd if=in of=new hash=md5 hashlog=OUT", twice: "errlog=OUT", ..CASE },
    Case { page: "dd", option: "OPERAND", words: "dd if=in of=new errlog=OUT", twice: "of=OUT", ..CASE },
    Case { page: "dd", option: "OPERAND", words: "dd if=in vf=same hashlog=OUT", read: &["in", "same"], ..CASE },
    Case { page: "acquire", option: "--timestamp", words: STAMPED, file: "new.log.jsonl.tsr", code: 3, ..CASE },
    Case { page: "man", option: "DIRECTORY", words: "man pages", file: "pages/pfh-hash.1", read: &[], ..CASE },
    Case {
        page: "bench-papers",
        option: "--out",
        words: "bench papers --only none -o study",
        file: "study/report.html",
        read: &[],
        code: 2,
        ..CASE
    },
    Case {
        page: "bench-papers",
        option: "--html",
        words: "bench papers --only none -o study --html OUT",
        read: &[],
        code: 2,
        ..CASE
    },
    Case {
        page: "bench-languages",
        option: "--out",
        words: "bench languages --runners none -o study",
        file: "study/result.json",
        read: &[],
        code: 4,
        ..CASE
    },
    Case {
        page: "bench-forecast",
        option: "--save",
        words: "bench forecast --like in --sample 64KiB --rounds 2 --save OUT",
        read: &["in"],
        ..CASE
    },
    Case {
        page: "bench-report",
        option: "DIR",
        words: "bench report study",
        file: "study/report.html",
        read: &[],
        code: 4,
        ..CASE
    },
    Case {
        page: "merge",
        option: "--output",
        words: "merge planned -o OUT",
        read: &["in", "planned/plan.json", "planned/units/000001"],
        ..CASE
    },
    Case { page: "merge", option: "--seal", words: "merge planned --seal -o new", file: "new.seal", ..CASE },
    // Last: the directory is a plan afterwards.
    Case { page: "plan", option: "--output", words: "plan in -o pages", file: "pages/plan.json", ..CASE },
];

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path()).run().unwrap()
}

/// A room with everything that the commands read.
fn prepared() -> Room {
    let room = Room::new();
    room.file("in", &content(1, 8192));
    room.file("same", &content(1, 8192));
    room.file("in.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0");
    room.file("held", &content(2, 50_000));
    ["pages", "study"].into_iter().for_each(|name| fs::create_dir(room.path().join(name)).unwrap());
    room.file("packed/data/letter", b"Dear Ada");
    room.file("bagged/data/letter", b"Dear Ada");
    for words in [
        "bag create bagged",
        "hash in -o sums",
        "hash -a md5 in -o md5s",
        "hash -f jsonl in -o lines",
        "hash -a ssdeep -f ssdeep held -o list",
        "tree build held",
        "audit commit held -o kept",
        "audit challenge kept -o asked",
        "tree update held --range 0:1 --proof update",
        "tree prove held --range 0:10 -o part",
        "tree export held --obao obao",
        "plan in -o planned",
        "run planned --unit 1",
    ] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
    }
    room
}

/// Every file below the room, with its content.
fn everything(directory: &Path) -> BTreeSet<(std::path::PathBuf, Vec<u8>)> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            all.append(&mut everything(&entry.path()));
        } else {
            all.insert((entry.path(), fs::read(entry.path()).unwrap_or_default()));
        }
    }
    all
}

/// Refused with exit 2, and nothing has changed.
fn refused(room: &Room, words: &str, why: &str) {
    let before = everything(room.path());
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(2), "{why}: pfh {words}: {}", seen.stderr);
    assert!(everything(room.path()) == before, "{why}: pfh {words} changed something");
    assert!(seen.stdout.is_empty(), "{why}: pfh {words}: {:?}", String::from_utf8_lossy(&seen.stdout));
}

#[test]
fn no_output_is_what_is_read_or_somebody_elses() {
    let room = prepared();
    let has_force = |page: &str| !["tree-append", "tree-watch", "bench-report", "diff", "plan"].contains(&page);
    for case in CASES.iter().chain(TREES).filter(|case| !crate::program::is_left_out(case.words)) {
        let words = |out: &str| case.words.replace("OUT", out);
        let forced = |words: String| if has_force(case.page) { words + " --force" } else { words };
        let at = |name: &str| room.path().join(name);
        for read in case.read {
            if case.file == "OUT" {
                refused(&room, &words(read), case.option);
                refused(&room, &forced(words(read)), case.option);
                fs::hard_link(at(read), at("hard")).unwrap();
                std::os::unix::fs::symlink(read, at("link")).unwrap();
                for name in ["hard", "link"] {
                    refused(&room, &forced(words(name)), case.option);
                }
                fs::remove_file(at("hard")).unwrap();
                fs::remove_file(at("link")).unwrap();
            } else {
                fs::hard_link(at(read), at(case.file)).unwrap();
                refused(&room, case.words, case.option);
                refused(&room, &forced(case.words.into()), case.option);
                fs::remove_file(at(case.file)).unwrap();
            }
        }
        let file = if case.file == "OUT" { "other" } else { case.file };
        room.file(file, b"precious");
        refused(&room, &words("other"), case.option);
        refused(&room, &words("other"), "again");
        fs::remove_file(at(file)).unwrap();
        if !case.twice.is_empty() {
            refused(&room, &format!("{} {}", words("out"), case.twice.replace("OUT", "out")), case.option);
        }
        if case.file == "OUT" {
            refused(&room, &words("missing/out"), case.option);
        }
        // It is not refused under any name.
        let before: BTreeSet<_> = everything(room.path()).into_iter().map(|(path, _)| path).collect();
        let seen = pfh(&room, &words("out"));
        assert_eq!(seen.code, Some(case.code), "pfh {}: {}", words("out"), seen.stderr);
        for (path, _) in everything(room.path()) {
            if !before.contains(&path) {
                fs::remove_file(path).unwrap();
            }
        }
        let _ = fs::remove_dir(at("new.work"));
    }
}

/// An option that is new must be entered above: it fails here until it is known to be guarded, or
/// to be no output.
#[test]
fn every_option_that_takes_a_path_is_in_the_table() {
    let room = Room::new();
    assert_eq!(pfh(&room, "man pages").code, Some(0));
    let known: BTreeSet<(&str, &str)> =
        CASES.iter().chain(TREES).map(|case| (case.page, case.option)).chain(READS.iter().copied()).collect();
    let (mut options, mut missing) = (0, Vec::new());
    for page in fs::read_dir(room.path().join("pages")).unwrap().flatten() {
        let name = page.file_name().into_string().unwrap();
        let name = name.trim_start_matches("pfh-").trim_end_matches(".1").to_owned();
        let text = fs::read_to_string(page.path()).unwrap();
        for line in text.lines() {
            let plain = line.replace("\\fB", "").replace("\\fR", "").replace("\\fI", "").replace("\\-", "-");
            let is_option = line.starts_with("\\fB\\-") && plain.contains('<');
            let is_operand = line.starts_with("<\\fI") || line.starts_with("[\\fI");
            if !is_option && !is_operand {
                continue;
            }
            let value = plain.split(['<', '>']).nth(1).unwrap_or_default();
            let option = if is_option {
                // The paper's form has letters alone.
                let mut words = plain.split([' ', ',']);
                let short = words.clone().next().unwrap_or_default();
                words.find(|word| word.starts_with("--")).unwrap_or(short).to_owned()
            } else {
                plain.split(['<', '>', '[', ']']).nth(1).unwrap_or_default().to_owned()
            };
            options += 1;
            let is_no_path = NO_PATHS.contains(&if is_option { value } else { option.as_str() });
            if !is_no_path && !known.contains(&(name.as_str(), option.as_str())) {
                missing.push(format!("pfh {}: {option} <{value}>", name.replace('-', " ")));
            }
        }
    }
    assert!(options > 150, "the pages have options: {options}");
    assert_eq!(missing, Vec::<String>::new(), "which of these are outputs?");
}

/// The files of an earlier interrupted run of the same command are its own; a store is changed as
/// it is meant to be.
#[test]
fn own_files_are_taken_and_empty_ones_and_special_ones() {
    let room = prepared();
    for words in [
        "hash in --cache cache",
        "hash in --cache cache",
        "known build set --bad sums",
        "known build set --bad sums",
        "tree build in",
        "tree update in --range 0:1",
        "tree append in",
        "man pages",
        "man pages",
        "bag update bagged",
        "bag update bagged",
        "hash in -o /dev/null",
        "hash in -o /dev/stdout",
        "dd if=in of=/dev/null",
        "compare -a ssdeep in same -o /dev/null --html /dev/null",
    ] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
    }
    for words in ["hash in -o empty", "acquire in --to empty", "acquire in --to empty.E01", "dd if=in of=empty"] {
        let empty = words.split(['=', ' ']).next_back().unwrap();
        room.file(empty, b"");
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
        assert!(fs::metadata(room.path().join(empty)).unwrap().len() > 0);
        for left in ["empty", "empty.log", "empty.log.jsonl", "empty.map"] {
            let _ = fs::remove_file(room.path().join(left));
        }
    }
    room.file("old", b"old");
    for words in ["hash in -o old --force", "dd if=in of=old conv=notrunc", "dd if=in of=old --force"] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
    }
}
