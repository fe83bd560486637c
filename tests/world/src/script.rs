//! The events of a world as data: printed a line each, and parsed back.

use crate::deed::Deed;
use crate::step::Step;
use pfh_source::os::seam::Kind;
use std::fmt;
use std::str::FromStr;

/// The events of a world, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script(pub Vec<Event>);

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The numbers that the program draws come from this one.
    Numbers(u64),
    /// Somebody changes something between two steps.
    Deed(Deed),
    /// Jobs run, each beside the others, to their ends.
    Step(Vec<Step>),
    /// Something happens at a call of the step before.
    At(At, Act),
}

/// A call of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    /// Its kind.
    pub kind: Kind,
    /// Its file, by its path in the room; a file without a name is `#` in its directory.
    pub place: String,
    /// Which of the calls of this kind on this file, from 1.
    pub turn: u32,
}

/// The act at a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// The call and those that follow fail with this error, as many times.
    Fail(Errno, u32),
    /// It is made for this many bytes at most.
    Short(usize),
    /// It waits until other threads have made this many calls, or for a moment.
    Late(u32),
    /// Somebody changes something before it is made.
    Deed(Deed),
    /// All jobs are killed: nothing after this call happens.
    Kill,
    /// The power is cut: what was not synced may be lost, by this number.
    Cut(u64),
    /// The clock is set forward by these seconds, or back.
    Clock(i64),
}

/// An error of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno {
    /// Its name in errno.h.
    pub name: &'static str,
    /// Its number on Linux.
    pub number: i32,
}

/// The errors that calls fail with.
pub const ERRNOS: [Errno; 9] = [
    Errno { name: "EINTR", number: 4 },
    Errno { name: "EIO", number: 5 },
    Errno { name: "EAGAIN", number: 11 },
    Errno { name: "EACCES", number: 13 },
    Errno { name: "EFBIG", number: 27 },
    Errno { name: "ENOSPC", number: 28 },
    Errno { name: "EROFS", number: 30 },
    Errno { name: "ESTALE", number: 116 },
    Errno { name: "EDQUOT", number: 122 },
];

impl Errno {
    /// Whether the call is to be made again.
    pub fn is_passing(self) -> bool {
        ["EINTR", "EAGAIN"].contains(&self.name)
    }
}

const KINDS: [(&str, Kind); 12] = [
    ("open", Kind::Open),
    ("stat", Kind::Stat),
    ("list", Kind::List),
    ("read", Kind::Read),
    ("create", Kind::Create),
    ("write", Kind::Write),
    ("sync", Kind::Sync),
    ("name", Kind::Name),
    ("rename", Kind::Rename),
    ("remove", Kind::Remove),
    ("truncate", Kind::Truncate),
    ("lock", Kind::Lock),
];

/// A line that is not an event.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown(pub String);

/// The next word of a line as a value.
pub(crate) fn word<T: FromStr>(words: &mut dyn Iterator<Item = &str>) -> Option<T> {
    words.next()?.parse().ok()
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, _) = KINDS.iter().find(|(_, kind)| *kind == self.kind).unwrap_or(&KINDS[0]);
        write!(f, "at {name} {} {}", self.place, self.turn)
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Fail(errno, times) => write!(f, "fail {} {times}", errno.name),
            Act::Short(most) => write!(f, "short {most}"),
            Act::Late(calls) => write!(f, "late {calls}"),
            Act::Deed(deed) => write!(f, "{deed}"),
            Act::Kill => f.write_str("kill"),
            Act::Cut(salt) => write!(f, "cut-power {salt}"),
            Act::Clock(seconds) => write!(f, "set-clock {seconds}"),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Numbers(seed) => write!(f, "numbers {seed}"),
            Event::Deed(deed) => write!(f, "{deed}"),
            Event::Step(steps) => {
                f.write_str("run")?;
                steps.iter().enumerate().try_for_each(|(at, step)| {
                    f.write_str(if at == 0 { " " } else { " | " })?;
                    write!(f, "{step}")
                })
            }
            Event::At(at, act) => write!(f, "{at}: {act}"),
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|event| writeln!(f, "{event}"))
    }
}

fn act(text: &str) -> Option<Act> {
    let mut words = text.split(' ');
    let act = match words.next()? {
        "fail" => {
            let name = words.next()?;
            let errno = ERRNOS.iter().find(|errno| errno.name == name)?;
            Act::Fail(*errno, word(&mut words)?)
        }
        "short" => Act::Short(word(&mut words)?),
        "late" => Act::Late(word(&mut words)?),
        "kill" => Act::Kill,
        "cut-power" => Act::Cut(word(&mut words)?),
        "set-clock" => Act::Clock(word(&mut words)?),
        _ => return text.parse().ok().map(Act::Deed),
    };
    Some(act)
}

fn event(line: &str) -> Option<Event> {
    if let Some(steps) = line.strip_prefix("run ") {
        return steps.split(" | ").map(|step| step.parse().ok()).collect::<Option<_>>().map(Event::Step);
    }
    if let Some(seed) = line.strip_prefix("numbers ") {
        return seed.parse().ok().map(Event::Numbers);
    }
    let Some(rest) = line.strip_prefix("at ") else { return line.parse().ok().map(Event::Deed) };
    let (place, done) = rest.split_once(": ")?;
    let mut words = place.split(' ');
    let name = words.next()?;
    let (_, kind) = KINDS.iter().find(|(known, _)| *known == name)?;
    let at = At { kind: *kind, place: word(&mut words)?, turn: word(&mut words)? };
    Some(Event::At(at, act(done)?))
}

impl FromStr for Script {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Script, Unknown> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| event(line).ok_or_else(|| Unknown(line.to_owned()))).collect::<Result<_, _>>().map(Script)
    }
}
