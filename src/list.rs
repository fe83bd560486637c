//! The job *list*: names and metadata of what is inside of images and archives, without reading
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

use crate::failure::{JobError, Kind};
use crate::input::{Input, InputError};
use crate::inside::Options;
use pfh_engine::Control;
use pfh_manifest::jsonl::{field, inside, number, path};
use pfh_report::export::body;
use pfh_source::{Inside, Item, Origin, Problem, Skip, terminal};
use std::io;

/// Which names are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Only {
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

impl Only {
    /// Whether a name of this kind is listed.
    fn takes(self, inside: &Inside) -> bool {
        match self {
            Only::All => true,
            Only::Live => !inside.deleted && !inside.unallocated,
            Only::Deleted => inside.deleted,
            Only::Unallocated => inside.unallocated,
        }
    }
}

/// What is listed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Images, archives, trees with such.
    pub input: Input,
    /// Which names.
    pub only: Only,
}

impl Request {
    /// All names in the containers of the input.
    pub fn new(mut input: Input) -> Request {
        let inside = input.inside.take().unwrap_or_default();
        input.inside = Some(Options { deleted: true, ..inside });
        Request { input, only: Only::All }
    }

    /// These names alone.
    #[must_use]
    pub fn only(mut self, only: Only) -> Request {
        self.only = only;
        if let Some(inside) = &mut self.input.inside {
            inside.deleted = matches!(only, Only::All | Only::Deleted);
            inside.unallocated |= only == Only::Unallocated;
        }
        self
    }
}

/// What is found. Events come in the order of the containers.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file inside of a container.
    Name {
        /// Its printed name.
        name: &'a [u8],
        /// Its size in bytes; `None` if only reading finds it out.
        size: Option<u64>,
        /// What is known of it.
        inside: &'a Inside,
    },
    /// Something that is no file, or is not opened.
    Skipped {
        /// Its printed name.
        name: &'a [u8],
        /// What it is.
        skip: Skip,
    },
    /// What cannot be listed.
    Failed {
        /// Its printed name.
        name: &'a [u8],
        /// Why.
        problem: &'a Problem,
    },
}

/// Receives the events. An error ends the list with [`Error::Sink`].
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The counts of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files inside of containers that were listed.
    pub names: u64,
    /// Files of the input itself, whether or not they are containers.
    pub files: u64,
    /// Things that are no files, or are not opened.
    pub skipped: u64,
    /// What could not be listed.
    pub failed: u64,
    /// Whether the control cancelled the list.
    pub interrupted: bool,
}

/// Why there is no list, or an incomplete one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The output failed.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Input(error) => error.kind(),
            Error::Sink(error) => Kind::Output(error),
        }
    }
}

/// Lists what is inside.
///
/// # Errors
/// When the request makes no sense, or the sink refuses an event. What cannot be listed is an
/// event, and no error.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let mut source = request.input.as_found()?;
    let mut summary = Summary::default();
    while let Some(item) = source.pull() {
        if control.cancel().is_cancelled() {
            summary.interrupted = true;
            break;
        }
        let sunk = match &item {
            Item::Entry(entry) => match &entry.origin {
                Origin::Object { name, object } => match object.inside() {
                    Some(inside) if request.only.takes(&inside) => {
                        summary.names += 1;
                        sink(Event::Name { name, size: object.size_hint(), inside: &inside })
                    }
                    Some(_) => Ok(()),
                    None => {
                        summary.files += 1;
                        Ok(())
                    }
                },
                Origin::File { .. } | Origin::Stream(_) => match entry.still().err() {
                    Some(problem) => {
                        summary.failed += 1;
                        sink(Event::Failed { name: &entry.name(), problem: &problem })
                    }
                    None => {
                        summary.files += 1;
                        Ok(())
                    }
                },
            },
            Item::Skipped { name, skip, .. } => {
                summary.skipped += 1;
                sink(Event::Skipped { name, skip: *skip })
            }
            Item::Problem { name, problem, .. } => {
                summary.failed += 1;
                sink(Event::Failed { name, problem })
            }
            Item::Settled { .. } => Ok(()),
        };
        sunk.map_err(Error::Sink)?;
    }
    Ok(summary)
}

/// A line for people: what it is, its size, when its content was changed last, its name.
pub fn text(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Name { name, size, inside } => {
            let size = size.map_or_else(|| "?".into(), |size| size.to_string());
            let time = inside.modified.map_or_else(|| "-".into(), |time| time.to_string());
            let kind = match (inside.deleted, inside.unallocated) {
                (_, true) => 'u',
                (true, _) => 'd',
                _ => '-',
            };
            Some(format!("{kind} {size:>14}  {time:<30}  {}\n", terminal::render(name)))
        }
        Event::Skipped { name, skip } => Some(format!("{:<48} {} ({})\n", "s", terminal::render(name), skip.reason())),
        Event::Failed { .. } => None,
    }
}

/// A JSON object per line, with the members that `pfh hash -f jsonl` has.
pub fn json(event: &Event<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    match event {
        Event::Name { name, size, inside: about } => {
            out.extend_from_slice(b"{\"type\":\"file\"");
            path(&mut out, name);
            size.iter().for_each(|size| number(&mut out, "size", *size));
            for (key, time) in [("mtime", about.modified), ("ctime", about.changed), ("atime", about.accessed)] {
                time.iter().for_each(|time| field(&mut out, key, &time.to_string()));
            }
            inside(&mut out, about);
        }
        Event::Skipped { name, skip } => {
            out.extend_from_slice(b"{\"type\":\"skipped\"");
            path(&mut out, name);
            field(&mut out, "code", skip.reason());
            field(&mut out, "cause", skip.reason());
        }
        Event::Failed { name, problem } => {
            out.extend_from_slice(b"{\"type\":\"error\"");
            path(&mut out, name);
            field(&mut out, "stage", problem.stage.name());
            field(&mut out, "code", problem.code());
            field(&mut out, "cause", &problem.cause.to_string());
        }
    }
    out.extend_from_slice(b"}\n");
    out
}

/// A line of a body file, as mactime reads it.
pub fn body(event: &Event<'_>) -> Option<Vec<u8>> {
    let Event::Name { name, size, inside } = event else { return None };
    let mut out = Vec::new();
    let line = body::Line {
        md5: None,
        name,
        is_deleted: inside.deleted,
        inode: inside.id,
        size: *size,
        times: [inside.accessed, inside.modified, inside.changed, inside.born],
    };
    body::line(&mut out, &line);
    Some(out)
}
