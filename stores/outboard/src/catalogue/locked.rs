//! A catalogue whose root is under a key.

use super::{Catalogue, CatalogueError, EntryDone, MARK_OF_KEY};
use pfh_tree::catalogue::{Lock, Value, root};

impl Catalogue {
    /// Takes the key that its root is under; `None` if there is none. Nothing is compared with the
    /// root, and nothing changed, before.
    ///
    /// # Errors
    /// When the key is missing, another, or needless.
    pub fn unlock(&mut self, key: Option<&[u8]>) -> EntryDone<()> {
        let path = || self.path.clone();
        let lock = match (self.found(MARK_OF_KEY)?, key) {
            (None, None) => return Ok(()),
            (None, Some(_)) => return Err(CatalogueError::Keyless(path())),
            (Some(_), None) => return Err(CatalogueError::NoKey(path())),
            (Some(mark), Some(key)) => {
                let lock = Lock::new(&self.algorithm()?, key);
                if mark != lock.mark() {
                    return Err(CatalogueError::OtherKey(path()));
                }
                lock
            }
        };
        self.lock = Some(lock);
        Ok(())
    }

    /// The root over the value of all entries, under the key if it has one.
    pub(super) fn root_over(&self, entries: u64, top: &Value) -> EntryDone<Value> {
        let algorithm = self.algorithm()?;
        match (&self.lock, self.found(MARK_OF_KEY)?) {
            (Some(lock), Some(_)) => Ok(lock.root(&algorithm, entries, top)),
            (None, None) => Ok(root(&algorithm, entries, top)),
            (None, Some(_)) => Err(CatalogueError::NoKey(self.path.clone())),
            (Some(_), None) => Err(CatalogueError::Damaged(self.path.clone())),
        }
    }
}
