//! Who is faster, as far as the measurements can tell.

use super::quantile;

/// The place of one contestant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// Its index in the input.
    pub contestant: usize,
    /// The best place that it takes in the middle 95 % of the draws; 1 is the fastest.
    pub best: usize,
    /// The worst place that it takes there.
    pub worst: usize,
}

/// Ranks contestants by cost, the lowest first. Each is given as its cost and the costs of its
/// draws, the same number for all. Two whose places overlap are not distinguished by these
/// measurements.
pub fn rank(contestants: &[(f64, Vec<f64>)]) -> Vec<Rank> {
    let draws = contestants.iter().map(|(_, draws)| draws.len()).min().unwrap_or(0);
    let mut places = vec![Vec::with_capacity(draws); contestants.len()];
    for draw in 0..draws {
        for (i, place) in places.iter_mut().enumerate() {
            let mine = contestants[i].1[draw];
            place.push(1.0 + contestants.iter().filter(|(_, others)| others[draw] < mine).count() as f64);
        }
    }
    let mut order: Vec<usize> = (0..contestants.len()).collect();
    order.sort_by(|&i, &j| contestants[i].0.total_cmp(&contestants[j].0));
    order
        .into_iter()
        .map(|contestant| Rank {
            contestant,
            best: quantile(&places[contestant], 0.025).floor() as usize,
            worst: quantile(&places[contestant], 0.975).ceil() as usize,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_winners_have_one_place_and_equals_share_theirs() {
        let wobble =
            |base: f64, phase: usize| (0..100).map(|i| base + ((i * 37 + phase) % 100) as f64 / 100.0).collect();
        let ranks =
            rank(&[(5.5, wobble(5.0, 0)), (1.5, wobble(1.0, 11)), (5.6, wobble(5.1, 50)), (9.5, wobble(9.0, 3))]);
        assert_eq!(ranks.iter().map(|r| r.contestant).collect::<Vec<_>>(), [1, 0, 2, 3]);
        let places: Vec<_> = ranks.iter().map(|r| (r.best, r.worst)).collect();
        assert_eq!(places, [(1, 1), (2, 3), (2, 3), (4, 4)]);
    }

    #[test]
    fn nobody() {
        assert_eq!(rank(&[]), []);
    }
}
