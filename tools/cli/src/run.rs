//! How a run is carried out: the table, the threads, the progress. Every command that hashes
//! flattens this.

use crate::exit::{self, Failure};
use crate::saying::Saying;
use crate::session::Session;
use crate::show::stats::StatsFormat;
use crate::size;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use pfh::{Algorithm, Backend, Mode, Plan, Secret, SecretError, Summary, UnknownAlgorithm};
use std::path::PathBuf;
use std::time::Duration;

/// The modes of the library, by their names.
fn modes() -> impl TypedValueParser<Value = Mode> {
    let named = Mode::ALL.map(|mode| PossibleValue::new(mode.name()).help(mode.about()));
    let of = |name: String| Mode::ALL.into_iter().find(|mode| mode.name() == name).unwrap_or_default();
    PossibleValuesParser::new(named).map(of)
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Io {
    #[default]
    /// The one that measured faster on this kind of run.
    Auto,
    /// One system call after the other.
    Plain,
    /// Several small files at a time through io_uring, where the kernel has it.
    Uring,
}

/// Memory, threads, patience, and reports.
#[derive(Debug, Clone, Args)]
pub struct Run {
    /// Size of the RAM table for reading ahead (a bare number is MiB).
    #[arg(short, long, value_name = "SIZE", value_parser = size::parse_memory)]
    pub memory: Option<u64>,
    /// Hashing threads [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Number of reading threads; in adaptive mode the most, as many as read faster than fewer
    /// [default: three per thread, one in mtp].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub prefetchers: Option<u16>,
    /// Division of reading and hashing among threads.
    #[arg(long, value_parser = modes(), default_value = Mode::default().name())]
    pub mode: Mode,
    /// System interface for small files.
    #[arg(long, value_enum, default_value = "auto")]
    pub io: Io,
    /// Retry a failed read N times.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub retries: u32,
    /// Abandon a read or interrupted call after SECONDS and continue with other files.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub stall_timeout: u64,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
    /// Print timings on standard error.
    #[arg(long, value_enum, value_name = "FORM")]
    pub stats: Option<StatsFormat>,
}

impl Default for Run {
    fn default() -> Self {
        Run {
            memory: None,
            threads: None,
            prefetchers: None,
            mode: Mode::default(),
            io: Io::Auto,
            retries: 0,
            stall_timeout: 60,
            no_progress: false,
            stats: None,
        }
    }
}

/// The name of a format, or that of JSON if that was asked for.
pub fn json_or(json: bool, format: &str) -> &str {
    if json { "jsonl" } else { format }
}

/// The key in the file of `--key-file`, or the context of `--derive-key`.
///
/// # Errors
/// When it cannot be read.
pub fn secret(path: Option<&PathBuf>, context: Option<&str>) -> Result<Option<Secret>, Failure> {
    let read = path.map(|path| Secret::read(path).map_err(Failure::refused)).transpose()?;
    Ok(read.or(context.map(Secret::context)))
}

/// The algorithms of these names, each once.
///
/// # Errors
/// When one is unknown, or none is named.
pub fn algorithms(names: &[String]) -> Result<Vec<Algorithm>, Failure> {
    keyed_algorithms(names, None)
}

/// The same, under this key if they need one.
///
/// # Errors
/// When one is unknown, or needs another key; when none is named.
pub fn keyed_algorithms(names: &[String], secret: Option<&Secret>) -> Result<Vec<Algorithm>, Failure> {
    let mut algorithms: Vec<Algorithm> = Vec::new();
    // Commas separate algorithms and their parameters alike: a piece with `=` is a parameter.
    for name in pfh::Algorithm::names(&names.join(",")).into_iter().filter(|name| !name.is_empty()) {
        let unknown = |error: &UnknownAlgorithm| {
            let hint = if error.needs_key() {
                "`pfh hash` and `pfh check` take it by --key-file FILE, the context of derived keys by --derive-key CONTEXT"
            } else {
                "`pfh algorithms` lists them"
            };
            Failure::usage(format_args!("{error}; {hint}"))
        };
        let found = match secret {
            Some(secret) => secret.algorithm(name).map_err(|error| match error {
                SecretError::Unknown(error) => unknown(&error),
                error => Failure::usage(error),
            })?,
            None => name.parse().map_err(|error| unknown(&error))?,
        };
        if !algorithms.contains(&found) {
            algorithms.push(found);
        }
    }
    if algorithms.is_empty() { Err(Failure::usage("no algorithm was named")) } else { Ok(algorithms) }
}

/// The same, where none need be named.
///
/// # Errors
/// When one is unknown.
pub fn algorithms_or_none(names: &[String]) -> Result<Vec<Algorithm>, Failure> {
    if names.is_empty() { Ok(Vec::new()) } else { algorithms(names) }
}

impl Run {
    /// Begins to catch signals and to show progress.
    ///
    /// # Errors
    /// When signals cannot be caught.
    pub fn session(&self) -> Result<Session, Failure> {
        Session::open(!self.no_progress)
    }

    /// Interrupted calls are made again for as long as a read may take. For commands that read
    /// something before they plan.
    pub fn set_patience(&self) {
        pfh::process::set_patience(Duration::from_secs(self.stall_timeout));
    }

    /// The same, saying as much as is asked for.
    ///
    /// # Errors
    /// When signals cannot be caught.
    pub fn session_saying(&self, saying: Saying) -> Result<Session, Failure> {
        Session::saying(!self.no_progress, saying)
    }

    /// The plan of a run with these algorithms.
    ///
    /// # Errors
    /// When the table does not fit this machine.
    pub fn plan(&self, algorithms: Vec<Algorithm>) -> Result<Plan, Failure> {
        self.set_patience();
        let mut plan = Plan::new(algorithms);
        plan.threads = self.threads.map_or(plan.threads, usize::from);
        plan.mode = self.mode;
        plan.backend = match self.io {
            Io::Auto => Backend::Auto,
            Io::Plain => Backend::Plain,
            Io::Uring => Backend::Uring,
        };
        plan.prefetchers = self.prefetchers.map_or_else(|| self.mode.prefetchers(plan.threads), usize::from);
        if let Some(memory) = self.memory {
            plan.memory = usize::try_from(memory)
                .map_err(|_| Failure::usage(format_args!("a table of {memory} bytes does not fit this machine")))?;
        }
        plan.retries = self.retries;
        plan.stall = Duration::from_secs(self.stall_timeout);
        Ok(plan)
    }

    /// Prints the notes on a run, and where the time went if that was asked for.
    pub fn report(&self, summary: &Summary) {
        self.note(summary);
        if let Some(form) = self.stats {
            exit::lines(&crate::show::stats::render(summary, form));
        }
    }

    /// Prints the notes on a run.
    pub fn note(&self, summary: &Summary) {
        if summary.unopened > 0 {
            exit::say(format!("containers not opened: {}; their contents were not read", summary.unopened));
        }
        if summary.untimed > 0 {
            let files = if summary.untimed == 1 { "file lies" } else { "files lie" };
            exit::say(format!(
                "note: {} {files} where no change times are kept (FAT, exFAT, some FUSE and network file systems): \
                 a write during the read that put the modification time back would not have been noticed",
                summary.untimed
            ));
        }
        let is_asked = self.prefetchers.is_some() || self.mode != Mode::default() || self.stats.is_some();
        if summary.turns && is_asked {
            exit::say("note: readers took turns: the device says that it is rotating, and is read by one at a time");
        }
    }
}
