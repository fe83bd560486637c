//! Hashes many short messages in the lanes of the processor's vectors: `cargo run --example
//! many_messages -- FILE`.
//!
//! Each line of the file is a message. Several of them are hashed by one instruction stream; the
//! digests are those of hashing one after the other.

use pfh::{Algorithm, hash_many};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::args_os().nth(1) else {
        return Err("give a FILE; each of its lines is a message".into());
    };
    let text = std::fs::read(path)?;
    let messages: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let algorithm: Algorithm = "sha256".parse()?;
    let digests = hash_many(*algorithm, &messages);
    for (message, digest) in messages.iter().zip(&digests) {
        println!("{digest}  {}", String::from_utf8_lossy(message));
    }
    Ok(())
}
