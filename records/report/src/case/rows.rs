//! Rows of a table, up to a limit.

/// Rows of a table. All are counted, the first ones are kept.
#[derive(Clone, Debug)]
pub struct Rows<T> {
    kept: Vec<T>,
    count: u64,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows { kept: Vec::new(), count: 0 }
    }
}

impl<T> Rows<T> {
    /// Rows of a table that are kept: a page of a million rows helps nobody, and no browser.
    pub const MOST: usize = 2000;

    /// One more.
    pub fn push(&mut self, row: T) {
        self.count += 1;
        if self.kept.len() < Self::MOST {
            self.kept.push(row);
        }
    }

    /// Those that are kept.
    pub fn kept(&self) -> &[T] {
        &self.kept
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Those that are not kept.
    pub fn beyond(&self) -> u64 {
        self.count - self.kept.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted() {
        let mut rows = Rows::default();
        (0..Rows::<u32>::MOST as u32 + 3).for_each(|n| rows.push(n));
        assert_eq!((rows.kept().len(), rows.beyond(), rows.count()), (2000, 3, 2003));
    }
}
