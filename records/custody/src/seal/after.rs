//! Whether a seal follows another one: an older manifest with its own seal is a rollback.

use super::{Making, Seal, SealError};

impl Seal {
    /// The number of a seal in its row; those of version 1 have none.
    fn making(&self) -> Option<&Making> {
        self.making.as_ref()
    }

    /// The identity of the row that this seal belongs to.
    pub(super) fn origin(&self) -> Option<[u8; 32]> {
        let making = self.making()?;
        making.origin.or_else(|| {
            let sha256: pfh_digest::Algorithm = "sha256".parse().ok()?;
            sha256.digest(&self.message()).bytes().try_into().ok()
        })
    }

    /// The facts of a seal that takes the place of `before`.
    pub(super) fn following(before: Option<&Seal>) -> Making {
        Making {
            serial: before.map_or(1, |before| before.making().map_or(1, |making| making.serial.saturating_add(1))),
            after: before.map(|before| before.root),
            origin: before.and_then(Seal::origin),
            ..Making::default()
        }
    }

    /// Whether this is the seal `known`, or one that follows it, by the same key.
    ///
    /// # Errors
    /// [`SealError::Older`] for one that came before it, [`SealError::Aside`] for one of another
    /// row or key, [`SealError::Incomparable`] where neither says.
    pub fn follows(&self, known: &Seal) -> Result<(), SealError> {
        let key = |seal: &Seal| seal.signature.map(|(public, _)| public);
        match (key(known), key(self)) {
            (Some(one), Some(other)) if one != other => return Err(SealError::Aside("another key signed it")),
            (Some(_), None) => return Err(SealError::Incomparable("it is not signed, and the known one is")),
            _ => {}
        }
        let is_same = self.records == known.records && self.root == known.root;
        let (Some(mine), Some(theirs)) = (self.making(), known.making()) else {
            return match self.making() {
                _ if is_same && self.list == known.list => Ok(()),
                // The first seal with a number names the root of the last one without.
                Some(mine) if mine.after == Some(known.root) => Ok(()),
                None if known.making().is_some() => Err(SealError::Incomparable("it has no number")),
                _ => Err(SealError::Incomparable("the known seal has no number")),
            };
        };
        if self.origin() != known.origin() {
            return Err(SealError::Aside("it belongs to another row of seals"));
        }
        if mine.serial < theirs.serial {
            return Err(SealError::Older { found: mine.serial, known: theirs.serial });
        }
        let next = theirs.serial.saturating_add(1);
        match mine.serial {
            serial if serial == theirs.serial && self.message() != known.message() => {
                Err(SealError::Aside("two seals have one number"))
            }
            serial if serial == next && mine.after != Some(known.root) => {
                Err(SealError::Aside("it replaced another manifest"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{List, Seal, SealError};

    /// A chain of seals: each one follows the seal before it.
    fn row(count: u8, place: &str) -> Vec<Seal> {
        let mut row: Vec<Seal> = Vec::new();
        for root in 0..count {
            let mut making = Seal::following(row.last());
            making.place = place.into();
            let list = Some(List::default());
            let seal =
                Seal { records: 1, root: [root; 32], defaults: None, list, making: Some(making), signature: None };
            row.push(seal);
        }
        row
    }

    /// Every pair of a row, and of two rows: only what came later follows.
    #[test]
    fn only_later_seals_of_the_same_row_follow() {
        let (row, other) = (row(5, "a"), row(5, "b"));
        for (at, known) in row.iter().enumerate() {
            for (now, seal) in row.iter().enumerate() {
                let found = seal.follows(known);
                match now < at {
                    true => assert!(matches!(found, Err(SealError::Older { .. })), "{now} after {at}: {found:?}"),
                    false => assert!(found.is_ok(), "{now} after {at}: {found:?}"),
                }
            }
            for seal in &other {
                assert!(matches!(seal.follows(known), Err(SealError::Aside(_))));
            }
        }
        // A forked row: another second list after the same first one.
        let mut fork = row[1].clone();
        fork.root = [99; 32];
        assert!(matches!(fork.follows(&row[1]), Err(SealError::Aside(_))));
        let mut stranger = row[2].clone();
        stranger.making.as_mut().unwrap().after = Some([98; 32]);
        assert!(matches!(stranger.follows(&row[1]), Err(SealError::Aside(_))));
    }

    #[test]
    fn a_seal_of_the_first_version_is_followed_by_the_root_alone() {
        let first = Seal { list: None, making: None, ..row(1, "a").remove(0) };
        let list = Some(List::default());
        let making = Some(Seal::following(Some(&first)));
        let next = Seal { records: 2, root: [7; 32], defaults: None, list, making, signature: None };
        assert!(next.follows(&first).is_ok() && first.follows(&first).is_ok());
        assert!(matches!(first.follows(&next), Err(SealError::Incomparable(_))));
        let mut other = first.clone();
        other.root = [8; 32];
        assert!(matches!(other.follows(&first), Err(SealError::Incomparable(_))));
    }
}
