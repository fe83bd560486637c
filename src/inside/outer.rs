//! What an entry of the input is, before it is gone into.

use super::detect::{self, Container, Imaged};
use super::medium::{File, Imaged as ImagedBytes, Watch};
use pfh_container::disk;
use pfh_source::image::Image;
use pfh_source::{Entry, Origin, Problem, Stage};
use pfh_volume::{Bytes, Recognised};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// What an entry of the input is.
pub enum Outer {
    /// No container, or a file that cannot be opened, which fails as an entry.
    File,
    /// A container, and the files behind it.
    Container(Container, Arc<dyn Bytes>, Arc<Watch>),
    /// An image whose medium is neither divided nor a file system that is known.
    Blank,
    /// A container that cannot be gone into.
    Failed(Problem),
}

impl Outer {
    /// Looks at an entry. Relative names start in `root`, since the further files of an image are
    /// found by name; `are_images` says that objects of the source are images by their first files.
    pub fn of(entry: &Entry, root: &[u8], are_images: bool) -> Outer {
        match &entry.origin {
            Origin::File { .. } => Outer::of_file(entry, root),
            Origin::Object { name, .. } if are_images => match Image::open(Path::new(OsStr::from_bytes(name))) {
                Ok(image) => Outer::of_image(image),
                Err(_) => Outer::File,
            },
            Origin::Object { .. } | Origin::Standard => Outer::File,
        }
    }

    fn of_file(entry: &Entry, root: &[u8]) -> Outer {
        let Ok(Some(still)) = entry.still() else { return Outer::File };
        let still = Arc::new(still);
        let bytes: Arc<dyn Bytes> = Arc::new(File(still.clone()));
        let mut start = vec![0; usize::try_from(bytes.size()).unwrap_or(usize::MAX).min(disk::START)];
        let mut end = vec![0; start.len().min(disk::END)];
        let read = bytes.read_exact_at(0, &mut start);
        if read.and_then(|()| bytes.read_exact_at(bytes.size() - end.len() as u64, &mut end)).is_err() {
            return Outer::File;
        }
        let mut path = entry.name();
        if !root.is_empty() && path.first() != Some(&b'/') {
            path = [root, b"/", &path].concat();
        }
        match detect::image(&path, &start, &end) {
            Imaged::Yes(image) => Outer::of_image(*image),
            Imaged::Unread(why) => Outer::Failed(super::about::refused(why)),
            Imaged::No => match detect::container(&start, &bytes) {
                Ok(Some(container)) => Outer::Container(container, bytes, Arc::new(Watch::File(still))),
                Ok(None) => Outer::File,
                Err(failure) => Outer::Failed(super::member::problem(Stage::Walk, &failure)),
            },
        }
    }

    fn of_image(image: Image) -> Outer {
        let watch = match Watch::image(&image) {
            Ok(watch) => Arc::new(watch),
            Err(error) => return Outer::Failed(detect::unreadable(&error)),
        };
        let bytes: Arc<dyn Bytes> = Arc::new(ImagedBytes(image));
        match detect::medium(&bytes) {
            Ok(Some(container)) => Outer::Container(container, bytes, watch),
            Ok(None) => Outer::Blank,
            Err(failure) => Outer::Failed(super::member::problem(Stage::Walk, &failure)),
        }
    }

    /// Whether it is gone into. What is only recognised, encrypted say, is a file with a problem.
    pub fn is_entered(&self) -> bool {
        let Outer::Container(container, ..) = self else { return false };
        match container {
            Container::Archive(_) | Container::Divided(_) | Container::Volume(Recognised::FileSystem(_)) => true,
            Container::Volume(_) => false,
            Container::Disk(_, disk) => disk.is_ok(),
        }
    }
}
