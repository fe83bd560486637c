//! CoreStorage: volumes that the tests write after J. Metz's description, with real widths and
//! places of fields, and with keys that they wrap (RFC 3394).

use crate::{cipher, opened, passwords, whole};
use aes_kw::KwAes128;
use data_encoding::BASE64;
use flate2::{Compression, write::ZlibEncoder};
use hmac::Hmac;
use hmac::digest::KeyInit;
use pfh_encrypted::{Failure, Keys, OpenedVolume};
use pfh_inject::{mutants, random};
use sha2::{Digest, Sha256};
use std::io::Write;

const BLOCK: usize = 4096;
/// Blocks of the volume, of the copies of the plain metadata, of those of the encrypted, and where
/// the logical volume's two segments lie.
const BLOCKS: usize = 1200;
const PLAIN: [usize; 4] = [1, 3, 1191, 1193];
const ENCRYPTED: [usize; 2] = [100, 200];
const LENGTH: usize = 64;
const SEGMENTS: [(usize, usize, usize); 2] = [(0, 300, 400), (300, 33, 900)];
const KEY_DATA: [u8; 16] = *b"key of metadata!";
const PHYSICAL: [u8; 16] = *b"physical volume!";
const FAMILY: [u8; 16] = [0x1f, 1, 0xca, 0x34, 0x5f, 0x6c, 0x41, 0x23, 0xac, 12, 0xb0, 0xa2, 0x56, 0x88, 0x9d, 0xb2];
const FAMILY_TEXT: &str = "1F01CA34-5F6C-4123-AC0C-B0A256889DB2";
const VOLUME_KEY: [u8; 16] = *b"key of a volume!";

/// How a volume is made.
#[derive(Clone, Copy)]
struct Make {
    /// Whether its content is encrypted.
    secret: bool,
    /// Whether its context is a file beside it, as that of a volume that starts a Mac.
    apart: bool,
    /// Whether its properties are compressed, in a chain of blocks.
    packed: bool,
    /// The number of the medium that its segments lie on.
    medium: u16,
    status: &'static str,
}

const USUAL: Make = Make { secret: true, apart: false, packed: false, medium: 0, status: "Complete" };

/// CRC-32C without the last inversion, a bit at a time.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 };
    bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}

fn put(block: &mut [u8], at: usize, number: u64, size: usize) {
    block[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
}

fn seal(block: &mut [u8]) {
    put(block, 4, u64::from(u32::MAX), 4);
    let sum = crc(&block[8..]);
    put(block, 0, u64::from(sum), 4);
}

/// A block of metadata.
fn object(kind: u16, (time, id): (u64, u64), payload: &[u8]) -> Vec<u8> {
    let mut block = vec![0; 8192];
    for (at, number, size) in [(8, 1, 2), (10, u64::from(kind), 2), (16, time, 8), (24, id, 8), (48, 8192, 4)] {
        put(&mut block, at, number, size);
    }
    block[64..64 + payload.len()].copy_from_slice(payload);
    seal(&mut block);
    block
}

fn wrapped(by: &[u8; 16], key: &[u8; 16]) -> [u8; 24] {
    let mut room = [0; 24];
    KwAes128::new_from_slice(by).unwrap().wrap_key(key, &mut room).unwrap();
    room
}

/// The context with the keys of the volume, for one password behind another user's.
fn context(make: Make) -> String {
    if !make.secret {
        return "<key>WrappedVolumeKeys</key><key>BlockAlgorithm</key><string ID=\"9\">None</string>".to_owned();
    }
    let user = |password: &[u8], rounds: u32| {
        let (mut own, salt) = ([0; 16], [rounds as u8; 16]);
        pbkdf2::pbkdf2::<Hmac<Sha256>>(password, &salt, rounds, &mut own).unwrap();
        let mut raw = vec![0; 284];
        raw[8..24].copy_from_slice(&salt);
        raw[32..56].copy_from_slice(&wrapped(&own, &[5; 16]));
        put(&mut raw, 168, u64::from(rounds), 4);
        format!("<key>PassphraseWrappedKEKStruct</key>\n<data>\n{}\n</data>", BASE64.encode(&raw))
    };
    let mut raw = vec![0; 256];
    raw[8..32].copy_from_slice(&wrapped(&[5; 16], &VOLUME_KEY));
    format!(
        "<dict>{}{}<key>PassphraseHint</key><string>like always</string><key>BlockAlgorithm</key><string>None</string>\
         <key>KEKWrappedVolumeKeyStruct</key><data></data><key>BlockAlgorithm</key><string>AES-XTS</string>\
         <key>KEKWrappedVolumeKeyStruct</key><data>{}</data><key>ConversionStatus</key><string>{}</string></dict>",
        user(b"another's", 7),
        user(b"correct horse", 11),
        BASE64.encode(&raw),
        make.status
    )
}

/// The objects of a volume: states that are older stand behind the new ones.
fn objects(make: Make) -> Vec<Vec<u8>> {
    let size = SEGMENTS.iter().map(|segment| segment.1 * BLOCK).sum::<usize>() - 512;
    let about = format!(
        "<key>com.apple.corestorage.lv.familyUUID</key><string ID=\"1\">{FAMILY_TEXT}</string>\
         <key>com.apple.corestorage.lv.size</key><integer size=\"64\" ID=\"7\">{size:#x}</integer>"
    );
    let mut volume = vec![0; 120];
    let base = if make.apart { 30 } else { 0 };
    for (at, number, size) in [(0, 10, 8), (8, 8, 8), (48, base, 8), (64, 184, 4), (68, about.len() as u64, 4)] {
        put(&mut volume, at, number, size);
    }
    volume.extend(about.bytes());
    let mut segments = vec![0; 8];
    put(&mut segments, 0, SEGMENTS.len() as u64, 4);
    for (start, length, at) in SEGMENTS {
        let mut entry = [0; 40];
        put(&mut entry, 8, start as u64, 8);
        put(&mut entry, 16, length as u64, 4);
        // From a base where there is one.
        put(&mut entry, 32, (at - base as usize) as u64, 6);
        put(&mut entry, 38, u64::from(make.medium), 2);
        segments.extend(entry);
    }
    let mut bases = vec![0; 24];
    for (at, number, size) in [(0, 1, 4), (8, 600, 8), (16, base, 6)] {
        put(&mut bases, at, number, size);
    }
    let mut found = vec![object(0x1a, (5, 10), &volume), object(0x305, (5, 8), &segments)];
    if base > 0 {
        found.push(object(0x505, (5, base), &bases));
    }
    let text = format!(
        "<key>com.apple.corestorage.lvf.uuid</key><string ID=\"15\">{FAMILY_TEXT}</string>{}",
        if make.apart { String::new() } else { context(make) }
    );
    let mut packed = text.clone().into_bytes();
    if make.packed {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text.as_bytes()).unwrap();
        packed = encoder.finish().unwrap();
    }
    let first = if make.packed { packed.len() / 2 } else { packed.len() };
    let mut family = vec![0; 96];
    for (at, number, size) in [
        (32, if make.packed { 21 } else { 0 }, 8),
        (40, packed.len() as u64, 4),
        (44, text.len() as u64, 4),
        (48, 160, 4),
        (52, first as u64, 4),
    ] {
        put(&mut family, at, number, size);
    }
    family.extend(&packed[..first]);
    found.push(object(0x19, (5, 20), &family));
    if make.packed {
        let mut more = vec![0; 16];
        put(&mut more, 8, (packed.len() - first) as u64, 4);
        more.extend(&packed[first..]);
        found.push(object(0x24, (5, 21), &more));
    }
    // An older state, of another type of text, and one that was wiped.
    found.push(object(0x19, (4, 20), &[0; 96]));
    let mut wiped = object(0x24, (3, 40), b"");
    wiped[..8].copy_from_slice(b"LVFwiped");
    found.push(wiped);
    found
}

/// A medium with this logical volume.
fn medium(plain: &[u8], make: Make) -> Vec<u8> {
    let mut image = vec![0; BLOCKS * BLOCK];
    let mut header = vec![0; 512];
    for (at, number, size) in [(8, 1, 2), (10, 0x10, 2), (48, 512, 4), (64, (BLOCKS * BLOCK) as u64, 8)] {
        put(&mut header, at, number, size);
    }
    header[88..90].copy_from_slice(b"CS");
    for (at, number, size) in
        [(90, 1, 4), (94, 4, 2), (96, BLOCK as u64, 4), (100, 16384, 4), (168, 16, 4), (172, 2, 4)]
    {
        put(&mut header, at, number, size);
    }
    for (index, block) in PLAIN.into_iter().enumerate() {
        put(&mut header, 104 + 8 * index, block as u64, 8);
    }
    header[176..192].copy_from_slice(&KEY_DATA);
    header[304..320].copy_from_slice(&PHYSICAL);
    seal(&mut header);
    image[..512].copy_from_slice(&header);
    let end = image.len();
    image[end - 512..].copy_from_slice(&header);

    for (index, block) in PLAIN.into_iter().enumerate() {
        let mut payload = vec![0; 400];
        put(&mut payload, 0, 16384, 4);
        put(&mut payload, 156, 8192 - 100, 4);
        let mut group = vec![0; 48];
        put(&mut group, 8, LENGTH as u64, 8);
        // The copy that is newest leads to the right places.
        let starts = if index == 2 { ENCRYPTED } else { [50, 60] };
        put(&mut group, 32, starts[0] as u64, 6);
        put(&mut group, 40, starts[1] as u64, 6);
        let mut raw = object(0x11, (10 + u64::from(index == 2), 1), &payload);
        raw[8192 - 100..8192 - 52].copy_from_slice(&group);
        seal(&mut raw);
        image[block * BLOCK..block * BLOCK + 8192].copy_from_slice(&raw);
    }
    let key = [KEY_DATA, PHYSICAL].concat();
    for start in ENCRYPTED {
        for (index, mut object) in objects(make).into_iter().enumerate() {
            // Some blocks are zeros, and were never encrypted.
            let unit = 2 * index + 1;
            cipher::xts(&key, unit as u64, &mut object);
            let at = start * BLOCK + unit * 8192;
            image[at..at + 8192].copy_from_slice(&object);
        }
    }
    let tweak = Sha256::digest([VOLUME_KEY, FAMILY].concat());
    let key = [&VOLUME_KEY[..], &tweak[..16]].concat();
    for (start, length, at) in SEGMENTS {
        let mut bytes = plain[start * BLOCK..(start + length) * BLOCK].to_vec();
        if make.secret {
            for (index, sector) in bytes.chunks_exact_mut(512).enumerate() {
                cipher::xts(&key, (start * BLOCK / 512 + index) as u64, sector);
            }
        }
        image[at * BLOCK..(at + length) * BLOCK].copy_from_slice(&bytes);
    }
    image
}

fn content() -> Vec<u8> {
    random(4, SEGMENTS.iter().map(|segment| segment.1 * BLOCK).sum())
}

fn is_whole(opened: &OpenedVolume, plain: &[u8]) -> bool {
    [100, 512, 70_001].into_iter().all(|piece| whole(opened, piece) == plain[..plain.len() - 512])
}

fn refused(made: Vec<u8>, keys: &Keys) -> String {
    match opened(made, keys) {
        Ok(_) => panic!("it opens"),
        Err(failure) => failure.to_string(),
    }
}

#[test]
fn a_password_opens_and_a_wrong_one_is_named() {
    let plain = content();
    for packed in [false, true] {
        let made = medium(&plain, Make { packed, ..USUAL });
        let found = opened(made.clone(), &passwords("wrong\ncorrect horse")).unwrap();
        assert!((found.format, &*found.by) == ("FileVault 2", "password") && found.warnings.is_empty());
        assert!(is_whole(&found, &plain), "packed: {packed}");
        let said = refused(made.clone(), &passwords("correct horses"));
        let expected = "opens with a password (its hint: \"like always\"); the one key that was given does not fit";
        assert_eq!(said, expected);
        assert!(refused(made, &Keys::new()).ends_with("no such key was given"));
    }
    // Without encryption nothing is asked for.
    let found = opened(medium(&plain, Make { secret: false, ..USUAL }), &Keys::new()).unwrap();
    assert!(found.format == "CoreStorage" && is_whole(&found, &plain));
}

#[test]
fn a_volume_that_starts_a_mac_needs_its_file() {
    let plain = content();
    let make = Make { apart: true, ..USUAL };
    let made = medium(&plain, make);
    assert!(refused(made.clone(), &passwords("correct horse")).contains("EncryptedRoot.plist.wipekey"));
    let text = context(make).into_bytes();
    let mut file = text.clone();
    file.resize(text.len().next_multiple_of(16), b' ');
    cipher::xts(&[PHYSICAL, [0; 16]].concat(), 0, &mut file);
    // As it lies on the recovery volume, and decrypted already.
    for content in [file, text] {
        let mut keys = passwords("correct horse");
        assert!(keys.push_file(content.clone()));
        assert!(is_whole(&opened(made.clone(), &keys).unwrap(), &plain));
        let mut keys = passwords("correct horses");
        assert!(keys.push_file(content));
        assert!(refused(made.clone(), &keys).contains("2 keys"));
    }
}

#[test]
fn damage_is_named_and_copies_serve() {
    let plain = content();
    let whole = medium(&plain, USUAL);
    let keys = passwords("correct horse");
    let broken = |places: &[usize]| {
        let mut made = whole.clone();
        places.iter().for_each(|at| made[*at] ^= 1);
        made
    };
    let unit = |copy: usize, index: usize| ENCRYPTED[copy] * BLOCK + (2 * index + 1) * 8192 + 200;
    // The header, and the first copy of each object that matters.
    for (place, word) in
        [(60, "its copy at the end is used"), (unit(0, 0), "checksum of a block"), (unit(0, 1), "checksum of a block")]
    {
        let found = opened(broken(&[place]), &keys).unwrap();
        assert!(is_whole(&found, &plain), "{word}");
        let said: Vec<String> = found.warnings.iter().map(Failure::to_string).collect();
        assert!(said.len() == 1 && said[0].contains(word), "{said:?}");
    }
    let last = whole.len() - 512 + 60;
    assert!(refused(broken(&[60, last]), &keys).contains("and so is its copy's"));
    assert!(refused(broken(&[unit(0, 0), unit(1, 0)]), &keys).contains("checksum of a block"));
    assert!(refused(broken(&[unit(0, 1), unit(1, 1)]), &keys).contains("no segments"));
    assert!(refused(broken(&PLAIN.map(|block| block * BLOCK + 100)), &keys).contains("no copy"));
}

#[test]
fn what_is_not_read_is_named() {
    let plain = content();
    let keys = passwords("correct horse");
    for (make, word) in [
        (Make { medium: 1, ..USUAL }, "several disks"),
        (Make { status: "Converting", ..USUAL }, "in the state \"Converting\""),
    ] {
        assert!(refused(medium(&plain, make), &keys).contains(word), "{word}");
    }
}

#[test]
fn mutants_are_failures_or_the_volume() {
    let plain = content();
    let whole = medium(&plain, USUAL);
    let keys = passwords("correct horse");
    for seed in 0..mutants() {
        let mut made = whole.clone();
        let noise = random(seed, 12);
        let number = |at: usize| u32::from_le_bytes(noise[at..at + 4].try_into().unwrap()) as usize;
        // Where structures lie, in front of the segments.
        let regions = [(0, 512), (BLOCK, 2 * 8192), (ENCRYPTED[0] * BLOCK, 20 * 8192), (1191 * BLOCK, 2 * 8192)];
        let (start, length) = regions[number(0) % regions.len()];
        made[start + number(4) % length] ^= noise[8] | 1;
        if let Ok(found) = opened(made, &keys) {
            let mut start = [0; 512];
            found.bytes.read_exact_at(0, &mut start).unwrap();
            assert!(start == plain[..512], "{seed}: another volume");
        }
    }
}
