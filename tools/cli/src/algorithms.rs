//! `pfh algorithms`.

use crate::exit::{self, Exit};

/// The help on the choice.
pub const HELP: &str = "\
The choice among the kernels never changes a digest. Two variables of the environment change the choice:
  PFH_ISA=LEVEL     nothing above this level: portable, sse2, sse4.1, avx2, sha-ni or avx512 on x86-64, portable, neon, sha2
                    or sha3 on AArch64
  PFH_COSTS=WHICH   measured (default): each function's kernels are timed, less than 2 ms, when a process first uses the function;
                    table: the figures compiled in, which are of one CPU, and the same choice in every run";

/// Prints the list of algorithms, or that of kernels.
pub fn run(measure: bool, json: bool) -> Exit {
    let text = if measure { crate::show::kernels::text(json) } else { crate::show::algorithms::text(json) };
    match exit::print(text.as_bytes()) {
        Ok(()) => Exit::Good,
        Err(error) => exit::of_output(&error),
    }
}
