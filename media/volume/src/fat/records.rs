//! The records of a directory, cluster by cluster.

use std::sync::Arc;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, read};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// Read at once: a cluster of usual size.
const PIECE: u64 = 1 << 15;

/// The records of 32 bytes in a layout, with their places. A piece that cannot be read is a
/// failure, and the next one follows.
pub fn records(
    bytes: Arc<dyn Bytes>,
    layout: &Layout,
) -> impl Iterator<Item = Result<(u64, [u8; 32]), Failure>> + Send + use<> {
    let runs: Vec<_> = layout.runs().iter().filter_map(|run| Some((run.medium_offset?, run.length))).collect();
    let pieces = runs.into_iter().flat_map(|(offset, length)| {
        (0..length.div_ceil(PIECE)).map(move |index| (offset + index * PIECE, PIECE.min(length - index * PIECE)))
    });
    pieces.flat_map(move |(offset, length)| {
        let piece = read(&*bytes, offset, length as usize);
        let (failed, piece) = match piece {
            Ok(piece) => (None, piece),
            Err(failed) => (Some(Err(failed)), Vec::new()),
        };
        let count = piece.len() / 32;
        let records = (0..count).map(move |index| Ok((offset + 32 * index as u64, array(&piece, 32 * index))));
        failed.into_iter().chain(records)
    })
}
