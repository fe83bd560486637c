//! The seam of a step: each call of the jobs comes by here, and the acts of the script come to
//! pass.

use crate::past::Past;
use crate::random::Random;
use crate::room::{Files, Room, WRITTEN};
use crate::script::{Act, At};
use pfh_source::os::seam::{Answer, Call, Kind, World};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Calls of one step. A job of a world needs some hundreds.
const MOST_CALLS: u64 = 100_000;
/// A call that is late waits this often, for 50 µs each time.
const WAITS: usize = 20;
/// EIO, for all calls of a step that has no end.
const BROKEN: i32 = 5;

/// A step that is played.
pub struct Stage {
    room: Arc<Room>,
    calls: AtomicU64,
    played: Mutex<StepState>,
    numbers: Mutex<Numbers>,
    /// How far the clock is from the system's, in seconds.
    clock: AtomicI64,
}

/// The numbers that the program draws. Each step has the same ones again: a file that an earlier
/// step left has the name that a later one draws.
struct Numbers {
    random: Random,
    last: u64,
    repeated: u64,
}

impl Numbers {
    /// The next one; half of them are the last one once more.
    fn draw(&mut self) -> u64 {
        if self.last != 0 && self.random.one_in(2) {
            self.repeated += 1;
        } else {
            self.last = self.random.number() | 1;
        }
        self.last
    }
}

/// Everything that calls change.
#[derive(Default)]
pub struct StepState {
    /// The bytes that stood.
    pub past: Past,
    /// The acts that came to pass, each with its call.
    pub acts: Vec<(At, Act)>,
    /// The files that jobs had written when they were killed.
    pub killed: Option<Files>,
    /// The kinds of calls that were seen, with their files and how often.
    pub seen: HashMap<(Kind, String), u32>,
    /// The calls on files of the room, in their order.
    pub order: Vec<At>,
    waiting: Vec<(At, Act)>,
    /// Errors that go on, with how often they come.
    failing: Vec<((Kind, String), i32, u32)>,
    /// Of a step in which the power is cut.
    medium: Option<Medium>,
}

/// The written files as a power cut would leave them.
#[derive(Default)]
struct Medium {
    /// Synced contents by inode.
    contents: HashMap<u64, Vec<u8>>,
    /// Synced names, with the inodes that they had.
    names: BTreeMap<String, u64>,
}

impl Stage {
    /// A step with these acts, its numbers from this one, and its clock these seconds ahead of the
    /// system's.
    pub fn new(room: Arc<Room>, past: Past, acts: Vec<(At, Act)>, (numbers, clock): (u64, i64)) -> Stage {
        let mut played = StepState { past, waiting: acts, ..StepState::default() };
        if played.waiting.iter().any(|(_, act)| matches!(act, Act::Cut(_))) {
            let mut medium = Medium::default();
            for (name, inode, bytes) in WRITTEN.iter().flat_map(|directory| look(&room, directory)) {
                medium.names.insert(name, inode);
                medium.contents.insert(inode, bytes);
            }
            played.medium = Some(medium);
        }
        let numbers = Numbers { random: Random::new(numbers), last: 0, repeated: 0 };
        Stage {
            room,
            calls: AtomicU64::new(0),
            played: Mutex::new(played),
            numbers: Mutex::new(numbers),
            clock: AtomicI64::new(clock),
        }
    }

    /// How far the clock is from the system's, in seconds.
    pub fn clock(&self) -> i64 {
        self.clock.load(Ordering::SeqCst)
    }

    /// How many numbers were drawn once more.
    pub fn repeated(&self) -> u64 {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).repeated
    }

    /// Calls so far, and whether they were too many.
    pub fn calls(&self) -> (u64, bool) {
        let calls = self.calls.load(Ordering::SeqCst);
        (calls, calls > MOST_CALLS)
    }

    /// The state of the step. No call comes by while it is held.
    pub fn played(&self) -> MutexGuard<'_, StepState> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file of a call, by its path in the room.
    fn place(&self, call: &Call<'_>) -> Option<String> {
        let path = match call.file {
            _ if call.name.starts_with(b"/") => call.name.to_vec(),
            Some(file) if file.as_raw_fd() >= 0 => {
                let mut path = link(file)?.into_os_string().into_encoded_bytes();
                if !call.name.is_empty() {
                    path.push(b'/');
                    path.extend_from_slice(call.name);
                }
                path
            }
            _ => return None,
        };
        self.room.name(&path).map(|name| plain(&name))
    }
}

fn link(file: BorrowedFd<'_>) -> Option<PathBuf> {
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

/// A path without the parts that differ from run to run: numbers of files without a name, and of
/// files that wait for theirs.
fn plain(name: &str) -> String {
    let name = name.strip_suffix(" (deleted)").unwrap_or(name);
    let (directory, last) = name.rsplit_once('/').map_or(("", name), |(directory, last)| (directory, last));
    match last.find(".pfh-") {
        Some(end) => format!("{directory}/{}", &last[..end]),
        None if last.starts_with('#') => format!("{directory}/#"),
        None => name.to_owned(),
    }
}

/// The files of a directory with their inodes and contents.
fn look(room: &Room, directory: &str) -> Vec<(String, u64, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(room.path(directory)).into_iter().flatten().flatten() {
        let name = format!("{directory}/{}", entry.file_name().to_string_lossy());
        if let (Ok(about), Ok(bytes)) = (entry.metadata(), fs::read(entry.path())) {
            found.push((name, about.ino(), bytes));
        }
    }
    found
}

impl Medium {
    /// A file or a directory is synced.
    fn sync(&mut self, room: &Room, file: BorrowedFd<'_>, place: &str) {
        if WRITTEN.contains(&place) {
            self.names.retain(|name, _| !name.starts_with(&format!("{place}/")));
            for (name, inode, _) in look(room, place) {
                self.names.insert(name, inode);
                // The bytes of a file that was never synced are not on the medium.
                self.contents.entry(inode).or_default();
            }
            return;
        }
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        if let (Ok(about), Ok(bytes)) = (fs::metadata(&path), fs::read(&path)) {
            self.contents.insert(about.ino(), bytes);
        }
    }

    /// The files after a cut: of names and of bytes that were not synced some are there.
    fn cut(&self, room: &Room, salt: u64) -> Files {
        let mut random = Random::new(salt);
        let now: Vec<_> = WRITTEN.iter().flat_map(|directory| look(room, directory)).collect();
        let current: BTreeMap<String, u64> = now.iter().map(|(name, inode, _)| (name.clone(), *inode)).collect();
        let bytes: HashMap<u64, &Vec<u8>> = now.iter().map(|(_, inode, bytes)| (*inode, bytes)).collect();
        // The names of a directory are written in the order of their changes, in one step here.
        let names = if random.one_in(2) { &current } else { &self.names };
        let mut left = Files::new();
        for (name, inode) in names {
            let empty = Vec::new();
            let durable = self.contents.get(inode).unwrap_or(&empty);
            let content = match bytes.get(inode) {
                Some(newer) if *newer != durable => match random.below(3) {
                    0 => (*newer).clone(),
                    1 => durable.clone(),
                    _ => newer[..random.below(newer.len() + 1)].to_vec(),
                },
                _ => durable.clone(),
            };
            left.insert(name.clone(), content);
        }
        left
    }
}

impl World for Stage {
    fn clock(&self) -> Option<Duration> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let ahead = self.clock();
        let by = Duration::from_secs(ahead.unsigned_abs());
        Some(if ahead < 0 { now.saturating_sub(by) } else { now.saturating_add(by) })
    }

    fn number(&self) -> Option<u64> {
        Some(self.numbers.lock().unwrap_or_else(PoisonError::into_inner).draw())
    }

    fn answer(&self, call: &Call<'_>) -> Answer {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        if number > MOST_CALLS {
            return Answer::Fail(BROKEN);
        }
        let Some(place) = self.place(call) else { return Answer::Pass };
        let mut late = 0;
        let answer = self.played().answer((&self.room, &self.clock), call, &place, &mut late);
        for _ in 0..WAITS {
            if self.calls.load(Ordering::SeqCst) > number + u64::from(late) {
                break;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        answer
    }
}

impl StepState {
    fn answer(&mut self, (room, clock): (&Room, &AtomicI64), call: &Call<'_>, place: &str, late: &mut u32) -> Answer {
        if self.killed.is_some() {
            return Answer::Pass;
        }
        let key = (call.kind, place.to_owned());
        let turn = self.seen.entry(key.clone()).or_default();
        *turn += 1;
        let turn = *turn;
        self.order.push(At { kind: call.kind, place: place.to_owned(), turn });
        let mut answer = Answer::Pass;
        let mut at = 0;
        while at < self.waiting.len() {
            let (when, _) = &self.waiting[at];
            if (when.kind, &when.place, when.turn) != (call.kind, &key.1, turn) {
                at += 1;
                continue;
            }
            let (when, act) = self.waiting.remove(at);
            let is_done = match &act {
                Act::Fail(errno, times) => {
                    self.failing.push((key.clone(), errno.number, *times));
                    true
                }
                Act::Short(most) => {
                    answer = Answer::Short(*most);
                    true
                }
                Act::Late(calls) => {
                    *late = *calls;
                    true
                }
                // A deed that is impossible did not happen.
                Act::Deed(deed) => room.act(deed, &mut self.past).unwrap_or(false),
                Act::Clock(seconds) => {
                    clock.fetch_add(*seconds, Ordering::SeqCst);
                    true
                }
                Act::Kill => {
                    self.killed = room.settled().ok();
                    true
                }
                Act::Cut(salt) => {
                    let _ = room.settled();
                    self.killed = self.medium.as_ref().map(|medium| medium.cut(room, *salt));
                    true
                }
            };
            if is_done {
                self.acts.push((when, act));
            }
        }
        if let Some(failing) = self.failing.iter_mut().find(|(failing, _, left)| *failing == key && *left > 0) {
            failing.2 -= 1;
            return Answer::Fail(failing.1);
        }
        if let (Kind::Sync, Some(file), Some(medium)) = (call.kind, call.file, &mut self.medium) {
            medium.sync(room, file, place);
        }
        answer
    }
}
