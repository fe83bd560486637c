//! Space that belongs to no file: free runs of a volume, and the room behind files in their last
//! blocks.

use std::ops::Range;
use std::sync::Arc;

use crate::bits::Bits;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Allocation, Failure, Kind, Node, Nodes, Times};
use pfh_bytes::stored::StoredBytes;

/// Whether a block is in use, by its number in the range.
pub type IsUsed = Box<dyn Fn(u64) -> Result<bool, Failure> + Send>;

/// The free runs among `blocks`, as nodes `$Unallocated/OFFSET`, in order of place. A block in an
/// unknown state is a failure in its place, and not free. Block 0 lies at `base`.
pub fn free(
    bytes: Arc<dyn Bytes>,
    base: u64,
    block_size: u64,
    blocks: Range<u64>,
    is_used: IsUsed,
) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    runs("$Unallocated", bytes, base, block_size, blocks, is_used)
}

/// The runs of blocks that the map says to be in use, and that nothing claims, as nodes
/// `$Lost/OFFSET`. Claimed runs are looked up at the first request. Blocks in an unknown state were
/// failures when the free runs were listed.
pub fn lost(
    bytes: Arc<dyn Bytes>,
    base: u64,
    block_size: u64,
    blocks: Range<u64>,
    is_used: IsUsed,
    claims: Box<dyn FnOnce() -> Bits + Send>,
) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    let (mut claims, mut is_used) = (Some(claims), Some(is_used));
    let mut lost = None;
    std::iter::from_fn(move || {
        let found: &mut Nodes = lost.get_or_insert_with(|| {
            let is_used = is_used.take().unwrap_or_else(|| Box::new(|_| Ok(false)));
            let claimed = claims.take().map(|claims| claims()).unwrap_or_default();
            // Free and claimed runs are skipped, as used ones are among free runs.
            let is_kept = move |block| Ok(claimed.has(block) || !is_used(block)?);
            runs("$Lost", bytes.clone(), base, block_size, blocks.clone(), Box::new(is_kept))
        });
        found.find(Result::is_ok)
    })
}

/// The runs of blocks that are marked bad, as nodes `$Bad/OFFSET`.
pub fn bad(
    bytes: Arc<dyn Bytes>,
    base: u64,
    block_size: u64,
    blocks: Range<u64>,
    is_bad: impl Fn(u64) -> bool + Send + 'static,
) -> Nodes {
    runs("$Bad", bytes, base, block_size, blocks, Box::new(move |block| Ok(!is_bad(block))))
}

/// The runs of blocks that are not in use, as nodes with this name in front of their offset.
fn runs(
    name: &'static str,
    bytes: Arc<dyn Bytes>,
    base: u64,
    block_size: u64,
    blocks: Range<u64>,
    is_used: IsUsed,
) -> Nodes {
    let mut next = blocks.start;
    let mut failed_before = false;
    Box::new(std::iter::from_fn(move || {
        let mut start = None;
        while next < blocks.end {
            let used = is_used(next);
            match (used, start) {
                (Ok(false), _) => {
                    start.get_or_insert(next);
                }
                (_, Some(start)) => {
                    return Some(Ok(node(name, &bytes, base + start * block_size, (next - start) * block_size)));
                }
                (Ok(true), None) => failed_before = false,
                (Err(failed), None) => {
                    next += 1;
                    if !std::mem::replace(&mut failed_before, true) {
                        return Some(Err(failed));
                    }
                    continue;
                }
            }
            next += 1;
        }
        start.map(|start| Ok(node(name, &bytes, base + start * block_size, (next - start) * block_size)))
    }))
}

/// Bytes of a medium that are in no partition, as a node `$Unallocated/OFFSET`.
pub fn gap(medium: &Arc<dyn Bytes>, place: Range<u64>) -> Node {
    node("$Unallocated", medium, place.start, place.end - place.start)
}

fn node(name: &str, bytes: &Arc<dyn Bytes>, offset: u64, length: u64) -> Node {
    let mut layout = Layout::new(u64::MAX);
    // A range of blocks that were counted is within any volume.
    let _ = layout.push(Some(offset), length);
    range(bytes, format!("{name}/{offset}").into_bytes(), 0, length, layout)
}

fn range(bytes: &Arc<dyn Bytes>, path: Vec<u8>, from: u64, size: u64, layout: Layout) -> Node {
    let content = StoredBytes {
        bytes: bytes.clone(),
        path: path.clone(),
        from,
        size,
        locate: Box::new(move || Ok(layout.clone())),
    };
    Node {
        path,
        kind: Kind::Unallocated,
        size: Some(size),
        id: None,
        times: Times::default(),
        allocation: Allocation::Live,
        resident: false,
        compressed: false,
        content: Some(Arc::new(content)),
    }
}

/// The bytes that lie behind a file of `size` bytes and belong to it, as `$Slack/PATH`; `None` if
/// there are none.
pub fn slack(bytes: &Arc<dyn Bytes>, path: &[u8], size: u64, layout: &Layout) -> Option<Node> {
    let end = layout.runs().iter().rev().find(|run| run.medium_offset.is_some())?;
    let end = end.file_offset + end.length;
    let length = end.checked_sub(size).filter(|&length| length > 0)?;
    Some(range(bytes, [b"$Slack/", path].concat(), size, length, layout.clone()))
}
