//! Files of nearly the same content count once where it is counted how many files hold something:
//! copies of a file make nothing in it common.
//!
//! Their windows are compared by MinHash (A. Broder, *On the resemblance and containment of
//! documents*, 1997), and only files that agree in a band are compared (P. Indyk & R. Motwani,
//! *Approximate nearest neighbors*, 1998).

/// Minima of a digest.
const MINIMA: usize = 16;
/// Those of a band: files of a family agree in one of the four.
const BAND: usize = 4;
/// Of its minima a digest agrees in this many with the first of its family: two with four fifths of
/// their windows in common mostly do.
const AGREE: usize = 12;

/// The least windows of a digest in the orders of sixteen hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sketch([u32; MINIMA]);

impl Sketch {
    /// Of all windows of a digest.
    pub fn of(windows: impl Iterator<Item = u64>) -> Sketch {
        let mut minima = [u32::MAX; MINIMA];
        for window in windows {
            for (number, least) in (1u64..).zip(&mut minima) {
                let hash = (window ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                *least = (*least).min(((hash ^ hash >> 32).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32) as u32);
            }
        }
        Sketch(minima)
    }

    fn agrees(&self, other: &Sketch) -> bool {
        self.0.iter().zip(&other.0).filter(|(own, other)| own == other).count() >= AGREE
    }
}

/// By the place of a digest: the number of its family.
pub fn families(sketches: &[Sketch]) -> Vec<u32> {
    // Fits: there are at most 2^31 digests.
    let mut first: Vec<u32> = (0..sketches.len() as u32).collect();
    for band in (0..MINIMA).step_by(BAND) {
        let key = |place: &u32| &sketches[*place as usize].0[band..band + BAND];
        let mut places: Vec<u32> = (0..sketches.len() as u32).collect();
        places.sort_unstable_by(|a, b| key(a).cmp(key(b)).then(a.cmp(b)));
        for group in places.chunk_by(|a, b| key(a) == key(b)) {
            for &place in &group[1..] {
                if sketches[group[0] as usize].agrees(&sketches[place as usize]) {
                    let [a, b] = [group[0], place].map(|place| root(&mut first, place));
                    first[a.max(b) as usize] = a.min(b);
                }
            }
        }
    }
    (0..sketches.len() as u32).map(|place| root(&mut first, place)).collect()
}

/// The first of a family, to which the way becomes shorter.
fn root(first: &mut [u32], place: u32) -> u32 {
    let mut place = place as usize;
    while first[place] as usize != place {
        first[place] = first[first[place] as usize];
        place = first[place] as usize;
    }
    place as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies with a tenth of other windows are of one family; those that share half are not.
    #[test]
    fn copies_are_of_one_family() {
        let window = |of: u64, at: u64| {
            let hash = (of << 32 | at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (hash ^ hash >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        };
        let mixed = |of: u64, other: u64, share: u64| {
            Sketch::of((0..1_000).map(|at| window(if at * 100 < share * 1_000 { other } else { of }, at)))
        };
        let mut sketches = Vec::new();
        for of in 0..50 {
            // The file, nine copies of it, nine files that have the half of it.
            sketches.push(mixed(of, 0, 0));
            sketches.extend((0..9).map(|copy| mixed(of, 1_000 + 10 * of + copy, 4)));
            sketches.extend((0..9).map(|half| mixed(of, 9_000 + 10 * of + half, 50)));
        }
        let found = families(&sketches);
        let copies: usize =
            (0..50 * 19).filter(|at| (1..10).contains(&(at % 19)) && found[*at] == found[at - at % 19]).count();
        let halves = (0..50 * 19).filter(|at| at % 19 > 9 && found[*at] == found[at - at % 19]).count();
        assert!(copies >= 445 && halves <= 2, "{copies} {halves}");
        let kept: std::collections::BTreeSet<u32> = (0..50).map(|of| found[of * 19]).collect();
        assert_eq!(kept.len(), 50);
    }
}
