//! Which sets there are, which of their parts an entry came from, and which combinations of parts
//! occur.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{Class, Error};

/// Parts that one set may be divided into, by the remarks of its records. Beyond this a set that
/// says something else of every record would fill the memory.
const MOST_TAGS: usize = 1 << 20;

/// The numbers in all combinations together: 256 MiB.
const MOST_NUMBERS: usize = 64 << 20;

/// A set: its description, and its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Set {
    /// Its name.
    pub name: String,
    /// Its class.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub class: Option<Class>,
    /// Its version or release, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The product it belongs to, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// The name of the file that it was read from, without directories; rendered harmless where it
    /// holds controls.
    pub source: String,
    /// The format that it was read from.
    pub format: String,
    /// Records that were read.
    pub records: u64,
    /// Places that held no record.
    pub faults: u64,
    /// Values that stand for no digest and are not in the set: zeros, and the digest of nothing
    /// beside those of something.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub placeholders: u64,
    /// How many records have a digest of an algorithm.
    pub digests: Vec<(String, u64)>,
    /// The algorithms that digests were taken for by their length, where the list names none: files
    /// are looked up by each of that length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<String>,
    /// Of a set of blocks, whose records are files: how many blocks of each size they have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockCount>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How many blocks of one size the files of a set have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlockCount {
    /// Bytes of a block.
    pub size: u32,
    /// How many there are, repeated ones included.
    pub blocks: u64,
    /// How many of them say little of the file that they are in, by their bytes.
    pub flagged: u64,
}

impl Set {
    /// The class; sets are never built without one.
    pub fn class(&self) -> &Class {
        const NONE: &Class = &Class::NoChange;
        self.class.as_ref().unwrap_or(NONE)
    }

    /// Whether it holds no digest of a file at all: no file can be known to it. A Bloom filter
    /// holds its own description.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty() && self.format != "bloom"
    }

    /// Whether it holds blocks of files.
    pub fn has_blocks(&self) -> bool {
        self.blocks.iter().any(|of| of.blocks > 0)
    }

    pub(crate) fn count(&mut self, algorithm: &str) {
        match self.digests.iter_mut().find(|(name, _)| name == algorithm) {
            Some((_, count)) => *count += 1,
            None => self.digests.push((algorithm.to_owned(), 1)),
        }
    }
}

/// A set, or the part of it whose records say one thing of themselves.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// The position of the set.
    pub set: u32,
    /// The remark of the records: `category 1`, `special code M`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
}

/// The sets and their parts, numbered in the order in which they come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// The sets.
    pub sets: Vec<Set>,
    /// Their parts.
    pub list: Vec<Origin>,
}

/// Finds the number of a part.
#[derive(Default)]
pub struct Numbers {
    numbers: HashMap<Origin, u32>,
    last: Option<(Origin, u32)>,
}

impl Numbers {
    pub fn of(origins: &Origins) -> Numbers {
        let numbers = origins.list.iter().cloned().zip(0..).collect();
        Numbers { numbers, last: None }
    }

    pub fn number(&mut self, origins: &mut Origins, set: u32, tag: Option<String>) -> Result<u32, Error> {
        let origin = Origin { set, tag };
        if let Some((last, number)) = &self.last
            && *last == origin
        {
            return Ok(*number);
        }
        let number = match self.numbers.get(&origin) {
            Some(&number) => number,
            None if origins.list.len() >= MOST_TAGS => {
                return Err(Error::TooMany("parts of sets: build without tags, such as packages"));
            }
            None => {
                // Below MOST_TAGS.
                let number = origins.list.len() as u32;
                origins.list.push(origin.clone());
                self.numbers.insert(origin.clone(), number);
                number
            }
        };
        self.last = Some((origin, number));
        Ok(number)
    }
}

/// The combinations of parts that occur, numbered in the order of the first digest that has them.
#[derive(Default)]
pub struct Combinations {
    numbers: HashMap<Box<[u32]>, u32>,
    list: Vec<Box<[u32]>>,
    total: usize,
}

impl Combinations {
    /// The number of a combination, whose parts are in ascending order.
    pub fn number(&mut self, parts: &[u32]) -> Result<u32, Error> {
        if let Some(&number) = self.numbers.get(parts) {
            return Ok(number);
        }
        // Each costs two copies and a place in the map, which 16 numbers are meant to cover.
        self.total += parts.len() + 16;
        if self.total > MOST_NUMBERS {
            return Err(Error::TooMany(
                "combinations of sets: build from fewer of them, or without tags, such as packages",
            ));
        }
        // Fits: there are fewer than MOST_NUMBERS.
        let number = self.list.len() as u32;
        self.numbers.insert(parts.into(), number);
        self.list.push(parts.into());
        Ok(number)
    }

    pub fn list(&self) -> &[Box<[u32]>] {
        &self.list
    }
}
