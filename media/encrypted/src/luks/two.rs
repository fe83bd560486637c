//! LUKS2: two copies of a binary header and of a description in JSON.

use super::derive::{Derivation, Hash, MOST_ROUNDS};
use super::proof::{Digest, LONGEST_KEY, MAGIC, MOST_STRIPES, no_key};
use super::split;
use crate::decrypted::{Extent, Kind, PlainVolume};
use crate::failure::Failure;
use crate::field::{be64, read, read_some};
use crate::key::Keys;
use crate::mode::Cipher;
use crate::opened::OpenedVolume;
use argon2::Algorithm;
use data_encoding::BASE64;
use pfh_container::Bytes;
use serde::Deserialize;
use sha2::{Digest as _, Sha256, Sha512};
use std::collections::BTreeMap;
use std::sync::Arc;
use zeroize::Zeroizing;

const BINARY: usize = 4096;
/// Where the second copy may begin, by the size of the first.
const SECONDS: [u64; 9] = [0x4000, 0x8000, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0x10_0000, 0x20_0000, 0x40_0000];
const SECOND: &[u8; 6] = b"SKUL\xba\xbe";

/// Numbers beyond 32 bits are texts there.
#[derive(Deserialize)]
struct Description {
    keyslots: BTreeMap<String, Slot>,
    segments: BTreeMap<String, Segment>,
    digests: BTreeMap<String, Proof>,
}

#[derive(Deserialize)]
struct Slot {
    #[serde(rename = "type")]
    kind: String,
    key_size: usize,
    af: Option<Stripes>,
    area: Area,
    kdf: Option<Kdf>,
}

#[derive(Deserialize)]
struct Stripes {
    stripes: u32,
    hash: String,
}

#[derive(Deserialize)]
struct Area {
    offset: String,
    encryption: Option<String>,
    key_size: Option<usize>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Kdf {
    Pbkdf2 { hash: String, iterations: u32, salt: String },
    Argon2i { time: u32, memory: u32, cpus: u32, salt: String },
    Argon2id { time: u32, memory: u32, cpus: u32, salt: String },
}

#[derive(Deserialize)]
struct Segment {
    #[serde(rename = "type")]
    kind: String,
    offset: String,
    size: String,
    #[serde(default)]
    iv_tweak: String,
    #[serde(default)]
    encryption: String,
    #[serde(default)]
    sector_size: usize,
    /// Authenticated encryption keeps its tags elsewhere.
    integrity: Option<serde_json::Value>,
    #[serde(default)]
    flags: Vec<String>,
}

#[derive(Deserialize)]
struct Proof {
    #[serde(rename = "type")]
    kind: String,
    keyslots: Vec<String>,
    segments: Vec<String>,
    hash: String,
    iterations: u32,
    salt: String,
    digest: String,
}

/// One copy of the header: its description.
fn copy(bytes: &dyn Bytes, at: u64) -> Result<Description, Failure> {
    let damaged = |what: &str| Failure::damaged(at, format!("the LUKS2 header {what}"));
    let mut binary = read(bytes, at, BINARY)?;
    let magic = if at == 0 { MAGIC } else { SECOND };
    if !binary.starts_with(magic) || be64(&binary, 256) != at {
        return Err(damaged("does not begin there"));
    }
    let size = be64(&binary, 8);
    if !SECONDS.contains(&size) {
        return Err(damaged("has an impossible size"));
    }
    let json = read(bytes, at + BINARY as u64, size as usize - BINARY)?;
    let says = binary[448..512].to_vec();
    binary[448..512].fill(0);
    let found = match &binary[72..79] {
        b"sha256\0" => Sha256::new().chain_update(&binary).chain_update(&json).finalize().to_vec(),
        b"sha512\0" => Sha512::new().chain_update(&binary).chain_update(&json).finalize().to_vec(),
        _ => return Err(damaged("has a checksum that is not known")),
    };
    if !says.starts_with(&found) {
        return Err(damaged("has another checksum"));
    }
    let end = json.iter().position(|byte| *byte == 0).unwrap_or(json.len());
    serde_json::from_slice(&json[..end]).map_err(|error| damaged(&format!("is not described as LUKS2: {error}")))
}

/// Whether the second copy of a header stands at one of its places.
pub fn has_second(bytes: &dyn Bytes) -> Result<bool, Failure> {
    for at in SECONDS {
        let head = read_some(bytes, at, 264)?;
        if head.starts_with(SECOND) && be64(&head, 256) == at {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The description, and the faults of either copy.
fn describe(bytes: &dyn Bytes) -> Result<(Description, Vec<Failure>), Failure> {
    let first = match copy(bytes, 0) {
        Ok(found) => {
            let place = be64(&read(bytes, 0, BINARY)?, 8);
            let warnings = copy(bytes, place).err().into_iter().collect();
            return Ok((found, warnings));
        }
        Err(failure) => failure,
    };
    for at in SECONDS {
        if read_some(bytes, at, 6)? == SECOND
            && let Ok(found) = copy(bytes, at)
        {
            return Ok((found, vec![first]));
        }
    }
    Err(first)
}

fn damaged(what: impl Into<String>) -> Failure {
    Failure::damaged(BINARY as u64, what)
}

fn number(text: &str) -> Result<u64, Failure> {
    text.parse().map_err(|_| damaged(format!("{text:?} in the LUKS2 description is not a number")))
}

fn base64(text: &str) -> Result<Vec<u8>, Failure> {
    BASE64.decode(text.as_bytes()).map_err(|_| damaged("a text in the LUKS2 description is not base64"))
}

impl Kdf {
    fn derivation(&self) -> Result<Derivation, Failure> {
        let argon2 = |algorithm, (time, memory, lanes): (&u32, &u32, &u32), salt: &str| {
            let salt = base64(salt)?;
            Ok(Derivation::Argon2 { algorithm, time: *time, memory: *memory, lanes: *lanes, salt })
        };
        match self {
            Kdf::Pbkdf2 { hash, iterations, salt } => {
                Ok(Derivation::Pbkdf2 { hash: Hash::named(hash)?, iterations: *iterations, salt: base64(salt)? })
            }
            Kdf::Argon2i { time, memory, cpus, salt } => argon2(Algorithm::Argon2i, (time, memory, cpus), salt),
            Kdf::Argon2id { time, memory, cpus, salt } => argon2(Algorithm::Argon2id, (time, memory, cpus), salt),
        }
    }
}

/// The key that a slot keeps, by one of the keys at hand; not yet proved.
fn slot_key(bytes: &dyn Bytes, slot: &Slot, key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let (Some(af), Some(kdf)) = (&slot.af, &slot.kdf) else {
        return Err(damaged("a LUKS2 key slot without its derivation"));
    };
    let own = slot.area.key_size.unwrap_or(slot.key_size);
    if !(1..=LONGEST_KEY).contains(&slot.key_size)
        || !(1..=LONGEST_KEY).contains(&own)
        || !(1..=MOST_STRIPES).contains(&af.stripes)
    {
        return Err(damaged("a LUKS2 key slot with impossible sizes"));
    }
    let name = slot.area.encryption.as_deref().unwrap_or_default();
    let length = slot.key_size * af.stripes as usize;
    let mut area = Zeroizing::new(read(bytes, number(&slot.area.offset)?, length.next_multiple_of(512))?);
    let mut derived = Zeroizing::new(vec![0; own]);
    kdf.derivation()?.key(key, &mut derived)?;
    let Some(cipher) = Cipher::named(name, &derived, 512) else {
        return Err(Failure::Unread(format!("LUKS2 with the cipher {name}")));
    };
    cipher.decrypt(0, &mut area);
    split::merge(&area[..length], slot.key_size, Hash::named(&af.hash)?)
        .ok_or_else(|| damaged("an empty LUKS2 key slot"))
}

pub fn open(bytes: &Arc<dyn Bytes>, keys: &Keys) -> Result<OpenedVolume, Failure> {
    let (description, warnings) = describe(&**bytes)?;
    let [segment] = description.segments.values().collect::<Vec<_>>()[..] else {
        let count = description.segments.len();
        return Err(Failure::Unread(format!("LUKS2 of {count} segments: reencryption in progress, or damaged")));
    };
    if segment.kind != "crypt" || segment.integrity.is_some() || !segment.flags.is_empty() {
        return Err(Failure::Unread(format!("LUKS2 with a segment of the kind {:?}, or with integrity", segment.kind)));
    }
    let mut slots = 0;
    let mut unread = None;
    for proof in description.digests.values().filter(|proof| !proof.segments.is_empty()) {
        if proof.kind != "pbkdf2" || proof.iterations > MOST_ROUNDS {
            return Err(Failure::Unread(format!("LUKS2 with a digest of the kind {:?}", proof.kind)));
        }
        let digest = Digest {
            hash: Hash::named(&proof.hash)?,
            salt: base64(&proof.salt)?,
            iterations: proof.iterations,
            digest: base64(&proof.digest)?,
        };
        if digest.digest.len() < 16 {
            return Err(damaged("a LUKS2 digest that is too short"));
        }
        for name in &proof.keyslots {
            let Some(slot) = description.keyslots.get(name) else { continue };
            if slot.kind != "luks2" {
                continue;
            }
            slots += 1;
            for key in keys.iter() {
                let found = match slot_key(&**bytes, slot, key.bytes()) {
                    Ok(found) => found,
                    // Another slot may be one that is known.
                    Err(failure @ Failure::Unread(_)) => {
                        unread = Some(failure);
                        break;
                    }
                    Err(failure) => return Err(failure),
                };
                if digest.holds(&found) {
                    return plain(bytes, segment, &found, format!("key slot {name}"), warnings);
                }
            }
        }
    }
    Err(unread.unwrap_or_else(|| no_key(slots, keys)))
}

/// The segment, decrypted.
fn plain(
    bytes: &Arc<dyn Bytes>,
    segment: &Segment,
    key: &[u8],
    by: String,
    warnings: Vec<Failure>,
) -> Result<OpenedVolume, Failure> {
    let unit = segment.sector_size;
    if !matches!(unit, 512 | 1024 | 2048 | 4096) {
        return Err(damaged(format!("LUKS2 sectors of {unit} bytes")));
    }
    let Some(cipher) = Cipher::named(&segment.encryption, key, unit) else {
        return Err(Failure::Unread(format!("LUKS2 with the cipher {}", segment.encryption)));
    };
    let at = number(&segment.offset)?;
    let there = bytes.size().checked_sub(at).ok_or_else(|| damaged("the LUKS2 data begin behind the volume's end"))?;
    let size = match &*segment.size {
        "dynamic" => there,
        text => number(text)?.min(there),
    };
    let tweak = number(if segment.iv_tweak.is_empty() { "0" } else { &segment.iv_tweak })?;
    let place = tweak.checked_mul(512).filter(|place| place.is_multiple_of(unit as u64));
    let place = place.ok_or_else(|| damaged("an impossible tweak of a LUKS2 segment"))?;
    let extents = vec![Extent { start: 0, kind: Kind::Encrypted { at, place } }];
    let plain = PlainVolume::new(bytes.clone(), cipher, size - size % unit as u64, extents);
    Ok(OpenedVolume { format: "LUKS2", bytes: Arc::new(plain), by, warnings })
}
