//! Proofs of ranges: the shown bytes are in the file, and nothing else is shown.

use pfh_tree::outboard::{Builder, Function, Outboard, Parameters};
use pfh_tree::range::{NoRange, RangeProof};
use proptest::prelude::*;

fn noise(length: usize) -> Vec<u8> {
    (0..length as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

fn build(function: Function, leaf: usize, data: &[u8]) -> Outboard {
    let mut builder = Builder::new(Parameters::new(function, leaf).unwrap());
    builder.update(data);
    builder.finish()
}

fn reader(data: &[u8]) -> impl FnMut(std::ops::Range<u64>) -> std::io::Result<Vec<u8>> {
    |range| Ok(data.get(range.start as usize..range.end as usize).unwrap_or(&[]).to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn any_range_is_shown_and_no_changed_proof(
        function in prop::sample::select(Function::ALL.to_vec()),
        log in 10u32..16,
        length in 1usize..200_000,
        from in 0.0..1.0f64,
        share in 0.0..1.0f64,
        bit: prop::sample::Index,
    ) {
        let data = noise(length);
        let tree = build(function, 1 << log, &data);
        let start = ((length as f64 * from) as usize).min(length - 1);
        let end = start + 1 + ((length - start - 1) as f64 * share) as usize;
        let proof = RangeProof::new(&tree, start as u64..end as u64, &mut reader(&data)).unwrap();
        let bytes = proof.encode();
        let read = RangeProof::decode(&bytes).unwrap();
        let shown = read.verify(tree.root()).unwrap();
        prop_assert_eq!(shown.bytes, &data[start..end]);
        prop_assert_eq!((shown.range, shown.length), (start as u64..end as u64, length as u64));
        // One changed bit, a cut and an addition.
        let mut forged = bytes.clone();
        let at = bit.index(8 * bytes.len());
        forged[at / 8] ^= 1 << (at % 8);
        if let Ok(forged) = RangeProof::decode(&forged)
            && let Ok(shown) = forged.verify(tree.root())
        {
            // The bounds of the range may be moved within the leaves that are there: the shown
            // bytes are true all the same.
            let place = shown.range.start as usize..shown.range.end as usize;
            prop_assert_eq!(shown.bytes, &data[place]);
            prop_assert_eq!(shown.length, length as u64);
        }
        prop_assert!(RangeProof::decode(&bytes[..bytes.len() - 1]).is_err());
        prop_assert!(RangeProof::decode(&[&bytes[..], b"x"].concat()).is_err());
        prop_assert!(proof.verify(&[1; 32]).is_err());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(proof) = RangeProof::decode(&[b"pfh rang\x01", &bytes[..]].concat()) {
            let _ = proof.verify(&[0; 32]);
        }
    }
}

#[test]
fn four_kibibytes_of_a_large_blake3_file_take_less_than_a_slice_of_bao() {
    let data = noise(64 << 20);
    let tree = build(Function::Blake3, 16384, &data);
    let proof = RangeProof::new(&tree, 12_345_678..12_349_774, &mut reader(&data)).unwrap();
    // Five chunks, the last one for the length, and the values beside two paths of 16 levels.
    assert!(proof.encode().len() < 7_200, "{} bytes", proof.encode().len());
}

#[test]
fn what_the_file_has_not_and_what_is_not_the_trees_is_not_proved() {
    let mut data = noise(100_000);
    for function in Function::ALL {
        let tree = build(function, 4096, &data);
        for range in [5..5, 100_000..100_001, 99_999..100_001] {
            assert!(matches!(RangeProof::new(&tree, range, &mut reader(&data)), Err(NoRange::Range)));
        }
        data[50_000] ^= 1;
        assert!(matches!(RangeProof::new(&tree, 49_999..50_001, &mut reader(&data)), Err(NoRange::Differs)));
        data[50_000] ^= 1;
    }
    // A header that claims a long file costs nothing.
    let mut proof = RangeProof::new(&build(Function::Blake3, 1024, &data), 0..10, &mut reader(&data)).unwrap().encode();
    proof[16..24].copy_from_slice(&(u64::MAX >> 1).to_le_bytes());
    assert!(RangeProof::decode(&proof).is_ok_and(|proof| proof.verify(&[0; 32]).is_err()));
}
