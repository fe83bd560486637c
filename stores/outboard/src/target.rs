//! The image's BLAKE3 tree, built while it is written: `pfh tree` and `pfh audit` use it.

use pfh_engine::imaging::{Ending, Portion, Target};
use pfh_source::device::Medium;
use pfh_tree::outboard::{Builder, Function, Parameters};
use std::io;
use std::path::{Path, PathBuf};

/// Leaves of 16 KiB, the default of `pfh tree build`.
const LEAF: usize = 16 << 10;

/// A tree in the making.
pub struct OutboardTarget {
    path: PathBuf,
    builder: Builder,
    upto: u64,
}

impl OutboardTarget {
    /// Starts a tree that will be kept at `path`. Of an image that is there in part, that part is
    /// read first.
    ///
    /// # Errors
    /// When the part that is there cannot be read back.
    pub fn open(path: &Path, there: Option<(&Medium, u64)>) -> io::Result<Self> {
        let parameters = Parameters::new(Function::Blake3, LEAF).ok_or(io::ErrorKind::InvalidInput)?;
        let mut tree = OutboardTarget { path: path.to_owned(), builder: Builder::new(parameters), upto: 0 };
        if let Some((medium, length)) = there {
            let mut room = vec![0; 1 << 20];
            while tree.upto < length {
                let most = (room.len() as u64).min(length - tree.upto) as usize;
                let got = medium.read_at(&mut room[..most], tree.upto)?;
                if got == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                tree.builder.update(&room[..got]);
                tree.upto += got as u64;
            }
        }
        Ok(tree)
    }
}

impl OutboardTarget {
    /// Builds the tree of a finished image, `bytes` bytes of `medium` from `from` on, and keeps it
    /// at `path`.
    ///
    /// # Errors
    /// When the image cannot be read, or the tree not written.
    pub fn of(path: &Path, medium: &Medium, from: u64, bytes: u64) -> io::Result<()> {
        let mut tree = Self::open(path, None)?;
        let mut room = vec![0; 1 << 20];
        while tree.upto < bytes {
            let most = (room.len() as u64).min(bytes - tree.upto) as usize;
            let got = medium.read_at(&mut room[..most], from + tree.upto)?;
            if got == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            tree.builder.update(&room[..got]);
            tree.upto += got as u64;
        }
        crate::store(&tree.builder.finish(), path, None).map_err(io::Error::other)
    }
}

impl Target for OutboardTarget {
    fn write(&mut self, portion: &Portion) -> io::Result<()> {
        self.builder.update(&portion.bytes);
        self.upto += portion.bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<u64> {
        Ok(self.upto)
    }

    fn finish(&mut self, _: &Ending<'_>) -> io::Result<()> {
        crate::store(&self.builder.clone().finish(), &self.path, None).map_err(io::Error::other)
    }
}
