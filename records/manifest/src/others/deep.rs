//! Lines of sums with more in them: the columns of `md5deep -z -c -t -Z`, `sha256:…` and
//! `sha256-…` in front of a digest, FSUM's `?MD5*` behind it.

use data_encoding::{BASE64, BASE64URL_NOPAD};
use pfh_digest::{Algorithm, Digest, Output, Registry};

use super::algorithm;
use crate::digits;
use crate::entry::Fault;

/// The longest name of an algorithm in front of a digest.
const LABEL: usize = 24;

/// The columns of a line of md5deep.
pub(crate) struct Columns<'a> {
    pub(crate) size: Option<u64>,
    pub(crate) digest: &'a [u8],
    pub(crate) name: &'a [u8],
}

fn is_digits(text: &[u8]) -> bool {
    text.len() >= 32 && text.iter().all(u8::is_ascii_hexdigit)
}

/// The first word up to one of `ends`, and the rest behind that byte.
fn word<'a>(line: &'a [u8], ends: &[u8]) -> Option<(&'a [u8], u8, &'a [u8])> {
    let at = line.iter().position(|byte| ends.contains(byte))?;
    Some((&line[..at], line[at], &line[at + 1..]))
}

/// Takes a line of md5deep apart; `None` for lines without a size, a comma or a time in front of
/// the name, which are those of all others.
pub(crate) fn split(line: &[u8]) -> Option<Columns<'_>> {
    // -z: a size in front, right-aligned. -Z: columns between tabs, the second the digest of the
    // beginning alone.
    let line = line.trim_ascii_start();
    let (first, separator, rest) = word(line, b" \t,")?;
    let numeric = !first.is_empty() && first.len() <= 20 && first.iter().all(u8::is_ascii_digit);
    if numeric && separator == b'\t' {
        let (_, _, rest) = word(rest, b"\t")?;
        let (digest, _, name) = word(rest, b"\t")?;
        // -z repeats the size there.
        let digest = digest.trim_ascii().rsplit(|byte| *byte == b' ').next().unwrap_or_default();
        return is_digits(digest).then_some(Columns { size: number(first), digest, name });
    }
    let (size, line) = if numeric { (number(first), rest.trim_ascii_start()) } else { (None, line) };
    let (digest, separator, rest) = word(line, b" ,")?;
    // A size alone in front of something else is not a digest's neighbour.
    if !is_digits(digest) {
        return None;
    }
    match (separator, size) {
        // -c
        (b',', _) => Some(Columns { size, digest, name: rest }),
        // -t: the time in local hours, which say nothing without their zone.
        (_, _) if rest.get(..19).is_some_and(is_time) => {
            Some(Columns { size, digest, name: rest[19..].strip_prefix(b"  ")? })
        }
        // ExactFile's have a mark.
        (_, Some(_)) if rest.starts_with(b"?") => None,
        (_, Some(_)) => Some(Columns { size, digest, name: rest.strip_prefix(b" ")? }),
        _ => None,
    }
}

fn number(text: &[u8]) -> Option<u64> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// `2026:11:22:16:44:11`
fn is_time(text: &[u8]) -> bool {
    let shape = b"dddd:dd:dd:dd:dd:dd";
    text.len() == shape.len()
        && text
            .iter()
            .zip(shape)
            .all(|(byte, shape)| if *shape == b'd' { byte.is_ascii_digit() } else { *byte == b':' })
}

/// The digest of `sha256:HEX` (OCI, fs-verity), `sha256-BASE64` (subresource integrity),
/// `sha256=BASE64` (wheels, RFC 3230), `sha-256=:BASE64:` (RFC 9530), `SHA-256: HEX` or `XXH3_HEX`
/// (xxhsum's XXH3 with 64 bits); `None` for a word that does not start so.
pub(crate) fn stated(registry: Registry, text: &[u8]) -> Option<Result<Digest, Fault>> {
    if let Some(value) = text.strip_prefix(b"XXH3_") {
        return Some(digits::digest(registry.find("xxh3-64").ok()?, value));
    }
    // The longest name of an algorithm: `sha-256=` is not of `sha`.
    let (at, algorithm) = (2..text.len().min(LABEL)).rev().find_map(|at| {
        let name = str::from_utf8(&text[..at]).ok().filter(|_| matches!(text[at], b':' | b'-' | b'='))?;
        // `sdbf:` is the beginning of a digest.
        Some((at, algorithm(registry, name).filter(|algorithm| algorithm.output() != Output::Text)?))
    })?;
    let value = text[at + 1..].trim_ascii_start();
    let value = value.strip_prefix(b":").and_then(|value| value.strip_suffix(b":")).unwrap_or(value);
    Some(match text[at] {
        b':' => digits::digest(algorithm, value),
        b'-' => whole(algorithm, BASE64.decode(value).ok()),
        _ => digits::digest(algorithm, value).or_else(|_| whole(algorithm, BASE64URL_NOPAD.decode(value).ok())),
    })
}

/// A digest, and its algorithm; `Err` is a name that is not known here.
type LabelledDigest<'a> = (Result<Algorithm, &'a str>, &'a [u8]);

/// The digests of a field that holds several with their algorithms: `SHA1=…,MD5=…` of Sysmon,
/// `{"MD5":"…","SHA1":"…"}` of Velociraptor.
pub(crate) fn several(registry: Registry, text: &[u8]) -> Option<Vec<LabelledDigest<'_>>> {
    let text = str::from_utf8(text).ok().filter(|text| text.contains(',') || text.starts_with('{'))?;
    let found = text.split(',').map(|part| {
        let (name, digest) = part.split_once(['=', ':'])?;
        let (name, digest) = (trimmed(name), trimmed(digest));
        let is_one = !digest.is_empty() && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then(|| (algorithm(registry, name).ok_or(name), digest.as_bytes()))
    });
    let found: Vec<LabelledDigest<'_>> = found.collect::<Option<_>>()?;
    found.iter().any(|(of, _)| of.is_ok()).then_some(found)
}

/// A text without the marks of JSON around it.
fn trimmed(text: &str) -> &str {
    text.trim_matches(['{', '}', '"', ' '])
}

fn whole(algorithm: Algorithm, bytes: Option<Vec<u8>>) -> Result<Digest, Fault> {
    bytes.and_then(|bytes| Digest::from_bytes(algorithm, &bytes).ok()).ok_or(Fault::WrongLength)
}

/// The digest of a field that names an algorithm and repeats it in its value; `None` unless it
/// does.
pub(crate) fn stated_as(algorithm: Algorithm, text: &[u8]) -> Option<Result<Digest, Fault>> {
    let at = text.iter().position(|byte| matches!(byte, b':' | b'-' | b'='))?;
    let name = str::from_utf8(&text[..at]).ok()?;
    name.eq_ignore_ascii_case(algorithm.name()).then(|| digits::digest(algorithm, &text[at + 1..]))
}

/// The algorithm and the name behind a mark such as FSUM's `?MD5*` and TeraCopy's `?BLAKE2sp*`,
/// which binds; `None` for other lines.
pub(crate) fn marked(registry: Registry, rest: &[u8]) -> Option<(Result<Algorithm, Fault>, &[u8])> {
    let rest = rest.strip_prefix(b"?")?;
    let at = rest.iter().take(32).position(|&byte| byte == b'*').filter(|&at| at > 1)?;
    let word = str::from_utf8(&rest[..at]).ok()?;
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/'));
    let stated = algorithm(registry, word).ok_or_else(|| Fault::UnknownAlgorithm(word.into()));
    plain.then_some((stated, &rest[at + 1..]))
}
