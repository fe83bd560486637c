//! The program `pfh-bench`, which `pfh bench` starts.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    pfh_cli::main(&pfh_cli::Call::process(pfh_cli::Role::Bench)).into()
}
