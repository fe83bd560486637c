//! Digests as text: hexadecimal of either case, base64 with exact padding as GNU `cksum --base64`
//! writes it, or base32 of either case without padding, as programs for sharing files write the
//! Tiger tree and AICH.

use data_encoding::{BASE32_NOPAD, BASE64, BASE64URL};
use pfh_digest::{Algorithm, Digest, Output, Registry, Standing};
use pfh_similarity::MethodName;

use crate::entry::{Fault, Options};
use crate::similarity;
use pfh_digest::hex;

/// The usual algorithms by the length of their digests: those of the GNU tools.
pub(crate) const USUAL: [&str; 6] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

/// A digest of a known algorithm.
pub fn digest(algorithm: Algorithm, text: &[u8]) -> Result<Digest, Fault> {
    if algorithm.output() == Output::Text {
        let text = str::from_utf8(text).map_err(|_| Fault::Malformed("digest is not text"))?;
        return similarity::digest(algorithm, text);
    }
    if let Some(digits) = pairs(text) {
        return self::digest(algorithm, &digits);
    }
    let length = algorithm.length();
    if let Some(padded) = padded(algorithm, text) {
        return Digest::from_bytes(algorithm, &padded).map_err(|_| Fault::WrongLength);
    }
    let bytes = if text.len() == 2 * length {
        // Of four bytes base64 has as many characters as hexadecimal.
        let encoded = || if text.ends_with(b"==") { base64(text) } else { None };
        hex::decode(text).or_else(encoded).ok_or(Fault::Malformed("digest is not hexadecimal"))?
    } else if is_hexadecimal(text) {
        return Err(Fault::WrongLength);
    } else if text.len() == length.div_ceil(3) * 4 {
        base64(text).ok_or(Fault::WrongLength)?
    } else if text.len() == (8 * length).div_ceil(5) {
        BASE32_NOPAD.decode(&text.to_ascii_uppercase()).map_err(|_| Fault::WrongLength)?
    } else {
        return Err(Fault::WrongLength);
    };
    Digest::from_bytes(algorithm, &bytes).map_err(|_| Fault::WrongLength)
}

/// An Adler-32 that was printed as a number, without leading zeros.
fn padded(algorithm: Algorithm, text: &[u8]) -> Option<[u8; 4]> {
    if algorithm.name() != "adler32" || !(1..8).contains(&text.len()) || !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(str::from_utf8(text).ok()?, 16).ok().map(u32::to_be_bytes)
}

/// Whether a text of a length that digests in hexadecimal have is one, perhaps with some digits
/// damaged: then it is neither base64 nor base32. Of 32 or 64 random characters of base64 a third
/// are hexadecimal digits, of base32 three eighths, and practically never three quarters.
fn is_hexadecimal(text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    HEXADECIMAL.contains(&text.len()) && 4 * digits > 3 * text.len()
}

/// Lengths of digests of at least 16 bytes in hexadecimal.
const HEXADECIMAL: [usize; 8] = [32, 40, 48, 56, 64, 80, 96, 128];

/// The digits of a digest of at least 16 bytes in pairs: `d1:7c:…`, as `openssl dgst -c` prints
/// them, and `D1-7C-…` of .NET's BitConverter; `None` of any other text.
fn pairs(text: &[u8]) -> Option<Vec<u8>> {
    let between = *text.get(2).filter(|byte| matches!(byte, b':' | b'-'))?;
    let is_pair = |part: &[u8]| {
        part.len() >= 2 && part[..2].iter().all(u8::is_ascii_hexdigit) && part.get(2).is_none_or(|end| *end == between)
    };
    let is_whole = text.len() % 3 == 2 && HEXADECIMAL.contains(&(2 * text.len().div_ceil(3)));
    (is_whole && text.chunks(3).all(is_pair)).then(|| text.chunks(3).flat_map(|part| &part[..2]).copied().collect())
}

/// Whether a word looks like a digest of at least 16 bytes, in hexadecimal, base64 or base32.
pub(crate) fn is_digest(word: &[u8]) -> bool {
    if word.iter().all(u8::is_ascii_hexdigit) {
        return HEXADECIMAL.contains(&word.len());
    }
    let padded = matches!((word.len(), word), (24 | 88, [.., b'=', b'=']) | (28 | 44, [.., b'=']) | (64, _));
    !is_hexadecimal(word) && ((padded && base64(word).is_some()) || base32(word).is_some() || pairs(word).is_some())
}

/// Base64 with exact padding, in either alphabet: `rclone hashsum --base64` takes the one for
/// addresses.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    // A rule of dashes is none.
    if text.iter().all(|byte| matches!(byte, b'-' | b'_' | b'=')) {
        return None;
    }
    BASE64.decode(text).or_else(|_| BASE64URL.decode(text)).ok()
}

/// Base32 without padding, of the lengths that SHA-1 and AICH (20 bytes) and the Tiger tree (24)
/// have.
fn base32(text: &[u8]) -> Option<Vec<u8>> {
    let one_case = !(text.iter().any(u8::is_ascii_lowercase) && text.iter().any(u8::is_ascii_uppercase));
    let fits = one_case && matches!(text.len(), 32 | 39);
    if fits { BASE32_NOPAD.decode(&text.to_ascii_uppercase()).ok() } else { None }
}

/// The algorithms that a digest without a name may be of: `assumed`, or, where that is empty, the
/// usual algorithms.
pub fn candidates(registry: Registry, assumed: &[Algorithm]) -> Vec<Algorithm> {
    if assumed.is_empty() {
        USUAL.iter().filter_map(|name| registry.find(name).ok()).collect()
    } else {
        assumed.to_vec()
    }
}

/// The algorithms that a digest without a name may be of by what the reader of a list says, first
/// fit by length.
pub(crate) fn wanted(registry: Registry, options: &Options) -> Vec<Algorithm> {
    if !options.assumed.is_empty() {
        return options.assumed.clone();
    }
    let mut wanted = options.hints.clone();
    wanted.extend(candidates(registry, &[]));
    if options.any {
        wanted.extend(registry.all().filter(|algorithm| algorithm.output() != Output::Text));
    }
    wanted
}

/// A digest whose algorithm is known by its length: the first of the candidates that fits.
pub fn unnamed(candidates: &[Algorithm], text: &[u8]) -> Result<Digest, Fault> {
    if let Some(digits) = pairs(text) {
        return unnamed(candidates, &digits);
    }
    if let Some((first, padded)) = candidates.first().and_then(|first| Some((first, padded(*first, text)?))) {
        return Digest::from_bytes(*first, &padded).map_err(|_| Fault::WrongLength);
    }
    // Hexadecimal first, over all candidates: 64 digits are SHA-256 before they are 48 bytes in
    // base64.
    if let Some(&algorithm) = candidates.iter().find(|algorithm| 2 * algorithm.length() == text.len())
        && let Some(digest) = from_hex(algorithm, text)
    {
        return digest;
    }
    let encoded = !is_hexadecimal(text);
    // In base32 a digest has letters of one case and never 0, 1, 8 or 9, as hardly any in base64.
    if encoded
        && let Some(bytes) = base32(text)
        && let Some(&algorithm) = candidates.iter().find(|algorithm| algorithm.length() == bytes.len())
    {
        return Digest::from_bytes(algorithm, &bytes).map_err(|_| Fault::WrongLength);
    }
    if encoded
        && text.len().is_multiple_of(4)
        && let Some(bytes) = base64(text)
        && let Some(&algorithm) = candidates.iter().find(|algorithm| algorithm.length() == bytes.len())
    {
        return Digest::from_bytes(algorithm, &bytes).map_err(|_| Fault::WrongLength);
    }
    let digits = text.iter().all(u8::is_ascii_hexdigit) || !encoded;
    Err(if digits && !text.is_empty() { Fault::WrongLength } else { Fault::Malformed("does not start with a digest") })
}

/// How many hexadecimal digits the digests of an algorithm with a text are; `None` if they look
/// otherwise, or it has no text. The two that are of no method, imphash and the hash of Rich
/// headers, are MD5s of a part.
pub(crate) fn hexadecimal(algorithm: Algorithm) -> Option<usize> {
    match MethodName::of(algorithm) {
        _ if algorithm.output() != Output::Text => None,
        Some(method) => method.profile().digits,
        None => Some(32),
    }
}

/// The similarity method that a text looks like a digest of, where `assumed` is empty or has it.
/// The two kinds of mrsh-v2 look alike: `assumed` decides. Digests that are digits alone are known
/// only where their method is assumed.
pub fn similar(registry: Registry, assumed: &[Algorithm], text: &[u8]) -> Option<Algorithm> {
    // The digests of all other algorithms, and of most lines: no method is asked.
    let is_digits = HEXADECIMAL.contains(&text.len()) && text.iter().all(u8::is_ascii_hexdigit);
    let Some(method) = (if is_digits { None } else { MethodName::recognise(registry, text) }) else {
        let fits = |of: &&Algorithm| hexadecimal(**of) == Some(text.len()) && text.iter().all(u8::is_ascii_hexdigit);
        return assumed.iter().find(fits).copied();
    };
    let same = |algorithm: &&Algorithm| {
        let other = MethodName::of(**algorithm);
        other == Some(method) || (method == MethodName::MrshV2 && other == Some(MethodName::MrshV2Network))
    };
    if assumed.is_empty() { registry.find(method.name()).ok() } else { assumed.iter().find(same).copied() }
}

/// `None` for anything but hexadecimal digits.
fn from_hex(algorithm: Algorithm, text: &[u8]) -> Option<Result<Digest, Fault>> {
    let mut buffer = [0; 64];
    let bytes = match buffer.get_mut(..algorithm.length()) {
        Some(bytes) => {
            hex::decode_into(text, bytes)?;
            bytes
        }
        None => &mut hex::decode(text)?[..],
    };
    Some(Digest::from_bytes(algorithm, bytes).map_err(|_| Fault::WrongLength))
}

/// Every algorithm whose digests look like this one: as many bytes, or the text of another mode of
/// the method. Those that have this length by default come first. Checksums, which anybody can make
/// come out as they like, are not alternatives to digests that resist that.
pub fn alternatives(registry: Registry, digest: &Digest) -> Vec<Algorithm> {
    let given = digest.algorithm();
    if given.output() == pfh_digest::Output::Text {
        // Modes of one method print alike: sdhash's streams of long files, its blocks of short
        // ones, mrsh-v2's two hashes.
        let of_one =
            |method: &str, other: &Algorithm| other.name().starts_with(method) && given.name().starts_with(method);
        let alike = |other: &Algorithm| of_one("mrsh-v2", other) || of_one("sdhash", other);
        return registry.all().filter(|other| *other != given && alike(other)).collect();
    }
    let length = digest.bytes().len();
    let weak = |algorithm: &Algorithm| algorithm.standing() == Standing::NonCryptographic;
    let fits = |algorithm: Algorithm| (algorithm.length() == length).then_some(algorithm);
    let stretched = |algorithm: Algorithm| algorithm.with_length(length).filter(|other| *other != algorithm);
    let all = registry.all().filter_map(fits).chain(registry.all().filter_map(stretched));
    all.filter(|other| *other != given && (weak(&given) || !weak(other))).collect()
}
