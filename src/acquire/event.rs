//! Events and results of an acquisition.

use super::identity::Identity;
use super::{Settings, StampFile, TargetComparison, To};
use crate::job::Error;
use crate::verdict::Verdict;
use pfh_digest::Digest;
use pfh_engine::imaging::ImagingResult;
use pfh_source::device::hidden::HiddenParts;
use pfh_source::device::{Bad, Medium};
use pfh_source::terminal::shown;
use pfh_source::{FindingId, Levels};
use serde_json::{Map, Value};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Facts that were found out before the first byte.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Beginning {
    /// Bytes of the image, where that is known.
    pub bytes: Option<u64>,
    /// How much of it is there from before.
    pub done: u64,
    /// Where the source is mounted, and whether for writing.
    pub mounts: Vec<(String, bool)>,
    /// The identity of the source; `None` without a map.
    pub identity: Option<Identity>,
    /// Remarks on the resumption: that the source has another name, say.
    pub notes: Vec<String>,
    /// Where a damaged source image is not as its format demands.
    pub departures: Vec<String>,
}

/// An event of an acquisition. Its text is a sentence for people.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The source is open, the logs are open, and nothing was read yet.
    Started(&'a Beginning),
    /// The source is mounted.
    Mounted {
        /// The source's name.
        source: &'a str,
        /// Where.
        place: &'a str,
        /// Whether it may change while it is read.
        writable: bool,
    },
    /// A damaged source image is not as its format demands.
    Departure {
        /// The source's name.
        source: &'a str,
        /// The fault.
        what: &'a str,
    },
    /// A remark on the resumption.
    Remark(&'a str),
    /// The first bytes of the image are there from before.
    Resumed {
        /// How many.
        bytes: u64,
    },
    /// All targets have the image up to here on their media, and the map says so.
    Checkpoint {
        /// Bytes of the image.
        upto: u64,
        /// Unreadable runs of the image so far, also behind `upto`.
        bad: &'a [Bad],
        /// The digest of the image up to there, by the algorithm that the map keeps; `None` where
        /// it keeps none.
        digest: Option<&'a Digest>,
    },
    /// The disk hides sectors, or a password locks it.
    Hidden(&'a HiddenParts),
    /// Areas that could not be read at first were tried again.
    Retried {
        /// Bytes that were tried.
        tried: u64,
        /// Bytes of them that were read.
        read: u64,
    },
    /// An area of the medium is unreadable, and filled in the image.
    Unreadable {
        /// The run, by offset in the image.
        bad: &'a Bad,
        /// The same in words, by the medium's sectors.
        place: &'a str,
    },
    /// A target failed; the others hold the image.
    TargetFailed(&'a LostTarget),
    /// The source changed while it was read.
    SourceChanged {
        /// The fact that differs: its size, a time.
        what: &'static str,
    },
    /// A target was read back.
    Compared {
        /// Which.
        target: &'a To,
        /// How it compares.
        compared: &'a TargetComparison,
    },
    /// A medium of [`Request::against`](super::Request::against) was compared.
    ComparedWith {
        /// Which.
        other: &'a To,
        /// How it compares.
        compared: &'a TargetComparison,
        /// Bytes of the image.
        bytes: u64,
    },
    /// The acquisition ended before, and its image is as the log states. Nothing was written.
    Unchanged {
        /// The chained log.
        log: &'a Path,
        /// The algorithms that were compared.
        algorithms: &'a str,
    },
    /// The authority gave no time stamp of the log, which is finished.
    NotStamped {
        /// The authority.
        url: &'a str,
        /// Why not.
        cause: &'a str,
    },
    /// Areas that could not be read then can be tried again.
    CanRetry,
    /// It was asked to try again, and nothing is lost.
    NothingToRetry,
    /// All is complete, synced and logged.
    Finished(&'a Summary),
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Started(beginning) => write!(f, "started at byte {}", beginning.done),
            Event::Mounted { source, place, writable } => {
                let how = if *writable { "for writing: it may change while it is read" } else { "read-only" };
                write!(f, "warning: {source} is mounted at {} {how}", shown(Path::new(place)))
            }
            Event::Departure { source, what } => write!(f, "{source}: {what}"),
            Event::Remark(what) => f.write_str(what),
            Event::Resumed { bytes } => {
                write!(f, "resuming: {bytes} bytes are there from before and are hashed from the image")
            }
            Event::Checkpoint { upto, .. } => write!(f, "{upto} bytes are on all targets"),
            Event::Hidden(hidden) => {
                f.write_str("warning: the image is not all that the disk holds")?;
                let hides = |text: &String| text.contains("hidden") || text.contains("locked");
                hidden
                    .lines()
                    .iter()
                    .filter(|(_, text)| hides(text))
                    .try_for_each(|(name, text)| write!(f, "; {name}: {text}"))
            }
            Event::Retried { tried, read } => {
                write!(f, "{tried} bytes that were not read at first were tried again, {read} of them were read")
            }
            Event::Unreadable { place, .. } => write!(f, "unreadable: {place}"),
            Event::TargetFailed(lost) => write!(
                f,
                "{}: {}: it holds no complete image; the other targets were written to their end",
                shown(&lost.path),
                lost.cause
            ),
            Event::SourceChanged { what } => write!(
                f,
                "the source changed while it was read ({what} differs): the image is of no single state of it"
            ),
            Event::Compared { target: to, compared, .. } | Event::ComparedWith { other: to, compared, .. } => {
                write!(f, "{}: {} bytes read back, {}", shown(&to.path), compared.bytes, compared.word())
            }
            Event::Unchanged { log, algorithms } => write!(
                f,
                "acquired before: the image was compared with {} and is equal, by {algorithms}; nothing was written",
                shown(log)
            ),
            Event::NotStamped { url, cause } => {
                write!(f, "the log is finished and has no time stamp of {}: {cause}", shown(Path::new(url)))
            }
            Event::CanRetry => f.write_str("unreadable sectors can be tried again"),
            Event::NothingToRetry => f.write_str("nothing of the image is lost: there is nothing to try again"),
            Event::Finished(summary) => write!(f, "{} bytes were acquired", summary.imaged.bytes),
        }
    }
}

/// Takes events as they happen; an error ends the job.
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// Hands an event on.
pub(super) fn send(events: &mut Events<'_>, event: Event<'_>) -> Result<(), Error> {
    events(event).map_err(Error::Sink)
}

/// A target that failed while others went on: it holds no complete image.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostTarget {
    /// Which.
    pub path: PathBuf,
    /// The system's error.
    pub cause: String,
}

/// Facts by their names.
pub type Facts = Map<String, Value>;

/// A value of a report of smartctl.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[expect(missing_docs, reason = "it is a schema, which would have the words")]
pub enum Fact {
    Text(String),
    Number(f64),
    Flag(bool),
}

/// The result of an acquisition.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Summary {
    /// The source, if it has a name.
    pub source: Option<PathBuf>,
    /// The targets that hold the image.
    pub targets: Vec<PathBuf>,
    /// Targets, and the tree, that failed while others went on.
    pub lost: Vec<LostTarget>,
    /// The image: bytes, digests, unreadable runs, times.
    pub imaged: ImagingResult,
    /// How the targets compare, in their order; empty if they were not compared.
    pub compared: Vec<TargetComparison>,
    /// How the media of [`Request::against`](super::Request::against) compare, in their order.
    pub compared_with: Vec<TargetComparison>,
    /// Bytes of a sector of the source.
    pub sector: u32,
    /// Where on the medium the image starts, in bytes.
    pub from: u64,
    /// The fact of the source that changed while it was read.
    pub changed: Option<&'static str>,
    /// Where a damaged source image is not as its format demands.
    pub departures: Vec<String>,
    /// The chained log.
    pub log: Option<PathBuf>,
    /// The hidden parts of the disk, by its own word; `None` if the source is not a device.
    pub hidden: Option<HiddenParts>,
    /// The main facts of its S.M.A.R.T. values before the first byte was read and behind the last;
    /// empty where they are not known, and the log says why.
    pub smart: [Facts; 2],
    /// The time stamp of the log's last line, or why there is none; `None` if none was asked for.
    pub stamped: Option<Result<StampFile, String>>,
    /// How much findings count.
    pub levels: Levels,
}

impl Summary {
    /// The targets with how they compare, where they were compared.
    pub fn each_target(&self) -> impl Iterator<Item = (&PathBuf, Option<&TargetComparison>)> {
        self.targets.iter().enumerate().map(|(at, path)| (path, self.compared.get(at)))
    }

    pub(super) fn new(imaged: ImagingResult, medium: &Medium, asked: &Settings<'_>) -> Self {
        Summary {
            source: asked.request.source.path().map(Path::to_owned),
            targets: asked.targets.iter().map(|to| to.path.clone()).collect(),
            lost: Vec::new(),
            imaged,
            compared: Vec::new(),
            compared_with: Vec::new(),
            sector: medium.sector(),
            from: asked.imaging.from,
            changed: None,
            departures: Vec::new(),
            log: None,
            hidden: None,
            smart: Default::default(),
            stamped: None,
            levels: asked.request.levels.clone(),
        }
    }

    /// Whether the image is that of one state of a source that could be read to its end, nothing is
    /// lost, and all that was to be compared could be.
    pub fn is_complete(&self) -> bool {
        let mut all = self.compared.iter().chain(&self.compared_with);
        let is_read = self.imaged.bad.is_empty() && self.departures.is_empty() && self.changed.is_none();
        is_read && all.all(|one| one.verdict() != Verdict::NothingToCompareWith)
    }

    /// Whether the log has the time stamp that was asked for, or its lack does not count.
    pub fn is_stamped(&self) -> bool {
        !matches!(self.stamped, Some(Err(_))) || !self.levels.counts(FindingId::AcquireTimestamp)
    }

    /// Whether a target or another medium was compared and is not the image.
    pub fn differs(&self) -> bool {
        self.compared.iter().chain(&self.compared_with).any(|one| one.verdict() == Verdict::Differs)
    }
}
