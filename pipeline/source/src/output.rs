//! The byte stream behind a sink: standard output, or a file that appears whole or not at all.

use crate::os::handles::{AsFd, OwnedFd};
use crate::os::{self, Errno, OpenMode};
use crate::panics::panics;
use crate::place::{Place, directory_of};
use crate::terminal;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes gathered before they are written.
const ROOM: usize = 64 << 10;

enum Target {
    Standard {
        /// Whether somebody looks at it on a terminal.
        seen: bool,
    },
    File {
        fd: OwnedFd,
        /// Where its name is.
        place: Place,
        /// Another name in the same directory that it has meanwhile.
        temporary: Option<PathBuf>,
        /// Nothing had this name when the output was opened.
        is_new: bool,
    },
    /// A device, a FIFO: written to as it is. Nothing may take its place; `/dev/null` would be
    /// gone.
    Special(OwnedFd),
}

/// Does a write on behalf of an output: a progress line on the same terminal steps aside meanwhile.
pub type Around = Arc<dyn Fn(&mut dyn FnMut()) + Send + Sync>;

/// Takes the bytes that an output writes, as it writes them.
pub type Witness = Box<dyn FnMut(&[u8]) + Send>;

/// A buffered, checked output. Nothing counts as written before [`commit`](Output::commit) has
/// returned.
pub struct Output {
    target: Target,
    room: Vec<u8>,
    written: u64,
    around: Option<Around>,
    witness: Option<Witness>,
    /// The name by which its errors call it.
    name: Option<PathBuf>,
    /// Panics of the process when it was opened.
    panics: u64,
}

impl Output {
    fn to(target: Target) -> Self {
        let (around, witness, name) = (None, None, None);
        Output { target, room: Vec::with_capacity(ROOM), written: 0, around, witness, name, panics: panics() }
    }

    /// The same output; `around` carries out each write.
    #[must_use]
    pub fn around(mut self, around: Option<Around>) -> Self {
        self.around = around;
        self
    }

    /// The same output, whose errors name it: who passes them on may not know the file.
    #[must_use]
    pub fn named(mut self, path: &Path) -> Self {
        self.name = Some(path.to_owned());
        self
    }

    /// Shows each byte that is written to `witness`: who signs an output signs these, and not what
    /// lies under its name afterwards.
    pub fn show(&mut self, witness: Witness) {
        self.witness = Some(witness);
    }

    /// Standard output. On a terminal, controls and other characters that steer it are shown
    /// escaped, as everywhere: the bytes of a name must not reach it raw.
    pub fn standard() -> Self {
        let seen = io::IsTerminal::is_terminal(&io::stdout());
        Output::to(Target::Standard { seen })
    }

    /// The same output, for text that was rendered for a terminal before: nothing of it is escaped.
    #[must_use]
    pub fn rendered(mut self) -> Self {
        if let Target::Standard { seen } = &mut self.target {
            *seen = false;
        }
        self
    }

    /// A file that takes the place of `path` when everything has been written and synced. Until
    /// then it has no name (O_TMPFILE), so that hashing a tree that holds the output never meets a
    /// half-written one. A link stays, and its file is replaced; devices and FIFOs are written to
    /// as they are. A file that is replaced leaves its mode, owner and attributes.
    ///
    /// # Errors
    /// When the directory cannot be written to.
    pub fn file(path: &Path) -> io::Result<Self> {
        let resolved = std::fs::canonicalize(path);
        let path = resolved.as_deref().unwrap_or(path);
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            let fd = os::open_to_write(path, OpenMode::Existing, false).map_err(failed("open"))?;
            return Ok(Output::to(Target::Special(fd)));
        }
        Output::at(Place::of(path))
    }

    /// The output of a place, which must not be a device or FIFO.
    ///
    /// # Errors
    /// When the directory cannot be written to.
    pub(crate) fn at(place: Place) -> io::Result<Self> {
        let (fd, temporary) = match place.open_unnamed().map_err(failed("open"))? {
            Some(fd) => (fd, None),
            // Where there are no files without a name, a hidden one.
            None => {
                let (temporary, made) = place.beside(|name| place.create(name));
                (made.map_err(failed("open"))?, Some(temporary))
            }
        };
        let is_new = place.is_missing();
        if !is_new {
            os::resemble(&fd, place.path());
        }
        Ok(Output::to(Target::File { fd, place, temporary, is_new }))
    }

    /// Gives it mode, owner and attributes of the file at `model`, in whose place it comes by a
    /// later step. Without that file, or for anything but a file, it does nothing.
    #[must_use]
    pub fn like(self, model: &Path) -> Self {
        if let Target::File { fd, .. } = &self.target {
            os::resemble(fd, model);
        }
        self
    }

    /// Gives nobody permissions that the file at `model` does not give: what lies beside a private
    /// file is private. Without that file, or for anything but a file, it does nothing.
    #[must_use]
    pub fn no_wider_than(self, model: &Path) -> Self {
        if let Target::File { fd, .. } = &self.target {
            os::narrow(fd, model);
        }
        self
    }

    /// Locks the file that is written against other runs, also when it has its name, until it is
    /// unlocked: to close it may not be enough, since a program that another thread starts has it
    /// open for a moment. `None` where nothing can be locked, and where a file that is open could
    /// not get its name.
    pub fn hold(&self) -> Option<File> {
        let Target::File { fd, .. } = &self.target else { return None };
        let held = fd.as_fd().try_clone_to_owned().ok().filter(|_| os::REPLACES_OPEN)?;
        os::try_lock(&held).then(|| File::from(held))
    }

    /// Bytes handed to the system so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The buffer to append to; [`Output::advance`] writes it out when it is full.
    pub fn room(&mut self) -> &mut Vec<u8> {
        &mut self.room
    }

    /// Writes the buffer out if it is full.
    ///
    /// # Errors
    /// As `write`: ENOSPC, EPIPE and the like.
    pub fn advance(&mut self) -> io::Result<()> {
        if self.room.len() >= ROOM { self.flush() } else { Ok(()) }
    }

    fn write_out(&mut self) -> io::Result<()> {
        self.write_around().map_err(|error| naming(self.name.as_deref(), error))
    }

    fn write_around(&mut self) -> io::Result<()> {
        let Some(around) = self.around.clone().filter(|_| !self.room.is_empty()) else { return self.put() };
        let mut result = Ok(());
        around(&mut || result = self.put());
        result
    }

    fn put(&mut self) -> io::Result<()> {
        if let Target::Standard { seen: true } = self.target {
            self.room = harmless(&self.room);
        }
        let mut from = 0;
        while from < self.room.len() {
            let rest = &self.room[from..];
            let wrote = match &self.target {
                // /dev/null is in the place of the output that was closed at the start.
                Target::Standard { .. } if os::was_closed(1) => Err(Errno::BADF),
                Target::Standard { .. } => os::write(io::stdout().as_fd(), rest),
                Target::File { fd, .. } | Target::Special(fd) => os::write(fd, rest),
            };
            match wrote {
                Err(errno) => {
                    // Bytes that went out stay out; they are not written twice.
                    self.room.drain(..from);
                    return Err(os::broken("write", errno));
                }
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => {
                    if let Some(witness) = &mut self.witness {
                        witness(&self.room[from..from + n]);
                    }
                    from += n;
                    self.written += n as u64;
                }
            }
        }
        self.room.clear();
        Ok(())
    }

    /// Ends the output: written, synced, closed, and for a file given its name.
    ///
    /// # Errors
    /// The system's error for any of these steps: each can be the one that loses data. Also when
    /// any thread of the process has panicked since the output was opened.
    pub fn commit(mut self) -> io::Result<()> {
        let name = self.name.take();
        self.settle().map_err(|error| naming(name.as_deref(), error))
    }

    fn settle(mut self) -> io::Result<()> {
        if self.panics != panics() {
            return Err(io::Error::other("a thread of the program panicked meanwhile"));
        }
        self.write_out()?;
        let target = std::mem::replace(&mut self.target, Target::Standard { seen: false });
        let (fd, place, mut temporary, is_new) = match target {
            Target::File { fd, place, temporary, is_new } => (fd, place, temporary, is_new),
            Target::Special(fd) => return close(fd),
            Target::Standard { .. } => {
                return os::close_standard_output().map_err(failed("dup"))?.map_err(Into::into);
            }
        };
        match os::sync(&fd) {
            // Some file systems have no sync.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(errno) => {
                place.discard(temporary);
                return Err(os::broken("fsync", errno));
            }
        }
        let mut is_named = false;
        if temporary.is_none() {
            // A link, unlike a rename, never takes the place of a file that somebody else made
            // meanwhile.
            let (name, named) = match is_new {
                true => (place.name().to_owned(), place.give_name(&fd, place.name())),
                false => place.beside(|name| place.give_name(&fd, name)),
            };
            named.map_err(|errno| unnamed(&place.path_of(&name), errno))?;
            temporary = Some(name);
            is_named = is_new;
        }
        let result = close(fd).and_then(|()| match &temporary {
            Some(name) if !is_named && is_new => place.rename_new(name).map_err(|e| unnamed(place.path(), e)),
            Some(name) if !is_named => place.rename(name).map_err(|errno| unnamed(place.path(), errno)),
            _ => Ok(()),
        });
        if result.is_err() {
            place.discard(temporary);
            return result;
        }
        place.sync_directory().map_or_else(|| sync_directory_of(place.path()), |synced| synced.map_err(failed("fsync")))
    }
}

/// An error of the output of this name.
#[derive(Debug)]
struct OutputError {
    path: PathBuf,
    error: io::Error,
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", terminal::shown(&self.path), self.error)
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// The error with the name; a closed pipe needs none.
fn naming(path: Option<&Path>, error: io::Error) -> io::Error {
    match path.filter(|_| error.kind() != io::ErrorKind::BrokenPipe) {
        Some(path) => io::Error::new(error.kind(), OutputError { path: path.to_owned(), error }),
        None => error,
    }
}

/// Puts a file that has been written in the place of `path`: its content is synced, it is renamed,
/// and the directory is synced, so that the old file or the new one is always there.
///
/// # Errors
/// The system's, in any of these steps. The new file may still be at `fresh` then.
pub fn replace(file: impl AsFd, fresh: &Path, path: &Path) -> io::Result<()> {
    match os::sync(file) {
        // Some file systems have no sync.
        Ok(()) | Err(Errno::INVAL) => {}
        Err(errno) => return Err(os::broken("fsync", errno)),
    }
    os::rename(fresh, path).map_err(failed("rename"))?;
    sync_directory_of(path)
}

/// As [`replace`], with a file that is closed. Windows syncs none that is open to read alone.
///
/// # Errors
/// As there.
pub fn replace_closed(fresh: &Path, path: &Path) -> io::Result<()> {
    replace(os::open_to_sync(fresh).map_err(failed("open"))?, fresh, path)
}

/// Syncs the directory, in which the name itself lives.
fn sync_directory_of(path: &Path) -> io::Result<()> {
    let directory = os::open_to_sync(directory_of(path)).map_err(failed("open"))?;
    match os::sync(&directory) {
        Ok(()) | Err(Errno::INVAL) => Ok(()),
        Err(errno) => Err(os::broken("fsync", errno)),
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room.extend_from_slice(bytes);
        self.advance()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_out()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Target::File { place, temporary, .. } = &mut self.target {
            place.discard(temporary.take());
        }
    }
}

/// Text as a terminal may see it: ends of lines and tabs stay, everything else that is not text is
/// escaped.
fn harmless(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let mut chars = chunk.valid().chars().peekable();
        while let Some(c) = chars.next() {
            let whole = &mut [0; 4];
            let text = c.encode_utf8(whole);
            match c {
                '\n' | '\t' => out.extend_from_slice(text.as_bytes()),
                // The end of a line of CSV.
                '\r' if chars.peek() == Some(&'\n') => out.push(b'\r'),
                c if terminal::is_unsafe(c) => out.extend_from_slice(terminal::render(text.as_bytes()).as_bytes()),
                _ => out.extend_from_slice(text.as_bytes()),
            }
        }
        if !chunk.invalid().is_empty() {
            out.extend_from_slice(terminal::render(chunk.invalid()).as_bytes());
        }
    }
    out
}

fn close(fd: OwnedFd) -> io::Result<()> {
    os::close(fd).map_err(Into::into)
}

/// Why a file that was written has no name. "Not found" alone does not name the missing thing: the
/// directory, or `/proc`, by which a file gets its name.
fn unnamed(name: &Path, errno: Errno) -> io::Error {
    if errno != Errno::NOENT {
        return os::broken("linkat or rename", errno);
    }
    let directory = directory_of(name);
    let shown = |path: &Path| terminal::shown(path);
    let why = if directory.is_dir() {
        "/proc, by which a file gets its name, went away while it was written: mount it".to_owned()
    } else {
        format!("its directory {} went away while it was written: make it again", shown(directory))
    };
    io::Error::new(io::ErrorKind::NotFound, format!("{}: {why}", shown(name)))
}

fn failed(call: &'static str) -> impl Fn(Errno) -> io::Error {
    move |errno| os::broken(call, errno)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn an_error_of_a_named_output_has_its_name_and_the_systems_number() {
        let full = || Output::file(Path::new("/dev/full")).unwrap();
        let of = |mut output: Output| output.write_all(b"x").and_then(|()| output.commit()).unwrap_err();
        let error = of(full().named(Path::new("d/list")));
        assert!(error.to_string().starts_with("d/list: No space left"), "{error}");
        let cause = std::error::Error::source(&error).unwrap().downcast_ref::<io::Error>().unwrap();
        assert_eq!((error.kind(), cause.raw_os_error()), (io::ErrorKind::StorageFull, Some(28)));
        assert_eq!(of(full()).raw_os_error(), Some(28));
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        std::fs::write(&path, "old").unwrap();
        let mut output = Output::file(&path).unwrap();
        output.write_all(b"new").unwrap();
        output.flush().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        drop(output);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        let mut output = Output::file(&path).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_terminal_sees_nothing_raw() {
        assert_eq!(harmless("a\u{1b}[31m\tb\\n\u{202e}\r\r\n".as_bytes()), b"a\\x1b[31m\tb\\n\\u{202e}\\r\r\n");
        assert_eq!(harmless(b"\xff \0\n"), b"\\xff \\x00\n");
    }

    #[test]
    fn what_appears_meanwhile_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        let mut output = Output::file(&path).unwrap();
        output.write_all(b"new").unwrap();
        std::fs::write(&path, "somebody's").unwrap();
        assert_eq!(output.commit().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"somebody's");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn several_outputs_of_one_path_do_not_meet() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        std::fs::write(&path, "old").unwrap();
        let mut outputs = [Output::file(&path).unwrap(), Output::file(&path).unwrap()];
        outputs.iter_mut().for_each(|output| output.write_all(b"new").unwrap());
        outputs.into_iter().for_each(|output| output.commit().unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_special_files_stay_what_they_are() {
        use crate::os::file_kinds::FileTypeExt;
        let directory = tempfile::tempdir().unwrap();
        let (file, link, fifo) =
            (directory.path().join("file"), directory.path().join("link"), directory.path().join("fifo"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        let mut output = Output::file(&link).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let reader = std::thread::spawn({
            let fifo = fifo.clone();
            move || std::fs::read(fifo).unwrap()
        });
        let mut output = Output::file(&fifo).unwrap();
        output.write_all(b"through").unwrap();
        output.commit().unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(std::fs::symlink_metadata(&fifo).unwrap().file_type().is_fifo());
    }
}
