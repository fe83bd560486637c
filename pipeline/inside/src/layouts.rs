//! OCI layouts that are directories. `index.json` stands for the images, and the layers belong to
//! it as later segments belong to the first.

use pfh_archive::{LayoutFile, layers_of_layout};
use pfh_source::image::Image;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Entry, Origin};
use pfh_volume::Bytes;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const INDEX: &str = "index.json";
const MARK: &str = "oci-layout";
const BLOBS: &str = "blobs";
/// Files of a layout, at most.
const MOST: usize = 100_000;

/// The path of an entry, whose relative name starts in `root`.
pub fn below(root: &[u8], name: Vec<u8>) -> PathBuf {
    let name = Path::new(OsStr::from_bytes(&name)).to_owned();
    // An absolute name stays as it is.
    Path::new(OsStr::from_bytes(root)).join(name)
}

fn is_named(path: &Path, name: &str) -> bool {
    path.file_name().is_some_and(|found| found == name)
}

/// The directory of a printed name, with its slash.
pub fn directory(printed: &[u8]) -> &[u8] {
    &printed[..printed.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)]
}

/// Whether this file lists the images of a layout.
pub fn is_index(path: &Path) -> bool {
    is_named(path, INDEX) && path.with_file_name(MARK).is_file()
}

/// Whether this file says that its directory is a layout.
pub fn is_mark(path: &Path) -> bool {
    is_named(path, MARK) && path.with_file_name(INDEX).is_file()
}

/// The directory of the layout that this file is a blob of, and the name of the blob there.
fn of_blob(path: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let algorithm = path.parent()?;
    let blobs = algorithm.parent().filter(|blobs| is_named(blobs, BLOBS))?;
    let directory = blobs.parent()?;
    let name = path.strip_prefix(directory).ok()?.as_os_str().as_bytes().to_vec();
    is_index(&directory.join(INDEX)).then(|| (directory.to_owned(), name))
}

/// The files of a layout by their names, and all of them one behind the other.
///
/// # Errors
/// Why it cannot be read, in words.
pub fn open(directory: &Path) -> Result<(Vec<LayoutFile>, Image), String> {
    let mut names: Vec<PathBuf> = [INDEX, MARK, "manifest.json"].into_iter().map(PathBuf::from).collect();
    names.retain(|name| directory.join(name).is_file());
    listed(directory, Path::new(BLOBS), 2, &mut names).map_err(|error| format!("the blobs of the layout: {error}"))?;
    if names.len() > MOST {
        return Err(format!("the layout has more than {MOST} files"));
    }
    let paths: Vec<PathBuf> = names.iter().map(|name| directory.join(name)).collect();
    let image = Image::join(&paths).map_err(|error| error.what())?;
    let starts = image.starts();
    let ends = starts.iter().skip(1).copied().chain([image.size()]);
    let files = names.iter().zip(&starts).zip(ends).map(|((name, start), end)| LayoutFile {
        name: name.as_os_str().as_bytes().to_vec(),
        start: *start,
        length: end - start,
    });
    Ok((files.collect(), image))
}

/// Adds the files at this depth below a directory of the layout, in the order of their names.
fn listed(directory: &Path, name: &Path, depth: u32, into: &mut Vec<PathBuf>) -> io::Result<()> {
    let path = directory.join(name);
    if depth > 0 && !path.is_dir() {
        // Without blobs there are no images, and each that the index lists is missing.
        return Ok(());
    }
    if depth == 0 {
        into.extend(path.is_file().then(|| name.to_owned()));
        return Ok(());
    }
    let found = std::fs::read_dir(&path)?.take(MOST + 1).map(|entry| Ok(name.join(entry?.file_name())));
    let mut found = found.collect::<io::Result<Vec<_>>>()?;
    found.sort();
    found.iter().try_for_each(|name| listed(directory, name, depth - 1, into))
}

/// Files of layouts that came, and wait for the index.
#[derive(Default)]
pub struct Layouts {
    /// The layers of the layout that was met last.
    last: Option<(PathBuf, HashSet<Vec<u8>>)>,
    /// Layouts whose index came.
    came: BTreeSet<PathBuf>,
    /// Files that are opened on their own if it does not come.
    waiting: BTreeMap<PathBuf, VecDeque<Entry>>,
}

impl Layouts {
    /// Whether an entry is a file of an image that another file stands for: a layer, or the mark of
    /// a layout. It waits until the index comes, or until all inputs came.
    pub fn keeps(&mut self, entry: &Entry, root: &[u8]) -> bool {
        let Origin::File { .. } = &entry.origin else { return false };
        let path = below(root, entry.name());
        if is_index(&path) {
            let directory = absolute(path.parent());
            self.waiting.remove(&directory);
            self.came.insert(directory);
            return false;
        }
        let directory = match of_blob(&path) {
            Some((directory, name)) if self.is_layer(&directory, &name) => directory,
            None if is_mark(&path) => path.parent().map(Path::to_owned).unwrap_or_default(),
            _ => return false,
        };
        let directory = absolute(Some(&directory));
        if !self.came.contains(&directory) {
            self.waiting.entry(directory).or_default().push_back(entry.clone());
        }
        true
    }

    fn is_layer(&mut self, directory: &Path, name: &[u8]) -> bool {
        if self.last.as_ref().is_none_or(|(last, _)| last != directory) {
            let opened = open(directory).map(|(files, image)| {
                let bytes: Arc<dyn Bytes> = Arc::new(crate::medium::ImageMedium(image));
                layers_of_layout(&bytes, &files)
            });
            self.last = Some((directory.to_owned(), opened.unwrap_or_default()));
        }
        self.last.as_ref().is_some_and(|(_, layers)| layers.contains(name))
    }

    /// After all inputs: a file whose index did not come.
    pub fn next_alone(&mut self) -> Option<Entry> {
        let mut first = self.waiting.first_entry()?;
        // None is left without an entry.
        let entry = first.get_mut().pop_front();
        if first.get().is_empty() {
            first.remove();
        }
        entry
    }
}

fn absolute(directory: Option<&Path>) -> PathBuf {
    let directory = directory.unwrap_or(Path::new(""));
    let directory = if directory == Path::new("") { Path::new(".") } else { directory };
    std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned())
}
