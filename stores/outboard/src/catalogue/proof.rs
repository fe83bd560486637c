//! Proofs that the stored values of a catalogue give its root: the whole, or the path of one entry.

use super::{Catalogue, CatalogueEntry, CatalogueError, EntryDone, row};
use pfh_tree::catalogue::{EMPTY, Key, Value, bit, key, last, leaf, node, nodes, prefix, shared};
use rusqlite::{OptionalExtension, params};

impl Catalogue {
    /// Compares every entry and every value that is kept with the root.
    ///
    /// # Errors
    /// When they do not give it.
    pub fn prove_all(&self) -> EntryDone<()> {
        let leaves = self.leaves()?;
        let sql = "SELECT value = ?3 FROM nodes WHERE depth = ?1 AND prefix = ?2";
        let mut statement = self.ask().prepare_cached(sql).map_err(self.failed())?;
        let (mut kept, mut due, mut wrong) = (0_i64, 0_i64, None);
        let top = nodes(&leaves, &mut |at, depth, value| {
            self.looks.begin();
            due += 1;
            let found = statement.query_row(params![depth, &prefix(at, depth)[..], &value[..]], |row| row.get(0));
            match found.optional() {
                Ok(same) => kept += i64::from(same == Some(true)),
                Err(error) => wrong = wrong.take().or(Some(error)),
            }
        });
        wrong.map_or(Ok(()), |error| Err(self.failed()(error)))?;
        let all = self.rows(due + 1)?;
        let same = self.root_over(self.entries()?, &top)? == self.root()?;
        if same && kept == due && all == due { Ok(()) } else { Err(CatalogueError::Damaged(self.path.clone())) }
    }

    /// How many values are kept, counted up to `most`.
    fn rows(&self, most: i64) -> EntryDone<i64> {
        let mut statement = self.ask().prepare("SELECT 1 FROM nodes LIMIT ?1").map_err(self.failed())?;
        let mut rows = statement.query([most]).map_err(self.failed())?;
        let mut count = 0;
        while rows.next().map_err(self.failed())?.is_some() {
            self.looks.begin();
            count += 1;
        }
        Ok(count)
    }

    /// Proves that an entry, or that there is none of this name, is in the tree of the root: the
    /// values beside its path and its own give it.
    ///
    /// # Errors
    /// When they do not.
    pub fn prove(&self, name: &[u8]) -> EntryDone<()> {
        let at = key(name);
        let mut value = None;
        for depth in self.neighbour(&at)?.map_or(0..0, |deepest| 0..deepest + 1).rev() {
            // A name that is not there may lie beside one entry, over which there is no node.
            if value.is_none() && self.within(&prefix(&at, depth), depth)?.len() < 2 {
                continue;
            }
            let own = match value {
                Some(value) => value,
                None => self.subtree(&prefix(&at, depth + 1), depth + 1)?,
            };
            let mut other = prefix(&at, depth + 1);
            other[depth as usize / 8] ^= 0x80 >> (depth % 8);
            let beside = self.subtree(&other, depth + 1)?;
            value = Some(if bit(&at, depth) { node(&beside, &own) } else { node(&own, &beside) });
        }
        let value = match value {
            Some(value) => value,
            // One entry, or none at all.
            None => self.within(&EMPTY, 0)?.first().map_or(EMPTY, |found| found.1),
        };
        let same = self.root_over(self.entries()?, &value)? == self.root()?;
        if same { Ok(()) } else { Err(CatalogueError::Damaged(self.path.clone())) }
    }

    /// The most bits that a key shares with another one that is there.
    pub(super) fn neighbour(&self, at: &Key) -> EntryDone<Option<u32>> {
        let mut most = None;
        for sql in [
            "SELECT key FROM entries WHERE key < ?1 ORDER BY key DESC LIMIT 1",
            "SELECT key FROM entries WHERE key > ?1 ORDER BY key LIMIT 1",
        ] {
            let mut statement = self.ask().prepare_cached(sql).map_err(self.failed())?;
            let found: Option<Vec<u8>> =
                statement.query_row([&at[..]], |row| row.get(0)).optional().map_err(self.failed())?;
            let found = found.and_then(|key| Key::try_from(key).ok());
            most = most.max(found.map(|other| shared(at, &other)));
        }
        Ok(most)
    }

    /// The first two entries of a subtree, as key and value.
    pub(super) fn within(&self, start: &Key, depth: u32) -> EntryDone<Vec<(Key, Value)>> {
        let sql = "SELECT name, size, digest, stamp FROM entries WHERE key BETWEEN ?1 AND ?2 ORDER BY key LIMIT 2";
        let mut statement = self.ask().prepare_cached(sql).map_err(self.failed())?;
        let found = statement.query_map([&start[..], &last(start, depth)[..]], row).map_err(self.failed())?;
        let value = |entry: CatalogueEntry| (key(&entry.name), leaf(&entry.name, entry.size, &entry.digest));
        found.map(|entry| entry.map(value).map_err(self.failed())).collect()
    }

    /// The value of a subtree, as it is kept.
    pub(super) fn subtree(&self, start: &Key, depth: u32) -> EntryDone<Value> {
        let sql = "SELECT value FROM nodes WHERE depth = ?1 AND prefix = ?2";
        let mut statement = self.ask().prepare_cached(sql).map_err(self.failed())?;
        let kept: Option<Vec<u8>> =
            statement.query_row(params![depth, &start[..]], |row| row.get(0)).optional().map_err(self.failed())?;
        match kept {
            Some(value) => value.try_into().map_err(|_| CatalogueError::Damaged(self.path.clone())),
            None => Ok(self.within(start, depth)?.first().map_or(EMPTY, |found| found.1)),
        }
    }

    /// The value of a node over the subtrees that are kept.
    pub(super) fn halves(&self, at: &Key, depth: u32) -> EntryDone<Value> {
        let left = prefix(at, depth);
        let mut right = left;
        right[depth as usize / 8] |= 0x80 >> (depth % 8);
        Ok(node(&self.subtree(&left, depth + 1)?, &self.subtree(&right, depth + 1)?))
    }
}
