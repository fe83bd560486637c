//! Objects as they are listed.

use crate::fetch::{ListedObject, Object, head};
use crate::location::{Location, VERSION};
use crate::object::{Early, Remote};
use crate::page::LineKind;
use crate::problem::Failure;
use crate::runtime::{runtime, task_panicked};
use crate::walk::{Generations, Walk};
use crate::web;
use futures_util::{StreamExt, TryStreamExt, stream};
use pfh_source::{Cause, Entry, Item, Origin, Problem, Selection, Skip, Source, Stage, StoreAnswer, fail_point};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc, oneshot};

/// Objects up to this many bytes are fetched before their turn.
const SMALL: u64 = 1 << 20;
/// How many objects are looked at ahead, and how many of these are asked for at once.
const AHEAD: usize = 64;
const REQUESTS: usize = 32;
/// Bytes of small objects that are fetched ahead, at most.
const EARLY: u64 = 32 << 20;
/// Names that a listing is ahead of the reading.
const NAMES: usize = 4096;

/// When small objects are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Small {
    /// Before their turn, many at once.
    Early,
    /// When they are opened.
    InTurn,
}

/// A message from a task that lists.
enum ListingMessage {
    Object(Location, Object),
    /// A key that stands for a folder, or a version that says that the object was deleted.
    Skipped(Vec<u8>, Skip),
    Problem(Vec<u8>, Problem),
    /// Everything was listed.
    End,
}

/// An item whose turn comes soon.
enum Ahead {
    Object(Vec<u8>, ListedObject, Option<Early>),
    Skipped(Vec<u8>, Skip),
    Problem(Vec<u8>, Problem),
}

/// Objects in the order in which they are listed.
pub(crate) struct Objects {
    selection: Selection,
    small: Small,
    names: mpsc::Receiver<ListingMessage>,
    ahead: VecDeque<Ahead>,
    /// Bytes of small objects in `ahead` and not yet handed on.
    early: u64,
    requests: Arc<Semaphore>,
    number: u64,
    ended: bool,
}

impl Objects {
    /// The object of the location's key, and all below it. The selection's patterns look at
    /// keys below it.
    ///
    /// # Errors
    /// The system's, if it gives no threads.
    pub(crate) fn below(location: Location, selection: Selection, small: Small) -> std::io::Result<Objects> {
        Objects::of(selection, small, |sender| async move {
            if let Err(failure) = list(&location, &sender).await {
                let name = location.own_name();
                let _ = sender.send(ListingMessage::Problem(name, failure.problem(Stage::Walk, None))).await;
            }
        })
    }

    /// The objects of these very keys, one item each; `Err` is a name that is not a location.
    ///
    /// # Errors
    /// The system's, if it gives no threads.
    pub(crate) fn exactly(names: Vec<Result<Location, (Vec<u8>, Problem)>>) -> std::io::Result<Objects> {
        Objects::of(Selection::default(), Small::Early, |sender| async move {
            let heads = stream::iter(names).map(|name| async move {
                let location = match name {
                    Ok(location) => location,
                    Err((name, problem)) => return ListingMessage::Problem(name, problem),
                };
                match exact(&location).await {
                    Ok(found) => ListingMessage::Object(location, found),
                    Err(failure) => ListingMessage::Problem(location.own_name(), failure.problem(Stage::Open, None)),
                }
            });
            let mut heads = Box::pin(heads.buffered(REQUESTS));
            while let Some(found) = heads.next().await {
                if sender.send(found).await.is_err() {
                    return;
                }
            }
        })
    }

    fn of<F: Future<Output = ()> + Send + 'static>(
        selection: Selection,
        small: Small,
        lists: impl FnOnce(mpsc::Sender<ListingMessage>) -> F,
    ) -> std::io::Result<Objects> {
        let (sender, names) = mpsc::channel(NAMES);
        let last = sender.clone();
        let listing = lists(sender);
        runtime()?.spawn(async move {
            fail_point("remote-list");
            listing.await;
            let _ = last.send(ListingMessage::End).await;
        });
        let requests = Arc::new(Semaphore::new(REQUESTS));
        Ok(Objects { selection, small, names, ahead: VecDeque::new(), early: 0, requests, number: 0, ended: false })
    }

    /// Looks ahead as far as the bounds go, and asks for the small objects.
    fn look_ahead(&mut self) {
        while !self.ended && self.ahead.len() < AHEAD && self.early < EARLY {
            // Waits only when there is nothing else to hand on.
            let next = match self.ahead.is_empty() {
                true => self.names.blocking_recv(),
                false => match self.names.try_recv() {
                    Ok(next) => Some(next),
                    Err(mpsc::error::TryRecvError::Empty) => return,
                    Err(mpsc::error::TryRecvError::Disconnected) => None,
                },
            };
            let (location, found) = match next.unwrap_or_else(|| task_panicked()) {
                ListingMessage::End => {
                    self.ended = true;
                    return;
                }
                ListingMessage::Object(location, found) => (location, found),
                ListingMessage::Skipped(name, skip) => {
                    self.ahead.push_back(Ahead::Skipped(name, skip));
                    continue;
                }
                ListingMessage::Problem(name, problem) => {
                    self.ahead.push_back(Ahead::Problem(name, problem));
                    continue;
                }
            };
            let key = found.key.as_bytes();
            let name = key.rsplit(|byte| *byte == b'/').next().unwrap_or(key);
            // Patterns look at the path below the operand, as they do for files.
            let above = location.key.as_bytes();
            let below = key.strip_prefix(above).filter(|below| !below.is_empty()).unwrap_or(key);
            let below = below.strip_prefix(b"/").unwrap_or(below);
            if !self.selection.takes(below, name, Some(found.size)) {
                continue;
            }
            let printed = location.name(&found.key, found.version.as_deref());
            let listed = ListedObject::new(location.client.clone(), found, location.stating);
            let early = (self.small == Small::Early && listed.size <= SMALL).then(|| self.ask(&listed)).flatten();
            if early.is_some() {
                self.early += listed.size;
            }
            self.ahead.push_back(Ahead::Object(printed, listed, early));
        }
    }

    fn ask(&self, listed: &ListedObject) -> Option<Early> {
        let (sender, receiver) = oneshot::channel();
        let (listed, requests) = (listed.clone(), self.requests.clone());
        runtime().ok()?.spawn(async move {
            let _permit = requests.acquire().await;
            fail_point("remote-early");
            if let Err(problem) = listed.state().await {
                let _ = sender.send(Err(problem));
                return;
            }
            let size = listed.size as usize;
            let whole = listed.pieces().try_fold(Vec::with_capacity(size), |mut whole, piece| async move {
                whole.extend_from_slice(&piece);
                Ok(whole)
            });
            let _ = sender.send(whole.await.map(Into::into));
        });
        Some(receiver)
    }
}

impl Source for Objects {
    fn pull(&mut self) -> Option<Item> {
        self.look_ahead();
        let next = self.ahead.pop_front()?;
        let number = self.number;
        self.number += 1;
        Some(match next {
            Ahead::Problem(name, problem) => Item::Problem { number, name, problem },
            Ahead::Skipped(name, skip) => Item::Skipped { number, name, skip },
            Ahead::Object(name, listed, early) => {
                if early.is_some() {
                    self.early -= listed.size;
                }
                let object = Arc::new(Remote::new(listed, early));
                Item::Entry(Entry { number, origin: Origin::Object { name: name.into(), object }, stat: None })
            }
        })
    }
}

/// The object of the very key, or the version that its name has.
async fn exact(location: &Location) -> Result<Object, Failure> {
    let found = head(&location.client, &location.key, location.version.as_deref()).await;
    match found {
        Err(Failure::NotFound(what)) if what.is_empty() && location.version.is_some() => {
            let why = format!("a version of {}: a key that ends so has {VERSION} behind it", location.key);
            Err(Failure::NotFound(why))
        }
        found => found.map(|(object, _)| object),
    }
}

/// Sends the object of the very key, if there is one, and all below it. Without any there is an
/// error, so that no operand is passed over.
async fn list(location: &Location, sender: &mpsc::Sender<ListingMessage>) -> Result<(), Failure> {
    if location.generations == Generations::All && !location.has_versions() {
        return Err(Failure::Unsupported("a web server lists no versions: read this address without them".into()));
    }
    let mut any = false;
    let literal;
    let location = match location.version {
        Some(_) => match exact(location).await {
            Ok(found) => {
                let _ = sender.send(ListingMessage::Object(location.clone(), found)).await;
                return Ok(());
            }
            // A key may be given as the store has it; its name is printed as that of a key.
            Err(Failure::NotFound(_)) => {
                literal = location.as_key();
                &literal
            }
            Err(failure) => return Err(failure),
        },
        None => location,
    };
    // The address of a page is not a folder: only stores list the keys below one.
    let is_page = location.is_web() && !location.is_folder();
    if !location.is_folder() && (is_page || location.generations == Generations::Newest) {
        match exact(location).await {
            Ok(found) => {
                any = true;
                if sender.send(ListingMessage::Object(location.clone(), found)).await.is_err() {
                    return Ok(());
                }
            }
            Err(Failure::NotFound(what)) if is_page => return Err(Failure::NotFound(what)),
            Err(Failure::NotFound(_)) => {}
            Err(failure) => return Err(failure),
        }
        if is_page {
            return Ok(());
        }
    }
    if location.is_web() {
        for found in web::below(location).await? {
            if sender.send(ListingMessage::Object(location.clone(), found)).await.is_err() {
                return Ok(());
            }
        }
        return Ok(());
    }
    // Versions of the very key come with those below it: a prefix cannot tell them apart.
    let is_below = location.generations == Generations::Newest && !location.is_folder();
    let prefix = if is_below { format!("{}/", location.key) } else { location.key.clone() };
    let is_meant = |key: &str| {
        let rest = key.strip_prefix(&*location.key);
        location.is_folder() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut walk = Walk::new(&location.client, &prefix, location.generations);
    while let Some(lines) = walk.page().await? {
        for line in lines.into_iter().filter(|line| is_meant(&line.key)) {
            any = true;
            let name = location.name(&line.key, line.version.as_deref());
            let found = match line.kind {
                LineKind::Folder => ListingMessage::Skipped(name, Skip::Directory),
                LineKind::DeleteMarker => ListingMessage::Skipped(name, Skip::Inside("a delete marker")),
                LineKind::NoText => {
                    let cause = Cause::Store { answer: StoreAnswer::BadName, what: "its key is not UTF-8".into() };
                    ListingMessage::Problem(name, Problem::new(Stage::Walk, cause))
                }
                LineKind::Object => {
                    let object = Object { key: line.key, size: line.size, tag: line.tag, version: line.version };
                    ListingMessage::Object(location.clone(), object)
                }
            };
            if sender.send(found).await.is_err() {
                return Ok(());
            }
        }
    }
    match any || location.key.is_empty() {
        // A bucket may be empty.
        true => Ok(()),
        false => Err(Failure::NotFound("neither an object nor the beginning of any key".into())),
    }
}
