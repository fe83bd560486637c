//! Every call of ten jobs fails, and the next while that is handled.

use pfh_source::os::seam::is_played;
use pfh_world::sweep::{CASES, Calls};

/// Of this number of calls one fails in each change; `PFH_SWEEP=1` lets every one fail.
const EACH: usize = 5;

#[test]
fn every_call_may_fail_and_the_next_as_well() {
    let each = std::env::var("PFH_SWEEP").ok().and_then(|text| text.parse().ok()).unwrap_or(EACH);
    let mut broken = Vec::new();
    for (number, case) in CASES.iter().enumerate() {
        let sweep = case.sweep(Calls { each, first: number % each }, 3).unwrap();
        println!("{}: {} calls, {} worlds", case.name, sweep.calls, sweep.worlds);
        assert!(!is_played() || sweep.calls > 10, "{}: {} calls", case.name, sweep.calls);
        broken.extend(sweep.failures.iter().map(|failure| format!("{}:\n{failure}", case.name)));
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}
