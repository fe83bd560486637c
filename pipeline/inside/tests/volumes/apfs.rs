//! A container of APFS in a partition: the names of its volumes stand in front of their files.

#[path = "../../../../media/volume/tests/volume/apfs/blocks.rs"]
#[allow(dead_code)]
mod blocks;
#[path = "../../../../media/volume/tests/volume/apfs/container.rs"]
#[allow(dead_code)]
mod container;
#[path = "../../../../media/volume/tests/volume/apfs/files.rs"]
#[allow(dead_code)]
mod files;

mod keys;

use self::container::{Container, Kind};
use self::files::{Files, ROOT};
use self::keys::{Password, bags, cipher};
use crate::found;
use pfh_inside::Options;
use std::collections::BTreeMap;

/// Two volumes, one of them encrypted, and a snapshot of the other.
fn image() -> Vec<u8> {
    let mut container = Container::new();
    let (mut now, mut before) = (Files::new(true), Files::new(true));
    let folder = now.directory(ROOT, b"Users");
    let number = now.file(&mut container.blocks, folder, b"a!", &[Ok(b"words of now")]);
    now.attribute(number, b"com.apple.quarantine", b"0081");
    before.file(&mut container.blocks, ROOT, b"old", &[Ok(b"older words")]);
    container.volume(Kind::Usual, b"Macintosh HD", &now, Some((b"first", &before)));
    container.volume(Kind::Encrypted, b"Data", &now, None);
    container.end()
}

#[test]
fn volumes_and_snapshots_have_names() {
    let folder = tempfile::tempdir().expect("a directory");
    let expected = |part: &str| -> BTreeMap<String, Option<Vec<u8>>> {
        let files: [(&str, Option<&[u8]>); 4] = [
            ("Data/", None),
            ("Macintosh HD/Users/a!", Some(b"words of now")),
            ("Macintosh HD/Users/a!:com.apple.quarantine", Some(b"0081")),
            ("Macintosh HD@first/old", Some(b"older words")),
        ];
        files.into_iter().map(|(name, bytes)| (format!("{part}{name}"), bytes.map(<[u8]>::to_vec))).collect()
    };
    let bare = folder.path().join("bare");
    std::fs::write(&bare, image()).expect("written");
    assert_eq!(found(&bare, Options::default()), expected(""));

    // Behind a table of partitions, of the type that APFS has on disks with an MBR.
    let mut disk = vec![0; 1 << 20];
    let sectors = (image().len() / 512) as u32;
    disk[446..462].copy_from_slice(&[0, 0, 2, 0, 0xaf, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]);
    disk[458..462].copy_from_slice(&sectors.to_le_bytes());
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    disk.extend(image());
    let whole = folder.path().join("whole");
    std::fs::write(&whole, disk).expect("written");
    assert_eq!(found(&whole, Options::default()), expected("p1/"));
}

/// A password as a user sets it: with the rounds of its key.
const PASSWORD: Password = Password { text: b"correct horse", rounds: 1000, is_short: false };

/// Longer than the bytes that are decrypted at once, with an end within a sector.
fn long() -> Vec<u8> {
    (0..150_001_u32).map(|at| (at.wrapping_mul(at) >> 7) as u8).collect()
}

/// A volume that is encrypted with this key, with a snapshot; whose password is as given. And the
/// blocks of the bags of keys.
fn locked(key: &[u8], password: &Password) -> (Vec<u8>, [u64; 2]) {
    let mut container = Container::new();
    let (mut now, mut before) = (Files::new(true), Files::new(true));
    let long = long();
    now.file(&mut container.blocks, ROOT, b"long", &[Ok(&long[..8192]), Err(4096), Ok(&long[8192..])]);
    let number = now.file(&mut container.blocks, ROOT, b"short", &[Ok(b"words")]);
    now.attribute_stream(&mut container.blocks, number, b"stream", &long[..5000]);
    before.file(&mut container.blocks, ROOT, b"old", &[Ok(b"older words")]);
    container.volume(Kind::Encrypted, b"Data", &now, Some((b"first", &before)));
    container.encrypt(&|place, bytes| cipher(key, place, bytes));
    let bags = bags(&mut container.blocks, key, password);
    container.bag(bags[0]);
    (container.end(), bags)
}

fn expected() -> BTreeMap<String, Option<Vec<u8>>> {
    let long = long();
    let holed = [&long[..8192], &[0; 4096], &long[8192..]].concat();
    [
        ("Data/long", holed),
        ("Data/short", b"words".to_vec()),
        ("Data/short:stream", long[..5000].to_vec()),
        ("Data@first/old", b"older words".to_vec()),
    ]
    .map(|(name, bytes)| (name.to_owned(), Some(bytes)))
    .into()
}

#[test]
fn filevault_opens_with_a_password_and_with_no_other() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("image");
    let long: Vec<u8> = (0..32).map(|at| at * 7 + 3).collect();
    // A volume that was Core Storage's has a key of 16 bytes.
    for (key, is_short) in [(long.clone(), false), (keys::with_tweak(&long[..16]), true)] {
        let (image, _) = locked(&key, &Password { is_short, ..PASSWORD });
        assert!(!image.windows(11).any(|some| some == b"older words"), "the content is plain");
        std::fs::write(&path, image).expect("written");
        let with = |passwords: &[u8]| {
            let mut keys = pfh_inside::Keys::new();
            keys.push_lines(passwords);
            let mut options = Options::default();
            options.keys = std::sync::Arc::new(keys);
            options
        };
        assert_eq!(found(&path, with(b"another\ncorrect horse")), expected(), "{is_short}");
        for passwords in [&b""[..], b"correct horses"] {
            let closed: Vec<_> = found(&path, with(passwords)).into_iter().collect();
            assert_eq!(closed, [("Data/".to_owned(), None), ("Data@first/".to_owned(), None)]);
        }
    }
    // The words of a failure: the key that would open it, and whether any was tried.
    let [closed, ..] = &crate::problems(&path, Options::default())[..] else { panic!("it opens") };
    assert!(closed.contains("opens with a password (its hint: \"the usual one\"); no such key was given"), "{closed}");
}

#[test]
fn a_damaged_bag_of_keys_is_damage() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("image");
    let mut options = Options::default();
    let mut keys = pfh_inside::Keys::new();
    keys.push_lines(PASSWORD.text);
    options.keys = std::sync::Arc::new(keys);
    let key: Vec<u8> = (0..32).collect();
    let (whole, bags) = locked(&key, &PASSWORD);
    for block in bags {
        let mut image = whole.clone();
        image[block as usize * blocks::BLOCK + 100] ^= 1;
        std::fs::write(&path, image).expect("written");
        let said = crate::problems(&path, options.clone());
        assert!(!said.is_empty() && said.iter().all(|said| said.contains("bag of keys")), "{block}: {said:?}");
    }
}
