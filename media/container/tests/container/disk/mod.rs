//! Disk images of virtual machines, of macOS and of other imagers: images of qemu-img, images of
//! writers after the formats' documents, damage, and hostile input.

#[path = "../kit/aff4.rs"]
mod aff4;
#[path = "../kit/dmg.rs"]
mod dmg;
#[path = "../kit/ex01.rs"]
mod ex01;
#[path = "../kit/zip.rs"]
mod zip;

mod folder;
mod mutants;
mod parents;
mod qemu;
mod refused;
mod stated;
mod stripes;

/// A digest by its name, for the writers.
fn sum(algorithm: &str, bytes: &[u8]) -> Vec<u8> {
    let algorithm: pfh_digest::Algorithm = algorithm.parse().expect("an algorithm");
    algorithm.digest(bytes).bytes().to_vec()
}
