//! Which kernels of a compression function this machine uses: those that pass their test, by their
//! costs.

use crate::check;
use crate::costs::{self, Costs};
use crate::kernel::{Compression, Kernel, KernelChoice, Row, UnusedReason, Word};

impl<W: Word> Compression<W> {
    /// The kernels that this CPU has, that `PFH_ISA` permits and that passed their test; fewest
    /// picoseconds per block and message first.
    pub fn usable(&'static self) -> &'static [&'static Kernel<W>] {
        &self.chosen().usable
    }

    /// The kernels that gave a wrong answer on this machine and are therefore not used. So far it
    /// was always empty.
    pub fn refused(&'static self) -> &'static [&'static Kernel<W>] {
        &self.chosen().refused
    }

    /// The fastest kernel of one lane.
    #[inline]
    pub fn one(&'static self) -> &'static Kernel<W> {
        self.chosen().many[0]
    }

    /// The kernel to begin with, so that `messages` messages, all of a length, are done soonest.
    /// Where it has fewer lanes, the rest waits its turn, which may be another kernel's; where it
    /// has more, some stay empty.
    ///
    /// # Panics
    /// If `messages` is 0.
    #[inline]
    pub fn many(&'static self, messages: usize) -> &'static Kernel<W> {
        let many = &self.chosen().many;
        many[(messages - 1).min(many.len() - 1)]
    }

    /// The time for a block of each of `messages` messages, in picoseconds, by the costs that the
    /// choice was made by.
    pub fn picoseconds(&'static self, messages: usize) -> u64 {
        let known = &self.chosen().picoseconds;
        let last = known.len() - 1;
        // Beyond the known numbers all lanes are full.
        known.get(messages).copied().unwrap_or_else(|| known[last].saturating_mul(messages as u64) / last as u64)
    }

    #[inline]
    fn chosen(&'static self) -> &'static KernelChoice<W> {
        self.chosen.get_or_init(|| self.choose())
    }

    /// Every kernel of the table with its costs and its use on this machine.
    pub fn rows(&'static self) -> Vec<Row> {
        let chosen = self.chosen();
        let measured = match Costs::used() {
            Costs::Measured => chosen.costs.clone(),
            // Measured for the record: the choice was made without.
            Costs::Table => costs::measure(&chosen.usable, self.known.block_length),
        };
        let row = |kernel: &'static Kernel<W>| {
            let is = |other: &&'static Kernel<W>| std::ptr::eq(*other, kernel);
            let place = chosen.usable.iter().position(is);
            let unused = match place {
                Some(_) => None,
                None if !kernel.isa.detected() => Some(UnusedReason::Absent),
                None if chosen.refused.iter().any(is) => Some(UnusedReason::Refused),
                None => Some(UnusedReason::Excluded),
            };
            Row {
                kernel: kernel.name,
                isa: kernel.isa,
                lanes: kernel.lanes,
                table: u64::from(kernel.cost),
                measured: place.map(|place| measured[place]),
                chosen_for: (1..=chosen.many.len()).filter(|n| is(&chosen.many[n - 1])).collect(),
                unused,
            }
        };
        self.kernels.iter().map(row).collect()
    }

    fn choose(&'static self) -> KernelChoice<W> {
        let offered = self.kernels().filter(|kernel| kernel.isa.allowed());
        let (usable, refused): (Vec<_>, Vec<_>) = offered.partition(|kernel| check::passes(self, kernel));
        let costs = costs::of(&usable, self.known.block_length);
        let mut priced: Vec<(&'static Kernel<W>, u64)> = usable.into_iter().zip(costs).collect();
        priced.sort_by_key(|(kernel, cost)| cost * 1000 / kernel.lanes as u64);
        let widest = priced.iter().map(|(kernel, _)| kernel.lanes).max().unwrap_or(1);
        let one = priced.iter().filter(|(kernel, _)| kernel.lanes == 1).min_by_key(|(_, cost)| *cost);
        let one = *one.expect("a portable kernel that computes the known answer");
        // The time for n messages of one length, a block of each, and the kernel that begins: the
        // others follow when it is done.
        let mut many = vec![one.0];
        let mut picoseconds = vec![0, one.1];
        for messages in 2..=3 * widest {
            let after = |(kernel, cost): &(&Kernel<W>, u64)| cost + picoseconds[messages.saturating_sub(kernel.lanes)];
            let best = priced.iter().min_by_key(|row| after(row)).unwrap_or(&one);
            picoseconds.push(after(best));
            many.push(best.0);
        }
        let (usable, costs) = priced.into_iter().unzip();
        KernelChoice { usable, costs, refused, many, picoseconds }
    }
}
