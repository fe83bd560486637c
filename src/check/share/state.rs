//! In which round each file of a manifest was checked last, in a file beside it.
//!
//! ```text
//! # pfh checked 2
//! manifest sha256:…
//! root /archive
//! credit -4096
//! round 17
//! 17 1795564800 0123456789abcdef0123456789abcdef
//! 0 0 fedcba9876543210fedcba9876543210 failed
//! end sha256:…
//! ```
//!
//! A run is a round, and rounds are counted: a clock that jumps, or stands still between two runs,
//! changes no choice. The times are for people. Version 1 has neither rounds nor their lines; its
//! times in their order are taken for rounds.
//!
//! A file is known by its name and digests, so that a manifest that was brought up to date keeps
//! the times of the others. The last line is the digest of all above it.

use crate::check::problem::Problem;
use crate::job::{Error, PathError};
use pfh_digest::hex;
use pfh_ledger::Listing;
use pfh_manifest::escape;
use pfh_source::{Document, Output};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// How the first line begins, in every version.
pub const HEAD: &str = "# pfh checked ";

/// The key of a file: half of the SHA-256 of its name and digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key([u8; 16]);

impl Key {
    /// That of an entry.
    pub fn of(entry: &Listing) -> Key {
        let mut hasher = crate::hash::hasher_of_sha256();
        hasher.update(&(entry.name.len() as u64).to_le_bytes());
        hasher.update(&entry.name);
        for digest in entry.digests.iter().chain(entry.pieces.iter().flat_map(|piece| &piece.digests)) {
            hasher.update(format!("{}:{digest}\n", digest.algorithm()).as_bytes());
        }
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().bytes()[..16]);
        Key(key)
    }

    #[cfg(test)]
    pub fn numbered(number: usize) -> Key {
        Key((number as u128).to_le_bytes())
    }
}

/// Round and result of the last check of one file.
#[derive(Debug, Clone, Copy, Default)]
struct FileHistory {
    /// In which round it was as listed; `None` if it never was.
    round: Option<u64>,
    /// When that was by the clock, in seconds since 1970.
    time: u64,
    /// It was not as listed, or could not be read, when it was checked last.
    failed: bool,
}

/// Rounds and results of all files.
pub struct State {
    path: PathBuf,
    /// The manifest's file: the state is as private.
    list: PathBuf,
    manifest: String,
    root: Vec<u8>,
    /// Bytes that earlier runs read less (positive) or more than their shares.
    credit: i64,
    /// The last round; 0 if there was none.
    round: u64,
    known: HashMap<Key, FileHistory>,
}

impl State {
    /// Reads the state of a manifest with this digest and root. The flag says that it was damaged:
    /// nothing is known then.
    ///
    /// # Errors
    /// When it cannot be read, or is of another root.
    pub fn open(path: PathBuf, (list, manifest): (&Path, String), root: &[u8]) -> Result<(State, bool), Error> {
        let list = list.to_owned();
        let empty = State { path, list, manifest, root: root.to_vec(), credit: 0, round: 0, known: HashMap::new() };
        let text = match Document::read(&empty.path, Document::LONGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((empty, false)),
            read => read.map_err(|error| Error::input(PathError::new(&empty.path, error)))?,
        };
        match parsed(&text) {
            None => Ok((empty, !text.is_empty())),
            Some((of, ..)) if of != root => {
                let why = Problem::OtherRoot { state: of, root: root.to_vec() };
                Err(Error::request(PathError::new(&empty.path, why)))
            }
            Some((_, credit, round, known)) => Ok((State { credit, round, known, ..empty }, false)),
        }
    }

    #[cfg(test)]
    pub fn empty() -> State {
        State {
            path: PathBuf::new(),
            list: PathBuf::new(),
            manifest: String::new(),
            root: Vec::new(),
            credit: 0,
            round: 0,
            known: HashMap::new(),
        }
    }

    /// Begins the next round.
    pub fn begin(&mut self) {
        self.round = self.round.saturating_add(1);
    }

    /// In which round a file was found to be as listed.
    pub fn round(&self, key: &Key) -> Option<u64> {
        self.known.get(key)?.round
    }

    /// When a file was found to be as listed, by the clock of that run.
    pub fn time(&self, key: &Key) -> Option<u64> {
        self.known.get(key).filter(|known| known.round.is_some()).map(|known| known.time)
    }

    /// Whether it was not as listed when it was checked last.
    pub fn is_failed(&self, key: &Key) -> bool {
        self.known.get(key).is_some_and(|known| known.failed)
    }

    /// Bytes that this run may read beside its share; negative if earlier ones read more.
    pub fn credit(&self) -> i64 {
        self.credit
    }

    /// Forgets all but these.
    pub fn retain(&mut self, keys: &HashSet<Key>) {
        self.known.retain(|key, _| keys.contains(key));
    }

    /// Notes the result of a check.
    pub fn note(&mut self, key: Key, now: u64, is_right: bool) {
        let known = self.known.entry(key).or_default();
        known.failed = !is_right;
        if is_right {
            (known.round, known.time) = (Some(self.round), now);
        }
    }

    /// Takes bytes that were read off the share.
    pub fn charge(&mut self, bytes: u64) {
        self.credit = self.credit.saturating_sub_unsigned(bytes);
    }

    /// Adds the share of a run.
    pub fn grant(&mut self, bytes: i64) {
        self.credit = self.credit.saturating_add(bytes);
    }

    /// All files were read: the rest of the credit is lost.
    pub fn settle(&mut self) {
        self.credit = self.credit.min(0);
    }

    /// Writes the state, which takes the place of the old one as a whole.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self) -> Result<(), Error> {
        let mut text = format!("{HEAD}2\n").into_bytes();
        text.extend_from_slice(format!("manifest sha256:{}\nroot ", self.manifest).as_bytes());
        text.extend_from_slice(&escape::escape(&self.root));
        text.extend_from_slice(format!("\ncredit {}\nround {}\n", self.credit, self.round).as_bytes());
        let mut lines: Vec<(&Key, &FileHistory)> = self.known.iter().collect();
        lines.sort_by_key(|(key, known)| (known.round, key.0));
        for (key, known) in lines {
            let mut line = format!("{} {} ", known.round.unwrap_or(0), known.time);
            key.0.iter().try_for_each(|byte| write!(line, "{byte:02x}")).unwrap_or_default();
            text.extend_from_slice(line.as_bytes());
            text.extend_from_slice(if known.failed { b" failed\n" } else { b"\n" });
        }
        let end = format!("end sha256:{}\n", crate::sha256(&text));
        text.extend_from_slice(end.as_bytes());
        let write = || {
            let mut output = Output::file(&self.path)?.no_wider_than(&self.list);
            output.write_all(&text)?;
            output.commit()
        };
        write().map_err(|error| Error::output(PathError::new(&self.path, error)))
    }
}

type ParsedState = (Vec<u8>, i64, u64, HashMap<Key, FileHistory>);

/// The root, the credit, the last round and the known files; `None` for a state that is not whole.
fn parsed(text: &[u8]) -> Option<ParsedState> {
    let end = text.strip_suffix(b"\n")?.iter().rposition(|byte| *byte == b'\n')? + 1;
    let stated = str::from_utf8(&text[end..]).ok()?.strip_prefix("end sha256:")?.trim_end();
    let body = text[..end].strip_prefix(HEAD.as_bytes())?;
    let version = &body[..body.iter().position(|byte| *byte == b'\n')?];
    if !matches!(version, b"1" | b"2") {
        return None;
    }
    if stated != crate::sha256(&text[..end]).to_string() {
        return None;
    }
    let mut lines = body.split(|byte| *byte == b'\n').skip(1);
    lines.next()?.strip_prefix(b"manifest ")?;
    let root = escape::unescape(lines.next()?.strip_prefix(b"root ")?)?;
    let credit = str::from_utf8(lines.next()?.strip_prefix(b"credit ")?).ok()?.parse().ok()?;
    let is_counted = version == b"2";
    let mut last: u64 = match is_counted {
        true => str::from_utf8(lines.next()?.strip_prefix(b"round ")?).ok()?.parse().ok()?,
        false => 0,
    };
    let mut known = HashMap::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let mut words = str::from_utf8(line).ok()?.split(' ');
        let round: u64 = words.next()?.parse().ok()?;
        let time: u64 = if is_counted { words.next()?.parse().ok()? } else { round };
        let key = hex::decode(words.next()?.as_bytes())?.try_into().ok()?;
        let failed = words.next() == Some("failed");
        known.insert(Key(key), FileHistory { round: Some(round).filter(|round| *round > 0), time, failed });
    }
    if !is_counted {
        let mut times: Vec<u64> = known.values().filter_map(|known: &FileHistory| known.round).collect();
        times.sort_unstable();
        times.dedup();
        let place = |time: u64| times.binary_search(&time).map_or(0, |at| at as u64 + 1);
        known.values_mut().for_each(|known| known.round = known.round.map(place));
        last = times.len() as u64;
    }
    Some((root, credit, last, known))
}
