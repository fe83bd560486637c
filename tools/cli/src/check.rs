//! `pfh check`: files against a manifest.

mod audit;

use crate::exit::{self, Exit};
use crate::run::{Run, Taker, Voice, algorithms};
use crate::seal;
use crate::shown;
use clap::Args;
use pfh::format::{End, Format, Options};
use pfh::sink::check::{Comparison, Expectations, Expected};
use pfh::{Descend, Operands, Outcome, Patient, Record, Source, Within};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What to check.
#[derive(Debug, Args)]
pub struct Check {
    /// The manifest, in any format that pfh reads; - is standard input.
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// The directory in which its names start.
    #[arg(value_name = "ROOT", default_value = ".")]
    pub root: OsString,
    /// Class the whole tree: matched, metadata-only, modified, bit-rot, moved, copied, new, missing.
    #[arg(long)]
    pub audit: bool,
    /// Audit only this part of ROOT.
    #[arg(long, value_name = "PATH", requires = "audit")]
    pub below: Vec<OsString>,
    /// What an audit prints: text, jsonl, or hashdeep's wording.
    #[arg(short, long, value_name = "FORMAT", default_value = "text", requires = "audit")]
    pub format: String,
    /// Print what matched, too.
    #[arg(long, requires = "audit")]
    pub all: bool,
    /// Names may lead out of ROOT.
    #[arg(long, conflicts_with = "audit")]
    pub allow_outside: bool,
    /// Files that are not there do not count, nor are they told.
    #[arg(long, conflicts_with = "audit")]
    pub ignore_missing: bool,
    /// Do not print OK for every file.
    #[arg(long)]
    pub quiet: bool,
    /// Print nothing: the exit code tells.
    #[arg(long)]
    pub status: bool,
    /// Lines that are no records make the exit code 1.
    #[arg(long)]
    pub strict: bool,
    /// Tell every line that is no record.
    #[arg(short, long)]
    pub warn: bool,
    /// The manifest's records end with NUL (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// The algorithm of digests that do not say theirs.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// The manifest must have a seal that is signed with this key.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// How it is carried out.
    #[command(flatten)]
    pub run: Run,
}

/// Runs a request to its end.
pub fn run(request: &Check) -> Exit {
    match try_run(request) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

fn name(path: &Path) -> String {
    shown(path.as_os_str().as_bytes())
}

fn try_run(request: &Check) -> Result<Exit, String> {
    let assumed = if request.algorithms.is_empty() { Vec::new() } else { algorithms(&request.algorithms)? };
    let end = if request.zero { End::Nul } else { End::Line };
    let options = Options { format: request.zero.then_some(Format::Sums), assumed, end, ..Options::default() };
    // The seal first: of a manifest that was changed nothing is worth checking.
    if let Err(exit) = seal::verify(&request.manifest, &options, request.key.as_deref()) {
        return Ok(exit);
    }
    let expectations = match read(request, &options) {
        Ok(expectations) => expectations,
        Err(exit) => return Ok(exit),
    };
    let faults = expectations.faults.len() as u64;
    if request.warn {
        for (line, fault) in &expectations.faults {
            exit::say(format!("{}:{line}: {fault}", name(&request.manifest)));
        }
    }
    if expectations.entries.is_empty() {
        exit::say(format!("{}: no record with a digest in it", name(&request.manifest)));
        return Ok(Exit::Verdict);
    }
    let exit = if request.audit { audit::run(request, expectations)? } else { check(request, expectations)? };
    if faults > 0 && !request.status {
        exit::say(format!("WARNING: {faults} {} improperly formatted", plural(faults, "line is", "lines are")));
    }
    Ok(if exit == Exit::Good && faults > 0 && request.strict { Exit::Verdict } else { exit })
}

/// The manifest.
///
/// # Errors
/// The exit; what is wrong has been said.
fn read(request: &Check, options: &Options) -> Result<Expectations, Exit> {
    request.run.set_patience();
    let reader: Box<dyn BufRead> = if request.manifest == Path::new("-") {
        Box::new(BufReader::new(Patient(io::stdin().lock())))
    } else {
        match Patient::open(&request.manifest) {
            Ok(file) => Box::new(BufReader::with_capacity(1 << 18, file)),
            Err(error) => {
                exit::say(format!("{}: {error}", name(&request.manifest)));
                return Err(Exit::Verdict);
            }
        }
    };
    Expectations::read(reader, options, pfh::REGISTRY).map_err(|error| {
        exit::say(format!("{}: {error}", name(&request.manifest)));
        Exit::Aborted
    })
}

fn plural<'a>(count: u64, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

/// The files that the manifest names.
fn source(request: &Check, names: Vec<Vec<u8>>) -> Result<Box<dyn Source>, String> {
    let root = request.root.as_bytes();
    if !request.allow_outside {
        let within = Within::open(root, names).map_err(|problem| format!("{}: {problem}", shown(root)))?;
        return Ok(Box::new(within));
    }
    let outside = |name: Vec<u8>| if name.first() == Some(&b'/') { name } else { [root, b"/", &name].concat() };
    let names: Vec<Vec<u8>> = names.into_iter().map(outside).collect();
    Ok(Box::new(Operands::new(names, Descend::default())))
}

/// GNU's check: a line per file.
fn check(request: &Check, expectations: Expectations) -> Result<Exit, String> {
    let names = || expectations.entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
    let source = source(request, names())?;
    // The names once more only where somebody looks at the progress.
    let watched = !request.run.no_progress && io::stderr().is_terminal();
    let again = watched.then(|| source_again(request, names())).flatten();
    let mut plan = request.run.plan(expectations.algorithms.clone())?;
    plan.piecewise = expectations.piecewise;
    let mut checking = Checking { request, entries: &expectations.entries, seen: Seen::default() };
    let ended = match request.run.carry_out(source, again, &plan, &mut checking) {
        Ok(ended) => ended,
        Err(exit) => return Ok(exit),
    };
    let seen = checking.seen;
    if ended.summary.interrupted {
        return Ok(ended.exit(0));
    }
    request.run.tell(&ended.summary);
    if !request.status {
        let Seen { different, missing, unread, .. } = seen;
        for (count, one, many) in [
            (missing + unread, "listed file could not be read", "listed files could not be read"),
            (different, "computed checksum did NOT match", "computed checksums did NOT match"),
        ] {
            if count > 0 {
                exit::say(format!("WARNING: {count} {}", plural(count, one, many)));
            }
        }
    }
    if request.ignore_missing && seen.verified == 0 {
        exit::say(format!("{}: no file was verified", name(&request.manifest)));
        return Ok(Exit::Verdict);
    }
    Ok(match seen {
        Seen { different: 0, missing: 0, unread: 0, .. } => Exit::Good,
        Seen { different: 0, missing: 0, .. } => Exit::Incomplete,
        _ => Exit::Verdict,
    })
}

fn source_again(request: &Check, names: Vec<Vec<u8>>) -> Option<Box<dyn Source>> {
    source(request, names).ok()
}

#[derive(Clone, Copy, Default)]
struct Seen {
    verified: u64,
    different: u64,
    missing: u64,
    unread: u64,
}

struct Checking<'a> {
    request: &'a Check,
    entries: &'a [Expected],
    seen: Seen,
}

impl Taker for Checking<'_> {
    fn take(&mut self, record: Record, _: &Voice<'_>) -> io::Result<()> {
        // Records come in the order of the names, one for each.
        let Some(entry) = usize::try_from(record.number).ok().and_then(|at| self.entries.get(at)) else {
            return Err(io::Error::other("a record of no name in the manifest"));
        };
        let word = match &record.outcome {
            Outcome::Hashed(hashed) if entry.compare(hashed) == Comparison::Same => {
                self.seen.verified += 1;
                if self.request.quiet { None } else { Some("OK") }
            }
            Outcome::Hashed(_) => {
                self.seen.verified += 1;
                self.seen.different += 1;
                Some("FAILED")
            }
            Outcome::Failed(problem) if problem.code() == "ENOENT" => {
                self.seen.missing += u64::from(!self.request.ignore_missing);
                if self.request.ignore_missing { None } else { Some("FAILED open or read") }
            }
            Outcome::Failed(_) | Outcome::Skipped(_) => {
                self.seen.unread += 1;
                Some("FAILED open or read")
            }
        };
        match word {
            Some(word) if !self.request.status => {
                writeln!(io::stdout().lock(), "{}: {word}", shown(&entry.name))
            }
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().lock().flush()
    }

    fn tells(&self, record: &Record) -> bool {
        !self.request.ignore_missing
            || !matches!(&record.outcome, Outcome::Failed(problem) if problem.code() == "ENOENT")
    }
}
