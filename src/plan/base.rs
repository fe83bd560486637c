//! The base of a plan: the directory in which its files lie, which may be another one on each
//! machine. Names stay those of the plan.

use super::Problem;
use super::document::{Document, Landmark};
use crate::job::{Error, PathError};
use pfh_source::is_address;
use pfh_source::os::names::{OsStrExt, OsStringExt};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Files that a plan remembers, by which another machine sees that it has the same tree.
const LANDMARKS: usize = 32;

fn path(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

/// The names of a plan, and where its files lie on this machine.
pub struct Base<'a> {
    plan: &'a Document,
    here: Option<&'a Path>,
}

impl Base<'_> {
    /// That of a plan; `here` is where this machine has the files, if elsewhere.
    pub fn new<'a>(plan: &'a Document, here: Option<&'a Path>) -> Base<'a> {
        Base { plan, here }
    }

    /// The place of the file of this name.
    ///
    /// # Errors
    /// When the file is elsewhere here, and its name does not start in the plan's base.
    pub fn place(&self, name: &[u8]) -> Result<Vec<u8>, Error> {
        let Some(here) = self.here.filter(|_| !is_address(name)) else { return Ok(name.to_vec()) };
        let within = within(self.plan, name).ok_or_else(|| outside(self.plan, name))?;
        // Of the base itself the empty rest.
        let place = if within.as_os_str().is_empty() { here.to_owned() } else { here.join(within) };
        Ok(place.into_os_string().into_vec())
    }

    /// Compares the landmarks of the plan with the files of this machine. Single files may be gone
    /// or another since, and have a record that says so; a whole tree that is not there is a mount
    /// that is empty, or another one.
    ///
    /// # Errors
    /// When most of them are not there, or, below a base that was named, of another size.
    pub fn check(&self) -> Result<(), Error> {
        if let Some(here) = self.here {
            match std::fs::read_dir(here).and_then(|mut entries| entries.next().transpose()) {
                Err(error) => return Err(Error::input(PathError::new(here, error))),
                Ok(None) => return Err(Error::input(Problem::EmptyBase(here.to_owned()))),
                Ok(Some(_)) => {}
            }
        }
        let (mut absent, mut other, mut first) = (0, 0, None);
        for Landmark { name, size } in &self.plan.landmarks {
            let place = PathBuf::from(OsString::from_vec(self.place(name)?));
            match std::fs::metadata(&place) {
                Ok(stat) if stat.len() == *size => continue,
                Ok(_) => other += 1,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => absent += 1,
            }
            first.get_or_insert(place);
        }
        let all = self.plan.landmarks.len();
        let is_other = match self.here {
            Some(_) => 2 * (absent + other) > all,
            // A single file that is gone is no more than that.
            None => absent == all && all > 1,
        };
        match first.filter(|_| is_other) {
            None => Ok(()),
            Some(first) => {
                let base = self.here.map_or_else(|| path(self.plan.base()).to_owned(), Path::to_owned);
                Err(Error::input(Problem::OtherTree { base, absent, other, all, first }))
            }
        }
    }
}

/// Whether a name can be found from the plan's base wherever that lies.
///
/// # Errors
/// When it does not start there.
pub fn check_name(plan: &Document, name: &[u8]) -> Result<(), Error> {
    if is_address(name) || within(plan, name).is_some() { Ok(()) } else { Err(outside(plan, name)) }
}

fn outside(plan: &Document, name: &[u8]) -> Error {
    Error::request(Problem::Outside { name: name.to_vec(), base: plan.base().to_vec() })
}

/// The path of a planned file from the base on. A name with `..` may leave the base by a link.
fn within(plan: &Document, name: &[u8]) -> Option<PathBuf> {
    let whole = path(&plan.working_directory).join(path(name));
    let rest = whole.strip_prefix(path(plan.base())).ok()?;
    let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    rest.components().all(is_below).then(|| rest.to_owned())
}

/// The landmarks among files of these names and sizes, spread over all of them.
pub fn landmarks<'a>(files: impl Iterator<Item = (&'a [u8], u64)> + Clone) -> Vec<Landmark> {
    let files = files.filter(|(name, _)| !is_address(name));
    let step = files.clone().count().div_ceil(LANDMARKS).max(1);
    files.step_by(step).map(|(name, size)| Landmark { name: name.to_vec(), size }).collect()
}
