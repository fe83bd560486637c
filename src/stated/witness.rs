//! Objects whose bytes are judged as they are read.

use super::claim::Claims;
use super::judge::{Judge, ObjectJudgement};
use pfh_source::{Entry, Inside, Item, Object, Origin, Problem, Source};
use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// The results of objects, by their numbers. An object that is read again is judged again.
#[derive(Clone, Default)]
pub(super) struct ObjectJudgements(Arc<Mutex<HashMap<u64, ObjectJudgement>>>);

impl ObjectJudgements {
    fn put(&self, number: u64, judged: ObjectJudgement) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(number, judged);
    }

    pub(super) fn take(&self, number: u64) -> Option<ObjectJudgement> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&number)
    }
}

/// A source whose objects are judged.
pub(super) struct WitnessSource {
    pub(super) source: Box<dyn Source>,
    pub(super) part_size: Option<u64>,
    pub(super) found: ObjectJudgements,
}

impl Source for WitnessSource {
    fn pull(&mut self) -> Option<Item> {
        Some(match self.source.pull()? {
            Item::Entry(Entry { number, origin: Origin::Object { name, object }, stat }) => {
                let witness = Witness {
                    object,
                    number,
                    name: name.clone(),
                    part_size: self.part_size,
                    found: self.found.clone(),
                };
                Item::Entry(Entry { number, origin: Origin::Object { name, object: Arc::new(witness) }, stat })
            }
            other => other,
        })
    }
}

struct Witness {
    object: Arc<dyn Object>,
    number: u64,
    name: Box<[u8]>,
    part_size: Option<u64>,
    found: ObjectJudgements,
}

impl Object for Witness {
    fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
        let inner = self.object.open()?;
        let claims = Claims::read(&self.name, &self.object.stated().unwrap_or_default());
        let size = self.object.size_hint().unwrap_or(0);
        let judge = Some(Judge::new(claims, size, self.part_size));
        Ok(Box::new(Reader { inner, judge, left: size, number: self.number, found: self.found.clone() }))
    }

    fn size_hint(&self) -> Option<u64> {
        self.object.size_hint()
    }

    fn inside(&self) -> Option<Arc<Inside>> {
        self.object.inside()
    }
}

struct Reader {
    inner: Box<dyn Read + Send>,
    judge: Option<Judge>,
    /// Bytes to the end that the store states: a reader that knows it asks for no more.
    left: u64,
    number: u64,
    found: ObjectJudgements,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if let Some(judge) = &mut self.judge {
            judge.update(&buffer[..read]);
        }
        self.left = self.left.saturating_sub(read as u64);
        if self.left == 0
            && let Some(judge) = self.judge.take()
        {
            self.found.put(self.number, judge.judge());
        }
        Ok(read)
    }
}
