//! Memory that cannot be had: each allocation of eleven commands is refused, and two in turn. The
//! program ends, with exit 4 or as if nothing had been; no line and no output is another one than
//! that of the sound run, and the next run is as the first one.
//!
//! In each change some allocations of each command; `PFH_ALLOCATIONS_EACH=1` refuses every one.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use crate::program::Room;
use pfh_inject::{Allocations, Need, Outcome, Trial, content, lacks};

/// Allocations of each command that are refused in each change.
const SOME: u64 = 15;

/// A command, with the file that it writes if it writes one.
struct Command {
    words: &'static str,
    output: Option<&'static str>,
}

const COMMANDS: [Command; 11] = [
    Command { words: "hash -r tree", output: None },
    Command { words: "hash -r --format bsd -o fresh tree", output: Some("fresh") },
    Command { words: "hash -r --format bsd --force -o old tree", output: Some("old") },
    Command { words: "check list", output: None },
    Command { words: "check --audit list tree", output: None },
    Command { words: "verify image", output: None },
    Command { words: "acquire disk --to copy", output: Some("copy") },
    Command { words: "tree build part --force", output: Some("part.pfh") },
    Command { words: "dups tree", output: None },
    Command { words: "compare -a ssdeep -r tree", output: None },
    Command { words: "hash --inside a.zip", output: None },
];

struct Stage {
    room: Room,
    refused: Allocations,
}

impl Stage {
    fn new() -> Stage {
        let room = Room::new();
        for number in 0..6 {
            room.file(format!("tree/{}/{number}", number % 2), &content(number / 2, 3000 + number / 2 * 40_000));
        }
        room.file("disk", &content(9, 200_000));
        room.file("part", &content(8, 100_000));
        room.file("a.zip", include_bytes!("../images/dfvfs/syslog.zip"));
        let stage = Stage { room, refused: Allocations::new().unwrap() };
        for words in ["hash -r -o list tree", "acquire disk --to image"] {
            let seen = stage.trial(words).run().unwrap();
            assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
        }
        stage
    }

    fn trial(&self, words: &str) -> Trial {
        let program = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(self.room.path());
        program.limit(Duration::from_secs(60))
    }

    /// Everything as before a command.
    fn reset(&self) {
        for entry in fs::read_dir(self.room.path()).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if ["fresh", "copy", "part."].iter().any(|made| name.starts_with(made)) {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        self.room.file("old", b"SHA256 (old) = 00\n");
    }

    fn output(&self, command: &Command) -> Option<Vec<u8>> {
        command.output.and_then(|name| fs::read(self.room.path().join(name)).ok())
    }

    /// The fault of a run, if any.
    fn judge(&self, command: &Command, sound: &(Outcome, Option<Vec<u8>>), seen: &Outcome) -> Option<String> {
        let Some(code) = seen.code else { return Some("it hung".into()) };
        let output = self.output(command);
        if code == 0 {
            let is_same = lines(&seen.stdout) == lines(&sound.0.stdout) && output == sound.1;
            return (!is_same).then(|| "another result, exit 0".into());
        }
        // Before the program catches the signal of an abort, it ends by that.
        if !matches!(code, 2..=4 | 127 | 134) {
            return Some(format!("it ended with {code}"));
        }
        let known = lines(&sound.0.stdout);
        let odd = lines(&seen.stdout).into_iter().find(|line| line.ends_with('\n') && !known.contains(line));
        if let Some(line) = odd {
            return Some(format!("it says {line:?}"));
        }
        let is_old = match command.output {
            Some("old") => output.as_deref() == Some(b"SHA256 (old) = 00\n"),
            // Of an image the part that was copied stands, and its map says which.
            Some("copy") => true,
            _ => output.is_none(),
        };
        (!is_old && output != sound.1).then(|| "half an output".into())
    }
}

/// The lines of an output, but for that with the speed of an acquisition.
fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.split_inclusive('\n').filter(|line| !line.ends_with("B/s\n")).map(str::to_owned).collect()
}

#[test]
fn every_allocation_may_be_refused() {
    if lacks(&[Need::Program("cc")]) || !cfg!(target_env = "gnu") {
        return;
    }
    let stage = Stage::new();
    let each = std::env::var("PFH_ALLOCATIONS_EACH").ok().and_then(|text| text.parse::<u64>().ok());
    let mut faults = Vec::new();
    for (at, command) in COMMANDS.iter().enumerate() {
        stage.reset();
        let sound = stage.trial(command.words).run().unwrap();
        assert_eq!(sound.code, Some(0), "{}: {}", command.words, sound.stderr);
        let sound = (sound, stage.output(command));
        stage.reset();
        let count = stage.refused.count(stage.trial(command.words)).unwrap();
        let each = each.unwrap_or_else(|| (count / SOME).max(1));
        let mut ends: BTreeMap<Option<i32>, u32> = BTreeMap::new();
        for number in (1 + at as u64..=count).step_by(each as usize) {
            for times in [1, 2] {
                stage.reset();
                let seen = stage.refused.refuse(stage.trial(command.words), number, times).run().unwrap();
                *ends.entry(seen.code).or_default() += 1;
                let mut fault = stage.judge(command, &sound, &seen);
                // A whole output stands: the next run would refuse to replace it.
                let is_begun = command.output.is_some() && stage.output(command) != sound.1;
                if fault.is_none() && is_begun && seen.code != Some(0) {
                    let again = stage.trial(command.words).run().unwrap();
                    let is_same = again.code == Some(0) && stage.output(command) == sound.1;
                    fault = (!is_same).then(|| format!("the next run: {:?}, {}", again.code, again.stderr));
                }
                let words = command.words;
                faults.extend(fault.map(|fault| format!("{words}, {number} x {times}: {fault}; {}", seen.stderr)));
            }
        }
        println!("{}: {count} allocations, ends {ends:?}", command.words);
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
