//! What an export came to.

/// What an export came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Records of files that were read: with digests, without, skipped ones.
    pub records: u64,
    /// Rows or lines that were written.
    pub rows: u64,
    /// Files without a time, which a timeline has no place for.
    pub timeless: u64,
    /// Errors, which a timeline has no place for.
    pub errors: u64,
    /// What was skipped when the result was made, and has no place in a timeline.
    pub skipped: u64,
    /// Times that the form cannot hold: they are left out.
    pub beyond: u64,
    /// Lines that are not records of files, and what is wrong with the end: the first of them.
    pub faults: Vec<String>,
    /// How many there are.
    pub faulty: u64,
}

impl Summary {
    /// Whether everything in the result has its place in the output.
    pub fn is_complete(&self) -> bool {
        (self.timeless, self.errors, self.beyond, self.faulty) == (0, 0, 0, 0)
    }

    /// What came of it, in a sentence.
    pub fn sentence(&self) -> String {
        let mut text = format!("{} records became {} rows", self.records, self.rows);
        let left = [
            (self.errors, "errors have no time and are left out"),
            (self.timeless, "files have no time and are left out"),
            (self.skipped, "skipped things have no time"),
            (self.beyond, "times lie outside of what the form holds (1677 to 2262)"),
            (self.faulty, "lines are not records of files, or not whole"),
        ];
        for (count, what) in left.into_iter().filter(|(count, _)| *count > 0) {
            text += &format!("; {count} {what}");
        }
        text
    }
}
