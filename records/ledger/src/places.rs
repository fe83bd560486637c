//! The places of entries by their plain names, in a few bytes each: the names are those of the
//! entries.

use super::listing::Listing;
use super::names::spelt;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// Finds the entry of a name. The entries are handed in with each call.
#[derive(Debug, Default)]
pub struct Places {
    hashes: RandomState,
    /// By 32 bits of the name's hash, the first entry with them.
    first: HashMap<u32, u32>,
    /// Entries whose bits another one had before: one in four thousand of a million.
    others: HashMap<Vec<u8>, usize>,
}

impl Places {
    /// The places of all these.
    pub fn of(entries: &[Listing]) -> Places {
        let mut places = Places::default();
        for at in 0..entries.len() {
            places.enter(&entries[..at], &entries[at].name, at);
        }
        places
    }

    fn bits(&self, name: &[u8]) -> u32 {
        self.hashes.hash_one(name) as u32
    }

    /// The place of a name.
    pub fn get(&self, entries: &[Listing], name: &[u8]) -> Option<usize> {
        let name = spelt(name);
        let first = *self.first.get(&self.bits(&name))? as usize;
        if spelt(&entries[first].name) == name { Some(first) } else { self.others.get(&*name).copied() }
    }

    /// Notes the place of a name that has none: that of an entry which follows `entries`.
    pub fn enter(&mut self, entries: &[Listing], name: &[u8], at: usize) {
        let name = spelt(name);
        let bits = self.bits(&name);
        match (self.first.get(&bits), u32::try_from(at)) {
            (None, Ok(place)) => _ = self.first.insert(bits, place),
            (Some(&first), _) if entries.get(first as usize).is_some_and(|known| spelt(&known.name) == name) => {}
            _ => _ = self.others.entry(name.into_owned()).or_insert(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_also_beside_one_of_the_same_bits() {
        let listing = |name: String| Listing { name: name.into_bytes(), ..Listing::default() };
        let entries: Vec<Listing> = (0..200_000).map(|number| listing(format!("./d/{number}"))).collect();
        let places = Places::of(&entries);
        // Five pairs are expected; the chance of none is below one in a hundred.
        assert_eq!(places.first.len() + places.others.len(), entries.len());
        for at in 0..entries.len() {
            assert_eq!(places.get(&entries, format!("d//{at}").as_bytes()), Some(at));
        }
        assert_eq!(places.get(&entries, b"d/x"), None);
        // All names of one value of the bits.
        let mut places =
            Places { first: [(places.bits(b"d/7"), 0)].into(), hashes: places.hashes, ..Places::default() };
        places.enter(&entries[..7], b"d/7", 7);
        assert_eq!((places.get(&entries, b"./d/7"), places.others.len()), (Some(7), 1));
    }
}
