//! The file on its way: `FILE.partial` until it is whole, and `FILE.receipt`, which states the
//! ranges that have come.

use super::super::{Error, Failure, Problem};
use crate::beside::LockedFile;
use crate::outputs::{Existing, Kind, Outputs};
use pfh_source::os::handles::AsFd;
use pfh_source::os::names::with_ending;
use pfh_source::os::{self, Errno};
use pfh_source::{Cause, Document, Output, Problem as Fault, Stage};
use pfh_tree::{Arrivals, TreeKind};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The suffix of a file that is on its way.
pub(super) const PARTIAL: &str = ".partial";
/// The suffix of its receipt.
pub(super) const RECEIPT: &str = ".receipt";
/// The beginning of a receipt.
const OWN: Existing = Existing::Own(0, b"pfh rcpt");

/// The names of a file that is received.
#[derive(Debug, Clone)]
pub(super) struct Names {
    /// The file in the end; where it is a link, the file that it names.
    pub file: PathBuf,
    pub partial: PathBuf,
    pub receipt: PathBuf,
}

impl Names {
    pub fn of(file: &Path) -> Names {
        let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        Names { partial: with_ending(&file, PARTIAL), receipt: with_ending(&file, RECEIPT), file }
    }

    /// Whether a run ended between the last name of the file and the removal of its receipt.
    pub fn is_placed(&self) -> bool {
        self.receipt.exists() && !self.partial.exists() && self.file.exists()
    }

    /// Adds the outputs.
    pub fn guard(&self, outputs: &mut Outputs) {
        let is_ours = Outputs::is_own(&self.receipt, OWN);
        let of = |is_ours| if is_ours { Existing::Welcome } else { Existing::Refused };
        // Judged again when the receipt has been read: only the file that it is of is taken.
        outputs.writes("output", &self.file, Kind::File, of(is_ours && self.is_placed()));
        outputs.writes_beside("output", Some(&self.partial), of(is_ours));
        outputs.writes_beside("output", Some(&self.receipt), OWN);
    }

    /// The arrivals, by the receipt; `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or of another file or tree.
    pub fn arrivals(&self, kind: TreeKind, length: u64) -> Result<Option<Arrivals>, Error> {
        let bytes = match Document::read(&self.receipt, kind.longest_receipt(length)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let problem = Fault::io(Stage::Read, &error);
                return Err(Failure::Read { file: self.receipt.clone(), problem }.into());
            }
            // An empty file, as mktemp makes it.
            Ok(bytes) if bytes.is_empty() => return Ok(None),
            Ok(bytes) => bytes,
        };
        let unfit = |why| Problem::Receipt { path: self.receipt.clone(), why };
        Ok(Some(Arrivals::resume(kind, length, &bytes).map_err(unfit)?))
    }

    /// Writes the receipt: the old one or the new one is there.
    pub fn note(&self, receipt: &[u8]) -> Result<(), Failure> {
        let write = || {
            let mut output = Output::file(&self.receipt)?;
            output.write_all(receipt)?;
            output.commit()
        };
        write().map_err(|error| Failure::Write { file: self.receipt.clone(), error })
    }
}

/// The file that is written to.
pub(super) struct Target {
    file: LockedFile,
    /// Where it is now.
    path: PathBuf,
    names: Names,
    /// Whether it has its last name already.
    is_placed: bool,
}

impl Target {
    /// Opens it for this run alone, with as much as has come of it.
    ///
    /// # Errors
    /// The system's; that another run has it; that it is gone.
    pub fn open(names: Names, arrivals: &Arrivals) -> Result<Target, Error> {
        let (length, has_come) = (arrivals.length(), !arrivals.noted().is_empty());
        let is_placed = has_come && arrivals.is_complete() && names.is_placed();
        let path = if is_placed { names.file.clone() } else { names.partial.clone() };
        let failed = |error| Failure::Write { file: path.clone(), error };
        if has_come && !path.exists() {
            return Err(Problem::Altered { path, offset: 0 }.into());
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(!is_placed).create(!is_placed).truncate(false).open(&path);
        let file = file.map_err(failed)?;
        let stat = os::stat(&file).map_err(|errno| failed(errno.into()))?;
        if !stat.is_file() {
            return Err(failed(io::Error::other("is not a file, which could be written to in any order")).into());
        }
        let Some(held) = LockedFile::of(file) else { return Err(Problem::Busy(path).into()) };
        let file = held.file();
        if !is_placed {
            let room = || -> io::Result<()> {
                os::truncate(file, length).map_err(|errno| os::broken("ftruncate", errno))?;
                match os::reserve(file, 0, length) {
                    Err(errno) if length > 0 && ![Errno::OPNOTSUPP, Errno::NOSYS, Errno::INVAL].contains(&errno) => {
                        return Err(os::broken("fallocate", errno));
                    }
                    _ => {}
                }
                // Its name is on the disk before a receipt states any byte of it.
                let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                match os::open_to_sync(directory.unwrap_or(Path::new("."))).and_then(os::sync) {
                    Ok(()) | Err(Errno::INVAL) => Ok(()),
                    Err(errno) => Err(os::broken("fsync", errno)),
                }
            };
            if let Err(error) = room() {
                if !has_come {
                    let _ = std::fs::remove_file(&path).and_then(|()| std::fs::remove_file(&names.receipt));
                }
                return Err(failed(error).into());
            }
        }
        Ok(Target { file: held, path, names, is_placed })
    }

    /// Where it is now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its names.
    pub fn names(&self) -> &Names {
        &self.names
    }

    pub fn write(&self, mut bytes: &[u8], mut offset: u64) -> Result<(), Failure> {
        let failed = |error| Failure::Write { file: self.path.clone(), error };
        while !bytes.is_empty() {
            match os::write_at(self.file.file(), bytes, offset) {
                Err(errno) => return Err(failed(os::broken("write", errno))),
                Ok(0) => return Err(failed(io::ErrorKind::WriteZero.into())),
                Ok(count) => (bytes, offset) = (&bytes[count..], offset + count as u64),
            }
        }
        Ok(())
    }

    /// Reads back to the end of `bytes`.
    pub fn read(&self, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<(), Failure> {
        let failed = |problem: Fault| Failure::Read { file: self.path.clone(), problem };
        let (mut filled, mut offset) = (bytes.len(), range.start);
        bytes.resize(filled + (range.end - range.start) as usize, 0);
        while filled < bytes.len() {
            match os::read_at(self.file.file().as_fd(), &mut bytes[filled..], offset) {
                Ok(0) => {
                    let cause = Cause::Size { stated: range.end, read: offset };
                    return Err(failed(Fault::new(Stage::Read, cause).at(offset)));
                }
                Ok(count) => (filled, offset) = (filled + count, offset + count as u64),
                Err(errno) => return Err(failed(Fault::os(Stage::Read, errno).at(offset))),
            }
        }
        Ok(())
    }

    /// Waits until what was written is on the disk.
    pub fn sync(&self) -> Result<(), Failure> {
        match os::sync(self.file.file()) {
            Ok(()) | Err(Errno::INVAL) => Ok(()),
            Err(errno) => Err(Failure::Write { file: self.path.clone(), error: os::broken("fsync", errno) }),
        }
    }

    /// Gives the file its name, in the place of the one that is there if `replace` says so, and
    /// forgets the receipt.
    pub fn place(self, replace: bool) -> Result<(), Failure> {
        let Names { file, partial, receipt } = &self.names;
        let failed = |file: &Path| {
            let file = file.to_owned();
            move |error| Failure::Write { file, error }
        };
        if !self.is_placed {
            let is_it =
                |now: &pfh_source::Stat| os::stat(self.file.file()).is_ok_and(|own| own.identity() == now.identity());
            if !os::stat_path(partial).is_ok_and(|(now, _)| is_it(&now)) {
                return Err(failed(partial)(io::Error::other("was replaced meanwhile by another file")));
            }
            let is_free = replace || std::fs::metadata(file).map_or(true, |found| found.len() == 0);
            if !is_free {
                return Err(failed(file)(io::ErrorKind::AlreadyExists.into()));
            }
            os::resemble(self.file.file(), file);
            let placed = match os::REPLACES_OPEN {
                true => pfh_source::replace(self.file.file(), partial, file),
                false => {
                    drop(self.file);
                    pfh_source::replace_closed(partial, file)
                }
            };
            placed.map_err(failed(file))?;
        }
        os::remove(receipt).map_err(|errno| failed(receipt)(errno.into()))
    }
}
