//! Which kernels this machine uses for an algorithm.

use pfh_kernel::{Compression, Word};

/// Which kernels this machine uses for an algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernels {
    /// The one for a single message.
    pub one: &'static str,
    /// The one with the best throughput over many messages.
    pub many: &'static str,
    /// Messages that the latter advances at once.
    pub lanes: usize,
    /// Compiled in, never executed on this machine: its CPU lacks the instruction set.
    pub absent: Vec<&'static str>,
    /// Not used, because they failed their known-answer test on this machine.
    pub refused: Vec<&'static str>,
}

impl Kernels {
    /// Those of a compression function or permutation.
    pub fn of<W: Word>(compression: &'static Compression<W>) -> Kernels {
        Kernels {
            one: compression.one().name(),
            many: compression.usable()[0].name(),
            lanes: compression.usable()[0].lanes(),
            absent: compression.absent().map(|(name, _)| name).collect(),
            refused: compression.refused().iter().map(|kernel| kernel.name()).collect(),
        }
    }
}
