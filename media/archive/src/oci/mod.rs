//! Container images in a tar, as `docker save` writes them and as OCI layouts: each image as one
//! tree, behind the members of the tar; and in a layout that is a directory.
//!
//! The layers of an image are read twice: once to see which members hide others and to compare each
//! with the digest that the configuration states, and once to list the remaining files.

mod apart;
mod blobs;
mod budget;
mod files;
mod layer;
mod layout;
mod manifest;
mod packed;
mod tree;

use super::limits::Limits;
use super::member::{failure, wrong};
use super::tar;
use blobs::{Blobs, is_sign, stated};
use budget::Budget;
use files::Files;
use manifest::Image;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Node, Nodes, Run};
use pfh_digest::{Digest, Hasher};
use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::Arc;

pub use blobs::Part;
pub use layout::{layers_of, open_layout};
pub use packed::{open_unpacked, packed, without_images};

/// Members that are looked at to see whether a tar may hold images.
const LOOKED_AT: usize = 16;

/// The members of a tar that is not compressed, and the files of the images in it.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    let mut first = tar::plain(bytes.clone(), limits).take(LOOKED_AT).filter_map(Result::ok);
    if !first.any(|node| is_sign(&node.path)) {
        return tar::plain(bytes, limits);
    }
    let blobs = Blobs::of(&bytes, limits);
    let (images, failures) = manifest::images(&blobs);
    if images.is_empty() && failures.is_empty() {
        return tar::plain(bytes, limits);
    }
    let layers = layers(&images);
    let own = tar::plain(bytes.clone(), limits).map(move |node| Ok(blob(node?, &layers)));
    Box::new(own.chain(failures.into_iter().map(Err)).chain(files(images, bytes.size(), limits)))
}

/// The members that are layers.
fn layers(images: &[Image]) -> HashSet<Vec<u8>> {
    images.iter().flat_map(|image| &image.layers).map(|layer| layer.member.clone()).collect()
}

/// The files of images in a container of this size.
fn files(images: Vec<Image>, size: u64, limits: &Limits) -> impl Iterator<Item = Result<Node, Failure>> + Send + use<> {
    let (budget, limits) = (Arc::new(Budget::new(limits, size)), limits.clone());
    images.into_iter().flat_map(move |image| Files::new(image, budget.clone(), limits.clone()))
}

/// A member of the tar: one whose name is a digest is compared with it when it is read.
fn blob(mut node: Node, layers: &HashSet<Vec<u8>>) -> Node {
    let (digest, is_layer) = (stated(&node.path), layers.contains(&node.path));
    if digest.is_some() || is_layer {
        let path: Arc<[u8]> = node.path.clone().into();
        node.content = node.content.map(|inner| Arc::new(Blob { inner, digest, path, is_layer }) as Arc<dyn Content>);
    }
    node
}

struct Blob {
    inner: Arc<dyn Content>,
    digest: Option<Digest>,
    path: Arc<[u8]>,
    is_layer: bool,
}

impl Content for Blob {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let reader = self.inner.open()?;
        Ok(match &self.digest {
            Some(stated) => {
                let (hasher, stated, path) = (stated.algorithm().hasher(), stated.clone(), self.path.clone());
                Box::new(BlobReader { reader, hasher, stated, path })
            }
            None => reader,
        })
    }

    fn runs(&self) -> Option<Vec<Run>> {
        self.inner.runs()
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        self.inner.stored()
    }

    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }

    fn is_layer(&self) -> bool {
        self.is_layer
    }
}

/// Bytes that are compared with the digest in their name at their end.
struct BlobReader {
    reader: Box<dyn Read + Send>,
    hasher: Hasher,
    stated: Digest,
    path: Arc<[u8]>,
}

impl Read for BlobReader {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.reader.read(buffer)?;
        self.hasher.update(&buffer[..got]);
        if got > 0 || buffer.is_empty() {
            return Ok(got);
        }
        let (is, stated) = (self.hasher.clone().finalize(), &self.stated);
        if is == *stated {
            return Ok(0);
        }
        let cause = format!("its bytes have the {} {is} and not {stated} as its name states", stated.algorithm());
        Err(wrong(failure(&self.path, cause)))
    }
}
