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
    let mut print = |event: build::Event<'_>| eprintln!("{event:?}");
    let built = build::run(&request, &mut print, &Control::new())?;
    println!("{built}");
    print!("{}", info::run(&info::Request::new(set))?.text());

    if !digests.is_empty() {
        let sets = Sets { digests: digests.to_vec(), ..Sets::new([set]) };
        let summary = lookup::run(&lookup::Request::new(sets), &mut |_event| {}, &Control::new())?;
        println!("{} of {} are known to be bad", summary.counts.of(KnownStatus::KnownBad), digests.len());
    }
    Ok(())
}
