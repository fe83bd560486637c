//! A question of pace, in a binary of its own: no other test of the engine takes the processors
//! meanwhile.

mod message;

use message::{ALL, digests, noise};
use pfh_engine::Plan;

/// Bytes that need not wait are hashed at once: a cached message goes through a small part of the
/// table, under a tree and under any algorithm when no other message is left. Before that it filled
/// a quarter of the default table first, and in time the whole.
#[test]
fn a_cached_message_never_fills_the_table() {
    // Which of two threads is ahead, and by how much, is a question of pace: under qemu-user 14 MiB
    // were seen beside two threads.
    if let Ok(emulator) = std::env::var("PFH_EMULATOR") {
        let line =
            format!("skipped: a_cached_message_never_fills_the_table needs its own pace, which {emulator} has not\n");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        return;
    }
    let message = noise(192 << 20);
    for (name, threads, most) in [("blake3", 1, 4 << 20), ("blake3", 2, 12 << 20), ("xxh3-128", 1, 4 << 20)] {
        let plan = Plan { threads, ..Plan::new(vec![ALL.find(name).unwrap()]) };
        // Others' work can keep a reader waiting for most of its time: it calls for more in the
        // table then. The first run without that is within the bound; without the rule no run is.
        let is_within = |_| digests(std::slice::from_ref(&message), &plan).1.peak_table <= most;
        assert!((0..40).any(is_within), "{name} with {threads} threads: more than {most} bytes at once in 40 runs");
    }
}
