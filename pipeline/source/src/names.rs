//! Names in a row, in the memory of their bytes.

/// A list of names that is read once from its start: a million names in two pieces of memory.
#[derive(Debug, Default)]
pub struct NameRow {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
    /// How many were taken.
    taken: usize,
}

impl<N: AsRef<[u8]>> FromIterator<N> for NameRow {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> NameRow {
        let mut row = NameRow::default();
        for name in names {
            row.bytes.extend_from_slice(name.as_ref());
            row.ends.push(row.bytes.len());
        }
        row
    }
}

impl NameRow {
    /// The names that were not taken yet.
    pub fn left(&self) -> impl Iterator<Item = &[u8]> {
        (self.taken..self.ends.len()).map(|at| self.name(at))
    }

    fn name(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[at]]
    }
}

impl Iterator for NameRow {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let at = self.taken;
        self.taken += usize::from(at < self.ends.len());
        (at < self.ends.len()).then(|| self.name(at).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_as_they_went_in() {
        let names: [&[u8]; 4] = [b"a", b"", b"long/name", b"\xff"];
        let mut row: NameRow = names.iter().collect();
        assert_eq!(row.next().as_deref(), Some(&b"a"[..]));
        assert_eq!(row.left().collect::<Vec<_>>(), names[1..]);
        assert_eq!(row.collect::<Vec<_>>(), names[1..]);
    }
}
