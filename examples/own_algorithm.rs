//! Hashes files by an algorithm that is not pfh's own: `cargo run --example own_algorithm --
//! FILE...`.
//!
//! A row of a registry is a name with its function; everything that takes an algorithm takes one
//! that was made of a foreign row. Readers of lists know the names of pfh's own registry alone: a
//! list of these digests is checked by comparing, not by `pfh check`.

use pfh::digest::{Algorithm, Output, Row, Standing, State, Value};
use pfh::{Input, Outcome, hash};
use std::error::Error;
use std::path::PathBuf;

/// Bernstein's hash of 32 bits: times 33, plus the byte.
#[derive(Clone)]
struct Djb2(u32);

impl State for Djb2 {
    fn update(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.wrapping_mul(33).wrapping_add((*byte).into()));
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        Value::from_bytes(&self.0.to_be_bytes())
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

static DJB2: Row = Row::new("djb2", &[], Output::Fixed(4), Standing::NonCryptographic, 1, || Box::new(Djb2(5381)));

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        return Err("give FILEs".into());
    }
    for (digests, name) in digests(files)? {
        println!("{digests}  {name}");
    }
    Ok(())
}

/// The digests of each file by our own algorithm and SHA-256, with its name.
pub fn digests(files: Vec<PathBuf>) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let algorithms = [Algorithm::from_row(&DJB2).into(), "sha256".parse()?];
    let mut records = hash::records(Input::new(files), algorithms)?;
    let mut found = Vec::new();
    for record in &mut records {
        let name = String::from_utf8_lossy(&record.name).into_owned();
        match record.outcome {
            Outcome::Hashed(file) => {
                let digests: Vec<String> = file.digests.iter().map(ToString::to_string).collect();
                found.push((digests.join(" "), name));
            }
            Outcome::Skipped(why) => return Err(format!("{name}: skipped: {}", why.reason()).into()),
            Outcome::Failed(problem) => return Err(format!("{name}: {problem}").into()),
        }
    }
    records.finish()?;
    Ok(found)
}
