//! Building a tree in one pass over the file.

use pfh_digest::{Alone, Executor};

use super::{Outboard, Parameters, Value};

/// Bytes whose leaves are hashed in one go: several lanes' worth of the longest usual leaves.
const COMPANY: usize = 1 << 20;

/// Takes a file in pieces and gives its tree. Holds 32 bytes for each leaf so far and at most 1
/// MiB, or one leaf, of the file.
#[derive(Clone, Debug)]
pub struct Builder {
    parameters: Parameters,
    length: u64,
    /// The end of the file so far. A leaf leaves this buffer only when more follows, so that a lone
    /// leaf is known as such.
    pending: Vec<u8>,
    values: Vec<Value>,
}

impl Builder {
    /// An empty file so far.
    pub fn new(parameters: Parameters) -> Builder {
        Builder { parameters, length: 0, pending: Vec::new(), values: Vec::new() }
    }

    /// Takes in the next bytes of the file.
    pub fn update(&mut self, bytes: &[u8]) {
        self.update_on(bytes, &Alone);
    }

    /// As [`update`](Builder::update), with leaves hashed by the executor's threads.
    pub fn update_on(&mut self, mut bytes: &[u8], executor: &dyn Executor) {
        self.length += bytes.len() as u64;
        let company = COMPANY.max(self.parameters.leaf_length());
        if !self.pending.is_empty() {
            let (some, later) = bytes.split_at(bytes.len().min(company - self.pending.len()));
            self.pending.extend_from_slice(some);
            bytes = later;
            if bytes.is_empty() {
                return;
            }
            let pending = std::mem::take(&mut self.pending);
            self.add(&pending, executor);
            self.pending = pending;
            self.pending.clear();
        }
        let now = bytes.len().saturating_sub(1) / company * company;
        self.add(&bytes[..now], executor);
        self.pending.extend_from_slice(&bytes[now..]);
    }

    /// Ends the file.
    pub fn finish(mut self) -> Outboard {
        let pending = std::mem::take(&mut self.pending);
        if self.parameters.leaf_count(self.length) == 1 {
            self.values.push(self.parameters.only_leaf(&pending));
        } else {
            self.add(&pending, &Alone);
        }
        Outboard::over(self.parameters, self.length, self.values)
    }

    fn add(&mut self, leaves: &[u8], executor: &dyn Executor) {
        let leaves: Vec<(u64, &[u8])> =
            (self.values.len() as u64..).zip(leaves.chunks(self.parameters.leaf_length())).collect();
        self.values.extend(self.parameters.leaves_on(&leaves, executor));
    }
}
