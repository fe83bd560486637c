//! The time stamp beside a chained log: which line it covers, and who signed it.

use super::findings::{Findings, STAMP};
use super::log::Log;
use crate::acquire::{self, stamp_name};
use crate::verdict::{Comparison, Evidence, Subject};
use pfh_custody::chain::Sound;
use pfh_custody::stamp::Stamp;
use pfh_source::Document;
use pfh_source::terminal::shown;
use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Longest answer of an authority that is read.
const MOST: u64 = 1 << 20;

/// The line of the log that a time stamp is of.
enum Line {
    /// The last one of those that are verified.
    Last,
    /// An earlier one, counted from 1.
    Earlier(usize),
    /// None.
    None,
}

/// Looks at the time stamp of a log whose chain holds, if there is one. `authority` holds the
/// certificates by which its signature is checked.
pub(super) fn beside(log: &Log, authority: Option<&Path>, findings: &mut Findings) {
    let (text, sound, log) = (&log.text[..], &log.sound, &*log.path);
    let path = stamp_name(log);
    let name = shown(&path);
    let answer = match read(&path) {
        Ok(answer) => answer,
        // An authority that did not answer leaves none either, and that acquisition ended with 3.
        Err(error) if error.kind() == io::ErrorKind::NotFound && authority.is_none() => {
            if asked(sound) {
                let what = "the log states that a time stamp was asked for, and there is none";
                findings.open(format!("{name}: {what}: it was removed, or the authority gave none"));
            }
            return;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return findings.open(format!("{name}: there is no time stamp to check"));
        }
        Err(error) => return findings.open(format!("{name}: {error}")),
    };
    let stamp = match Stamp::read(&answer) {
        Ok(stamp) => stamp,
        Err(error) => {
            let text = format!("{name}: not a time stamp: {error}");
            return findings.contradicts(Subject::Log, STAMP, &shown(log), text);
        }
    };
    let Some(sha256) = stamp.sha256 else {
        return findings.open(format!("{name}: a time stamp by another algorithm than sha256, which is not read"));
    };
    let time = &stamp.time;
    match line_of(text, sound, &sha256) {
        Ok(Line::Last) => findings.note(format!("{name}: a time stamp of the log's last line, of {time} (sha256)")),
        Ok(Line::Earlier(line)) => {
            let what = "what stands behind it may be younger";
            findings.open(format!("{name}: a time stamp of line {line} of the log, of {time} (sha256): {what}"));
        }
        Ok(Line::None) => {
            let text = format!("{name}: a time stamp of {time} that is not of this log, by sha256");
            return findings.contradicts(Subject::Log, STAMP, &name, text);
        }
        Err(error) => return findings.open(format!("{}: {error}", shown(log))),
    }
    signature(&stamp, (&path, &answer), authority, findings);
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    Document::read(path, MOST)
}

/// Whether the last run of a log asked for a time stamp.
fn asked(sound: &Sound) -> bool {
    let last = sound.records.iter().rfind(|record| record.get("kind").is_some_and(|kind| kind == "start"));
    last.is_some_and(|record| record.get("timestamp").is_some())
}

/// The line whose bytes, with the line end, have this digest.
fn line_of(text: &[u8], sound: &Sound, stamped: &[u8; 32]) -> io::Result<Line> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    for (at, line) in lines.iter().enumerate().rev() {
        if acquire::line_digest(line)? == *stamped {
            return Ok(if at as u64 + 1 == sound.lines() { Line::Last } else { Line::Earlier(at + 1) });
        }
    }
    Ok(Line::None)
}

/// Where the program `openssl` is looked for. Not in `PATH`: who sets that would decide who signed.
#[cfg(not(windows))]
const PROGRAMS: [&str; 6] = [
    "/usr/bin/openssl",
    "/bin/openssl",
    "/usr/local/bin/openssl",
    "/opt/homebrew/bin/openssl",
    "/opt/local/bin/openssl",
    "/run/current-system/sw/bin/openssl",
];
#[cfg(windows)]
const PROGRAMS: [&str; 2] =
    [r"C:\Program Files\OpenSSL-Win64\bin\openssl.exe", r"C:\Program Files\Git\usr\bin\openssl.exe"];

/// Messages of OpenSSL where the certificates do not lead to the signer, or the file holds none:
/// the stamp is not at fault then.
const NOT_THEIRS: [&str; 6] = [
    "unable to get local issuer certificate",
    "self-signed certificate in certificate chain",
    "self signed certificate in certificate chain",
    "unable to get issuer certificate",
    "Error loading file",
    "loading of certificates",
];

/// Checks who signed it, by the program `openssl` at the time that the stamp states; without
/// certificates only says how that is checked.
fn signature(stamp: &Stamp, (path, answer): (&Path, &[u8]), authority: Option<&Path>, findings: &mut Findings) {
    let (name, words) = (shown(path), stamp.openssl().unwrap_or_default());
    let Some(authority) = authority else {
        let words = words.join(" ");
        return findings.note(format!(
            "{name}: whose signature it has was not checked: openssl {words} -in {name} -CAfile CERTIFICATES"
        ));
    };
    let Some(program) = PROGRAMS.iter().map(Path::new).find(|program| program.is_file()) else {
        let places = PROGRAMS.join(", ");
        let text = format!("{name}: whose signature it has is not checked: there is no openssl ({places})");
        return findings.open(text);
    };
    let output = match verified(program, &words, (path, answer), authority) {
        Ok(output) => output,
        Err(error) => return findings.open(format!("{name}: {}: {error}", shown(program))),
    };
    let (program, by) = (shown(program), shown(authority));
    if output.status.success() {
        let what = "the time stamp's signature (openssl ts -verify)";
        findings.equal(Comparison::new(Subject::Log, what, &*by, Evidence::Fact));
        return findings.note(format!("{name}: signed by an authority of {by} ({program} ts -verify)"));
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let cause = said.lines().find(|line| line.contains(":error:")).or(said.lines().last()).unwrap_or("no cause");
    // Number, "error", code, library, function, reason, file, line, details.
    let words: Vec<&str> = cause.split(':').collect();
    let cause = [5, 8].iter().filter_map(|at| words.get(*at)).filter(|word| !word.is_empty());
    let cause: Vec<&str> = cause.copied().collect();
    let cause = if cause.is_empty() { said.trim().to_owned() } else { cause.join(", ") };
    // The stamp was compared with nothing: its signer may be sound, and these certificates are
    // others.
    if NOT_THEIRS.iter().any(|words| said.contains(words)) {
        let what = "its signature is not by an authority of";
        return findings.open(format!("{name}: {what} {by}, or that is not a file of certificates: {cause}"));
    }
    let text =
        format!("{name}: its signature does not hold by the certificates of {by} ({program} ts -verify: {cause})");
    findings.contradicts(Subject::Log, STAMP, &by, text);
}

/// Runs `openssl ts -verify` on the answer that was read: it is handed over, and not opened again.
fn verified(program: &Path, words: &[String], (path, answer): (&Path, &[u8]), authority: &Path) -> io::Result<Output> {
    let mut command = Command::new(program);
    // No settings of the caller's: a configuration can name engines and other certificates.
    for name in ["OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "SSL_CERT_FILE", "SSL_CERT_DIR"] {
        command.env_remove(name);
    }
    let standard = Path::new("/dev/stdin");
    let is_handed = cfg!(unix) && standard.exists();
    command.args(words).arg("-in").arg(if is_handed { standard } else { path });
    command.arg("-CAfile").arg(authority).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take().filter(|_| is_handed) {
        // A program that ends early says why by itself.
        let _ = io::Write::write_all(&mut input, answer);
    }
    child.wait_with_output()
}
