//! The list of algorithms.

use pfh::REGISTRY;
use pfh::manifest::row;
use serde::Serialize;
use std::collections::BTreeMap;

/// An algorithm.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line<'a> {
    aliases: &'a [&'a str],
    keyed: bool,
    kernel_many: Option<&'a str>,
    kernel_one: Option<&'a str>,
    /// Bytes of a digest; 0 for a text.
    length: usize,
    name: &'a str,
    never_executed_here: Option<&'a [&'a str]>,
    parameters: BTreeMap<&'a str, u32>,
    refused: Option<&'a [&'a str]>,
    standing: &'a str,
}

/// Every algorithm: length in bytes, standing, and the kernels that this processor uses; as a table
/// for people, or a JSON object per line.
pub fn text(json: bool) -> String {
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
            text.push_str(&row::line(&Line {
                aliases: algorithm.aliases(),
                keyed: algorithm.is_keyed(),
                kernel_many: kernels.as_ref().map(|k| k.many),
                kernel_one: kernels.as_ref().map(|k| k.one),
                length: algorithm.length(),
                name: algorithm.name(),
                never_executed_here: kernels.as_ref().map(|k| &k.absent[..]),
                parameters: algorithm.parameters().collect(),
                refused: kernels.as_ref().map(|k| &k.refused[..]),
                standing: algorithm.standing().name(),
            }));
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

/// Which parameters may be stated; the kernels that are not used on this machine, and why.
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
