//! The state of a search.

/// Places of a neighbourhood.
pub const NEIGHBOURS: usize = 64;

/// Where the search stands, counted from the start of the lists that it is handed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The next neighbourhood.
    pub next: usize,
    /// The lowest-ranked place of the last one, and its rank; a rank of 0 stands for none.
    pub(super) at: usize,
    pub(super) least: u16,
}

impl Search {
    /// The lists lose their first `count` places, which the search has left behind.
    pub fn forget(&mut self, count: usize) {
        self.next -= count;
        // A place that was left behind counts as left all the same.
        self.at = self.at.saturating_sub(count);
    }
}
