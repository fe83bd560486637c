//! Instruction sets: those that the CPU has, and those that `PFH_ISA` permits.

use std::fmt;
use std::sync::LazyLock;

/// An instruction set that kernels are written for.
///
/// Each architecture has levels of its own, in [`Isa::ALL`]; two sets of different architectures
/// have no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Plain integers, any machine.
    Portable,
    /// x86-64: SSE2, which belongs to each of them.
    Sse2,
    /// x86-64: SSE4.1 with SSSE3.
    Sse41,
    /// x86-64: AVX2 with BMI1 and BMI2.
    Avx2,
    /// x86-64: the SHA extensions with SSE4.1; named here after AVX2, because a CPU limited to this
    /// level may use both.
    ShaNi,
    /// x86-64: AVX-512 F, BW, DQ and VL, beside all the above.
    Avx512,
    /// AArch64: Advanced SIMD, which belongs to each of them.
    Neon,
    /// AArch64: the instructions for SHA-1 and SHA-256 (`FEAT_SHA1`, `FEAT_SHA256`).
    Sha2,
    /// AArch64: the instructions for SHA-512 and SHA-3 (`FEAT_SHA512`, `FEAT_SHA3`), beside all the
    /// above.
    Sha3,
}

/// The highest level allowed.
static ALLOWED: LazyLock<Isa> = LazyLock::new(|| Isa::environment().unwrap_or(Isa::Portable));

impl Isa {
    /// The levels of this program's architecture, in the order in which `PFH_ISA` lowers the
    /// choice: the lowest first.
    #[cfg(target_arch = "x86_64")]
    pub const ALL: &[Isa] = &[Isa::Portable, Isa::Sse2, Isa::Sse41, Isa::Avx2, Isa::ShaNi, Isa::Avx512];
    /// The levels of this program's architecture, in the order in which `PFH_ISA` lowers the
    /// choice: the lowest first.
    #[cfg(target_arch = "aarch64")]
    pub const ALL: &[Isa] = &[Isa::Portable, Isa::Neon, Isa::Sha2, Isa::Sha3];
    /// The levels of this program's architecture: there are no kernels for its instruction sets.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub const ALL: &[Isa] = &[Isa::Portable];

    /// The name that `PFH_ISA` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Sse2 => "sse2",
            Isa::Sse41 => "sse4.1",
            Isa::Avx2 => "avx2",
            Isa::ShaNi => "sha-ni",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
            Isa::Sha2 => "sha2",
            Isa::Sha3 => "sha3",
        }
    }

    /// The level of this name on this architecture.
    pub fn named(name: &str) -> Option<Isa> {
        Isa::ALL.iter().copied().find(|isa| isa.name() == name)
    }

    /// The highest level that `PFH_ISA` permits, or the variable's value where that names no level
    /// of this architecture. A command should refuse such a value; the library then uses portable
    /// kernels only, as a misspelt level must not run kernels that it was meant to exclude.
    pub fn environment() -> Result<Isa, std::ffi::OsString> {
        match std::env::var_os("PFH_ISA") {
            None => Ok(Isa::ALL[Isa::ALL.len() - 1]),
            Some(name) => name.to_str().and_then(Isa::named).ok_or(name),
        }
    }

    /// Whether the CPU and the operating system offer it.
    #[cfg(target_arch = "x86_64")]
    pub fn detected(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        match self {
            Isa::Portable | Isa::Sse2 => true,
            Isa::Sse41 => has!("ssse3") && has!("sse4.1"),
            Isa::Avx2 => has!("avx2") && has!("bmi1") && has!("bmi2"),
            Isa::ShaNi => has!("sha") && has!("ssse3") && has!("sse4.1"),
            Isa::Avx512 => {
                Isa::Avx2.detected() && has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl")
            }
            Isa::Neon | Isa::Sha2 | Isa::Sha3 => false,
        }
    }

    /// Whether the CPU and the operating system offer it.
    #[cfg(target_arch = "aarch64")]
    pub fn detected(self) -> bool {
        use std::arch::is_aarch64_feature_detected as has;
        match self {
            Isa::Portable => true,
            Isa::Neon => has!("neon"),
            // The name stands for SHA-1 as well.
            Isa::Sha2 => has!("neon") && has!("sha2"),
            // The name stands for SHA-512 as well.
            Isa::Sha3 => Isa::Sha2.detected() && has!("sha3"),
            Isa::Sse2 | Isa::Sse41 | Isa::Avx2 | Isa::ShaNi | Isa::Avx512 => false,
        }
    }

    /// Whether the CPU offers it. No instruction set of this architecture has kernels of its own: a
    /// file beside `neon.rs`, levels here and rows in `table.rs` are all that is needed.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub fn detected(self) -> bool {
        self == Isa::Portable
    }

    /// Whether `PFH_ISA` permits it.
    pub fn allowed(self) -> bool {
        self.within(*ALLOWED)
    }

    /// Whether `limit` as the value of `PFH_ISA` permits it: both are levels of this architecture,
    /// and this one is not the higher.
    pub fn within(self, limit: Isa) -> bool {
        let level = |isa| Isa::ALL.iter().position(|level| *level == isa);
        level(self).zip(level(limit)).is_some_and(|(own, limit)| own <= limit)
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: [Isa; 9] =
        [Isa::Portable, Isa::Sse2, Isa::Sse41, Isa::Avx2, Isa::ShaNi, Isa::Avx512, Isa::Neon, Isa::Sha2, Isa::Sha3];

    #[test]
    fn another_architecture_has_neither_name_nor_level_here() {
        assert_eq!(Isa::ALL[0], Isa::Portable);
        for isa in EVERY {
            let known = Isa::ALL.contains(&isa);
            assert_eq!(Isa::named(isa.name()), known.then_some(isa));
            assert_eq!(isa.within(Isa::ALL[Isa::ALL.len() - 1]), known);
            assert_eq!(Isa::Portable.within(isa), known, "{isa}");
            assert!(known || !isa.detected(), "{isa}");
        }
    }
}
