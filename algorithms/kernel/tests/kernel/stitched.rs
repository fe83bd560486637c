//! Several functions of one message together: every kernel of a set that this CPU can run, and the
//! choice among them.

use crate::rows::{big, little, md5_oracle, noise, padded, sha1_second, sha256_second, sha512_second};
use pfh_kernel::stitched::{self, Set};
use pfh_kernel::{MD5, SHA1, SHA256, SHA512, md5, sha1, sha256, sha512};

/// Compresses the whole blocks of a message by `compress`, which gets the states of `set`, pads
/// each function's rest, and compares with the crates.
fn stitched_holds(set: Set, message: &[u8], what: &str, compress: impl FnOnce(stitched::States<'_>, &[u8])) {
    let whole = message.len() / 128 * 128;
    let (mut a, mut b, mut c, mut d) = (md5::INITIAL, sha1::INITIAL, sha256::INITIAL, sha512::INITIAL);
    let states = stitched::States {
        md5: set.has(Set::MD5).then_some(&mut a),
        sha1: set.has(Set::SHA1).then_some(&mut b),
        sha256: set.has(Set::SHA256).then_some(&mut c),
        sha512: set.has(Set::SHA512).then_some(&mut d),
    };
    compress(states, &message[..whole]);
    // The padding differs, and each goes by itself.
    let what = format!("{} bytes, {what}", message.len());
    if set.has(Set::MD5) {
        let padded = padded(message, 64, false);
        MD5.one().compress(&mut a, &[&padded[whole..]], (padded.len() - whole) / 64, 64);
        assert_eq!(little(&a), md5_oracle(message), "{what}");
    }
    let short = padded(message, 64, true);
    let rest = (short.len() - whole) / 64;
    if set.has(Set::SHA1) {
        SHA1.one().compress(&mut b, &[&short[whole..]], rest, 64);
        assert_eq!(big(&b), sha1_second(message), "{what}");
    }
    if set.has(Set::SHA256) {
        SHA256.one().compress(&mut c, &[&short[whole..]], rest, 64);
        assert_eq!(big(&c), sha256_second(message), "{what}");
    }
    if set.has(Set::SHA512) {
        let padded = padded(message, 128, true);
        SHA512.one().compress(&mut d, &[&padded[whole..]], (padded.len() - whole) / 128, 128);
        let digest: Vec<u8> = d.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(digest, sha512_second(message), "{what}");
    }
}

/// Every kernel of a set, chosen or not, and every set by the plan of this machine, over messages
/// of up to nine long blocks, against the crates.
#[test]
fn stitched_sets() {
    for blocks in 0..=9usize {
        let message = noise(blocks as u64, if blocks == 0 { 0 } else { 128 * blocks - 9 - 7 * blocks });
        for kernel in stitched::ALL.iter().filter(|kernel| kernel.usable()) {
            let what = format!("{} by {}", kernel.functions(), kernel.name());
            stitched_holds(kernel.set(), &message, &what, |states, blocks| kernel.compress(states, blocks));
        }
        for set in Set::every() {
            stitched_holds(set, &message, &format!("{set:?}"), stitched::compress);
        }
    }
    let skipped = stitched::ALL.iter().filter(|kernel| !kernel.usable());
    for kernel in skipped {
        println!("skipped, this CPU or PFH_ISA lacks {}: {} by {}", kernel.isa(), kernel.functions(), kernel.name());
    }
}

/// A plan computes each function once, and costs no more than the functions one after the other.
#[test]
fn stitched_plans() {
    for set in Set::every() {
        let plan = stitched::plan(set);
        let mut left = set;
        for part in &plan.together {
            assert!(part.usable() && left.has(part.set()) && part.set().len() > 1, "{set:?}: {plan:?}");
            left = left.without(part.set());
        }
        assert_eq!(left, plan.in_turn, "{set:?}");
        assert!(plan.picoseconds <= set.each().map(|one| stitched::plan(one).picoseconds).sum(), "{set:?}: {plan:?}");
        assert_eq!(stitched::picoseconds(set).is_some(), !plan.together.is_empty());
    }
}

#[test]
#[should_panic(expected = "whole blocks")]
fn half_a_block_of_sha512_is_refused() {
    let (mut short, mut long) = (sha256::INITIAL, sha512::INITIAL);
    let states = stitched::States { sha256: Some(&mut short), sha512: Some(&mut long), ..Default::default() };
    stitched::compress(states, &[0; 192]);
}
