//! One manifest: its seal, what it holds, and what becomes of it.

use super::told::Told;
use super::{Check, audit, files, guess, name, worse};
use crate::exit::{self, Exit};
use crate::run::algorithms;
use crate::seal;
use pfh::format::{End, Ending, Fault, Format, Options};
use pfh::sink::check::{Expectations, ReadError};
use pfh::{Algorithm, Patient, Problem, Stage};
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Checks a manifest to its end.
///
/// # Errors
/// A sentence for the user where the request makes no sense.
pub fn check(request: &Check, manifest: &Path, root: Option<&OsStr>) -> Result<Exit, String> {
    request.run.set_patience();
    let assumed = if request.algorithms.is_empty() { Vec::new() } else { algorithms(&request.algorithms)? };
    let end = if request.zero { End::Nul } else { End::Line };
    let format = request.zero.then_some(Format::Sums);
    let hints = hints(manifest);
    // A digest is a part of its line, and those of sdhash and mrsh-v2 grow with the file.
    let limit = request.run.memory.map_or(pfh::DEFAULT_MEMORY, |memory| memory as usize).max(1 << 20);
    let mut options = Options { format, assumed, hints, any: true, end, limit };
    // The seal first: of a manifest that was changed nothing is worth checking.
    let silent = request.status || request.quiet;
    match seal::verify(manifest, &options, request.key.as_deref(), silent) {
        Err(exit) => return Ok(exit),
        // It says which algorithm the records were sealed with.
        Ok(Some(found)) => options.assumed = vec![found],
        Ok(None) => {}
    }
    let mut expectations = match read(manifest, &options) {
        Ok(expectations) => expectations,
        Err(exit) => return Ok(exit),
    };
    if request.warn {
        for (line, fault) in &expectations.faults {
            exit::say(format!("{}:{line}: {fault}", name(manifest)));
        }
    }
    let not_compared = expectations.not_compared();
    let improper = expectations.faults.iter().any(|(_, fault)| !matches!(fault, Fault::Unasked));
    let broken = expectations.ending == Ending::Broken;
    let mut told = Told::new(manifest, &expectations);
    let exit = if expectations.entries.is_empty() {
        told.nothing("it has no record with a digest");
        Exit::Incomplete
    } else {
        guess::settle(request, manifest, root, &mut expectations);
        if request.audit {
            audit::run(request, manifest, root, expectations, &mut told)?
        } else {
            files::run(request, manifest, root, &expectations, &mut told)?
        }
    };
    if let Exit::Signal(_) | Exit::Aborted = exit {
        return Ok(exit);
    }
    if !request.status {
        for sentence in &not_compared {
            exit::say(format!("WARNING: {sentence}"));
        }
    }
    let exit = match exit {
        _ if broken => Exit::Aborted,
        exit if improper && request.strict => worse(exit, Exit::Verdict),
        exit if !not_compared.is_empty() && !request.lenient => worse(exit, Exit::Incomplete),
        exit => exit,
    };
    if !(request.status || request.quiet && exit == Exit::Good && told.is_plain()) {
        exit::say(told.line(not_compared.len()));
    }
    Ok(exit)
}

/// The manifest.
///
/// # Errors
/// The exit; what is wrong has been said.
fn read(manifest: &Path, options: &Options) -> Result<Expectations, Exit> {
    let refuse = |problem: &dyn std::fmt::Display, exit: Exit| {
        exit::say(format!("{}: {problem}", name(manifest)));
        Err(exit)
    };
    let reader: Box<dyn BufRead> = if manifest == Path::new("-") {
        Box::new(BufReader::new(Patient(io::stdin().lock())))
    } else {
        match Patient::open(manifest) {
            Ok(file) => Box::new(BufReader::with_capacity(1 << 18, file)),
            Err(error) => return refuse(&Problem::io(Stage::Open, &error), Exit::Usage),
        }
    };
    Expectations::read(reader, options, pfh::REGISTRY).or_else(|error| match error {
        ReadError::Io(error) => refuse(&Problem::io(Stage::Read, &error), Exit::Aborted),
        ReadError::Pieces => refuse(&error, Exit::Aborted),
    })
}

/// The algorithms that the name of a list hints at: `B3SUMS`, `image.iso.sha3-256`, `SHA512-256SUMS.txt`, `x.b2sum`.
pub fn hints(manifest: &Path) -> Vec<Algorithm> {
    let name = manifest.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    // `:` would be a length, which no name has.
    let parts = name.split(['.', '_', ' ']).rev().filter(|part| !part.contains(':'));
    let found = parts.filter_map(|part| {
        let bare = ["sums", "sum"].into_iter().find_map(|end| part.strip_suffix(end)).unwrap_or(part);
        let bare = bare.trim_end_matches('-');
        let named = if bare == "b2" { "blake2b" } else { bare };
        pfh::algorithm(named).ok()
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lists_hint_at_their_algorithm() {
        for (name, expected) in [
            ("B3SUMS", "blake3"),
            ("x/image.iso.sha3-256", "sha3-256"),
            ("SHA512-256SUMS.txt", "sha512-256"),
            ("a.b2", "blake2b"),
            ("a.b2sum", "blake2b"),
            ("MD5SUMS", "md5"),
            ("a.xxh128", "xxh3-128"),
            ("files.kt128", "kt128"),
        ] {
            assert_eq!(hints(Path::new(name)).first().map(Algorithm::to_string).as_deref(), Some(expected), "{name}");
        }
        assert!(hints(Path::new("m")).is_empty() && hints(Path::new("-")).is_empty());
    }
}
