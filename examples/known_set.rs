//! Compiles lists of digests into a known-set file, and asks it about digests.
//!
//! `cargo run --example known_set -- SET LIST [HEX]…`: LIST is of known-bad files, in any format
//! that pfh reads.

use pfh::Control;
use pfh::known::{Class, KnownStatus, build, info, lookup};
use pfh::matching::Sets;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [set, list, digests @ ..] = &arguments[..] else { return Err("usage: known_set SET LIST [HEX]…".into()) };
    let request = build::Request::new(set).set(list, Class::Bad);
    let mut print = |event: build::Event<'_>| {
        eprintln!("{event:?}");
        Ok(())
    };
    let built = build::run(&request, &mut print, &Control::new())?;
    for (algorithm, count) in &built.digests {
        println!("{count} {algorithm}");
    }
    let info = info::run(&info::Request::new(set), &mut |_event| Ok(()), &Control::new())?;
    for set in info.known.sets() {
        println!("{}: {} records", set.name, set.records);
    }

    if !digests.is_empty() {
        let sets = Sets { digests: digests.to_vec(), ..Sets::new([set]) };
        let mut answers = |event: lookup::Event<'_>| {
            if let lookup::Event::Answer(found) = event {
                println!("{} {}", found.digest, found.word());
            }
            Ok(())
        };
        let summary = lookup::run(&lookup::Request::new(sets), &mut answers, &Control::new())?;
        println!("{} of {} are known to be bad", summary.counts.of(KnownStatus::KnownBad), digests.len());
    }
    Ok(())
}
