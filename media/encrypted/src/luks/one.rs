//! LUKS1: a header of 592 bytes.

use super::derive::{self, Hash, MOST_ROUNDS};
use super::proof::{Digest, LONGEST_KEY, MOST_STRIPES, no_key};
use super::split;
use crate::decrypted::{Extent, Kind, PlainVolume};
use crate::failure::Failure;
use crate::field::{be32, read};
use crate::key::Keys;
use crate::mode::Cipher;
use crate::opened::OpenedVolume;
use pfh_container::Bytes;
use std::sync::Arc;
use zeroize::Zeroizing;

const HEADER: usize = 592;
const SLOTS: usize = 208;
const ENABLED: u32 = 0x00ac_71f3;

/// A text that ends with a zero.
fn text(header: &[u8], at: usize) -> String {
    let field = &header[at..at + 32];
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

pub fn open(bytes: &Arc<dyn Bytes>, keys: &Keys) -> Result<OpenedVolume, Failure> {
    let header = read(&**bytes, 0, HEADER)?;
    let hash = Hash::named(&text(&header, 72))?;
    let name = format!("{}-{}", text(&header, 8), text(&header, 40));
    let length = be32(&header, 108) as usize;
    if !(1..=LONGEST_KEY).contains(&length) {
        return Err(Failure::damaged(108, format!("a LUKS key of {length} bytes")));
    }
    let digest = Digest {
        hash,
        digest: header[112..132].to_vec(),
        salt: header[132..164].to_vec(),
        iterations: be32(&header, 164),
    };
    if digest.iterations > MOST_ROUNDS {
        return Err(Failure::damaged(164, "an impossible number of rounds"));
    }
    let mut enabled = 0;
    for slot in 0..8 {
        let at = SLOTS + slot * 48;
        let field = |behind: usize| be32(&header, at + behind);
        if field(0) != ENABLED {
            continue;
        }
        enabled += 1;
        let (iterations, offset, stripes) = (field(4), u64::from(field(40)) * 512, field(44));
        if iterations > MOST_ROUNDS || !(1..=MOST_STRIPES).contains(&stripes) {
            return Err(Failure::damaged(at as u64, format!("LUKS key slot {slot} is impossible")));
        }
        let area = read(&**bytes, offset, (length * stripes as usize).next_multiple_of(512))?;
        for key in keys.iter() {
            let mut own = Zeroizing::new(vec![0; length]);
            derive::pbkdf2(hash, key.bytes(), &header[at + 8..at + 40], iterations, &mut own);
            let Some(cipher) = Cipher::named(&name, &own, 512) else {
                return Err(Failure::Unread(format!("LUKS with the cipher {name}")));
            };
            let mut area = Zeroizing::new(area.clone());
            cipher.decrypt(0, &mut area);
            let found = split::merge(&area[..length * stripes as usize], length, hash);
            let Some(found) = found.filter(|found| digest.holds(found)) else { continue };
            let cipher = Cipher::named(&name, &found, 512).expect("one of this length was made");
            let payload = u64::from(be32(&header, 104)) * 512;
            let size = bytes
                .size()
                .checked_sub(payload)
                .ok_or_else(|| Failure::damaged(104, "the LUKS volume's data begin behind its end"))?;
            let extents = vec![Extent { start: 0, kind: Kind::Encrypted { at: payload, place: 0 } }];
            let plain = PlainVolume::new(bytes.clone(), cipher, size - size % 512, extents);
            let by = format!("key slot {slot}");
            return Ok(OpenedVolume { format: "LUKS1", bytes: Arc::new(plain), by, warnings: Vec::new() });
        }
    }
    Err(no_key(enabled, keys))
}
