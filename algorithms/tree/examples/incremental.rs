//! The cost of an outboard tree: building it, changing one leaf, auditing, over file sizes.
//!
//! `cargo run --release -p pfh-tree --example incremental [LOG2_OF_GREATEST_SIZE] [ROUNDS]`
//! (default 30: 1 GiB, 200 rounds)
//!
//! The file is zeros but for the changed leaf, as a sparse file would be, and leaves have 16 KiB;
//! no input or output is measured. The changed tree's root is compared with the root after changing
//! back. Microseconds, minimum (median).

use std::hint::black_box;
use std::time::Instant;

use pfh_tree::audit::{Challenge, Commitment, Sample, prove};
use pfh_tree::outboard::{Builder, Function, Parameters};

const LEAF: usize = 16 << 10;

fn cell(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    format!("{:.1} ({:.1})", times[0], times[times.len() / 2])
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>().expect("a number"));
    let greatest = arguments.next().unwrap_or(30);
    let rounds = arguments.next().unwrap_or(200);
    println!(
        "{:9} {:>9} {:>10} {:>8} {:>18} {:>20} {:>20}",
        "function", "file", "build, ms", "values", "one leaf, us", "prove 459, us", "verify 459, us"
    );
    let piece = vec![0; 8 << 20];
    for function in Function::ALL {
        for log in (20..=greatest).step_by(2) {
            let start = Instant::now();
            let mut builder = Builder::new(Parameters::new(function, LEAF).expect("a power of two"));
            let length = 1usize << log;
            (0..length).step_by(piece.len()).for_each(|at| builder.update(&piece[..piece.len().min(length - at)]));
            let mut outboard = builder.finish();
            let build = start.elapsed().as_secs_f64() * 1e3;

            let (old, mut new) = (vec![0; LEAF], vec![0; LEAF]);
            let before = *outboard.root();
            let (mut update, mut computed) = (Vec::new(), 0);
            for round in 0..rounds {
                new[..8].copy_from_slice(&(round as u64 + 1).to_le_bytes());
                let index = (round * 7919) as u64 % outboard.leaf_count();
                let start = Instant::now();
                computed = outboard.update(black_box(&[(index, &new)])).expect("a leaf of the file");
                update.push(start.elapsed().as_secs_f64() * 1e6);
                assert_ne!(*outboard.root(), before);
                outboard.update(&[(index, &old)]).expect("a leaf of the file");
                assert_eq!(*outboard.root(), before);
            }

            let commitment = Commitment::of(&outboard);
            let (mut proving, mut verifying) = (Vec::new(), Vec::new());
            for round in 0..rounds.div_ceil(20) {
                let nonce = *blake3::hash(&round.to_le_bytes()).as_bytes();
                let challenge = Challenge::new(nonce, Vec::new(), &commitment, Sample::Leaves(459)).expect("a sample");
                let start = Instant::now();
                let read = |range: std::ops::Range<u64>| Ok(vec![0; (range.end - range.start) as usize]);
                let proof = prove(&challenge, &outboard, read).expect("data at hand");
                proving.push(start.elapsed().as_secs_f64() * 1e6);
                let start = Instant::now();
                commitment.verify(&challenge, &proof).expect("an honest proof");
                verifying.push(start.elapsed().as_secs_f64() * 1e6);
            }
            println!(
                "{:9} {:>6} MiB {build:>10.1} {computed:>8} {:>18} {:>20} {:>20}",
                function.name(),
                length >> 20,
                cell(&mut update),
                cell(&mut proving),
                cell(&mut verifying)
            );
        }
    }
}
