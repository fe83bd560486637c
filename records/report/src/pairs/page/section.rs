//! What the page shows of one algorithm, and text as the page writes it.

use pfh_similarity::{Degenerate, Score};
use pfh_source::terminal;
use std::collections::HashMap;

/// What the page shows of one algorithm.
#[derive(Debug, Default)]
pub struct Section {
    pub algorithm: String,
    pub threshold: String,
    pub distance: bool,
    pub digests: u64,
    pub pairs: Vec<Row>,
    /// Pairs beyond those that link members that no pair before linked: with them every group hangs
    /// together.
    pub bridges: Vec<(u32, u32, Score)>,
    /// A member's way to the one that stands for its group so far.
    pub parents: HashMap<u32, u32>,
    pub count: u64,
    /// Of them, those with a digest that matches random data.
    pub saturated: u64,
    pub bins: Vec<u64>,
}

/// A pair of the table.
#[derive(Debug)]
pub struct Row {
    pub a: u32,
    pub b: u32,
    pub score: Score,
    pub shared: Option<u64>,
    pub degenerate: Option<Degenerate>,
}

impl Section {
    /// Puts the groups of two members together; whether they were apart.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parents.insert(a.max(b), a.min(b));
        }
        a != b
    }

    fn root(&mut self, mut member: u32) -> u32 {
        while let Some(&parent) = self.parents.get(&member) {
            if let Some(&next) = self.parents.get(&parent) {
                self.parents.insert(member, next);
            }
            member = parent;
        }
        member
    }
}

/// Text for content and quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A name in such text.
pub fn shown(name: &[u8]) -> String {
    escape(&terminal::render(name))
}
