//! Volumes that the tests encrypt with known keys; headers by cryptsetup; and damage of every kind.

mod bitlocker;
mod cipher;
mod corestorage;
mod luks;
mod others;
mod volume;

use pfh_encrypted::{Failure, Key, Keys, OpenedVolume, open};
use std::sync::Arc;

/// Keys from passwords.
fn passwords(text: &str) -> Keys {
    let mut keys = Keys::new();
    keys.push_lines(text.as_bytes());
    keys
}

/// Opens a volume.
fn opened(volume: Vec<u8>, keys: &Keys) -> Result<OpenedVolume, Failure> {
    let bytes: Arc<dyn pfh_container::Bytes> = Arc::new(volume);
    open(&bytes, keys).map(|found| found.expect("an encrypted volume"))
}

/// The whole of the plain volume, read in pieces of this size.
fn whole(opened: &OpenedVolume, piece: usize) -> Vec<u8> {
    let (mut found, mut buffer) = (Vec::new(), vec![0; piece]);
    while (found.len() as u64) < opened.bytes.size() {
        let got = opened.bytes.read_at(found.len() as u64, &mut buffer).unwrap();
        assert!(got > 0, "at {}", found.len());
        found.extend_from_slice(&buffer[..got]);
    }
    found
}

#[test]
fn what_is_not_encrypted_is_none() {
    for volume in [Vec::new(), vec![0; 4], vec![0; 1 << 20], pfh_inject::random(1, 1 << 20)] {
        let bytes: Arc<dyn pfh_container::Bytes> = Arc::new(volume);
        assert!(open(&bytes, &Keys::new()).unwrap().is_none());
    }
}

#[test]
fn a_file_of_keys_is_bounded() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("keys");
    let mut keys = Keys::new();
    assert!(keys.read_lines(&path).is_err() && keys.paths().is_empty());
    std::fs::write(&path, "one\n").unwrap();
    keys.read_lines(&path).unwrap();
    keys.read_file(&path).unwrap();
    assert_eq!(keys.paths().len(), 2);
    std::fs::write(&path, vec![b'a'; (8 << 20) + 1]).unwrap();
    assert!(keys.read_file(&path).is_err());
    keys.push(Key::Password(b"two".to_vec().into()));
    assert!(!keys.is_empty());
}
