//! Whether outputs can be written in their places, as far as the system says so before anything is
//! made.

use super::guarding::{EarlierFiles, first_file};
use super::log::chained_name;
use super::{ImageFormat, Settings, To};
use crate::job::Error;
use crate::outputs::OutputRefusal;
use pfh_source::os;
use pfh_source::os::file_kinds::FileTypeExt;
use pfh_source::terminal::shown;
use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};

/// Names of files that the shell has opened for the command.
const OPENED: [&str; 5] = ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/"];

/// Refuses outputs in the place of inputs, and such as cannot be made. Before the map and the
/// targets are looked into: none of them may be the source.
pub(super) fn free(asked: &Settings<'_>) -> Result<(), Error> {
    let mut outputs = asked.outputs();
    asked.guarded(&mut outputs, &EarlierFiles::same(asked, true));
    outputs.check()?;
    usable(asked)
}

/// Refuses targets and records that cannot be what they are to be, or cannot be made.
fn usable(asked: &Settings<'_>) -> Result<(), Error> {
    asked.targets.iter().try_for_each(target)?;
    let log = asked.request.log.iter().flat_map(|log| [("log", log.clone(), false), ("log", chained_name(log), false)]);
    let map = asked.map.iter().map(|map| ("map", map.clone(), true));
    let tree = asked.outboard.iter().map(|tree| ("outboard", tree.clone(), true));
    let case = asked.request.case.iter().map(|case| ("case-uco", case.clone(), true));
    map.chain(log).chain(tree).chain(case).try_for_each(|(role, path, is_replaced)| {
        let place = Place { role, path: &path };
        place.is_no_loose_link()?;
        if let Ok(found) = std::fs::metadata(&path)
            && !found.is_file()
        {
            return Err(place.refused(format!("{} in place of a file", special(found.file_type()))));
        }
        place.can_be_written()?;
        if is_replaced { place.can_be_made() } else { Ok(()) }
    })
}

fn target(to: &To) -> Result<(), Error> {
    let first = first_file(to);
    let place = Place { role: "target", path: &first };
    // The rule for an existing file is applied where a stream of bytes is wanted, and no image that
    // is kept.
    let is_kept = !matches!(to.form, ImageFormat::Raw { start: Some(_), .. });
    let is_opened = OPENED.iter().any(|name| first.as_os_str().as_encoded_bytes().starts_with(name.as_bytes()));
    if is_kept && is_opened {
        let what = "an image with a log and a map is a file or a block device; `pfh dd` writes to standard output";
        return Err(place.refused(what));
    }
    if is_kept {
        place.is_no_loose_link()?;
    }
    match std::fs::metadata(&first).map(|found| found.file_type()) {
        Ok(kind) if kind.is_file() || kind.is_block_device() || kind.is_dir() => {}
        Ok(kind) if is_kept || (is_waiting(kind) && !is_opened) => {
            let what = format!("{}, and an image is a file or a block device", special(kind));
            return Err(place.refused(what));
        }
        _ => {}
    }
    place.can_be_written()
}

/// Whether opening it for writing waits for a reader, or cannot be.
fn is_waiting(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_socket()
}

/// Whether this is a pipe with a name, which nobody may ever open at its other end.
pub(crate) fn is_pipe(path: &Path) -> bool {
    let is_opened = OPENED.iter().any(|name| path.as_os_str().as_encoded_bytes().starts_with(name.as_bytes()));
    !is_opened && std::fs::metadata(path).is_ok_and(|found| is_waiting(found.file_type()))
}

fn special(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "a pipe (FIFO)"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() {
        "a character device"
    } else if kind.is_block_device() {
        "a block device"
    } else {
        "a directory"
    }
}

/// Something that is to be written.
struct Place<'a> {
    role: &'a str,
    path: &'a Path,
}

impl Place<'_> {
    fn refused(&self, why: impl Into<String>) -> Error {
        self.error(io::Error::other(why.into()))
    }

    fn error(&self, error: io::Error) -> Error {
        OutputRefusal::Place { role: self.role.to_owned(), path: self.path.to_owned(), error }.into()
    }

    /// Refuses a link to a missing file: the file would be made somewhere else.
    fn is_no_loose_link(&self) -> Result<(), Error> {
        let is_there = std::fs::metadata(self.path);
        match (std::fs::read_link(self.path), is_there) {
            (Ok(to), Err(error)) if error.kind() == io::ErrorKind::NotFound => {
                Err(self.refused(format!("a link to {}, which is not there", shown(&to))))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a file, or the directory of one that is not there yet, that may not be written to.
    fn can_be_written(&self) -> Result<(), Error> {
        match std::fs::symlink_metadata(self.path) {
            Ok(_) => os::may_write(self.path).map_err(|errno| self.error(errno.into())),
            Err(_) => self.can_be_made(),
        }
    }

    /// Refuses a directory in which no file can be made.
    fn can_be_made(&self) -> Result<(), Error> {
        let directory = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        match os::may_write(&directory) {
            // Missing files have a message of their own.
            Ok(()) => Ok(()),
            Err(errno) if io::Error::from(errno).kind() == io::ErrorKind::NotFound => Ok(()),
            Err(errno) => Err(self.error(errno.into())),
        }
    }
}
