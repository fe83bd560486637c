//! The deeds of other processes.

use crate::script::{Unknown, word};
use std::fmt;
use std::str::FromStr;

/// A change of a file that a job reads, by one call of the system. Files are named by their paths
/// in the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// A file is made, or takes the place of another.
    Make(String, usize, u64),
    /// Bytes are written at an offset.
    Write(String, usize, usize, u64),
    /// A file is cut, or extended with zeros.
    Resize(String, usize),
    /// A name is removed.
    Remove(String),
    /// A file gets another name.
    Rename(String, String),
    /// A file gets a second name, in the place of any that had it: a hard link.
    Link(String, String),
    /// Two files change places.
    Swap(String, String),
    /// A byte changes, and the modification time is put back: a disk decays so.
    Rot(String, usize),
    /// A name becomes a symbolic link to a target, in the place of any that had it.
    Symlink(String, String),
    /// A name becomes a FIFO.
    Fifo(String),
    /// A name becomes a socket.
    Socket(String),
    /// The modification time is set, in seconds since 1970: a clock jumps so.
    Date(String, i64),
}

impl Deed {
    /// The names that it is about.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Deed::Rename(one, other) | Deed::Link(one, other) | Deed::Swap(one, other) => vec![one, other],
            Deed::Make(name, ..)
            | Deed::Write(name, ..)
            | Deed::Resize(name, _)
            | Deed::Remove(name)
            | Deed::Rot(name, _)
            | Deed::Symlink(name, _)
            | Deed::Fifo(name)
            | Deed::Socket(name)
            | Deed::Date(name, _) => vec![name],
        }
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Deed::Make(name, length, salt) => write!(f, "make {name} {length} {salt}"),
            Deed::Write(name, at, length, salt) => write!(f, "write {name} {at} {length} {salt}"),
            Deed::Resize(name, length) => write!(f, "resize {name} {length}"),
            Deed::Remove(name) => write!(f, "remove {name}"),
            Deed::Rename(from, to) => write!(f, "rename {from} {to}"),
            Deed::Link(from, to) => write!(f, "link {from} {to}"),
            Deed::Swap(one, other) => write!(f, "swap {one} {other}"),
            Deed::Rot(name, at) => write!(f, "rot {name} {at}"),
            Deed::Symlink(name, target) => write!(f, "symlink {name} {target}"),
            Deed::Fifo(name) => write!(f, "fifo {name}"),
            Deed::Socket(name) => write!(f, "socket {name}"),
            Deed::Date(name, seconds) => write!(f, "date {name} {seconds}"),
        }
    }
}

impl FromStr for Deed {
    type Err = Unknown;

    fn from_str(line: &str) -> Result<Deed, Unknown> {
        let mut words = line.split(' ');
        let verb = words.next().unwrap_or_default();
        parsed(verb, &mut words).ok_or_else(|| Unknown(line.to_owned()))
    }
}

fn parsed(verb: &str, words: &mut dyn Iterator<Item = &str>) -> Option<Deed> {
    let name: String = word(words)?;
    Some(match verb {
        "make" => Deed::Make(name, word(words)?, word(words)?),
        "write" => Deed::Write(name, word(words)?, word(words)?, word(words)?),
        "resize" => Deed::Resize(name, word(words)?),
        "remove" => Deed::Remove(name),
        "rename" => Deed::Rename(name, word(words)?),
        "link" => Deed::Link(name, word(words)?),
        "swap" => Deed::Swap(name, word(words)?),
        "rot" => Deed::Rot(name, word(words)?),
        "symlink" => Deed::Symlink(name, word(words)?),
        "fifo" => Deed::Fifo(name),
        "socket" => Deed::Socket(name),
        "date" => Deed::Date(name, word(words)?),
        _ => return None,
    })
}
