//! The program `pfh`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    pfh_cli::main(&pfh_cli::Call::process(pfh_cli::Role::Pfh)).into()
}
