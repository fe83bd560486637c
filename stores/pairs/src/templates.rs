//! The windows of templates that digests hold: no pair is found by them, and both have them.

use crate::sorter::Sorter;
use pfh_similarity::shared;
use std::collections::HashMap;
use std::io;

/// Which digest holds which windows, as they come.
pub struct WindowHolders(Sorter<u128>);

/// The same, for each digest. Files of one producer hold the same ones: a set is kept once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Templates {
    sets: Vec<Box<[u64]>>,
    /// By the place of a digest: its set, for those that hold any.
    of: HashMap<u32, u32>,
    /// How many windows two sets have in common, of those that were asked for.
    common: HashMap<(u32, u32), u64>,
}

impl WindowHolders {
    /// None yet. `memory`: bytes; the rest goes to a temporary file.
    pub fn new(memory: usize) -> WindowHolders {
        WindowHolders(Sorter::new(memory))
    }

    /// A digest holds a window.
    ///
    /// # Errors
    /// The temporary file's.
    pub fn push(&mut self, place: u32, window: u64) -> io::Result<()> {
        self.0.push(u128::from(place) << 64 | u128::from(window))
    }

    /// The sets of all.
    ///
    /// # Errors
    /// The temporary file's.
    pub fn into_templates(self) -> io::Result<Templates> {
        let (mut numbers, mut templates) = (HashMap::new(), Templates::default());
        let mut open: Option<(u32, Vec<u64>)> = None;
        let mut close = |open: Option<(u32, Vec<u64>)>| {
            let Some((place, set)) = open else { return };
            let next = numbers.len() as u32;
            let number = *numbers.entry(set.into_boxed_slice()).or_insert(next);
            templates.of.insert(place, number);
        };
        for held in self.0.sorted()? {
            let held = held?;
            let (place, window) = ((held >> 64) as u32, held as u64);
            match &mut open {
                Some((same, set)) if *same == place => set.push(window),
                _ => close(open.replace((place, vec![window]))),
            }
        }
        close(open);
        templates.sets = vec![Box::default(); numbers.len()];
        numbers.into_iter().for_each(|(set, number)| templates.sets[number as usize] = set);
        Ok(templates)
    }
}

impl Templates {
    /// How many windows of templates two digests have in common.
    pub fn common(&mut self, a: u32, b: u32) -> u64 {
        let (Some(&a), Some(&b)) = (self.of.get(&a), self.of.get(&b)) else { return 0 };
        let key = (a.min(b), a.max(b));
        let sets = &self.sets;
        *self.common.entry(key).or_insert_with(|| shared(&sets[a as usize], &sets[b as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_those_that_were_pushed() {
        for memory in [0, 1 << 20] {
            let mut held = WindowHolders::new(memory);
            let window = |place: u64, at: u64| at * (1 + place % 3);
            for (place, at) in (0..90).flat_map(|place| (0..200).map(move |at| (place, at))) {
                held.push(place as u32, window(place, at)).unwrap();
            }
            let mut templates = held.into_templates().unwrap();
            assert_eq!(templates.sets.len(), 3);
            assert_eq!(templates.common(3, 33), 200);
            // Multiples of one and two, of one and three, of two and three.
            assert_eq!([templates.common(0, 1), templates.common(2, 0), templates.common(1, 2)], [100, 67, 67]);
            assert_eq!(templates.common(0, 90), 0);
        }
    }
}
