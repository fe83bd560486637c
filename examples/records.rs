//! Hashes messages that arrive one by one, as the records of many connections do: `cargo run
//! --example records -- FILE...`.
//!
//! Each file is a connection, whose key is the file's name; each of its lines is a record. The
//! records of all connections share the lanes of the processor's vectors: a record waits for
//! others for half a millisecond at most. A connection waits for the code of a record before it
//! sends the next one, as a protocol may ask for.

use pfh::{Queue, Secret, Terms};
use std::error::Error;
use std::path::Path;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        return Err("give FILEs; each line of one is a record of a connection".into());
    }
    let connections: Vec<(&Path, &[u8])> = names.iter().map(|name| (Path::new(name), name.as_bytes())).collect();
    for (name, codes) in names.iter().zip(codes(&connections).map_err(|error| error.to_string())?) {
        codes.iter().for_each(|code| println!("{code}  {name}"));
    }
    Ok(())
}

/// The codes of the records of each connection, which are a file and a key.
pub fn codes(connections: &[(&Path, &[u8])]) -> Result<Vec<Vec<String>>, Box<dyn Error + Send + Sync>> {
    let algorithm = *Secret::new(b"of the records without a key of their own").algorithm("hmac-sha256")?;
    let queue: Queue = Queue::new(algorithm, Terms { wait: Duration::from_micros(500), ..Terms::default() })?;
    let connection = |path: &Path, key: &[u8]| {
        // The state under the key: each record goes on from a copy of it.
        let begun = Secret::hasher("hmac-sha256", key)?;
        let text = std::fs::read(path)?;
        let records = text.split(|&byte| byte == b'\n').filter(|record| !record.is_empty());
        records.map(|record| Ok(queue.push_after(begun.clone(), record.to_vec()).wait()?.to_string())).collect()
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = connections.iter().map(|(path, key)| scope.spawn(|| connection(path, key))).collect();
        all.into_iter().map(|one| one.join().expect("no connection panics")).collect()
    })
}
