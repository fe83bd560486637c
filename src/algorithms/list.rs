//! The list of algorithms.

use super::REGISTRY;
use serde_json::json;

/// Every algorithm: length in bytes, standing, and the kernels that this processor uses; as a table
/// for people, or a JSON object per line.
pub fn list(json: bool) -> String {
    let mut text = String::new();
    if !json {
        text.push_str(&format!(
            "{:<18} {:>6}  {:<17} {:<28} aliases\n",
            "algorithm", "bytes", "standing", "kernel: one / many"
        ));
    }
    for algorithm in REGISTRY.all().chain(REGISTRY.keyed()) {
        let kernels = algorithm.kernels();
        let kernel = match &kernels {
            Some(k) => format!("{} / {}", k.one, k.many),
            None if algorithm.is_keyed() => "under a key: --key-file".into(),
            None => "its crate's own choice".into(),
        };
        if json {
            let object = json!({
                "name": algorithm.name(),
                "length": algorithm.length(),
                "standing": algorithm.standing().name(),
                "kernel_one": kernels.as_ref().map(|k| k.one),
                "kernel_many": kernels.as_ref().map(|k| k.many),
                "never_executed_here": kernels.as_ref().map(|k| &k.absent),
                "refused": kernels.as_ref().map(|k| &k.refused),
                "aliases": algorithm.aliases(),
                "keyed": algorithm.is_keyed(),
                "parameters": algorithm.parameters().collect::<std::collections::BTreeMap<_, _>>(),
            });
            text.push_str(&format!("{object}\n"));
        } else {
            let (name, standing) = (algorithm.name(), algorithm.standing().name());
            let length = if algorithm.length() == 0 { "text".into() } else { algorithm.length().to_string() };
            text.push_str(&format!(
                "{name:<18} {length:>6}  {standing:<17} {kernel:<28} {}\n",
                algorithm.aliases().join(" ")
            ));
        }
    }
    if !json {
        text.push_str(&notes());
    }
    text
}

/// Which parameters may be stated; what is not used on this machine, and why.
fn notes() -> String {
    let mut text = String::new();
    for algorithm in REGISTRY.all() {
        let parameters: Vec<String> = algorithm.parameters().map(|(name, value)| format!("{name}={value}")).collect();
        if !parameters.is_empty() {
            text.push_str(&format!("{}: takes parameters, usually {}\n", algorithm.name(), parameters.join(",")));
        }
        let Some(kernels) = algorithm.kernels() else { continue };
        if !kernels.absent.is_empty() {
            text.push_str(&format!(
                "{}: never executed on this machine: {}\n",
                algorithm.name(),
                kernels.absent.join(", ")
            ));
        }
        if !kernels.refused.is_empty() {
            text.push_str(&format!(
                "{}: REFUSED, wrong answer here: {}\n",
                algorithm.name(),
                kernels.refused.join(", ")
            ));
        }
    }
    text
}
