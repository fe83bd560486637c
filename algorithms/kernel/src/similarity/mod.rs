//! The inner loops of the similarity digests.
//!
//! Each file holds one of them: a portable form, the forms for instruction sets, and a table of
//! both, best first, from which `best` picks the first one that this CPU has and `PFH_ISA` permits.
//! All forms give the same values; the tests run every one that the machine can run.

pub mod bloom;
pub mod bodies;
pub mod columns;
pub mod fnv6;
pub mod lowest;
pub mod rolling;
pub mod triplets;

use crate::Isa;

/// One form of an inner loop.
#[derive(Clone, Copy, Debug)]
pub struct Form<F> {
    /// The instruction set that it needs.
    pub(crate) isa: Isa,
    /// A CPU feature that it needs beyond its instruction set.
    pub(crate) extra: fn() -> bool,
    /// The loop itself; to be called only where [`Form::usable`].
    pub(crate) function: F,
}

impl<F> Form<F> {
    /// The instruction set that it needs.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Whether this CPU has the form's instructions and `PFH_ISA` permits them.
    pub fn usable(&self) -> bool {
        self.isa.detected() && self.isa.allowed() && (self.extra)()
    }
}

/// The first form that this machine may use. The last of a table is portable.
fn best<F>(forms: &'static [Form<F>]) -> &'static Form<F> {
    forms.iter().find(|form| form.usable()).unwrap_or(&forms[forms.len() - 1])
}

/// For forms that need no feature beyond their instruction set.
fn nothing_more() -> bool {
    true
}

/// Whether the CPU counts the bits of a register.
#[cfg(target_arch = "x86_64")]
fn counts_bits() -> bool {
    std::arch::is_x86_feature_detected!("popcnt")
}

/// Whether the CPU counts the bits of vector words.
#[cfg(target_arch = "x86_64")]
fn counts_words() -> bool {
    std::arch::is_x86_feature_detected!("avx512vpopcntdq")
}
