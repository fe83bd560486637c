//! The job *list*: names and metadata of the members of images and archives, without reading
//! content.
//!
//! ```
//! use pfh::list::{self, Event, Request};
//! use pfh::{Control, Input};
//!
//! # let file = std::env::temp_dir().join(format!("pfh-list-{}.gz", std::process::id()));
//! # let head = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
//! # std::fs::write(&file, [&head[..], b"\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0"].concat())?;
//! let request = Request::new(Input::new([&file]));
//! let summary = list::run(&request, &mut |event| {
//!     if let Event::Name { name, .. } = event {
//!         println!("{}", String::from_utf8_lossy(name));
//!     }
//!     Ok(())
//! }, &Control::new())?;
//! assert_eq!((summary.names, summary.failed), (1, 0));
//! # std::fs::remove_file(&file)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
mod row;

pub use account::{Row, Sums, account};
pub use row::NameRow;

use crate::input::Input;
use crate::job::Error;
use pfh_engine::Control;
use pfh_source::{Inside, Item, Level, Levels, Origin, Passage, Problem, ShadowFacts, Skip, Volumes};
use std::io;

/// Which names are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameChoice {
    /// All.
    #[default]
    All,
    /// Those that the file system lists.
    Live,
    /// Those that it has forgotten.
    Deleted,
    /// Space that no file has.
    Unallocated,
}

impl NameChoice {
    /// Whether a name of this kind is listed.
    fn takes(self, inside: &Inside) -> bool {
        match self {
            NameChoice::All => true,
            NameChoice::Live => !inside.deleted && !inside.unallocated,
            NameChoice::Deleted => inside.deleted,
            NameChoice::Unallocated => inside.unallocated,
        }
    }
}

/// The input.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Images, archives, trees with such.
    pub input: Input,
    /// Which names.
    pub only: NameChoice,
    /// How much each finding counts.
    pub levels: Levels,
}

impl Request {
    /// All names in the containers of the input.
    pub fn new(mut input: Input) -> Request {
        input.inside.get_or_insert_default().deleted = true;
        Request { input, only: NameChoice::All, levels: Levels::new() }
    }

    /// Gives findings these levels.
    #[must_use]
    pub fn levels(mut self, levels: Levels) -> Request {
        self.levels = levels;
        self
    }

    /// These names alone.
    #[must_use]
    pub fn only(mut self, only: NameChoice) -> Request {
        self.only = only;
        if let Some(inside) = &mut self.input.inside {
            inside.deleted = matches!(only, NameChoice::All | NameChoice::Deleted);
            inside.unallocated |= only == NameChoice::Unallocated;
        }
        self
    }

    /// Whether everything that is named can be read as it is named.
    ///
    /// # Errors
    /// When nothing is named, a stream is named twice, or the list of names cannot be opened.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.input.check()?)
    }
}

/// Findings. Events come in the order of the containers.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file inside of a container.
    Name {
        /// Its printed name.
        name: &'a [u8],
        /// Its size in bytes; `None` if only reading finds it out.
        size: Option<u64>,
        /// Facts about it.
        inside: &'a Inside,
    },
    /// A snapshot of a volume: its names follow.
    Snapshot {
        /// The start of its printed names.
        name: &'a [u8],
        /// Facts about it.
        kept: &'a ShadowFacts,
        /// How many bytes the file system has.
        size: u64,
    },
    /// Something that is not a file, or is not opened.
    Skipped {
        /// Its printed name.
        name: &'a [u8],
        /// Why it is skipped.
        skip: Skip,
    },
    /// An entry that cannot be listed.
    Failed {
        /// Its printed name.
        name: &'a [u8],
        /// Why.
        problem: &'a Problem,
    },
}

/// Receives the events. An error ends the list with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The counts of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files inside of containers that were listed.
    pub names: u64,
    /// Files of the input itself, whether or not they are containers.
    pub files: u64,
    /// Snapshots of volumes whose names were listed.
    pub snapshots: u64,
    /// Things that are not files, or are not opened.
    pub skipped: u64,
    /// Entries that could not be listed.
    pub failed: u64,
    /// Those of them, and things that are skipped, that count by their levels.
    pub faults: u64,
    /// Whether the control cancelled the list.
    pub interrupted: bool,
}

impl Summary {
    /// Whether there was nothing to list: no container that is known, or an empty one.
    pub fn is_empty(&self) -> bool {
        (self.names, self.skipped, self.failed) == (0, 0, 0)
    }

    /// Counts a problem, which gets its level.
    fn fail(&mut self, problem: &mut Problem, levels: &Levels) {
        problem.level = levels.of(problem.finding());
        self.failed += 1;
        self.faults += u64::from(problem.level == Level::Error);
    }
}

/// Lists the members of the containers.
///
/// # Errors
/// When the request makes no sense, or the sink refuses an event. An entry that cannot be listed is
/// an event, and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut input = request.input.clone();
    let volumes = input.inside.get_or_insert_default().volumes.get_or_insert_default().clone();
    let mut source = input.as_found()?;
    let mut summary = Summary::default();
    while let Some(item) = source.pull() {
        snapshots(&volumes, item.number(), &mut summary, events)?;
        if control.cancel().is_cancelled() {
            summary.interrupted = true;
            break;
        }
        let sunk = match &item {
            Item::Entry(entry) => match &entry.origin {
                Origin::Object { name, object } => match object.inside() {
                    Some(inside) if request.only.takes(&inside) => {
                        summary.names += 1;
                        events(Event::Name { name, size: object.size_hint(), inside: &inside })
                    }
                    Some(_) => Ok(()),
                    None => {
                        summary.files += 1;
                        Ok(())
                    }
                },
                Origin::File { .. } | Origin::Stream(_) => match entry.still().err() {
                    Some(mut problem) => {
                        summary.fail(&mut problem, &request.levels);
                        events(Event::Failed { name: &entry.name(), problem: &problem })
                    }
                    None => {
                        summary.files += 1;
                        Ok(())
                    }
                },
            },
            Item::Skipped { name, skip, .. } => {
                summary.skipped += 1;
                summary.faults += u64::from(request.levels.counts(skip.finding()));
                events(Event::Skipped { name, skip: *skip })
            }
            Item::Problem { name, problem, .. } => {
                let mut problem = problem.clone();
                summary.fail(&mut problem, &request.levels);
                events(Event::Failed { name, problem: &problem })
            }
            Item::Settled { .. } => Ok(()),
        };
        sunk.map_err(Error::Sink)?;
    }
    snapshots(&volumes, u64::MAX, &mut summary, events)?;
    Ok(summary)
}

/// Hands out the snapshots that are gone into in front of the entry of this number.
fn snapshots(volumes: &Volumes, number: u64, summary: &mut Summary, events: &mut Events<'_>) -> Result<(), Error> {
    while let Some(passage) = volumes.take(number) {
        if let Passage::Into(volume) = passage
            && let Some(kept) = &volume.kept
        {
            summary.snapshots += 1;
            events(Event::Snapshot { name: &volume.name, kept, size: volume.size }).map_err(Error::Sink)?;
        }
    }
    Ok(())
}
