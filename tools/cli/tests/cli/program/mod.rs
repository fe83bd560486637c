//! The program under test, seen from outside, and the oracles that it is held to.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod acquisition;
pub mod case;
pub mod trees;

use std::path::{Path, PathBuf};
use std::process::Command;

use pfh_inject::{Outcome, Trial};
pub use pfh_inject::{digest_by, random, sha256_of};
use serde_json::Value;

/// Resident memory beyond the table: a run that waits for its input, which is larger where it is
/// not optimised, and 12 MiB for stacks, readers' buffers, records that wait for their turn.
pub fn beside_the_table() -> u64 {
    static IDLE: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *IDLE.get_or_init(idle) + 12 * MIB
}

/// The memory of a run that waits. One that ends at once is gone before it can be asked.
fn idle() -> u64 {
    let room = Room::new();
    let fifo = room.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // Open to read as well, so that opening waits for nobody.
    let _held = std::fs::File::options().read(true).write(true).open(&fifo).unwrap();
    let waits = pfh_hash(["-m", "1", "--special", "read", "fifo"]).directory(room.path());
    waits.signal_once_caught(std::time::Duration::from_millis(300), 15).run().expect("a run").peak
}

/// An Ed25519 key: RFC 8410, 10.3.
pub const PRIVATE_KEY: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
/// Its public half: RFC 8410, 10.1.
pub const PUBLIC_KEY: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";
pub const MIB: u64 = 1 << 20;

/// `pfh hash` with the given arguments, without progress.
pub fn pfh_hash<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "--no-progress"]).args(arguments)
}

/// `pfh WORDS` in a directory.
pub fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path()).run().expect("a run")
}

/// The keys as `k.pem`, which only its owner reads, and `k.pub`.
#[cfg(unix)]
pub fn keys(room: &Room) {
    room.secret("k.pem", PRIVATE_KEY.as_bytes());
    room.file("k.pub", PUBLIC_KEY.as_bytes());
}

/// Makes a copy of a system's `/sys`, `/proc`, `/run` and `/dev` in a directory of the room.
pub fn system(room: &Room, name: &str) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance/system.sh");
    let made = Command::new("bash").arg(script).arg(room.path().join(name)).status().expect("bash");
    assert!(made.success(), "{script}");
}

/// Whether these words start `pfh-bench` in a build without it (the feature `bench`).
pub fn is_left_out(words: &str) -> bool {
    let left_out = !cfg!(feature = "bench") && words.starts_with("bench ");
    if left_out {
        eprintln!("skipped: pfh {words} needs --features pfh-cli/bench");
    }
    left_out
}

/// Changes one bit of a file.
pub fn flip(room: &Room, name: &str, at: usize) {
    let path = room.path().join(name);
    let mut bytes = std::fs::read(&path).expect("a file");
    bytes[at] ^= 4;
    std::fs::write(path, bytes).expect("written");
}

/// The SHA-256 of `bytes` in hex, by coreutils.
pub fn sha256(bytes: &[u8]) -> String {
    digest_by("sha256sum", bytes)
}

/// One JSON record of the program's output.
#[derive(Debug)]
pub struct Line(pub Value);

impl Line {
    pub fn kind(&self) -> &str {
        self.0["type"].as_str().unwrap_or_default()
    }

    pub fn path(&self) -> &str {
        self.0["path"].as_str().unwrap_or_default()
    }

    /// The digest in hex, where the record has one.
    pub fn digest(&self, algorithm: &str) -> Option<&str> {
        self.0["digests"][algorithm].as_str()
    }

    /// The cause's code: `EIO`, `changed`, `truncated` …
    pub fn code(&self) -> &str {
        self.0["code"].as_str().unwrap_or_default()
    }
}

/// The records of a run with `-f jsonl`; the summary is checked against them and left out.
pub fn records(seen: &Outcome) -> Vec<Line> {
    let mut lines: Vec<Line> = seen
        .lines()
        .into_iter()
        .map(|line| Line(serde_json::from_slice(line).unwrap_or_else(|error| panic!("{error} in {line:?}"))))
        .collect();
    if lines.last().is_some_and(|line| line.kind() == "summary") {
        let summary = lines.pop().expect("just seen");
        for (kind, count) in [("file", "files"), ("error", "errors"), ("skipped", "skipped")] {
            let seen = lines.iter().filter(|line| line.kind() == kind).count() as u64;
            assert_eq!(summary.0[count].as_u64(), Some(seen), "{count} in the summary");
        }
    }
    lines
}

/// The record of the path that ends in `name`.
pub fn record<'a>(lines: &'a [Line], name: &str) -> &'a Line {
    let mut found = lines.iter().filter(|line| line.path().rsplit('/').next() == Some(name));
    let line = found.next().unwrap_or_else(|| panic!("{name} has no record among {lines:?}"));
    assert!(found.next().is_none(), "{name} has two records");
    line
}

/// Holds of a file that cannot be read to its end: exit 3, one typed record, no digest anywhere.
pub fn assert_refused(seen: &Outcome, name: &str, code: &str) {
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let lines = records(seen);
    let line = record(&lines, name);
    assert_eq!((line.kind(), line.code()), ("error", code), "{line:?}");
    assert!(line.0.get("digests").is_none(), "{line:?}");
    assert!(seen.stderr.contains(name), "standard error names the path: {}", seen.stderr);
}

/// A directory to work in, gone afterwards however deep it has become.
pub struct Room(PathBuf);

impl Room {
    pub fn new() -> Self {
        let path = tempfile::tempdir().expect("a temporary directory").keep();
        // The canonical form of Windows takes no `/`.
        Room(if cfg!(windows) { path } else { path.canonicalize().expect("a path") })
    }

    /// The same in memory where there is such a place with 4 GiB free: a disk takes minutes for
    /// 20,000 nested directories.
    pub fn in_memory() -> Self {
        let df = Command::new("df").args(["--output=avail", "--block-size=1G", "/dev/shm"]).output();
        let free = df.ok().and_then(|df| String::from_utf8(df.stdout).ok()?.lines().last()?.trim().parse::<u64>().ok());
        match tempfile::tempdir_in("/dev/shm") {
            Ok(room) if free.is_some_and(|gib| gib >= 4) => Room(room.keep()),
            _ => Room::new(),
        }
    }

    /// A directory of this path, which is made.
    pub fn at(path: PathBuf) -> Self {
        std::fs::create_dir(&path).expect("a directory");
        Room(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file that only its owner reads.
    #[cfg(unix)]
    pub fn secret(&self, name: impl AsRef<Path>, bytes: &[u8]) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.file(name, bytes);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
        path
    }

    /// Writes a program below it, which runs at once.
    #[cfg(unix)]
    pub fn executable(&self, name: impl AsRef<Path>, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        pfh_inject::executable(&path, bytes);
        path
    }

    /// Writes a file below it, with the directories on the way.
    pub fn file(&self, name: impl AsRef<Path>, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::fs::write(&path, bytes).expect("a file");
        path
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // `rm` walks with file descriptors: no path is too long and no nesting too deep for it.
        if cfg!(windows) {
            let _ = std::fs::remove_dir_all(&self.0);
        } else {
            let _ = Command::new("rm").arg("-rf").arg(&self.0).status();
        }
    }
}
