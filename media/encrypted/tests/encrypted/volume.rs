//! A BitLocker volume, made by J. Metz's description of the format.

use crate::cipher;
use aes::Aes256;
use ccm::aead::{Aead, KeyInit};
use ccm::consts::{U12, U16};
use sha2::{Digest, Sha256};

/// Where the three copies of the metadata lie, and the first sectors of the plain volume.
pub const COPIES: [u64; 3] = [0x2_0000, 0x4_0000, 0x6_0000];
pub const HEADER: u64 = 0x8_0000;
pub const ROOM: u64 = 0x1_0000;
pub const FIRST: u64 = 0x2000;
pub const VOLUME_KEY: [u8; 32] = [7; 32];
pub const SALT: [u8; 16] = [9; 16];
pub const ID: [u8; 16] = *b"protector's id!!";

/// How a volume is encrypted.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    pub number: u16,
    pub key: usize,
    pub is_xts: bool,
    pub diffuses: bool,
}

pub const METHODS: [Method; 6] = [
    Method { number: 0x8000, key: 16, is_xts: false, diffuses: true },
    Method { number: 0x8001, key: 32, is_xts: false, diffuses: true },
    Method { number: 0x8002, key: 16, is_xts: false, diffuses: false },
    Method { number: 0x8003, key: 32, is_xts: false, diffuses: false },
    Method { number: 0x8004, key: 32, is_xts: true, diffuses: false },
    Method { number: 0x8005, key: 64, is_xts: true, diffuses: false },
];

impl Method {
    pub fn data_key(&self) -> Vec<u8> {
        let length = if self.diffuses { 64 } else { self.key };
        pfh_inject::random(u64::from(self.number), length)
    }

    pub fn encrypt(&self, place: u64, data: &mut [u8], sector: usize) {
        let all = self.data_key();
        for (at, one) in data.chunks_exact_mut(sector).enumerate() {
            let place = place + (at * sector) as u64;
            if self.is_xts {
                cipher::xts(&all, place / sector as u64, one);
                continue;
            }
            let key = &all[..self.key];
            if self.diffuses {
                cipher::diffuse(&all[32..32 + self.key], place, one);
            }
            cipher::cbc(key, cipher::block(key, cipher::vector(place)), one);
        }
    }
}

pub fn entry(kind: u16, value: u16, data: &[u8]) -> Vec<u8> {
    let head = [(8 + data.len()) as u16, kind, value, 1];
    head.iter().flat_map(|field| field.to_le_bytes()).chain(data.iter().copied()).collect()
}

/// A key as it stands in the clear: its method, its bytes.
pub fn clear(key: &[u8]) -> Vec<u8> {
    entry(0, 1, &[&0x2000_u32.to_le_bytes()[..], key].concat())
}

/// A key wrapped with another.
pub fn wrap(kind: u16, by: &[u8; 32], method: u16, key: &[u8]) -> Vec<u8> {
    let nonce = [kind as u8 + 1; 12];
    let plain = [&[0_u8; 8][..], &u32::from(method).to_le_bytes(), key].concat();
    let sealed = ccm::Ccm::<Aes256, U16, U12>::new_from_slice(by).unwrap().encrypt(&nonce.into(), &*plain).unwrap();
    let (bytes, tag) = sealed.split_at(sealed.len() - 16);
    entry(kind, 5, &[&nonce[..], tag, bytes].concat())
}

/// A protector of this kind whose own entries are these.
pub fn protector(kind: u16, entries: &[Vec<u8>]) -> Vec<u8> {
    let head = [&ID[..], &[0; 10], &kind.to_le_bytes()].concat();
    entry(2, 8, &[head, entries.concat()].concat())
}

pub fn stretched(start: [u8; 32]) -> [u8; 32] {
    let mut last = [0; 32];
    for round in 0..1_u64 << 20 {
        last = Sha256::digest([&last[..], &start, &SALT, &round.to_le_bytes()].concat()).into();
    }
    last
}

/// A protector by a password's start of the stretching.
pub fn by_password(kind: u16, start: [u8; 32]) -> Vec<u8> {
    let salt = entry(0, 3, &[&[0; 4][..], &SALT].concat());
    protector(kind, &[salt, wrap(0, &stretched(start), 0x2002, &VOLUME_KEY)])
}

/// One copy of the metadata.
pub fn metadata(method: Method, encrypted: u64, protectors: &[Vec<u8>]) -> Vec<u8> {
    let mut entries = protectors.concat();
    entries.extend(wrap(3, &VOLUME_KEY, method.number, &method.data_key()));
    entries.extend(entry(0xf, 0xf, &[HEADER.to_le_bytes(), FIRST.to_le_bytes()].concat()));
    let mut block = vec![0; 112];
    block[..8].copy_from_slice(b"-FVE-FS-");
    block[10..12].copy_from_slice(&2_u16.to_le_bytes());
    block[16..24].copy_from_slice(&encrypted.to_le_bytes());
    block[28..32].copy_from_slice(&16_u32.to_le_bytes());
    for (at, place) in COPIES.iter().enumerate() {
        block[32 + 8 * at..40 + 8 * at].copy_from_slice(&place.to_le_bytes());
    }
    block[56..64].copy_from_slice(&HEADER.to_le_bytes());
    let size = 48 + entries.len() as u32;
    block[64..68].copy_from_slice(&size.to_le_bytes());
    block.extend(entries);
    block.resize(block.len().next_multiple_of(16), 0);
    let units = (block.len() / 16) as u16;
    block[8..10].copy_from_slice(&units.to_le_bytes());
    seal(block)
}

/// The checksum, and the wrapped digest, behind the metadata.
pub fn seal(mut block: Vec<u8>) -> Vec<u8> {
    let length = block.len();
    let crc = crc32fast::hash(&block).to_le_bytes();
    let digest: [u8; 32] = Sha256::digest(&block).into();
    let proof = wrap(0, &VOLUME_KEY, 0x2005, &digest);
    block.extend([((8 + proof.len()) as u16).to_le_bytes(), [1, 0]].concat());
    block.extend(crc);
    block.extend(proof);
    assert!(block.len() - length < 256);
    block
}

/// The encrypted volume of a plain one, up to `encrypted`.
pub fn volume(plain: &[u8], method: Method, encrypted: u64, protectors: &[Vec<u8>], sector: usize) -> Vec<u8> {
    let mut volume = plain.to_vec();
    let first = plain[..FIRST as usize].to_vec();
    volume[HEADER as usize..(HEADER + FIRST) as usize].copy_from_slice(&first);
    let end = (encrypted as usize).min(volume.len());
    method.encrypt(0, &mut volume[..end], sector);
    volume[..FIRST as usize].fill(0);
    volume[3..11].copy_from_slice(b"-FVE-FS-");
    volume[11..13].copy_from_slice(&(sector as u16).to_le_bytes());
    volume[13] = 8;
    let id = [0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a, 0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 0x01];
    volume[0xa0..0xb0].copy_from_slice(&id);
    for (at, place) in COPIES.iter().enumerate() {
        volume[0xb0 + 8 * at..0xb8 + 8 * at].copy_from_slice(&place.to_le_bytes());
        let copy = metadata(method, encrypted, protectors);
        volume[*place as usize..(*place + ROOM) as usize].fill(0);
        volume[*place as usize..*place as usize + copy.len()].copy_from_slice(&copy);
    }
    volume
}

/// The plain volume as it is read back: its metadata and the sectors that were moved are zeros.
pub fn expected(plain: &[u8]) -> Vec<u8> {
    let mut plain = plain.to_vec();
    for place in COPIES {
        plain[place as usize..(place + ROOM) as usize].fill(0);
    }
    plain[HEADER as usize..(HEADER + FIRST) as usize].fill(0);
    plain
}
