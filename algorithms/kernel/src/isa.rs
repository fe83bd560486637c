//! Instruction sets: what the CPU has, and what `PFH_ISA` permits.

use std::fmt;
use std::sync::LazyLock;

/// An instruction set that kernels are written for, in the order in which `PFH_ISA` lowers the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// Plain integers, any machine.
    Portable,
    /// SSE2, which belongs to every x86-64.
    Sse2,
    /// SSE4.1 with SSSE3.
    Sse41,
    /// AVX2 with BMI1 and BMI2.
    Avx2,
    /// The SHA extensions with SSE4.1; named here after AVX2, because a CPU limited to this level may use both.
    ShaNi,
    /// AVX-512 F, BW, DQ and VL, beside all the above.
    Avx512,
}

/// The highest level allowed.
static ALLOWED: LazyLock<Isa> = LazyLock::new(|| Isa::environment().unwrap_or(Isa::Portable));

impl Isa {
    /// All levels, lowest first.
    pub const ALL: [Isa; 6] = [Isa::Portable, Isa::Sse2, Isa::Sse41, Isa::Avx2, Isa::ShaNi, Isa::Avx512];

    /// The name that `PFH_ISA` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Sse2 => "sse2",
            Isa::Sse41 => "sse4.1",
            Isa::Avx2 => "avx2",
            Isa::ShaNi => "sha-ni",
            Isa::Avx512 => "avx512",
        }
    }

    /// The level of this name.
    pub fn named(name: &str) -> Option<Isa> {
        Isa::ALL.into_iter().find(|isa| isa.name() == name)
    }

    /// The highest level that `PFH_ISA` permits, or the variable's value where that names none. A command should refuse such a value;
    /// the library then uses portable kernels only, as a misspelt level must not run what it was meant to exclude.
    pub fn environment() -> Result<Isa, std::ffi::OsString> {
        match std::env::var_os("PFH_ISA") {
            None => Ok(Isa::Avx512),
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
        }
    }

    /// Whether the CPU offers it. No instruction set of this machine has kernels of its own yet: a `neon.rs` beside `avx2.rs`, an
    /// `armv8.rs` in `single/` and rows in `table.rs` are all that is needed.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn detected(self) -> bool {
        self == Isa::Portable
    }

    /// Whether `PFH_ISA` permits it.
    pub fn allowed(self) -> bool {
        self <= *ALLOWED
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
