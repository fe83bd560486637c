//! Power cuts: unsynced data are lost or not, sector by sector, in any order.

use super::*;
use pfh_tree::outboard::{Builder, Function, Header, Key, Parameters, Values};

/// Bytes that reach a disk together or not at all.
const SECTOR: usize = 512;

/// A generator that is the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// The bytes on the disk, and those given to the system beyond that.
struct Disk {
    tree: Vec<u8>,
    tree_later: Vec<(u64, Vec<u8>)>,
    journal: Option<Vec<u8>>,
    /// Whether the name of the journal is on the disk; if not, it may be.
    named: bool,
    journal_later: Vec<u8>,
    removed: bool,
}

impl Disk {
    fn take(&mut self, step: &Step) {
        match step {
            Step::Record(bytes) => {
                self.journal = Some(Vec::new());
                self.journal_later = bytes.clone();
            }
            Step::SyncRecord => self.journal = Some(std::mem::take(&mut self.journal_later)),
            Step::SyncDirectory => self.named = true,
            Step::Write(offset, bytes) => self.tree_later.push((*offset, bytes.clone())),
            Step::SyncTree => {
                for (offset, bytes) in self.tree_later.drain(..) {
                    self.tree[offset as usize..offset as usize + bytes.len()].copy_from_slice(&bytes);
                }
            }
            Step::Forget => self.removed = true,
        }
    }

    /// The power fails: each unsynced sector is there or not.
    fn cut(&self, dice: &mut Dice) -> (Vec<u8>, Option<Vec<u8>>) {
        let mut tree = self.tree.clone();
        for (offset, bytes) in &self.tree_later {
            for (at, byte) in (*offset as usize..).zip(bytes) {
                // The same for all bytes of a sector.
                let mut sector = Dice(dice.0 ^ ((at / SECTOR) as u64 * 0x9e37_79b9));
                if sector.roll(1000) < 500 {
                    tree[at] = *byte;
                }
            }
        }
        let gone = !self.named && dice.roll(2) == 0 || self.removed && dice.roll(2) == 0;
        let journal = self.journal.clone().filter(|_| !gone).map(|mut journal| {
            // The length may have come before the bytes.
            let length = if dice.roll(2) == 0 { self.journal_later.len() } else { journal.len() };
            journal.resize(length.max(journal.len()), 0);
            for (at, byte) in self.journal_later.iter().enumerate() {
                let mut sector = Dice(dice.0 ^ ((at / SECTOR) as u64 * 0x51_7cc1));
                if at < journal.len() && sector.roll(1000) < 500 {
                    journal[at] = *byte;
                }
            }
            journal
        });
        (tree, journal)
    }
}

#[test]
fn a_power_cut_leaves_the_old_tree_or_the_new_one() {
    let mut dice = Dice(1);
    let (mut old_seen, mut new_seen, mut redone) = (0, 0, 0);
    for round in 0..400 {
        let functions = [&Function::ALL[..], &Function::KEYED].concat();
        let function = functions[round % functions.len()];
        let key = function.is_keyed().then(|| Key::new(&[7; 32]));
        let parameters = Parameters::under(function, 1024, key).unwrap().unwrap();
        let leaves = 1 + dice.roll(300) as usize;
        let mut data: Vec<u8> = (0..leaves * 1024).map(|i| (i * 31 + round) as u8).collect();
        let build = |data: &[u8]| {
            let mut builder = Builder::new(parameters);
            builder.update(data);
            builder.finish()
        };
        let before = build(&data);
        let mut changed: Vec<u64> = (0..1 + dice.roll(4)).map(|_| dice.roll(leaves as u64)).collect();
        changed.sort_unstable();
        changed.dedup();
        changed.iter().for_each(|leaf| data[*leaf as usize * 1024] ^= 1);
        let after = build(&data);
        let (old, new) = (before.encode(), after.encode());
        let values: Vec<_> = changed.iter().map(|&leaf| (leaf, after.value(0, leaf).unwrap())).collect();
        let read = |offset: u64, buffer: &mut [u8]| {
            buffer.copy_from_slice(&old[offset as usize..offset as usize + buffer.len()]);
            Ok(())
        };
        let paged = PagedTree::open(old.len() as u64, None, Box::new(read)).unwrap().unlock(key).unwrap();
        let change = paged.change(&values).unwrap();
        let steps = steps(&change.journal());
        for cut in 0..=steps.len() {
            let mut disk = Disk {
                tree: old.clone(),
                tree_later: vec![],
                journal: None,
                named: false,
                journal_later: vec![],
                removed: false,
            };
            steps[..cut].iter().for_each(|step| disk.take(step));
            for _ in 0..4 {
                let (mut tree, journal) = disk.cut(&mut dice);
                if let Some(journal) = &journal {
                    redone += usize::from(tree != new && tree != old);
                    redo(&mut tree, journal).unwrap();
                }
                assert!(tree == old || tree == new, "round {round}, cut after {cut} of {} steps", steps.len());
                // From the sync of the journal and its name on, the change has been made.
                assert!(cut < 3 || tree == new, "round {round}, cut after {cut}");
                old_seen += usize::from(tree == old);
                new_seen += usize::from(tree == new);
            }
        }
    }
    println!("{old_seen} cuts left the old tree, {new_seen} the new one, {redone} of them from a torn one");
    assert!(old_seen > 500 && new_seen > 5_000 && redone > 100, "{old_seen}, {new_seen}, {redone}");
}

#[test]
fn a_journal_of_another_state_is_passed_over() {
    let parameters = Parameters::new(Function::Blake3, 1024).unwrap();
    let build = |fill: u8| {
        let mut builder = Builder::new(parameters);
        builder.update(&vec![fill; 100_000]);
        builder.finish()
    };
    let (one, other) = (build(1).encode(), build(2).encode());
    let read = |offset: u64, buffer: &mut [u8]| {
        buffer.copy_from_slice(&one[offset as usize..offset as usize + buffer.len()]);
        Ok(())
    };
    let paged = PagedTree::open(one.len() as u64, None, Box::new(read)).unwrap();
    let journal = paged.change(&[(3, [7; 32])]).unwrap().journal().encode();
    let mut tree = other.clone();
    redo(&mut tree, &journal).unwrap();
    assert_eq!(tree, other);
    // Any changed bit of a journal makes it none.
    for bit in (0..8 * journal.len()).step_by(7) {
        let mut journal = journal.clone();
        journal[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(Journal::decode(&journal), None);
    }
    assert!(Journal::decode(&journal[..Header::BYTES]).is_none() && Journal::decode(&[]).is_none());
}
