//! How sectors are encrypted: AES in XTS (IEEE 1619), CBC and ECB, with the vectors of BitLocker
//! and of dm-crypt, and BitLocker's diffuser (Ferguson, *AES-CBC + Elephant diffuser*, 2006).

use aes::cipher::array::{Array, typenum::U16};
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use sha2::{Digest, Sha256};

type Block = Array<u8, U16>;

/// AES with a key of any of its lengths.
enum Aes {
    Short(Box<Aes128>),
    Middle(Box<Aes192>),
    Long(Box<Aes256>),
}

impl Aes {
    /// `None` for a key of another length.
    fn new(key: &[u8]) -> Option<Aes> {
        Some(match key.len() {
            16 => Aes::Short(Box::new(Aes128::new_from_slice(key).ok()?)),
            24 => Aes::Middle(Box::new(Aes192::new_from_slice(key).ok()?)),
            32 => Aes::Long(Box::new(Aes256::new_from_slice(key).ok()?)),
            _ => return None,
        })
    }

    fn encrypt(&self, block: [u8; 16]) -> [u8; 16] {
        let mut block = Block::from(block);
        match self {
            Aes::Short(aes) => aes.encrypt_block(&mut block),
            Aes::Middle(aes) => aes.encrypt_block(&mut block),
            Aes::Long(aes) => aes.encrypt_block(&mut block),
        }
        block.into()
    }

    /// Several blocks at once, which the processor decrypts in parallel.
    fn decrypt(&self, blocks: &mut [Block]) {
        match self {
            Aes::Short(aes) => aes.decrypt_blocks(blocks),
            Aes::Middle(aes) => aes.decrypt_blocks(blocks),
            Aes::Long(aes) => aes.decrypt_blocks(blocks),
        }
    }
}

/// How a sector's initialization vector is made.
enum Vector {
    /// The place in bytes, encrypted with the key itself: BitLocker.
    EncryptedPlace,
    /// The number of the sector: 32 or 64 bits of it (`plain`, `plain64`).
    Number { bits: u32 },
    /// The number of the sector, encrypted with a digest of the key (`essiv:sha256`).
    Essiv(Aes),
}

enum Mode {
    Xts { aes: Aes, tweak: Aes, bits: u32 },
    Cbc { aes: Aes, vector: Vector, diffuser: Option<Aes> },
    Ecb(Aes),
}

/// A cipher over sectors.
pub struct Cipher {
    mode: Mode,
    unit: usize,
    /// Bytes that each number of a sector counts.
    number: u64,
}

impl Cipher {
    /// AES-XTS over sectors; the key is the key of the data, followed by the key of the tweaks.
    /// `None` for a key of another length.
    pub fn xts(key: &[u8], unit: usize) -> Option<Cipher> {
        let (aes, tweak) = key.split_at_checked(key.len() / 2)?;
        let mode = Mode::Xts { aes: Aes::new(aes)?, tweak: Aes::new(tweak)?, bits: 64 };
        Some(Cipher { mode, unit, number: unit as u64 })
    }

    /// AES-CBC as BitLocker has it, with the key of the diffuser if there is one.
    pub fn bitlocker(key: &[u8], diffuser: Option<&[u8]>, unit: usize) -> Option<Cipher> {
        let diffuser = match diffuser {
            Some(key) => Some(Aes::new(key)?),
            None => None,
        };
        let mode = Mode::Cbc { aes: Aes::new(key)?, vector: Vector::EncryptedPlace, diffuser };
        Some(Cipher { mode, unit, number: 1 })
    }

    /// A cipher by dm-crypt's name (`aes-xts-plain64`, `aes-cbc-essiv:sha256`, `aes-ecb`). Numbers
    /// of sectors count 512 bytes. `None` if it is not known here, or the key is of another length.
    pub fn named(name: &str, key: &[u8], unit: usize) -> Option<Cipher> {
        let mode = match name {
            "aes-xts-plain64" | "aes-xts-plain" => {
                let (aes, tweak) = key.split_at_checked(key.len() / 2)?;
                let bits = if name.ends_with("64") { 64 } else { 32 };
                Mode::Xts { aes: Aes::new(aes)?, tweak: Aes::new(tweak)?, bits }
            }
            "aes-cbc-plain" => Mode::Cbc { aes: Aes::new(key)?, vector: Vector::Number { bits: 32 }, diffuser: None },
            "aes-cbc-plain64" => Mode::Cbc { aes: Aes::new(key)?, vector: Vector::Number { bits: 64 }, diffuser: None },
            "aes-cbc-essiv:sha256" => {
                let vector = Vector::Essiv(Aes::new(&Sha256::digest(key))?);
                Mode::Cbc { aes: Aes::new(key)?, vector, diffuser: None }
            }
            "aes-ecb" => Mode::Ecb(Aes::new(key)?),
            _ => return None,
        };
        Some(Cipher { mode, unit, number: 512 })
    }

    /// Bytes of a sector.
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// Decrypts whole sectors; the first one lies at this place.
    pub fn decrypt(&self, place: u64, data: &mut [u8]) {
        debug_assert!(data.len().is_multiple_of(self.unit) && place.is_multiple_of(self.unit as u64));
        for (index, sector) in data.chunks_exact_mut(self.unit).enumerate() {
            let place = place.wrapping_add((index * self.unit) as u64);
            self.sector(place, sector);
        }
    }

    fn sector(&self, place: u64, sector: &mut [u8]) {
        let number = place / self.number;
        match &self.mode {
            Mode::Xts { aes, tweak, bits } => xts(aes, tweak.encrypt(counted(number, *bits)), sector),
            Mode::Cbc { aes, vector, diffuser } => {
                let vector = match vector {
                    Vector::EncryptedPlace => aes.encrypt(counted(number, 64)),
                    Vector::Number { bits } => counted(number, *bits),
                    Vector::Essiv(of) => of.encrypt(counted(number, 64)),
                };
                cbc(aes, vector, sector);
                if let Some(key) = diffuser {
                    diffuse(sector);
                    whiten(key, number, sector);
                }
            }
            Mode::Ecb(aes) => aes.decrypt(blocks(sector)),
        }
    }
}

/// A number as a vector, little-endian.
fn counted(number: u64, bits: u32) -> [u8; 16] {
    let number = if bits == 32 { number & u64::from(u32::MAX) } else { number };
    u128::from(number).to_le_bytes()
}

fn blocks(sector: &mut [u8]) -> &mut [Block] {
    Block::slice_as_chunks_mut(sector).0
}

fn xor(block: &mut Block, with: &[u8]) {
    for (byte, with) in block.iter_mut().zip(with) {
        *byte ^= with;
    }
}

/// XTS without ciphertext stealing: a sector is whole blocks.
fn xts(aes: &Aes, first: [u8; 16], sector: &mut [u8]) {
    let mut tweak = u128::from_le_bytes(first);
    for some in blocks(sector).chunks_mut(8) {
        let mut tweaks = [[0; 16]; 8];
        for (block, own) in some.iter_mut().zip(&mut tweaks) {
            *own = tweak.to_le_bytes();
            xor(block, own);
            // Multiplied by x in GF(2^128), x^128 = x^7 + x^2 + x + 1.
            tweak = (tweak << 1) ^ if tweak >> 127 == 1 { 0x87 } else { 0 };
        }
        aes.decrypt(some);
        for (block, own) in some.iter_mut().zip(&tweaks) {
            xor(block, own);
        }
    }
}

fn cbc(aes: &Aes, mut vector: [u8; 16], sector: &mut [u8]) {
    for some in blocks(sector).chunks_mut(8) {
        let mut before = [[0; 16]; 8];
        for (block, before) in some.iter().zip(&mut before) {
            *before = std::mem::replace(&mut vector, (*block).into());
        }
        aes.decrypt(some);
        for (block, before) in some.iter_mut().zip(&before) {
            xor(block, before);
        }
    }
}

/// Both diffusers backwards: B three times, then A five times (Ferguson, section 4.5).
fn diffuse(sector: &mut [u8]) {
    let mut words: Vec<u32> =
        sector.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    let count = words.len();
    for _ in 0..3 {
        for i in 0..count {
            let rotated = words[(i + 5) % count].rotate_left([0, 10, 0, 25][i % 4]);
            words[i] = words[i].wrapping_add(words[(i + 2) % count] ^ rotated);
        }
    }
    for _ in 0..5 {
        for i in 0..count {
            let rotated = words[(i + count - 5) % count].rotate_left([9, 0, 13, 0][i % 4]);
            words[i] = words[i].wrapping_add(words[(i + count - 2) % count] ^ rotated);
        }
    }
    for (four, word) in sector.chunks_exact_mut(4).zip(words) {
        four.copy_from_slice(&word.to_le_bytes());
    }
}

/// Takes the sector's key off: two encryptions of its place.
fn whiten(key: &Aes, place: u64, sector: &mut [u8]) {
    let mut second = counted(place, 64);
    second[15] = 128;
    let (first, second) = (key.encrypt(counted(place, 64)), key.encrypt(second));
    for both in sector.chunks_mut(32) {
        for (byte, with) in both.iter_mut().zip(first.iter().chain(&second)) {
            *byte ^= with;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap()
    }

    /// IEEE 1619-2007, annex B: vectors 1, 2 and 4 (the first blocks of it).
    #[test]
    fn xts_as_in_the_standard() {
        let cases = [
            (
                "00".repeat(32),
                0_u64,
                "917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e",
                "00".repeat(32),
            ),
            (
                ["11".repeat(16), "22".repeat(16)].concat(),
                0x33_3333_3333,
                "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
                "44".repeat(32),
            ),
        ];
        for (key, number, cipher, plain) in cases {
            let mut data = hex(cipher);
            let found = Cipher::xts(&hex(&key), 32).unwrap();
            found.decrypt(number * 32, &mut data);
            assert_eq!(data, hex(&plain));
        }
    }

    #[test]
    fn a_key_of_another_length_is_none() {
        for length in [0, 1, 15, 31, 33, 47, 65] {
            assert!(
                Cipher::xts(&vec![0; length], 512).is_none()
                    && Cipher::named("aes-ecb", &vec![0; length], 512).is_none()
            );
        }
        assert!(Cipher::named("serpent-xts-plain64", &[0; 64], 512).is_none());
    }
}
