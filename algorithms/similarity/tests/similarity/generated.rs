//! Many generated inputs: sdhash beside the plain form, TLSH beside the crate, at each level of
//! `PFH_ISA` that this machine has.

use crate::inputs::{low, prng, text};
use ::tlsh::GeneratorType;
use pfh_kernel::Isa;
use pfh_similarity::sdhash::Sdhash;
use pfh_similarity::tlsh::Tlsh;
use pfh_similarity::{Hasher, Method, naive};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::process::{Command, Stdio};

/// How many inputs: 300, or the number in `PFH_INPUTS`.
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

/// Inputs whose digests are compared together: the lines of all batches fit in a pipe.
fn size() -> u64 {
    (count() / 1000).max(100)
}

/// The beginning of the line of a batch.
const MARK: &str = "digests of batch ";

/// One number for all digests of a batch, or the same digests in another way.
fn batch(number: u64, digests: impl Fn(u64, &[u8]) -> [Option<String>; 3]) -> u64 {
    let mut all = DefaultHasher::new();
    for seed in number * size()..(number + 1) * size() {
        digests(seed, &input(seed)).hash(&mut all);
    }
    all.finish()
}

fn plain(_: u64, bytes: &[u8]) -> [Option<String>; 3] {
    let print = |digest: Option<naive::sdhash::Digest>| digest.map(|digest| naive::sdhash::print(&digest));
    let mut tlsh = ::tlsh::TlshGenerator::new();
    tlsh.update(bytes);
    [
        print(naive::sdhash::stream(bytes, "")),
        print(naive::sdhash::blocks(bytes, "", 2 << 10)),
        tlsh.finalize().ok().map(|digest| digest.to_string()),
    ]
}

fn ours(seed: u64, bytes: &[u8]) -> [Option<String>; 3] {
    let blocks = Sdhash::with_blocks(2).expect("1 to 16");
    [in_pieces(Sdhash::STREAM, bytes, seed), in_pieces(blocks, bytes, seed), in_pieces(Tlsh, bytes, seed)]
}

/// Prints a line for each batch at the level that the environment sets; the first of them is
/// compared here.
#[test]
fn inputs_of_one_level() {
    for number in 0..count().div_ceil(size()) {
        println!("\n{MARK}{number}: {:016x}", batch(number, ours));
    }
    assert_eq!(batch(0, ours), batch(0, plain));
}

/// The level is fixed when a program starts: this one starts itself for each level, and compares
/// the digests with the plain ones.
#[test]
fn inputs_at_each_level() {
    let program = std::env::current_exe().expect("this program");
    let start = |level: &Isa| {
        let mut test = Command::new(&program);
        test.args(["--exact", "generated::inputs_of_one_level", "--nocapture"]).env("PFH_ISA", level.name());
        (level.name(), test.stdout(Stdio::piped()).spawn().expect("this program starts"))
    };
    let levels: Vec<_> = Isa::ALL.iter().filter(|level| level.detected()).map(start).collect();
    let batches = count().div_ceil(size());
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let expected: BTreeMap<u64, u64> = std::thread::scope(|scope| {
        let share = |first| move || (first..batches).step_by(threads as usize).map(|i| (i, batch(i, plain))).collect();
        let shares: Vec<_> = (0..threads).map(|first| scope.spawn(share(first))).collect();
        shares.into_iter().flat_map(|share| -> Vec<_> { share.join().expect("plain digests") }).collect()
    });
    for (level, test) in levels {
        let output = test.wait_with_output().expect("this program ends");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{level}: {text}");
        let lines = text.lines().filter_map(|line| line.strip_prefix(MARK)?.split_once(": "));
        let found: BTreeMap<u64, u64> =
            lines.map(|(i, all)| (i.parse().expect(i), u64::from_str_radix(all, 16).expect(all))).collect();
        let other = expected.iter().find(|(i, all)| found.get(i) != Some(all));
        assert_eq!((found.len() as u64, other), (batches, None), "{level}: a batch of {} inputs", size());
    }
}
