//! The identity of a source: that an interrupted acquisition is resumed from the medium it was
//! begun with.
//!
//! Serial number, WWID, model and size as the kernel gives them, and SHA-256 of the first and the
//! last MiB. A name says nothing: the kernel gives `/dev/sdb` to the next disk that is attached,
//! and the same disk comes back as `/dev/sdc`.

use pfh_digest::Hasher;
use pfh_source::device::{Kind, Medium};
use pfh_source::terminal::shown;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io;
use std::path::Path;

/// Bytes at either end that are hashed.
pub const EDGE: u64 = 1 << 20;
/// Bytes that an unreadable place in them costs; its sectors are not searched for: a dying disk is
/// not to be worn out before the first byte is copied.
const STEP: u64 = 64 << 10;

/// The alignment of reads past the page cache.
const PAGE: usize = 4096;

/// One end of the medium.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edge {
    /// SHA-256, in hexadecimal, of the bytes that could be read.
    pub sha256: String,
    /// Ranges that could not be read: (offset on the medium, length) in bytes.
    pub unreadable: Vec<(u64, u64)>,
    /// The first eight bytes of the SHA-256 of each step of 64 KiB, in hexadecimal; empty where it
    /// could not be read. A sector may answer once and not the next time: the other steps are
    /// compared all the same.
    pub steps: Vec<String>,
}

impl Edge {
    /// Whether all that both could read is equal; `None` where there is no such step.
    fn agrees(&self, other: &Edge) -> Option<bool> {
        if self.unreadable == other.unreadable {
            return Some(self.sha256 == other.sha256);
        }
        let mut both = self.steps.iter().zip(&other.steps).filter(|(a, b)| !a.is_empty() && !b.is_empty()).peekable();
        both.peek()?;
        Some(both.all(|(a, b)| a == b))
    }
}

/// The identity of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// As the kernel has it; empty where it has none.
    pub serial: String,
    /// World wide identifier.
    pub wwid: String,
    /// Model.
    pub model: String,
    /// Size in bytes; `None` of a stream.
    pub size: Option<u64>,
    /// The first MiB; `None` of a stream, and where nothing of it can be read.
    #[serde(rename = "first-mib")]
    pub first: Option<Edge>,
    /// The last MiB.
    #[serde(rename = "last-mib")]
    pub last: Option<Edge>,
    /// Its name: a remark, and no part of the identity.
    pub path: String,
    /// Inode of a file: a remark as well, since a copy is the same source.
    pub inode: Option<u64>,
}

/// How two identities compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Likeness {
    /// The same medium; remarks on other changes (its name).
    Same(Vec<String>),
    /// Not the same medium; the facts that differ.
    Other(Vec<String>),
    /// Nothing differs, and nothing that was compared says that it is the same.
    Unknown,
}

fn sha256() -> io::Result<Hasher> {
    Ok(crate::hash::hasher_of_sha256())
}

fn edge(medium: &Medium, from: u64, until: u64) -> io::Result<Option<Edge>> {
    let (mut hasher, mut read, mut unreadable) = (sha256()?, 0, Vec::<(u64, u64)>::new());
    // Reads past the page cache want an aligned buffer: one that is not would end them for the
    // whole run.
    let mut room = vec![0; STEP as usize + PAGE];
    let skew = room.as_ptr().align_offset(PAGE);
    let room = &mut room[skew..];
    let (mut at, mut steps) = (from, Vec::new());
    while at < until {
        let end = (at / STEP * STEP + STEP).min(until);
        let mut done = at;
        while done < end {
            match medium.read_at(&mut room[(done - at) as usize..(end - at) as usize], done) {
                Ok(n) if n > 0 => done += n as u64,
                // Shorter than its size, or unreadable: the whole step is left out.
                _ => break,
            }
        }
        if done == end {
            hasher.update(&room[..(end - at) as usize]);
            let mut step = sha256()?;
            step.update(&room[..(end - at) as usize]);
            steps.push(step.finalize().to_string()[..16].to_owned());
            read += end - at;
        } else {
            steps.push(String::new());
            match unreadable.last_mut() {
                Some((start, length)) if *start + *length == at => *length += end - at,
                _ => unreadable.push((at, end - at)),
            }
        }
        at = end;
    }
    Ok((read > 0 || from == until).then(|| Edge { sha256: hasher.finalize().to_string(), unreadable, steps }))
}

impl Identity {
    /// Finds out the identity of `medium`; reads at most its first and its last MiB.
    ///
    /// # Errors
    /// Not with the algorithms that there are; unreadable places are part of the identity.
    pub fn of(medium: &Medium, path: Option<&Path>) -> io::Result<Self> {
        let fact = |name: &str| medium.facts().get(name).cloned().unwrap_or_default();
        let mut identity = Identity {
            serial: fact("serial"),
            wwid: fact("wwid"),
            model: fact("model"),
            size: medium.size(),
            path: path.map(|path| path.display().to_string()).unwrap_or_default(),
            inode: path
                .filter(|_| medium.kind() == Kind::File)
                .and_then(|path| pfh_source::os::stat_path(path).ok())
                .and_then(|(found, _)| found.inode.try_into().ok()),
            ..Identity::default()
        };
        if let (Some(size), true) = (medium.size(), medium.kind() != Kind::Stream) {
            identity.first = edge(medium, 0, size.min(EDGE))?;
            identity.last = edge(medium, size.saturating_sub(EDGE), size)?;
        }
        Ok(identity)
    }

    /// Compares the facts known now with those known when the acquisition was begun.
    pub fn compare(&self, before: &Identity) -> Likeness {
        let (mut differs, mut agrees, mut remarks) = (Vec::new(), false, Vec::new());
        if self.size != before.size {
            let text = |size: Option<u64>| size.map_or_else(|| "unknown".to_owned(), |size| format!("{size} bytes"));
            differs.push(format!("the size is {}, it was {}", text(self.size), text(before.size)));
        }
        let words = [
            ("serial number", &self.serial, &before.serial, true),
            ("WWID", &self.wwid, &before.wwid, true),
            ("model", &self.model, &before.model, false),
        ];
        for (what, now, then, decides) in words {
            if now.is_empty() != then.is_empty() {
                // Another cable or bridge may hide a serial number: that alone does not make it
                // another disk.
                let (now, then) = (or_none(now), or_none(then));
                remarks.push(format!("the {what} is {now}, it was {then}"));
            } else if now != then {
                differs.push(format!("the {what} is {now}, it was {then}"));
            } else if !now.is_empty() {
                agrees |= decides;
            }
        }
        for (what, now, then) in [("first", &self.first, &before.first), ("last", &self.last, &before.last)] {
            let both = now.as_ref().zip(then.as_ref());
            match both.and_then(|(now, then)| Some((now, then, now.agrees(then)?))) {
                Some((.., true)) => agrees = true,
                Some((now, then, false)) => {
                    differs.push(format!("SHA-256 of the {what} MiB is {}, it was {}", now.sha256, then.sha256));
                }
                None => {
                    remarks.push(format!("the {what} MiB cannot be compared: other parts of it are unreadable now"))
                }
            }
        }
        if self.path != before.path {
            let (now, then) = (shown(Path::new(&self.path)), shown(Path::new(&before.path)));
            remarks.push(format!("the source is named {now} now; it was named {then}"));
        }
        match (differs.is_empty(), agrees) {
            (false, _) => Likeness::Other(differs),
            (true, true) => Likeness::Same(remarks),
            (true, false) => Likeness::Unknown,
        }
    }

    /// As one JSON object, for the map and the log.
    pub fn to_json(&self) -> Value {
        json!(self)
    }

    /// Reads [`to_json`](Identity::to_json)'s object; `None` of anything else.
    pub fn from_json(value: &Value) -> Option<Self> {
        Identity::deserialize(value).ok()
    }
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "not known" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(serial: &str, first: &str) -> Identity {
        let edge = |sha256: &str| {
            Some(Edge { sha256: sha256.into(), unreadable: vec![], steps: vec![sha256.into(), "y".into()] })
        };
        Identity {
            serial: serial.into(),
            size: Some(9),
            first: edge(first),
            last: edge("z"),
            path: "/dev/sdb".into(),
            ..Identity::default()
        }
    }

    #[test]
    fn a_name_is_no_identity() {
        let before = disk("S1", "a");
        assert_eq!(before.compare(&before), Likeness::Same(vec![]));
        let renamed = Identity { path: "/dev/sdc".into(), ..before.clone() };
        assert!(matches!(renamed.compare(&before), Likeness::Same(remarks) if remarks.len() == 1));
        for other in [disk("S2", "a"), disk("S1", "b"), Identity { size: Some(8), ..before.clone() }] {
            assert!(matches!(other.compare(&before), Likeness::Other(what) if what.len() == 1), "{other:?}");
        }
        // A bridge that hides the serial number: the bytes decide.
        assert!(matches!(disk("", "a").compare(&before), Likeness::Same(_)));
        // A sector that answers now and did not then: the steps that both could read decide.
        let flaky = |steps: [&str; 2]| {
            let steps = steps.map(str::to_owned).to_vec();
            let edge = Some(Edge { sha256: "c".into(), unreadable: vec![(0, 65_536)], steps });
            Identity { first: edge, last: None, ..disk("", "a") }
        };
        assert!(matches!(flaky(["", "y"]).compare(&before), Likeness::Same(_)));
        assert!(matches!(flaky(["", "n"]).compare(&before), Likeness::Other(_)));
        assert_eq!(flaky(["", ""]).compare(&before), Likeness::Unknown);
        let blind = Identity { first: None, last: None, ..disk("", "a") };
        assert_eq!(blind.compare(&before), Likeness::Unknown);
    }

    #[test]
    fn what_is_written_is_read() {
        let mut identity = disk("S", "a");
        identity.last =
            Some(Edge { sha256: "q".into(), unreadable: vec![(512, 65_024)], steps: vec!["".into(), "y".into()] });
        for identity in [identity, Identity::default()] {
            assert_eq!(Identity::from_json(&identity.to_json()), Some(identity));
        }
        assert_eq!(Identity::from_json(&json!({})), None);
    }
}
