//! Reading a member from its first byte to its last.

use super::find::{FoundMember, find};
use super::problem::Problem;
use super::request::Request;
use crate::destination::Destination;
use crate::job::Error;
use pfh_engine::Control;
use pfh_source::Stage;
use std::io::{self, Read};

/// Bytes that are handed on at once.
const PIECE: usize = 256 << 10;

/// Findings, in this order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The member was found: its bytes follow.
    Found(&'a FoundMember),
    /// The next of its bytes.
    Bytes(&'a [u8]),
}

/// Receives the events. An error ends the run with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The result.
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
        // The bytes before the error are on standard output, and in no file.
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
