//! The choice among the kernels: the output of `pfh algorithms --measure`, and the effect of
//! `PFH_ISA` and `PFH_COSTS`.
#![cfg(unix)]

use crate::program::{Room, pfh_hash};
use pfh_inject::{Outcome, Trial};
use serde_json::Value;

fn measure(variables: &[&str], arguments: &[&str]) -> Outcome {
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["algorithms", "--measure"]).args(arguments);
    trial.under(["env"].into_iter().chain(variables.iter().copied())).run().unwrap()
}

fn rows(seen: &Outcome) -> Vec<Value> {
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    seen.lines().into_iter().map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// The numbers of messages that each row is chosen for.
fn chosen(row: &Value) -> Vec<(u64, u64)> {
    serde_json::from_value(row["chosen_for"].clone()).unwrap()
}

#[test]
fn every_kernel_is_listed_and_every_number_of_messages_has_one() {
    let rows = rows(&measure(&[], &["--json"]));
    let all = [
        "md5",
        "sha1",
        "sha256",
        "sha512",
        "keccak-f1600",
        "keccak-p1600-12",
        "ripemd160",
        "blake2b",
        "blake2s",
        "sm3",
    ];
    for function in all {
        let rows: Vec<&Value> = rows.iter().filter(|row| row["function"] == function).collect();
        assert!(rows.iter().any(|row| row["kernel"] == "portable x1"), "{function}");
        for row in &rows {
            assert!(row["table_picoseconds"].as_u64().unwrap() > 0, "{row}");
            assert_eq!(row["measured_picoseconds"].is_u64(), row["unused"].is_null(), "{row}");
            assert_eq!(row["chosen_by"], "measured");
        }
        let mut ranges: Vec<(u64, u64)> = rows.iter().flat_map(|row| chosen(row)).collect();
        ranges.sort_unstable();
        let mut next = 1;
        for (first, last) in ranges {
            assert_eq!(first, next, "{function}");
            next = last + 1;
        }
        assert!(next > 1, "{function}");
    }
    let text = measure(&[], &[]);
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    assert_eq!(text.lines().len(), rows.len() + 2, "a line for each, and two above");
}

#[test]
fn a_lower_level_excludes_and_the_tables_choose_alike() {
    let of_tables = |level: &str| rows(&measure(&["PFH_COSTS=table", &format!("PFH_ISA={level}")], &["--json"]));
    for isa in pfh::Isa::ALL {
        let first = of_tables(isa.name());
        for row in &first {
            let level = pfh::Isa::named(row["isa"].as_str().unwrap()).unwrap();
            assert!(row["unused"].is_string() || level.within(*isa), "{row}");
            assert_eq!(row["chosen_by"], "table");
        }
        let choice = |rows: &[Value]| rows.iter().map(chosen).collect::<Vec<_>>();
        assert_eq!(choice(&of_tables(isa.name())), choice(&first), "{isa}");
    }
}

#[test]
fn an_unknown_name_lists_the_known_ones_and_nothing_is_hashed() {
    let room = Room::new();
    room.file("a", b"abc");
    // A level of the other architecture is not a level of this one.
    let foreign = if pfh::Isa::named("avx2").is_some() { "neon" } else { "avx2" };
    let levels: Vec<&str> = pfh::Isa::ALL.iter().map(|isa| isa.name()).collect();
    let cases = [
        ("PFH_ISA", "avx3", levels.join(", ")),
        ("PFH_ISA", foreign, levels.join(", ")),
        ("PFH_ISA", "", levels.join(", ")),
        ("PFH_COSTS", "guess", "measured, table".into()),
    ];
    for (variable, value, known) in cases {
        let setting = format!("{variable}={value}");
        let seen = pfh_hash(["a"]).directory(room.path()).under(["env", &setting]).run().unwrap();
        assert_eq!(seen.code, Some(2), "{setting}: {}", seen.stderr);
        assert!(seen.stdout.is_empty(), "{setting}");
        assert!(seen.stderr.contains(&known), "{setting}: {}", seen.stderr);
    }
    for good in ["PFH_ISA=portable", "PFH_COSTS=table", "PFH_COSTS=measured"] {
        let seen = pfh_hash(["a"]).directory(room.path()).under(["env", good]).run().unwrap();
        assert_eq!(seen.code, Some(0), "{good}: {}", seen.stderr);
    }
}
