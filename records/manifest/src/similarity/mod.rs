//! The similarity tools' own file formats, byte for byte. Each holds the digests of one method.

pub mod mrsh;
pub mod sdbf;
pub mod ssdeep;

use pfh_digest::{Algorithm, Digest};
use pfh_engine::HashedFile;
use pfh_similarity::{Content, MethodName, Similar};

use crate::encode::Unrepresentable;
use crate::entry::Fault;

/// The method of an algorithm that the format named `format` must hold alone; `fits` says which
/// ones it can.
fn only(format: &str, algorithms: &[Algorithm], fits: &[MethodName]) -> Result<MethodName, Unrepresentable> {
    let one = match algorithms {
        [one] => MethodName::of(*one).filter(|method| fits.contains(method)),
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

/// The only digest of a record.
fn value<'a>(format: &str, hashed: &'a HashedFile) -> Result<&'a Similar, Unrepresentable> {
    if !hashed.pieces.is_empty() {
        return Err(Unrepresentable::new(format!("{format} has no form for the digests of pieces")));
    }
    match hashed.digests.first().and_then(Similar::of) {
        Some(similar) if similar.is_absent() => Err(Unrepresentable::new(format!(
            "{} has no digest for it: {}",
            similar.method().name(),
            similar.method().profile().lacking
        ))),
        Some(similar) => Ok(similar),
        None => Err(Unrepresentable::new(format!("{format} holds text"))),
    }
}

/// A digest that was read from a list of the method's own.
fn read(algorithm: Algorithm, content: Content) -> Result<Digest, Fault> {
    let method = MethodName::of(algorithm).ok_or_else(|| Fault::UnknownAlgorithm(algorithm.name().into()))?;
    Digest::from_value(algorithm, Similar::read(method, content).into()).map_err(|_| Fault::WrongLength)
}

/// Appends a digest as it stands in lists: hexadecimal digits, or its text.
pub(crate) fn push(out: &mut Vec<u8>, digest: &Digest) {
    match digest.text() {
        Some(text) => out.extend_from_slice(text.as_bytes()),
        None => pfh_digest::hex::push(out, digest.bytes()),
    }
}

/// A digest of an algorithm whose digests have a text.
pub(crate) fn digest(algorithm: Algorithm, text: &str) -> Result<Digest, Fault> {
    let malformed = |_| Fault::Malformed("not a digest of its algorithm");
    match MethodName::of(algorithm) {
        Some(method) => {
            // Some programs print TLSH in small letters, older ones without a mark.
            let upper = match (method, text.len()) {
                (MethodName::Tlsh, 70) => Some(format!("T1{}", text.to_ascii_uppercase())),
                (MethodName::Tlsh, 72) => Some(text.to_ascii_uppercase()),
                _ => None,
            };
            let similar = Similar::parse(method, upper.as_deref().unwrap_or(text)).map_err(fault)?;
            Digest::from_value(algorithm, similar.into()).map_err(malformed)
        }
        None => Digest::parse(algorithm, text).map_err(malformed),
    }
}

/// The fault of a digest, as a fault of its line.
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
