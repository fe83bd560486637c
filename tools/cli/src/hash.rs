//! `pfh hash`: from a request to an exit code.

use crate::exit::{self, Exit, Failure};
use crate::input::{Input, unmatched};
use crate::leveling::Leveling;
use crate::run::{Run, keyed_algorithms, secret};
use crate::saying::Saying;
use crate::session::{Session, amount};
use crate::show::counted;
use crate::size;
use crate::{command, config, dry};
use clap::builder::ArgPredicate;
use clap::{ArgGroup, Args};
use pfh::hash::{self as job, Event, Manifest, ManifestOutcome, Request, Reuse, Sealing, Summary};
use pfh::manifest::{End, Format, Layout, Marker};
use pfh::similarity::MethodName;
use std::path::PathBuf;

/// Arguments of `pfh hash`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("listed").args(["output", "update"]))]
pub struct Hash {
    /// The input.
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
    /// sums, bsd, hashdeep, dfxml, jsonl or csv; for similarity digests also their own ssdeep, sdbf
    /// and mrsh.
    #[arg(short, long, value_name = "FORMAT", default_value = "sums")]
    pub format: String,
    /// Same as -f jsonl.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// End records with NUL and do not escape names (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// Mark names with an asterisk, like GNU's tools (sums).
    #[arg(long)]
    pub binary: bool,
    /// Write to FILE, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Update this manifest to the files below PATH, keeping its format and algorithms. The old
    /// list is kept as FILE.1.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "algorithms", "format", "binary", "piecewise", "dry_run", "level"])]
    pub update: Option<PathBuf>,
    /// With --update, do not read files whose size and times match the list.
    #[arg(long, requires = "update")]
    pub trust_times: bool,
    /// Also hash every window of SIZE bytes (hashdeep, dfxml, jsonl).
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub piecewise: Option<u64>,
    /// Also write FILE.seal: a Merkle root over the records, which `pfh check` verifies.
    #[arg(long, requires = "listed")]
    pub seal: bool,
    /// Sign the seal with this Ed25519 key.
    #[arg(long, value_name = "FILE", requires = "seal")]
    pub key: Option<PathBuf>,
    /// Key of keyed algorithms (hmac-sha256, blake3-keyed …): the bytes of FILE. Lists name the
    /// algorithm, never the key.
    #[arg(long, value_name = "FILE", conflicts_with = "cache")]
    pub key_file: Option<PathBuf>,
    /// Derive keys from the files with blake3-derive-key; CONTEXT states their purpose and is
    /// public.
    #[arg(long, value_name = "CONTEXT", conflicts_with_all = ["key_file", "cache"])]
    pub derive_key: Option<String>,
    /// Keep digests in FILE, and do not reread files whose device, inode, size, mtime and ctime are
    /// unchanged. Resumes an interrupted run.
    #[arg(long, value_name = "FILE", conflicts_with = "piecewise")]
    pub cache: Option<PathBuf>,
    /// Reread this share of the files, chosen at random, and compare.
    #[arg(long, value_name = "PERCENT", requires = "cache", value_parser = percent)]
    pub cache_verify: Option<f64>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Messages.
    #[command(flatten)]
    pub saying: Saying,
    /// How much findings count.
    #[command(flatten)]
    pub levels: Leveling,
    /// Reading and hashing.
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
            update: None,
            trust_times: false,
            piecewise: None,
            seal: false,
            key: None,
            key_file: None,
            derive_key: None,
            cache: None,
            cache_verify: None,
            force: false,
            saying: Saying::default(),
            levels: Leveling::default(),
            run: Run::default(),
        }
    }
}

/// Runs a request to its end.
pub fn run(hash: &Hash) -> Exit {
    exit::end(try_run(hash))
}

/// Whether the input is a few short files, which are hashed sooner than the kernels are measured.
fn has_little(input: &pfh::Input) -> bool {
    const LITTLE: (usize, u64) = (16, 256 << 10);
    let length = |path| std::fs::symlink_metadata(path).ok().filter(|file| file.is_file()).map(|file| file.len());
    let is_plain = input.list.is_none() && input.content == pfh::Content::Files && !input.is_inside();
    // Without operands it is standard input, which may be long.
    let is_few = is_plain && (1..=LITTLE.0).contains(&input.paths.len());
    let all: Option<u64> = if is_few { input.paths.iter().map(length).sum() } else { None };
    all.is_some_and(|all| all <= LITTLE.1)
}

fn try_run(hash: &Hash) -> Result<Exit, Failure> {
    #[cfg(any(feature = "audit", feature = "image"))]
    hash.key.iter().for_each(|path| exit::warn_of_key(path));
    let secret = secret(hash.key_file.as_ref(), hash.derive_key.as_deref())?;
    let algorithms = keyed_algorithms(&hash.algorithms, secret.as_ref())?;
    let mut plan = hash.levels.plan(hash.run.plan(algorithms)?);
    plan.piecewise = hash.piecewise;
    let session = hash.run.session_saying(hash.saying)?.levels(&plan.levels);
    let format = if hash.json { Format::Jsonl } else { hash.format.parse().map_err(Failure::usage)? };
    let layout = Layout {
        end: if hash.zero { End::Nul } else { End::Line },
        marker: if hash.binary { Marker::Binary } else { Marker::Text },
    };
    let reuse = |path: &PathBuf| Reuse { path: path.clone(), sample: hash.cache_verify.unwrap_or(0.0) };
    let request = Request::new(hash.input.asked()?, Vec::new())
        .plan(plan)
        .reuse(hash.cache.as_ref().map(reuse))
        .secret(secret)
        .replace(hash.force);
    if has_little(&request.input) {
        pfh::Costs::take_table();
    }
    let manifest = Manifest::new(session.destination(hash.output.as_ref()))
        .format(format, layout)
        .seal(hash.seal.then(|| Sealing { key: hash.key.clone(), defaults: config::used() }));
    if hash.saying.dry_run {
        // Refused as the run would be.
        request.check().and_then(|()| manifest.check(&request)).map_err(|error| session.ended(error))?;
        return dry::run(&request.input, &session);
    }
    carry_out(hash, &request, manifest, &session).map(|(exit, _)| exit)
}

/// Runs the job, prints messages, and returns the exit. `hash` is the request beside it.
///
/// # Errors
/// The job's.
pub fn carry_out(
    hash: &Hash,
    request: &Request,
    manifest: Manifest,
    session: &Session,
) -> Result<(Exit, Summary), Failure> {
    let Request { plan, input, .. } = request;
    let manifest = manifest.command_line(command::of_hash(&plan.algorithms, input, plan.piecewise));
    let ran = job::write(
        request,
        &manifest,
        &mut |event| {
            show(session, event);
            Ok(())
        },
        &session.control(),
    );
    let written = ran.map_err(|error| session.ended(error))?;
    session.close();
    if !written.summary.run.interrupted {
        unmatched(&request.input, session);
    }
    Ok((report(hash, request, &written, session), written.summary))
}

/// Prints the message about an input.
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

/// Prints the messages about the whole run, and returns the exit.
fn report(hash: &Hash, request: &Request, written: &ManifestOutcome, session: &Session) -> Exit {
    let summary = &written.summary;
    hash.run.report(&summary.run);
    say_without(written.without, &request.plan.algorithms);
    let exit = match &hash.output {
        Some(_) if summary.run.interrupted => {
            let kept =
                if hash.cache.is_some() { "; finished files are in the cache, the same command resumes" } else { "" };
            session.interrupted(format_args!("no file was written{kept}"))
        }
        _ => session.exit(&summary.run, written.unwritten),
    };
    if let (Some(path), Exit::Good, false) = (&hash.output, exit, hash.saying.quiet || session.closes()) {
        exit::say(format_args!("{}: {}", pfh::terminal::shown(path), amount(&summary.run)));
    }
    let Some(used) = summary.cache else { return exit };
    if used.reused + used.verified > 0 {
        let were = |count| if count == 1 { "was" } else { "were" };
        exit::say(format!(
            "{} {} not read again, {} {} and compared",
            counted(used.reused, "file"),
            were(used.reused),
            used.verified,
            were(used.verified)
        ));
    }
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

/// Says how many files have no digest of these algorithms, and why.
pub fn say_without(without: u64, algorithms: &[pfh::digest::Algorithm]) {
    if without > 0 {
        let files = if without == 1 { "file has" } else { "files have" };
        let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
        let mut why: Vec<&str> =
            algorithms.iter().map(|algorithm| MethodName::wording(*algorithm).profile().lacking_all).collect();
        why.dedup();
        let (names, why) = (names.join(", "), why.join(", "));
        exit::say(format!("{without} {files} no digest of {names} ({why}): read, and not a failure"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_short_files_are_little_and_streams_and_directories_are_not() {
        let room = tempfile::tempdir().unwrap();
        let file = |name: &str, length: u64| {
            let path = room.path().join(name);
            std::fs::File::create(&path).unwrap().set_len(length).unwrap();
            path
        };
        let (short, long) = (file("short", 100), file("long", (256 << 10) - 99));
        let little = |paths: Vec<PathBuf>| has_little(&pfh::Input::new(paths));
        assert!(little(vec![short.clone()]) && little(vec![short.clone(); 16]) && little(vec![long.clone()]));
        assert!(!little(vec![short.clone(), long]) && !little(vec![short.clone(); 17]));
        assert!(!little(vec![]) && !little(vec![room.path().to_owned()]) && !little(vec![room.path().join("none")]));
    }
}
