//! The kind of an entry of the input, before it is opened.

use super::decoders::Decoders;
use super::detect::{self, Container};
use super::layouts;
use super::medium::{File, ImageMedium as ImagedBytes, Watch};
use super::options::Options;
use super::pieces::{self, ImageChoice};
use super::served::ServedMedium;
use super::sets;
use pfh_archive::{self as archive, Format as Archive, cabinet_of_set, is_rar_volume};
use pfh_archive::{part_of_wim, parts_of_zip};
use pfh_container::logical::Logical;
use pfh_container::{disk, sfx};
use pfh_source::image::{Format, Image};
use pfh_source::os::names::OsStrExt;
use pfh_source::{Entry, Origin, Problem};
use pfh_volume::{Bytes, VolumeContent};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The kind of an entry of the input.
pub enum Outer {
    /// No container, or a file that cannot be opened, which fails as an entry.
    File,
    /// A later segment of an image or volume of an archive, which is opened with its first: the
    /// path of that.
    Segment(PathBuf),
    /// The same where parts have names of any kind: the first has exactly this one.
    Part(PathBuf),
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
    /// These threads decode.
    pub fn of(
        entry: &Entry,
        root: &[u8],
        are_images: bool,
        options: &Options,
        decoders: Option<&Arc<Decoders>>,
    ) -> Outer {
        match &entry.origin {
            Origin::File { .. } => Outer::of_file(entry, root, options, decoders),
            Origin::Object { name, .. } if are_images => match Image::open(Path::new(OsStr::from_bytes(name))) {
                Ok(image) => Outer::of_image(image, name, decoders),
                Err(_) => Outer::File,
            },
            Origin::Object { .. } | Origin::Stream(_) => Outer::File,
        }
    }

    fn of_file(entry: &Entry, root: &[u8], options: &Options, decoders: Option<&Arc<Decoders>>) -> Outer {
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
        let watch = || Arc::new(Watch::File(still.clone()));
        if options.raw
            && let Ok(Some(container)) = detect::medium(&bytes)
        {
            return Outer::Container(container, bytes, watch());
        }
        if layouts::is_index(Path::new(OsStr::from_bytes(&path))) {
            return Outer::of_layout(Path::new(OsStr::from_bytes(&path)));
        }
        if let Some(format) = detect::logical(&start, &end, &bytes) {
            let number = format.segment(&start);
            return Outer::of_logical(format, Path::new(OsStr::from_bytes(&path)), number, bytes, watch());
        }
        match pieces::image(&path, &start, &end) {
            ImageChoice::Yes(image) => {
                let is_one = image.paths().count() == 1 && !start.starts_with(b"EVF");
                return match Outer::of_image(*image, &path, decoders) {
                    Outer::Container(container, inner, watch) if is_one => {
                        let states = disk::Kind::recognize(&start, &end).and_then(|kind| kind.unread_states(&start));
                        let container = match states {
                            Some(states) => detect::unread_beside(container, None, states),
                            None => container,
                        };
                        Outer::Container(detect::with_appended(container, 0, &bytes), inner, watch)
                    }
                    outer => outer,
                };
            }
            ImageChoice::Later(first) if start.starts_with(b"EVF\x09") => return Outer::Segment(first),
            ImageChoice::Later(first) => return Outer::Part(first),
            ImageChoice::Unread(why) => return Outer::Failed(super::about::unopened(why)),
            ImageChoice::No => {}
        }
        // The first piece was opened with all others, or says that it cannot.
        if let Some(first) = pieces::first_piece(&path) {
            return Outer::Part(first);
        }
        match detect::container_or_document(&start, &bytes, &path, options.documents) {
            Ok(Some(Container::Archive(Archive::Zip))) if parts_of_zip(&*bytes) > 1 => Outer::of_parts(&path, &*bytes),
            Ok(Some(Container::Archive(Archive::Rar))) if is_rar_volume(&bytes) => Outer::of_volumes(&path),
            Ok(Some(Container::Archive(Archive::Wim))) if part_of_wim(&*bytes).is_some() => {
                Outer::of_set(Archive::Wim, sets::wim(&path, &*bytes), &path)
            }
            Ok(Some(Container::Archive(Archive::Cab))) if cabinet_of_set(&*bytes).is_some() => {
                Outer::of_set(Archive::Cab, sets::cabinets(&path, &*bytes), &path)
            }
            Ok(Some(container)) => Outer::Container(container, bytes, watch()),
            Ok(None) => Outer::File,
            Err(failure) => Outer::Failed(super::about::unopened(failure.to_string())),
        }
    }

    /// An OCI layout, by a file in its directory.
    pub fn of_layout(path: &Path) -> Outer {
        let (files, image) = match layouts::open(path.parent().unwrap_or(Path::new(""))) {
            Ok(opened) => opened,
            Err(why) => return Outer::Failed(super::about::unopened(why)),
        };
        match Watch::image(&image) {
            Ok(watch) => Outer::Container(Container::Layout(files), Arc::new(ImagedBytes(image)), Arc::new(watch)),
            Err(error) => Outer::Failed(detect::unreadable(&error)),
        }
    }

    /// A segment of a logical image, by its number.
    fn of_logical(format: Logical, path: &Path, number: u32, bytes: Arc<dyn Bytes>, watch: Arc<Watch>) -> Outer {
        let archive = Archive::Logical(format);
        if number > 1 {
            let name = format.name();
            let alone = || format!("a later segment of an image in {name} whose first is not beside it");
            return match pieces::first_of(format, path) {
                Some(first) if first != path => Outer::Segment(first),
                _ => Outer::Failed(super::about::unopened(alone())),
            };
        }
        let segments = pieces::segments_of(format, path);
        match segments.len() {
            1 => Outer::Container(Container::Archive(archive), bytes, watch),
            _ => Outer::joined(archive, &segments, pieces::faults(&segments, false)),
        }
    }

    /// Files one behind the other, and the faults of the set.
    fn joined(format: Archive, paths: &[PathBuf], faults: Vec<String>) -> Outer {
        let image = match Image::join(paths) {
            Ok(image) => image,
            Err(error) => return Outer::Failed(super::about::unopened(error.what())),
        };
        match Watch::image(&image) {
            Ok(watch) => {
                let starts = image.starts();
                Outer::Container(
                    Container::Parts(format, starts, faults),
                    Arc::new(ImagedBytes(image)),
                    Arc::new(watch),
                )
            }
            Err(error) => Outer::Failed(detect::unreadable(&error)),
        }
    }

    /// A zip in several parts, by its last one.
    fn of_parts(path: &[u8], last: &dyn Bytes) -> Outer {
        let path = Path::new(OsStr::from_bytes(path));
        let parts = match pieces::parts_of_zip(path, parts_of_zip(last)) {
            Ok(parts) => parts,
            Err(missing) => {
                let name = missing.file_name().unwrap_or_default().to_string_lossy();
                return Outer::Failed(super::about::unopened(format!("a zip in parts: {name} is not beside it")));
            }
        };
        Outer::joined(Archive::Zip, &parts, pieces::faults(&parts, true))
    }

    /// A RAR in several volumes, by one of them: the first stands for all.
    fn of_volumes(path: &[u8]) -> Outer {
        let path = Path::new(OsStr::from_bytes(path));
        let (volumes, gap) = pieces::volumes_of_rar(path);
        let faults = || pieces::faults(&volumes, false).into_iter().chain(gap).collect();
        match volumes.first() {
            Some(first) if first != path => Outer::Segment(first.clone()),
            Some(_) => Outer::joined(Archive::Rar, &volumes, faults()),
            None => Outer::joined(Archive::Rar, &[path.to_owned()], Vec::new()),
        }
    }

    /// A set, by one of its parts: the first of those that are there stands for all.
    fn of_set(format: Archive, parts: Vec<PathBuf>, path: &[u8]) -> Outer {
        match parts.first() {
            Some(first) if first.as_os_str().as_bytes() != path => Outer::Part(first.clone()),
            _ => Outer::joined(format, &parts, pieces::faults(&parts, false)),
        }
    }

    fn of_image(image: Image, name: &[u8], decoders: Option<&Arc<Decoders>>) -> Outer {
        let watch = match Watch::image(&image) {
            Ok(watch) => Arc::new(watch),
            Err(error) => return Outer::Failed(detect::unreadable(&error)),
        };
        let is_split = image.format() == Format::Split;
        let bytes = ImagedBytes(image);
        let bytes: Arc<dyn Bytes> = match bytes.is_decoded() {
            true => ServedMedium::over(Arc::new(bytes), decoders),
            false => Arc::new(bytes),
        };
        let found = match is_split {
            // The pieces may be those of an archive.
            true => {
                let whole = name.iter().rposition(|byte| *byte == b'.').map_or(name, |dot| &name[..dot]);
                let mut start = vec![0; usize::try_from(bytes.size()).unwrap_or(usize::MAX).min(disk::START)];
                match bytes.read_exact_at(0, &mut start) {
                    Ok(()) => detect::container(&start, &bytes, whole),
                    Err(_) => detect::medium(&bytes),
                }
            }
            false => detect::medium(&bytes),
        };
        match found {
            Ok(Some(container)) => Outer::Container(container, bytes, watch),
            Ok(None) => Outer::Blank,
            Err(failure) => Outer::Failed(super::about::unopened(failure.to_string())),
        }
    }

    /// Whether it is gone into. A container that is only recognised, encrypted say, is a file with
    /// a problem.
    pub fn is_entered(&self) -> bool {
        let Outer::Container(container, bytes, _) = self else { return false };
        match container {
            // A picture is one with an archive behind it, too.
            Container::Archive(format) if is_in_front(*format, bytes) => false,
            Container::Divided(_) if is_before_volume(bytes) => false,
            // A document is a file of its own, and so is the index of a layout.
            Container::Archive(
                Archive::Pdf
                | Archive::Message
                | Archive::Outlook
                | Archive::Coded
                | Archive::OneNote
                | Archive::Signed
                | Archive::Rtf
                | Archive::Objects,
            ) => false,
            Container::Layout(_) => false,
            Container::Archive(_)
            | Container::Parts(..)
            | Container::Divided(_)
            | Container::Volume(VolumeContent::FileSystem(_) | VolumeContent::Volumes(_)) => true,
            Container::Volume(_) | Container::Refused(_) => false,
            Container::Disk(_, disk) => disk.is_ok(),
        }
    }
}

/// Whether a volume stands behind a picture, a document or a text.
fn is_before_volume(bytes: &Arc<dyn Bytes>) -> bool {
    let mut start = vec![0; usize::try_from(bytes.size()).unwrap_or(usize::MAX).min(disk::START)];
    let is_read = bytes.read_exact_at(0, &mut start).is_ok();
    let is_program = sfx::may_be_in_front(&start) && !sfx::is_picture(&start);
    is_read && !is_program && sfx::volume(&start, &**bytes).is_some()
}

/// Whether an archive of that format stands behind a picture, a document or a text, which are files
/// of their own.
fn is_in_front(format: Archive, bytes: &Arc<dyn Bytes>) -> bool {
    let mut start = vec![0; usize::try_from(bytes.size()).unwrap_or(usize::MAX).min(disk::START)];
    let is_read = bytes.read_exact_at(0, &mut start).is_ok();
    let is_found = || archive::anywhere(&start, bytes).is_some_and(|found| Archive::found(&found) == Some(format));
    let is_program = sfx::may_be_in_front(&start) && !sfx::is_picture(&start);
    let is_other = || !is_program && Archive::recognize(&start).is_none() && is_found();
    is_read && (sfx::is_picture(&start) || is_other())
}
