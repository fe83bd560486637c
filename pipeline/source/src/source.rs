//! The stream of items.

use crate::entry::Item;

/// A stream of items in input order. It is pulled by whichever reader needs work next, under a
/// lock.
pub trait Source: Send {
    /// The next item, or `None` at the end. Numbers count up from 0 without a gap, in input order,
    /// however the items themselves are ordered for reading.
    fn pull(&mut self) -> Option<Item>;
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn pull(&mut self) -> Option<Item> {
        (**self).pull()
    }
}

impl Source for std::vec::IntoIter<Item> {
    fn pull(&mut self) -> Option<Item> {
        self.next()
    }
}
