//! BitLocker: each method, each key, damage.

use crate::volume::*;
use crate::{opened, passwords, whole};
use pfh_encrypted::{Failure, Keys};
use pfh_inject::{mutants, random};
use sha2::{Digest, Sha256};

const SIZE: usize = 1 << 20;
const RECOVERY: &str = "131450-120197-153989-250338-511368-495572-680944-381546";

fn suspended() -> Vec<u8> {
    protector(0, &[clear(&[5; 32]), wrap(0, &[5; 32], 0x2000, &VOLUME_KEY)])
}

fn utf16(text: &str) -> [u8; 32] {
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    Sha256::digest(Sha256::digest(wide)).into()
}

fn of_recovery() -> [u8; 32] {
    let groups = RECOVERY.split('-').map(|group| group.parse::<u32>().unwrap() / 11);
    Sha256::digest(groups.flat_map(|group| (group as u16).to_le_bytes()).collect::<Vec<u8>>()).into()
}

#[test]
fn each_method_and_size_of_sectors_gives_the_plain_volume() {
    let plain = random(1, SIZE);
    for method in METHODS {
        for sector in [512, 4096] {
            let made = volume(&plain, method, SIZE as u64, &[suspended()], sector);
            let found = opened(made, &Keys::new()).unwrap();
            assert!(found.warnings.is_empty() && found.format == "BitLocker", "{:?}", found.warnings);
            // In pieces that are shorter than a sector, between its edges, and longer.
            for piece in [100, 512, 70_001, SIZE] {
                assert!(whole(&found, piece) == expected(&plain), "{method:?} {sector} {piece}");
            }
        }
    }
}

#[test]
fn what_is_not_encrypted_yet_is_read_as_it_is() {
    let plain = random(2, SIZE);
    for encrypted in [0x9_0000, 0xa_0200, SIZE as u64 * 2] {
        let made = volume(&plain, METHODS[4], encrypted, &[suspended()], 512);
        assert!(whole(&opened(made, &Keys::new()).unwrap(), 10_007) == expected(&plain), "{encrypted:#x}");
    }
}

#[test]
fn each_kind_of_key_opens_and_a_wrong_one_is_named() {
    let plain = random(3, SIZE);
    let both = [by_password(0x2000, utf16("Grüße 12!@")), by_password(0x800, of_recovery())];
    let made = volume(&plain, METHODS[4], SIZE as u64, &both, 512);
    for (text, by) in [("wrong\nGrüße 12!@", "password"), (RECOVERY, "recovery password")] {
        let found = opened(made.clone(), &passwords(text)).unwrap();
        assert!(found.by == by && whole(&found, SIZE) == expected(&plain), "{}", found.by);
    }
    let Err(Failure::NoKey { needs, tried }) = opened(made.clone(), &passwords("one\ntwo")) else { panic!() };
    assert_eq!((needs.len(), tried), (2, 2), "{needs:?}");
    let said = opened(made, &Keys::new()).err().unwrap().to_string();
    assert_eq!(said, "opens with a password or a recovery password (identifier 746F7270); no such key was given");

    let key = [3; 32];
    let startup = protector(0x200, &[wrap(0, &key, 0x2000, &VOLUME_KEY)]);
    let made = volume(&plain, METHODS[4], SIZE as u64, &[startup], 512);
    let external = |id: &[u8]| {
        let inside = entry(6, 9, &[id, &[0; 8], &clear(&key)].concat());
        let size = 48 + inside.len() as u32;
        [&size.to_le_bytes()[..], &[0; 44], &inside].concat()
    };
    let mut keys = Keys::new();
    assert!(keys.push_file(external(b"another one's id")));
    let Err(Failure::NoKey { tried: 0, .. }) = opened(made.clone(), &keys) else { panic!() };
    assert!(keys.push_file(external(&ID)));
    assert!(whole(&opened(made, &keys).unwrap(), SIZE) == expected(&plain));
}

#[test]
fn a_damaged_copy_is_a_warning_and_three_are_a_failure() {
    let plain = random(4, SIZE);
    let mut made = volume(&plain, METHODS[5], SIZE as u64, &[suspended()], 512);
    for (damaged, place) in COPIES.into_iter().enumerate() {
        let found = opened(made.clone(), &Keys::new()).unwrap();
        assert_eq!(found.warnings.len(), damaged);
        assert!(whole(&found, SIZE) == expected(&plain));
        made[place as usize + 120] ^= 1;
    }
    let Err(Failure::Damaged { offset, what }) = opened(made, &Keys::new()) else { panic!() };
    assert!(offset == COPIES[0] && what.contains("checksum"), "{what}");
}

#[test]
fn metadata_that_were_replaced_with_their_checksum_are_named() {
    let plain = random(5, SIZE);
    let mut made = volume(&plain, METHODS[5], SIZE as u64, &[suspended()], 512);
    // The description of the volume's creation is not encrypted with the key.
    for place in COPIES.map(|place| place as usize) {
        made[place + 104] ^= 1;
        let length = 16 * usize::from(u16::from_le_bytes([made[place + 8], made[place + 9]]));
        let crc = crc32fast::hash(&made[place..place + length]).to_le_bytes();
        made[place + length + 4..place + length + 8].copy_from_slice(&crc);
    }
    let found = opened(made, &Keys::new()).unwrap();
    assert!(found.warnings.len() == 1 && found.warnings[0].to_string().contains("digest"), "{:?}", found.warnings);
}

/// Metadata with bytes that were changed, and their checksum with them: the reader ends.
#[test]
fn mutants_end() {
    let plain = random(6, SIZE);
    let made = volume(&plain, METHODS[0], SIZE as u64, &[suspended()], 512);
    for seed in 1..=mutants() {
        let mut mutant = made.clone();
        let noise = random(seed, 16);
        let start = COPIES[0] as usize;
        for at in 0..4 {
            mutant[start + usize::from(noise[at]) * 2] = noise[at + 4];
        }
        let boot = usize::from(noise[8]);
        mutant[boot] ^= noise[9] & noise[10];
        let length = (16 * usize::from(u16::from_le_bytes([mutant[start + 8], mutant[start + 9]]))).min(0x1_0000);
        let crc = crc32fast::hash(&mutant[start..start + length]).to_le_bytes();
        mutant[start + length + 4..start + length + 8].copy_from_slice(&crc);
        let bytes: std::sync::Arc<dyn pfh_container::Bytes> = std::sync::Arc::new(mutant);
        if let Ok(Some(found)) = pfh_encrypted::open(&bytes, &Keys::new()) {
            let mut buffer = vec![0; 1 << 20];
            let mut at = 0;
            while at < found.bytes.size() {
                match found.bytes.read_at(at, &mut buffer) {
                    Ok(got) if got > 0 => at += got as u64,
                    _ => break,
                }
            }
        }
    }
}
