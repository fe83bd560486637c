//! Files whose parts come in any order: the tree is that of the whole, and a receipt loses nothing.

use std::ops::Range;

use pfh_digest::{Alone, ROWS as PLAIN, Registry};
use pfh_tree::flat::{self, Shape};
use pfh_tree::outboard::{self, Function, Key, Parameters};
use pfh_tree::{Arrivals, Grown, NoTree, TreeKind, Unfit, WireError};
use proptest::prelude::*;

static ALL: Registry = Registry::new(&[&PLAIN, &pfh_tree::ROWS]);

const FLAT: [&str; 10] = [
    "kt128",
    "kt256",
    "parallelhash128,block=3000",
    "parallelhash256",
    "parallelhashxof128:20",
    "sakura-fng-128",
    "sakura-fng-256,block=1000,capacity=320",
    "sakura-li-128,leaves=3,block=168",
    "sakura-li-256",
    "sakura-li-128,leaves=1",
];

/// All kinds of trees: of pairs with and without a key, of two levels.
fn kinds() -> Vec<TreeKind> {
    let pairs = Function::ALL.map(|function| Parameters::new(function, 1024).unwrap());
    let key = Key::new(&[7; 32]);
    let keyed = Function::KEYED.map(|function| Parameters::under(function, 2048, Some(key)).unwrap().unwrap());
    let flat = FLAT.map(|name| TreeKind::Flat(Shape::of(ALL.find(name).unwrap()).unwrap()));
    pairs.into_iter().chain(keyed).map(TreeKind::Pairs).chain(flat).collect()
}

/// The tree by the other way: the file in one pass.
fn whole(kind: TreeKind, data: &[u8]) -> Grown {
    match kind {
        TreeKind::Pairs(parameters) => {
            let mut builder = outboard::Builder::new(parameters);
            builder.update(data);
            Grown::Pairs(builder.finish())
        }
        TreeKind::Flat(shape) => {
            let mut builder = flat::Builder::new(shape);
            builder.update_on(data, &Alone);
            Grown::Flat(builder.finish())
        }
    }
}

fn part<'a>(data: &'a [u8], range: &Range<u64>) -> &'a [u8] {
    &data[range.start as usize..range.end as usize]
}

/// Takes in a range as a stream does.
fn take(arrivals: &mut Arrivals, data: &[u8], range: Range<u64>) {
    let (kind, length) = (arrivals.kind(), data.len() as u64);
    for stretch in arrivals.claim(range).unwrap() {
        if stretch.came {
            continue;
        }
        let values = kind.values(length, stretch.range.start, part(data, &stretch.range), &Alone);
        for leaf in arrivals.place(stretch.range, values) {
            let range = arrivals.range(leaf);
            arrivals.settle(leaf, part(data, &range)).unwrap();
        }
    }
}

fn tree(arrivals: &Arrivals, data: &[u8]) -> Result<Grown, NoTree<()>> {
    let read = &mut |range: Range<u64>, bytes: &mut Vec<u8>| {
        bytes.extend(part(data, &range));
        Ok(())
    };
    arrivals.tree(read, &Alone)
}

/// That the notes are those of the data.
fn assert_noted(arrivals: &Arrivals, data: &[u8]) {
    for range in arrivals.noted() {
        arrivals.compare(range.start, part(data, &range), &Alone).unwrap();
    }
}

fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any cuts, with overlaps, in any order, with a stop after any of them: the tree of the whole.
    #[test]
    fn any_order_gives_the_tree_of_the_whole(
        length in prop_oneof![0_usize..30_000, Just(1024), Just(8192), Just(8193), Just(16_384), Just(65_536), 60_000_usize..400_000],
        cuts in proptest::collection::vec((any::<u32>(), 0_u32..40_000), 0..12),
        order in any::<u64>(),
        stop in any::<usize>(),
    ) {
        let data = noise(length, order);
        let end = length as u64;
        for kind in kinds() {
            let mut starts: Vec<u64> = cuts.iter().map(|(at, _)| u64::from(*at) % (end + 1)).chain([0, end]).collect();
            starts.sort_unstable();
            let mut ranges: Vec<Range<u64>> = starts.windows(2).map(|cut| cut[0]..cut[1]).collect();
            // Some bytes come twice.
            ranges.extend(cuts.iter().map(|(at, more)| {
                let start = u64::from(at.rotate_left(7)) % (end + 1);
                start..end.min(start + u64::from(*more))
            }));
            let mut state = order;
            let mut arrivals = Arrivals::new(kind, end);
            let mut came = vec![false; length];
            let stop = stop % (ranges.len() + 1);
            for done in 0.. {
                if done == stop {
                    let receipt = arrivals.receipt();
                    prop_assert!(receipt.len() as u64 <= kind.longest_receipt(end));
                    arrivals = Arrivals::resume(kind, end, &receipt).unwrap();
                    prop_assert_eq!(arrivals.receipt(), receipt);
                    assert_noted(&arrivals, &data);
                }
                if ranges.is_empty() {
                    break;
                }
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let range = ranges.swap_remove((state >> 33) as usize % ranges.len());
                came[range.start as usize..range.end as usize].fill(true);
                take(&mut arrivals, &data, range);
                let missing: u64 = arrivals.missing().iter().map(|range| range.end - range.start).sum();
                prop_assert_eq!(missing, came.iter().filter(|came| !**came).count() as u64);
                prop_assert_eq!(arrivals.bytes() + missing, end);
            }
            prop_assert!(arrivals.is_complete() && arrivals.unsettled().is_empty());
            prop_assert_eq!(tree(&arrivals, &data), Ok(whole(kind, &data)), "{}, {} bytes", kind.name(), length);
        }
    }

    /// Any other byte of a receipt is noticed.
    #[test]
    fn a_receipt_with_any_wrong_bit_is_refused(at in any::<usize>(), bit in 0_u8..8, cut in any::<usize>()) {
        let data = noise(70_000, 3);
        for kind in kinds() {
            let mut arrivals = Arrivals::new(kind, 70_000);
            take(&mut arrivals, &data, 100..20_000);
            take(&mut arrivals, &data, 40_000..69_000);
            let receipt = arrivals.receipt();
            let mut wrong = receipt.clone();
            let at = at % wrong.len();
            wrong[at] ^= 1 << bit;
            prop_assert!(matches!(Arrivals::resume(kind, 70_000, &wrong), Err(Unfit::Malformed(_))));
            let cut = cut % receipt.len();
            prop_assert!(matches!(Arrivals::resume(kind, 70_000, &receipt[..cut]), Err(Unfit::Malformed(_))));
        }
    }
}

#[test]
fn a_receipt_of_another_file_or_tree_is_named() {
    let kinds = kinds();
    let receipt = Arrivals::new(kinds[0], 5000).receipt();
    assert_eq!(Arrivals::resume(kinds[0], 5001, &receipt).unwrap_err(), Unfit::Length(5000));
    for other in &kinds[1..] {
        assert_eq!(Arrivals::resume(*other, 5000, &receipt).unwrap_err(), Unfit::Tree("sha256".into(), 1024));
    }
    let other = Parameters::under(Function::HmacSha256, 2048, Some(Key::new(&[8; 32]))).unwrap().unwrap();
    let receipt = Arrivals::new(kinds[3], 5000).receipt();
    assert!(matches!(Arrivals::resume(TreeKind::Pairs(other), 5000, &receipt), Err(Unfit::Tree(..))));
    assert_eq!(Arrivals::resume(kinds[0], 5000, b"").unwrap_err(), Unfit::Malformed(WireError::Truncated));
}

/// Bytes that are not there any more give no value and no tree.
#[test]
fn altered_bytes_are_found_wherever_they_are_read_back() {
    let data = noise(100_000, 5);
    for kind in kinds() {
        let leaf = kind.leaf() as u64;
        let mut arrivals = Arrivals::new(kind, 100_000);
        let middle = leaf + leaf / 2;
        take(&mut arrivals, &data, 0..middle);
        let mut altered = data.clone();
        altered[middle as usize - 1] ^= 1;
        let noted = arrivals.noted().pop().unwrap();
        assert_eq!(arrivals.compare(noted.start, part(&altered, &noted), &Alone), Err(noted.start));
        // The rest of the leaf comes, and its front is another.
        let rest = middle..(2 * leaf).min(100_000);
        arrivals.claim(rest.clone()).unwrap();
        let values = kind.values(100_000, rest.start, part(&data, &rest), &Alone);
        assert_eq!(arrivals.place(rest, values), [1], "{}", kind.name());
        assert_eq!(arrivals.unsettled(), [1]);
        let range = arrivals.range(1);
        assert_eq!(arrivals.settle(1, part(&altered, &range)), Err(leaf), "{}", kind.name());
        arrivals.settle(1, part(&data, &range)).unwrap();
        take(&mut arrivals, &data, 0..100_000);
        if let TreeKind::Flat(_) = kind {
            // The tree itself holds the first leaf of KangarooTwelve, and the bytes behind the last
            // whole leaf.
            let last = (altered.len() - 1) / kind.leaf() * kind.leaf();
            altered[middle as usize - 1] ^= 1;
            altered[99_999] ^= 1;
            match tree(&arrivals, &altered) {
                Err(why) => assert_eq!(why, NoTree::Altered(last as u64), "{}", kind.name()),
                // All leaves were whole.
                Ok(found) => assert_eq!(found, whole(kind, &data), "{}", kind.name()),
            }
        }
        assert_eq!(tree(&arrivals, &data), Ok(whole(kind, &data)));
    }
}

/// Two streams with one range: the second waits, and then compares.
#[test]
fn a_claim_keeps_others_off_its_range_alone() {
    let mut arrivals = Arrivals::new(kinds()[0], 10_000);
    assert_eq!(arrivals.claim(100..5000).unwrap().len(), 1);
    assert!(arrivals.claim(0..101).is_none() && arrivals.claim(4999..6000).is_none());
    assert!(arrivals.claim(5000..6000).is_some());
    arrivals.release(&(100..5000));
    let stretches = arrivals.claim(0..5000).unwrap();
    assert_eq!((stretches.len(), stretches[0].range.clone(), stretches[0].came), (1, 0..5000, false));
}
