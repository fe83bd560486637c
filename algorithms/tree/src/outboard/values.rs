//! A tree seen value by value, wherever it is kept.

use std::io;

use super::{Outboard, Parameters, Value};

/// Gives the values of a tree: one in memory, or one that is read from a file value by value.
pub trait Values {
    /// Function and leaf length.
    fn parameters(&self) -> Parameters;

    /// Bytes of the file.
    fn length(&self) -> u64;

    /// The value that stands for the whole file.
    fn root(&self) -> &Value;

    /// The value at `index` of a level, 0 being the leaves'. Both exist in the tree.
    ///
    /// # Errors
    /// Those of reading the value.
    fn value(&self, level: u32, index: u64) -> io::Result<Value>;

    /// Leaves of the file, at least one.
    fn leaves(&self) -> u64 {
        self.parameters().leaf_count(self.length())
    }
}

impl Values for Outboard {
    fn parameters(&self) -> Parameters {
        self.parameters
    }

    fn length(&self) -> u64 {
        self.length
    }

    fn root(&self) -> &Value {
        &self.root
    }

    fn value(&self, level: u32, index: u64) -> io::Result<Value> {
        Ok(self.levels[level as usize][index as usize])
    }
}
