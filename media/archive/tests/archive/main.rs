//! Archives that other programs and small writers after the formats' documents make, against the
//! crate's reading of them.

#[cfg(unix)]
mod accounts;
#[cfg(unix)]
mod archives;
mod coded;
mod collections;
#[cfg(unix)]
mod deep;
mod evidence;
#[cfg(unix)]
mod example;
#[cfg(unix)]
mod hidden;
mod holders;
mod mutated;
mod noise;
mod oci;
#[cfg(unix)]
mod packages;
mod pdf;
mod rar;
mod sets;
mod wim;
#[cfg(unix)]
mod zip_passwords;
