//! Shadow copies that are made here, byte for byte.

use std::sync::Arc;

use super::block::BLOCK;
use super::{Copies, Copy};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;

#[path = "../../tests/volume/vss/maker.rs"]
mod maker;

use maker::{Block, copy, differences, shadow};

/// Where the stores begin, and how long a volume is.
const AREA: u64 = 40 * BLOCK;
const SIZE: u64 = 200 * BLOCK;

/// A state of a volume: each block in front of the stores has its number and the state's.
fn state(number: u8, written: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; SIZE as usize];
    for block in 0..AREA / BLOCK {
        bytes[(block * BLOCK) as usize..][..BLOCK as usize].fill(block as u8);
    }
    for block in written {
        bytes[(block * BLOCK) as usize..][..BLOCK as usize].fill(0x80 | number);
    }
    bytes
}

fn read(copy: &Copy) -> Result<Vec<u8>, Failure> {
    let view = copy.view()?;
    let mut bytes = vec![0; view.size() as usize];
    view.read_exact_at(0, &mut bytes).unwrap();
    Ok(bytes)
}

fn copies(volume: Vec<u8>) -> Copies {
    Copies::of(&(Arc::new(volume) as Arc<dyn Bytes>))
}

/// Whether the blocks of a copy in front of the stores are those of a state, the header aside.
fn is_state(copy: &Copy, state: &[u8]) -> bool {
    let found = read(copy).unwrap();
    found[..0x1e00] == state[..0x1e00] && found[0x2000..AREA as usize] == state[0x2000..AREA as usize]
}

#[test]
fn each_copy_is_the_state_that_it_was_made_of() {
    let states = [state(0, &[]), state(1, &[3, 4, 39]), state(2, &[4, 5, 6]), state(3, &[0, 7])];
    let mut live = states[3].clone();
    let kept: Vec<_> = (0..3).map(|at| copy(at as u8 + 1, differences(&states[at], &states[at + 1], AREA))).collect();
    shadow(&mut live, AREA, &kept);
    let found = copies(live);
    assert_eq!((found.members.len(), &found.failed[..], &found.warnings[..]), (3, &[][..], &[][..]));
    for (at, member) in found.members.iter().enumerate() {
        assert_eq!((member.number, member.size), (at as u32 + 1, SIZE));
        assert_eq!(member.id, format!("{}", pfh_bytes::field::guid([at as u8 + 1; 16])));
        assert!(is_state(member, &states[at]), "copy {}", at + 1);
    }
    assert!(found.members[0].created < found.members[2].created && found.members[0].created.is_some());
}

#[test]
fn moved_blocks_overlays_and_free_ones() {
    let mut live = state(1, &[10, 11]);
    let older = vec![0x77; BLOCK as usize];
    let list = vec![
        // 20 holds today the bytes that 8 had.
        Block::Forward { of: 8, to: 20 },
        // 9 went to 10, which was kept before it was written over.
        Block::Forward { of: 9, to: 10 },
        Block::Kept { of: 10, bytes: older.clone() },
        Block::Kept { of: 12, bytes: older.clone() },
        Block::Overlay { of: 12, bytes: vec![0x55; BLOCK as usize], sectors: 0x8000_0001 },
        Block::Overlay { of: 13, bytes: vec![0x44; BLOCK as usize], sectors: 2 },
        Block::Unused { of: 14 },
    ];
    let mut last = copy(2, list);
    // 15 was free; 16 too, but not in the store before; 20 was, and is where 8 went.
    last.free = vec![15, 16, 20];
    last.free_before = Some(vec![15, 20]);
    let first = copy(1, vec![Block::Forward { of: 2, to: 8 }]);
    shadow(&mut live, AREA, &[first, last]);
    let found = copies(live);
    let [first, last] = [0, 1].map(|at| read(&found.members[at]).unwrap());
    let block = |bytes: &[u8], number: u64| bytes[(number * BLOCK) as usize..][..BLOCK as usize].to_vec();
    let all = |byte: u8| vec![byte; BLOCK as usize];
    assert_eq!((block(&last, 8), block(&last, 9)), (all(20), older.clone()));
    let mut over = older.clone();
    over[..512].fill(0x55);
    over[BLOCK as usize - 512..].fill(0x55);
    assert_eq!(block(&last, 12), over);
    let mut over = all(13);
    over[512..1024].fill(0x44);
    assert_eq!(block(&last, 13), over);
    assert_eq!((block(&last, 14), block(&last, 15), block(&last, 16)), (all(14), all(0), all(16)));
    assert_eq!(block(&last, 20), all(20));
    // Overlays of a copy do not count for the copies before it.
    assert_eq!((block(&first, 12), block(&first, 13), block(&first, 2)), (older, all(13), all(20)));
    assert_eq!(block(&first, 15), all(15));
}

/// The failures of copies that cannot be read.
fn failures(found: &Copies) -> Vec<String> {
    let opened = found.members.iter().filter_map(|copy| copy.view().err());
    found.failed.iter().cloned().chain(opened).map(|failed| failed.to_string()).collect()
}

#[test]
fn contradictions_are_named_with_their_places() {
    let mut whole = state(1, &[3]);
    let kept = [copy(1, differences(&state(0, &[]), &state(1, &[3]), AREA)), copy(2, Vec::new())];
    shadow(&mut whole, AREA, &kept);
    let at = |place: usize| u64::from_le_bytes(whole[place..place + 8].try_into().unwrap());
    let catalogue = at(0x1e30) as usize;
    // The entries: store and copy of 2, then of 1.
    let (store, list, map) = (at(catalogue + 128 + 32), at(catalogue + 128 + 8), at(catalogue + 128 + 48));
    let changes: [(u64, u64, &str); 10] = [
        (0x1e10, 9, "a header of version 9"),
        (catalogue as u64, 0, "catalogue: without its mark"),
        (catalogue as u64 + 32, 7, "catalogue: its header says that it lies at 7"),
        (catalogue as u64 + 40, catalogue as u64, "catalogue: leads back"),
        (catalogue as u64 + 128, 8, "catalogue: an entry of the unknown kind 8"),
        (catalogue as u64 + 128 + 16, 5, "a store of a shadow copy that this catalogue does not have"),
        (list + 40, list, "list of blocks: leads back to a block that was read"),
        (list + 20, 6, "list of blocks: its header says that it is of kind 6"),
        (map + 16, 3, "map of a store: of the unknown version 3"),
        (store + 48, 1 << 40, "header of a store: 1099511627776 bytes"),
    ];
    for (place, value, cause) in changes {
        let mut volume = whole.clone();
        volume[place as usize..][..8].copy_from_slice(&value.to_le_bytes());
        let said = failures(&copies(volume));
        let named = |said: &String| said.contains(cause) && said.starts_with("offset ");
        assert!(said.iter().any(named), "{cause}: {said:?}");
    }
    // The older copy needs the newer one.
    let mut volume = whole.clone();
    volume[list as usize] = 0;
    let said = failures(&copies(volume));
    assert!(said.len() == 2 && said[0].contains("the later copy 2, which this one needs"), "{said:?}");
    // A descriptor of another kind than a block's, and numbers against the order of times.
    let first = at(catalogue + 384 + 8);
    let mut volume = whole.clone();
    volume[first as usize + 128] = 1;
    volume[catalogue + 256 + 48..][..8].fill(1);
    let found = copies(volume);
    assert!(failures(&found)[0].contains("is not that of a block"), "{:?}", failures(&found));
    assert_eq!(found.warnings.len(), 1);
}

#[test]
fn stores_on_another_volume_are_named() {
    let mut volume = state(0, &[]);
    shadow(&mut volume, AREA, &[copy(1, Vec::new())]);
    let catalogue = u64::from_le_bytes(volume[0x1e30..0x1e38].try_into().unwrap()) as usize;
    volume[catalogue + 128] = 1;
    assert_eq!(failures(&copies(volume.clone())).len(), 1);
    assert!(failures(&copies(volume.clone()))[0].contains("has no store for this copy"));
    volume[0x1e00 + 80] = 1;
    assert!(failures(&copies(volume))[0].contains("its store is on another volume"));
}
