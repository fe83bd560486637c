//! Files into units.

use std::collections::BTreeMap;

/// Packs files of these sizes into units of at most `bytes` and `files`: the largest first, each
/// into the fullest unit that has room (best fit, decreasing). A larger file is a unit of
/// its own. Gives the unit of each file, from 0, and the number of units; the same for the same
/// sizes.
pub fn pack(sizes: &[u64], bytes: u64, files: u64) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(sizes[at]), at));
    let mut places = vec![0; sizes.len()];
    // Units with room: by free bytes and number, with the files in them.
    let mut open: BTreeMap<(u64, usize), u64> = BTreeMap::new();
    let mut units = 0;
    for at in order {
        let size = sizes[at];
        let found = open.range((size, 0)..).next().map(|(&key, &count)| (key, count));
        let ((free, unit), count) = match found {
            Some((key, count)) => {
                open.remove(&key);
                (key, count)
            }
            None => {
                units += 1;
                ((bytes, units - 1), 0)
            }
        };
        places[at] = unit;
        // A file that is larger than a unit leaves no room beside it.
        // Empty files fit into full units.
        if let Some(left) = free.checked_sub(size)
            && count + 1 < files
        {
            open.insert((left, unit), count + 1);
        }
    }
    (places, units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_full_and_huge_files_alone() {
        let sizes = [3, 100, 7, 0, 5, 5, 10, 2, 8];
        let (places, units) = pack(&sizes, 10, 100);
        let mut sums = vec![0; units];
        places.iter().zip(sizes).for_each(|(&unit, size)| sums[unit] += size);
        assert_eq!(sums, [100, 10, 10, 10, 10]);
        assert_eq!(places.iter().filter(|&&unit| unit == places[1]).count(), 1, "the huge file is alone");
        assert_eq!(pack(&sizes, 10, 100), (places, units));
    }

    #[test]
    fn a_unit_has_a_bounded_number_of_files() {
        let (places, units) = pack(&[0; 10], 1, 4);
        assert_eq!(units, 3);
        assert!((0..3).all(|unit| places.iter().filter(|&&place| place == unit).count() <= 4));
        assert_eq!(pack(&[], 1, 1), (vec![], 0));
    }
}
