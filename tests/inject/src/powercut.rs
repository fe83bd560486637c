//! Power cuts, simulated: the writes, syncs and renames of a program are recorded through strace,
//! and states are made that a disk may hold after a cut at any point of it.
//!
//! A cut keeps everything that was synced. Of what was written to a file and not synced it keeps
//! all, nothing, or a part, down to sectors of 512 bytes; of the names in a directory that were
//! made, changed or removed since its last sync, the first few. That is no less than what file
//! systems promise, and more than most of them do to a program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

/// A change of a file or of a directory.
#[derive(Debug, Clone)]
enum Event {
    /// A file comes to be, without a name yet.
    New(usize),
    Write(usize, u64, Vec<u8>),
    Length(usize, u64),
    Sync(usize),
    Name(PathBuf, usize),
    Unname(PathBuf),
    Rename(PathBuf, PathBuf),
    SyncNames(PathBuf),
}

/// The record of one run, and the state in which it began.
#[derive(Debug)]
pub struct Recording {
    before: BTreeMap<PathBuf, Vec<u8>>,
    directories: BTreeSet<PathBuf>,
    events: Vec<Event>,
    /// The exit code of the run.
    pub code: Option<i32>,
}

/// Pseudo-random numbers from a seed (xorshift64*), so that every cut can be made again.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end.max(1)
    }
}

const CALLS: &str = "trace=openat,open,creat,close,write,pwrite64,writev,pwritev,lseek,fsync,fdatasync,syncfs,ftruncate,\
rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,dup,fcntl";

impl Recording {
    /// Runs a program in `room` and records its changes of the files below it.
    ///
    /// # Errors
    /// When strace cannot be started, or says something that is not understood.
    pub fn of(program: &Path, arguments: &[&str], room: &Path) -> io::Result<Recording> {
        let log = tempfile::NamedTempFile::new()?;
        let mut replay = Replay { room: room.canonicalize()?, ..Replay::default() };
        let (mut before, mut directories) = (BTreeMap::new(), BTreeSet::new());
        snapshot(&replay.room, &replay.room, &mut before, &mut directories)?;
        let status = Command::new("strace")
            .args(["-f", "-qq", "-xx", "-s", "100000000", "-e", CALLS, "-o"])
            .arg(log.path())
            .arg("--")
            .arg(program)
            .args(arguments)
            .current_dir(room)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        for name in before.keys() {
            let number = replay.files;
            replay.files += 1;
            replay.names.insert(name.clone(), number);
        }
        replay.lengths = before.values().map(|bytes| bytes.len() as u64).collect();
        let mut unfinished: BTreeMap<String, String> = BTreeMap::new();
        for line in fs::read_to_string(log.path())?.lines() {
            let Some((pid, rest)) = line.split_once(char::is_whitespace) else { continue };
            let rest = rest.trim_start();
            if let Some(begun) = rest.strip_suffix("<unfinished ...>") {
                unfinished.insert(pid.to_owned(), begun.trim_end().to_owned());
            } else if let Some((_, end)) = rest.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
                if let Some(begun) = unfinished.remove(pid) {
                    replay.call(&format!("{begun}{end}"));
                }
            } else {
                replay.call(rest);
            }
        }
        directories.extend(replay.directories);
        Ok(Recording { before, directories, events: replay.events, code: status.code() })
    }

    /// Points at which the power may be cut.
    pub fn points(&self) -> usize {
        self.events.len() + 1
    }

    /// Makes in `room`, which is emptied, a state after a cut: `seed` decides where it is made and
    /// which parts of the rest are kept.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn cut(&self, seed: u64, room: &Path) -> io::Result<()> {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        random.below(2);
        let upto = random.below(self.points());
        let mut durable: Vec<Vec<u8>> = self.before.values().cloned().collect();
        let mut pending: Vec<Vec<&Event>> = vec![Vec::new(); durable.len()];
        let mut names: BTreeMap<PathBuf, usize> = self.before.keys().cloned().zip(0..).collect();
        let mut unsynced: Vec<&Event> = Vec::new();
        for event in &self.events[..upto] {
            match event {
                Event::New(number) => {
                    durable.resize(number + 1, Vec::new());
                    pending.resize(number + 1, Vec::new());
                }
                Event::Write(number, ..) | Event::Length(number, _) => pending[*number].push(event),
                Event::Sync(number) => {
                    for event in std::mem::take(&mut pending[*number]) {
                        apply(&mut durable[*number], event, None);
                    }
                }
                Event::SyncNames(directory) => {
                    let (mine, others): (Vec<_>, Vec<_>) =
                        unsynced.into_iter().partition(|event| parent_of(event) == Some(directory));
                    mine.into_iter().for_each(|event| rename(&mut names, event));
                    unsynced = others;
                }
                Event::Name(..) | Event::Unname(_) | Event::Rename(..) => unsynced.push(event),
            }
        }
        let kept = [0, unsynced.len(), random.below(unsynced.len() + 1)][random.below(3)];
        unsynced.into_iter().take(kept).for_each(|event| rename(&mut names, event));
        for (file, pending) in durable.iter_mut().zip(pending) {
            let way = random.below(4);
            let first = random.below(pending.len() + 1);
            for (at, event) in pending.into_iter().enumerate() {
                match way {
                    0 => {}
                    1 => apply(file, event, None),
                    2 if at < first => apply(file, event, None),
                    2 if at == first => apply(file, event, Some(&mut random)),
                    3 if random.below(2) == 0 => apply(file, event, Some(&mut random)),
                    _ => {}
                }
            }
        }
        if room.exists() {
            fs::remove_dir_all(room)?;
        }
        fs::create_dir_all(room)?;
        self.directories.iter().try_for_each(|directory| fs::create_dir_all(room.join(directory)))?;
        for (name, number) in names {
            fs::write(room.join(name), &durable[number])?;
        }
        Ok(())
    }
}

fn parent_of(event: &Event) -> Option<&Path> {
    match event {
        Event::Name(name, _) | Event::Unname(name) | Event::Rename(_, name) => name.parent(),
        _ => None,
    }
}

fn rename(names: &mut BTreeMap<PathBuf, usize>, event: &Event) {
    match event {
        Event::Name(name, number) => drop(names.insert(name.clone(), *number)),
        Event::Unname(name) => drop(names.remove(name)),
        Event::Rename(from, to) => {
            if let Some(number) = names.remove(from) {
                names.insert(to.clone(), number);
            }
        }
        _ => {}
    }
}

/// Applies a write, whole or without some of its sectors.
fn apply(file: &mut Vec<u8>, event: &Event, mut torn: Option<&mut Random>) {
    const SECTOR: usize = 512;
    match event {
        Event::Length(_, length) => file.resize(*length as usize, 0),
        Event::Write(_, offset, bytes) => {
            let mut done = 0;
            while done < bytes.len() {
                let at = *offset as usize + done;
                let length = (SECTOR - at % SECTOR).min(bytes.len() - done);
                if torn.as_mut().is_none_or(|random| random.below(2) == 0) {
                    file.resize(file.len().max(at + length), 0);
                    file[at..at + length].copy_from_slice(&bytes[done..done + length]);
                }
                done += length;
            }
        }
        _ => {}
    }
}

fn snapshot(
    root: &Path,
    here: &Path,
    files: &mut BTreeMap<PathBuf, Vec<u8>>,
    directories: &mut BTreeSet<PathBuf>,
) -> io::Result<()> {
    for entry in fs::read_dir(here)? {
        let path = entry?.path();
        let name = path.strip_prefix(root).map_err(io::Error::other)?.to_owned();
        if path.is_dir() {
            directories.insert(name);
            snapshot(root, &path, files, directories)?;
        } else if path.is_file() {
            files.insert(name, fs::read(&path)?);
        }
    }
    Ok(())
}

/// The file or directory of a descriptor.
#[derive(Debug, Clone)]
enum Open {
    File { number: usize, at: u64, append: bool },
    Directory(PathBuf),
}

/// Follows a log from call to call.
#[derive(Default)]
struct Replay {
    room: PathBuf,
    files: usize,
    lengths: Vec<u64>,
    names: BTreeMap<PathBuf, usize>,
    directories: BTreeSet<PathBuf>,
    open: BTreeMap<i64, Open>,
    events: Vec<Event>,
}

impl Replay {
    /// A path below the room, relative to it.
    fn below(&self, text: &[u8]) -> Option<PathBuf> {
        use std::os::unix::ffi::OsStrExt;
        let path = self.room.join(std::ffi::OsStr::from_bytes(text));
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                Component::CurDir => {}
                other => plain.push(other),
            }
        }
        plain.strip_prefix(&self.room).ok().map(Path::to_owned)
    }

    fn call(&mut self, line: &str) {
        let Some((name, rest)) = line.split_once('(') else { return };
        let Some((inside, result)) = rest.rsplit_once(" = ") else { return };
        let Some(result) = result.split_whitespace().next().and_then(|r| r.parse::<i64>().ok()) else { return };
        if result < 0 {
            return;
        }
        let inside = inside.trim_end().trim_end_matches(')');
        let arguments: Vec<&str> = inside.split(", ").collect();
        let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<i64>().ok());
        let texts: Vec<Vec<u8>> = inside.split('"').skip(1).step_by(2).map(unescape).collect();
        match name {
            "open" | "openat" | "creat" => self.opened(&texts, inside, result),
            "close" => drop(number(0).and_then(|fd| self.open.remove(&fd))),
            "dup" => self.same(number(0), result),
            "fcntl" if inside.contains("F_DUPFD") => self.same(number(0), result),
            "lseek" => {
                if let Some(Open::File { at, .. }) = number(0).and_then(|fd| self.open.get_mut(&fd)) {
                    *at = result as u64;
                }
            }
            "write" | "writev" => {
                let bytes = texts.concat();
                let Some(Open::File { number, at, append }) = number(0).and_then(|fd| self.open.get_mut(&fd)) else {
                    return;
                };
                let number = *number;
                if *append {
                    *at = self.lengths[number];
                }
                let offset = *at;
                *at += result as u64;
                self.wrote(number, offset, &bytes[..result as usize]);
            }
            "pwrite64" | "pwritev" => {
                let bytes = texts.concat();
                let offset = arguments.last().and_then(|text| text.parse::<u64>().ok());
                if let (Some(&Open::File { number, .. }), Some(offset)) =
                    (number(0).and_then(|fd| self.open.get(&fd)), offset)
                {
                    self.wrote(number, offset, &bytes[..result as usize]);
                }
            }
            "ftruncate" => {
                if let (Some(&Open::File { number, .. }), Some(length)) =
                    (number(0).and_then(|fd| self.open.get(&fd)), number(1))
                {
                    self.lengths[number] = length as u64;
                    self.events.push(Event::Length(number, length as u64));
                }
            }
            "fsync" | "fdatasync" => match number(0).and_then(|fd| self.open.get(&fd)) {
                Some(Open::File { number, .. }) => self.events.push(Event::Sync(*number)),
                Some(Open::Directory(path)) => self.events.push(Event::SyncNames(path.clone())),
                None => {}
            },
            "rename" | "renameat" | "renameat2" => {
                if let [from, to] = &texts[..]
                    && let (Some(from), Some(to)) = (self.below(from), self.below(to))
                    && let Some(number) = self.names.remove(&from)
                {
                    self.names.insert(to.clone(), number);
                    self.events.push(Event::Rename(from, to));
                }
            }
            "link" | "linkat" => {
                if let [from, to] = &texts[..]
                    && let Some(to) = self.below(to)
                {
                    let fd = std::str::from_utf8(from).ok().and_then(|text| text.strip_prefix("/proc/self/fd/"));
                    let number = match fd.and_then(|fd| self.open.get(&fd.parse().ok()?)) {
                        Some(Open::File { number, .. }) => Some(*number),
                        _ => self.below(from).and_then(|from| self.names.get(&from).copied()),
                    };
                    if let Some(number) = number {
                        self.names.insert(to.clone(), number);
                        self.events.push(Event::Name(to, number));
                    }
                }
            }
            "unlink" | "unlinkat" => {
                if let Some(name) = texts.first().and_then(|text| self.below(text))
                    && self.names.remove(&name).is_some()
                {
                    self.events.push(Event::Unname(name));
                }
            }
            "mkdir" | "mkdirat" => self.directories.extend(texts.first().and_then(|text| self.below(text))),
            _ => {}
        }
    }

    fn same(&mut self, from: Option<i64>, to: i64) {
        if let Some(open) = from.and_then(|fd| self.open.get(&fd)).cloned() {
            self.open.insert(to, open);
        }
    }

    fn wrote(&mut self, number: usize, offset: u64, bytes: &[u8]) {
        self.lengths[number] = self.lengths[number].max(offset + bytes.len() as u64);
        self.events.push(Event::Write(number, offset, bytes.to_vec()));
    }

    fn opened(&mut self, texts: &[Vec<u8>], inside: &str, fd: i64) {
        self.open.remove(&fd);
        let Some(path) = texts.first().and_then(|text| self.below(text)) else { return };
        let whole = self.room.join(&path);
        let known = self.names.get(&path).copied();
        let number = match known {
            _ if inside.contains("O_TMPFILE") => self.fresh(None),
            Some(number) => {
                if inside.contains("O_TRUNC") {
                    self.lengths[number] = 0;
                    self.events.push(Event::Length(number, 0));
                }
                number
            }
            None if inside.contains("O_CREAT") => self.fresh(Some(path)),
            None => {
                if whole.is_dir() || self.directories.contains(&path) {
                    self.open.insert(fd, Open::Directory(path));
                }
                return;
            }
        };
        self.open.insert(fd, Open::File { number, at: 0, append: inside.contains("O_APPEND") });
    }

    fn fresh(&mut self, name: Option<PathBuf>) -> usize {
        let number = self.files;
        self.files += 1;
        self.lengths.push(0);
        self.events.push(Event::New(number));
        if let Some(name) = name {
            self.names.insert(name.clone(), number);
            self.events.push(Event::Name(name, number));
        }
        number
    }
}

/// `\x41\x42` as bytes: strace's form with `-xx`.
fn unescape(text: &str) -> Vec<u8> {
    text.split("\\x").skip(1).filter_map(|digits| u8::from_str_radix(digits.get(..2)?, 16).ok()).collect()
}
