//! `watch`: the catalogue of a directory is kept up to date while its files change.
//!
//! The kernel names the files that change (inotify), and only those are looked at and read. When it
//! could not keep all names, or a directory comes or goes, the whole directory is compared by sizes
//! and times. Writes through a mapping of a file make no notice until it is closed.

use super::catalogue::{self, Summary, Verb};
use super::{Error, Event, Events, Problem};
use crate::algorithms::Secret;
use crate::outputs::Outputs;
use pfh_engine::Control;
use pfh_outboard::companions;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::{Notice, Watcher};
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A directory and its catalogue, which exists.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The directory.
    pub directory: PathBuf,
    /// The catalogue.
    pub tree: PathBuf,
    /// The key of the catalogue, if it has one.
    pub secret: Option<Secret>,
    /// Threads that hash; one per processor if none is stated.
    pub threads: Option<usize>,
    /// How long nothing must change before the catalogue is updated.
    pub settle: Duration,
    /// The same while changes never cease.
    pub most: Duration,
}

impl Request {
    /// The catalogue is beside the directory; updates follow changes in a quarter of a second, and
    /// in two seconds while they do not cease.
    pub fn new(directory: impl Into<PathBuf>) -> Request {
        let catalogue::Request { directory, tree, .. } = catalogue::Request::new(directory, Verb::Update(Vec::new()));
        let (settle, most) = (Duration::from_millis(250), Duration::from_secs(2));
        Request { directory, tree, secret: None, threads: None, settle, most }
    }

    /// Inputs and outputs: the catalogue is written.
    pub fn outputs(&self) -> Outputs {
        self.update(Vec::new()).outputs()
    }

    /// Whether the catalogue can be written, and nothing that is read is in its way.
    ///
    /// # Errors
    /// When it cannot.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.outputs().check()?)
    }

    fn update(&self, names: Vec<PathBuf>) -> catalogue::Request {
        let mut request = catalogue::Request::new(&self.directory, Verb::Update(names));
        (request.tree, request.threads, request.secret) = (self.tree.clone(), self.threads, self.secret.clone());
        request
    }
}

/// The counts until the control was cancelled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WatchCounts {
    /// Updates of the catalogue after the first, by the names that changed.
    pub updates: u64,
    /// Updates of all entries: the queue overflowed, or a directory came or went.
    pub rescans: u64,
    /// Directories that cannot be watched: changes below them are seen by rescans alone.
    pub unwatched: u64,
    /// The root of the catalogue after the last of them.
    pub root: [u8; 32],
}

/// Keeps the catalogue up to date until the control is cancelled. Each update is an event: the
/// first one, and each that changed an entry or met a file that cannot be read.
///
/// # Errors
/// When the directory cannot be watched or is gone, or the catalogue cannot be updated. A file that
/// cannot be read is an event.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<WatchCounts, Error> {
    request.check()?;
    let mut watch = Watch::begin(request, events)?;
    let mut watched = WatchCounts { unwatched: watch.unwatched, ..WatchCounts::default() };
    // Changes between now and the first look at a file are in the queue.
    let mut due = Some(Due::Everything);
    let (mut since, mut is_first): (Option<Instant>, bool) = (None, true);
    while !control.is_cancelled() {
        if let Some(now) = due.take_if(|_| since.is_none_or(|since| since.elapsed() >= request.most)) {
            let is_whole = now == Due::Everything;
            since = None;
            let Some(summary) = watch.update(now, events, control)? else { break };
            watched.rescans += u64::from(is_whole && !is_first);
            watched.updates += u64::from(!is_whole);
            watched.root = summary.root;
            let is_news = std::mem::take(&mut is_first);
            if is_news || summary.added + summary.changed + summary.removed + summary.failed > 0 {
                events(Event::Watched(&summary)).map_err(Error::Sink)?;
            }
        }
        let notices = watch.watcher.wait(request.settle).map_err(|error| unwatchable(&request.directory, &error))?;
        if notices.is_empty() {
            // Nothing happened for as long as changes take to settle.
            since = None;
            continue;
        }
        let before = due.take();
        due = watch.take(notices, before, events)?;
        if due.is_some() {
            since.get_or_insert_with(Instant::now);
        }
        watched.unwatched = watch.unwatched;
    }
    Ok(watched)
}

/// The files that are due for a look.
#[derive(Debug, PartialEq, Eq)]
enum Due {
    /// All files, by sizes and times.
    Everything,
    /// These names below the directory.
    Names(BTreeSet<PathBuf>),
}

struct Watch<'a> {
    request: &'a Request,
    watcher: Watcher,
    /// Names below the directory, of the directories that are watched.
    places: HashMap<i32, PathBuf>,
    /// The catalogue and the files beside it, which change with each update.
    own: Vec<PathBuf>,
    unwatched: u64,
}

fn unwatchable(directory: &Path, error: &std::io::Error) -> Error {
    Problem::Unwatched { path: directory.to_owned(), why: why(error) }.into()
}

/// The kernel's word for "no more watches" is "no space left on device".
fn why(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::StorageFull => "there are as many watches as fs.inotify.max_user_watches permits".into(),
        _ => error.to_string(),
    }
}

impl<'a> Watch<'a> {
    fn begin(request: &'a Request, events: &mut Events<'_>) -> Result<Watch<'a>, Error> {
        let watcher = Watcher::new().map_err(|error| unwatchable(&request.directory, &error))?;
        let own = std::iter::once(request.tree.clone()).chain(companions(&request.tree));
        let own = own.map(|path| std::path::absolute(&path).unwrap_or(path)).collect();
        let mut watch = Watch { request, watcher, places: HashMap::new(), own, unwatched: 0 };
        let root = watch.watcher.add(&request.directory).map_err(|error| unwatchable(&request.directory, &error))?;
        watch.places.insert(root, PathBuf::new());
        watch.below(Path::new(""), events)?;
        Ok(watch)
    }

    /// Watches the directories below one that is watched. One that is made meanwhile is in the
    /// queue, or is found here.
    fn below(&mut self, directory: &Path, events: &mut Events<'_>) -> Result<(), Error> {
        let mut left = vec![directory.to_owned()];
        while let Some(directory) = left.pop() {
            // It is gone again, or cannot be read: the update complains of the latter.
            let Ok(entries) = std::fs::read_dir(self.request.directory.join(&directory)) else { continue };
            for entry in entries.flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    let name = directory.join(entry.file_name());
                    if self.add(&name, events)? {
                        left.push(name);
                    }
                }
            }
        }
        Ok(())
    }

    /// Watches one directory; `false` if it cannot be.
    fn add(&mut self, name: &Path, events: &mut Events<'_>) -> Result<bool, Error> {
        let path = self.request.directory.join(name);
        match self.watcher.add(&path) {
            Ok(watch) => {
                self.places.insert(watch, name.to_owned());
                return Ok(true);
            }
            // It is gone again, or was replaced by another file.
            Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {}
            Err(error) => {
                self.unwatched += 1;
                events(Event::Unwatched { directory: &path, why: &why(&error) }).map_err(Error::Sink)?;
            }
        }
        Ok(false)
    }

    /// Adds the changes of the notices to the due files.
    fn take(&mut self, notices: Vec<Notice>, due: Option<Due>, events: &mut Events<'_>) -> Result<Option<Due>, Error> {
        let (mut names, mut everything) = match due {
            Some(Due::Everything) => (BTreeSet::new(), true),
            Some(Due::Names(names)) => (names, false),
            None => (BTreeSet::new(), false),
        };
        for notice in notices {
            match notice {
                Notice::Overflow => {
                    // Notices of new directories are among the lost ones.
                    everything = true;
                    events(Event::Overflowed).map_err(Error::Sink)?;
                    self.below(Path::new(""), events)?;
                }
                Notice::Gone(watch) => match self.places.remove(&watch) {
                    Some(place) if place.as_os_str().is_empty() => {
                        let path = self.request.directory.clone();
                        return Err(Problem::Unwatched { path, why: "is gone".into() }.into());
                    }
                    Some(_) => everything = true,
                    None => {}
                },
                Notice::Changed { watch, name, is_directory } => {
                    let Some(place) = self.places.get(&watch) else { continue };
                    let name = place.join(OsStr::from_bytes(&name));
                    if is_directory {
                        // Files below a directory that came or went have no notices of their own.
                        everything = true;
                        if self.add(&name, events)? {
                            self.below(&name, events)?;
                        }
                    } else if !self.is_own(&name) {
                        names.insert(name);
                    }
                }
            }
        }
        Ok(match everything {
            true => Some(Due::Everything),
            false => (!names.is_empty()).then_some(Due::Names(names)),
        })
    }

    fn is_own(&self, name: &Path) -> bool {
        let path = self.request.directory.join(name);
        self.own.contains(&std::path::absolute(&path).unwrap_or(path))
    }

    /// Updates the catalogue; `None` when the control was cancelled meanwhile, and the catalogue is
    /// as it was.
    fn update(&self, due: Due, events: &mut Events<'_>, control: &Control<'_>) -> Result<Option<Summary>, Error> {
        let names = match due {
            Due::Everything => Vec::new(),
            Due::Names(names) => {
                // A file may have become a link or a pipe, which cannot be named as an entry.
                let is_other = |name: &PathBuf| {
                    let found = std::fs::symlink_metadata(self.request.directory.join(name));
                    found.is_ok_and(|found| !found.is_file())
                };
                if names.iter().any(is_other) { Vec::new() } else { names.into_iter().collect() }
            }
        };
        let ran = catalogue::run(&self.request.update(names), events, control);
        match ran {
            Ok(summary) => Ok(Some(summary)),
            Err(Error::Cancelled(_)) => Ok(None),
            // A name that was a file a moment ago: the whole directory is compared.
            Err(error) if error.find::<Problem>().is_some_and(|problem| matches!(problem, Problem::NoEntry(_))) => {
                catalogue::run(&self.request.update(Vec::new()), events, control).map(Some)
            }
            Err(error) => Err(error),
        }
    }
}
