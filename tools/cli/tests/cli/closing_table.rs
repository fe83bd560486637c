//! The table of closing sentences: the files that a command is run on, its last words, and where
//! each of their numbers comes from.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial, content};

/// Functions for the expressions of a row. `t.*` are strace's files, one a thread; `out` and `err`
/// are what the command printed.
const WORDS: &str = r#"
calls() { cat t.* | grep -E "^($1)\([0-9]+<[^>]*/$2>"; }
opened() { calls 'p?readv?2?(64)?' "$1" | grep -v '= 0$' | sed 's/[^<]*<//; s/>.*//' | sort -u | wc -l; }
bytes() { calls 'p?readv?2?(64)?' "$1" | sed 's/.*= //' | awk '{ n += $1 } END { print n + 0 }'; }
written() { calls 'p?writev?(64)?' "$1" | sed 's/.*= //' | awk '{ n += $1 } END { print n + 0 }'; }
size() { find "$@" -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }'; }
files() { find "$@" -type f | wc -l; }
lines() { grep -cE "$@"; }
mapped() { grep -E "^0x[0-9A-F]+ +0x[0-9A-F]+ +[$1]" "$2" | while read at n of; do echo $((n)); done | awk '{ n += $1 } END { print n + 0 }'; }
"#;

/// A sentence with a `{}` for each number, and a `{*}` for a part that differs from run to run
/// (times); and an expression of the shell for each `{}`.
pub type Sentence = (&'static str, &'static [&'static str]);

/// A command that ends by itself.
pub struct Whole {
    /// The command before it; `$0` is the program.
    pub before: &'static str,
    /// Its words.
    pub line: &'static str,
    pub code: i32,
    /// The sentences that it must print.
    pub sentences: &'static [Sentence],
}

/// A command that is interrupted at a call on a file.
pub struct Stopped {
    pub before: &'static str,
    pub line: &'static str,
    /// The file.
    pub at: &'static str,
    /// The call, and which of them, as strace counts them in each thread.
    pub call: &'static str,
    pub sentences: &'static [Sentence],
    /// Files that must not be there afterwards.
    pub absent: &'static [&'static str],
    /// Whether standard output must be empty.
    pub is_silent: bool,
}

/// Twelve files in `d`, two of them in `d/s`.
pub fn room() -> Room {
    let room = Room::new();
    for at in 0..10 {
        room.file(format!("d/{at}"), &content(at, 2000 + 100 * at));
    }
    room.file("d/s/10", &content(10, 5000));
    room.file("d/s/11", &content(11, 6000));
    room.file("disk", &content(99, 300_000));
    room
}

/// A line of the shell in a room.
pub fn shell(room: &Room, line: &str) -> Outcome {
    let line = format!("{WORDS}\n{line}");
    Trial::new("sh").args(["-c", &line, env!("CARGO_BIN_EXE_pfh")]).directory(room.path()).run().unwrap()
}

/// The numbers of a line that is this sentence; `None` if it is another.
fn numbers(sentence: &str, line: &str) -> Option<Vec<u64>> {
    let mut found = Vec::new();
    let mut rest = line.strip_prefix("pfh: ").unwrap_or(line);
    let (mut parts, mut is_hole) = (sentence, None);
    loop {
        let end = parts.find('{').unwrap_or(parts.len());
        let (text, after) = parts.split_at(end);
        let at = match is_hole {
            None => rest.starts_with(text).then_some(0)?,
            Some(_) if text.is_empty() && after.is_empty() => rest.len(),
            Some(_) => rest.find(text)?,
        };
        if is_hole == Some("{}") {
            found.push(rest[..at].parse().ok()?);
        }
        rest = &rest[at + text.len()..];
        if after.is_empty() {
            return rest.is_empty().then_some(found);
        }
        let hole = if after.starts_with("{*}") { "{*}" } else { "{}" };
        (parts, is_hole) = (&after[hole.len()..], Some(hole));
    }
}

/// The fault of a run's sentences: one that was not printed, or a number that is not
/// what its expression gives.
pub fn wrong(room: &Room, sentences: &[Sentence]) -> Vec<String> {
    let said = ["err", "out"].map(|file| std::fs::read(room.path().join(file)).unwrap());
    let said = said.map(|said| String::from_utf8_lossy(&said).into_owned()).join("");
    let mut wrong = Vec::new();
    for (sentence, expressions) in sentences {
        let Some(found) = said.lines().find_map(|line| numbers(sentence, line)) else {
            wrong.push(format!("not said: {sentence}\n{said}"));
            continue;
        };
        assert_eq!(found.len(), expressions.len(), "{sentence}");
        for (found, expression) in found.iter().zip(*expressions) {
            let seen = shell(room, expression);
            let counted = String::from_utf8_lossy(&seen.stdout).trim().to_owned();
            if counted != found.to_string() {
                wrong.push(format!("{sentence}: {found}, but {expression} gives {counted} {}", seen.stderr));
            }
        }
    }
    wrong
}

#[test]
fn numbers_of_a_sentence() {
    let of = "{} of {} files in {*} s; {} missing";
    assert_eq!(numbers(of, "pfh: 1 of 22 files in 0.3 s; 3 missing"), Some(vec![1, 22, 3]));
    assert_eq!(numbers(of, "1 of 22 files in 0.3 s"), None);
    assert_eq!(numbers("a {*}", "a b c"), Some(Vec::new()));
    assert_eq!(numbers("{} files", "x 3 files"), None);
}
