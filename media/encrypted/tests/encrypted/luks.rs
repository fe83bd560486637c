//! LUKS: headers that cryptsetup makes around a key that is known here.

use crate::{cipher, opened, passwords, whole};
use pfh_encrypted::{Failure, Keys};
use pfh_inject::{Need, lacks, mutants, random};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::Command;

const TOOLS: [Need; 1] = [Need::Program("cryptsetup")];

/// A header by cryptsetup, with the data behind it encrypted here; where the data begin.
fn volume(
    room: &Path,
    options: &str,
    key: &[u8],
    plain: &[u8],
    encrypt: &dyn Fn(u64, &mut [u8]),
    unit: usize,
) -> Vec<u8> {
    let (image, master, pass) = (room.join("image"), room.join("master"), room.join("pass"));
    std::fs::write(&image, vec![0; 24 << 20]).unwrap();
    std::fs::write(&master, key).unwrap();
    std::fs::write(&pass, "correct horse").unwrap();
    let output = Command::new("cryptsetup")
        .args(["luksFormat", "--batch-mode", "--key-size", &(key.len() * 8).to_string()])
        .args(options.split_whitespace())
        .arg("--volume-key-file")
        .arg(&master)
        .arg(&image)
        .arg(&pass)
        .output()
        .expect("cryptsetup");
    assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
    let mut volume = std::fs::read(&image).unwrap();
    let start = match volume[7] {
        1 => 512 * u32::from_be_bytes(volume[104..108].try_into().unwrap()) as usize,
        _ => 16 << 20,
    };
    let mut data = plain.to_vec();
    for (at, sector) in data.chunks_exact_mut(unit).enumerate() {
        encrypt((at * unit / 512) as u64, sector);
    }
    volume.truncate(start);
    volume.extend(data);
    volume
}

#[test]
fn each_version_cipher_and_derivation_gives_the_plain_volume() {
    if lacks(&TOOLS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let plain = random(11, 1 << 20);
    let (short, long) = (random(12, 32), random(13, 64));
    let xts = |number: u64, sector: &mut [u8]| cipher::xts(&long, number, sector);
    let essiv = |number: u64, sector: &mut [u8]| {
        let salt: [u8; 32] = Sha256::digest(&short).into();
        cipher::cbc(&short, cipher::block(&salt, cipher::vector(number)), sector);
    };
    let ordinary = |number: u64, sector: &mut [u8]| cipher::cbc(&short, cipher::vector(number), sector);
    let fast = "--pbkdf pbkdf2 --pbkdf-force-iterations 1000";
    let argon = "--pbkdf-force-iterations 4 --pbkdf-memory 64 --pbkdf-parallel 1";
    type Encrypt<'a> = &'a dyn Fn(u64, &mut [u8]);
    let cases: [(String, &[u8], Encrypt<'_>, usize); 11] = [
        (format!("--type luks1 {fast} --cipher aes-xts-plain64 --hash sha256"), &long, &xts, 512),
        (format!("--type luks1 {fast} --cipher aes-cbc-essiv:sha256 --hash sha256"), &short, &essiv, 512),
        (format!("--type luks1 {fast} --cipher aes-cbc-plain64 --hash sha512"), &short, &ordinary, 512),
        (format!("--type luks1 {fast} --cipher aes-cbc-essiv:sha256 --hash sha1"), &short, &essiv, 512),
        (format!("--type luks1 {fast} --cipher aes-xts-plain64 --hash ripemd160"), &long, &xts, 512),
        (format!("--type luks2 {fast} --cipher aes-xts-plain64 --sector-size 512 --hash sha384"), &long, &xts, 512),
        (format!("--type luks2 {fast} --cipher aes-xts-plain64 --sector-size 512 --hash sha224"), &long, &xts, 512),
        (format!("--type luks2 {fast} --cipher aes-xts-plain64 --sector-size 512"), &long, &xts, 512),
        (format!("--type luks2 {fast} --cipher aes-xts-plain64 --sector-size 4096"), &long, &xts, 4096),
        (format!("--type luks2 --pbkdf argon2id {argon} --cipher aes-xts-plain64 --sector-size 512"), &long, &xts, 512),
        (
            format!("--type luks2 --pbkdf argon2i {argon} --cipher aes-cbc-essiv:sha256 --sector-size 512"),
            &short,
            &essiv,
            512,
        ),
    ];
    for (options, key, encrypt, unit) in cases {
        let made = volume(room.path(), &options, key, &plain, encrypt, unit);
        let found = opened(made.clone(), &passwords("wrong\ncorrect horse"))
            .unwrap_or_else(|error| panic!("{options}: {error}"));
        assert_eq!(found.by, "key slot 0");
        for piece in [100, 4096, 70_001] {
            assert!(whole(&found, piece) == plain, "{options}");
        }
        let mut keys = Keys::new();
        assert!(keys.push_file(b"correct horse".to_vec()));
        assert!(whole(&opened(made.clone(), &keys).unwrap(), 1 << 20) == plain);
        let Err(Failure::NoKey { tried: 1, .. }) = opened(made.clone(), &passwords("wrong")) else {
            panic!("{options}")
        };
        let said = opened(made, &Keys::new()).err().unwrap().to_string();
        assert_eq!(said, "opens with a passphrase or a key file; no such key was given");
    }
}

#[test]
fn damage_of_the_header_is_named_and_the_second_copy_serves() {
    if lacks(&TOOLS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let (plain, key) = (random(14, 1 << 20), random(15, 64));
    let xts = |number: u64, sector: &mut [u8]| cipher::xts(&key, number, sector);
    let options =
        "--type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --cipher aes-xts-plain64 --sector-size 512";
    let made = volume(room.path(), options, &key, &plain, &xts, 512);
    let keys = passwords("correct horse");
    let mut first = made.clone();
    first[4096 + 20] ^= 1;
    let found = opened(first.clone(), &keys).unwrap();
    assert!(found.warnings.len() == 1 && whole(&found, 1 << 20) == plain, "{:?}", found.warnings);
    first[0x4000 + 4096 + 20] ^= 1;
    let failed = opened(first, &keys).err().unwrap();
    assert!(failed.to_string().contains("checksum"), "{failed}");
    let mut later = made;
    later[7] = 3;
    assert!(matches!(opened(later, &keys), Err(Failure::Unread(_))));
}

#[test]
fn mutants_end() {
    if lacks(&TOOLS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let (plain, key) = (random(16, 1 << 16), random(17, 64));
    let xts = |number: u64, sector: &mut [u8]| cipher::xts(&key, number, sector);
    let options = "--type luks1 --pbkdf-force-iterations 1000 --hash sha256 --cipher aes-xts-plain64";
    let made = volume(room.path(), options, &key, &plain, &xts, 512);
    for seed in 1..=mutants() {
        let mut mutant = made.clone();
        let noise = random(seed, 8);
        for at in 0..3 {
            // Not the rounds: any number up to a bound is honest work.
            let place = 8 + usize::from(noise[at]) % 156;
            mutant[place] = noise[at + 4];
        }
        let bytes: std::sync::Arc<dyn pfh_container::Bytes> = std::sync::Arc::new(mutant);
        if let Ok(Some(found)) = pfh_encrypted::open(&bytes, &passwords("correct horse")) {
            let _ = found.bytes.read_at(0, &mut [0; 4096]);
        }
    }
}
