//! Hashes a tree, writes a manifest and checks the tree against it: `cargo run --example hash_tree
//! -- DIRECTORY MANIFEST`.

use pfh::check::{self, Verdict};
use pfh::{Control, Input, Progress, Recurse, hash};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(directory), Some(manifest)) = (arguments.next(), arguments.next()) else {
        return Err("give a DIRECTORY and the name of a MANIFEST to write".into());
    };
    let control = Control::new().on_progress(|progress| {
        if let Progress::Files(now) = progress {
            eprint!("\r{} files, {} bytes", now.files, now.bytes);
        }
    });

    // One read of each file feeds both algorithms, even of two kinds.
    let input = Input::new([&directory]).recurse(Recurse::Yes);
    let request = hash::Request::new(input, ["sha256".parse()?, "ssdeep".parse()?]);
    let list = hash::Manifest::new(&manifest).format("jsonl".parse()?, Default::default());
    let hashed = hash::write(
        &request,
        &list,
        &mut |event| {
            if let hash::Event::Record(record) = event
                && let pfh::Outcome::Failed(problem) = &record.outcome
            {
                eprintln!("\n{}: {problem}", String::from_utf8_lossy(&record.name));
            }
            Ok(())
        },
        &control,
    )?;
    eprintln!("\n{} files hashed, {} failed", hashed.summary.run.hashed, hashed.summary.run.failed);

    let found = check::run(&check::Request::new(manifest), &mut |_event| Ok(()), &control)?;
    eprintln!("\n{} of {} files verified by {:?}", found.verified(), found.expected(), found.by_algorithm());
    if found.verdict() == Verdict::Verified { Ok(()) } else { Err("the tree changed meanwhile".into()) }
}
