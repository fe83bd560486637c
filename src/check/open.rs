//! The manifest of a request, with the seal that is beside it.

use super::manifest::read;
use super::{Error, Expectations, Request};
use crate::algorithms::{REGISTRY, Secret};
use pfh_custody::seal::{self, Held};
use pfh_source::Streams;
use std::path::Path;

/// Verifies the seal of the manifest that is asked for, if it has one, and reads the manifest.
///
/// # Errors
/// When the seal does not hold, or the manifest cannot be read.
pub fn open(request: &Request) -> Result<(Option<Held>, Expectations), Error> {
    open_one(request, &request.manifest)
}

/// The same of all manifests together.
///
/// # Errors
/// As for one, and when their pieces are of different lengths.
pub fn open_all(request: &Request) -> Result<(Vec<Held>, Expectations), Error> {
    let mut streams = Streams::default();
    streams.read(&request.manifest)?;
    streams.read_all(&request.also)?;
    streams.read_all(request.key.iter().map(|key| &**key).chain(request.secret.as_ref().and_then(Secret::path)))?;
    let (held, mut all) = open_one(request, &request.manifest)?;
    let mut seals: Vec<Held> = held.into_iter().collect();
    for manifest in &request.also {
        let (held, expectations) = open_one(request, manifest)?;
        seals.extend(held);
        all.absorb(expectations).map_err(|_| Error::Pieces(manifest.clone()))?;
    }
    Ok((seals, all))
}

fn open_one(request: &Request, manifest: &Path) -> Result<(Option<Held>, Expectations), Error> {
    let mut options = request.options(manifest);
    // The seal first: of a manifest that was changed nothing is worth comparing.
    let held = seal::verify(manifest, &options, REGISTRY, request.key.as_deref())?;
    // The seal knows the algorithm of digests that do not name theirs.
    options.assumed.extend(held.as_ref().and_then(|held| held.algorithm));
    let expectations = read(manifest, &options)?;
    Ok((held, expectations))
}
