//! The similarity tools' own file formats, byte for byte. Each holds the digests of one method.

pub mod mrsh;
pub mod sdbf;
pub mod ssdeep;

use pfh_digest::{Algorithm, Digest};
use pfh_similarity::Named;

use crate::decode::Fault;
use crate::manifest::{Row, Unrepresentable};

/// The method of an algorithm that the format named `format` must hold alone; `fits` says which ones it can.
fn only(format: &str, algorithms: &[Algorithm], fits: &[Named]) -> Result<Named, Unrepresentable> {
    let one = match algorithms {
        [one] => Named::find(one.name()).filter(|method| fits.contains(method)),
        _ => None,
    };
    one.ok_or_else(|| {
        let names: Vec<&str> = fits.iter().map(|method| method.name()).collect();
        Unrepresentable::new(format!(
            "{format} holds digests of one algorithm, {}; for others use jsonl or csv",
            names.join(" or ")
        ))
    })
}

/// The text of the only digest of a row.
fn text<'a>(format: &str, row: &'a Row<'_>) -> Result<&'a str, Unrepresentable> {
    if !row.pieces.is_empty() {
        return Err(Unrepresentable::new(format!("{format} has no form for the digests of pieces")));
    }
    let digest = row.digests.first();
    let text = digest.and_then(|digest| Some((Named::find(digest.algorithm().name())?, digest.text()?)));
    match text {
        Some((method, text)) if method.is_absent(text) => {
            Err(Unrepresentable::new(format!("{} has no digest for it: too short", method.name())))
        }
        Some((_, text)) => Ok(text),
        None => Err(Unrepresentable::new(format!("{format} holds text"))),
    }
}

/// Appends a digest as it stands in lists: hexadecimal digits, or its text.
pub(crate) fn push(out: &mut Vec<u8>, digest: &Digest) {
    match digest.text() {
        Some(text) => out.extend_from_slice(text.as_bytes()),
        None => crate::hex::push(out, digest.bytes()),
    }
}

/// A digest of a similarity method, once its text was found right.
pub(crate) fn digest(algorithm: Algorithm, text: &str) -> Result<Digest, Fault> {
    match Named::find(algorithm.name()).map_or(Ok(()), |method| method.check(text)) {
        Ok(()) => Digest::parse(algorithm, text).map_err(|_| Fault::Malformed("not a digest of its algorithm")),
        Err(error) => Err(fault(error)),
    }
}

/// What is amiss with a digest, as a fault of its line.
pub(crate) fn fault(error: pfh_similarity::ParseError) -> Fault {
    use pfh_similarity::ParseError;
    Fault::Malformed(match error {
        ParseError::Fields => "wrong number of fields",
        ParseError::Marker => "not a digest of this method and version",
        ParseError::Number => "malformed number",
        ParseError::BlockSize => "impossible block size",
        ParseError::Character => "character outside the digest's alphabet",
        ParseError::Length => return Fault::WrongLength,
        ParseError::Parameters => "unknown parameters",
        ParseError::Name => "malformed name",
        _ => "malformed digest",
    })
}
