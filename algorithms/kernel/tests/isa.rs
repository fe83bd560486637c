//! `PFH_ISA` lowers the choice of kernels. It is read once per process, so each level gets a process of its own.

use pfh_kernel::{Compression, Isa, KECCAK12, KECCAK24, MD5, RIPEMD160, SHA1, SHA256, SHA512, Word};
use std::process::Command;

/// Not a test by itself: what the processes below run.
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
    println!("limit {limit}");
}

fn limit_of(value: &str) -> String {
    let this = std::env::current_exe().unwrap();
    let run = Command::new(this).args(["--exact", "child", "--nocapture"]).env("PFH_ISA", value).output().unwrap();
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
    // A level of another architecture is none of this one's.
    let foreign = if Isa::named("avx2").is_some() { "neon" } else { "avx2" };
    for unknown in ["avx3", foreign] {
        assert!(limit_of(unknown).contains("limit portable\n"));
    }
}
