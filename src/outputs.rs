//! The one guard of all files that a command writes: none of them is a file that it reads, none is
//! written twice, and none takes the place of somebody else's file.
//!
//! It looks, and writes nothing: a command that is refused leaves everything as it was.
//!
//! ```
//! use pfh::outputs::{Existing, Kind, Outputs};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-outputs-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! let disk = room.join("disk");
//! std::fs::write(&disk, "evidence")?;
//! let mut outputs = Outputs::new(false);
//! outputs.reads(&disk);
//! outputs.writes("log", &disk, Kind::File, Existing::Refused);
//! assert!(outputs.check().unwrap_err().to_string().contains("log"));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), std::io::Error>(())
//! ```

use pfh_source::Streams;
use pfh_source::device::{Meeting, Place, Places};
use pfh_source::os::names::stream_of;
use pfh_source::os::positioned::FileExt;
use pfh_source::terminal::shown;
use std::io;
use std::path::{Path, PathBuf};

/// The kinds of files that an output may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A file, a pipe, a character device such as `/dev/null`.
    File,
    /// A block device as well: the target of an image.
    Medium,
    /// A directory that files are put into.
    Directory,
}

/// The treatment of a file that is there and not empty, unless replacing was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Existing {
    /// It stays, and the command is refused.
    Refused,
    /// It is taken if it has these bytes at this offset: a store that the command keeps up to date.
    Own(u64, &'static [u8]),
    /// It is taken: that it may be written to was said in other words, or is judged elsewhere.
    Welcome,
}

/// Why a command must not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputRefusal {
    /// The output is, or lies on, an input.
    #[error("{role} {}: {} {}, which is read; nothing was written", shown(path), how(*meeting), shown(read))]
    Source {
        /// Which output: a member of the request, such as `log`.
        role: String,
        /// The output.
        path: PathBuf,
        /// How they meet.
        meeting: Meeting,
        /// The input.
        read: PathBuf,
    },
    /// A stream is read for two purposes.
    #[error(transparent)]
    ReadTwice(#[from] pfh_source::NamedTwice),
    /// Two outputs are one file.
    #[error("{role} {} and {other} {} are the same file; nothing was written", shown(path), shown(other_path))]
    Twice {
        /// Which output.
        role: String,
        /// The output.
        path: PathBuf,
        /// The other output.
        other: String,
        /// Its path.
        other_path: PathBuf,
    },
    /// There is a file of that name.
    #[error("{role} {}: the file exists and is not empty: name another one, or allow its replacement", shown(path))]
    Exists {
        /// Which output.
        role: String,
        /// The output.
        path: PathBuf,
    },
    /// It cannot be written there at all.
    #[error("{role} {}: {error}", shown(path))]
    Place {
        /// Which output.
        role: String,
        /// The output.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// `-` is not a name.
    #[error("{role} -: {}", if *streams { "standard output cannot be the target of an image with a log and a map; a file of that name is ./-" } else { "standard output has no name; a file of that name is ./-" })]
    Dash {
        /// Which output.
        role: String,
        /// Whether it is the target of an image, which `dd` writes to standard output.
        streams: bool,
    },
}

fn how(meeting: Meeting) -> &'static str {
    match meeting {
        Meeting::Same => "this is",
        Meeting::Above => "this shares its storage with",
    }
}

#[derive(Debug, Clone)]
struct Write {
    role: String,
    path: PathBuf,
    kind: Kind,
    existing: Existing,
    /// Whether the user named it: a link of a name that he did not type came with the data.
    is_named: bool,
}

/// The files that a command reads and writes.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    reads: Vec<PathBuf>,
    /// Those with a reader of their own each: a stream has just one.
    apart: Vec<PathBuf>,
    writes: Vec<Write>,
    replace: bool,
    standard: bool,
}

impl Outputs {
    /// Nothing yet. `replace` says that existing files may be replaced; inputs never are.
    pub fn new(replace: bool) -> Self {
        Outputs { replace, ..Outputs::default() }
    }

    /// Says whether existing files may be replaced.
    pub(crate) fn set_replace(&mut self, replace: bool) {
        self.replace = replace;
    }

    /// The command reads this file, directory or device; `-` is standard input. A file that does
    /// not exist is passed over.
    pub fn reads(&mut self, path: impl AsRef<Path>) -> &mut Self {
        let path = path.as_ref();
        self.reads.push(if path == Path::new("-") { "/dev/stdin".into() } else { path.to_owned() });
        self
    }

    /// The command reads all of these.
    pub fn reads_all<P: AsRef<Path>>(&mut self, paths: impl IntoIterator<Item = P>) -> &mut Self {
        for path in paths {
            self.reads(path);
        }
        self
    }

    /// The command reads each of these with a reader of its own: no two may be one stream.
    pub(crate) fn reads_apart<P: AsRef<Path>>(&mut self, paths: impl IntoIterator<Item = P>) -> &mut Self {
        for path in paths {
            self.apart.push(path.as_ref().to_owned());
            self.reads(path);
        }
        self
    }

    /// The job writes this; `role` says which of its outputs it is: a member of the request.
    pub fn writes(&mut self, role: &str, path: impl AsRef<Path>, kind: Kind, existing: Existing) -> &mut Self {
        self.writes.push(Write {
            role: role.to_owned(),
            path: path.as_ref().to_owned(),
            kind,
            existing,
            is_named: true,
        });
        self
    }

    /// The same of a file whose name follows from another one, such as a seal: refused where it is
    /// a link.
    pub fn writes_beside(&mut self, role: &str, path: Option<impl AsRef<Path>>, existing: Existing) -> &mut Self {
        if let Some(path) = path {
            self.writes_after(role, &path, path.as_ref(), Kind::File, existing);
        }
        self
    }

    /// The same of a file or directory whose name may be that of `of` with an ending: the user did
    /// not type such a name.
    pub fn writes_after(
        &mut self,
        role: &str,
        path: impl AsRef<Path>,
        of: &Path,
        kind: Kind,
        existing: Existing,
    ) -> &mut Self {
        let (role, path) = (role.to_owned(), path.as_ref().to_owned());
        let is_named = !path.as_os_str().as_encoded_bytes().starts_with(of.as_os_str().as_encoded_bytes());
        self.writes.push(Write { role, path, kind, existing, is_named });
        self
    }

    /// A file in that role, if there is one: refused if it exists.
    pub fn file(&mut self, role: &str, path: Option<impl AsRef<Path>>) -> &mut Self {
        if let Some(path) = path {
            self.writes(role, path, Kind::File, Existing::Refused);
        }
        self
    }

    /// Results go to standard output: a file behind it is left out of the input.
    pub fn standard(&mut self) -> &mut Self {
        self.standard = true;
        self
    }

    /// Whether results go to standard output.
    pub(crate) fn is_standard(&self) -> bool {
        self.standard
    }

    /// The outputs named so far.
    pub(crate) fn written(&self) -> Vec<PathBuf> {
        self.writes.iter().map(|write| write.path.clone()).collect()
    }

    /// Whether anything is written.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Whether the command may start.
    ///
    /// # Errors
    /// The first output that must not be written, and why.
    pub fn check(&self) -> Result<(), OutputRefusal> {
        Streams::default().read_all(&self.apart)?;
        if self.writes.is_empty() {
            return Ok(());
        }
        let mut places = Places::default();
        let mut found: Vec<(&Write, Place)> = Vec::new();
        // The image first: outputs whose names derive from its name fail with it.
        let (targets, others): (Vec<&Write>, Vec<&Write>) = self.writes.iter().partition(|w| w.kind == Kind::Medium);
        for write in targets.into_iter().chain(others) {
            found.push((write, Self::place(write, &mut places)?));
        }
        for (at, (write, place)) in found.iter().enumerate() {
            let same = |(_, other): &&(&Write, Place)| place.meets(other).is_some();
            if let Some((other, _)) = found[..at].iter().find(same) {
                let (other, other_path) = (other.role.clone(), other.path.clone());
                return Err(OutputRefusal::Twice {
                    role: write.role.clone(),
                    path: write.path.clone(),
                    other,
                    other_path,
                });
            }
        }
        for read in &self.reads {
            let Ok(place) = places.find(read) else { continue };
            for (write, output) in &found {
                // A target directory holds the outputs; its files are asked about one by one.
                if let (Some(meeting), true) = (output.meets(&place), place.exists() && write.kind != Kind::Directory) {
                    let (role, path) = (write.role.clone(), write.path.clone());
                    return Err(OutputRefusal::Source { role, path, meeting, read: read.clone() });
                }
            }
        }
        for (write, place) in &found {
            if place.size.is_some_and(|size| size > 0) && !self.may_replace(write) {
                return Err(OutputRefusal::Exists { role: write.role.clone(), path: write.path.clone() });
            }
        }
        Ok(())
    }

    /// Whether a file that is there is one of the command's own.
    #[cfg(feature = "audit")]
    pub(crate) fn is_own(path: &Path, existing: Existing) -> bool {
        matches!(existing, Existing::Own(at, bytes) if has(path, at, bytes))
    }

    /// Where one output goes, if it may go there as far as it is concerned alone.
    fn place(write: &Write, places: &mut Places) -> Result<Place, OutputRefusal> {
        let (role, path) = (write.role.clone(), write.path.clone());
        if path == Path::new("-") {
            return Err(OutputRefusal::Dash { role, streams: write.kind == Kind::Medium });
        }
        let fail = |error| OutputRefusal::Place { role: role.clone(), path: path.clone(), error };
        if stream_of(path.as_os_str().as_encoded_bytes()).is_some() {
            return Err(fail(io::Error::other("a stream of another file: an output is a file of its own")));
        }
        if !write.is_named && path.is_symlink() {
            return Err(fail(io::Error::other("a link, which may lead anywhere: remove it")));
        }
        let place = match places.find(&path) {
            Ok(place) => place,
            // A directory is made with those above it.
            Err(error) if write.kind == Kind::Directory && error.kind() == io::ErrorKind::NotFound => {
                let above = path.ancestors().skip(1).find(|above| above.exists()).unwrap_or(Path::new("."));
                places.find(above).map_err(fail)?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let directory = path.parent().map(shown).unwrap_or_default();
                let why = format!("there is no directory {directory}: make it first (mkdir -p)");
                return Err(fail(io::Error::other(why)));
            }
            Err(error) => return Err(fail(error)),
        };
        match write.kind {
            Kind::Directory if place.exists() && !place.is_directory => Err(fail(io::ErrorKind::NotADirectory.into())),
            Kind::File | Kind::Medium if place.is_directory => Err(fail(io::ErrorKind::IsADirectory.into())),
            Kind::File if place.is_device => Err(fail(io::Error::other("a block device, and no image goes there"))),
            _ => Ok(place),
        }
    }

    fn may_replace(&self, write: &Write) -> bool {
        // Files that the shell has opened for the command are not replaced by it.
        let opened = ["/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/"];
        let is_opened = cfg!(unix)
            && opened.iter().any(|name| write.path.as_os_str().as_encoded_bytes().starts_with(name.as_bytes()));
        let is_own = match write.existing {
            Existing::Refused => false,
            Existing::Welcome => true,
            Existing::Own(at, bytes) => has(&write.path, at, bytes),
        };
        self.replace || is_own || is_opened
    }
}

/// Whether a file has these bytes at an offset.
fn has(path: &Path, at: u64, bytes: &[u8]) -> bool {
    let mut found = vec![0; bytes.len()];
    std::fs::File::open(path).and_then(|file| file.read_exact_at(&mut found, at)).is_ok() && found == bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(outputs: &Outputs) -> String {
        outputs.check().unwrap_err().to_string()
    }

    #[cfg(unix)]
    #[test]
    fn what_is_read_is_never_written() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        std::fs::write(at("disk"), "evidence").unwrap();
        std::os::unix::fs::symlink("disk", at("link")).unwrap();
        std::fs::hard_link(at("disk"), at("hard")).unwrap();
        for name in ["disk", "link", "hard"] {
            let mut outputs = Outputs::new(true);
            outputs.reads(at("disk")).file("log", Some(at(name)));
            assert!(refused(&outputs).contains("which is read"), "{name}");
        }
        let mut outputs = Outputs::new(true);
        outputs.reads(room.path()).reads(at("none")).file("output", Some(at("new")));
        assert!(outputs.check().is_ok(), "beside the inputs");
    }

    #[test]
    fn what_is_there_stays() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        std::fs::write(at("full"), "precious").unwrap();
        std::fs::write(at("empty"), "").unwrap();
        let check = |name: &str, existing, replace| {
            let mut outputs = Outputs::new(replace);
            outputs.writes("output", at(name), Kind::File, existing);
            outputs.check()
        };
        assert!(matches!(check("full", Existing::Refused, false), Err(OutputRefusal::Exists { .. })));
        assert!(matches!(check("full", Existing::Own(0, b"store"), false), Err(OutputRefusal::Exists { .. })));
        assert!(check("full", Existing::Own(2, b"ecio"), false).is_ok());
        assert!(check("full", Existing::Refused, true).is_ok() && check("full", Existing::Welcome, false).is_ok());
        assert!(check("empty", Existing::Refused, false).is_ok() && check("new", Existing::Refused, false).is_ok());
        assert!(matches!(check("none/new", Existing::Refused, true), Err(OutputRefusal::Place { .. })));
        let mut outputs = Outputs::new(true);
        outputs.file("output", Some(room.path()));
        assert!(refused(&outputs).contains("irectory"));
        for special in ["/dev/null", "/dev/stdout"] {
            let mut outputs = Outputs::new(false);
            outputs.file("output", Some(special)).file("log", Some(special));
            assert!(outputs.check().is_ok() || special == "/dev/stdout", "{special}");
        }
    }

    /// On Windows `disk:log` would be written into the evidence.
    #[cfg(windows)]
    #[test]
    fn no_output_is_a_stream_of_a_file() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        std::fs::write(at("disk"), "evidence").unwrap();
        for name in ["disk:log", "new:log"] {
            let mut outputs = Outputs::new(true);
            outputs.reads(at("disk")).file("log", Some(at(name)));
            assert!(refused(&outputs).contains("stream"), "{name}");
        }
        let mut outputs = Outputs::new(true);
        outputs.reads(at("disk")).file("log", Some(at("DISK")));
        assert!(refused(&outputs).contains("which is read"), "without regard to case");
        let mut outputs = Outputs::new(true);
        outputs.file("log", Some(at("one"))).file("map", Some(at("ONE")));
        assert!(refused(&outputs).contains("same file"), "without regard to case");
    }

    #[test]
    fn two_outputs_are_two_files() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        let mut outputs = Outputs::new(true);
        outputs.file("log", Some(at("one"))).file("map", Some(at("sub/../one")));
        assert!(refused(&outputs).contains("log"));
        let mut outputs = Outputs::new(false);
        outputs.file("output", Some("-"));
        assert!(refused(&outputs).contains("./-"));
    }
}
