//! The paper's own command line: `pfh -c hash -m 256 -d t5 -r`.
//!
//! It starts with an option where the modern form starts with a command. The letters follow
//! Breitinger & Petrov, §IV: `-c` mode, `-d` path, `-r` recursive, `-h` hash, `-m` megabytes of the
//! RAM table, `-t` threads, `-p` prefetchers. The modes are `hash`, `full` (each against each), a
//! digest and a file's name (that one against all).

use crate::compare::Compare;
use crate::exit::Failure;
use crate::hash::Hash;
use crate::run::{Mode, Run};
use pfh::manifest::Format;
use pfh::{compare, hash};
use std::ffi::OsString;

/// The hash unless `-h` names another: the paper's own.
const DEFAULT: &str = "mrsh-v2";

/// What the paper's form asks for.
#[derive(Debug)]
pub enum Asked {
    /// Hash.
    Hash(Box<Hash>),
    /// Each against each.
    Full(Box<Compare>),
    /// One against all: no pair is a negative answer.
    One(Box<Compare>),
}

/// Whether the arguments are in the paper's form: an option comes first, and it is none of the
/// modern form's own.
pub fn is_paper(arguments: &[OsString]) -> bool {
    let Some(first) = arguments.first().and_then(|a| a.to_str()) else { return false };
    first.starts_with('-') && !["--help", "--version", "-V", "-"].contains(&first) && arguments.len() > 1
}

/// Reads the paper's form.
///
/// # Errors
/// When the line makes no sense.
pub fn parse(arguments: &[OsString]) -> Result<Asked, Failure> {
    let (mut run, mut recursive) = (Run::default(), false);
    let (mut mode, mut directory, mut hash) = (OsString::from("hash"), None, OsString::from(DEFAULT));
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let letter = argument.to_str().unwrap_or_default();
        let mut value = |what: &str| arguments.next().cloned().ok_or_else(|| format!("{letter} takes {what}"));
        let number = |value: OsString, least: u64, most: u64| {
            let parsed = value.to_str().and_then(|v| v.parse::<u64>().ok()).filter(|n| (least..=most).contains(n));
            parsed.ok_or_else(|| format!("{letter} takes a number from {least} to {most}, not {value:?}"))
        };
        match letter {
            "-c" => mode = value("a mode")?,
            "-d" => directory = Some(value("a path")?),
            "-h" => hash = value("a hash")?,
            "-m" => run.memory = Some(number(value("megabytes")?, 1, 1 << 24)? * 1_000_000),
            "-t" => run.threads = Some(number(value("a number")?, 1, 1024)? as u16),
            "-p" => run.prefetchers = Some(number(value("a number")?, 0, 1024)? as u16),
            "-r" => recursive = true,
            _ => {
                let shown = pfh::terminal::render(argument.as_encoded_bytes());
                return Err(Failure::usage(format_args!(
                    "{shown} is no option of the paper's form (-c -d -r -h -m -t -p); see pfh --help"
                )));
            }
        }
    }
    let directory = directory.ok_or("the paper's form needs -d PATH; see pfh --help")?;
    // -p 0 is the paper's SMT branch, a number its MTP branch; without -p threads change role.
    run.mode = match run.prefetchers {
        None => Mode::Adaptive,
        Some(0) => Mode::Smt,
        Some(_) => Mode::Mtp,
    };
    let hash = hash.to_string_lossy().into_owned();
    let mut input = crate::input::Input { paths: vec![directory], recursive, ..Default::default() };
    input.flat = !recursive;
    if mode == "hash" {
        let format = hash
            .parse::<pfh::Algorithm>()
            .map_or(Format::Sums, |algorithm| hash::own_format(*algorithm))
            .name()
            .to_owned();
        return Ok(Asked::Hash(Box::new(Hash { input, algorithms: vec![hash], format, run, ..Hash::default() })));
    }
    let compare = Compare { input, algorithms: vec![hash.clone()], format: "text".into(), run, ..Compare::default() };
    if mode == "full" {
        return Ok(Asked::Full(Box::new(compare)));
    }
    if std::fs::metadata(&mode).is_ok_and(|found| found.is_file()) {
        return Ok(Asked::One(Box::new(Compare { sought: Some(mode), ..compare })));
    }
    let algorithm = hash.parse::<pfh::Algorithm>().map_err(Failure::usage)?;
    match compare::given(*algorithm, &mode) {
        Some(given) => Ok(Asked::One(Box::new(Compare { given: vec![given], ..compare }))),
        None => {
            let shown = pfh::terminal::render(mode.as_encoded_bytes());
            Err(Failure::usage(format_args!(
                "-c {shown} is neither hash nor full, nor a file, nor a digest of {algorithm}"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn lines_of_the_paper() {
        assert!(is_paper(&words("-c hash -d t5")) && !is_paper(&words("--help")) && !is_paper(&words("hash -r t5")));
        let Asked::Hash(one) = parse(&words("-c hash -m 256 -d t5 -r")).unwrap() else { panic!("a mode") };
        assert_eq!((one.run.memory, one.input.recursive, one.run.mode), (Some(256_000_000), true, Mode::Adaptive));
        let Asked::Hash(two) = parse(&words("-t 8 -c hash -d t5 -h md5 -p 2")).unwrap() else { panic!("a mode") };
        assert_eq!((two.run.threads, two.run.prefetchers, two.run.mode), (Some(8), Some(2), Mode::Mtp));
        assert_eq!(two.algorithms, ["md5"]);
        assert_eq!((one.algorithms, one.format.as_str()), (vec!["mrsh-v2".to_owned()], "mrsh"));
        let Asked::Full(full) = parse(&words("-c full -d t5 -t 8 -m 128")).unwrap() else { panic!("a mode") };
        assert_eq!((full.algorithms, full.run.threads), (vec!["mrsh-v2".to_owned()], Some(8)));
        let Asked::One(digest) = parse(&words("-c 3:a:b -d t5 -h ssdeep")).unwrap() else { panic!("a mode") };
        assert_eq!((&digest.given[0].0[..], digest.given[0].1.to_string().as_str()), (&b"DIGEST"[..], "3:a:b"));
        let Asked::One(file) = parse(&words("-c Cargo.toml -d t5")).unwrap() else { panic!("a mode") };
        assert_eq!(file.sought.as_deref(), Some(OsStr::new("Cargo.toml")));
        for wrong in
            ["-c hash", "-d t5 -t 0", "-d t5 -q", "-d", "-d t5 -m many", "-c 3:a -d t5 -h ssdeep", "-c 00 -d t5 -h md5"]
        {
            assert!(parse(&words(wrong)).is_err(), "{wrong}");
        }
    }
}
