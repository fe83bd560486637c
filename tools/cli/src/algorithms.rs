//! `pfh algorithms`.

use crate::exit::{self, Exit};

/// The help on the choice.
pub const HELP: &str = "\
All kernels give the same digests. Two environment variables influence the choice of kernels:
  PFH_ISA=LEVEL     use no kernel above this level: portable, sse2, sse4.1, avx2, sha-ni or avx512 on x86-64; portable, neon, sha2
                    or sha3 on AArch64
  PFH_COSTS=WHICH   measured (default): time the kernels of a function, in less than 2 ms, when a process first uses it;
                    table: use the compiled-in figures of one CPU, for the same choice in every run";

/// Prints the list of algorithms, or that of kernels.
pub fn run(measure: bool, json: bool) -> Exit {
    let text = if measure { crate::show::kernels::text(json) } else { crate::show::algorithms::text(json) };
    match exit::print(text.as_bytes()) {
        Ok(()) => Exit::Good,
        Err(error) => exit::of_output(&error),
    }
}
