//! Files, trees and containers as sets: their members are hashed into a list for each.

use super::{Input, Problem};
use crate::algorithms::Algorithm;
use crate::hash::{self, Manifest};
use crate::inside::Options;
use crate::job::{Error, PathError};
use pfh_engine::Control;
use pfh_manifest::{Format, Layout};
use pfh_source::Recurse;
use tempfile::TempDir;

/// Lists of the members of sets, which stand in their place until they are dropped.
pub struct Contents {
    _room: TempDir,
    /// Files that could not be read: the set lacks them.
    pub unread: u64,
}

impl Contents {
    /// Hashes the files, trees and containers that are named as sets, and puts lists of their
    /// members in their place.
    ///
    /// # Errors
    /// Those of `hash`; a control that cancels.
    pub fn hash(inputs: &mut [Input], options: &Options, control: &Control<'_>) -> Result<Contents, Error> {
        let failed = |error| Error::aborted(PathError::new(std::env::temp_dir(), error));
        let room = tempfile::tempdir().map_err(failed)?;
        let mut unread = 0;
        for (number, input) in inputs.iter_mut().enumerate() {
            let mut named = crate::Input::new([&input.path]).recurse(Recurse::Yes);
            named.inside = Some(options.clone());
            let algorithms = ["md5", "sha1", "sha256"].iter().filter_map(|name| name.parse::<Algorithm>().ok());
            // The list has the name of the input that it stands for: the set has it too.
            let folder = room.path().join(number.to_string());
            std::fs::create_dir(&folder).map_err(failed)?;
            let list = folder.join(input.path.file_name().unwrap_or("content".as_ref()));
            let mut request = hash::Request::new(named, algorithms);
            let manifest = Manifest::new(&list).format(Format::Dfxml, Layout::default());
            if !input.assumed.is_empty() {
                request.plan.algorithms.clone_from(&input.assumed);
            }
            let written = hash::write(&request, &manifest, &mut |_| Ok(()), control)?;
            if written.summary.run.interrupted {
                return Err(Error::cancelled(Problem::Interrupted));
            }
            unread += written.summary.run.failed;
            input.path = list;
        }
        Ok(Contents { _room: room, unread })
    }
}
