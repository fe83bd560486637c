//! Objects as they are listed.

use crate::fetch::Listed;
use crate::location::Location;
use crate::object::{Early, Remote};
use crate::page::{self, Aside};
use crate::problem::problem;
use crate::runtime::{runtime, task_panicked};
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::{Error, ObjectMeta, ObjectStoreExt};
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
enum Found {
    Object(Location, ObjectMeta),
    /// A key that ends with a slash and stands for a folder, by its name.
    Folder(Vec<u8>),
    Problem(Vec<u8>, Problem),
    /// Everything was listed.
    End,
}

/// An item whose turn comes soon.
enum Ahead {
    Object(Vec<u8>, Listed, Option<Early>),
    Folder(Vec<u8>),
    Problem(Vec<u8>, Problem),
}

/// Objects in the order in which they are listed.
pub(crate) struct Objects {
    selection: Selection,
    small: Small,
    names: mpsc::Receiver<Found>,
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
            if let Err(error) = page::listing(list(&location, &sender)).await {
                let name = location.name(&location.path);
                let _ = sender.send(Found::Problem(name, problem(Stage::Walk, None, &error))).await;
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
                    Err((name, problem)) => return Found::Problem(name, problem),
                };
                match location.store.head(&location.path).await {
                    Ok(found) => Found::Object(location, found),
                    Err(error) => Found::Problem(location.name(&location.path), problem(Stage::Open, None, &error)),
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
        lists: impl FnOnce(mpsc::Sender<Found>) -> F,
    ) -> std::io::Result<Objects> {
        let (sender, names) = mpsc::channel(NAMES);
        let last = sender.clone();
        let listing = lists(sender);
        runtime()?.spawn(async move {
            fail_point("remote-list");
            listing.await;
            let _ = last.send(Found::End).await;
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
                Found::End => {
                    self.ended = true;
                    return;
                }
                Found::Object(location, found) => (location, found),
                Found::Folder(name) => {
                    self.ahead.push_back(Ahead::Folder(name));
                    continue;
                }
                Found::Problem(name, problem) => {
                    self.ahead.push_back(Ahead::Problem(name, problem));
                    continue;
                }
            };
            let key = found.location.as_ref().as_bytes();
            let name = key.rsplit(|byte| *byte == b'/').next().unwrap_or(key);
            // Patterns look at the path below the operand, as they do for files.
            let above = location.path.as_ref().as_bytes();
            let key = key.strip_prefix(above).and_then(|rest| rest.strip_prefix(b"/")).unwrap_or(key);
            if !self.selection.takes(key, name, Some(found.size)) {
                continue;
            }
            let printed = location.name(&found.location);
            let listed = Listed::new(location.store.clone(), found, location.stating);
            let early = (self.small == Small::Early && listed.size <= SMALL).then(|| self.ask(&listed)).flatten();
            if early.is_some() {
                self.early += listed.size;
            }
            self.ahead.push_back(Ahead::Object(printed, listed, early));
        }
    }

    fn ask(&self, listed: &Listed) -> Option<Early> {
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
            Ahead::Folder(name) => Item::Skipped { number, name, skip: Skip::Directory },
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

/// Sends the object of the very key, if there is one, and all below it. Without any there is an
/// error, so that no operand is passed over.
async fn list(location: &Location, sender: &mpsc::Sender<Found>) -> Result<(), Error> {
    let mut any = false;
    if !location.folder {
        match location.store.head(&location.path).await {
            Ok(found) => {
                any = true;
                if sender.send(Found::Object(location.clone(), found)).await.is_err() {
                    return Ok(());
                }
            }
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        // The address of a page is not a folder: only stores list the keys below one.
        if location.is_web() {
            return match any {
                true => Ok(()),
                false => Err(not_found(location)),
            };
        }
    }
    let prefix = (!location.path.as_ref().is_empty()).then_some(&location.path);
    let mut below = location.store.list(prefix);
    loop {
        let next = below.next().await;
        let is_last = next.is_none();
        // Those of the page that the next one is on come in front of it.
        let found = page::asides().into_iter().map(|aside| beside(location, aside));
        for found in found.chain(next.transpose()?.map(|found| Found::Object(location.clone(), found))) {
            any = true;
            if sender.send(found).await.is_err() {
                return Ok(());
            }
        }
        if is_last {
            break;
        }
    }
    if any {
        return Ok(());
    }
    match location.path.as_ref().is_empty() {
        // A bucket may be empty.
        true => Ok(()),
        false => Err(not_found(location)),
    }
}

/// Everything on a page beside objects: folders, keys that are not read, a missing next page.
fn beside(location: &Location, aside: Aside) -> Found {
    let problem = |name: &str, answer, what: &str| {
        let cause = Cause::Store { answer, what: what.into() };
        Found::Problem(location.raw_name(name), Problem::new(Stage::Walk, cause))
    };
    match aside {
        Aside::Folder(key) => Found::Folder(location.raw_name(&key)),
        Aside::Odd(key) => {
            let what = "a key with an empty part, . or .., or a control character is not read";
            problem(&key, StoreAnswer::BadName, what)
        }
        Aside::Cut => {
            let what = "the listing is not whole: the store has more objects, and does not say where to go on (it may \
                know the older form of listings alone)";
            problem(location.path.as_ref(), StoreAnswer::Truncated, what)
        }
    }
}

fn not_found(location: &Location) -> Error {
    Error::NotFound { path: location.path.to_string(), source: "neither an object nor a prefix of any".into() }
}
