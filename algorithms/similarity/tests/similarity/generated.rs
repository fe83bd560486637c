//! Many generated inputs: sdhash beside the plain form, TLSH beside the crate, at each level of
//! `PFH_ISA` that this machine has.

use crate::inputs::{low, prng, text};
use ::tlsh::GeneratorType;
use pfh_kernel::Isa;
use pfh_similarity::sdhash::Sdhash;
use pfh_similarity::tlsh::Tlsh;
use pfh_similarity::{Hasher, Method, naive};
use std::process::Command;

/// How many inputs: 300, or what `PFH_INPUTS` says.
fn count() -> u64 {
    std::env::var("PFH_INPUTS").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

/// Numbers that depend on a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// Stretches of different kinds; most inputs are short, one in 64 can be longer than all that is
/// computed at a time.
fn input(seed: u64) -> Vec<u8> {
    let mut numbers = Numbers(seed ^ 0x5eed);
    let most = if numbers.below(64) == 0 { 40_000 } else { [700, 1_500, 2_500][numbers.below(3)] };
    let length = numbers.below(most);
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let (seed, some) = (numbers.0, 1 + numbers.below(length));
        bytes.extend(match numbers.below(8) {
            0 | 1 => prng(seed, some),
            2 => low(seed, some, 2 + (seed % 6) as u8),
            3 => text(seed, some),
            4 => vec![seed as u8; some],
            5 => prng(seed, 1 + seed as usize % 200).into_iter().cycle().take(some).collect(),
            6 => (0..some).map(|i| (i as u64).wrapping_add(seed) as u8).collect(),
            _ => prng(seed, some).into_iter().map(|byte| if byte > 250 { byte } else { 0 }).collect(),
        });
    }
    bytes.truncate(length);
    bytes
}

/// In pieces, which depend on the seed.
fn in_pieces<M: Method>(method: M, bytes: &[u8], seed: u64) -> Option<String>
where
    M::Digest: ToString,
{
    let mut numbers = Numbers(seed);
    let (mut hasher, mut rest) = (method.hasher(), bytes);
    while !rest.is_empty() {
        let most = [8, 300, 1 << 16][numbers.below(3)];
        let (piece, after) = rest.split_at((1 + numbers.below(most)).min(rest.len()));
        hasher.update(piece);
        rest = after;
    }
    hasher.finalize().ok().map(|digest| digest.to_string())
}

/// As many inputs as [`count`] says, at the level that the environment sets.
#[test]
fn inputs_of_one_level() {
    for seed in 0..count() {
        let bytes = input(seed);
        let print = |digest: Option<naive::sdhash::Digest>| digest.map(|digest| naive::sdhash::print(&digest));
        let (stream, blocks) = (naive::sdhash::stream(&bytes, ""), naive::sdhash::blocks(&bytes, "", 2 << 10));
        assert!(in_pieces(Sdhash::STREAM, &bytes, seed) == print(stream), "sdhash-stream of input {seed}");
        let method = Sdhash::with_blocks(2).expect("1 to 16");
        assert!(in_pieces(method, &bytes, seed) == print(blocks), "sdhash in blocks of input {seed}");
        let mut theirs = ::tlsh::TlshGenerator::new();
        theirs.update(&bytes);
        let theirs = theirs.finalize().ok().map(|digest| digest.to_string());
        assert_eq!(in_pieces(Tlsh, &bytes, seed), theirs, "tlsh of input {seed}");
    }
}

/// The level is fixed when a program starts: this one starts itself for each of the others.
#[test]
fn inputs_at_each_level() {
    let program = std::env::current_exe().expect("this program");
    for level in Isa::ALL.iter().filter(|level| level.detected()) {
        let mut test = Command::new(&program);
        test.args(["--exact", "generated::inputs_of_one_level"]).env("PFH_ISA", level.name());
        let output = test.output().expect("this program starts");
        assert!(output.status.success(), "{level}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{level}: the test ran");
    }
}
