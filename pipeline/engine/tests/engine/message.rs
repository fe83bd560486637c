//! Messages in memory, and their digests by the engine.

use pfh_digest::{ROWS, Registry};
use pfh_engine::{Control, Outcome, Plan, Record, Stats, run};
use pfh_source::{Entry, Item, Object, Origin, Problem};
use std::io::Read;
use std::sync::Arc;

/// The algorithms of digests and trees.
pub static ALL: Registry = Registry::new(&[&ROWS, &pfh_tree::ROWS]);

struct Bytes(Arc<Vec<u8>>);

struct Stream(Arc<Vec<u8>>, usize);

impl Object for Bytes {
    fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
        Ok(Box::new(Stream(self.0.clone(), 0)))
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = (&self.0[self.1..]).read(buffer)?;
        self.1 += read;
        Ok(read)
    }
}

pub fn noise(length: usize) -> Arc<Vec<u8>> {
    Arc::new((0..length as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect())
}

/// The digests of messages, and where the time went.
pub fn digests(messages: &[Arc<Vec<u8>>], plan: &Plan) -> (Vec<Vec<String>>, Stats) {
    let item = |(number, bytes): (u64, &Arc<Vec<u8>>)| {
        let origin = Origin::Object { name: b"message".as_slice().into(), object: Arc::new(Bytes(bytes.clone())) };
        Item::Entry(Entry { number, origin, stat: None })
    };
    let items: Vec<Item> = (0..).zip(messages).map(item).collect();
    let mut records: Vec<Record> = Vec::new();
    let summary = run(Box::new(items.into_iter()), plan, &mut records, &Control::new()).unwrap();
    let hashed = records.iter().map(|record| match &record.outcome {
        Outcome::Hashed(hashed) => hashed.digests.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    });
    (hashed.collect(), summary.stats)
}
