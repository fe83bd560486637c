//! The time stamp beside a chained log: which line it covers, and who signed it.

use super::findings::Findings;
use crate::acquire::{self, stamp_name};
use crate::verdict::{About, Comparison, Evidence};
use pfh_custody::stamp::Stamp;
use pfh_source::terminal::shown;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Longest answer of an authority that is read.
const MOST: u64 = 1 << 20;

/// The line of the log that a time stamp is of.
enum Line {
    /// The last one.
    Last,
    /// An earlier one, counted from 1: the log was continued since.
    Earlier(usize),
    /// None.
    None,
}

/// Looks at the time stamp of a log whose chain holds, if there is one. `authority` holds the
/// certificates by which its signature is checked.
pub(super) fn beside(log: &Path, authority: Option<&Path>, findings: &mut Findings) {
    let path = stamp_name(log);
    let name = shown(&path);
    let answer = match read(&path) {
        Ok(answer) => answer,
        Err(error) if error.kind() == io::ErrorKind::NotFound && authority.is_none() => return,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return findings.open(format!("{name}: there is no time stamp to check"));
        }
        Err(error) => return findings.open(format!("{name}: {error}")),
    };
    let stamp = match Stamp::read(&answer) {
        Ok(stamp) => stamp,
        Err(error) => {
            let text = format!("{name}: not a time stamp: {error}");
            return findings.contradicts(About::Log, "the time stamp", &shown(log), text);
        }
    };
    let Some(sha256) = stamp.sha256 else {
        return findings.open(format!("{name}: a time stamp by another algorithm than sha256, which is not read"));
    };
    let time = &stamp.time;
    match line_of(log, &sha256) {
        Ok(Line::Last) => findings.note(format!("{name}: a time stamp of the log's last line, of {time} (sha256)")),
        Ok(Line::Earlier(line)) => {
            let since = "the log was continued since";
            findings.note(format!("{name}: a time stamp of line {line} of the log, of {time} (sha256): {since}"));
        }
        Ok(Line::None) => {
            let text = format!("{name}: a time stamp of {time} that is not of this log, by sha256");
            return findings.contradicts(About::Log, "the line that was stamped", &name, text);
        }
        Err(error) => return findings.open(format!("{}: {error}", shown(log))),
    }
    signature(&stamp, &path, authority, findings);
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(crate::Patient::open(path)?, MOST), &mut bytes)?;
    Ok(bytes)
}

/// The line whose bytes, with the line end, have this digest.
fn line_of(log: &Path, stamped: &[u8; 32]) -> io::Result<Line> {
    let mut text = Vec::new();
    io::Read::read_to_end(&mut crate::Patient::open(log)?, &mut text)?;
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    for (at, line) in lines.iter().enumerate().rev() {
        if acquire::line_digest(line)? == *stamped {
            return Ok(if at + 1 == lines.len() { Line::Last } else { Line::Earlier(at + 1) });
        }
    }
    Ok(Line::None)
}

/// Checks who signed it, by the program `openssl` at the time that the stamp states; without
/// certificates only says how that is checked.
fn signature(stamp: &Stamp, path: &Path, authority: Option<&Path>, findings: &mut Findings) {
    let (name, words) = (shown(path), stamp.openssl().unwrap_or_default());
    let Some(authority) = authority else {
        let words = words.join(" ");
        return findings.note(format!(
            "{name}: whose signature it has was not checked: openssl {words} -in {name} -CAfile CERTIFICATES"
        ));
    };
    let mut command = Command::new("openssl");
    command.args(&words).arg("-in").arg(path).arg("-CAfile").arg(authority).stdin(Stdio::null());
    match command.output() {
        Ok(output) if output.status.success() => {
            let what = "the time stamp's signature (openssl ts -verify)";
            findings.equal(Comparison::new(About::Log, what, shown(authority), Evidence::Fact));
            findings.note(format!("{name}: signed by an authority of {} (openssl ts -verify)", shown(authority)));
        }
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let cause =
                said.lines().find(|line| line.contains(":error:")).or(said.lines().last()).unwrap_or("no cause");
            // Number, "error", code, library, function, reason, file, line, details.
            let words: Vec<&str> = cause.split(':').collect();
            let cause = [5, 8].iter().filter_map(|at| words.get(*at)).filter(|word| !word.is_empty());
            let cause: Vec<&str> = cause.copied().collect();
            let text = format!(
                "{name}: its signature is not by an authority of {} (openssl ts -verify: {})",
                shown(authority),
                if cause.is_empty() { said.trim().to_owned() } else { cause.join(", ") }
            );
            findings.contradicts(About::Log, "the time stamp's signature", &shown(authority), text);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            findings.open(format!("{name}: whose signature it has is not checked: openssl is not installed"));
        }
        Err(error) => findings.open(format!("{name}: openssl: {error}")),
    }
}
