//! Known blocks that lie side by side, as one fragment of a file.

use super::scan::Hit;
use pfh_known::{Block, BlockFile, COMMON, Error, Flag, KnownSet};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Blocks whose places are remembered at a time.
const REMEMBERED: usize = 4096;

/// A known file that a fragment may be of.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The position of the set file.
    pub known: usize,
    /// The file.
    pub file: Arc<BlockFile>,
    /// Where in it the fragment begins, in bytes.
    pub offset: u64,
}

/// Blocks side by side on the medium that lie side by side in a known file as well.
#[derive(Debug, Clone)]
pub struct Fragment {
    /// Where on the medium, in bytes.
    pub offset: u64,
    /// The size of its blocks in bytes.
    pub size: u32,
    /// How many blocks.
    pub blocks: u64,
    /// How many of them say little of the file that they are in.
    pub flagged: u64,
    /// Why, each reason once.
    pub flags: Vec<Flag>,
    /// The files that have all of these blocks in this order; of a block that is in many of them,
    /// the first ones.
    pub files: Vec<Candidate>,
    /// How many known files have its first block, at least.
    pub of_files: u32,
    /// How many of its blocks are at more places of known files than a set keeps: other files may
    /// have these blocks in this order as well, and it may go on in the next fragment.
    pub cut: u64,
}

impl Fragment {
    /// Where it ends, in bytes, not counting the zeros behind the end of a file.
    pub fn end(&self) -> u64 {
        let whole = self.blocks * u64::from(self.size);
        let of_file = self.files.iter().map(|of| of.file.length - of.offset.min(of.file.length)).max();
        self.offset + whole.min(of_file.unwrap_or(whole))
    }

    /// Whether any of its blocks says something of its file.
    pub fn is_telling(&self) -> bool {
        self.flagged < self.blocks
    }

    fn next(&self) -> u64 {
        self.offset + self.blocks * u64::from(self.size)
    }
}

/// Joins hits to fragments.
pub struct Joining<'a> {
    sets: &'a [KnownSet],
    sizes: &'a [u32],
    /// Fragments that the next block may belong to, by the position of their size.
    open: Vec<Vec<Fragment>>,
    remembered: HashMap<(usize, usize, u32), Rc<Block>>,
}

impl<'a> Joining<'a> {
    /// Nothing yet.
    pub fn new(sets: &'a [KnownSet], sizes: &'a [u32]) -> Joining<'a> {
        Joining { sets, sizes, open: vec![Vec::new(); sizes.len()], remembered: HashMap::new() }
    }

    /// Takes the hits of one block: the same place and size, one for each set that knows it, in
    /// ascending order of places. Gives the fragments that end before it.
    ///
    /// # Errors
    /// A set that cannot be read or was damaged.
    pub fn take(&mut self, hits: &[Hit], done: &mut Vec<Fragment>) -> Result<(), Error> {
        let Some(Hit { offset, size, flag, .. }) = hits.first().copied() else { return Ok(()) };
        self.close(offset, done);
        let (mut candidates, mut of_files, mut is_cut) = (Vec::new(), 0, false);
        for hit in hits {
            let block = self.block(hit)?;
            of_files += block.files;
            is_cut |= block.places as usize > block.first.len();
            candidates.extend(block.first.iter().map(|place| Candidate {
                known: hit.set,
                file: Arc::clone(&place.file),
                offset: place.offset,
            }));
        }
        let flag = flag.or((of_files > COMMON).then_some(Flag::Common));
        for open in self.open[size].iter_mut().filter(|open| open.next() == offset) {
            let far = offset - open.offset;
            let goes_on = |of: &Candidate| {
                let same =
                    |next: &Candidate| next.known == of.known && next.offset == of.offset + far && next.file == of.file;
                candidates.iter().any(same)
            };
            if open.files.iter().any(goes_on) {
                open.files.retain(goes_on);
                open.blocks += 1;
                open.cut += u64::from(is_cut);
                open.note(flag);
                return Ok(());
            }
        }
        let mut fragment = Fragment {
            offset,
            size: self.sizes[size],
            blocks: 1,
            flagged: 0,
            flags: Vec::new(),
            files: candidates,
            of_files,
            cut: is_cut.into(),
        };
        fragment.note(flag);
        self.open[size].push(fragment);
        Ok(())
    }

    /// The rest of the fragments.
    pub fn end(&mut self, done: &mut Vec<Fragment>) {
        self.close(u64::MAX, done);
    }

    /// Gives the fragments that end before `offset`, in order of their ends.
    fn close(&mut self, offset: u64, done: &mut Vec<Fragment>) {
        let from = done.len();
        for open in &mut self.open {
            done.extend(open.extract_if(.., |fragment| fragment.next() < offset));
        }
        done[from..].sort_by_key(|fragment| (fragment.next(), fragment.size, fragment.offset));
    }

    fn block(&mut self, hit: &Hit) -> Result<Rc<Block>, Error> {
        let key = (hit.set, hit.size, hit.number);
        if let Some(block) = self.remembered.get(&key) {
            return Ok(Rc::clone(block));
        }
        let known = &self.sets[hit.set];
        let table = known.blocks().iter().find(|table| table.size() == self.sizes[hit.size]);
        let block = Rc::new(table.map_or(Ok(Block::default()), |table| known.block(table, hit.number))?);
        if self.remembered.len() >= REMEMBERED {
            self.remembered.clear();
        }
        self.remembered.insert(key, Rc::clone(&block));
        Ok(block)
    }
}

impl Fragment {
    fn note(&mut self, flag: Option<Flag>) {
        let Some(flag) = flag else { return };
        self.flagged += 1;
        if !self.flags.contains(&flag) {
            self.flags.push(flag);
            self.flags.sort_unstable();
        }
    }
}
