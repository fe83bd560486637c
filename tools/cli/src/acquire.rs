//! `pfh acquire`: a medium into images, hashed on the way.

use crate::bar::Bar;
use crate::exit::{self, Exit, Failure};
use crate::imaging::{self, name};
use crate::run::algorithms;
use crate::size;
use clap::{Args, ValueEnum};
use pfh::acquire::{About, Compared, Event, Form, Origin, Pieces, Request, Summary, To, sectors};
use pfh::container::ewf::Compression;
use pfh::container::foreign;
use pfh::container::split::Suffix;
use pfh::device::{Access, Care, Fill};
use pfh::imaging::{Holes, Imaging};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Wanted {
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
    /// Where the image goes: a file or a block device. May be repeated.
    #[arg(long, value_name = "TARGET", required = true)]
    pub to: Vec<PathBuf>,
    /// The source is an image (E01, split, raw): its content is acquired.
    #[arg(long)]
    pub image: bool,
    /// Read an E01 image that is damaged outside of its data as far as it goes; each damage is in the log, and the exit is 3.
    #[arg(long, requires = "image")]
    pub salvage: bool,
    /// The form of the targets.
    #[arg(short, long, value_enum, default_value = "auto")]
    pub format: Wanted,
    /// Pieces of at most SIZE bytes: raw images as NAME.000, NAME.001 …, E01 as segments.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub split: Option<u64>,
    /// How raw pieces are numbered: 000, 111 (001, 002 …) or aaa (aaa, aab …); longer for more places.
    #[arg(long, value_name = "PATTERN", default_value = "000")]
    pub suffix: String,
    /// How E01 chunks are compressed.
    #[arg(long, value_enum, default_value = "fast")]
    pub compression: Pack,
    /// Digests of the image as written. An E01 target adds md5 and sha1, which the format holds.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',', default_value = "sha256,blake3")]
    pub algorithms: Vec<String>,
    /// Digests of every window of SIZE bytes, too.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub piecewise: Option<u64>,
    /// Keep the image's BLAKE3 tree in FILE, for `pfh tree` and `pfh audit`.
    #[arg(long, value_name = "FILE")]
    pub outboard: Option<PathBuf>,
    /// Bytes that may be read and not yet written. A bare number counts MiB.
    #[arg(short, long, value_name = "SIZE", value_parser = size::parse_memory)]
    pub memory: Option<u64>,
    /// Start so many bytes into the source.
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "0")]
    pub skip: u64,
    /// Read at most so many bytes.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub length: Option<u64>,
    /// Start so many bytes into raw targets.
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "0")]
    pub seek: u64,
    /// Leave holes for zeros in raw files.
    #[arg(long)]
    pub sparse: bool,
    /// Blocks that are read at a time.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub readers: u8,
    /// Take the holes of a sparse file for zeros without reading them.
    #[arg(long)]
    pub skip_holes: bool,
    /// Read and write through the page cache (a bad sector then costs its neighbours).
    #[arg(long)]
    pub cached: bool,
    /// Try an unreadable sector again N times.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub retries: u32,
    /// Fill unreadable sectors with these bytes (hexadecimal) instead of zeros.
    #[arg(long, value_name = "HEX")]
    pub fill: Option<String>,
    /// Try again what could not be read: of an image that is complete, or once this run has read the rest. For raw targets.
    #[arg(long, conflicts_with = "force")]
    pub retry_bad: bool,
    /// Pass over a zone after N unreadable sectors in a row, with skips that double; 0 tries every sector.
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
    /// The map (GNU ddrescue's format): what was read. [default: the first target's name and .map]
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Resume with a map that does not say of which medium (GNU ddrescue's): it is that of SOURCE.
    #[arg(long)]
    pub adopt_map: bool,
    /// Sync the targets and write the map every SECONDS.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub map_interval: f64,
    /// Treat as unreadable what this map does not call read (for tests and training).
    #[arg(long, value_name = "MAP")]
    pub map_as_faults: Option<PathBuf>,
    /// The log; FILE.jsonl is its chained twin. [default: the first target's name and .log]
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Sign the log with this Ed25519 key.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Write an account of a complete acquisition in CASE 1.4 (UCO 1.4, JSON-LD) to FILE.
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
    /// Who acquires.
    #[arg(long, default_value = "")]
    pub examiner: String,
    /// What is acquired.
    #[arg(long, default_value = "")]
    pub description: String,
    /// Free text.
    #[arg(long, default_value = "")]
    pub notes: String,
    /// The result as one JSON object.
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,
}

/// EnCase's usual segment: 1.5 GiB less what keeps it on small file systems (ewfacquire's default, 1.4 GiB).
const SEGMENT: u64 = 1_503_238_553;

/// Acquires, prints what came of it, and gives the exit.
pub fn run(args: &AcquireArgs) -> Exit {
    exit::end(try_run(args))
}

fn form(args: &AcquireArgs, path: &Path) -> Result<Form, Failure> {
    let is_e01 = match args.format {
        Wanted::Raw => false,
        Wanted::E01 => true,
        Wanted::Auto => path.extension().is_some_and(|e| e.eq_ignore_ascii_case("e01")),
    };
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if let (Some(format), Wanted::Auto) = (foreign::by_name(ending), args.format) {
        let name = name(path);
        return Err(format!("{name}: {} is not written: name a .E01 or a raw image, or say -f raw", format.name).into());
    }
    if is_e01 { e01(args, path) } else { raw(args) }
}

fn e01(args: &AcquireArgs, path: &Path) -> Result<Form, Failure> {
    if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("e01")) {
        let name = name(path);
        return Err(
            format!("{name}: the first segment of an E01 image is named ….E01: others are counted from it").into()
        );
    }
    if args.seek > 0 || args.sparse {
        return Err("--seek and --sparse are for raw targets".into());
    }
    let compression = match args.compression {
        Pack::None => Compression::None,
        Pack::EmptyBlock => Compression::EmptyBlock,
        Pack::Fast => Compression::Fast,
        Pack::Best => Compression::Best,
    };
    Ok(Form::E01 { compression, segment: args.split.unwrap_or(SEGMENT) })
}

fn raw(args: &AcquireArgs) -> Result<Form, Failure> {
    match args.split {
        Some(0) => Err("--split takes a size of at least one byte".into()),
        Some(length) => {
            let (suffix, width) = Suffix::parse(&args.suffix).ok_or("--suffix takes 000, 111 or aaa, of any length")?;
            if args.seek > 0 || args.sparse {
                return Err("--seek and --sparse are for images in one piece".into());
            }
            Ok(Form::Split(Pieces { length, suffix, width }))
        }
        None => Ok(Form::Raw { seek: args.seek, sparse: args.sparse, direct: false, start: None, synced: true }),
    }
}

/// Bytes from hexadecimal digits.
pub fn bytes(text: &str) -> Result<Vec<u8>, Failure> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let pair = |at: usize| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let found: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(pair).collect();
    found.filter(|bytes| !bytes.is_empty()).ok_or_else(|| format!("{text:?} is no run of hexadecimal bytes").into())
}

/// What is read, and what is computed.
fn reading(args: &AcquireArgs) -> Result<Imaging, Failure> {
    let mut imaging = Imaging::new(algorithms(&args.algorithms)?);
    imaging.piecewise = args.piecewise;
    imaging.memory = args.memory.map_or(Ok(Imaging::MEMORY), usize::try_from).map_err(|e| e.to_string())?;
    (imaging.from, imaging.length) = (args.skip, args.length);
    imaging.checkpoint = Duration::try_from_secs_f64(args.map_interval).map_err(|e| format!("--map-interval: {e}"))?;
    imaging.readers = usize::from(args.readers);
    imaging.holes = if args.skip_holes { Holes::Skip } else { Holes::Read };
    imaging.care = Care {
        retries: args.retries,
        fill: args.fill.as_deref().map_or(Ok(Fill::Zeros), |text| bytes(text).map(Fill::Pattern))?,
        most_errors: args.max_errors,
        most_slow: args.max_slow,
        ..Care::default()
    };
    Ok(imaging)
}

fn request(args: &AcquireArgs) -> Result<Request, Failure> {
    let form = |path: &PathBuf| form(args, path).map(|form| To { path: path.clone(), form });
    let targets = args.to.iter().map(form).collect::<Result<_, _>>()?;
    let path = args.source.clone();
    let mut request = Request::new(if args.image { Origin::Image(path) } else { Origin::Medium(path) }, targets);
    request.imaging = reading(args)?;
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
    request.about = About {
        case_number: args.case.clone(),
        evidence_number: args.evidence.clone(),
        description: args.description.clone(),
        examiner: args.examiner.clone(),
        notes: args.notes.clone(),
        ..request.about
    };
    (request.key, request.case, request.outboard) = (args.key.clone(), args.case_uco.clone(), args.outboard.clone());
    Ok(request)
}

fn try_run(args: &AcquireArgs) -> Result<Exit, Failure> {
    let mut verified = |event: &Event<'_>, bar: &Bar| {
        if let Event::Compared { target, compared } = event {
            report(&name(&target.path), compared, bar);
        }
    };
    let summary = imaging::run(request(args)?, !args.no_progress, &mut verified)?;
    let report = if args.json { json(args, &summary) } else { text(args, &summary) };
    exit::print(report.as_bytes()).map_err(|error| Failure::output(&error))?;
    Ok(imaging::exit(&summary))
}

/// Says how a target that was read back differs from the source.
fn report(name: &str, compared: &Compared, bar: &Bar) {
    let line = |offset, length| format!("differs at offset {offset}, {length} bytes");
    imaging::differing(name, compared, line).iter().for_each(|line| bar.say(line));
    for (offset, length) in &compared.unreadable {
        bar.say(format!("{name}: unreadable at offset {offset}, {length} bytes"));
    }
    if !compared.is_good() {
        bar.say(format!("{name}: what was read back is not what was read from the source"));
    }
}

fn text(args: &AcquireArgs, summary: &Summary) -> String {
    let imaged = &summary.imaged;
    let seconds = imaged.times.total.as_secs_f64();
    let source = name(&args.source);
    let rate = imaged.bytes as f64 / 1e6 / seconds.max(1e-9);
    let mut text = format!("{} bytes of {source} in {seconds:.2} s, {rate:.1} MB/s\n", imaged.bytes);
    for digest in &imaged.digests {
        text += &format!("{} {digest}\n", digest.algorithm());
    }
    if imaged.padded > 0 {
        text += &format!("padded with {} zero bytes to whole sectors\n", imaged.padded);
    }
    for bad in &imaged.bad {
        text += &format!("unreadable: {}\n", sectors::lost(bad, summary.from, summary.sector));
    }
    if !imaged.bad.is_empty() {
        let bytes: u64 = imaged.bad.iter().map(|b| b.length).sum();
        text +=
            &format!("{bytes} bytes were unreadable and are filled in; the digests are those of the filled image\n");
    }
    for (path, compared) in args.to.iter().zip(&summary.compared) {
        let verdict = if compared.is_good() { "verified, equal" } else { "DIFFERENT" };
        text += &format!("{}: {verdict}\n", name(path));
    }
    text
}

fn json(args: &AcquireArgs, summary: &Summary) -> String {
    let imaged = &summary.imaged;
    let digests: Map<String, Value> =
        imaged.digests.iter().map(|d| (d.algorithm().to_string(), d.to_string().into())).collect();
    let bad: Vec<_> = imaged
        .bad
        .iter()
        .map(|b| {
            let at = summary.from + b.offset;
            json!({ "offset": b.offset, "length": b.length, "errno": b.errno, "cause": b.cause(),
                "medium-offset": at, "sector": at / u64::from(summary.sector) })
        })
        .collect();
    let targets: Vec<_> = args
        .to
        .iter()
        .enumerate()
        .map(|(at, path)| {
            let compared = summary.compared.get(at);
            json!({ "path": name(path),
                "verified": compared.map(Compared::is_good),
                "differing": compared.map(|c| &c.differing) })
        })
        .collect();
    let value = json!({
        "bytes": imaged.bytes, "padded": imaged.padded, "digests": digests, "unreadable": bad, "retried": imaged.retried,
        "sector": summary.sector, "targets": targets, "seconds": imaged.times.total.as_secs_f64(),
        "log": summary.log.as_deref().map(name),
    });
    format!("{value}\n")
}
