//! Layouts that are a directory: `index.json`, `oci-layout` and a file for each blob.

use super::blobs::{Blobs, Part, stated};
use super::{apart, files, layers, manifest};
use crate::limits::Limits;
use crate::member::failure;
use crate::tape::Tape;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Failure, Node, Nodes};
use std::collections::HashSet;
use std::io::Read;
use std::sync::Arc;

/// The files of all images, and behind them the faults of blobs whose digests differ from their
/// names.
pub fn open_layout(bytes: Arc<dyn Bytes>, parts: &[Part], limits: &Limits) -> Nodes {
    let (images, failures) = manifest::images(&Blobs::of_files(&bytes, parts));
    let all = parts.to_vec();
    let words = move |at: u64| {
        let part = all.iter().rfind(|part| part.start <= at && at <= part.start + part.length);
        let (name, start) = part.map_or((&b"the layout"[..], 0), |part| (&part.name, part.start));
        format!("byte {} of {}", at - start, String::from_utf8_lossy(name))
    };
    let (of, named) = (bytes.clone(), parts.to_vec());
    let wrong = named.into_iter().filter_map(move |part| Some(Err::<Node, _>(wrong(&of, &part)?)));
    let found = failures.into_iter().map(Err).chain(files(images, bytes.size(), limits)).chain(wrong);
    apart::nodes(Box::new(found), bytes, Box::new(words), false)
}

/// The names of all layers of all images.
pub fn layers_of(bytes: &Arc<dyn Bytes>, parts: &[Part]) -> HashSet<Vec<u8>> {
    layers(&manifest::images(&Blobs::of_files(bytes, parts)).0)
}

/// The fault of a blob whose bytes do not have the digest in its name.
fn wrong(bytes: &Arc<dyn Bytes>, part: &Part) -> Option<Failure> {
    let stated = stated(&part.name)?;
    let mut hasher = stated.algorithm().hasher();
    let mut reader = Tape::new(bytes.clone(), part.start, part.start + part.length);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(got) => hasher.update(&buffer[..got]),
            Err(error) => return Some(failure(&part.name, format!("is not compared with its name: {error}"))),
        }
    }
    let is = hasher.finalize();
    (is != stated).then(|| {
        let algorithm = stated.algorithm();
        failure(&part.name, format!("its bytes have the {algorithm} {is} and not {stated} as its name states"))
    })
}
