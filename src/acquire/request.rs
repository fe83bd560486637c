//! The request for an acquisition: source, targets, and records beside them.

use super::Reading;
use super::naming::named_after;
use crate::outputs::Outputs;
use pfh_container::ewf::{CaseData, Compression};
use pfh_digest::Algorithm;
use pfh_source::Levels;
use pfh_source::device::Access;
use pfh_source::os::clock;
use pfh_source::os::names::with_ending;
use pfh_source::terminal::shown;
use pfh_writer::{Pieces, Start};
use std::path::{Path, PathBuf};

/// The form of a target.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ImageFormat {
    /// The medium's bytes in one file, or on a device.
    Raw {
        /// Where in it the image starts, in bytes.
        seek: u64,
        /// Zeros become holes.
        sparse: bool,
        /// Past the page cache.
        direct: bool,
        /// The treatment of a file that exists; `None`: as [`Request::replace`] says.
        start: Option<Start>,
        /// Whether its end is synced.
        synced: bool,
    },
    /// The medium's bytes in pieces. The path is the name without the number.
    Split(Pieces),
    /// EnCase 6's E01. The path is that of the first segment.
    E01 {
        /// How hard to compress.
        compression: Compression,
        /// Largest segment in bytes. [`ImageFormat::e01`] has the usual one.
        segment: u64,
    },
}

impl ImageFormat {
    /// One file or device, synced.
    pub const RAW: ImageFormat = ImageFormat::Raw { seek: 0, sparse: false, direct: false, start: None, synced: true };

    /// EnCase's usual segment: a little below 1.5 GiB, so that it fits on small file systems
    /// (ewfacquire's default, 1.4 GiB).
    pub const SEGMENT: u64 = 1_503_238_553;

    /// E01, deflated quickly, in segments of [`SEGMENT`](ImageFormat::SEGMENT) bytes.
    pub fn e01() -> ImageFormat {
        ImageFormat::E01 { compression: Compression::Fast, segment: Self::SEGMENT }
    }
}

/// One target.
#[derive(Debug, Clone, PartialEq)]
pub struct To {
    /// Where.
    pub path: PathBuf,
    /// In which form.
    pub form: ImageFormat,
}

/// Where the bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A device or a file; `-` is standard input.
    Medium(PathBuf),
    /// The content of an image: E01, split or raw, by the name of its first file.
    Image(PathBuf),
    /// These bytes, over and over.
    Pattern {
        /// Which.
        bytes: Vec<u8>,
        /// How many bytes in all.
        length: u64,
    },
}

impl Origin {
    /// Its path, where it has one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Origin::Medium(path) | Origin::Image(path) => Some(path),
            Origin::Pattern { .. } => None,
        }
    }
}

/// The source and the targets. [`Request::new`] resolves all defaults; the fields are
/// then set as needed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Where the bytes come from.
    pub source: Origin,
    /// How the source is read.
    pub access: Access,
    /// A map file (GNU ddrescue's format); areas that it does not call read are treated as
    /// unreadable, for tests and training.
    pub faults: Option<PathBuf>,
    /// Where the image goes. May be empty: then the source is only hashed.
    pub targets: Vec<To>,
    /// Directories for the further pieces or segments of the targets, when the disk of the first is
    /// full; a link beside the first leads to each.
    pub then: Vec<PathBuf>,
    /// The ranges to read and the digests to compute.
    pub reading: Reading,
    /// The map file: the areas that have been read. With a map an interrupted acquisition is
    /// resumed by the same request.
    pub map: Option<PathBuf>,
    /// A map that names no source (GNU ddrescue's, for example) is taken for that of this one.
    pub adopt_map: bool,
    /// Sectors in a row that are unreadable before the zone is passed over, with skips that double.
    /// `None`: never.
    pub give_up: Option<u64>,
    /// Areas that could not be read are tried again: of an image that is complete, or once this run
    /// has read the rest.
    pub retry_bad: bool,
    /// A source image that is damaged outside of its data is read as far as possible.
    pub salvage: bool,
    /// Every target is read back past the page cache and compared with the bytes read from the
    /// source.
    pub verify: bool,
    /// Media or images that are compared with the image when it is complete.
    pub against: Vec<To>,
    /// Existing targets, map, logs and CASE document are replaced.
    pub replace: bool,
    /// Case data, for formats that hold them, and for the logs.
    pub about: CaseData,
    /// Identifies an E01's set of segments; at random if `None`.
    pub set: Option<[u8; 16]>,
    /// The file that keeps the image's BLAKE3 tree, for later updates and audits.
    pub outboard: Option<PathBuf>,
    /// The log for people; the chained log has its name and `.jsonl`. `None`: no log is written.
    pub log: Option<PathBuf>,
    /// The file of the Ed25519 key that signs the chained log.
    pub key: Option<PathBuf>,
    /// The time stamp authority (RFC 3161) that stamps the last line of the chained log:
    /// `http://HOST[:PORT]/PATH`.
    pub timestamp: Option<String>,
    /// The file of an account of the acquisition in CASE 1.4.
    pub case: Option<PathBuf>,
    /// How much findings count.
    pub levels: Levels,
    /// How the program was called, for the logs.
    pub command_line: String,
    /// Other files that the caller reads and writes: none of them may be a source or a target.
    pub outputs: Outputs,
}

impl Request {
    /// Acquires `source` into `targets`, with SHA-256 and BLAKE3. Map and log are
    /// [named after](named_after) the first target, with `.map` and `.log`.
    pub fn new(source: Origin, targets: Vec<To>) -> Self {
        let first = |ending: &str| targets.first().map(|to| with_ending(&named_after(&to.path), ending));
        let (map, log) = (first(".map"), first(".log"));
        let algorithms = ["sha256", "blake3"].iter().filter_map(|name| name.parse::<Algorithm>().ok());
        Request {
            source,
            access: Access::Direct,
            faults: None,
            targets,
            then: Vec::new(),
            reading: Reading::new(algorithms),
            map,
            adopt_map: false,
            give_up: Some(4096),
            retry_bad: false,
            salvage: false,
            verify: false,
            against: Vec::new(),
            replace: false,
            about: about(),
            set: None,
            outboard: None,
            log,
            key: None,
            timestamp: None,
            case: None,
            levels: Levels::new(),
            command_line: command_line(),
            outputs: Outputs::default(),
        }
    }

    /// Only reads `source`: there are no targets, no map and no log.
    pub(crate) fn only(source: Origin, access: Access) -> Self {
        Request { access, give_up: None, ..Request::new(source, Vec::new()) }
    }
}

/// The software that acquires, and the time.
fn about() -> CaseData {
    CaseData {
        software: concat!("pfh ", env!("CARGO_PKG_VERSION")).into(),
        platform: platform().into(),
        acquired: clock::now().as_secs() as i64,
        ..CaseData::default()
    }
}

/// This system, as programs that read E01 show it.
fn platform() -> &'static str {
    match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "macOS",
        "windows" => "Windows",
        other => other,
    }
}

fn command_line() -> String {
    std::env::args_os().map(|word| shown(Path::new(&word))).collect::<Vec<_>>().join(" ")
}
