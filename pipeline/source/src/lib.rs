//! Where bytes come from: walked trees, lists of names, standard input and objects that a caller
//! brings.
//!
//! A [`Source`] yields [`Item`]s in input order, each with its number; an [`Entry`] is opened by
//! whoever reads it. Every system call is in [`os`]; an [`Output`] is what is written by them.
//! Names are bytes: [`terminal`] renders them for people.

mod batch;
pub mod device;
mod entry;
pub mod image;
mod list;
mod listing;
mod merge;
mod operand;
mod order;
pub mod os;
mod output;
mod own;
mod problem;
mod ranges;
mod read;
mod select;
pub mod terminal;
mod total;
mod walk;
mod within;

pub use batch::{Ahead, Batch};
pub use entry::{Base, Entry, Item, Object, Origin, Skip, Stat};
pub use list::{Separator, names};
pub use merge::Merge;
pub use operand::{Descend, Links, Named, Operands, Paths, Recurse, Special};
pub use order::{Order, Ordered};
pub use os::ChangeTimes;
pub use output::{Around, Output, replace};
pub use own::Apart;
pub use pfh_container::Time;
pub use problem::{Cause, Problem, Stage, errno_name};
pub use ranges::Ranges;
pub use read::{Closed, Note, Reading};
pub use select::{Selection, SelectionError};
pub use total::total;
pub use within::Within;

/// A stream of items in input order. It is pulled by whichever reader needs work next, under a
/// lock.
pub trait Source: Send {
    /// The next item, or `None` at the end. Numbers count up from 0 without a gap, in input order,
    /// however the items themselves are ordered for reading.
    fn pull(&mut self) -> Option<Item>;

    /// The same for a reader that has this much room. A source that looks for what fits
    /// ([`Order::Balanced`]) takes account of it; for others it is [`pull`](Source::pull).
    fn pull_into(&mut self, room: Room) -> Option<Item> {
        let _ = room;
        self.pull()
    }
}

/// How much memory there is for what is read next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes that are free.
    pub free: u64,
    /// Whether nothing that was read waits to be hashed: all is free that ever will be.
    pub empty: bool,
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn pull(&mut self) -> Option<Item> {
        (**self).pull()
    }

    fn pull_into(&mut self, room: Room) -> Option<Item> {
        (**self).pull_into(room)
    }
}

impl Source for std::vec::IntoIter<Item> {
    fn pull(&mut self) -> Option<Item> {
        self.next()
    }
}
