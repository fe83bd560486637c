//! Images in bytes that are not those of the container: a tar that was unpacked, or the files of a
//! layout one behind the other.

use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::node::{Content, Failure, Node, Nodes, Run};
use std::io::Read;
use std::sync::Arc;

/// How places in the bytes are named.
type Words = Box<dyn Fn(u64) -> String + Send>;

/// Nodes whose places in `bytes` are not places in the container: they have none, and failures name
/// theirs in words. `is_packed` says that the bytes come out of a compressed stream.
pub fn nodes(nodes: Nodes, bytes: Arc<dyn Bytes>, words: Words, is_packed: bool) -> Nodes {
    Box::new(nodes.map(move |found| match found {
        Ok(node) => Ok(apart(node, &bytes, is_packed)),
        Err(failure) => Err(worded(failure, &words)),
    }))
}

fn apart(mut node: Node, of: &Arc<dyn Bytes>, is_packed: bool) -> Node {
    node.compressed |= is_packed && node.content.is_some();
    let of = of.clone();
    node.content = node.content.map(|inner| Arc::new(LayerContent { inner, of, is_packed }) as Arc<dyn Content>);
    node
}

fn worded(failure: Failure, words: &Words) -> Failure {
    let Some(offset) = failure.offset else { return failure };
    Failure { offset: None, cause: format!("{} ({})", failure.cause, words(offset)), ..failure }
}

struct LayerContent {
    inner: Arc<dyn Content>,
    of: Arc<dyn Bytes>,
    is_packed: bool,
}

impl Content for LayerContent {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        self.inner.open()
    }

    fn runs(&self) -> Option<Vec<Run>> {
        None
    }

    fn bytes(&self) -> Option<Arc<dyn Bytes>> {
        let runs = self.inner.runs()?;
        let [Run { medium_offset: Some(start), length, .. }] = runs[..] else { return None };
        Some(Arc::new(Slice::new(self.of.clone(), start, length)?))
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        if self.is_packed { Ok(None) } else { self.inner.stored() }
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
