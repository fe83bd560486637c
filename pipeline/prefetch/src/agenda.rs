//! Which message a reader goes on with: the only place that decides it.

use crate::feed::{Feed, PulledItem, SourceAnswer};
use crate::in_hand::InHand;
use crate::table::{ResumedMessage, Table};
use pfh_source::Entry;
use std::sync::Arc;

/// The work that a reader goes on with.
pub(crate) enum Next<S> {
    /// A message that was put down in the middle. It is in hand.
    Begun(Box<ResumedMessage<S>>),
    /// A message that is to be opened. It is in hand.
    Entry(Arc<Entry>),
    /// Several, which are to be opened together. They are in hand.
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
            SourceAnswer::Items(items) => items,
            SourceAnswer::Later => return Next::Later,
            SourceAnswer::End => return Next::End,
        };
        let mut entries = Vec::with_capacity(items.len());
        for pulled in items {
            match pulled {
                PulledItem::Other(item) => self.table.pass(*item),
                PulledItem::Entry(entry) => entries.push(entry),
            }
        }
        let is_taken = match &entries[..] {
            [] => return Next::Passed,
            [only] => self.in_hand.take(only.clone()),
            several => self.in_hand.take_together(several),
        };
        if !is_taken {
            self.feed.give_back(entries);
            return Next::End;
        }
        match entries.len() {
            1 => entries.pop().map_or(Next::Passed, Next::Entry),
            _ => Next::Together(entries),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_count::EventCount;
    use pfh_source::{Item, Origin, Source, Stream};

    /// Entries of these numbers.
    struct Entries(std::ops::Range<u64>);

    impl Source for Entries {
        fn pull(&mut self) -> Option<Item> {
            let number = self.0.next()?;
            Some(Item::Entry(Entry { number, origin: Origin::Stream(Stream::standard()), stat: None }))
        }
    }

    #[test]
    fn a_lost_reader_keeps_nothing_that_it_was_about_to_take() {
        for most in [1, 3] {
            let events = Arc::new(EventCount::default());
            let feed = Feed::new(Box::new(Entries(0..3)), events.clone());
            let table = Table::new(Vec::new(), events, |_| ());
            let lost = InHand::default();
            assert!(lost.lose().others.is_empty());
            let agenda = Agenda { table: &table, feed: &feed, in_hand: &lost };
            assert!(matches!(agenda.next(false, most), Next::End));
            // Another one gets them all, those that were given back one by one.
            let agenda = Agenda { in_hand: &InHand::default(), ..agenda };
            let mut numbers = Vec::new();
            loop {
                match agenda.next(false, 1) {
                    Next::Entry(entry) => numbers.push(entry.number),
                    Next::End => break,
                    _ => panic!("single entries alone are there"),
                }
            }
            numbers.sort_unstable();
            assert_eq!(numbers, [0, 1, 2], "{most} at a time");
        }
    }
}
