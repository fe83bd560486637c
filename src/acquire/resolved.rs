//! A request with all that follows from it: a run works with it, and changes it.

use super::problem::Problem;
use super::{ImageFormat, Request, To};
use crate::job::Error;
use pfh_container::ewf::CaseData;
use pfh_engine::imaging::Imaging;
use pfh_source::os::secret;
use std::io;
use std::path::PathBuf;

/// The settings that a request results in.
#[derive(Debug)]
pub(crate) struct Settings<'a> {
    /// The request.
    pub(super) request: &'a Request,
    /// The targets that hold the image, or shall, with numbers of as many places as they need.
    pub(super) targets: Vec<To>,
    /// The same of [`Request::against`].
    pub(super) against: Vec<To>,
    /// The tree, as long as it does not fail.
    pub(super) outboard: Option<PathBuf>,
    /// The map; a stream has none.
    pub(super) map: Option<PathBuf>,
    /// Case data: a copy of an image carries on the source image's.
    pub(super) about: CaseData,
    /// The identifier of an E01's set of segments.
    pub(super) set: Option<[u8; 16]>,
    /// The ranges to read and the digests to compute, with those that the targets and an earlier
    /// run add.
    pub(super) imaging: Imaging,
}

impl<'a> Settings<'a> {
    /// As the request alone says.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub(super) fn of(request: &'a Request) -> Result<Self, Error> {
        Settings::with(request, request.reading.imaging())
    }

    /// The same with this imaging.
    ///
    /// # Errors
    /// As [`of`](Settings::of).
    pub(super) fn with(request: &'a Request, imaging: Imaging) -> Result<Self, Error> {
        let resolved = Settings {
            request,
            targets: request.targets.clone(),
            against: request.against.clone(),
            outboard: request.outboard.clone(),
            map: request.map.clone(),
            about: request.about.clone(),
            set: request.set,
            imaging,
        };
        let set = match resolved.set {
            None if resolved.has_e01() => Some(random_set().map_err(|error| Error::request(Problem::Random(error)))?),
            set => set,
        };
        Ok(Settings { set, ..resolved })
    }

    /// Whether one of the targets is an E01 image.
    pub(super) fn has_e01(&self) -> bool {
        self.targets.iter().any(|to| matches!(to.form, ImageFormat::E01 { .. }))
    }
}

/// A random identifier (RFC 9562, version 4).
fn random_set() -> io::Result<[u8; 16]> {
    let mut set = [0; 16];
    secret(&mut set)?;
    Ok(uuid::Builder::from_random_bytes(set).into_uuid().into_bytes())
}
