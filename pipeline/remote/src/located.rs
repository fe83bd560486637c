//! Operands; some are addresses of objects.

use crate::listing::{Objects, Small};
use crate::location::Stores;
use crate::walk::Generations;
use pfh_source::{Cause, Descend, Item, Operands, Paths, Problem, Source, Stage, is_address};

/// Names to an exact lookup are gathered up to this many, so that their objects are asked for
/// together.
const TOGETHER: usize = 1024;

/// A name, and why it names nothing.
type UnlocatedName = (Vec<u8>, Problem);

/// The objects that an address means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant {
    /// The object of that key, and all below it.
    Below,
    /// The object of that key alone: one item for each name.
    Exactly,
    /// Every version of the object of that key, and of all below it.
    Versions,
}

/// A source of operands, files and objects, in their order.
pub struct LocatedSource {
    paths: std::iter::Peekable<Paths>,
    descend: Descend,
    meant: Meant,
    stores: Stores,
    small: Small,
    now: Option<Box<dyn Source>>,
    number: u64,
}

impl LocatedSource {
    /// Operands that come one by one.
    pub fn new(paths: Paths, descend: Descend, meant: Meant) -> LocatedSource {
        let mut stores = Stores::default();
        if meant == Meant::Versions {
            stores.generations = Generations::All;
        }
        LocatedSource { paths: paths.peekable(), descend, meant, stores, small: Small::Early, now: None, number: 0 }
    }

    /// Fetches nothing before it is opened, for callers that want only names and sizes.
    #[must_use]
    pub fn listing(mut self) -> LocatedSource {
        self.small = Small::InTurn;
        self
    }

    /// Asks stores for their headers of each object, which the entry's object has once it is open.
    #[must_use]
    pub fn stating(mut self) -> LocatedSource {
        self.stores.stating = true;
        self
    }

    /// The source of the next operand, or of several addresses.
    fn next(&mut self) -> Option<Result<Box<dyn Source>, UnlocatedName>> {
        let path = match self.paths.next()? {
            Ok(path) => path,
            Err(named) => return Some(Err(named)),
        };
        if !is_address(&path) {
            return Some(Ok(Box::new(Operands::new(vec![path], self.descend.clone()))));
        }
        let system = |path: Vec<u8>| move |error: std::io::Error| (path, Problem::io(Stage::Open, &error));
        if self.meant != Meant::Exactly {
            let location = match self.find(path.clone()) {
                Ok(location) => location,
                Err(named) => return Some(Err(named)),
            };
            let objects = Objects::below(location, self.descend.selection.clone(), self.small);
            return Some(objects.map(|objects| Box::new(objects) as Box<dyn Source>).map_err(system(path)));
        }
        let mut found = vec![self.find(path.clone())];
        while found.len() < TOGETHER {
            let Some(Ok(next)) = self.paths.next_if(|next| next.as_ref().is_ok_and(|next| is_address(next))) else {
                break;
            };
            found.push(self.find(next));
        }
        Some(Objects::exactly(found).map(|objects| Box::new(objects) as Box<dyn Source>).map_err(system(path)))
    }

    fn find(&mut self, path: Vec<u8>) -> Result<crate::location::Location, UnlocatedName> {
        self.stores.find(&path).map_err(|(answer, why)| {
            let cause = Cause::Store { answer, what: why.into() };
            (path, Problem::new(Stage::Walk, cause))
        })
    }
}

impl Source for LocatedSource {
    fn pull(&mut self) -> Option<Item> {
        let found = loop {
            match &mut self.now {
                Some(now) => match now.pull() {
                    Some(item) => break item,
                    None => self.now = None,
                },
                None => match self.next()? {
                    Ok(source) => self.now = Some(source),
                    Err((name, problem)) => break Item::Problem { number: 0, name, problem },
                },
            }
        };
        let number = self.number;
        self.number += 1;
        Some(match found {
            Item::Entry(entry) => Item::Entry(pfh_source::Entry { number, ..entry }),
            Item::Skipped { name, skip, .. } => Item::Skipped { number, name, skip },
            Item::Settled { name, closed, digests, .. } => Item::Settled { number, name, closed, digests },
            Item::Problem { name, problem, .. } => Item::Problem { number, name, problem },
        })
    }
}
