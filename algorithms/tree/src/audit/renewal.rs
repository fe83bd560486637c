//! A change of a file that an auditor without the file can follow: from the root that is kept to
//! the new one, by the paths of the leaves that changed.

use super::{Commitment, Rejection};
use crate::WireError;
use crate::outboard::{Change, Header, Value, multiproof};
use crate::wire::Reader;
use std::ops::Range;

const MAGIC: &[u8; 8] = b"pfh upda";
const VERSION: u8 = 1;

/// The values of the leaves before and after, and the values beside their paths, which both states
/// share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewal {
    old: Header,
    new: Value,
    /// Index, value before, value after; ascending.
    leaves: Vec<(u64, Value, Value)>,
    siblings: Vec<Value>,
}

impl Renewal {
    /// The proof of a change.
    pub fn of(change: &Change) -> Renewal {
        let leaves = change.before.iter().zip(&change.after);
        Renewal {
            old: change.old,
            new: change.new.root,
            leaves: leaves.map(|((index, before), (_, after))| (*index, *before, *after)).collect(),
            siblings: change.siblings.clone(),
        }
    }

    /// The byte ranges of the leaves that were replaced, joined where they touch.
    pub fn ranges(&self) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for (index, ..) in &self.leaves {
            let range = self.old.parameters.leaf_range(*index, self.old.length);
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        ranges
    }

    /// The binary form.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &[VERSION], &self.old.encode(), &self.new].concat();
        bytes.extend((self.leaves.len() as u64).to_le_bytes());
        for (index, before, after) in &self.leaves {
            bytes.extend(index.to_le_bytes());
            bytes.extend(before);
            bytes.extend(after);
        }
        bytes.extend((self.siblings.len() as u64).to_le_bytes());
        bytes.extend(self.siblings.as_flattened());
        bytes
    }

    /// Reads the binary form. [`Commitment::renew`] decides whether it proves anything.
    ///
    /// # Errors
    /// If the bytes are not a renewal.
    pub fn decode(bytes: &[u8]) -> Result<Renewal, WireError> {
        let mut reader = Reader::open(bytes, MAGIC, VERSION)?;
        let old = Header::decode(reader.bytes(Header::BYTES)?)?;
        let new = reader.array()?;
        let count = reader.u64()?;
        let mut leaves = Vec::new();
        for _ in 0..count {
            // Each takes bytes of the input: a claimed count costs no more than these.
            leaves.push((reader.u64()?, reader.array()?, reader.array()?));
        }
        let count = usize::try_from(reader.u64()?).map_err(|_| WireError::Truncated)?;
        let siblings = reader.values(count)?;
        reader.close()?;
        Ok(Renewal { old, new, leaves, siblings })
    }
}

impl Commitment {
    /// The commitment after a change: the values of the leaves before and the siblings give the
    /// root that is kept, the values after and the same siblings the new one. So nothing but these
    /// leaves has changed. The contents of the new leaves are not shown: only the client that
    /// ordered the change can say that they are wanted.
    ///
    /// # Errors
    /// If the change starts from another state than is kept, or its paths do not lead to the roots
    /// that it states.
    pub fn renew(&self, renewal: &Renewal) -> Result<Commitment, Rejection> {
        let (parameters, length) = (self.parameters(), self.length());
        parameters.unlocked().map_err(Rejection::Locked)?;
        if (renewal.old.parameters, renewal.old.length, renewal.old.root) != (parameters, length, *self.root()) {
            return Err(Rejection::Kept);
        }
        let ascending = renewal.leaves.is_sorted_by(|(one, ..), (next, ..)| one < next);
        let within = renewal.leaves.last().is_some_and(|(last, ..)| *last < self.leaf_count());
        if !ascending || !within {
            return Err(Rejection::Leaves);
        }
        let root = |known: Vec<(u64, Value)>| multiproof::root(&parameters, length, known, &renewal.siblings);
        let before = root(renewal.leaves.iter().map(|(index, before, _)| (*index, *before)).collect());
        let after = root(renewal.leaves.iter().map(|(index, _, after)| (*index, *after)).collect());
        match (before, after) {
            (Some(before), Some(after)) if before == *self.root() && after == renewal.new => {
                Ok(Commitment::new(parameters, length, after))
            }
            (Some(_), Some(_)) => Err(Rejection::Root),
            _ => Err(Rejection::Shape),
        }
    }
}
