//! Facts of a machine, for the head of a report.

use crate::amount;
use crate::study::StudyResult;

/// Facts of a machine as pairs of name and value.
pub fn facts(result: &StudyResult) -> Vec<(&'static str, String)> {
    let (machine, plan) = (&result.machine, &result.plan);
    vec![
        ("processor", machine.processor.clone()),
        ("processors", machine.processors.to_string()),
        ("instruction sets", machine.features.join(" ")),
        ("memory", amount::show_bytes(machine.memory)),
        ("kernel", machine.kernel.clone()),
        ("governor", machine.governor.clone().unwrap_or_else(|| "unknown".to_owned())),
        ("virtual machine", if machine.guest { "yes" } else { "no" }.to_owned()),
        ("load average", format!("{:.1}, at most {:.1}", result.load.0, result.load.1)),
        (
            "runs",
            format!(
                "{} processes per cell in random interleaved order, {} repeats after {} warm-ups, seed {}",
                plan.processes, plan.repeats, plan.warmups, plan.seed
            ),
        ),
    ]
}
