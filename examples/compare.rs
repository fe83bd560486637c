//! Finds similar files below a directory: `cargo run --example compare -- DIRECTORY [ALGORITHM]`.

use pfh::compare::{self, Event, Request};
use pfh::{Control, Input, Recurse};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("give a DIRECTORY")?;
    let algorithm = arguments.next().unwrap_or_else(|| "ssdeep".into());

    let mut request = Request::new(Input::new([directory]).recurse(Recurse::Yes));
    request.algorithms = vec![algorithm.parse()?];
    request.top = Some(10);
    let summary = compare::run(
        &request,
        &mut |event| {
            match event {
                Event::Without(algorithm, files) => eprintln!("{files} files have no digest of {algorithm}"),
                Event::Pair(pair) => {
                    let [a, b] = [pair.a, pair.b].map(pfh::terminal::render);
                    println!("{a} {b} {}", pair.score);
                }
                Event::Searched(searched) => eprintln!("{} digests compared", searched.digests),
                _ => {}
            }
            Ok(())
        },
        &Control::new(),
    )?;
    eprintln!("{} pairs; the best ten are above", summary.pairs);
    Ok(())
}
