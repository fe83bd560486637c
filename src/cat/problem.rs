//! Why a member gives no bytes, beyond the errors that every job has.

use pfh_source::terminal::render;
use pfh_source::{Skip, Stage};
use std::io;

/// Why a member gives no bytes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The name has no container in it.
    #[error("{}: not the name of a member: CONTAINER!/MEMBER, as list and hash print it", render(.0))]
    NoMember(Vec<u8>),
    /// The name is that of a file.
    #[error("{}: a file itself, and not a member of a container", render(.0))]
    File(Vec<u8>),
    /// The container has no member of this name; these are the nearest.
    #[error("{}: no member has this name{}", render(name), nearest(near))]
    Missing {
        /// The name.
        name: Vec<u8>,
        /// The nearest names.
        near: Vec<Vec<u8>>,
    },
    /// Several members have this name.
    #[error(
        "{}: {} members have this name ({}): which one is meant cannot be known",
        render(name),
        ids.len(),
        listed(ids)
    )]
    Twice {
        /// The name.
        name: Vec<u8>,
        /// The inode of each, or the number that the file system knows it by.
        ids: Vec<Option<u64>>,
    },
    /// It has no bytes: it is a link, a device, a file without content of its own.
    #[error("{}: {}, without bytes of its own", render(name), skip.reason())]
    Skipped {
        /// The name.
        name: Vec<u8>,
        /// Why it is skipped.
        skip: Skip,
    },
    /// It, or a container that it is in, cannot be opened.
    #[error("{}: {problem}", render(name))]
    Unopened {
        /// The name of the member or container that cannot be opened.
        name: Vec<u8>,
        /// Why.
        problem: pfh_source::Problem,
    },
    /// Its bytes end early.
    #[error("{}: unreadable after {bytes} bytes: {problem}", render(name))]
    Unread {
        /// The name.
        name: Vec<u8>,
        /// How many of its bytes could be read.
        bytes: u64,
        /// Why no more.
        problem: pfh_source::Problem,
    },
    /// It has no slack, for this reason.
    #[error("{}: no slack: {why}", render(name))]
    NoSlack {
        /// The name.
        name: Vec<u8>,
        /// Why.
        why: &'static str,
    },
    /// It has no stored bytes of its own.
    #[error("{}: it is compressed as one stream with others: no stored bytes are its own", render(.0))]
    NotStored(Vec<u8>),
    /// The control cancelled the job after this many bytes.
    #[error("interrupted after {0} bytes")]
    Interrupted(u64),
}

impl Problem {
    /// An error of a read after this many bytes.
    pub(super) fn read(name: &[u8], bytes: u64, stage: Stage, error: &io::Error) -> Problem {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<pfh_source::Problem>());
        let problem = inner.cloned().unwrap_or_else(|| pfh_source::Problem::io(stage, error));
        Problem::Unread { name: name.to_vec(), bytes, problem }
    }
}

fn nearest(near: &[Vec<u8>]) -> String {
    let near: Vec<String> = near.iter().map(|name| render(name)).collect();
    if near.is_empty() { String::new() } else { format!("; the nearest: {}", near.join(", ")) }
}

fn listed(ids: &[Option<u64>]) -> String {
    let id = |id: &Option<u64>| id.map_or_else(|| "without a number".into(), |id| format!("inode {id}"));
    ids.iter().map(id).collect::<Vec<String>>().join(", ")
}
