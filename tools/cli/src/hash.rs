//! `pfh hash`: from a request to an exit code.

use crate::dry;
use crate::exit::{self, Exit, Failure};
use crate::input::{Input, unmatched};
use crate::run::{Run, keyed_algorithms, secret};
use crate::saying::Saying;
use crate::session::Session;
use crate::size;
use clap::Args;
use clap::builder::ArgPredicate;
use pfh::hash::{self as job, Event, Request, Reuse, Sealing, Summary};
use pfh::manifest::{End, Format, Layout, Marker};
use std::path::PathBuf;

/// What either form of the command line asks for.
#[derive(Debug, Args)]
pub struct Hash {
    /// What is read.
    #[command(flatten)]
    pub input: Input,
    /// Algorithms, separated by commas: sha256, md5, shake128:64 (bytes of output) … see `pfh
    /// algorithms`.
    #[arg(
        short,
        long = "algorithm",
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "sha256",
        default_value_if("derive_key", ArgPredicate::IsPresent, "blake3-derive-key")
    )]
    pub algorithms: Vec<String>,
    /// sums, bsd, hashdeep, dfxml, jsonl or csv; of similarity digests also ssdeep, sdbf and mrsh,
    /// their own.
    #[arg(short, long, value_name = "FORMAT", default_value = "sums")]
    pub format: String,
    /// The same as -f jsonl.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// End records with NUL and escape no names (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// Mark names with an asterisk, as GNU's tools do with the same option (sums).
    #[arg(long)]
    pub binary: bool,
    /// Write to a file that appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also digests of every window of SIZE bytes (hashdeep, dfxml, jsonl).
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub piecewise: Option<u64>,
    /// Also write FILE.seal: a Merkle root over the records, which `pfh check` verifies.
    #[arg(long, requires = "output")]
    pub seal: bool,
    /// Sign the seal with this Ed25519 key.
    #[arg(long, value_name = "FILE", requires = "seal")]
    pub key: Option<PathBuf>,
    /// The key of keyed algorithms (hmac-sha256, blake3-keyed …): the bytes of FILE as they are.
    /// Lists name the algorithm, never the key.
    #[arg(long, value_name = "FILE", conflicts_with = "cache")]
    pub key_file: Option<PathBuf>,
    /// Derive keys by BLAKE3 (blake3-derive-key): CONTEXT states their purpose and is public;
    /// the files are the key material.
    #[arg(long, value_name = "CONTEXT", conflicts_with_all = ["key_file", "cache"])]
    pub derive_key: Option<String>,
    /// Keep digests in FILE, and do not read files again whose device, inode, size, mtime and ctime
    /// are those kept. A run that was interrupted is resumed.
    #[arg(long, value_name = "FILE", conflicts_with = "piecewise")]
    pub cache: Option<PathBuf>,
    /// Read this share of the files all the same, chosen at random, and compare.
    #[arg(long, value_name = "PERCENT", requires = "cache", value_parser = percent)]
    pub cache_verify: Option<f64>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// What is said.
    #[command(flatten)]
    pub saying: Saying,
    /// How it is carried out.
    #[command(flatten)]
    pub run: Run,
}

/// Reads `1%`, `0.5%` or `1`.
fn percent(text: &str) -> Result<f64, Failure> {
    let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number
        .map(|number| number / 100.0)
        .ok_or_else(|| Failure::usage(format_args!("{text:?} is not a share: write 1% or 0.5%")))
}

impl Default for Hash {
    fn default() -> Self {
        Hash {
            input: Input::default(),
            algorithms: vec!["sha256".into()],
            format: "sums".into(),
            json: false,
            zero: false,
            binary: false,
            output: None,
            piecewise: None,
            seal: false,
            key: None,
            key_file: None,
            derive_key: None,
            cache: None,
            cache_verify: None,
            force: false,
            saying: Saying::default(),
            run: Run::default(),
        }
    }
}

/// Runs a request to its end.
pub fn run(hash: &Hash) -> Exit {
    exit::end(try_run(hash))
}

fn try_run(hash: &Hash) -> Result<Exit, Failure> {
    if hash.piecewise == Some(0) {
        return Err(Failure::usage("--piecewise takes a size of at least one byte"));
    }
    if let Some(path) = &hash.key {
        // Better now than after a long run.
        #[cfg(any(feature = "audit", feature = "image"))]
        pfh::key::signing(path).map(|_| exit::warn_of_key(path)).map_err(|error| Failure::refused(&error))?;
        #[cfg(not(any(feature = "audit", feature = "image")))]
        return Err(Failure::usage(format!("{}: this build makes no signatures", path.display())));
    }
    let secret = secret(hash.key_file.as_ref(), hash.derive_key.as_deref())?;
    let algorithms = keyed_algorithms(&hash.algorithms, secret.as_ref())?;
    if secret.is_some() && !algorithms.iter().any(|algorithm| algorithm.is_keyed()) {
        let why = "none of the algorithms takes a key or a context; hmac-sha256 and blake3-keyed take --key-file";
        return Err(Failure::usage(format!("{why}, blake3-derive-key takes --derive-key")));
    }
    let mut plan = hash.run.plan(algorithms)?;
    plan.piecewise = hash.piecewise;
    let session = hash.run.session_saying(hash.saying)?;
    let format = if hash.json { Format::Jsonl } else { hash.format.parse().map_err(Failure::usage)? };
    let layout = Layout {
        end: if hash.zero { End::Nul } else { End::Line },
        marker: if hash.binary { Marker::Binary } else { Marker::Text },
    };
    if hash.saying.dry_run {
        return dry::run(&hash.input.asked()?, &session);
    }
    let reuse = |path: &PathBuf| Reuse { path: path.clone(), sample: hash.cache_verify.unwrap_or(0.0) };
    let request = Request::new(hash.input.asked()?, Vec::new())
        .plan(plan)
        .format(format, layout)
        .output(session.destination(hash.output.as_ref()))
        .seal(hash.seal.then(|| Sealing { key: hash.key.clone() }))
        .reuse(hash.cache.as_ref().map(reuse))
        .secret(secret)
        .replace(hash.force);
    carry_out(hash, &request, &session).map(|(exit, _)| exit)
}

/// Runs the job, prints what there is to be said, and gives the exit. `hash` is what was asked for
/// beside it.
///
/// # Errors
/// The job's.
pub fn carry_out(hash: &Hash, request: &Request, session: &Session) -> Result<(Exit, Summary), Failure> {
    let ran = job::run(
        request,
        &mut |event| {
            show(session, event);
            Ok(())
        },
        &session.control(),
    );
    let summary = ran.map_err(|error| session.failed(error))?;
    session.close();
    if !summary.run.interrupted {
        unmatched(&request.input, session);
    }
    Ok((report(hash, request, &summary, session), summary))
}

/// Prints what is to be said of an input.
fn show(session: &Session, event: Event<'_>) {
    match event {
        Event::Record(record) => session.unread(record),
        Event::Changed(record) => {
            session.about(&record.name, "its content changed though size, mtime and ctime did not");
        }
        Event::Uncached(why) => session.message(format_args!("{why}: files are hashed without it")),
        Event::NotWritten(record, why) => session.about(&record.name, format_args!("not written: {why}")),
        _ => {}
    }
}

/// Prints what is to be said of the whole run, and gives the exit.
fn report(hash: &Hash, request: &Request, summary: &Summary, session: &Session) -> Exit {
    hash.run.report(&summary.run);
    say_without(summary.without, &request.plan.algorithms);
    let exit = match &hash.output {
        Some(_) if summary.run.interrupted => {
            let kept =
                if hash.cache.is_some() { "; what was hashed is in the cache, the same command resumes" } else { "" };
            session.interrupted(format_args!("no file was written{kept}"))
        }
        _ => session.exit(&summary.run, summary.unwritten),
    };
    let Some(used) = summary.cache else { return exit };
    exit::say(format!("{} files were not read again, {} were and compared", used.reused, used.verified));
    if used.timeless > 0 {
        let files = if used.timeless == 1 { "file was" } else { "files were" };
        exit::say(format!(
            "{} {files} read again: the file system has no change times, so digests of its files are not kept",
            used.timeless
        ));
    }
    // Content that changed under the same times is a negative verdict on the file system, or on the
    // cache.
    if used.changed > 0 && exit == Exit::Good { Exit::Verdict } else { exit }
}

/// Says how many files are too short, too plain or too long for these algorithms.
pub fn say_without(without: u64, algorithms: &[pfh::digest::Algorithm]) {
    if without > 0 {
        let files = if without == 1 { "file has" } else { "files have" };
        let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
        exit::say(format!(
            "{without} {files} no digest of {}: too short, too plain or too long for it, but read, and no failure",
            names.join(", ")
        ));
    }
}
