//! Images as sources: E01, split raw, raw, disks of virtual machines and other imagers. A read
//! gives the content of the imaged medium.

mod archives;
mod beside;
mod error;
mod files;
mod joined;
mod pieces;
mod stated;

use crate::entry::Object;
use crate::os::Errno;
use crate::problem::{Cause, Problem, Stage};
use beside::ImageFolder;
pub use error::OpenError;
use files::Files;
use pfh_container::disk::{self, Damage, Disk, Kind};
use pfh_container::ewf::{self, Decompressor, FileHeader, Index, ReadAt, Table};
use pfh_container::{Units, foreign};
use pieces::Pieces;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The format of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One file of the medium's bytes.
    Raw,
    /// Several such files, one after the other.
    Split,
    /// Expert Witness, as EnCase 6 writes it.
    E01,
    /// Another one that states where the bytes of the disk are.
    Disk(Kind),
}

/// The files that an image of this name consists of, as far as they are there: E01 segments,
/// extents, pieces, or the one file.
pub fn files_of(first: &Path) -> Vec<PathBuf> {
    let is_disk = ends(first).is_ok_and(|(start, end)| Kind::recognize(&start, &end).is_some());
    if let Some(image) = is_disk.then(|| Image::open(first).ok()).flatten() {
        return image.paths().map(Path::to_owned).collect();
    }
    let is_segment = first.extension().is_some_and(|e| e.eq_ignore_ascii_case("e01"));
    let segments = if is_segment { files::segments(first).ok() } else { None };
    segments.filter(|found| !found.is_empty()).unwrap_or_else(|| match pieces::of(first) {
        Pieces::Joined(files) => files,
        Pieces::Unclear(other) | Pieces::Later(other) => vec![first.to_owned(), other],
        Pieces::Broken { files, .. } => files,
    })
}

/// The first piece of the split raw image that this file is a later piece of, by its name and size;
/// `None` if it is none. For files that nobody calls an image.
///
/// # Errors
/// [`OpenError::Broken`] if it is one, and the first is missing.
pub fn later_piece(path: &Path) -> Result<Option<PathBuf>, OpenError> {
    match pieces::unasked(path) {
        Some(Pieces::Later(first)) => Ok(Some(first)),
        Some(Pieces::Broken { piece, why, .. }) => Err(OpenError::Broken { path: path.to_owned(), piece, why }),
        _ => Ok(None),
    }
}

/// An open image.
pub struct Image {
    files: Files,
    format: Format,
    size: u64,
    index: Option<Index>,
    disk: Option<Box<dyn Disk>>,
    /// Chunks of an E01 image, and the tables that they were found by.
    chunks: Units,
    tables: Units<Table>,
    /// Decompressors that no thread uses now.
    decompressors: Mutex<Vec<Decompressor>>,
    /// The fault of the image where it could not be read last.
    damage: Mutex<Option<Wrong>>,
}

/// Why a range could not be read.
enum Wrong {
    Ewf(ewf::Failure),
    Disk(Damage),
}

impl Image {
    /// Opens an image by the name of its first file: an E01 segment, the first piece of a split
    /// image (`.000`, `.001`, `.aaa`, with its successors), a disk image of another format, or a
    /// raw image.
    ///
    /// # Errors
    /// When a file is missing, or the image is damaged in its description.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let io = |error| OpenError::Io { path: path.to_owned(), error };
        let (start, end) = ends(path).map_err(io)?;
        let number = match start.get(12..16) {
            Some(number) if start.starts_with(EX01) => u32::from_le_bytes([number[0], number[1], number[2], number[3]]),
            _ => FileHeader::decode(&start).map_or(1, |header| u32::from(header.segment)),
        };
        // Only where the name says so as well: a number may be damaged.
        if number > 1 && path.extension().and_then(|e| e.to_str()).is_some_and(|e| !ends_in_one(e)) {
            return Err(OpenError::Later { path: path.to_owned(), first: first_segment(path) });
        }
        if FileHeader::is_ewf(&start) {
            let files = Files::open(&files::segments(path).map_err(io)?)
                .map_err(|(path, error)| OpenError::Io { path, error })?;
            let index = Index::open(&files).map_err(|failure| match failure {
                ewf::Failure::Malformed(m) if m.what == ewf::SMART => {
                    OpenError::Unread { path: path.to_owned(), format: foreign::S01 }
                }
                failure => OpenError::Ewf { path: of_segment(&files, &failure).unwrap_or(path).to_owned(), failure },
            })?;
            let size = index.volume.length();
            return Ok(Self::with(files, Format::E01, size, Some(index)));
        }
        if let Some(kind) = Kind::recognize(&start, &end) {
            return Self::open_disk(path, kind);
        }
        if let Some(format) = foreign::by_content(&start) {
            return Err(OpenError::Unread { path: path.to_owned(), format });
        }
        if let Some(format) = archives::part(path, &start, &end) {
            return Err(OpenError::Unread { path: path.to_owned(), format });
        }
        if let Some(format) = promised(path) {
            return Err(OpenError::Mismatch { path: path.to_owned(), format });
        }
        Self::open_raw(path)
    }

    fn open_disk(path: &Path, kind: Kind) -> Result<Self, OpenError> {
        let io = |error| OpenError::Io { path: path.to_owned(), error };
        let beside = ImageFolder::new(path);
        let opened = disk::open(kind, beside::open(path).map_err(io)?, &beside);
        let disk = opened.map_err(|failure| match failure {
            disk::Failure::Io(error) => io(error),
            failure => OpenError::Disk { path: path.to_owned(), kind, failure },
        })?;
        let files = Files::open(&beside.opened()).map_err(|(path, error)| OpenError::Io { path, error })?;
        let size = disk.size();
        Ok(Image { disk: Some(disk), ..Self::with(files, Format::Disk(kind), size, None) })
    }

    /// Opens an E01 image that is damaged outside of its chunks, as far as it goes; reports each
    /// thing where it is not as the format demands. Damaged chunks are unreadable, as ever.
    ///
    /// # Errors
    /// When a file cannot be read, or nothing states the geometry.
    pub fn salvage(path: &Path) -> Result<(Self, Vec<String>), OpenError> {
        let io = |error| OpenError::Io { path: path.to_owned(), error };
        let files =
            Files::open(&files::segments(path).map_err(io)?).map_err(|(path, error)| OpenError::Io { path, error })?;
        let ewf = |failure| OpenError::Ewf { path: path.to_owned(), failure };
        let (index, departures) = Index::salvage(&files).map_err(ewf)?;
        let size = index.volume.length();
        Ok((Self::with(files, Format::E01, size, Some(index)), departures))
    }

    /// Opens a file, or the pieces of a split image, as raw bytes, even if its name or its first
    /// bytes are those of another format.
    ///
    /// # Errors
    /// When a file cannot be opened.
    pub fn open_raw(path: &Path) -> Result<Self, OpenError> {
        let path_of = || path.to_owned();
        let pieces = match pieces::of(path) {
            Pieces::Joined(files) => files,
            Pieces::Unclear(next) => return Err(OpenError::Unclear { path: path_of(), next }),
            Pieces::Broken { piece, why, .. } => return Err(OpenError::Broken { path: path_of(), piece, why }),
            Pieces::Later(first) => return Err(OpenError::Later { path: path_of(), first: Some(first) }),
        };
        let format = if pieces.len() > 1 { Format::Split } else { Format::Raw };
        let files = Files::open(&pieces).map_err(|(path, error)| OpenError::Io { path, error })?;
        let size = files.total();
        if format == Format::Split
            && let Some((piece, why)) = behind_last(path, &files)
        {
            return Err(OpenError::Broken { path: path_of(), piece, why });
        }
        Ok(Self::with(files, format, size, None))
    }

    /// Opens an E01 image whose acquisition was cut off: its content up to the last finished
    /// section. `None` when there is none, or no such file. A complete image is opened whole.
    ///
    /// # Errors
    /// When a file of it cannot be read.
    pub fn open_partial(path: &Path) -> Result<Option<Self>, OpenError> {
        let io = |error| OpenError::Io { path: path.to_owned(), error };
        if !path.try_exists().map_err(io)? {
            return Ok(None);
        }
        let files =
            Files::open(&files::segments(path).map_err(io)?).map_err(|(path, error)| OpenError::Io { path, error })?;
        let index = Index::open_partial(&files).map_err(|failure| OpenError::Ewf { path: path.to_owned(), failure })?;
        let Some(index) = index else { return Ok(None) };
        let Some(section) = index.last else { return Ok(None) };
        let stated = if index.volume.sectors == 0 { u64::MAX } else { index.volume.length() };
        let size = (section.chunks * index.volume.chunk_length()).min(stated);
        Ok(Some(Self::with(files, Format::E01, size, Some(index))))
    }

    fn with(files: Files, format: Format, size: u64, index: Option<Index>) -> Self {
        let (chunks, tables, decompressors) = (Units::default(), Units::default(), Mutex::default());
        Image { files, format, size, index, disk: None, chunks, tables, decompressors, damage: Mutex::default() }
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Bytes of the medium.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes of a sector.
    pub fn sector(&self) -> u32 {
        let of_disk = self.disk.as_ref().map_or(512, |disk| disk.sector());
        self.index.as_ref().map_or(of_disk, |index| index.volume.bytes_per_sector)
    }

    /// The facts that a disk image states about itself.
    pub fn disk(&self) -> Option<&dyn Disk> {
        self.disk.as_deref()
    }

    /// The facts that an E01 image states about itself.
    pub fn ewf(&self) -> Option<&Index> {
        self.index.as_ref()
    }

    /// The files that it consists of.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.paths()
    }

    /// Drops its bytes from the page cache, so that reads come from the medium, where the system
    /// can be asked to.
    ///
    /// # Errors
    /// The system's.
    pub fn evict(&self) -> io::Result<()> {
        self.files.evict()
    }

    /// Reads at an offset of the medium; 0 is the end. EIO says that the image is damaged there:
    /// [`damage`](Image::damage) tells how.
    ///
    /// # Errors
    /// The errno.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
        let room = self.size.saturating_sub(offset).min(buffer.len() as u64) as usize;
        if room == 0 {
            return Ok(0);
        }
        let errno = |error: &io::Error| error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error);
        if let Some(disk) = &self.disk {
            return self.read_disk(&**disk, &mut buffer[..room], offset);
        }
        let Some(index) = &self.index else {
            return self.files.read_through(&mut buffer[..room], offset).map_err(|e| errno(&e));
        };
        let chunk_length = index.volume.chunk_length();
        let mut done = 0;
        while done < room {
            let at = offset + done as u64;
            let number = at / chunk_length;
            let chunk = match self.chunks.get(number, || self.unpack(index, number)) {
                Ok(chunk) => chunk,
                Err(_) if done > 0 => return Ok(done),
                Err(failure) => {
                    let found = if let ewf::Failure::Io { error, .. } = &failure { errno(error) } else { Errno::IO };
                    *lock(&self.damage) = Some(Wrong::Ewf(failure));
                    return Err(found);
                }
            };
            let inside = (at - number * chunk_length) as usize;
            let take = (chunk.len() - inside).min(room - done);
            buffer[done..done + take].copy_from_slice(&chunk[inside..inside + take]);
            done += take;
        }
        Ok(done)
    }

    /// As many units as there is room for.
    fn fill(disk: &dyn Disk, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while done < buffer.len() {
            match disk.read_at(offset + done as u64, &mut buffer[done..]) {
                Ok(0) => break,
                Ok(got) => done += got,
                Err(_) if done > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    /// The same with an errno; the fault of the image is kept.
    fn read_disk(&self, disk: &dyn Disk, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
        Self::fill(disk, buffer, offset).map_err(|error| {
            let damage = error.get_ref().and_then(|inner| inner.downcast_ref::<Damage>()).cloned();
            let is_of_image = damage.is_some();
            *lock(&self.damage) = damage.map(Wrong::Disk);
            let errno = error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error);
            if is_of_image { Errno::IO } else { errno }
        })
    }

    /// The bytes of an E01 chunk. Threads unpack different chunks at the same time.
    fn unpack(&self, index: &Index, number: u64) -> Result<Vec<u8>, ewf::Failure> {
        let at = index.locate(&self.files, number, &self.tables)?;
        let mut stored = vec![0; at.stored];
        let io = |error| ewf::Failure::Io { segment: at.segment, offset: at.offset, error };
        self.files.read_at(at.segment, at.offset, &mut stored).map_err(io)?;
        let mut bytes = vec![0; at.length];
        let malformed = |m| ewf::Failure::Malformed(ewf::EwfFault { segment: at.segment, offset: at.offset, ..m });
        let mut decompressor = lock(&self.decompressors).pop().unwrap_or_default();
        let unpacked = decompressor.unpack(&stored, at.is_compressed, &mut bytes).map_err(malformed);
        lock(&self.decompressors).push(decompressor);
        unpacked.map(|()| bytes)
    }

    /// The same as an I/O error, whose inner error is `Damage` if the image is damaged there.
    ///
    /// # Errors
    /// The system's, and damage.
    pub fn read_bytes_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(disk) = &self.disk {
            let room = self.size.saturating_sub(offset).min(buffer.len() as u64) as usize;
            return Self::fill(&**disk, &mut buffer[..room], offset);
        }
        self.read_at(buffer, offset).map_err(|errno| match self.damage() {
            Some(what) if errno == Errno::IO && self.is_damaged_at(offset) => io::Error::other(Damage::Damaged(what)),
            _ => errno.into(),
        })
    }

    /// Whether the image itself is damaged at an offset of the medium; `false` also where it cannot
    /// be read, or is of a kind that is not.
    pub fn is_damaged_at(&self, offset: u64) -> bool {
        let failed = self.read_at(&mut [0], offset).is_err();
        let damage = lock(&self.damage);
        failed && matches!(&*damage, Some(Wrong::Ewf(ewf::Failure::Malformed(_)) | Wrong::Disk(Damage::Damaged(_))))
    }

    /// The fault of the image when a read last failed.
    pub fn damage(&self) -> Option<String> {
        lock(&self.damage).as_ref().map(|wrong| match wrong {
            Wrong::Ewf(failure) => failure.to_string(),
            Wrong::Disk(Damage::Damaged(what) | Damage::Unread(what)) => what.clone(),
        })
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The file that a failure is in.
fn of_segment<'a>(files: &'a Files, failure: &ewf::Failure) -> Option<&'a Path> {
    let segment = match failure {
        ewf::Failure::Malformed(malformed) => malformed.segment,
        ewf::Failure::Io { segment, .. } => *segment,
    };
    files.paths().nth(usize::from(segment).checked_sub(1)?)
}

/// The piece that is missing behind the last one, and why: the last is as long as the first, and
/// the medium states more bytes than all have.
fn behind_last(first: &Path, files: &Files) -> Option<(PathBuf, String)> {
    let (starts, total) = (files.starts(), files.total());
    if total.checked_sub(*starts.last()?)? != *starts.get(1)? {
        return None;
    }
    let mut start = vec![0; stated::START];
    let got = files.read_through(&mut start, 0).ok()?;
    let (least, by) = stated::least(&start[..got]).filter(|(least, _)| *least > total)?;
    let why = format!("is missing: by its {by} the medium has {least} bytes or more, and all pieces {total}");
    Some((pieces::next(first, starts.len())?, why))
}

/// How a segment of an Ex01 image begins.
const EX01: &[u8] = b"EVF2\x0d\x0a\x81\0";

/// Whether an extension is that of a first segment: `E01`, `Ex01`.
fn ends_in_one(extension: &str) -> bool {
    extension.len() > 2 && extension.ends_with("01")
}

/// The first segment of the image that a later one belongs to, if it is there.
fn first_segment(later: &Path) -> Option<PathBuf> {
    let all = ["E01", "e01", "Ex01", "ex01", "s01", "S01", "L01", "l01", "Lx01", "lx01"];
    let named = all.iter().map(|extension| later.with_extension(extension));
    let start = later.extension()?.to_str()?.get(..1)?.to_owned();
    let mut named = named.filter(|path| path.extension().is_some_and(|e| e.to_string_lossy().starts_with(&start)));
    named.find(|path| path.is_file())
}

/// The first and the last bytes of a regular file; nothing of a device, whose content has no format
/// of its own.
fn ends(path: &Path) -> io::Result<(Vec<u8>, Vec<u8>)> {
    use crate::os::handles::AsFd;
    let file = crate::os::open_evidence(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let read = |length: usize, offset: u64| -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let got = crate::os::read_at(file.as_fd(), &mut bytes, offset)?;
        bytes.truncate(got);
        Ok(bytes)
    };
    if !metadata.is_file() {
        return Ok((Vec::new(), Vec::new()));
    }
    Ok((read(disk::START, 0)?, read(disk::END, metadata.len().saturating_sub(disk::END as u64))?))
}

/// The format that a file's name promises, where raw bytes are not it.
fn promised(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?;
    let is_segment =
        |e: &[u8]| e.len() == 3 && e[0].eq_ignore_ascii_case(&b'e') && e[1..].iter().all(u8::is_ascii_digit);
    if is_segment(extension.as_bytes()) { Some("E01") } else { foreign::by_name(extension).map(|format| format.name) }
}

/// An image read from front to back.
struct Stream {
    image: Image,
    offset: u64,
}

impl io::Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.image.read_bytes_at(self.offset, buffer)?;
        self.offset += got as u64;
        Ok(got)
    }
}

/// An image by its name, for every command that hashes: opened when its turn comes.
pub struct ImageObject(pub PathBuf);

impl Object for ImageObject {
    fn open(&self) -> Result<Box<dyn io::Read + Send>, Problem> {
        match Image::open(&self.0) {
            Ok(image) => Ok(Box::new(Stream { image, offset: 0 })),
            Err(OpenError::Io { error, .. }) => Err(Problem::io(Stage::Open, &error)),
            Err(error) => Err(Problem::new(Stage::Open, Cause::Image(error.what().into()))),
        }
    }
}
