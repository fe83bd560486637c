//! Kinds of files, and how often a score is chance.

/// The kind of a file by its content, as the methods for one kind of file see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An executable.
    Program,
    /// Text.
    Text,
    /// A picture.
    Picture,
    /// Anything else.
    Other,
}

/// How often two unrelated files reach a score or a better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    /// Once in that many pairs.
    pub once_in: u64,
    /// None of those pairs did: it happens more rarely.
    pub is_bound: bool,
}
