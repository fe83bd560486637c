//! Archives behind something else: a program that unpacks them, a picture, a script.

use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::field::read_some;
use pfh_bytes::node::{Content, Failure, Node, Nodes, Run};
use pfh_container::disk;
use pfh_container::sfx::FoundArchive;
use std::io::Read;
use std::sync::Arc;

/// Finds an archive behind something else, by the first bytes and all of them.
pub type Anywhere = fn(&[u8], &Arc<dyn Bytes>) -> Option<FoundArchive>;

/// The archive behind something else, and where it begins, if that is of one of these formats;
/// `anywhere` finds it.
pub fn behind(formats: &[&str], bytes: Arc<dyn Bytes>, anywhere: Anywhere) -> (Arc<dyn Bytes>, u64) {
    let start = read_some(&*bytes, 0, disk::START).unwrap_or_default();
    let found = anywhere(&start, &bytes);
    let found = found.filter(|found| formats.contains(&found.format));
    let slice = found
        .and_then(|found| Some((Slice::new(bytes.clone(), found.offset, bytes.size() - found.offset)?, found.offset)));
    match slice {
        Some((slice, offset)) => (Arc::new(slice), offset),
        None => (bytes, 0),
    }
}

/// The members of an archive that begins at `by`, with places as the whole file has them.
pub fn shifted(nodes: Nodes, by: u64) -> Nodes {
    if by == 0 {
        return nodes;
    }
    Box::new(nodes.map(move |node| match node {
        Ok(node) => {
            let content = node.content.map(|inner| Arc::new(ShiftedContent { inner, by }) as Arc<dyn Content>);
            Ok(Node { content, ..node })
        }
        Err(failed) => Err(Failure { offset: failed.offset.map(|offset| offset + by), ..failed }),
    }))
}

/// A content whose places are counted from the start of the archive.
struct ShiftedContent {
    inner: Arc<dyn Content>,
    by: u64,
}

impl ShiftedContent {
    fn runs(&self, runs: Option<Vec<Run>>) -> Option<Vec<Run>> {
        let shift = |run: Run| Run { medium_offset: run.medium_offset.map(|offset| offset + self.by), ..run };
        Some(runs?.into_iter().map(shift).collect())
    }
}

impl Content for ShiftedContent {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        self.inner.open()
    }

    fn runs(&self) -> Option<Vec<Run>> {
        self.runs(self.inner.runs())
    }

    fn places(&self) -> Option<Vec<Run>> {
        self.runs(self.inner.places())
    }

    fn bytes(&self) -> Option<Arc<dyn Bytes>> {
        self.inner.bytes()
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        self.inner.stored()
    }

    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }

    fn within(&self) -> Option<&[u8]> {
        self.inner.within()
    }

    fn is_layer(&self) -> bool {
        self.inner.is_layer()
    }
}
