//! Superblocks with bytes that were changed, and checksums that hold: reading always ends.

use super::layouts::LAYOUTS;
use super::maker::{Array, CHUNK, medium, own, seal, written};
use crate::tree::noise;
use pfh_inject::mutants;
use pfh_volume::{Piece, compose};

#[test]
fn mutants_end() {
    for seed in 1..=mutants() {
        let layout = &LAYOUTS[seed as usize % LAYOUTS.len()];
        let (_, data) = written(layout);
        let of = Array {
            level: layout.level,
            layout: layout.number,
            chunk: CHUNK,
            devices: data.len(),
            used: data[0].len() as u64,
            features: 1 | (seed as u32 & 0x1a),
            resync: u64::MAX,
            name: "box:data",
        };
        let pieces = data.iter().enumerate().filter_map(|(role, data)| {
            let mut image = of.member(own(role), data);
            let end = 4096 + 256 + 2 * of.devices;
            for pair in noise(seed * 64 + role as u64, 16).chunks(8) {
                let number = u64::from_le_bytes(pair.try_into().unwrap());
                // The identifier stays, so that they come together.
                let at = 4096 + (number >> 8) as usize % (end - 4096);
                if !(4096 + 16..4096 + 32).contains(&at) {
                    image[at] = number as u8;
                }
            }
            if seed % 4 > 0 {
                seal(&mut image[4096..end]);
            }
            Piece::of(b"", &medium(image))
        });
        for volume in compose(&pieces.collect::<Vec<_>>()).volumes.into_iter().flatten() {
            let mut buffer = vec![0; 8192];
            for at in [0, volume.bytes.size() / 2, volume.bytes.size().saturating_sub(1), u64::MAX] {
                let _ = volume.bytes.read_at(at, &mut buffer);
            }
        }
    }
}
