//! Every kernel under the scheduler, whichever this machine would choose, with all mixes of lengths
//! in its lanes: exhaustive for kernels of up to four lanes, every pair of lengths in every pair of
//! lanes for the wider ones.

use pfh_kernel::{Kernel, Word};

use super::{lanes, queue};
use crate::function::Blocks;
use crate::{Algorithm, Digest, Function, State, functions};

/// Bytes that differ from lane to lane.
fn message(lane: usize, length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * (2 * lane + 3) + i * i / 5 + 89 * lane) as u8).collect()
}

/// Twenty-four lengths about the ends of blocks, and about the room that padding leaves in a block.
fn lengths(block: usize) -> [usize; 24] {
    let field = block / 8;
    [
        0,
        1,
        block / 2,
        block - field - 2,
        block - field - 1,
        block - field,
        block - 2,
        block - 1,
        block,
        block + 1,
        block + block / 2,
        2 * block - field - 2,
        2 * block - field - 1,
        2 * block - field,
        2 * block - 2,
        2 * block - 1,
        2 * block,
        2 * block + 1,
        3 * block - field - 1,
        3 * block - field,
        3 * block - 1,
        3 * block,
        4 * block,
        4 * block + 1,
    ]
}

/// The digest as this crate's single kernels give it, which `tests/` hold against the crates of
/// others.
fn digests(algorithm: Algorithm, begun: &[u8], lane: usize, lengths: &[usize]) -> Vec<(Vec<u8>, Digest)> {
    let messages = lengths.iter().map(|length| message(lane, *length));
    messages.map(|message| (message.clone(), algorithm.digest(&[begun, &message].concat()))).collect()
}

/// Runs lanes filled with the lengths of these indices, and compares.
fn run<W: Word, const N: usize, const B: usize>(
    algorithm: Algorithm,
    begun: &Blocks<W, N, B>,
    kernel: &'static Kernel<W>,
    known: &[Vec<(Vec<u8>, Digest)>],
    indices: &[usize],
) {
    let lanes = indices.iter().enumerate().map(|(lane, index)| &known[lane][*index]);
    let messages: Vec<&[u8]> = lanes.clone().map(|(message, _)| &message[..]).collect();
    let mut queue = queue::Messages::new(begun.clone(), algorithm, &messages);
    lanes::run(&|_| kernel, &mut queue);
    let right = queue.digests().iter().zip(lanes).all(|(got, (_, expected))| got == expected);
    assert!(
        right,
        "{algorithm} on {}: lengths {:?}",
        kernel.name(),
        messages.iter().map(|m| m.len()).collect::<Vec<_>>()
    );
}

fn holds<W: Word, const N: usize, const B: usize>(function: &'static Function<W, N, B>, name: &str) {
    let algorithm: Algorithm = name.parse().unwrap();
    let lengths = lengths(B);
    let widest = function.compression().kernels().map(|kernel| kernel.lanes()).max().unwrap();
    // One lane more than the kernel has, so that one message waits and takes the place of another.
    let known: Vec<_> = (0..=widest).map(|lane| digests(algorithm, b"", lane, &lengths)).collect();
    let fresh = Blocks::sized(function, algorithm.length());
    // Two blocks that come before each message, as that of a key does. A function that counts holds
    // the last one back.
    let blocks = if function.is_sized() { Vec::new() } else { message(99, 2 * B) };
    let after: Vec<_> = (0..=widest).map(|lane| digests(algorithm, &blocks, lane, &lengths)).collect();
    let mut begun = fresh.clone();
    begun.update(&blocks);
    for kernel in function.compression().kernels() {
        let lanes = kernel.lanes();
        if lanes <= 4 {
            for combination in 0..24usize.pow(lanes as u32) {
                let indices: Vec<usize> = (0..lanes).map(|lane| combination / 24usize.pow(lane as u32) % 24).collect();
                run(algorithm, &fresh, kernel, &known, &indices);
            }
        } else {
            // An orthogonal array: a + b · lane modulo a prime takes every pair of values in every
            // pair of lanes as (a, b) go through all pairs.
            let prime = [29, 67].into_iter().find(|prime| lanes < *prime).unwrap();
            for (a, b) in (0..prime).flat_map(|a| (0..prime).map(move |b| (a, b))) {
                let indices: Vec<usize> = (0..=lanes).map(|lane| (a + b * lane) % prime % 24).collect();
                run(algorithm, &fresh, kernel, &known, &indices);
            }
        }
        for (a, b) in (0..24).flat_map(|a| (0..5).map(move |b| (a, b))) {
            let indices: Vec<usize> = (0..=lanes).map(|lane| (a + b * lane) % 24).collect();
            run(algorithm, &begun, kernel, &after, &indices);
        }
    }
    let absent: Vec<_> = function.compression().absent().map(|(name, _)| name).collect();
    if !absent.is_empty() {
        println!("{name}: {} kernels skipped, which this CPU cannot run: {absent:?}", absent.len());
    }
}

#[test]
fn md5() {
    holds(&functions::MD5, "md5");
}
#[test]
fn sha1() {
    holds(&functions::SHA1, "sha1");
}
#[test]
fn sha256() {
    holds(&functions::SHA256, "sha256");
}
#[test]
fn sha512() {
    holds(&functions::SHA512, "sha512");
}
#[test]
fn sha3_256() {
    holds(&functions::SHA3_256, "sha3-256");
}
#[test]
fn ripemd160() {
    holds(&functions::RIPEMD160, "ripemd160");
}
#[test]
fn sm3() {
    holds(&functions::SM3, "sm3");
}
#[test]
fn blake2b() {
    holds(&functions::BLAKE2B, "blake2b");
    holds(&functions::BLAKE2B, "blake2b:20");
}
#[test]
fn blake2s() {
    holds(&functions::BLAKE2S, "blake2s");
    holds(&functions::BLAKE2S, "blake2s:31");
}
