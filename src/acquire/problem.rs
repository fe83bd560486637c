//! Why an acquisition did not end well, as facts.

use crate::job::{Error, PathError};
use pfh_custody::chain::ChainFault;
use pfh_engine::imaging::ImagingError;
use pfh_source::device::Stop;
use pfh_source::image::OpenError;
use pfh_source::terminal::shown;
use std::io;
use std::path::{Path, PathBuf};

/// Why nothing was acquired, or not all, in the [`job::Error`](crate::job::Error). The system's
/// error on a file stands there as [`PathError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The case data cannot be written into an E01 image.
    #[error("the {0} holds a control character")]
    Control(&'static str),
    /// The time stamp authority has no usable address.
    #[error("the time stamp authority {}: {why}", shown(Path::new(url)))]
    Authority {
        /// The address.
        url: String,
        /// The fault.
        why: &'static str,
    },
    /// A time stamp is asked for, and no log.
    #[error("a time stamp is of the log, and no log is written")]
    NoLog,
    /// The log would be no file.
    #[error("{}: a log has a twin beside it and must be a file", shown(.0))]
    NoFile(PathBuf),
    /// The system has no random numbers.
    #[error("no random numbers: {0}")]
    Random(io::Error),
    /// A directory for further segments is not there.
    #[error("{}: there is no such directory for further segments", shown(.0))]
    NoDirectory(PathBuf),
    /// A directory for further segments is named twice, or holds the first.
    #[error("{}: not another directory for further segments", shown(.0))]
    SameDirectory(PathBuf),
    /// Directories for further segments are named, and a target has no segments.
    #[error(
        "{}: an image in one piece cannot go on in another directory: cut it into pieces, or write an E01 image",
        shown(.0)
    )]
    Whole(PathBuf),
    /// Directories for further segments are named, and there is no target.
    #[error("further directories take segments of an image, and none is written")]
    NoSegments,
    /// The source is a directory.
    #[error("{}", directory(.0))]
    Directory(PathBuf),
    /// A part of a stream is asked for that does not begin at its start.
    #[error("a stream has no place to start from")]
    StreamStart,
    /// The part that is asked for lies behind the end of the source.
    #[error("the source has {size} bytes: nothing lies beyond {from}")]
    Beyond {
        /// Bytes of the source.
        size: u64,
        /// Where the part starts.
        from: u64,
    },
    /// Windows of no bytes.
    #[error("a window of digests has at least one byte")]
    Window,
    /// Pieces of no bytes.
    #[error("a piece has at least one byte")]
    Piece,
    /// There are fewer numbers than pieces.
    #[error("the numbers of the pieces have too few places: make the pieces larger or the numbers longer")]
    Numbers,
    /// A log or the map has the name of a piece.
    #[error("{}: one of the pieces has this name: name another file, or number them", shown(.0))]
    PieceName(PathBuf),
    /// An E01 segment is too small for its parts.
    #[error("E01 segments must have at least {least} bytes, not {segment}")]
    Segment {
        /// The bytes that were asked for.
        segment: u64,
        /// The fewest bytes.
        least: u64,
    },
    /// An E01 image would have too many segments.
    #[error("{bytes} bytes make more segments of {segment} bytes than E01 can count")]
    Segments {
        /// Bytes of the image.
        bytes: u64,
        /// Bytes of a segment.
        segment: u64,
    },
    /// The source is larger than an E01 image can be.
    #[error("an E01 image holds at most {most} bytes, and the source has {bytes}")]
    TooLarge {
        /// The most bytes.
        most: u64,
        /// Bytes of the source.
        bytes: u64,
    },
    /// The first segment of an E01 image has another ending than `.E01`.
    #[error("{}: the first segment of an E01 image is named ….E01: others are counted from it", shown(.0))]
    Ending(PathBuf),
    /// The name of a target is that of a later segment.
    #[error("{}: the name of a later segment: name the first segment, ….E01, or ask for a raw image", shown(.0))]
    Later(PathBuf),
    /// The name of a target is that of a format which is not written.
    #[error("{}: {format} is not written: name a .E01 image, or ask for a raw one", shown(path))]
    NotWritten {
        /// The target.
        path: PathBuf,
        /// The format.
        format: &'static str,
    },
    /// An offset or holes are asked for, and the target is not raw.
    #[error("an offset in the target and holes are for raw targets")]
    RawOnly,
    /// An offset or holes are asked for, and the image is in pieces.
    #[error("an offset in the target and holes are for images in one piece")]
    OnePiece,
    /// The numbers of pieces have no such form.
    #[error("pieces are numbered as 000, 111 or aaa, in two places or more")]
    Suffix,
    /// The map is of an acquisition into targets, and there is no target.
    #[error("{}: the map of an acquisition into targets", .0.display())]
    MapOfTargets(PathBuf),
    /// The map is that of another acquisition.
    #[error("{}: {why}", shown(path))]
    Foreign {
        /// The map.
        path: PathBuf,
        /// Why it is another's.
        why: Foreign,
    },
    /// Lost areas cannot be tried again in an E01 image.
    #[error(
        "{}: the chunks of an E01 image lie one behind the other and cannot be changed in place: acquire the \
         source again, or retry into a raw image",
        .0.display()
    )]
    NotInPlace(PathBuf),
    /// Lost areas cannot be tried again.
    #[error("without targets and a map there is nothing to try again")]
    NothingThere,
    /// There is no target.
    #[error("there is no target")]
    NoTarget,
    /// The acquisition has ended, and was another request's.
    #[error(
        "{}: the acquisition has ended, and this is not the command that made the image: {differ}. Nothing was written; \
         name another target, or start over",
        shown(path)
    )]
    Another {
        /// The first target.
        path: PathBuf,
        /// The facts in which the requests differ.
        differ: String,
    },
    /// A target is not as it was written: its first `from` bytes are, those up to `upto` are not.
    #[error(
        "{}: it was changed since it was written, between offsets {from} and {upto} of the image: nothing was written; \
         start over",
        shown(path)
    )]
    Changed {
        /// Which.
        path: PathBuf,
        /// Up to here it is as it was, in bytes of the image.
        from: u64,
        /// Here its digest is another one than the map states.
        upto: u64,
    },
    /// The image of a finished acquisition is not as its log states.
    #[error("acquired before, and changed since: the image differs from {}, by {algorithms}", shown(log))]
    ChangedSince {
        /// The chained log.
        log: PathBuf,
        /// The algorithms that were compared.
        algorithms: String,
    },
    /// The map of a finished acquisition is not as its log states.
    #[error("{0}: nothing was written")]
    Contradiction(String),
    /// A log that was begun cannot be written.
    #[error("the log cannot be written: {0}")]
    Log(io::Error),
    /// The acquisition is complete, and its CASE document cannot be written.
    #[error("{CASE_UNWRITTEN}: {0}")]
    Case(io::Error),
    /// The comparison of an image that is complete was stopped.
    #[error("stopped: {0}")]
    NotCompared(Stop),
    /// The acquisition ended before its end. Written bytes stay.
    #[error("stopped after {bytes} bytes: {cause}{}", if *resumable { "; the same command resumes here" } else { "" })]
    Stopped {
        /// Bytes of the image that were read.
        bytes: u64,
        /// Why.
        cause: Stop,
        /// Whether the same request resumes: without a map it cannot.
        resumable: bool,
    },
}

/// Why a map is not resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Foreign {
    /// It is of another part of the medium, or has another fill.
    #[error("the map of another acquisition: of {theirs}, and this is one of {mine}; name another map, or start over")]
    Part {
        /// The part of the map, in words.
        theirs: String,
        /// The part that is asked for.
        mine: String,
    },
    /// It does not state its source.
    #[error("{whose}, without the identity of its source")]
    Unnamed {
        /// Whose map it is.
        whose: &'static str,
    },
    /// It does not state its source, and is of a longer one.
    #[error("{whose} of another source: it ends at {end}, the source at {size}")]
    Longer {
        /// Whose map it is.
        whose: &'static str,
        /// Where it ends, in bytes.
        end: u64,
        /// Bytes of the source.
        size: u64,
    },
    /// The source is another one.
    #[error(
        "the map of another source, or of one that has changed since: {what}. Nothing was written; attach the medium \
         that was begun with, or start over"
    )]
    Source {
        /// The fact that differs.
        what: String,
    },
    /// Nothing shows that the source is the one that was begun with.
    #[error(
        "nothing shows that the source is the one that was begun with (no serial number, and its ends cannot be \
         compared)"
    )]
    Unknown,
    /// It is of other targets.
    #[error("the map of an acquisition into other targets; name another map, or replace it")]
    Targets,
}

/// Why a log is not opened. Nothing was written to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// It is that of a finished acquisition.
    #[error("{}: the log of a finished acquisition: name another one", shown(path))]
    Finished {
        /// The chained log.
        path: PathBuf,
    },
    /// It is that of an acquisition into other targets.
    #[error("{}: the log of an acquisition into other targets: name another one", shown(path))]
    OtherTargets {
        /// The chained log.
        path: PathBuf,
    },
    /// Another run writes it.
    #[error("{}: another run is writing the log of this acquisition: wait for its end", shown(path))]
    Busy {
        /// The chained log.
        path: PathBuf,
    },
    /// The log for people is not as the chained log states.
    #[error("{}: not as it was written: put the original back, or move it away", shown(path))]
    Changed {
        /// The log for people.
        path: PathBuf,
    },
    /// Its chain is broken.
    #[error("{}: {error}", shown(path))]
    Broken {
        /// The chained log.
        path: PathBuf,
        /// Where.
        error: ChainFault,
    },
    /// It cannot be opened.
    #[error("{}: {error}", shown(path))]
    Io {
        /// The log.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

/// How messages about a CASE document begin.
pub(super) const CASE_UNWRITTEN: &str = "the CASE document cannot be written";

/// The sentence on a directory in the place of a source.
fn directory(path: &Path) -> String {
    let shown = shown(path);
    match pfh_source::os::volume_of_drive(path) {
        Some(volume) => format!("{shown} is the current directory of this drive: its volume is {volume}"),
        None => format!("{shown} is a directory: name a device or a file"),
    }
}

impl From<LogError> for Error {
    fn from(error: LogError) -> Error {
        Error::request(error)
    }
}

/// The request makes no sense, or the image is another one's.
pub(super) fn refused<T>(problem: Problem) -> Result<T, Error> {
    Err(Error::request(problem))
}

/// A target, the tree or the map cannot be read or written.
pub(super) fn failed(path: &Path, error: io::Error) -> Error {
    Error::output(PathError::new(path, error))
}

/// A log that was begun cannot be written.
pub(super) fn log_failed(error: io::Error) -> Error {
    Error::output(Problem::Log(error))
}

/// The imaging itself failed.
pub(super) fn imaging_failed(error: ImagingError) -> Error {
    Error::aborted(error)
}

/// An image cannot be opened.
pub(super) fn unopened(error: OpenError) -> Error {
    match error {
        OpenError::Io { .. } => Error::input(error),
        OpenError::Ewf { .. } => Error::aborted(error),
        _ => Error::request(error),
    }
}

/// A target is not as it was written.
pub(super) fn changed(path: &Path, from: u64, upto: u64) -> Error {
    Error::negative(Problem::Changed { path: path.to_owned(), from, upto })
}

/// An end before its time, which is a cancelled run if the control asked for it.
pub(super) fn stopped(cause: Stop, problem: Problem) -> Error {
    match cause {
        Stop::Cancelled => Error::cancelled(problem),
        _ => Error::aborted(problem),
    }
}
