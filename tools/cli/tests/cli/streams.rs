//! Streams: each has one reader, is read by any of its names, and is an error where it is closed.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

/// Runs a line of the shell in which `"$0"` is the program.
fn shell(room: &Room, line: &str) -> Outcome {
    Trial::new("sh").args(["-c", line, env!("CARGO_BIN_EXE_pfh")]).directory(room.path()).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

/// Of the bytes `abc` and of nothing, by SHA-256 (FIPS 180-4).
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn room() -> Room {
    let room = Room::new();
    room.file("abc", b"abc");
    room.file("same", b"abc");
    room.file("known", format!("{ABC}  abc\n").as_bytes());
    room.file("copy", format!("{ABC}  abc\n").as_bytes());
    room.file("names", b"abc\n-\n");
    room.file("both", b"-\n/dev/stdin\n");
    room
}

#[test]
fn a_second_reader_of_a_stream_is_refused() {
    let room = room();
    for line in [
        "hash - -",
        "hash -t1 - -",
        "hash /dev/stdin -",
        "hash - /dev/fd/0",
        "hash /proc/self/fd/0 abc /dev/stdin",
        "hash -o list - -",
        "hash --cache cache - -",
        "hash -n - -",
        "hash --files-from - -",
        "hash --files-from - /dev/stdin",
        "hash --files-from both",
        "hash --image - -",
        "match -k known - -",
        "match -k - -",
        "match -k - -k /dev/stdin abc",
        "match --similar - -",
        "compare - -",
        "compare abc - --against -",
        "dups - -",
        "plan -o plan - -",
        "check - -",
        "check - /dev/stdin",
        "check --audit - /dev/stdin .",
        "diff - -",
        "diff - /dev/stdin",
        "known build set --good - --bad -",
        "report --html page - -",
        "list - -",
        "lookup -k -",
        "lookup -k /dev/stdin",
        "lookup -k - -k /dev/stdin --digest ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "report --html page - --key /dev/stdin",
        "acquire - --to image --key /dev/stdin",
        "tree root --as s3-sha256 - -",
        "tree build --join - - --outboard tree",
        "tree check - --kept /dev/stdin",
        "tree update - --kept /dev/stdin --range 0:1",
        "audit commit - -",
        "audit prove - -",
        "audit prove - abc --key /dev/stdin",
        "audit verify known - -",
        "audit verify - /dev/stdin abc",
        "audit verify known abc - --data -",
        "audit verify known abc - --signed-by /dev/stdin",
        "audit tokens - --data /dev/stdin -o tokens",
        "audit renew - /dev/stdin",
        "audit ask http://127.0.0.1:1 - --signed-by /dev/stdin",
    ] {
        for input in ["<abc", "</dev/null"] {
            let seen = shell(&room, &format!("\"$0\" {line} {input}"));
            assert_eq!((seen.code, text(&seen)), (Some(2), String::new()), "{line} {input}: {}", seen.stderr);
            assert!(seen.stderr.contains("can be read only once"), "{line} {input}: {}", seen.stderr);
        }
        for made in ["list", "cache", "set", "set.work", "page", "plan", "image", "tree", "tokens"] {
            assert!(!room.path().join(made).exists(), "{line}: {made}");
        }
    }
    // A file may be read twice, and so may two streams.
    let seen = shell(&room, "\"$0\" hash abc abc - /dev/fd/3 <abc 3<abc");
    assert_eq!((seen.code, text(&seen).matches(ABC).count()), (Some(0), 4), "{}", seen.stderr);
}

#[test]
fn a_list_of_names_that_is_the_stream_is_no_file_of_it() {
    let room = room();
    // The list is refused before anything of it is read.
    for line in ["printf -- '-\\n'", "cat names", "printf 'abc\\0-\\0'"] {
        let zero = if line.contains("\\0") { "-0" } else { "" };
        let seen = shell(&room, &format!("{line} | \"$0\" hash {zero} --files-from -"));
        assert_eq!((seen.code, text(&seen)), (Some(2), String::new()), "{line}: {}", seen.stderr);
        assert!(seen.stderr.contains("can be read only once"), "{line}: {}", seen.stderr);
    }
    // A name that comes later, behind the part that is looked at, is a problem of its own.
    let seen = shell(&room, "(yes abc | head -n 100000; echo -) | \"$0\" hash --files-from - | sort | uniq -c");
    assert!(text(&seen).trim_start().starts_with("100000 "), "{}", text(&seen));
    assert!(!text(&seen).contains(NOTHING) && seen.stderr.contains("a stream that is read already"), "{}", seen.stderr);
    // A list in a file may name standard input.
    let seen = shell(&room, "\"$0\" hash --files-from names <abc");
    assert_eq!((seen.code, text(&seen)), (Some(0), format!("{ABC}  abc\n{ABC}  -\n")), "{}", seen.stderr);
}

#[test]
fn a_stream_is_read_by_any_of_its_names() {
    let room = room();
    for name in ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
        for line in [format!("\"$0\" hash {name} <abc"), format!("cat abc | \"$0\" hash {name}")] {
            let seen = shell(&room, &line);
            assert_eq!((seen.code, text(&seen)), (Some(0), format!("{ABC}  {name}\n")), "{line}: {}", seen.stderr);
        }
    }
    for line in [
        "(printf abc | \"$0\" hash -r /dev/fd/3 3<&0 </dev/null)",
        "\"$0\" hash --special --mode mtp /dev/fd/7 7<abc",
        "\"$0\" match -k known --only known /dev/fd/3 3<abc",
        "\"$0\" match -k /dev/fd/3 abc 3<known",
        "\"$0\" hash --files-from /dev/fd/3 3<<-.\nabc\n.",
    ] {
        let seen = shell(&room, line);
        let found = text(&seen).contains(ABC) || text(&seen).contains("known");
        assert!(seen.code == Some(0) && found, "{line}: {} {}", text(&seen), seen.stderr);
    }
    for line in ["check /dev/fd/3 3<known", "check /dev/stdin <known", "check - <known", "diff /dev/fd/3 copy 3<known"]
    {
        let seen = shell(&room, &format!("\"$0\" {line}"));
        assert_eq!(seen.code, Some(0), "{line}: {}", seen.stderr);
    }
    // A descriptor that the program opened itself is nobody's input.
    for number in 3..10 {
        let seen = shell(&room, &format!("\"$0\" hash abc /dev/fd/{number} {number}<&-"));
        assert_eq!(seen.code, Some(3), "{number}: {}", text(&seen));
        assert!(seen.stderr.contains("EBADF") && text(&seen) == format!("{ABC}  abc\n"), "{}", seen.stderr);
    }
}

#[test]
fn a_closed_stream_is_an_error() {
    let room = room();
    let mut wrong = Vec::new();
    for line in [
        "hash abc",
        "hash -f jsonl abc",
        "match -k known abc",
        "check known",
        "dups abc same",
        "diff --json known abc",
        "compare abc known",
        "algorithms",
        "schema hash",
        "completions bash",
        "lookup -k known --digest ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    ] {
        let seen = shell(&room, &format!("\"$0\" {line} >&-"));
        if seen.code != Some(4) || !seen.stderr.contains("EBADF") {
            wrong.push(format!("{line} >&-: {:?} {}", seen.code, seen.stderr));
        }
    }
    for (line, code) in [
        ("hash -", 3),
        ("hash /dev/stdin", 3),
        ("hash --files-from -", 3),
        ("match -k known -", 3),
        ("match -k - abc", 3),
        ("check -", 3),
        ("diff - abc", 3),
        ("lookup -k known", 3),
        ("acquire - --to image", 3),
        ("compare - abc", 3),
    ] {
        let seen = shell(&room, &format!("\"$0\" {line} <&-"));
        if seen.code != Some(code) || text(&seen).contains(NOTHING) || !seen.stderr.contains("EBADF") {
            wrong.push(format!("{line} <&-: {:?} {} {}", seen.code, text(&seen), seen.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // An unused stream may be closed, and /dev/null is an open stream, however it was opened.
    for line in ["hash -o list abc >&- <&-", "hash abc <&- 2>&-", "hash - abc <>/dev/null", "hash abc 1<>/dev/null"] {
        let seen = shell(&room, &format!("rm -f list; \"$0\" {line}"));
        assert_eq!(seen.code, Some(0), "{line}: {}", seen.stderr);
    }
}
