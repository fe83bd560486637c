//! `pfh acquire`: a medium into images, hashed on the way.

use crate::custody;
use crate::exit::{self, Exit};
use crate::imaging::{self, Carrying};
use crate::run::algorithms;
use crate::{shown, size};
use clap::{Args, ValueEnum};
use pfh::acquire::{Acquisition, Form, Origin, To};
use pfh::device::{Access, Care, Fill};
use pfh::format::image::ewf::{About, Compression};
use pfh::format::image::known;
use pfh::format::image::map::Map;
use pfh::format::image::split::Suffix;
use pfh::imaging::{Holes, Imaging};
use pfh::outputs::{Existing, Kind, Outputs};
use pfh::sink::image::Pieces;
use std::io::Read;
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

/// Runs it.
pub fn run(args: &AcquireArgs) -> Exit {
    match try_run(args) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn form(args: &AcquireArgs, path: &Path) -> Result<Form, String> {
    let is_e01 = match args.format {
        Wanted::Raw => false,
        Wanted::E01 => true,
        Wanted::Auto => path.extension().is_some_and(|e| e.eq_ignore_ascii_case("e01")),
    };
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if let (Some(format), Wanted::Auto) = (known::by_name(ending), args.format) {
        let name = shown(path.as_os_str().as_encoded_bytes());
        return Err(format!("{name}: {} is not written: name a .E01 or a raw image, or say -f raw", format.name));
    }
    if is_e01 {
        if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("e01")) {
            let name = shown(path.as_os_str().as_encoded_bytes());
            return Err(format!(
                "{name}: the first segment of an E01 image is named ….E01: others are counted from it"
            ));
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
        return Ok(Form::E01 { compression, segment: args.split.unwrap_or(SEGMENT) });
    }
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

/// Reads a map file.
pub fn read_map(path: &Path) -> Result<Map, String> {
    let name = shown(path.as_os_str().as_encoded_bytes());
    let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
    Map::parse(&text).map_err(|e| format!("{name}: {e}"))
}

/// Bytes from hexadecimal digits.
pub fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let pair = |at: usize| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let found: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(pair).collect();
    found.filter(|bytes| !bytes.is_empty()).ok_or_else(|| format!("{text:?} is no run of hexadecimal bytes"))
}

/// A random identifier (RFC 4122, version 4).
pub fn random_set() -> Result<[u8; 16], String> {
    let mut set = [0; 16];
    let open = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut set));
    open.map_err(|e| format!("/dev/urandom: {e}"))?;
    set[6] = set[6] & 0x0f | 0x40;
    set[8] = set[8] & 0x3f | 0x80;
    Ok(set)
}

/// Now, in seconds since 1970.
pub fn seconds() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64)
}

/// What is read and written beside the source, the targets, the map and the tree.
fn outputs(args: &AcquireArgs, log: &Path) -> Outputs {
    let mut outputs = Outputs::new(args.force);
    outputs.reads_all(&args.key).reads_all(&args.map_as_faults);
    let chained = custody::chained_name(log);
    // An interrupted run of the same acquisition goes on in its logs; which one that was, the chain knows.
    let text = if chained.exists() { Existing::Own(0, b"pfh ") } else { Existing::Refused };
    outputs.writes("--log", log, Kind::File, text);
    outputs.writes("--log", &chained, Kind::File, Existing::Own(0, b"{\""));
    // Whether a document may be replaced is looked at when it is.
    if let Some(path) = &args.case_uco {
        outputs.writes("--case-uco", path, Kind::File, Existing::Refused);
    }
    outputs
}

fn try_run(args: &AcquireArgs) -> Result<Exit, String> {
    let first = args.to.first().ok_or("no target was named")?;
    let targets: Vec<To> = args
        .to
        .iter()
        .map(|path| form(args, path).map(|form| To { path: path.clone(), form }))
        .collect::<Result<_, _>>()?;
    let mut names = args.algorithms.clone();
    if targets.iter().any(|to| matches!(to.form, Form::E01 { .. })) {
        // The format has a place for these two, and its readers look there.
        names.extend(["md5".to_owned(), "sha1".to_owned()]);
    }
    let mut imaging = Imaging::new(algorithms(&names)?);
    imaging.piecewise = args.piecewise;
    imaging.marks = args.verify.then_some(1 << 20);
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
    let about = About {
        case_number: args.case.clone(),
        evidence_number: args.evidence.clone(),
        description: args.description.clone(),
        examiner: args.examiner.clone(),
        notes: args.notes.clone(),
        software: concat!("pfh ", env!("CARGO_PKG_VERSION")).into(),
        platform: "Linux".into(),
        acquired: seconds(),
        ..About::default()
    };
    if let Some(field) = about.unwritable() {
        return Err(format!("the {field} holds a control character"));
    }
    let key = args.key.as_deref().map(pfh::key::signing).transpose().map_err(|error| error.to_string())?;
    let log = args.log.clone().unwrap_or_else(|| beside(first, ".log"));
    if std::fs::metadata(&log).is_ok_and(|found| !found.is_file()) {
        let name = shown(log.as_os_str().as_encoded_bytes());
        return Err(format!("--log {name}: a log has a twin beside it and must be a file"));
    }
    let asked = Acquisition {
        source: if args.image { Origin::Image(args.source.clone()) } else { Origin::Medium(args.source.clone()) },
        access: if args.cached { Access::Cached } else { Access::Direct },
        faults: args.map_as_faults.as_deref().map(read_map).transpose()?,
        targets,
        imaging,
        map: Some(args.map.clone().unwrap_or_else(|| beside(first, ".map"))),
        adopt_map: args.adopt_map,
        salvage: args.salvage,
        give_up: Some(args.give_up).filter(|n| *n > 0),
        replace: args.force,
        about,
        set: random_set()?,
        outboard: args.outboard.clone(),
    };
    let command_line = std::env::args_os().map(|word| shown(word.as_encoded_bytes())).collect::<Vec<_>>().join(" ");
    let carrying = Carrying {
        progress: !args.no_progress,
        verify: args.verify,
        retry_bad: args.retry_bad,
        outputs: outputs(args, &log),
        log: Some(log.clone()),
        key,
        case: args.case_uco.clone(),
        command_line,
    };
    let carried = match imaging::carry_out(asked, carrying) {
        Ok(carried) => carried,
        Err(exit) => return Ok(exit),
    };
    let report = if args.json { json(args, &carried, &log) } else { text(args, &carried) };
    match exit::print(report.as_bytes()) {
        Ok(()) => Ok(carried.exit),
        Err(error) => Ok(exit::of_output(&error)),
    }
}

fn text(args: &AcquireArgs, carried: &imaging::Carried) -> String {
    let imaged = &carried.imaged;
    let seconds = imaged.times.total.as_secs_f64();
    let source = shown(args.source.as_os_str().as_encoded_bytes());
    let rate = imaged.bytes as f64 / 1e6 / seconds.max(1e-9);
    let mut text = format!("{} bytes of {source} in {seconds:.2} s, {rate:.1} MB/s\n", imaged.bytes);
    for digest in &imaged.digests {
        text += &format!("{} {digest}\n", digest.algorithm());
    }
    if imaged.padded > 0 {
        text += &format!("padded with {} zero bytes to whole sectors\n", imaged.padded);
    }
    for bad in &imaged.bad {
        text += &format!("unreadable: {}\n", imaging::lost(bad, carried.from, carried.sector));
    }
    if !imaged.bad.is_empty() {
        let bytes: u64 = imaged.bad.iter().map(|b| b.length).sum();
        text +=
            &format!("{bytes} bytes were unreadable and are filled in; the digests are those of the filled image\n");
    }
    for (path, compared) in args.to.iter().zip(&carried.compared) {
        let verdict = if compared.is_good() { "verified, equal" } else { "DIFFERENT" };
        text += &format!("{}: {verdict}\n", shown(path.as_os_str().as_encoded_bytes()));
    }
    text
}

fn json(args: &AcquireArgs, carried: &imaging::Carried, log: &Path) -> String {
    let imaged = &carried.imaged;
    let digests: serde_json::Map<String, serde_json::Value> =
        imaged.digests.iter().map(|d| (d.algorithm().to_string(), d.to_string().into())).collect();
    let bad: Vec<_> = imaged
        .bad
        .iter()
        .map(|b| {
            let at = carried.from + b.offset;
            serde_json::json!({ "offset": b.offset, "length": b.length, "errno": b.errno, "cause": b.cause(),
                "medium-offset": at, "sector": at / u64::from(carried.sector) })
        })
        .collect();
    let targets: Vec<_> = args
        .to
        .iter()
        .enumerate()
        .map(|(at, path)| {
            let compared = carried.compared.get(at);
            serde_json::json!({ "path": shown(path.as_os_str().as_encoded_bytes()),
                "verified": compared.map(pfh::acquire::Compared::is_good),
                "differing": compared.map(|c| &c.differing) })
        })
        .collect();
    let value = serde_json::json!({
        "bytes": imaged.bytes, "padded": imaged.padded, "digests": digests, "unreadable": bad, "retried": imaged.retried,
        "sector": carried.sector, "targets": targets, "seconds": imaged.times.total.as_secs_f64(),
        "log": shown(custody::chained_name(log).as_os_str().as_encoded_bytes()),
    });
    format!("{value}\n")
}
