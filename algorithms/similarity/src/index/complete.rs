//! Groups whose members are all alike: complete linkage (Sørensen 1948, Defays 1977) over the
//! pairs that reach a threshold.

use super::{Clusters, Pairs};
use crate::Score;
use std::collections::HashMap;

/// Makes groups of pairs that come in the order of their scores, the closest first: two groups
/// become one with the pair after which each member of one is alike to each member of the other.
/// Holds some seventy bytes for each pair.
#[derive(Clone, Debug)]
pub struct Complete {
    pairs: Pairs,
    clusters: Clusters,
    /// By the place that stands for a group: its members in the first set and in the second.
    sizes: Vec<[u64; 2]>,
    /// By the place that stands for a group: the pairs that lead to other groups.
    links: Vec<HashMap<u32, u64>>,
    /// By the place that stands for a group: the earlier group that it was, or none.
    earlier: Vec<Option<u64>>,
    taken: Vec<(u32, u32, Score)>,
}

/// Places that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedPlaces {
    /// The earlier group that this one was.
    pub earlier: Option<u64>,
    /// The places, ascending.
    pub places: Vec<u32>,
    /// The score of its two members that are the least alike; none if there are two that do not
    /// reach the threshold, as only an earlier group may have.
    pub weakest: Option<Score>,
    /// The member that is most like all others.
    pub representative: u32,
}

impl Complete {
    /// Each of `count` places in a group by itself. `pairs` says which places are compared.
    pub fn new(count: u32, pairs: Pairs) -> Complete {
        let side = |place: u32| match pairs {
            Pairs::Across(split) if place >= split => [0, 1],
            _ => [1, 0],
        };
        Complete {
            pairs,
            clusters: Clusters::new(count),
            sizes: (0..count).map(side).collect(),
            links: vec![HashMap::new(); count as usize],
            earlier: vec![None; count as usize],
            taken: Vec::new(),
        }
    }

    /// Puts places into one group that an earlier run made. Comes before all pairs; earlier groups
    /// stay apart from each other.
    pub fn keep(&mut self, number: u64, places: &[u32]) {
        for pair in places.windows(2) {
            let [a, b] = [self.clusters.root(pair[0]), self.clusters.root(pair[1])];
            if a != b {
                self.put(a, b);
            }
        }
        if let Some(place) = places.first() {
            let root = self.clusters.root(*place);
            self.earlier[root as usize] = Some(number);
        }
    }

    /// Takes a pair that is as alike as those before it or less.
    pub fn take(&mut self, a: u32, b: u32, score: Score) {
        self.taken.push((a, b, score));
        let [a, b] = [a, b].map(|place| self.clusters.root(place));
        if a == b {
            return;
        }
        let links = self.links[a as usize].entry(b).or_default();
        *links += 1;
        let links = *links;
        self.links[b as usize].insert(a, links);
        let whole = links == self.compared(a, b);
        let apart = self.earlier[a as usize].is_some() && self.earlier[b as usize].is_some();
        if whole && !apart {
            self.put(a, b);
        }
    }

    /// Pairs between two groups.
    fn compared(&self, a: u32, b: u32) -> u64 {
        let ([a, a2], [b, b2]) = (self.sizes[a as usize], self.sizes[b as usize]);
        match self.pairs {
            Pairs::All => (a + a2) * (b + b2),
            Pairs::Across(_) => a * b2 + a2 * b,
        }
    }

    /// Makes one of two groups.
    fn put(&mut self, a: u32, b: u32) {
        let ([mut more, mut fewer], root) = ([a, b].map(|of| std::mem::take(&mut self.links[of as usize])), a.min(b));
        let gone = if fewer.len() > more.len() {
            std::mem::swap(&mut more, &mut fewer);
            [b, a]
        } else {
            [a, b]
        };
        // The larger one keeps its name among its neighbours if it is the one that stands for both.
        more.remove(&gone[1]);
        fewer.remove(&gone[0]);
        for (other, count) in fewer {
            *more.entry(other).or_default() += count;
            self.links[other as usize].remove(&gone[1]);
            self.links[other as usize].insert(gone[0], more[&other]);
        }
        if gone[0] != root {
            for (other, count) in &more {
                self.links[*other as usize].remove(&gone[0]);
                self.links[*other as usize].insert(root, *count);
            }
        }
        self.links[root as usize] = more;
        self.sizes[root as usize] = [0, 1].map(|side| self.sizes[a as usize][side] + self.sizes[b as usize][side]);
        self.earlier[root as usize] = self.earlier[a as usize].or(self.earlier[b as usize]);
        self.clusters.join(a, b);
    }

    /// Earlier groups in the order of their numbers, then those of two or more, the largest first,
    /// then by their smallest place.
    pub fn groups(mut self) -> Vec<LinkedPlaces> {
        let count = self.sizes.len() as u32;
        let mut found: HashMap<u32, (u64, Option<Score>)> = HashMap::new();
        let mut closeness = vec![0u64; count as usize];
        for (a, b, score) in std::mem::take(&mut self.taken) {
            let root = self.clusters.root(a);
            if root != self.clusters.root(b) {
                continue;
            }
            // The last one is the weakest.
            let of = found.entry(root).or_default();
            *of = (of.0 + 1, Some(score));
            [a, b].iter().for_each(|place| closeness[*place as usize] += near(score));
        }
        let (mut clusters, pairs) = (self.clusters.clone(), self.pairs);
        let alone = |place: &u32| self.sizes[*place as usize].iter().sum::<u64>() == 1;
        let lonely: Vec<Vec<u32>> = (0..count)
            .filter(|&place| clusters.root(place) == place && self.earlier[place as usize].is_some())
            .filter(alone)
            .map(|place| vec![place])
            .collect();
        let mut groups: Vec<LinkedPlaces> = self
            .clusters
            .groups()
            .into_iter()
            .chain(lonely)
            .map(|places| {
                let root = clusters.root(places[0]);
                let [first, second] = self.sizes[root as usize];
                let all = match pairs {
                    Pairs::All => (first + second) * (first + second - 1) / 2,
                    Pairs::Across(_) => first * second,
                };
                let (links, weakest) = found.get(&root).copied().unwrap_or_default();
                let representative =
                    places.iter().max_by_key(|place| (closeness[**place as usize], std::cmp::Reverse(**place)));
                LinkedPlaces {
                    earlier: self.earlier[root as usize],
                    weakest: weakest.filter(|_| links == all),
                    representative: representative.copied().unwrap_or(root),
                    places,
                }
            })
            .collect();
        groups.sort_by_key(|group| group.earlier.unwrap_or(u64::MAX));
        groups
    }
}

/// How near a score is, with distances among similarities.
fn near(score: Score) -> u64 {
    match score {
        Score::Similarity(score) => u64::from(score),
        Score::Distance(distance) => 1000 - u64::from(distance.min(1000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: u32, pairs: Pairs, scored: &[(u32, u32, u8)]) -> Vec<LinkedPlaces> {
        let mut complete = Complete::new(count, pairs);
        scored.iter().for_each(|&(a, b, score)| complete.take(a, b, Score::Similarity(score)));
        complete.groups()
    }

    #[test]
    fn a_chain_is_no_group() {
        let chain: Vec<_> = (0..9).map(|at| (at, at + 1, 90 - at as u8)).collect();
        let groups = of(10, Pairs::All, &chain);
        let expected = [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]];
        assert_eq!(groups.iter().map(|group| &group.places[..]).collect::<Vec<_>>(), expected);
        let full = of(4, Pairs::All, &[(0, 1, 90), (2, 3, 80), (1, 2, 70), (1, 3, 60), (0, 2, 50), (0, 3, 40)]);
        assert_eq!((&full[0].places[..], full[0].weakest), (&[0, 1, 2, 3][..], Some(Score::Similarity(40))));
        assert_eq!(full[0].representative, 1);
    }

    #[test]
    fn two_sets_are_compared_with_each_other_alone() {
        let groups = of(4, Pairs::Across(2), &[(0, 2, 90), (1, 2, 80), (0, 3, 70)]);
        assert_eq!(groups[0].places, [0, 1, 2]);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].weakest, Some(Score::Similarity(80)));
    }

    /// The same by looking at all groups for each pair, and earlier groups that grow.
    #[test]
    fn groups_are_those_of_a_plain_search() {
        let mut state = 5u64;
        let mut next = move |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        let mut several = 0;
        for round in 0..60 {
            let count = 3 + next(25) as u32;
            let split = next(u64::from(count)) as u32;
            let pairs = if round % 3 == 0 { Pairs::Across(split) } else { Pairs::All };
            let mut scored = Vec::new();
            for a in 0..count {
                for b in a + 1..count {
                    if pairs.include(a, b) && next(10) < 8 {
                        scored.push((next(101) as u8, a, b));
                    }
                }
            }
            scored.sort_by_key(|(score, a, b)| (std::cmp::Reverse(*score), *a, *b));
            let seed: Vec<u32> = if round % 2 == 0 { vec![0, 2] } else { Vec::new() };
            let (mut plain, mut kept): (Vec<Vec<u32>>, _) =
                ((0..count).map(|at| vec![at]).collect(), Complete::new(count, pairs));
            if let [a, b] = seed[..] {
                plain.retain(|group| !seed.contains(&group[0]));
                plain.push(vec![a, b]);
                kept.keep(7, &seed);
            }
            for (at, &(score, a, b)) in scored.iter().enumerate() {
                kept.take(a, b, Score::Similarity(score));
                let place = |plain: &[Vec<u32>], of: u32| plain.iter().position(|group| group.contains(&of)).unwrap();
                let (x, y) = (place(&plain, a), place(&plain, b));
                let seen = |a: u32, b: u32| scored[..=at].iter().any(|&(_, c, d)| (c, d) == (a.min(b), a.max(b)));
                let alike = plain[x]
                    .iter()
                    .all(|a| plain[y].iter().all(|b| !pairs.include(*a.min(b), *a.max(b)) || seen(*a, *b)));
                if x != y && alike {
                    let moved = std::mem::take(&mut plain[y]);
                    plain[x].extend(moved);
                }
            }
            plain.iter_mut().for_each(|group| group.sort_unstable());
            plain.retain(|group| group.len() > 1);
            plain.sort_by_key(|group| {
                (!(seed.len() == 2 && group.starts_with(&[0])), std::cmp::Reverse(group.len()), group[0])
            });
            let groups = kept.groups();
            assert_eq!(groups.iter().map(|group| group.places.clone()).collect::<Vec<_>>(), plain, "{round}");
            several += groups.iter().filter(|group| group.places.len() > 2).count();
            for group in &groups {
                assert_eq!(group.earlier.is_some(), seed.len() == 2 && group.places.contains(&0));
                let of = |&&(_, a, b): &&(u8, u32, u32)| group.places.contains(&a) && group.places.contains(&b);
                let within: Vec<_> = scored.iter().filter(of).collect();
                let worst = within.last().map(|(score, ..)| Score::Similarity(*score));
                assert_eq!(group.weakest, if group.earlier.is_some() { group.weakest } else { worst });
                let sum = |of: u32| {
                    within
                        .iter()
                        .filter(|(_, a, b)| *a == of || *b == of)
                        .map(|(score, ..)| u32::from(*score))
                        .sum::<u32>()
                };
                assert!(group.places.iter().all(|place| sum(*place) <= sum(group.representative)));
            }
        }
        assert!(several > 60, "{several}");
    }
}
