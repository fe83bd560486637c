//! The stream of items.

use crate::entry::Item;

/// A stream of items in input order. It is pulled by whichever reader needs work next, under a
/// lock.
pub trait Source: Send {
    /// The next item, or `None` at the end. Numbers count up from 0 without a gap, in input order,
    /// however the items themselves are ordered for reading.
    fn pull(&mut self) -> Option<Item>;

    /// The same for a reader that has this much room. A source that looks for what fits
    /// ([`Order::Balanced`](crate::Order::Balanced)) takes account of it; for others it is
    /// [`pull`](Source::pull).
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
