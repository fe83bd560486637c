//! Images in a compressed tar: whether it may hold some, and the failure where it cannot be
//! unpacked.

use super::blobs::{clean, is_sign};
use super::{LOOKED_AT, apart, open};
use crate::decoder::{self, Packing};
use crate::limits::Limits;
use crate::member::failure;
use crate::store::Store;
use crate::tar;
use crate::track::Track;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Nodes;
use std::io::Read;
use std::sync::Arc;

/// Bytes that are unpacked to look for the members of an image.
const UNPACKED: u64 = 1 << 20;

/// The tar in a compressed stream if it may hold images, whose layers have to be read at any
/// position.
pub fn packed(packing: Packing, bytes: &Arc<dyn Bytes>, limits: &Limits) -> Option<Box<dyn Read + Send>> {
    let (of, bounds) = (bytes.clone(), limits.clone());
    let start = move || Ok(Box::new(decoder::open(packing, of.clone(), &bounds)?.take(UNPACKED)) as Box<_>);
    let first = tar::Members::new(Store::Packed(Track::new(start)), u64::MAX, limits);
    let is_image = first.take(LOOKED_AT).filter_map(Result::ok).any(|node| is_sign(&node.path));
    is_image.then(|| decoder::open(packing, bytes.clone(), limits).ok()).flatten()
}

/// As [`open`] for a tar that was unpacked.
pub fn open_unpacked(bytes: Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    apart::nodes(open(bytes.clone(), limits), bytes, Box::new(|at| format!("byte {at} of the unpacked tar")), true)
}

/// The members of a tar that is read in order, with a failure behind the first ones that only a tar
/// of images has together: a list of images, and layers.
pub fn without_images(nodes: Nodes, why: String) -> Nodes {
    let (mut is_listed, mut has_layers, mut why) = (false, false, Some(why));
    Box::new(nodes.flat_map(move |found| {
        let path = found.as_ref().ok().and_then(|node| clean(&node.path)).unwrap_or_default();
        is_listed |= matches!(&path[..], b"oci-layout" | b"manifest.json");
        has_layers |= path.starts_with(b"blobs/") || path.ends_with(b"/layer.tar");
        let lost = if is_listed && has_layers { why.take() } else { None };
        let lost = lost.map(|why| Err(failure(b"", format!("the container images in this tar are not read: {why}"))));
        std::iter::once(found).chain(lost)
    }))
}
