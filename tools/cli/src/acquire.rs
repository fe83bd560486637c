//! `pfh acquire`: a medium into images, hashed on the way.

use crate::exit::{self, Exit, Failure};
use crate::finish;
use crate::imaging::{self, name};
use crate::leveling::Leveling;
use crate::run::algorithms;
use crate::session::Session;
use crate::show::acquire as show;
use crate::show::stages;
use crate::show::stats::StatsFormat;
use crate::size;
use clap::{Args, ValueEnum};
use pfh::acquire::{
    self as job, AcquisitionRow, CaseData, Event, Layout, Origin, Reading, Request, TargetComparison, TargetForm, To,
    pattern,
};
use pfh::container::ewf::Compression;
use pfh::device::{Access, ErrorPolicy, Fill};
use pfh::imaging::Holes;
use pfh::manifest::row;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormArg {
    /// By the target's name: `.E01` is E01, everything else raw.
    Auto,
    /// The medium's bytes.
    Raw,
    /// EnCase 6 (EWF-E01).
    E01,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Pack {
    /// Nothing is compressed.
    None,
    /// Only chunks of zeros.
    EmptyBlock,
    /// Quickly.
    Fast,
    /// Well.
    Best,
}

/// Acquire a disk, a file or standard input into raw, split or E01 images.
#[derive(Debug, Args)]
pub struct AcquireArgs {
    /// A block device, a file, or - for standard input.
    #[arg(value_name = "SOURCE")]
    pub source: PathBuf,
    /// Write the image to this file or block device. May be repeated.
    #[arg(long, value_name = "TARGET", required_unless_present = "hash_only")]
    pub to: Vec<PathBuf>,
    /// Continue with pieces or segments in this directory when the disk is full. May be repeated.
    #[arg(long, value_name = "DIR", requires = "to")]
    pub then: Vec<PathBuf>,
    /// Write no image, only digests, map and log, named after the source.
    #[arg(long, conflicts_with_all = ["to", "outboard", "verify", "retry_bad", "case_uco", "adopt_map", "split", "seek"])]
    pub hash_only: bool,
    /// Acquire the content of an image (E01, Ex01, AFF4, VHD, VHDX, VMDK, QCOW2, DMG, split, raw).
    #[arg(long)]
    pub image: bool,
    /// Read an E01 image despite damage outside its data; each damage is logged, and the exit code
    /// is 3.
    #[arg(long, requires = "image")]
    pub salvage: bool,
    /// Format of the targets.
    #[arg(short, long, value_enum, default_value = "auto")]
    pub format: FormArg,
    /// Split the image into pieces of at most SIZE bytes: NAME.000, NAME.001 …, or E01 segments.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub split: Option<u64>,
    /// Number raw pieces as 000, 111 (001, 002 …) or aaa (aaa, aab …), with two digits or more.
    #[arg(long, value_name = "PATTERN", default_value = "000")]
    pub suffix: String,
    /// Compression of E01 chunks.
    #[arg(long, value_enum, default_value = "fast")]
    pub compression: Pack,
    /// Digests of the image as written. E01 targets add md5 and sha1, which the format stores.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',', default_value = "sha256,blake3")]
    pub algorithms: Vec<String>,
    /// Also hash every window of SIZE bytes.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub piecewise: Option<u64>,
    /// Keep the image's BLAKE3 tree in FILE, for `pfh tree` and `pfh audit`.
    #[arg(long, value_name = "FILE")]
    pub outboard: Option<PathBuf>,
    /// Buffer this many bytes between reading and writing (a bare number is MiB).
    #[arg(short, long, value_name = "SIZE", value_parser = size::parse_memory, conflicts_with_all = ["block", "blocks"])]
    pub memory: Option<u64>,
    /// Division of the buffer into blocks.
    #[command(flatten)]
    pub blocks: crate::imaging::Blocks,
    /// Start at this byte offset of the source.
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "0")]
    pub skip: u64,
    /// Read at most this many bytes.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub length: Option<u64>,
    /// Write raw targets from this byte offset on.
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "0")]
    pub seek: u64,
    /// Write zeros as holes in raw files.
    #[arg(long)]
    pub sparse: bool,
    /// Number of blocks read at a time: 2, and of an image as many as there are processors.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub readers: Option<u8>,
    /// Do not read the holes of a sparse file; they are zeros.
    #[arg(long)]
    pub skip_holes: bool,
    /// Read and write through the page cache (a bad sector then hides its neighbours).
    #[arg(long)]
    pub cached: bool,
    /// Retry an unreadable sector N times.
    #[arg(long, value_name = "N", default_value_t = pfh::acquire::RETRIES)]
    pub retries: u32,
    /// Fill unreadable sectors with these bytes (hexadecimal) instead of zeros.
    #[arg(long, value_name = "HEX")]
    pub fill: Option<String>,
    /// Retry bad sectors: of a complete image, or after this run has read the rest. For raw
    /// targets.
    #[arg(long, conflicts_with = "force")]
    pub retry_bad: bool,
    /// After N unreadable sectors in a row, skip ahead by doubling distances; 0 tries every sector.
    #[arg(long, value_name = "N", default_value_t = 4096)]
    pub give_up: u64,
    /// Stop when more than N sectors are unreadable.
    #[arg(long, value_name = "N")]
    pub max_errors: Option<u64>,
    /// Stop after N reads of more than five seconds: the disk is dying.
    #[arg(long, value_name = "N")]
    pub max_slow: Option<u64>,
    /// Read every target back past the page cache and compare.
    #[arg(long)]
    pub verify: bool,
    /// Write the map of read areas here, in GNU ddrescue's format [default: FIRST TARGET.map].
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Accept a map without a source identity, such as ddrescue's.
    #[arg(long)]
    pub adopt_map: bool,
    /// Sync the targets and write the map every SECONDS.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub map_interval: f64,
    /// Simulate read errors outside MAP's finished areas (for tests and training).
    #[arg(long, value_name = "MAP")]
    pub map_as_faults: Option<PathBuf>,
    /// Write the log here, and its chained twin to FILE.jsonl [default: FIRST TARGET.log].
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Sign the log with this Ed25519 key.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Have this authority (RFC 3161) stamp the log's last line; the stamp is LOG.jsonl.tsr.
    #[arg(long, value_name = "URL")]
    pub timestamp: Option<String>,
    /// Describe a complete acquisition in CASE 1.4 (UCO 1.4, JSON-LD) in FILE.
    #[arg(long, value_name = "FILE")]
    pub case_uco: Option<PathBuf>,
    /// Replace existing targets, map, log and CASE document.
    #[arg(long)]
    pub force: bool,
    /// Case number.
    #[arg(long, default_value = "")]
    pub case: String,
    /// Evidence number.
    #[arg(long, default_value = "")]
    pub evidence: String,
    /// Name of the examiner.
    #[arg(long, default_value = "")]
    pub examiner: String,
    /// Description of the item.
    #[arg(long, default_value = "")]
    pub description: String,
    /// Notes.
    #[arg(long, default_value = "")]
    pub notes: String,
    #[command(flatten)]
    pub levels: Leveling,
    /// List reads, writes, sizes and obstacles of the run, and write nothing. Fails
    /// where the run would.
    #[arg(short = 'n', long, conflicts_with = "json")]
    pub dry_run: bool,
    /// Print the result as a JSON object.
    #[arg(long)]
    pub json: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
    /// Print on standard error how long each stage worked (reader, digests, compressors, writers),
    /// and which one bounds the run.
    #[arg(long, value_enum, value_name = "FORM")]
    pub stats: Option<StatsFormat>,
}

/// Acquires, prints the result, and returns the exit.
pub fn run(args: &AcquireArgs) -> Exit {
    exit::end(try_run(args))
}

/// Settings of all targets.
fn layout(args: &AcquireArgs) -> Layout {
    let mut layout = Layout::default();
    layout.written = match args.format {
        FormArg::Auto => TargetForm::ByName,
        FormArg::Raw => TargetForm::Raw,
        FormArg::E01 => TargetForm::E01,
    };
    layout.compression = match args.compression {
        Pack::None => Compression::None,
        Pack::EmptyBlock => Compression::EmptyBlock,
        Pack::Fast => Compression::Fast,
        Pack::Best => Compression::Best,
    };
    (layout.split, layout.suffix) = (args.split, args.suffix.clone());
    (layout.seek, layout.sparse) = (args.seek, args.sparse);
    layout
}

/// Bytes from hexadecimal digits.
fn fill(text: &str) -> Result<Fill, Failure> {
    let bytes = pattern(text).ok_or_else(|| format!("{text:?} is not a sequence of hexadecimal bytes"))?;
    Ok(Fill::Pattern(bytes))
}

/// The input, and the digests to compute.
fn reading(args: &AcquireArgs) -> Result<Reading, Failure> {
    let mut imaging = Reading::new(algorithms(&args.algorithms)?);
    imaging.piecewise = args.piecewise;
    imaging.memory = args.memory.map_or(Ok(imaging.memory), usize::try_from).map_err(|e| e.to_string())?;
    imaging.ring = args.blocks.ring()?;
    (imaging.from, imaging.length) = (args.skip, args.length);
    imaging.checkpoint = Duration::try_from_secs_f64(args.map_interval).map_err(|e| format!("--map-interval: {e}"))?;
    imaging.readers = args.readers.map_or(0, usize::from);
    imaging.holes = if args.skip_holes { Holes::Skip } else { Holes::Read };
    imaging.policy = ErrorPolicy {
        retries: args.retries,
        fill: args.fill.as_deref().map_or(Ok(Fill::Zeros), fill)?,
        most_errors: args.max_errors,
        most_slow: args.max_slow,
        ..ErrorPolicy::default()
    };
    Ok(imaging)
}

/// Log and map of a source that is only hashed: in the working directory, as beside the source
/// may be evidence.
fn hashed(args: &AcquireArgs) -> Result<(Option<PathBuf>, Option<PathBuf>), Failure> {
    let name = job::own_name(&args.source).filter(|_| args.source.as_os_str() != "-");
    let named = |ending: &str| {
        name.clone().map(|mut name| {
            name.push(ending);
            PathBuf::from(name)
        })
    };
    if name.is_none() && args.log.is_none() {
        return Err(Failure::usage("the source has no name to make that of the log: name one with --log"));
    }
    Ok((named(".log"), named(".map")))
}

/// The request of the arguments; `line` is recorded in place of this process's own command line.
///
/// # Errors
/// When an argument makes no sense.
pub fn request(args: &AcquireArgs, line: Option<String>) -> Result<Request, Failure> {
    let layout = layout(args);
    let form = |path: &PathBuf| layout.form(path).map(|form| To { path: path.clone(), form });
    let targets =
        args.to.iter().map(form).collect::<Result<_, _>>().map_err(|error| Failure::of(&error, Exit::Aborted))?;
    let path = args.source.clone();
    let mut request = Request::new(if args.image { Origin::Image(path) } else { Origin::Medium(path) }, targets);
    request.then = args.then.clone();
    if args.hash_only {
        (request.log, request.map) = hashed(args)?;
    }
    request.reading = reading(args)?;
    request.access = if args.cached { Access::Cached } else { Access::Direct };
    request.faults = args.map_as_faults.clone();
    if args.map.is_some() {
        request.map = args.map.clone();
    }
    if args.log.is_some() {
        request.log = args.log.clone();
    }
    (request.adopt_map, request.salvage, request.replace) = (args.adopt_map, args.salvage, args.force);
    (request.verify, request.retry_bad) = (args.verify, args.retry_bad);
    request.give_up = Some(args.give_up).filter(|n| *n > 0);
    request.command_line = line.unwrap_or(request.command_line);
    if let Some(used) = crate::config::used() {
        request.command_line += &format!(" (defaults: {used})");
    }
    request.about = CaseData {
        case_number: args.case.clone(),
        evidence_number: args.evidence.clone(),
        description: args.description.clone(),
        examiner: args.examiner.clone(),
        notes: args.notes.clone(),
        ..request.about
    };
    (request.timestamp, request.levels) = (args.timestamp.clone(), args.levels.asked());
    (request.key, request.case, request.outboard) = (args.key.clone(), args.case_uco.clone(), args.outboard.clone());
    Ok(request)
}

fn try_run(args: &AcquireArgs) -> Result<Exit, Failure> {
    args.key.iter().for_each(|key| exit::warn_of_key(key));
    let request = request(args, None)?;
    if args.dry_run {
        return foreseen(&request);
    }
    let session = imaging::session(!args.no_progress)?;
    let mut say = |event: Event<'_>| {
        imaging::say(&session, &event);
        if let Event::Compared { target, compared } = event {
            report(&name(&target.path), compared, &session);
        }
        Ok(())
    };
    let ran = job::run(&request, &mut say, &session.control());
    let summary = ran.map_err(|error| {
        let is_full = crate::remedy::acquire::is_full(&error);
        let failure = session.ended(error);
        if is_full {
            failure.and("make room, and the same command resumes; --then DIR goes on in another directory")
        } else {
            failure
        }
    })?;
    session.close();
    let unreadable = summary.imaged.bad.iter().map(|bad| bad.length).sum();
    finish::count(&[("bytes", summary.imaged.bytes), ("unreadable", unreadable)]);
    let report = if args.json { row::line(&AcquisitionRow::of(&summary)) } else { show::text(&summary) };
    exit::print(report.as_bytes()).map_err(|error| Failure::output(&error))?;
    if let Some(form) = args.stats {
        exit::lines(&stages::render(&summary.imaged.times, form));
    }
    Ok(imaging::exit(&summary))
}

/// Lists the intended work of the request.
fn foreseen(request: &Request) -> Result<Exit, Failure> {
    let intended = job::intend(request).map_err(|error| Failure::of(&error, Exit::Aborted))?;
    exit::print(show::intended(&intended).as_bytes()).map_err(|error| Failure::output(&error))?;
    if !intended.fits() {
        exit::say("there is too little room for a target: the run would be refused, or stop");
        return Ok(Exit::Incomplete);
    }
    exit::say(match intended.reads() {
        Some(bytes) => format!("{bytes} bytes would be read; nothing was written"),
        None => "nothing was written".to_owned(),
    });
    Ok(Exit::Good)
}

/// Reports how a target that was read back differs from the source.
fn report(name: &str, compared: &TargetComparison, session: &Session) {
    let line = |offset, length| format!("differs at offset {offset}, {length} bytes");
    compared.lines(name, line).iter().for_each(|line| session.message(line));
    for (offset, length) in &compared.unreadable {
        session.message(format!("{name}: unreadable at offset {offset}, {length} bytes"));
    }
    if !compared.is_good() {
        session.message(imaging::misread(name));
    }
}
