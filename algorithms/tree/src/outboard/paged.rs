//! A tree in its binary form, read value by value. Used values are verified: those of a path
//! and their siblings must give the root of the header, whose checksum is verified when the tree is
//! opened.

use std::error::Error;
use std::fmt;
use std::io;

use super::format::Layout;
use super::journal::{Change, Journal};
use super::{Header, Key, Parameters, Value, Values, WrongChange, multiproof};
use crate::wire::WireError;

/// Why a tree cannot be used.
#[derive(Debug)]
pub enum Unusable {
    /// It cannot be read.
    Read(io::Error),
    /// The bytes are not a tree, or the part of them that was looked at has been changed.
    Malformed(WireError),
    /// The change does not fit it.
    Change(WrongChange),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Read(error) => write!(f, "the tree cannot be read: {error}"),
            Unusable::Malformed(malformed) => malformed.fmt(f),
            Unusable::Change(change) => change.fmt(f),
        }
    }
}

impl Error for Unusable {}

impl From<io::Error> for Unusable {
    fn from(error: io::Error) -> Unusable {
        Unusable::Read(error)
    }
}

impl From<WireError> for Unusable {
    fn from(malformed: WireError) -> Unusable {
        Unusable::Malformed(malformed)
    }
}

/// Fills a buffer with the bytes at an offset.
pub type ReadAt<'a> = Box<dyn Fn(u64, &mut [u8]) -> io::Result<()> + Send + Sync + 'a>;

/// A tree that reads only the values asked for.
pub struct PagedTree<'a> {
    header: Header,
    layout: Layout,
    read: ReadAt<'a>,
    /// A change that was begun and not finished: its values stand for those of the file.
    journal: Option<Journal>,
}

impl<'a> PagedTree<'a> {
    /// Opens the binary form of `bytes` bytes that `read` gives. `journal` is the record of a
    /// change that may have been interrupted, if there is one; a record that is not whole, or of
    /// another state of the tree, is passed over.
    ///
    /// # Errors
    /// If the header cannot be read or has been changed, or the tree has not the number of bytes
    /// that it must have.
    pub fn open(bytes: u64, journal: Option<&[u8]>, read: ReadAt<'a>) -> Result<PagedTree<'a>, Unusable> {
        let mut front = [0; Header::BYTES];
        if bytes < front.len() as u64 {
            // The existing file gives the best message.
            let mut front = vec![0; bytes as usize];
            read(0, &mut front)?;
            return Err(Header::decode(&front).err().unwrap_or(WireError::Truncated).into());
        }
        read(0, &mut front)?;
        let stored = Header::decode(&front);
        let journal = journal.and_then(Journal::decode).filter(|journal| journal.is_for(stored.as_ref().ok()));
        let header = match &journal {
            Some(journal) => journal.header(),
            None => stored?,
        };
        let layout = Layout::of(&header).ok_or(WireError::Field("length"))?;
        match bytes.cmp(&layout.end()) {
            std::cmp::Ordering::Less => Err(WireError::Truncated.into()),
            std::cmp::Ordering::Greater => Err(WireError::Trailing.into()),
            std::cmp::Ordering::Equal => Ok(PagedTree { header, layout, read, journal }),
        }
    }

    /// The same tree, which can compute under its key.
    ///
    /// # Errors
    /// [`WireError::Locked`] if the key is missing, another one, or of no use.
    pub fn unlock(mut self, key: Option<Key>) -> Result<PagedTree<'a>, Unusable> {
        self.header.parameters = self.header.parameters.unlock(key).map_err(WireError::from)?;
        Ok(self)
    }

    /// The header, with the change of an interrupted update if there was one.
    pub fn header(&self) -> Header {
        self.header
    }

    /// The interrupted change that is yet to be written.
    pub fn journal(&self) -> Option<&Journal> {
        self.journal.as_ref()
    }

    /// Proves the values of these leaves, which ascend and are the file's, and gives them with the
    /// siblings that lead to the root. Those of a tree that is locked are given as they are.
    ///
    /// # Errors
    /// If they cannot be read, or do not give the root: the tree has been changed.
    #[allow(clippy::type_complexity)]
    pub fn proven(&self, indices: &[u64]) -> Result<(Vec<(u64, Value)>, Vec<Value>), Unusable> {
        proven(self, indices)
    }

    /// The writes, with their offsets, that give these leaves these values, indices ascending and
    /// distinct. Reads the paths of the leaves and proves them.
    ///
    /// # Errors
    /// If there is no such leaf, the paths cannot be read, or do not give the root; if the tree is
    /// locked.
    pub fn change(&self, leaves: &[(u64, Value)]) -> Result<Change, Unusable> {
        self.header.parameters.unlocked().map_err(WireError::from)?;
        let count = self.leaves();
        if let Some(&(index, _)) = leaves.iter().find(|(index, _)| *index >= count) {
            return Err(Unusable::Change(WrongChange::Index(index)));
        }
        if leaves.is_empty() {
            return Ok(Change {
                old: self.header,
                new: self.header,
                before: vec![],
                after: vec![],
                siblings: vec![],
                nodes: vec![],
            });
        }
        let indices: Vec<u64> = leaves.iter().map(|(index, _)| *index).collect();
        let (before, siblings) = self.proven(&indices)?;
        let mut nodes: Vec<(u64, Value)> = Vec::new();
        let mut place = |level, index, value| {
            if let Some(offset) = self.layout.offset(level, index) {
                nodes.push((offset, value));
            }
        };
        leaves.iter().for_each(|&(index, value)| place(0, index, value));
        let Header { parameters, length, .. } = self.header;
        let root = multiproof::root_and_nodes(&parameters, length, leaves.to_vec(), &siblings, place)
            .ok_or(WireError::Checksum)?;
        let new = Header { root, ..self.header };
        Ok(Change { old: self.header, new, before, after: leaves.to_vec(), siblings, nodes })
    }
}

/// The values of these leaves and the siblings that lead to the root, proven if the tree is not
/// locked: who stores it need not have the key, and the reader of a proof who has it finds damage.
#[allow(clippy::type_complexity)]
pub(crate) fn proven(tree: &dyn Values, indices: &[u64]) -> Result<(Vec<(u64, Value)>, Vec<Value>), Unusable> {
    let siblings = multiproof::siblings(tree, indices)?;
    let leaves: Vec<(u64, Value)> =
        indices.iter().map(|&index| Ok((index, tree.value(0, index)?))).collect::<io::Result<_>>()?;
    if tree.parameters().unlocked().is_err() {
        return Ok((leaves, siblings));
    }
    let root = multiproof::root(&tree.parameters(), tree.length(), leaves.clone(), &siblings);
    if root.as_ref() == Some(tree.root()) { Ok((leaves, siblings)) } else { Err(WireError::Checksum.into()) }
}

impl Values for PagedTree<'_> {
    fn parameters(&self) -> Parameters {
        self.header.parameters
    }

    fn length(&self) -> u64 {
        self.header.length
    }

    fn root(&self) -> &Value {
        &self.header.root
    }

    fn value(&self, level: u32, index: u64) -> io::Result<Value> {
        let offset = self.layout.offset(level, index).ok_or(io::ErrorKind::InvalidInput)?;
        if let Some(value) = self.journal.as_ref().and_then(|journal| journal.value(offset)) {
            return Ok(value);
        }
        let mut value = [0; 32];
        (self.read)(offset, &mut value)?;
        Ok(value)
    }
}
