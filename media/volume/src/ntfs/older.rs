//! Older states of a volume, as its shadow copies keep them.

use std::sync::{Arc, OnceLock};

use crate::changed::{NamesToday, changed};
use crate::file_system::{FileSystem, Older, OpenSnapshot, Options, Snapshot, States, Volume};
use crate::vss::{Copy, View};
use crate::windows::Windows;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Allocation, Failure, Kind, Node, Nodes};

/// Opens a volume by its bytes; `None` for another format.
type Open = fn(&Arc<dyn Bytes>) -> Result<Option<FileSystem>, Failure>;

/// The file system of today.
struct Live {
    bytes: Arc<dyn Bytes>,
    volume: Arc<dyn Volume>,
    open: Open,
    /// Its names, once they are compared with.
    known: OnceLock<Arc<NamesToday>>,
}

/// A shadow copy of it.
struct ShadowCopy {
    copy: Copy,
    live: Arc<Live>,
}

/// One that is open.
struct OpenCopy {
    volume: Arc<dyn Volume>,
    view: Arc<View>,
    live: Arc<Live>,
}

/// The snapshots of a volume by its shadow copies.
pub fn snapshots(copies: Vec<Copy>, bytes: &Arc<dyn Bytes>, volume: Arc<dyn Volume>, open: Open) -> Vec<Snapshot> {
    let live = Arc::new(Live { bytes: bytes.clone(), volume, open, known: OnceLock::new() });
    let snapshot = |copy: Copy| Snapshot {
        number: copy.number,
        id: copy.id.clone(),
        set: copy.set.clone(),
        created: copy.created,
        older: Arc::new(ShadowCopy { copy, live: live.clone() }),
    };
    copies.into_iter().map(snapshot).collect()
}

impl Older for ShadowCopy {
    fn open(&self) -> Result<OpenSnapshot, Failure> {
        let view = self.copy.view()?;
        let bytes: Arc<dyn Bytes> = Arc::new(Windows::new(view.clone()));
        let found = (self.live.open)(&bytes)?;
        let system = found.ok_or_else(|| failure(Some(0), "the shadow copy does not begin with a volume of NTFS"))?;
        let states = Arc::new(OpenCopy { volume: system.volume.clone(), view, live: self.live.clone() });
        Ok(OpenSnapshot { system, bytes, states })
    }
}

impl States for OpenCopy {
    fn nodes(&self, options: Options) -> Nodes {
        let view = self.view.clone();
        Box::new(self.volume.clone().nodes(options).filter_map(move |found| kept(&view, found)))
    }

    fn changed(&self, options: Options) -> Nodes {
        let known = self.live.known.get_or_init(|| Arc::new(NamesToday::of(self.live.volume.clone().nodes(options))));
        changed(self.nodes(options), known.clone(), self.view.clone(), self.live.bytes.clone())
    }
}

/// A node as far as a snapshot keeps its bytes: free space is left out, and deleted files whose
/// bytes are not kept are overwritten.
fn kept(view: &View, found: Result<Node, Failure>) -> Option<Result<Node, Failure>> {
    let mut node = match found {
        Ok(node) => node,
        Err(failed) => return Some(Err(failed)),
    };
    if node.kind == Kind::Unallocated && !node.path.starts_with(b"$Slack/") {
        return None;
    }
    if node.allocation == Allocation::Deleted && !node.resident {
        let places = node.content.as_ref().and_then(|content| content.places()).unwrap_or_default();
        let mut places = places.iter().filter_map(|run| Some((run.medium_offset?, run.length)));
        if !places.all(|(offset, length)| view.is_kept(offset, length)) {
            node.allocation = Allocation::Overwritten;
        }
    }
    Some(Ok(node))
}
