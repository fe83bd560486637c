//! The disk that a differencing image is a difference to.

use super::failure::Failure;
use super::image::Disk;
use super::siblings::Siblings;

/// The files of an image, among which its parent is looked for.
pub trait Parents {
    /// The files beside it.
    fn files(&self) -> &dyn Siblings;

    /// Opens the parent that one of these names stands for. The names are paths of the machine that
    /// the image was made on: only their last part counts, since only files beside the image are
    /// read. With `raw` its bytes are the disk, even if they look like another format.
    ///
    /// # Errors
    /// If none is there, or it cannot be read.
    fn parent(&self, names: &[String], raw: bool) -> Result<Parent, Failure>;
}

/// The parent of an image.
pub struct Parent {
    disk: Box<dyn Disk>,
    name: String,
}

impl Parent {
    /// A disk by the name of its file.
    pub fn new(disk: Box<dyn Disk>, name: String) -> Parent {
        Parent { disk, name }
    }

    /// That it is the disk which the difference was made to, as both write it down.
    pub fn expect(&self, identity: &str) -> Result<(), Failure> {
        match self.disk.identity() {
            Some(own) if own.eq_ignore_ascii_case(identity) => Ok(()),
            own => {
                let own = own.unwrap_or_else(|| "none".to_owned());
                let what = format!(
                    "its parent {:?} is another disk, or was changed: identity {own}, not {identity}",
                    self.name
                );
                Err(Failure::malformed(what))
            }
        }
    }

    /// Fills `buffer` from `offset` on; bytes that lie behind the parent's end are zero.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Failure> {
        let there = self.disk.size().saturating_sub(offset).min(buffer.len() as u64) as usize;
        let (own, rest) = buffer.split_at_mut(there);
        rest.fill(0);
        self.disk.read_exact_at(offset, own).map_err(Failure::Io)
    }

    /// The remark on an image that has this parent.
    pub fn note(&self) -> String {
        format!("a difference to {:?}, which is read with it", self.name)
    }
}
