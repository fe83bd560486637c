//! `PFH_ISA` lowers the choice of kernels. It is read once per process, so each level gets a
//! process of its own.

use pfh_kernel::{
    Compression, Costs, Isa, KECCAK12, KECCAK24, MD5, RIPEMD160, SHA1, SHA256, SHA512, SM3, UnusedReason, Word, tables,
};
use std::process::Command;

/// Not a test by itself: the processes below run it.
#[test]
fn child() {
    fn within<W: Word>(compression: &'static Compression<W>, limit: Isa) {
        let expected = compression.kernels().filter(|kernel| kernel.isa().within(limit)).count();
        assert_eq!(compression.usable().len(), expected);
        assert!(compression.usable().iter().all(|kernel| kernel.isa().within(limit)));
        assert!((1..100).all(|messages| compression.many(messages).isa().within(limit)));
    }
    let limit = Isa::environment().unwrap_or(Isa::Portable);
    within(&MD5, limit);
    within(&SHA1, limit);
    within(&SHA256, limit);
    within(&SHA512, limit);
    within(&KECCAK24, limit);
    within(&KECCAK12, limit);
    within(&RIPEMD160, limit);
    within(&SM3, limit);
    println!("limit {limit}");
    for table in tables() {
        for row in &table.rows {
            // Exactly the rows in use have a cost, and only they are chosen.
            assert_eq!(row.measured.is_some_and(|cost| cost > 0), row.unused.is_none(), "{} {row:?}", table.function);
            assert!(row.chosen_for.is_empty() || row.unused.is_none(), "{} {row:?}", table.function);
            let expected = match (row.isa.detected(), row.isa.within(limit)) {
                (false, _) => Some(UnusedReason::Absent),
                (true, false) => Some(UnusedReason::Excluded),
                (true, true) => None,
            };
            assert_eq!(row.unused, expected, "{} {row:?}", table.function);
        }
        // Each number of messages begins with one kernel.
        let mut numbers: Vec<usize> = table.rows.iter().flat_map(|row| row.chosen_for.clone()).collect();
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(1..=numbers.len()) && !numbers.is_empty(), "{}", table.function);
    }
    println!("costs {}", Costs::used().name());
    for table in tables() {
        let choice: Vec<_> = table.rows.iter().map(|row| &row.chosen_for).collect();
        println!("choice {} {choice:?}", table.function);
    }
}

fn child_with_costs(value: &str) -> String {
    let this = std::env::current_exe().unwrap();
    let run =
        Command::new(this).args(["--exact", "isa::child", "--nocapture"]).env("PFH_COSTS", value).output().unwrap();
    assert!(run.status.success(), "{value}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn the_tables_choose_alike_in_every_run() {
    let choices = |text: String| text.lines().filter(|line| line.starts_with("choice")).collect::<Vec<_>>().join("\n");
    assert!(child_with_costs("measured").contains("costs measured\n"));
    let first = child_with_costs("table");
    assert!(first.contains("costs table\n"));
    let first = choices(first);
    let sets = pfh_kernel::stitched::ALL.chunk_by(|a, b| a.set() == b.set()).count();
    assert_eq!(first.lines().count(), 10 + sets);
    for value in ["table", "misspelt"] {
        assert_eq!(choices(child_with_costs(value)), first, "{value}");
    }
}

fn limit_of(value: &str) -> String {
    let this = std::env::current_exe().unwrap();
    let run = Command::new(this).args(["--exact", "isa::child", "--nocapture"]).env("PFH_ISA", value).output().unwrap();
    assert!(run.status.success(), "{value}: {}", String::from_utf8_lossy(&run.stdout));
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn every_level_is_respected() {
    for &isa in Isa::ALL {
        assert!(limit_of(isa.name()).contains(&format!("limit {isa}\n")));
    }
}

#[test]
fn an_unknown_level_runs_portable_kernels_only() {
    // Levels of other architectures are unknown here.
    let foreign = if Isa::named("avx2").is_some() { "neon" } else { "avx2" };
    for unknown in ["avx3", foreign] {
        assert!(limit_of(unknown).contains("limit portable\n"));
    }
}
