//! ssdeep's piece hash: the low six bits of FNV-1 (32 bits), for several states over the same
//! bytes.
//!
//! A step is `h = 19·h XOR byte`, modulo 64. Bit `k` of the product depends on bits up to `k` only,
//! and bit `k` enters it as itself: so over a block of 64 bytes, bit `k` of all 64 states is a
//! running XOR of values that the lower bits give. The fast forms transpose a block into six words
//! once and then find the 64 states bit by bit, for every state given.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use portable::STATES;
use portable::portable;

use super::{Form, best, nothing_more};
use crate::Isa;
use std::sync::LazyLock;

/// Advances the first `count` states over the bytes. Only the low six bits of a state mean
/// anything.
type Advance = unsafe fn(states: &mut [u8; STATES], count: usize, bytes: &[u8]);

/// The forms, best first.
pub static FORMS: &[Form<Advance>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx512, extra: avx512::affine, function: avx512::advance },
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: x86::carry_less, function: x86::advance },
    #[cfg(target_arch = "aarch64")]
    Form { isa: Isa::Neon, extra: neon::carry_less, function: neon::advance },
    Form { isa: Isa::Portable, extra: nothing_more, function: portable },
];

impl Form<Advance> {
    /// Advances the first `count` states over the bytes; only the low six bits of a state mean
    /// anything, and the states behind `count` come back undefined.
    ///
    /// # Panics
    /// If `count` exceeds [`STATES`] or this machine lacks the form.
    pub fn run(&self, states: &mut [u8; STATES], count: usize, bytes: &[u8]) {
        assert!(self.usable() && count <= STATES);
        // SAFETY: the instruction set is there, as asserted.
        unsafe { (self.function)(states, count, bytes) }
    }
}

/// [`Form::run`] with the best form.
pub fn advance(states: &mut [u8; STATES], count: usize, bytes: &[u8]) {
    static BEST: LazyLock<&Form<Advance>> = LazyLock::new(|| best(FORMS));
    assert!(count <= STATES);
    // SAFETY: `best` returns usable forms only.
    unsafe { (BEST.function)(states, count, bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_gives_the_states_of_the_definition() {
        let mut seed = 7u64;
        let bytes: Vec<u8> = (0..2100)
            .map(|_| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (seed >> 56) as u8
            })
            .collect();
        for form in FORMS.iter().filter(|form| form.usable()) {
            for length in (0..200).chain(500..540).chain([640, 999, 1000, 1024, 1500, 2100]) {
                for count in 0..=STATES {
                    let starts: [u8; STATES] = std::array::from_fn(|i| (i * 23 + length) as u8 & 63);
                    let mut states = starts;
                    form.run(&mut states, count, &bytes[..length]);
                    for i in 0..count {
                        let expected = bytes[..length].iter().fold(starts[i], |h, byte| h.wrapping_mul(19) ^ byte) & 63;
                        assert_eq!(states[i] & 63, expected, "{:?} length {length} state {i} of {count}", form.isa());
                    }
                }
            }
        }
    }
}
