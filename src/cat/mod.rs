//! The job *cat*: the bytes of one member of an image, a file system or an archive, by the name
//! that `list` and `hash` print.
//!
//! [`find`] looks a name up and says where its bytes lie; [`run`] hands the bytes to its caller,
//! [`write`](write()) to an output. A name that two members have is refused, and one that is not
//! there comes with the nearest ones.
//!
//! ```
//! use pfh::cat::{self, Request};
//! use pfh::Control;
//!
//! # let file = std::env::temp_dir().join(format!("pfh-cat-{}.gz", std::process::id()));
//! # let head = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
//! # std::fs::write(&file, [&head[..], b"\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0"].concat())?;
//! let name = [file.as_os_str().as_encoded_bytes(), b"!/", file.file_stem().unwrap().as_encoded_bytes()].concat();
//! let mut bytes = Vec::new();
//! let summary = cat::run(&Request::new(name), &mut |event| {
//!     if let cat::Event::Bytes(part) = event {
//!         bytes.extend_from_slice(part);
//!     }
//!     Ok(())
//! }, &Control::new())?;
//! assert_eq!((&bytes[..], summary.bytes), (&b"abc"[..], 3));
//! # std::fs::remove_file(&file)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod find;
mod near;
mod problem;

pub use find::{Found, find};
pub use problem::Problem;

use crate::destination::Destination;
use crate::input::Input;
use crate::job::Error;
use crate::outputs::Outputs;
use pfh_engine::Control;
use pfh_source::Stage;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;

/// Bytes that are handed on at once.
const PIECE: usize = 256 << 10;

/// Which bytes of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Part {
    /// Its content.
    #[default]
    Content,
    /// What lies behind its end in its last block.
    Slack,
    /// Its bytes as they are stored, before they are decompressed.
    Stored,
}

/// A member, and which of its bytes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Its name as `list` and `hash` print it.
    pub name: Vec<u8>,
    /// Which bytes.
    pub part: Part,
    /// How containers are opened: limits, keys, raw media. Deleted members and space that no file
    /// has are looked at if the name is that of one.
    pub inside: crate::inside::Options,
    /// What the caller writes of the events: refused where it is a file that is read.
    pub outputs: Outputs,
    /// Whether files of the outputs' names are replaced; never what is read.
    pub replace: bool,
}

impl Request {
    /// The content of the member of this name.
    pub fn new(name: impl Into<Vec<u8>>) -> Request {
        Request {
            name: name.into(),
            part: Part::Content,
            inside: crate::inside::Options::default(),
            outputs: Outputs::default(),
            replace: false,
        }
    }

    /// These of its bytes.
    #[must_use]
    pub fn part(mut self, part: Part) -> Request {
        self.part = part;
        self
    }

    /// Opens containers with these options.
    #[must_use]
    pub fn inside(mut self, inside: crate::inside::Options) -> Request {
        self.inside = inside;
        self
    }

    /// Replaces existing files of the outputs' names.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// Whether the run may start: nothing is read.
    ///
    /// # Errors
    /// When the name is not one of a member, or an output is in the way.
    pub fn check(&self) -> Result<(), Error> {
        let container = self.container()?;
        let mut outputs = self.outputs.clone();
        outputs.set_replace(self.replace);
        let mut input = Input::new([OsString::from_vec(container)]);
        input.inside = Some(self.inside.clone());
        input.guard(&mut outputs);
        Ok(outputs.check()?)
    }

    /// The file that the member is in, as the file system has it.
    fn container(&self) -> Result<Vec<u8>, Error> {
        let none = || Error::request(Problem::NoMember(self.name.clone()));
        let container = crate::inside::is_inside(&self.name).ok_or_else(none)?;
        let is_there = std::fs::symlink_metadata(OsString::from_vec(self.name.clone())).is_ok();
        if is_there { Err(Error::request(Problem::File(self.name.clone()))) } else { Ok(container) }
    }
}

/// Findings, in this order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The member was found: its bytes follow.
    Found(&'a Found),
    /// The next of its bytes.
    Bytes(&'a [u8]),
}

/// Receives the events. An error ends the run with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How many bytes there are.
    pub bytes: u64,
}

/// Reads the member from its first byte to its last.
///
/// # Errors
/// When the request makes no sense, no member has the name or two have it, or it cannot be read
/// to its end: the bytes before came as events.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let found = find(request, control)?;
    events(Event::Found(&found)).map_err(Error::Sink)?;
    let mut reader = found.open()?;
    let mut bytes = 0;
    let mut piece = vec![0; PIECE];
    loop {
        if control.cancel().is_cancelled() {
            return Err(Error::cancelled(Problem::Interrupted(bytes)));
        }
        match reader.read(&mut piece) {
            Ok(0) => return Ok(Summary { bytes }),
            Ok(got) => {
                bytes += got as u64;
                events(Event::Bytes(&piece[..got])).map_err(Error::Sink)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::input(Problem::read(&found.name, bytes, Stage::Read, &error))),
        }
    }
}

/// Writes the bytes of the member. A file appears whole or not at all.
///
/// # Errors
/// As [`run`]; when the output cannot be written.
pub fn write(
    request: &Request,
    output: &Destination,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<Summary, Error> {
    let mut request = request.clone();
    request.outputs.file("output", output.path());
    request.check()?;
    let mut out = None;
    let ran = run(
        &request,
        &mut |event| {
            if let Event::Bytes(bytes) = event {
                let out = opened(&mut out, output)?;
                out.room().extend_from_slice(bytes);
                return out.advance();
            }
            events(event)
        },
        control,
    );
    let Ok(summary) = ran else {
        // What came before the error is on standard output, and in no file.
        if let (None, Some(out)) = (output.path(), &mut out) {
            io::Write::flush(out).map_err(Error::Sink)?;
        }
        return ran;
    };
    opened(&mut out, output).map_err(Error::Sink)?;
    if let Some(out) = out {
        out.commit().map_err(Error::Sink)?;
    }
    Ok(summary)
}

/// The output, opened at the first byte: nothing is made for a member that is not there.
fn opened<'a>(out: &'a mut Option<pfh_source::Output>, output: &Destination) -> io::Result<&'a mut pfh_source::Output> {
    if out.is_none() {
        *out = Some(output.open().map_err(io::Error::other)?);
    }
    out.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
}
