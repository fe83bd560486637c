//! One question of the demonstration, and its answer.

/// The plain challenge of the paper, and ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChallengeKind {
    /// The client sends C and expects H(M‖C).
    Plain,
    /// The auditor keeps the root of a tree, and asks for leaves.
    Leaves,
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// It has the file.
    Honest,
    /// It deleted the file and kept digests: the state of SHA-256 after M, or the whole tree.
    Digests,
    /// The same, with an earlier answer of its own.
    Replay,
}

/// One question and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scene {
    /// The question.
    pub asked: ChallengeKind,
    /// Who answers.
    pub server: Server,
    /// Bytes that the server keeps.
    pub keeps: u64,
    /// Bytes of the question.
    pub question: u64,
    /// Bytes of the answer.
    pub answer: u64,
    /// Whether the client is satisfied.
    pub passes: bool,
    /// Why not.
    pub why: Option<String>,
}
