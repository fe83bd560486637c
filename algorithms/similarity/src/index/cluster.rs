//! Groups of digests that are linked by pairs.

/// A partition of places into groups: two places are in one group if a chain of pairs leads from
/// one to the other.
#[derive(Clone, Debug)]
pub struct Clusters {
    /// A place's parent; a root is its own.
    parents: Vec<u32>,
}

impl Clusters {
    /// Each of `count` places in a group by itself.
    pub fn new(count: u32) -> Clusters {
        Clusters { parents: (0..count).collect() }
    }

    /// Puts the groups of two places together.
    ///
    /// # Panics
    /// If one of them is not below the count.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        // The smaller place leads, so that the outcome does not depend on the order of the pairs.
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// The place that stands for a place's group.
    pub(super) fn root(&mut self, mut place: u32) -> u32 {
        while self.parents[place as usize] != place {
            // Halving the path keeps later walks short.
            let parent = self.parents[place as usize];
            self.parents[place as usize] = self.parents[parent as usize];
            place = parent;
        }
        place
    }

    /// The groups of two or more, largest first, then by their smallest place; the places of each
    /// ascend.
    pub fn groups(mut self) -> Vec<Vec<u32>> {
        let count = self.parents.len() as u32;
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
        for place in 0..count {
            let root = self.root(place);
            groups[root as usize].push(place);
        }
        groups.retain(|group| group.len() > 1);
        groups.sort_by(|a, b| b.len().cmp(&a.len()).then(a[0].cmp(&b[0])));
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_groups_in_any_order() {
        let pairs = [(5, 1), (1, 7), (2, 3), (8, 9), (9, 7)];
        let mut forth = Clusters::new(10);
        pairs.iter().for_each(|&(a, b)| forth.join(a, b));
        let mut back = Clusters::new(10);
        pairs.iter().rev().for_each(|&(a, b)| back.join(b, a));
        let groups = forth.groups();
        assert_eq!(groups, [vec![1, 5, 7, 8, 9], vec![2, 3]]);
        assert_eq!(back.groups(), groups);
    }
}
