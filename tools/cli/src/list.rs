//! `pfh algorithms`.

use crate::exit::{self, Exit};
use std::io::Write;

/// Lists every algorithm: length in bytes, standing, and the kernels that this processor uses.
pub fn algorithms(json: bool) -> Exit {
    let mut text = String::new();
    if !json {
        text.push_str(&format!(
            "{:<14} {:>6}  {:<17} {:<28} aliases\n",
            "algorithm", "bytes", "standing", "kernel: one / many"
        ));
    }
    for algorithm in pfh::REGISTRY.all() {
        let kernel = "crate";
        if json {
            let object = serde_json::json!({
                "name": algorithm.name(),
                "length": algorithm.length(),
                "standing": algorithm.standing().name(),
                "kernel": kernel,
                "aliases": algorithm.aliases(),
            });
            text.push_str(&format!("{object}\n"));
        } else {
            let (name, standing) = (algorithm.name(), algorithm.standing().name());
            let length = if algorithm.length() == 0 { "text".into() } else { algorithm.length().to_string() };
            text.push_str(&format!(
                "{name:<14} {length:>6}  {standing:<17} {kernel:<28} {}\n",
                algorithm.aliases().join(" ")
            ));
        }
    }
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => Exit::Good,
        Err(error) => exit::of_output(&error),
    }
}
