//! A container that is being listed.

use super::clock::Clock;
use super::medium::Watch;
use super::member::{Member, StartedContent};
use super::sweep::Sweep;
use super::window::Window;
use pfh_source::Inside;
use pfh_volume::{Bytes, Failure, Member as System, Node, Nodes, Snapshot};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A volume of a divided medium, or the fault of the division.
pub enum Part {
    /// A partition by its number, its bytes, and where they start on the medium.
    Volume(Option<u32>, Arc<dyn Bytes>, u64),
    /// A part of the medium that is in no partition.
    Gap(Box<Node>),
    /// A volume out of several pieces, by its name and its bytes; one without a name is the
    /// medium's only one.
    Logical(Vec<u8>, Arc<dyn Bytes>),
    /// One of several file systems in one space.
    System(Box<System>),
    /// An older state of the file system that came before.
    Snapshot(Box<Snapshot>),
    /// The fault.
    Failure(Failure),
}

/// The result of opening a container.
pub enum ContainerNames {
    /// Its names.
    Nodes(Nodes),
    /// Its names, whose content is looked at in the order of its places.
    Swept(Box<Sweep>),
    /// Its names, whose content is decoded ahead.
    Ahead(Box<Window>),
    /// Its partitions.
    Parts(Box<dyn Iterator<Item = Part> + Send>),
}

/// A container that is being listed.
pub struct Level {
    /// The start of its printed names.
    pub prefix: Vec<u8>,
    /// Its entries.
    pub listed: ContainerNames,
    /// The remark on each entry in it.
    pub about: Inside,
    /// Whether it is an archive: its names may repeat, and its entries may be larger than it.
    pub is_archive: bool,
    /// Whether it is a file system, which is left when the list ends.
    pub is_volume: bool,
    /// The medium that its runs refer to.
    pub medium: Arc<dyn Bytes>,
    /// The files behind it.
    pub watch: Arc<Watch>,
    /// The time spent on the container of the input that it is in, or is.
    pub clock: Arc<Clock>,
    /// How many containers it is in, itself included.
    pub depth: u32,
    /// The member that came last, if it shares a stream with the next.
    pub last: Option<Arc<Member>>,
    /// Names that came, by their hashes.
    pub seen: HashSet<u64>,
}

/// The next thing of a container.
pub enum Next {
    /// A name, and the start of its content if that was looked at.
    Node(Box<Node>, Option<StartedContent>),
    /// A partition.
    Volume(Option<u32>, Arc<dyn Bytes>, u64),
    /// A volume out of several pieces.
    Logical(Vec<u8>, Arc<dyn Bytes>),
    /// One of several file systems in one space.
    System(Box<System>),
    /// An older state of a file system.
    Snapshot(Box<Snapshot>),
    /// Why it cannot be listed.
    Failure(Failure),
}

impl Level {
    /// A container in which nothing has come yet.
    pub fn new(
        prefix: Vec<u8>,
        listed: ContainerNames,
        about: Inside,
        (medium, watch, clock): (Arc<dyn Bytes>, Arc<Watch>, Arc<Clock>),
        depth: u32,
    ) -> Level {
        let (is_archive, is_volume, last, seen) = (false, false, None, HashSet::new());
        Level { prefix, listed, about, is_archive, is_volume, medium, watch, clock, depth, last, seen }
    }

    /// The next thing; `None` at the end.
    pub fn next(&mut self) -> Option<Next> {
        if let Some(last) = self.last.take() {
            last.secure();
        }
        Some(match &mut self.listed {
            ContainerNames::Nodes(nodes) => match nodes.next()? {
                Ok(node) => Next::Node(Box::new(node), None),
                Err(failure) => Next::Failure(failure),
            },
            ContainerNames::Swept(sweep) => match sweep.next(&self.clock)? {
                (Ok(node), begun) => Next::Node(Box::new(node), begun),
                (Err(failure), _) => Next::Failure(failure),
            },
            ContainerNames::Ahead(window) => match window.next(&self.clock)? {
                (Ok(node), begun) => Next::Node(Box::new(node), begun),
                (Err(failure), _) => Next::Failure(failure),
            },
            ContainerNames::Parts(parts) => match parts.next()? {
                Part::Volume(number, bytes, start) => Next::Volume(number, bytes, start),
                Part::Gap(node) => Next::Node(node, None),
                Part::Logical(name, bytes) => Next::Logical(name, bytes),
                Part::System(system) => Next::System(system),
                Part::Snapshot(snapshot) => Next::Snapshot(snapshot),
                Part::Failure(failure) => Next::Failure(failure),
            },
        })
    }

    /// Whether this name comes for the first time.
    pub fn is_new(&mut self, path: &[u8]) -> bool {
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        !self.is_archive || self.seen.insert(hasher.finish())
    }
}
