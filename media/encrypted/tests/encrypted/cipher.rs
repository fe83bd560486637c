//! Encryption for the tests: XTS (IEEE 1619), CBC, ECB, BitLocker's diffuser (Ferguson 2006,
//! section 4).

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes256};

pub fn block(key: &[u8], mut block: [u8; 16]) -> [u8; 16] {
    let mut array = block.into();
    match key.len() {
        16 => Aes128::new_from_slice(key).unwrap().encrypt_block(&mut array),
        32 => Aes256::new_from_slice(key).unwrap().encrypt_block(&mut array),
        length => panic!("{length}"),
    }
    block.copy_from_slice(&array);
    block
}

fn xor(one: [u8; 16], other: &[u8]) -> [u8; 16] {
    std::array::from_fn(|at| one[at] ^ other[at])
}

pub fn vector(number: u64) -> [u8; 16] {
    u128::from(number).to_le_bytes()
}

pub fn xts(key: &[u8], number: u64, sector: &mut [u8]) {
    let (data, tweak) = key.split_at(key.len() / 2);
    let mut tweak = block(tweak, vector(number));
    for piece in sector.chunks_exact_mut(16) {
        let own = block(data, xor(tweak, piece));
        piece.copy_from_slice(&xor(own, &tweak));
        // One bit to the left, byte by byte, as the standard draws it.
        let mut carry = 0;
        for byte in &mut tweak {
            let next = *byte >> 7;
            *byte = (*byte << 1) | carry;
            carry = next;
        }
        if carry == 1 {
            tweak[0] ^= 0x87;
        }
    }
}

pub fn cbc(key: &[u8], mut before: [u8; 16], sector: &mut [u8]) {
    for piece in sector.chunks_exact_mut(16) {
        before = block(key, xor(before, piece));
        piece.copy_from_slice(&before);
    }
}

/// The sector's key, diffuser A, diffuser B.
pub fn diffuse(tweak: &[u8], place: u64, sector: &mut [u8]) {
    let mut second = vector(place);
    second[15] = 128;
    let own = [block(tweak, vector(place)), block(tweak, second)].concat();
    for (at, byte) in sector.iter_mut().enumerate() {
        *byte ^= own[at % 32];
    }
    let mut d: Vec<u32> = sector.chunks_exact(4).map(|four| u32::from_le_bytes(four.try_into().unwrap())).collect();
    let n = d.len();
    for i in (0..5 * n).rev().map(|step| step % n) {
        d[i] = d[i].wrapping_sub(d[(i + n - 2) % n] ^ d[(i + n - 5) % n].rotate_left([9, 0, 13, 0][i % 4]));
    }
    for i in (0..3 * n).rev().map(|step| step % n) {
        d[i] = d[i].wrapping_sub(d[(i + 2) % n] ^ d[(i + 5) % n].rotate_left([0, 10, 0, 25][i % 4]));
    }
    for (four, word) in sector.chunks_exact_mut(4).zip(d) {
        four.copy_from_slice(&word.to_le_bytes());
    }
}
