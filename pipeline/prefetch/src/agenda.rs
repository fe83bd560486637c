//! Which message a reader goes on with: the only place that decides it.

use crate::feed::{Fed, Feed, Pulled};
use crate::in_hand::InHand;
use crate::table::{Begun, Table};
use pfh_source::Entry;
use std::sync::Arc;

/// The work that a reader goes on with.
pub(crate) enum Next<S> {
    /// A message that was put down in the middle. It is in hand.
    Begun(Box<Begun<S>>),
    /// A message that is to be opened. It is in hand.
    Entry(Arc<Entry>),
    /// Several, which are to be opened together.
    Together(Vec<Arc<Entry>>),
    /// There was nothing to read in what came; it is in the table.
    Passed,
    /// There is nothing until records have gone out.
    Later,
    /// There is nothing more, or this reader was declared lost.
    End,
}

/// The work that is there for one reader.
pub(crate) struct Agenda<'a, S> {
    pub table: &'a Table<S>,
    pub feed: &'a Feed,
    /// The reader's hand, into which it is taken.
    pub in_hand: &'a InHand,
}

impl<S> Agenda<'_, S> {
    /// Whether there is something to go on with now; `lanes`: for the thread's own lanes.
    pub fn has_next(&self, lanes: bool) -> bool {
        self.table.has_parked(lanes) || self.feed.has_next()
    }

    /// Whether something is left to fill the table with, now or later.
    pub fn is_left(&self) -> bool {
        !self.feed.is_empty() || self.table.has_parked(false)
    }

    /// The work to go on with: what was put down before what was given back, and that before
    /// anything new. New messages come at most `most` at a time.
    pub fn next(&self, lanes: bool, most: usize) -> Next<S> {
        if let Some(begun) = self.table.take_up(lanes) {
            if self.in_hand.take(begun.entry.clone()) {
                return Next::Begun(Box::new(begun));
            }
            self.table.park(begun.entry, begun.reading, begun.states, begun.whom);
            return Next::End;
        }
        let items = match self.feed.next(most) {
            Fed::Items(items) => items,
            Fed::Later => return Next::Later,
            Fed::End => return Next::End,
        };
        let mut entries = Vec::with_capacity(items.len());
        for pulled in items {
            match pulled {
                Pulled::Other(item) => self.table.pass(*item),
                Pulled::Entry(entry) => entries.push(entry),
            }
        }
        if entries.len() > 1 {
            return Next::Together(entries);
        }
        let Some(entry) = entries.pop() else { return Next::Passed };
        if self.in_hand.take(entry.clone()) {
            return Next::Entry(entry);
        }
        self.feed.give_back([entry]);
        Next::End
    }
}
