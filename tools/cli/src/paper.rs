//! The paper's own command line: `pfh -c hash -m 256 -d t5 -r`.
//!
//! It starts with an option where the modern form starts with a command. The letters follow Breitinger & Petrov, §IV:
//! `-c` mode, `-d` path, `-r` recursive, `-h` hash, `-m` megabytes of the RAM table, `-t` threads, `-p` prefetchers.

use crate::hash::Hash;
use crate::run::Mode;
use std::ffi::OsString;

/// What the paper's form asks for.
#[derive(Debug)]
pub enum Asked {
    /// Hash.
    Hash(Box<Hash>),
    /// A mode that a later part brings.
    NotYet(String),
}

/// Whether the arguments are in the paper's form: an option comes first, and it is none of the modern form's own.
pub fn is_paper(arguments: &[OsString]) -> bool {
    let Some(first) = arguments.first().and_then(|a| a.to_str()) else { return false };
    first.starts_with('-') && !["--help", "--version", "-V", "-"].contains(&first) && arguments.len() > 1
}

/// Reads the paper's form.
///
/// # Errors
/// A sentence for the user.
pub fn parse(arguments: &[OsString]) -> Result<Asked, String> {
    let mut request = Hash::default();
    let (mut mode, mut directory) = (String::from("hash"), None);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let letter = argument.to_str().unwrap_or_default();
        let mut value = |what: &str| arguments.next().cloned().ok_or_else(|| format!("{letter} takes {what}"));
        let number = |value: OsString, least: u64, most: u64| {
            let parsed = value.to_str().and_then(|v| v.parse::<u64>().ok()).filter(|n| (least..=most).contains(n));
            parsed.ok_or_else(|| format!("{letter} takes a number from {least} to {most}, not {value:?}"))
        };
        match letter {
            "-c" => mode = value("a mode")?.to_string_lossy().into_owned(),
            "-d" => directory = Some(value("a path")?),
            "-h" => request.algorithms = vec![value("a hash")?.to_string_lossy().into_owned()],
            "-m" => request.run.memory = Some(number(value("megabytes")?, 1, 1 << 24)? * 1_000_000),
            "-t" => request.run.threads = Some(number(value("a number")?, 1, 1024)? as u16),
            "-p" => request.run.prefetchers = Some(number(value("a number")?, 0, 1024)? as u16),
            "-r" => request.input.recursive = true,
            _ => {
                let shown = pfh::format::terminal::render(argument.as_encoded_bytes());
                return Err(format!("{shown} is no option of the paper's form (-c -d -r -h -m -t -p); see pfh --help"));
            }
        }
    }
    let directory = directory.ok_or("the paper's form needs -d PATH; see pfh --help")?;
    request.input.paths = vec![directory];
    // -p 0 is the paper's SMT branch, a number its MTP branch; without -p threads change role.
    request.run.mode = match request.run.prefetchers {
        None => Mode::Adaptive,
        Some(0) => Mode::Smt,
        Some(_) => Mode::Mtp,
    };
    request.input.flat = true;
    Ok(if mode == "hash" { Asked::Hash(Box::new(request)) } else { Asked::NotYet(mode) })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(matches!(parse(&words("-c full -d t5")), Ok(Asked::NotYet(mode)) if mode == "full"));
        for wrong in ["-c hash", "-d t5 -t 0", "-d t5 -q", "-d", "-d t5 -m many"] {
            assert!(parse(&words(wrong)).is_err(), "{wrong}");
        }
    }
}
