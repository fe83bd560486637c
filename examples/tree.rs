//! Keeps a hash tree beside a file, and lists later changes.
//!
//! `cargo run --example tree -- FILE`: the first run writes FILE.pfhtree, each later one compares
//! FILE with it.

use pfh::tree::{Event, beside, build, check};
use pfh::{Control, Progress};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: tree FILE")?;
    let control = Control::new().on_progress(|progress| {
        if let Progress::Medium(medium) = progress {
            eprint!("\r{} bytes of {:?}", medium.bytes, medium.total);
        }
    });
    if !beside(&file).exists() {
        let mut print = |event: Event<'_>| {
            if let Event::Done(summary) = event {
                println!("{}  {}", pfh::hex::encode(&summary.root), file.display());
            }
            Ok(())
        };
        build::run(&build::Request::file(&file), &mut print, &control)?;
        return Ok(());
    }
    match check::run(&check::Request::new(&file), &mut |_event| Ok(()), &control) {
        Ok(summary) => println!("{} ranges differ", summary.corrupt().map_or(0, |ranges| ranges.len())),
        // Was it the request, or could something not be read?
        Err(error) => eprintln!("{:?}: {error}", error.kind()),
    }
    Ok(())
}
