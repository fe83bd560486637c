//! A model of a rotating disk: the cost of a read by the place of the head.

use std::time::Duration;

/// A disk with one head. A read that begins where the last one ended costs its transfer; any other
/// one a seek and half a turn as well. The same reads cost the same in every run.
#[derive(Debug, Clone)]
pub struct Spindle {
    /// Bytes per second that pass under the head.
    rate: f64,
    /// Seconds of half a turn.
    half_turn: f64,
    /// Seconds of the shortest seek.
    shortest: f64,
    /// Seconds that a seek over the whole disk takes beyond that.
    stroke: f64,
    /// Bytes of the disk.
    size: u64,
    /// Where the head is.
    head: u64,
}

/// The mean of the root of the distance between two places, each anywhere on a disk of length 1.
const MEAN_ROOT: f64 = 8.0 / 15.0;
/// Seconds of a seek to the next track.
const SHORTEST: f64 = 0.001;

impl Spindle {
    /// A disk of that many bytes with 7,200 turns a minute, 8.5 ms for the average seek and 120
    /// MB/s: the figure that Breitinger & Petrov quote for a hard disk of their time. The seek
    /// grows with the root of the distance.
    pub fn new(size: u64) -> Spindle {
        Spindle::with(size, 7200.0, 0.0085, 120e6)
    }

    /// A disk with that many turns a minute, seconds of an average seek and bytes per second.
    pub fn with(size: u64, turns: f64, seek: f64, rate: f64) -> Spindle {
        let stroke = (seek - SHORTEST).max(0.0) / MEAN_ROOT;
        Spindle { rate, half_turn: 30.0 / turns, shortest: SHORTEST, stroke, size: size.max(1), head: 0 }
    }

    /// The cost of reading `length` bytes at `place` from the position of the head; moves it behind
    /// them.
    pub fn charge(&mut self, place: u64, length: u64) -> Duration {
        let transfer = length as f64 / self.rate;
        let distance = place.abs_diff(self.head);
        let mut cost = transfer;
        if distance > 0 {
            let seek =
                self.shortest + self.stroke * (distance as f64 / self.size as f64).min(1.0).sqrt() + self.half_turn;
            // A short way forward is read through.
            let through = if place > self.head { distance as f64 / self.rate } else { f64::MAX };
            cost += seek.min(through);
        }
        self.head = place + length;
        Duration::from_secs_f64(cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_seek_and_the_rate_are_those_of_the_model() {
        let size = 250_000_000_000;
        let mut disk = Spindle::new(size);
        let mut state = 1_u64;
        let mut place = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 20) % size
        };
        let spent: Duration = (0..20_000).map(|_| disk.charge(place(), 0)).sum();
        let average = spent.as_secs_f64() / 20_000.0 * 1e3;
        // Half a turn of 7,200 a minute is 4.17 ms.
        assert!((average - 8.5 - 4.17).abs() < 0.15, "{average}");
        let mut disk = Spindle::new(size);
        let sequential: Duration = (0..1000).map(|n| disk.charge(n * 120_000, 120_000)).sum();
        assert!((sequential.as_secs_f64() - 1.0).abs() < 1e-6, "{sequential:?}");
    }

    #[test]
    fn two_files_in_turns_cost_more_than_one_behind_the_other() {
        let cost = |turns: bool| {
            let mut disk = Spindle::new(1 << 40);
            let piece = 128 << 10;
            let places = (0..32_u64).map(|n| {
                let (file, at) = if turns { (n % 2, n / 2) } else { (n / 16, n % 16) };
                file * (1 << 38) + at * piece
            });
            places.map(|place| disk.charge(place, piece)).sum::<Duration>()
        };
        assert!(cost(true) > cost(false) * 5, "{:?} {:?}", cost(true), cost(false));
        assert_eq!(cost(true), cost(true));
    }
}
