//! Logs of imaging tools: dc3dd's, and the hash logs of dcfldd and of `pfh dd`. Their totals are
//! digests of the bytes copied into the image. `pfh dd` states their place; the windows of dcfldd
//! state their number, and their digests are not compared.

use super::claim::{Claim, Of};
use pfh_digest::Digest;
use pfh_source::Document;
use pfh_source::os::names::OsStrExt;
use pfh_source::terminal::shown;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// The logs of these tools are not longer.
const LONGEST: u64 = 64 << 20;

/// The statements of a log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LogStatement {
    /// Digests, and their subject.
    Digests(Vec<Digest>, Of),
    /// Nothing that can be compared, and why.
    Nothing(String),
    /// It is a log of something else.
    Other,
}

/// How a log belongs to an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogLink {
    /// The user named it.
    ByUser,
    /// It is called like the image.
    LikeImage,
    /// It lies beside it: it has to name the image.
    Not,
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    Document::read(path, LONGEST)
}

/// Whether a file that the user named as a log is one of these.
pub(super) fn is_one(path: &Path) -> bool {
    let Ok(bytes) = read(path) else { return false };
    is_dc3dd(&bytes) || lines(&bytes).any(|(_, line)| total(line).is_some())
}

/// How a file may belong to an image by its name: `IMAGE.log`, `IMAGE.hashlog`, `IMAGE.ANY.log`; of
/// other logs the content decides.
pub(super) fn named(path: &Path, images: &[&Path]) -> Option<LogLink> {
    let name = path.file_name()?.as_bytes();
    let lower = name.to_ascii_lowercase();
    if !lower.ends_with(b"log") && !lower.ends_with(b"log.txt") {
        return None;
    }
    let is_like = |image: &&Path| {
        let rest = image.file_name().and_then(|image| name.strip_prefix(image.as_bytes()));
        rest.is_some_and(|rest| rest.starts_with(b"."))
    };
    Some(if images.iter().any(is_like) { LogLink::LikeImage } else { LogLink::Not })
}

/// The statements of a log on the image, whose files these are.
///
/// # Errors
/// When it cannot be read.
pub(super) fn stated(path: &Path, named: LogLink, images: &[&Path]) -> io::Result<LogStatement> {
    let bytes = read(path)?;
    Ok(if is_dc3dd(&bytes) {
        by_dc3dd(&bytes, named, images)
    } else if named == LogLink::Not {
        LogStatement::Other
    } else {
        let is_called_so = path.as_os_str().as_bytes().to_ascii_lowercase().ends_with(b"hashlog");
        by_hash_log(&bytes, is_called_so || named == LogLink::ByUser)
    })
}

/// Digests as claims on the image.
pub(super) fn claims(path: &Path, digests: Vec<Digest>, of: Of) -> impl Iterator<Item = Claim> {
    let by = shown(path);
    digests.into_iter().map(move |digest| Claim { digest, of: of.clone(), by: by.clone() })
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let numbered = bytes.split(|byte| *byte == b'\n').enumerate();
    numbered.map(|(number, line)| (number + 1, line.strip_suffix(b"\r").unwrap_or(line)))
}

/// A digest by the name of its algorithm; `None` if the name is not known or the length is wrong.
fn digest(algorithm: &str, hex: &str) -> Option<Digest> {
    let algorithm = crate::REGISTRY.find(algorithm).ok()?;
    Digest::parse(algorithm, &hex.to_ascii_lowercase()).ok()
}

/// `Total (NAME): HEX`; the inner value is `None` where HEX is not a digest of that algorithm.
fn total(line: &[u8]) -> Option<Option<Digest>> {
    let (algorithm, hex) = str::from_utf8(line).ok()?.strip_prefix("Total (")?.split_once("): ")?;
    Some(digest(algorithm, hex.trim_end()))
}

fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// `FROM - UNTIL: HEX`, of `pfh dd` with ` (NAME)` behind the range: the range.
fn window(line: &[u8]) -> Option<(u64, u64)> {
    let (range, hex) = str::from_utf8(line).ok()?.split_once(": ")?;
    let range = range.split_once(" (").map_or(range, |(range, _)| range);
    let (from, until) = range.split_once(" - ")?;
    hex.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some((number(from)?, number(until)?))
}

/// Where in the output its bytes are, as `pfh dd` states it in a hash log: offset and length.
pub(crate) fn place_line(offset: u64, length: u64) -> String {
    format!("# {length} bytes at offset {offset} of the output\n")
}

/// The place in such a line.
fn place(line: &[u8]) -> Option<(u64, u64)> {
    let rest = str::from_utf8(line).ok()?.strip_prefix("# ")?.strip_suffix(" of the output")?;
    let (length, offset) = rest.split_once(" bytes at offset ")?;
    Some((number(offset)?, number(length)?))
}

/// Adds a digest; `false` if another one of the algorithm is there.
fn add(digests: &mut Vec<Digest>, digest: Digest) -> bool {
    match digests.iter().find(|one| one.algorithm() == digest.algorithm()) {
        Some(one) => *one == digest,
        None => {
            digests.push(digest);
            true
        }
    }
}

/// A hash log of dcfldd or `pfh dd`: windows and totals, and nothing else. The log for people of an
/// acquisition has the same name: a log that has no total and is not `promised` to be one is
/// another.
fn by_hash_log(bytes: &[u8], promised: bool) -> LogStatement {
    let mut digests = Vec::new();
    let (mut placed, mut windows) = (None, None);
    if !promised && !lines(bytes).any(|(_, line)| line.starts_with(b"Total (")) {
        return LogStatement::Other;
    }
    for (number, line) in lines(bytes) {
        match total(line) {
            Some(Some(digest)) if add(&mut digests, digest.clone()) => {}
            Some(Some(digest)) => {
                return LogStatement::Nothing(format!("it states two digests by {}", digest.algorithm()));
            }
            Some(None) => return LogStatement::Nothing(format!("line {number} has a digest that is not understood")),
            None if line.is_empty() => {}
            None if placed.is_none() && place(line).is_some() => placed = place(line),
            None if window(line).is_some() => windows = windows.max(window(line).map(|(_, until)| until)),
            None => return LogStatement::Nothing(format!("line {number} is not one of a hash log")),
        }
    }
    match digests.is_empty() {
        true => LogStatement::Nothing("it states no digest of all".to_owned()),
        false => {
            let (offset, length) = placed.unzip();
            LogStatement::Digests(digests, Of::Copied { offset, length: length.or(windows) })
        }
    }
}

const STARTED: &[u8] = b" started at ";

fn is_start(line: &[u8]) -> bool {
    line.starts_with(b"dc3dd ") && line.windows(STARTED.len()).any(|part| part == STARTED)
}

fn is_dc3dd(bytes: &[u8]) -> bool {
    lines(bytes).map(|(_, line)| line).find(|line| !line.is_empty()).is_some_and(is_start)
}

/// One run in a log of dc3dd, which adds each to the end.
#[derive(Debug, Default)]
struct Run {
    /// Digests of the bytes read.
    digests: Vec<Digest>,
    /// Names of the files that were written, without directories.
    outputs: Vec<Vec<u8>>,
    is_complete: bool,
    /// Why its digests are not those of the files that it wrote.
    apart: Option<String>,
}

/// The name in "... results for file `NAME':", without its directory.
fn name(line: &[u8], what: &str) -> Option<Vec<u8>> {
    let rest = line.strip_prefix(what.as_bytes())?;
    let kinds: [&[u8]; 3] = [b"file `", b"files `", b"device `"];
    let rest = kinds.iter().find_map(|kind| rest.strip_prefix(*kind))?;
    let path = Path::new(OsStr::from_bytes(rest.strip_suffix(b"':")?));
    path.file_name().map(|name| name.as_bytes().to_owned())
}

/// Reads a line on the input; `false` if it is none of those that dc3dd writes there.
fn input(line: &[u8], run: &mut Run) -> bool {
    let Some(text) = str::from_utf8(line).ok().and_then(|line| line.strip_prefix("   ")) else { return false };
    if text.starts_with("   ") {
        // The digest of one of several pieces.
        return text.contains(", sectors ");
    }
    if let Some((hex, algorithm)) = text.strip_suffix(')').and_then(|text| text.split_once(" (")) {
        return digest(algorithm, hex).is_some_and(|digest| add(&mut run.digests, digest));
    }
    let is_count = text.split_once(' ').is_some_and(|(count, _)| count.bytes().all(|byte| byte.is_ascii_digit()));
    is_count && text.contains("sector")
}

/// The runs of a log of dc3dd; an error names the line that is not understood.
fn runs(bytes: &[u8]) -> Result<Vec<Run>, usize> {
    let mut runs: Vec<Run> = Vec::new();
    let mut is_input = false;
    for (number, line) in lines(bytes) {
        if is_start(line) {
            runs.push(Run::default());
            is_input = false;
            continue;
        }
        let Some(run) = runs.last_mut() else { continue };
        if is_input && !line.is_empty() {
            if !input(line, run) {
                return Err(number);
            }
            continue;
        }
        is_input = name(line, "input results for ").is_some();
        run.outputs.extend(name(line, "output results for "));
        run.is_complete |= line.starts_with(b"dc3dd completed at ");
        if let Some(words) = line.strip_prefix(b"command line: ") {
            let mut words = words.split(|byte| *byte == b' ');
            let is_apart = |word: &&[u8]| word.starts_with(b"oskip=") || word.starts_with(b"app=");
            let found = words.find(is_apart).map(String::from_utf8_lossy);
            run.apart = found
                .map(|word| format!("the image is a part of the file ({word}), and it states no digest of the file"));
        }
    }
    Ok(runs)
}

/// The last run of a dc3dd log that wrote the image.
fn by_dc3dd(bytes: &[u8], named: LogLink, images: &[&Path]) -> LogStatement {
    let runs = match runs(bytes) {
        Ok(runs) => runs,
        Err(_) if named == LogLink::Not && !names(bytes, images) => return LogStatement::Other,
        Err(number) => return LogStatement::Nothing(format!("line {number} is not understood")),
    };
    let has_written = |run: &&Run| run.outputs.iter().any(|name| is_name(name, images));
    // An image may have another name by now.
    let only = || runs.first().filter(|_| runs.len() == 1 && named != LogLink::Not);
    let Some(run) = runs.iter().rev().find(has_written).or_else(only) else {
        return if named == LogLink::Not {
            LogStatement::Other
        } else {
            LogStatement::Nothing("it is of other images".to_owned())
        };
    };
    match run {
        Run { is_complete: false, .. } => LogStatement::Nothing("the run was not completed".to_owned()),
        Run { apart: Some(why), .. } => LogStatement::Nothing(why.clone()),
        Run { digests, .. } if digests.is_empty() => LogStatement::Nothing("it states no digest".to_owned()),
        Run { digests, .. } => LogStatement::Digests(digests.clone(), Of::Content),
    }
}

fn is_name(name: &[u8], images: &[&Path]) -> bool {
    images.iter().any(|image| image.file_name().is_some_and(|image| image.as_bytes() == name))
}

/// Whether a log that is not understood names the image as one that was written.
fn names(bytes: &[u8], images: &[&Path]) -> bool {
    lines(bytes).any(|(_, line)| name(line, "output results for ").is_some_and(|name| is_name(&name, images)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

    fn read(text: &str, named: LogLink) -> LogStatement {
        let images = [Path::new("case/disk.img")];
        if is_dc3dd(text.as_bytes()) {
            by_dc3dd(text.as_bytes(), named, &images)
        } else {
            by_hash_log(text.as_bytes(), named == LogLink::ByUser)
        }
    }

    fn md5(of: Of) -> LogStatement {
        LogStatement::Digests(vec![digest("md5", MD5).expect("a digest")], of)
    }

    fn run(output: &str, hex: &str, end: &str) -> String {
        format!(
            "\ndc3dd 7.2.646 started at 2026-01-01 00:00:00 +0000\ncompiled options:\ncommand line: dc3dd if=x of=y\n\n\
             input results for file `x':\n   1 sectors + 488 bytes in\n   {hex} (md5)\n      {hex}, sectors 0 - 1\n\n\
             output results for file `{output}':\n   1 sectors out\n\ndc3dd {end} at 2026-01-01 00:00:01 +0000\n\n"
        )
    }

    #[test]
    fn hash_logs() {
        let total = format!("0 - 512: {MD5}\n512 - 700: {MD5}\n\nTotal (md5): {MD5}\n");
        for named in [LogLink::ByUser, LogLink::LikeImage] {
            let of = |offset, length| md5(Of::Copied { offset, length });
            assert_eq!(read(&total, named), of(None, Some(700)));
            assert_eq!(read(&total.replace('\n', "\r\n"), named), of(None, Some(700)));
            assert_eq!(read(&total[total.find("Total").expect("a total")..], named), of(None, None));
            let placed = format!("{}{total}", place_line(4096, 700));
            assert_eq!(read(&placed, named), of(Some(4096), Some(700)));
            for wrong in [
                total.replace("Total (md5)", "Total (none)"),
                total.replace("Total (md5)", "Total (sha1)"),
                format!("{total}more\n"),
                format!("# bytes at offset 4096 of the output\n{total}"),
                format!("{0}{0}{total}", place_line(4096, 700)),
                format!("{total}Total (md5): {}\n", "0".repeat(32)),
            ] {
                assert!(matches!(read(&wrong, named), LogStatement::Nothing(_)), "{wrong}");
            }
        }
        let windows = format!("0 - 512: {MD5}\n");
        assert!(matches!(read(&windows, LogLink::ByUser), LogStatement::Nothing(_)));
        assert_eq!(read("pfh acquire disk\n", LogLink::LikeImage), LogStatement::Other);
    }

    #[test]
    fn logs_of_dc3dd() {
        let own = run("/mnt/disk.img", MD5, "completed");
        for named in [LogLink::ByUser, LogLink::LikeImage, LogLink::Not] {
            assert_eq!(read(&own, named), md5(Of::Content), "{named:?}");
            // The last run that wrote the image counts.
            let before = run("disk.img", &"0".repeat(32), "completed");
            let after = run("other.img", &"0".repeat(32), "completed");
            assert_eq!(read(&format!("{before}{own}{after}"), named), md5(Of::Content));
            for wrong in [
                run("disk.img", MD5, "aborted"),
                format!("{own}{}", run("disk.img", MD5, "aborted")),
                own.replace(MD5, "0"),
                own.replace("   1 sectors +", "   one"),
                own.replace("of=y", "of=y oskip=4"),
            ] {
                assert!(matches!(read(&wrong, named), LogStatement::Nothing(_)), "{wrong}");
            }
        }
        let other = run("other.img", MD5, "completed");
        assert_eq!(read(&other, LogLink::Not), LogStatement::Other);
        assert_eq!(read(&other, LogLink::ByUser), md5(Of::Content), "the image has another name by now");
        assert!(matches!(read(&format!("{other}{other}"), LogLink::ByUser), LogStatement::Nothing(_)));
    }

    #[test]
    fn names_of_logs() {
        let images = [Path::new("case/disk.img")];
        for (name, expected) in [
            ("disk.img.log", Some(LogLink::LikeImage)),
            ("disk.img.hashlog", Some(LogLink::LikeImage)),
            ("disk.img.md5.log", Some(LogLink::LikeImage)),
            ("hashlog.txt", Some(LogLink::Not)),
            ("disk.log", Some(LogLink::Not)),
            ("disk.img.txt", None),
            ("disk.img.log.jsonl", None),
        ] {
            assert_eq!(named(&Path::new("case").join(name), &images), expected, "{name}");
        }
    }
}
