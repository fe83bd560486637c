//! Evidence with bytes that were changed: reading it always ends.

use super::pst_store::Layout;
use super::{ad1, aff4, l01, lx01, mail, noise, pst};
use pfh_archive::{Format, Limits, open};
use pfh_container::logical::Logical;
use pfh_inject::mutants;
use std::io::{Read, copy, sink};
use std::sync::Arc;

fn exhaust(format: Format, bytes: Vec<u8>) {
    let limits = Limits { bytes: 1 << 20, entries: 1000, window: 1 << 24, ..Limits::default() };
    let Ok(nodes) = open(format, Arc::new(bytes), b"m", &limits) else { return };
    for node in nodes.flatten().take(2000) {
        if let Some(Ok(reader)) = node.content.map(|content| content.open()) {
            let read = copy(&mut reader.take(4 << 20), &mut sink());
            assert!(!matches!((read, node.size), (Ok(read), Some(size)) if size < 4 << 20 && read != size));
        }
    }
}

#[test]
fn mutants_end() {
    let line = "From a@b Thu Nov 26 20:00:00 2026\n";
    let mbox = [line.as_bytes(), &mail::sample(), b"\n", line.as_bytes(), &mail::sample()].concat();
    let samples = [
        (Format::Logical(Logical::L01), l01::write(&l01::sample(), 1).remove(0)),
        (Format::Logical(Logical::Lx01), lx01::write(&l01::sample(), 1).remove(0)),
        (Format::Logical(Logical::Ad1), ad1::write(&l01::sample(), 1 << 20).remove(0)),
        (Format::Logical(Logical::Aff4), aff4::write(b"words", &noise(9000))),
        (Format::Message, mail::sample()),
        (Format::Mbox, mbox),
        (Format::Pst, pst::sample(Layout::Unicode)),
        (Format::Pst, pst::sample(Layout::Large)),
    ];
    for (format, sample) in samples {
        let used: Vec<usize> = (0..sample.len()).filter(|at| (1..255).contains(&sample[*at])).collect();
        for seed in 0..mutants() {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state as usize
            };
            let mut mutant = sample.clone();
            for _ in 0..1 + seed % 3 {
                let at = match next() % 3 {
                    0 => next() % sample.len().min(2048),
                    1 => used[next() % used.len()],
                    _ => sample.len() - 1 - next() % sample.len().min(4096),
                };
                mutant[at] = next() as u8;
            }
            if seed % 16 == 0 {
                mutant.truncate(next() % sample.len());
            }
            exhaust(format, mutant);
        }
    }
}
