//! Entries of images in the order of their places on the medium.

use crate::entry::{Item, Origin};
use crate::source::Source;

/// Entries sorted together, as in [`OrderedSource`](crate::OrderedSource).
const WINDOW: usize = 4_096;

/// Which files of the host are sorted as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosts {
    /// All, by the places of their first extents.
    Swept,
    /// None: they come as they are found.
    AsFound,
}

/// Puts entries that state their places into the order of the places, medium by medium. Other items
/// keep their position in the stream. Numbers, and so the output, keep input order.
pub struct Swept<S> {
    source: S,
    hosts: Hosts,
    window: std::vec::IntoIter<Item>,
    next: Option<Item>,
}

impl<S: Source> Swept<S> {
    /// Reads `source` in this order.
    pub fn new(source: S, hosts: Hosts) -> Self {
        Swept { source, hosts, window: Vec::new().into_iter(), next: None }
    }

    /// The medium and the place; `None` for an entry that is sorted with no other.
    fn place(&self, item: &Item) -> Option<(u64, u64)> {
        let Item::Entry(entry) = item else { return None };
        match &entry.origin {
            Origin::Object { object, .. } => object.place(),
            // An entry that cannot be opened now will say so when it is read.
            Origin::File { .. } if self.hosts == Hosts::Swept => Some((u64::MAX, entry.first_place().unwrap_or(0))),
            Origin::File { .. } | Origin::Stream(_) => None,
        }
    }
}

impl<S: Source> Source for Swept<S> {
    fn pull(&mut self) -> Option<Item> {
        if let Some(item) = self.window.next() {
            return Some(item);
        }
        let first = self.next.take().or_else(|| self.source.pull())?;
        let Some((medium, place)) = self.place(&first) else { return Some(first) };
        let mut window = vec![(place, first)];
        while window.len() < WINDOW {
            let Some(item) = self.source.pull() else { break };
            match self.place(&item) {
                Some((same, place)) if same == medium => window.push((place, item)),
                // They are not read.
                None if !matches!(item, Item::Entry(_)) => window.push((0, item)),
                _ => {
                    self.next = Some(item);
                    break;
                }
            }
        }
        window.sort_by_key(|(place, item)| (*place, item.number()));
        self.window = window.into_iter().map(|(_, item)| item).collect::<Vec<_>>().into_iter();
        self.window.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Entry, Object};
    use crate::problem::Problem;
    use std::sync::Arc;

    struct Lying(Option<(u64, u64)>);

    impl Object for Lying {
        fn open(&self) -> Result<Box<dyn std::io::Read + Send>, Problem> {
            Ok(Box::new(std::io::empty()))
        }
        fn place(&self) -> Option<(u64, u64)> {
            self.0
        }
    }

    #[test]
    fn places_are_sorted_within_a_medium_and_around_nothing_else() {
        let places = [Some((1, 30)), Some((1, 10)), None, Some((1, 20)), Some((1, 5)), Some((2, 9)), Some((2, 1))];
        let items: Vec<Item> = places
            .into_iter()
            .enumerate()
            .map(|(number, place)| {
                let origin = Origin::Object { name: Box::default(), object: Arc::new(Lying(place)) };
                Item::Entry(Entry { number: number as u64, origin, stat: None })
            })
            .collect();
        let mut swept = Swept::new(items.into_iter(), Hosts::AsFound);
        let order: Vec<u64> = std::iter::from_fn(|| swept.pull()).map(|item| item.number()).collect();
        assert_eq!(order, [1, 0, 2, 4, 3, 6, 5]);
    }
}
