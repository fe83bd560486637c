//! Extended attributes: the targets of links, and values as streams of their file.

use std::sync::Arc;

use super::record::{Attribute, Inode, Value};
use super::volume::Apfs;
use crate::decmpfs::{self, COMPRESSION, FORK, Fork, Header, Parts};
use crate::walk::join_stream;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Allocation, Content, Failure, Kind, Node};
use pfh_bytes::stored::HeldBytes;

/// The target of a symbolic link.
pub const LINK: &[u8] = b"com.apple.fs.symlink";

impl Apfs {
    /// The whole value of an attribute that has no more than `most` bytes.
    pub fn value(self: &Arc<Self>, attribute: &Attribute, most: u64) -> Result<Arc<[u8]>, Failure> {
        match &attribute.value {
            Value::Embedded(bytes) => Ok(bytes.clone()),
            Value::Stream(_, size) if *size > most => {
                let name = String::from_utf8_lossy(&attribute.name).into_owned();
                Err(failure(None, format!("the attribute {name} has {size} bytes: not read")))
            }
            Value::Stream(stream, size) => Ok(self.fork(*stream, *size)?.read(0, *size)?.into()),
        }
    }

    /// The attribute of this name.
    fn find(&self, number: u64, name: &[u8]) -> Option<Attribute> {
        self.attributes(number).into_iter().flatten().find(|attribute| attribute.name == name)
    }

    /// The node of an attribute of the file with this path.
    pub fn stream(self: &Arc<Self>, inode: &Inode, attribute: Attribute, of: &[u8]) -> Result<Node, Failure> {
        let name = &attribute.name;
        let path = join_stream(of, name)?;
        let (size, resident, content): (u64, bool, Arc<dyn Content>) = match attribute.value {
            Value::Embedded(bytes) => (bytes.len() as u64, true, Arc::new(HeldBytes { bytes })),
            Value::Stream(stream, size) => (size, false, self.content(&path, (stream, size, false))),
        };
        Ok(Node {
            path,
            kind: Kind::Stream,
            size: Some(size),
            id: Some(inode.number),
            times: inode.times,
            allocation: Allocation::Live,
            resident,
            compressed: false,
            content: Some(content),
        })
    }
}

/// The parts of the compressed file with this inode.
pub struct PackedParts {
    pub volume: Arc<Apfs>,
    pub number: u64,
}

impl Parts for PackedParts {
    fn attribute(&self) -> Result<Arc<[u8]>, Failure> {
        let found = self.volume.find(self.number, COMPRESSION).ok_or_else(decmpfs::lost)?;
        self.volume.value(&found, Header::MOST)
    }

    fn fork(&self) -> Result<Fork, Failure> {
        let found = self.volume.find(self.number, FORK).ok_or_else(decmpfs::lost_fork)?;
        Ok(match found.value {
            Value::Embedded(bytes) => Fork::Held(bytes),
            Value::Stream(stream, size) => self.volume.fork(stream, size)?,
        })
    }
}
