//! A signal ends every command soon, at each stage: while a document does not come or does not end,
//! while names are gathered, and while an output is not taken. Seconds are not measured: each run
//! would go on for ever, or for minutes, without its signal.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Files, Need, Trial, lacks};
use std::process::{Command, Stdio};
use std::time::Duration;

const PFH: &str = env!("CARGO_BIN_EXE_pfh");
const SIGNALS: [i32; 2] = [2, 15];
/// Time from the installation of the handler to the signal: most commands are in their stage then,
/// and the others must end too.
const BEGUN: Duration = Duration::from_millis(150);
/// A machine with many tests at once is slow; without its signal no run ends within this.
const LIMIT: Duration = Duration::from_secs(30);

/// Commands that read a document, `doc`: a list, a set, a proof, a seal's key, a state, a result.
const READS: &[&str] = &[
    "check doc",
    "check --audit doc tree",
    "check --key doc list",
    "check --share 0.1 --state doc list",
    "check list --update doc tree",
    "diff doc tree",
    "diff tree doc",
    "match -r -k doc tree",
    "match -r --similar doc tree",
    "known build --bad doc set",
    "known build --from doc set",
    "lookup --set doc --digest 00",
    "hash -r --files-from doc",
    "hash -a hmac-sha256 --key doc list",
    "hash -r --sign doc -o out tree",
    "compare --cluster --before doc tree",
    "tree verify doc --root 0000000000000000000000000000000000000000000000000000000000000000",
    "tree verify doc --root 0000000000000000000000000000000000000000000000000000000000000000 -o out",
    "tree receive -o out --size 9 0=doc",
    "audit verify --kept doc --challenge doc --answer doc",
    "report doc --html out",
    "export doc --to bodyfile -o out",
    "verify list --log doc",
    "verify list --key doc",
    "plan --files-from doc -o out",
];

fn room() -> Room {
    let room = Room::new();
    for number in 0..40 {
        room.file(format!("tree/{number}"), format!("{number}").as_bytes());
    }
    let list = Trial::new(PFH).args(["hash", "-r", "tree"]).directory(room.path()).run().unwrap();
    room.file("list", &list.stdout);
    assert!(Command::new("mkfifo").arg(room.path().join("doc")).status().unwrap().success());
    room
}

/// Ends the run by each signal, and gives the faults that it found.
fn wrong(room: &Room, line: &str, stage: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for signal in SIGNALS {
        let trial = Trial::new(PFH).args(line.split(' ')).directory(room.path()).limit(LIMIT);
        let seen = trial.signal_once_caught(BEGUN, signal).run().unwrap();
        // A document of another kind, or longer than a key, is refused before the signal comes.
        let is_refused = matches!(seen.code, Some(1..=3));
        if seen.code != Some(128 + signal) && !is_refused || room.path().join("out").exists() {
            wrong.push(format!("{stage}: pfh {line}, signal {signal}: {:?} {}", seen.code, seen.stderr));
        }
        let out = room.path().join("out");
        let _ = std::fs::remove_file(&out).or_else(|_| std::fs::remove_dir_all(&out));
        for kept in ["out.partial", "out.receipt"] {
            let _ = std::fs::remove_file(room.path().join(kept));
        }
    }
    wrong
}

#[test]
fn while_a_document_does_not_come() {
    if lacks(&[Need::SignalMask]) {
        return;
    }
    let room = room();
    let all: Vec<String> = READS.iter().flat_map(|line| wrong(&room, line, "no writer")).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn while_a_document_does_not_end() {
    if lacks(&[Need::SignalMask]) {
        return;
    }
    let room = room();
    // Opened for both, the pipe stays open between two readers.
    let feed = r#"exec 3<>doc; n=0; while printf '%064d  name%d\n' $n $n >&3; do n=$((n+1)); done"#;
    let mut feeder = Command::new("sh").args(["-c", feed]).current_dir(room.path()).spawn().unwrap();
    let all: Vec<String> = READS.iter().flat_map(|line| wrong(&room, line, "no end")).collect();
    let _ = feeder.kill();
    let _ = feeder.wait();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Twenty million names in one directory: minutes of walking, sorting and comparing.
#[test]
fn while_names_are_gathered() {
    if lacks(&[Need::SignalMask, Need::Fuse]) {
        return;
    }
    let room = room();
    let mounted = Files::new().with_names(20_000_000).mount().unwrap();
    let names = mounted.file("names").display().to_string();
    let mut all = Vec::new();
    for line in [
        "hash -r --order size NAMES",
        "hash -r -o out NAMES",
        "plan -r NAMES -o out",
        "diff NAMES tree",
        "dups NAMES",
        "compare -r NAMES",
        "match -r -k list NAMES",
        "check --audit list NAMES",
        "list NAMES",
    ] {
        all.extend(wrong(&room, &line.replace("NAMES", &names), "planning"));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Nobody takes the output: the pipe behind standard output is full, or nobody has opened a FIFO.
#[test]
fn while_an_output_is_not_taken() {
    if lacks(&[Need::SignalMask]) {
        return;
    }
    let room = room();
    for number in 0..3000 {
        room.file(format!("many/{number:0200}"), b"");
    }
    let list = Trial::new(PFH).args(["hash", "-r", "many"]).directory(room.path()).run().unwrap();
    room.file("lines", &list.stdout);
    let mut all = Vec::new();
    for line in ["hash -r many", "check lines", "diff lines tree"] {
        for signal in SIGNALS {
            let mut command = Command::new(PFH);
            command.args(line.split(' ')).current_dir(room.path()).stdin(Stdio::null());
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            // Not read, and open until the end.
            let pipe = child.stdout.take();
            std::thread::sleep(Duration::from_millis(1500));
            let number = child.id().to_string();
            let sent = Command::new("kill").arg(format!("-{signal}")).arg(number).stderr(Stdio::null()).status();
            assert!(sent.unwrap().success());
            let ended = (0..600).any(|_| {
                std::thread::sleep(Duration::from_millis(50));
                child.try_wait().unwrap().is_some()
            });
            if !ended {
                let _ = child.kill();
            }
            let code = child.wait().unwrap().code();
            if code != Some(128 + signal) {
                all.push(format!("full pipe: pfh {line}, signal {signal}: {code:?}"));
            }
            drop(pipe);
        }
    }
    for line in ["hash -r many -o doc", "diff lines tree --json -o doc", "report lines --html doc"] {
        all.extend(wrong(&room, line, "no reader"));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
