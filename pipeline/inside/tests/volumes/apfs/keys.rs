//! Bags of keys as macOS writes them, and the cipher forwards (RFC 3394, IEEE 1619).

#[path = "../../../../../media/encrypted/tests/encrypted/cipher.rs"]
#[allow(dead_code)]
mod forwards;

use super::blocks::{BLOCK, Blocks, put, seal};
use aes_kw::{KwAes128, KwAes256};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The UUIDs of the container and of its first volume.
const CONTAINER: [u8; 16] = [7; 16];
const VOLUME: [u8; 16] = [0x10; 16];

/// The password that opens a volume.
#[derive(Clone, Copy)]
pub struct Password {
    pub text: &'static [u8],
    pub rounds: u32,
    /// Whether keys have 16 bytes.
    pub is_short: bool,
}

/// Encrypts bytes in place: sectors of 512. The first is at this place in bytes.
pub fn cipher(key: &[u8], place: u64, bytes: &mut [u8]) {
    for (index, sector) in bytes.chunks_exact_mut(512).enumerate() {
        forwards::xts(key, place / 512 + index as u64, sector);
    }
}

/// A short key with that of its tweaks.
pub fn with_tweak(key: &[u8]) -> Vec<u8> {
    [key, &Sha256::digest([key, &VOLUME].concat())[..16]].concat()
}

/// A value in DER.
fn value(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = match content.len() {
        short @ ..0x80 => vec![short as u8],
        long => vec![0x81, long as u8],
    };
    [&[tag], &length[..], content].concat()
}

/// A wrapped key as an entry holds it.
fn wrapped(by: &[u8], key: &[u8], password: &Password, salt: Option<&[u8]>) -> Vec<u8> {
    let mut room = vec![0; key.len() + 8];
    match by.len() {
        16 => drop(KwAes128::new_from_slice(by).unwrap().wrap_key(key, &mut room).unwrap()),
        _ => drop(KwAes256::new_from_slice(by).unwrap().wrap_key(key, &mut room).unwrap()),
    }
    // Short keys stand in fields of the usual length.
    room.resize(40, 0);
    let mut inner = vec![
        value(0x80, &[0]),
        value(0x81, &VOLUME),
        value(0x82, &[if password.is_short { 2 } else { 0 }, 0, 0, 0, 1, 0, 0, 0]),
        value(0x83, &room),
    ];
    if let Some(salt) = salt {
        inner.push(value(0x84, &password.rounds.to_be_bytes()[1..]));
        inner.push(value(0x85, salt));
    }
    let blob = value(0xa3, &inner.concat());
    let salt = [9; 8];
    let secret = Sha256::digest([&[1, 0x16, 0x20, 0x17, 0x15, 5][..], &salt].concat());
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&secret).unwrap();
    mac.update(&blob);
    let code = mac.finalize().into_bytes();
    value(0x30, &[value(0x80, &[0]), value(0x81, &code), value(0x82, &salt), blob].concat())
}

/// Writes a bag.
fn bag(blocks: &mut Blocks, kind: u32, id: [u8; 16], entries: &[([u8; 16], u16, Vec<u8>)]) -> u64 {
    let mut body = vec![0; 48];
    put(&mut body, 8, 1, 8);
    put(&mut body, 24, u64::from(kind), 4);
    put(&mut body, 32, 2, 2);
    put(&mut body, 34, entries.len() as u64, 2);
    for (id, tag, data) in entries {
        body.extend(id);
        body.extend(tag.to_le_bytes());
        body.extend((data.len() as u16).to_le_bytes());
        body.extend([0; 4]);
        body.extend(data);
        body.resize(body.len().next_multiple_of(16), 0);
    }
    let length = body.len() - 32;
    put(&mut body, 36, length as u64, 4);
    body.resize(BLOCK, 0);
    seal(&mut body);
    let block = blocks.allocate(1);
    cipher(&[id, id].concat(), block * BLOCK as u64, &mut body);
    blocks.write(block, &body);
    block
}

/// The bags of a container and of its first volume, whose key this is: their blocks.
pub fn bags(blocks: &mut Blocks, key: &[u8], password: &Password) -> [u64; 2] {
    let length = if password.is_short { 16 } else { 32 };
    let (middle, salt) = (vec![0x5a; length], [3; 16]);
    let mut outer = [0; 32];
    pbkdf2::pbkdf2::<Hmac<Sha256>>(password.text, &salt, password.rounds, &mut outer).unwrap();
    let record = wrapped(&outer[..length], &middle, password, Some(&salt));
    // Somebody else's record comes first.
    let other = wrapped(&[1; 32][..length], &middle, password, Some(&salt));
    let entries = [([8; 16], 3, other), ([9; 16], 3, record), (VOLUME, 4, b"the usual one".to_vec())];
    let of_volume = bag(blocks, 0x7265_6373, VOLUME, &entries);
    // A long key has that of its tweaks with it.
    let own = if password.is_short { &key[..16] } else { key };
    let place = [of_volume.to_le_bytes(), 1_u64.to_le_bytes()].concat();
    let entries = [(VOLUME, 2, wrapped(&middle, own, password, None)), (VOLUME, 3, place)];
    [bag(blocks, 0x6b65_7973, CONTAINER, &entries), of_volume]
}
