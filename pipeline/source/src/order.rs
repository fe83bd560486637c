//! The order in which entries are READ. Numbers, and so the output, keep input order.

use crate::entry::Item;
use crate::source::{Room, Source};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// In which order entries are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As they were found: byte order of the paths.
    #[default]
    Path,
    /// Largest first.
    Size,
    /// By inode number: nearly the order on the medium for many file systems, at the cost of one
    /// stat.
    Inode,
    /// By the physical place of the first extent (FIEMAP): one sweep over a rotational disk.
    Extent,
    /// By what fits into the RAM table (Breitinger & Petrov, Listing 3): the largest file that fits
    /// into what is free, and if none does, or nothing waits in the table, the next by its path.
    Balanced,
}

/// Entries sorted together. A window keeps memory bounded on trees of any size: 4,096 entries of
/// 100 bytes are 0.5 MB, and one sweep over 4,096 files leaves little seeking to save.
const WINDOW: usize = 4_096;

/// Puts a source's entries into reading order, window by window.
pub struct Ordered<S> {
    source: S,
    order: Order,
    window: std::vec::IntoIter<Item>,
    balance: Balance,
}

impl<S: Source> Ordered<S> {
    /// Reads `source` in `order`.
    pub fn new(source: S, order: Order) -> Self {
        Ordered { source, order, window: Vec::new().into_iter(), balance: Balance::default() }
    }

    fn key(&self, item: &mut Item) -> u64 {
        let Item::Entry(entry) = item else { return 0 };
        if self.order == Order::Extent {
            // An entry that cannot be opened now will say so when it is read.
            return entry.first_place().unwrap_or(0);
        }
        if entry.stat.is_none() {
            entry.stat = entry.origin.stat();
        }
        match (self.order, entry.stat) {
            (Order::Size, Some(stat)) => u64::MAX - stat.size,
            (Order::Inode, Some(stat)) => stat.inode,
            (Order::Balanced, Some(stat)) => stat.size,
            _ => 0,
        }
    }

    /// The next entries, with their keys.
    fn next_window(&mut self) -> Vec<(u64, Item)> {
        let mut window = Vec::new();
        while window.len() < WINDOW {
            match self.source.pull() {
                Some(mut item) => window.push((self.key(&mut item), item)),
                None => break,
            }
        }
        window
    }
}

/// What may be taken next of a window, by its size and by its place.
#[derive(Default)]
struct Balance {
    /// By place, with their sizes.
    items: BTreeMap<usize, (u64, Item)>,
    /// Of equal sizes the first place comes last.
    sizes: BTreeSet<(u64, Reverse<usize>)>,
}

impl Balance {
    fn fill(&mut self, window: Vec<(u64, Item)>) {
        for (place, (size, item)) in window.into_iter().enumerate() {
            self.sizes.insert((size, Reverse(place)));
            self.items.insert(place, (size, item));
        }
    }

    /// The largest that fits, or the first.
    fn take(&mut self, room: Room) -> Option<Item> {
        let first = *self.items.first_key_value()?.0;
        let fits = self.sizes.range(..=(room.free, Reverse(0))).next_back().map(|(_, place)| place.0);
        let place = fits.filter(|_| !room.empty).unwrap_or(first);
        let (size, item) = self.items.remove(&place)?;
        self.sizes.remove(&(size, Reverse(place)));
        Some(item)
    }
}

impl<S: Source> Source for Ordered<S> {
    fn pull(&mut self) -> Option<Item> {
        match self.order {
            Order::Path => return self.source.pull(),
            Order::Balanced => return self.pull_into(Room { free: 0, empty: true }),
            _ => {}
        }
        if let Some(item) = self.window.next() {
            return Some(item);
        }
        let mut window = self.next_window();
        window.sort_by_key(|(key, item)| (*key, item.number()));
        self.window = window.into_iter().map(|(_, item)| item).collect::<Vec<_>>().into_iter();
        self.window.next()
    }

    fn pull_into(&mut self, room: Room) -> Option<Item> {
        if self.order != Order::Balanced {
            return self.pull();
        }
        if self.balance.items.is_empty() {
            let window = self.next_window();
            self.balance.fill(window);
        }
        self.balance.take(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Listing 3 of the paper: a table of 10 and files of 8, 4, 3, 2, 4 and 5.
    #[test]
    fn the_papers_example_of_balancing() {
        let name = |number: usize| Item::Skipped { number: number as u64, name: Vec::new(), skip: crate::Skip::Own };
        let mut balance = Balance::default();
        let sizes = [8, 4, 3, 2, 4, 5];
        balance.fill(sizes.into_iter().enumerate().map(|(number, size)| (size, name(number))).collect());
        let (mut order, mut used) = (String::new(), 0);
        while let Some(item) = balance.take(Room { free: 10 - used, empty: used == 0 }) {
            let place = item.number() as usize;
            // The reader waits until all has been hashed.
            used = if used + sizes[place] > 10 { sizes[place] } else { used + sizes[place] };
            order.push(char::from(b'A' + place as u8));
        }
        assert_eq!(order, "ADBFCE");
    }
}
