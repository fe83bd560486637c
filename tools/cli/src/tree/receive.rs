//! `pfh tree receive`: the parts, and the job.

use super::args::Receive;
use super::carry::carry_out;
use crate::exit::{Exit, Failure};
use crate::size;
use pfh::name_bytes::{OsStrExt, OsStringExt};
use pfh::tree::receive::{self as job, Delivery, Sender};
use std::ffi::{OsStr, OsString};

/// Carries it out.
///
/// # Errors
/// The job's; that a part is none.
pub fn run(args: &Receive) -> Result<Exit, Failure> {
    let parts = args.parts.iter().map(|part| delivery(part)).collect::<Result<Vec<Delivery>, Failure>>()?;
    let mut request = job::Request::new(&args.output, parts);
    let secret = args.keyed.secret()?;
    request = request.algorithm(&args.algorithm, args.leaf, secret.as_ref()).map_err(Failure::refused)?;
    request.tree = args.outboard.clone().unwrap_or(request.tree);
    (request.length, request.every, request.replace) = (args.size, args.receipt_every, args.force);
    request.threads = args.threads.map_or(request.threads, usize::from);
    if let Some(memory) = args.memory {
        request.memory = usize::try_from(memory).map_err(Failure::usage)?;
    }
    carry_out(!args.no_progress, args.json, |events, control| job::run(&request, events, control))?;
    Ok(Exit::Good)
}

/// Reads `64KiB+4096=part`: where, how many bytes, and who sends them.
fn delivery(part: &OsStr) -> Result<Delivery, Failure> {
    let wrong = || {
        let part = pfh::terminal::render(part.as_encoded_bytes());
        Failure::usage(format_args!(
            "{part} is not a part: write OFFSET=SENDER or OFFSET+LENGTH=SENDER, as 64KiB+4096=part"
        ))
    };
    let bytes = part.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=').filter(|at| at + 1 < bytes.len()).ok_or_else(wrong)?;
    let place = std::str::from_utf8(&bytes[..at]).map_err(|_| wrong())?;
    let (offset, length) = place.split_once('+').map_or((place, None), |(offset, length)| (offset, Some(length)));
    let size = |text: &str| size::parse(text).map_err(|_| wrong());
    let length = length.map(size).transpose()?;
    Ok(Delivery::new(Sender::named(OsString::from_vec(bytes[at + 1..].to_vec())), size(offset)?, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let part = |text: &str| delivery(OsStr::new(text)).ok();
        let file = |name: &str| Sender::File(name.into());
        assert_eq!(part("0=a"), Some(Delivery::new(file("a"), 0, None)));
        assert_eq!(part("64KiB+4096=a=b"), Some(Delivery::new(file("a=b"), 65536, Some(4096))));
        assert_eq!(part("7=tcp://localhost:9"), Some(Delivery::new(Sender::Tcp("localhost:9".into()), 7, None)));
        for text in ["", "a", "=a", "0=", "+=a", "1+=a", "+1=a", "x=a", "-1=a", "1+1+1=a", "1:1=a"] {
            assert_eq!(part(text), None, "{text}");
        }
    }
}
