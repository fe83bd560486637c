//! The order in which entries are READ. Numbers, and so the output, keep input order.

use crate::entry::Item;
use crate::source::Source;
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
    /// By the room in the RAM table (Breitinger & Petrov, Listing 3): the next by its path into an
    /// empty table, then the largest that fits into the free space, until none does; so on with the
    /// next table. For comparison with the paper, whose table takes whole files: here a file enters
    /// in parts, no room stays empty, and no order changes how often readers wait for it.
    Balanced,
}

/// Entries sorted together. A window keeps memory bounded on trees of any size: 4,096 entries of
/// 100 bytes are 0.5 MB, and one sweep over 4,096 files leaves little seeking to save.
const WINDOW: usize = 4_096;

/// Puts a source's entries into reading order, window by window.
pub struct OrderedSource<S> {
    source: S,
    order: Order,
    /// Bytes of the table that [`Order::Balanced`] fills.
    table: u64,
    window: std::vec::IntoIter<Item>,
}

impl<S: Source> OrderedSource<S> {
    /// Reads `source` in `order`; the RAM table has `table` bytes, which matter to
    /// [`Order::Balanced`] alone.
    pub fn new(source: S, order: Order, table: u64) -> Self {
        OrderedSource { source, order, table, window: Vec::new().into_iter() }
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
            (Order::Inode, Some(stat)) => stat.inode as u64,
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

/// The entries, with their sizes, as they fill a table of `table` bytes again and again.
fn balanced(window: Vec<(u64, Item)>, table: u64) -> Vec<Item> {
    // By place; and by size, of equal sizes the first place last.
    let mut sizes: BTreeSet<(u64, Reverse<usize>)> =
        window.iter().enumerate().map(|(place, (size, _))| (*size, Reverse(place))).collect();
    let mut items: BTreeMap<usize, (u64, Item)> = window.into_iter().enumerate().collect();
    let (mut order, mut free) = (Vec::with_capacity(items.len()), None);
    while let Some((&first, _)) = items.first_key_value() {
        // An empty table takes the next file, even one larger than the table.
        let fits = free.map(|free| sizes.range(..=(free, Reverse(0))).next_back().map(|(_, place)| place.0));
        let Some(place) = fits.unwrap_or(Some(first)) else {
            free = None;
            continue;
        };
        if let Some((size, item)) = items.remove(&place) {
            sizes.remove(&(size, Reverse(place)));
            free = Some(free.unwrap_or(table).saturating_sub(size));
            order.push(item);
        }
    }
    order
}

impl<S: Source> Source for OrderedSource<S> {
    fn pull(&mut self) -> Option<Item> {
        if self.order == Order::Path {
            return self.source.pull();
        }
        if let Some(item) = self.window.next() {
            return Some(item);
        }
        let mut window = self.next_window();
        let ordered = if self.order == Order::Balanced {
            balanced(window, self.table)
        } else {
            window.sort_by_key(|(key, item)| (*key, item.number()));
            window.into_iter().map(|(_, item)| item).collect()
        };
        self.window = ordered.into_iter();
        self.window.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(sizes: &[u64], table: u64) -> String {
        let item = |number: usize| Item::Skipped { number: number as u64, name: Vec::new(), skip: crate::Skip::Own };
        let window = sizes.iter().enumerate().map(|(number, size)| (*size, item(number))).collect();
        balanced(window, table).iter().map(|item| char::from(b'A' + item.number() as u8)).collect()
    }

    /// Listing 3 of the paper: a table of 10 and files of 8, 4, 3, 2, 4 and 5.
    #[test]
    fn the_papers_example_of_balancing() {
        assert_eq!(order_of(&[8, 4, 3, 2, 4, 5], 10), "ADBFCE");
    }

    #[test]
    fn a_table_takes_what_is_larger_and_what_is_empty() {
        assert_eq!(order_of(&[], 10), "");
        assert_eq!(order_of(&[30, 0, 20, 10], 10), "ABCD");
        assert_eq!(order_of(&[5, 6, 5], 10), "ACB");
        assert_eq!(order_of(&[1, 1, 1], 10), "ABC");
    }
}
