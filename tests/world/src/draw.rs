//! Scripts from a seed.

use crate::deed::Deed;
use crate::random::Random;
use crate::room::MEDIUM;
use crate::script::{Act, At, ERRNOS, Errno, Event, Script};
use crate::step::{Form, Job, Manner, Step};
use pfh_source::os::seam::Kind;

/// The files of a tree.
const NAMES: [&str; 10] = [
    "tree/a",
    "tree/b",
    "tree/c",
    "tree/d/f",
    "tree/d/g",
    "tree/d/e/h",
    "tree/d/e/i",
    "tree/k/f",
    "tree/k/m",
    "tree/\u{fc}",
];
/// The directories that are listed.
const DIRECTORIES: [&str; 4] = ["tree", "tree/d", "tree/d/e", "tree/k"];
/// Names of links, FIFOs and sockets; other ones take the names of files.
const OTHERS: [&str; 3] = ["tree/l", "tree/d/l", "tree/k/l"];
/// Targets of links: files, directories, the link itself, and nothing.
const TARGETS: [&str; 9] = ["a", "d", "d/e", "k", "k/f", "l", ".", "..", "none"];
/// How far a clock is set, in seconds: a leap, an hour, a day back, years.
const JUMPS: [i64; 6] = [1, -1, 3600, -86_400, 1_000_000_000, -3_000_000_000];
/// The largest file, in bytes.
const LARGEST: usize = 64 << 10;

/// The script of a seed.
pub fn draw(seed: u64) -> Script {
    let mut artist = Artist { random: Random::new(seed), events: Vec::new() };
    artist.events.push(Event::Numbers(seed));
    if artist.random.one_in(6) {
        artist.images()
    } else {
        artist.lists()
    }
    Script(artist.events)
}

struct Artist {
    random: Random,
    events: Vec<Event>,
}

/// A list with its form.
#[derive(Clone)]
struct Sheet {
    name: String,
    form: Form,
    sealed: bool,
}

impl Sheet {
    fn hash(&self) -> Job {
        Job::Hash { list: self.name.clone(), form: self.form, sealed: self.sealed }
    }
}

impl Artist {
    /// A world of lists.
    fn lists(&mut self) {
        for name in NAMES.iter().filter(|_| self.random.below(8) < 5).collect::<Vec<_>>() {
            let deed = self.made(name);
            self.events.push(Event::Deed(deed));
        }
        for name in OTHERS {
            if self.random.one_in(6) {
                let deed = self.other(name);
                self.events.push(Event::Deed(deed));
            }
        }
        let mut sheets = Vec::new();
        for name in ["lists/one", "lists/two"].iter().take(1 + usize::from(self.random.one_in(4))) {
            let form = self.random.pick(&[Form::Sums, Form::Bsd, Form::Jsonl, Form::Jsonl]);
            sheets.push(Sheet { name: (*name).to_owned(), form, sealed: self.random.one_in(2) });
        }
        for sheet in &sheets {
            self.step(vec![sheet.hash()]);
        }
        for _ in 0..1 + self.random.below(3) {
            self.deeds();
            let sheet = self.random.pick(&sheets);
            let mut jobs = vec![self.job(&sheet)];
            if self.random.one_in(6) {
                let sheet = self.random.pick(&sheets);
                jobs.push(self.job(&sheet));
            }
            self.step(jobs);
        }
        // The next command says the truth.
        for sheet in &sheets {
            let job =
                if self.random.one_in(2) { Job::Check(sheet.name.clone()) } else { Job::Audit(sheet.name.clone()) };
            self.quiet(job);
            if self.random.one_in(3) {
                self.quiet(Job::Update(sheet.name.clone()));
                self.quiet(Job::Check(sheet.name.clone()));
            }
        }
    }

    fn job(&mut self, sheet: &Sheet) -> Job {
        let name = sheet.name.clone();
        match self.random.below(8) {
            0 | 1 => sheet.hash(),
            2 | 3 => Job::Check(name),
            4 => Job::Audit(name),
            _ => Job::Update(name),
        }
    }

    /// A world of images.
    fn images(&mut self) {
        let size = self.size();
        let salt = self.random.number();
        self.events.push(Event::Deed(Deed::Make(MEDIUM.to_owned(), size, salt)));
        for _ in 0..1 + self.random.below(2) {
            self.step(vec![Job::Acquire]);
        }
        self.quiet(Job::Acquire);
        self.quiet(Job::Verify);
    }

    fn size(&mut self) -> usize {
        match self.random.below(8) {
            0 => self.random.pick(&[0, 1, 55, 56, 63, 64, 65, 511, 512, 513, 4095, 4096, 4097, LARGEST - 1, LARGEST]),
            1 => self.random.below(LARGEST),
            _ => self.random.below(5000),
        }
    }

    fn made(&mut self, name: &str) -> Deed {
        // Equal contents are moved and copied files.
        let salt = if self.random.one_in(3) { self.random.below(2) as u64 } else { self.random.number() };
        let length = if salt < 2 { 1000 } else { self.size() };
        Deed::Make(name.to_owned(), length, salt)
    }

    fn deeds(&mut self) {
        for _ in 0..self.random.below(4) {
            let name = self.random.pick(&NAMES);
            let deed = self.deed(name);
            self.events.push(Event::Deed(deed));
        }
    }

    /// A link, a FIFO or a socket.
    fn other(&mut self, name: &str) -> Deed {
        match self.random.below(8) {
            0 | 1 => Deed::Fifo(name.to_owned()),
            2 => Deed::Socket(name.to_owned()),
            _ => Deed::Symlink(name.to_owned(), self.random.pick(&TARGETS).to_owned()),
        }
    }

    /// A deed on a file.
    fn deed(&mut self, name: &str) -> Deed {
        let other = if name == MEDIUM { MEDIUM } else { self.random.pick(&NAMES) }.to_owned();
        let (name, salt) = (name.to_owned(), self.random.number());
        match self.random.below(15) {
            0 | 1 => self.made(&name),
            2..=4 => {
                let at = self.random.below(5000);
                Deed::Write(name, at, 1 + self.random.below(600), salt)
            }
            5 | 6 => Deed::Resize(name, self.random.below(6000)),
            7 => Deed::Remove(name),
            8 => Deed::Rename(name, other),
            9 if name != MEDIUM && self.random.one_in(3) => Deed::Swap("tree/d".to_owned(), "tree/k".to_owned()),
            9 => Deed::Swap(name, other),
            13 if name != MEDIUM => self.other(&name),
            14 if name != MEDIUM && self.random.one_in(2) => {
                let name = self.random.pick(&OTHERS);
                self.other(name)
            }
            // A directory and a link change places.
            14 if name != MEDIUM => Deed::Swap("tree/d".to_owned(), "tree/l".to_owned()),
            11 if name != MEDIUM => Deed::Link(name, other),
            10 => Deed::Rot(name, self.random.below(3000)),
            _ => Deed::Date(name, self.random.pick(&[-86_400, 0, 1_000_000_000, 4_000_000_000])),
        }
    }

    fn manner(&mut self) -> Manner {
        Manner {
            threads: 1 + self.random.below(3),
            readers: self.random.below(3),
            mode: self.random.below(3),
            ring: self.random.one_in(5),
            retries: u32::from(self.random.one_in(4)),
            memory: self.random.pick(&[0, 0, 32, 256]),
        }
    }

    fn quiet(&mut self, job: Job) {
        let manner = self.manner();
        self.events.push(Event::Step(vec![Step { job, manner }]));
    }

    fn step(&mut self, jobs: Vec<Job>) {
        let places: Vec<String> = jobs.iter().filter(|job| job.writes()).map(place).collect();
        let reads_medium = jobs.contains(&Job::Acquire);
        let steps = jobs.iter().map(|job| Step { job: job.clone(), manner: self.manner() }).collect();
        let mut killed = false;
        self.events.push(Event::Step(steps));
        for _ in 0..self.random.below(4) {
            let last = match self.random.below(5) {
                0..=2 if !places.is_empty() => {
                    let place = self.random.pick(&places);
                    self.written(&place)
                }
                _ if reads_medium => self.read(MEDIUM),
                3 => self.listed(),
                _ => {
                    let name = self.random.pick(&NAMES);
                    self.read(name)
                }
            };
            killed |= matches!(last.1, Act::Kill | Act::Cut(_));
            self.events.push(Event::At(last.0, last.1));
        }
        // The same again, in peace.
        if killed && self.random.one_in(2) {
            jobs.into_iter().for_each(|job| self.quiet(job));
        }
    }

    fn turn(&mut self) -> u32 {
        1 + (self.random.below(4) * self.random.below(3)) as u32
    }

    /// An act at a call on a file that is read.
    fn read(&mut self, name: &str) -> (At, Act) {
        let kind = self.random.pick(&[Kind::Open, Kind::Stat, Kind::Stat, Kind::Read, Kind::Read, Kind::Read]);
        let act = match self.random.below(8) {
            0 | 1 => self.failure(&["EIO", "EACCES", "ESTALE"]),
            2 => Act::Short(1 + self.random.below(3000)),
            3 => Act::Late(1 + self.random.below(30) as u32),
            4 if self.random.one_in(3) => Act::Clock(self.random.pick(&JUMPS)),
            _ => {
                let victim = if self.random.one_in(5) && name != MEDIUM { self.random.pick(&NAMES) } else { name };
                Act::Deed(self.deed(victim))
            }
        };
        (At { kind, place: name.to_owned(), turn: self.turn() }, act)
    }

    /// An act while a directory is listed.
    fn listed(&mut self) -> (At, Act) {
        let kind = self.random.pick(&[Kind::Open, Kind::List, Kind::List]);
        let act = match self.random.below(4) {
            0 => self.failure(&["EIO", "EACCES"]),
            1 => Act::Late(1 + self.random.below(30) as u32),
            _ => {
                let name = self.random.pick(&NAMES);
                Act::Deed(self.deed(name))
            }
        };
        (At { kind, place: self.random.pick(&DIRECTORIES).to_owned(), turn: self.turn() }, act)
    }

    /// An act at a call on an output.
    fn written(&mut self, output: &str) -> (At, Act) {
        if output.starts_with("images/") {
            return self.imaged(output);
        }
        let (directory, last) = output.split_once('/').unwrap_or(("", output));
        let waiting = format!("{directory}/.{last}");
        let unnamed = format!("{directory}/#");
        let (kind, place) = match self.random.below(9) {
            0 => (Kind::Create, directory.to_owned()),
            1 => (Kind::Write, unnamed),
            2 => (Kind::Sync, unnamed),
            3 => (Kind::Name, self.random.pick(&[output.to_owned(), waiting])),
            4 => (Kind::Rename, output.to_owned()),
            5 => (Kind::Sync, self.random.pick(&[directory.to_owned(), output.to_owned()])),
            6 => (Kind::Write, output.to_owned()),
            7 => (Kind::Create, output.to_owned()),
            _ => (Kind::Open, directory.to_owned()),
        };
        let turn = if self.random.one_in(2) { 1 } else { self.turn() };
        (At { kind, place, turn }, self.end())
    }

    /// An act at a call on the files of an image.
    fn imaged(&mut self, image: &str) -> (At, Act) {
        let beside = self.random.pick(&["", "", "", ".map", ".map.new", ".log", ".log.jsonl"]);
        let kind = self.random.pick(&[Kind::Write, Kind::Write, Kind::Write, Kind::Sync, Kind::Create, Kind::Rename]);
        let turn = 1 + self.random.below(12) as u32;
        (At { kind, place: format!("{image}{beside}"), turn }, self.end())
    }

    /// An act that may end a job which writes.
    fn end(&mut self) -> Act {
        match self.random.below(8) {
            0..=2 => self.failure(&["EIO", "ENOSPC", "EDQUOT", "EROFS", "EFBIG"]),
            3 if self.random.one_in(3) => Act::Clock(self.random.pick(&JUMPS)),
            3 => Act::Short(1 + self.random.below(200)),
            4 | 5 => Act::Kill,
            6 => Act::Cut(self.random.number()),
            _ => Act::Late(1 + self.random.below(30) as u32),
        }
    }

    /// One of these errors, or one that passes.
    fn failure(&mut self, names: &[&str]) -> Act {
        let name = if self.random.one_in(4) { "EINTR" } else { self.random.pick(names) };
        let errno: Errno = ERRNOS.into_iter().find(|errno| errno.name == name).unwrap_or(ERRNOS[0]);
        Act::Fail(errno, 1 + self.random.below(3) as u32)
    }
}

/// A name that a job writes: its list, that of the list before or of the seal, or a file of the
/// image.
fn place(job: &Job) -> String {
    match job.list() {
        Some(list) => list.to_owned(),
        None => "images/disk.img".to_owned(),
    }
}
