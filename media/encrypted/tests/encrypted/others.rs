//! Volumes of BitLocker that Windows made: the suite of the cryptsetup project, which states the
//! SHA-256 of each plain volume.

use crate::{passwords, whole};
use pfh_encrypted::{Failure, Keys, open};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

/// An image as `images.conf` describes it.
#[derive(Default)]
struct Image {
    name: String,
    sum: String,
    /// Passwords and recovery passwords: each opens the volume.
    keys: Vec<String>,
}

fn described(conf: &str) -> Vec<Image> {
    let mut images: Vec<Image> = Vec::new();
    for line in conf.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            images.push(Image { name: name.trim_end_matches(']').to_owned(), ..Image::default() });
        }
        let Some((image, (key, value))) = images.last_mut().zip(line.split_once('=')) else { continue };
        match key {
            "SHA256SUM" => image.sum = value.trim_matches('"').to_owned(),
            "PW" | "RP" | "RP2" if !value.trim_matches('"').is_empty() => {
                image.keys.push(value.trim_matches('"').to_owned());
            }
            _ => {}
        }
    }
    images
}

/// Opens each image with each of its keys, and with the startup keys (`.BEK`) beside them.
#[test]
#[ignore = "needs bitlk-images of the cryptsetup project, in PFH_BITLOCKER: `cargo test --manifest-path media/Cargo.toml -p pfh-encrypted --test encrypted others -- --ignored`"]
fn volumes_of_windows_have_the_digests_that_their_suite_states() {
    let folder = std::env::var_os("PFH_BITLOCKER").expect("PFH_BITLOCKER: the folder with images.conf");
    let folder = Path::new(&folder);
    let mut startup = Keys::new();
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_some_and(|ending| ending == "BEK") {
            assert!(startup.push_file(std::fs::read(file).unwrap()));
        }
    }
    let (mut equal, mut named) = (0, 0);
    for image in described(&std::fs::read_to_string(folder.join("images.conf")).unwrap()) {
        let Ok(bytes) = std::fs::read(folder.join(&image.name).with_extension("img")) else { continue };
        let bytes: Arc<dyn pfh_container::Bytes> = Arc::new(bytes);
        let others = if image.keys.len() < 2 { vec![startup.clone()] } else { Vec::new() };
        for keys in image.keys.iter().map(|key| passwords(key)).chain(others) {
            match open(&bytes, &keys).map(|found| found.expect("BitLocker")) {
                Ok(found) => {
                    let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(whole(&found, 1 << 20)));
                    assert_eq!(digest, image.sum, "{}", image.name);
                    equal += 1;
                }
                Err(Failure::Unread(_) | Failure::NoKey { .. }) => named += 1,
                Err(other) => panic!("{}: {other}", image.name),
            }
        }
    }
    println!("{equal} equal, {named} named");
    assert!(equal >= 35 && named <= 5, "{equal} {named}");
}
