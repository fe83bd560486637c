//! Acquires a file or a device into an image, with log and map beside it, and verifies it.
//!
//! `cargo run --example acquire -- SOURCE IMAGE`; IMAGE is raw, or E01 if its name ends in `.E01`.

use pfh::acquire::{self, Event, ImageFormat, Origin, Request, To};
use pfh::{Control, Progress, verify};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [source, image] = arguments.as_slice() else { return Err("usage: acquire SOURCE IMAGE".into()) };
    let is_e01 = image.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("e01"));
    let form = if is_e01 { ImageFormat::e01() } else { ImageFormat::RAW };

    let mut request = Request::new(Origin::Medium(source.clone()), vec![To { path: image.clone(), form }]);
    request.verify = true;
    let control = Control::new().on_progress(|progress| {
        if let Progress::Medium(medium) = progress {
            eprint!("\r{}: {} bytes", medium.phase, medium.bytes);
        }
    });
    let mut print = |event: Event<'_>| {
        eprintln!("\r{event}");
        Ok(())
    };
    let summary = acquire::run(&request, &mut print, &control)?;
    for digest in &summary.imaged.digests {
        println!("{} {digest}", digest.algorithm());
    }

    let verified = verify::run(&verify::Request::image(image), &mut |_| Ok(()), &Control::new())?;
    println!("{}", verified.sentence());
    Ok(())
}
