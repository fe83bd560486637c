//! How the functions of a set are computed: by which kernels, and which by themselves.

use super::set::Set;
use super::states::{BLOCK, States, apart};
use super::table::{ALL, Kernel};
use crate::Isa;
use crate::kernel::{Row, UnusedReason};
use crate::table::Table;
use std::sync::OnceLock;

/// How the functions of a set are computed on this machine.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The parts that kernels take together, one after the other.
    pub together: Vec<&'static Kernel>,
    /// The functions that go by themselves.
    pub in_turn: Set,
    /// The cost of [`BLOCK`] bytes, in picoseconds.
    pub picoseconds: u64,
}

/// The cheapest way to compute the functions of `set`, by the costs that this process uses.
pub fn plan(set: Set) -> &'static Plan {
    static PLANS: [OnceLock<Plan>; 16] = [const { OnceLock::new() }; 16];
    PLANS[usize::from(set.0)].get_or_init(|| {
        let mut best = Plan { together: Vec::new(), in_turn: set, picoseconds: apart(set) };
        for kernel in ALL.iter().filter(|kernel| set.has(kernel.set()) && kernel.usable()) {
            let rest = plan(set.without(kernel.set()));
            let picoseconds = kernel.picoseconds() + rest.picoseconds;
            if picoseconds < best.picoseconds {
                let together = [kernel].into_iter().chain(rest.together.iter().copied()).collect();
                best = Plan { together, in_turn: rest.in_turn, picoseconds };
            }
        }
        best
    })
}

/// Compresses `message` into every state that is given: a whole number of blocks of 64 bytes, or of
/// 128 if SHA-512 is among the functions.
///
/// # Panics
/// If the length of `message` is no such multiple.
pub fn compress(mut states: States<'_>, message: &[u8]) {
    let set = states.set();
    assert!(message.len().is_multiple_of(if set.has(Set::SHA512) { BLOCK } else { 64 }), "whole blocks");
    let plan = plan(set);
    let mut words = states.words();
    for kernel in &plan.together {
        kernel.run(&mut words, message);
    }
    words.in_turn(plan.in_turn, message);
    states.take(&words);
}

/// The time for [`BLOCK`] bytes of one message under the functions of `set`, in picoseconds,
/// measured unless `PFH_COSTS` asks for the tables; `None` where no kernel takes two of them
/// together.
pub fn picoseconds(set: Set) -> Option<u64> {
    let plan = plan(set);
    (!plan.together.is_empty()).then_some(plan.picoseconds)
}

/// A table for each set that has kernels: those, and last the functions one after the other, or
/// some of them by the kernel of a smaller set.
pub(crate) fn tables() -> Vec<Table> {
    let row = |kernel: &'static str, isa, table: u64, measured, chosen, unused| {
        let chosen_for = if chosen { vec![1] } else { Vec::new() };
        Row { kernel, isa, lanes: 1, table, measured, chosen_for, unused }
    };
    let together = |kernel: &'static Kernel| {
        let unused = match kernel {
            _ if !kernel.detected() => Some(UnusedReason::Absent),
            _ if !kernel.may_run() => Some(UnusedReason::Excluded),
            _ if !kernel.usable() => Some(UnusedReason::Refused),
            _ => None,
        };
        let measured = unused.is_none().then(|| kernel.measured());
        let is_chosen = plan(kernel.set()).together.iter().any(|chosen| std::ptr::eq(*chosen, kernel));
        row(kernel.name(), kernel.isa(), kernel.by_table(), measured, is_chosen, unused)
    };
    let table = |kernels: &'static [Kernel]| {
        let apart = apart(kernels[0].set());
        let mut rows: Vec<Row> = kernels.iter().map(together).collect();
        let is_chosen = rows.iter().all(|row| row.chosen_for.is_empty());
        rows.push(row("in turn", Isa::Portable, apart, Some(apart), is_chosen, None));
        Table { function: kernels[0].functions(), rows }
    };
    ALL.chunk_by(|a, b| a.set() == b.set()).map(table).collect()
}
