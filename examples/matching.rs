//! Matches files with a list of known-bad digests: `cargo run --example matching -- LIST PATH…`.

use pfh::known::KnownStatus;
use pfh::matching::{self, Event, Request, Sets};
use pfh::{Control, Input, Recurse};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let list = arguments.next().ok_or("give a LIST of digests, then the PATHS to match")?;

    // The list is in any format; its digests name their algorithm, or their length does.
    let sets = Sets { class: Some("bad".parse()?), ..Sets::new([list]) };
    let request = Request::new(Input::new(arguments).recurse(Recurse::Yes), sets);
    let summary = matching::run(
        &request,
        &mut |event| {
            match event {
                Event::Gap(gap) => eprintln!("not compared: {gap}"),
                Event::Match(found) => println!("{} {}", found.word(), String::from_utf8_lossy(&found.record.name)),
                _ => {}
            }
            Ok(())
        },
        &Control::new(),
    )?;
    if !summary.comparable {
        return Err("nothing to compare with: the list holds no digest".into());
    }
    eprintln!("{} files are in the list", summary.counts.of(KnownStatus::KnownBad));
    Ok(())
}
