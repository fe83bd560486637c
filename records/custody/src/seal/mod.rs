//! Seals: a Merkle root over a manifest's records, signed where there is a key. A seal lies beside
//! its manifest of any format, and covers the contents of the records: names, sizes, digests,
//! times. It does not cover comments and summaries.
//!
//! The leaves are the SHA-256 of a zero byte and a record's canonical bytes, in ascending order; a
//! node is the SHA-256 of a one byte and its two children; of n leaves the left subtree takes the
//! largest power of two below n (the tree of RFC 6962, §2.1).

mod files;

pub use files::{FileError, Held, SignedBy, beside, made, prepare, read, settle, verify, waiting, write};

#[cfg(feature = "sign")]
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use pfh_digest::{Algorithm, Digest, Registry, hex};
use pfh_manifest::row::{Hex, Is};
use pfh_manifest::{Decoder, Entry, Item, Options, Reason, Unhashed};
use pfh_source::Time;
use serde::Serialize;
use std::io::{self, BufRead};

/// In front of the signed message, so that the signature is good for nothing else.
#[cfg(feature = "sign")]
const CONTEXT: &[u8] = b"pfh seal 1\0";

type Hash = [u8; 32];

/// A root over a manifest's records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// How many records there are.
    pub records: u64,
    /// The root.
    pub root: Hash,
    /// The defaults that the records were made with, if a file of defaults had some: the file and
    /// its digest. They are signed too.
    pub defaults: Option<String>,
    /// The public key and the signature, where it is signed.
    pub signature: Option<([u8; 32], [u8; 64])>,
}

/// Why a manifest has no seal, or not this one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The manifest cannot be read.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// This line of the manifest is not a record.
    #[error("line {0} is not a record")]
    Fault(u64),
    /// The seal's file holds no seal.
    #[error("not a seal")]
    Malformed,
    /// The records are not those that were sealed.
    #[error("the records are not those that were sealed")]
    Records,
    /// The signature is not that of the key that the seal names.
    #[error("the signature is wrong")]
    Signature,
    /// The seal is signed, or must be, and this build knows no signatures: it lacks the feature
    /// `sign`.
    #[error("this build verifies and makes no signatures")]
    NoSignatures,
    /// Another key than the one that is asked for signed the seal.
    #[error("the seal is not signed with the key that is asked for")]
    Key,
    /// The seal holds, and has no signature that could be compared with the key.
    #[error("the seal is not signed by this key: it has no signature")]
    Unsigned,
}

impl Seal {
    /// The seal of a manifest, not signed. Takes 32 bytes of memory for each record.
    ///
    /// # Errors
    /// The reader's, and lines that are not records.
    pub fn of(manifest: impl BufRead, options: &Options, registry: Registry) -> Result<Seal, SealError> {
        let Ok(sha256) = registry.find("sha256") else { return Err(SealError::Malformed) };
        let mut leaves: Vec<Hash> = Vec::new();
        let mut record = Vec::new();
        for located in Decoder::with_registry(manifest, options, registry).map_err(SealError::Io)? {
            let located = located.map_err(SealError::Io)?;
            record.clear();
            record.push(0);
            match &located.item {
                Item::Fault(_) => return Err(SealError::Fault(located.line)),
                Item::Entry(entry) => canonical(&mut record, entry),
                Item::Unhashed(unhashed) => canonical_unhashed(&mut record, unhashed),
            }
            leaves.push(hash(sha256, &record));
        }
        leaves.sort_unstable();
        Ok(Seal { records: leaves.len() as u64, root: root(sha256, leaves), defaults: None, signature: None })
    }

    #[cfg(feature = "sign")]
    fn signed(&self) -> Vec<u8> {
        let defaults = self.defaults.as_deref().unwrap_or_default().as_bytes();
        [CONTEXT, &self.records.to_le_bytes(), &self.root, defaults].concat()
    }

    /// The seal with an Ed25519 signature (RFC 8032).
    #[cfg(feature = "sign")]
    #[must_use]
    pub fn sign(mut self, key: &SigningKey) -> Seal {
        let signature = key.sign(&self.signed());
        self.signature = Some((key.verifying_key().to_bytes(), signature.to_bytes()));
        self
    }

    /// Whether this is the seal of the records that `found` was made of, signed with `key` where
    /// one is asked for.
    ///
    /// # Errors
    /// The fault.
    #[cfg(feature = "sign")]
    pub fn verify(&self, found: &Seal, key: Option<&VerifyingKey>) -> Result<(), SealError> {
        if let Some((public, signature)) = &self.signature {
            let named = VerifyingKey::from_bytes(public).map_err(|_| SealError::Signature)?;
            let genuine = named.verify_strict(&self.signed(), &Signature::from_bytes(signature));
            genuine.map_err(|_| SealError::Signature)?;
        }
        if let (Some(key), Some((public, _))) = (key, self.signature)
            && public != key.to_bytes()
        {
            return Err(SealError::Key);
        }
        // Records that differ are a difference, whether or not the seal is signed.
        self.compare(found)?;
        if key.is_some() && self.signature.is_none() { Err(SealError::Unsigned) } else { Ok(()) }
    }

    /// Whether this is the seal of the records that `found` was made of, where neither is signed.
    ///
    /// # Errors
    /// The fault; [`SealError::NoSignatures`] for one that is signed.
    #[cfg(not(feature = "sign"))]
    pub fn verify(&self, found: &Seal) -> Result<(), SealError> {
        if self.signature.is_some() { Err(SealError::NoSignatures) } else { self.compare(found) }
    }

    fn compare(&self, found: &Seal) -> Result<(), SealError> {
        if (self.records, self.root) == (found.records, found.root) { Ok(()) } else { Err(SealError::Records) }
    }

    /// The seal as its file has it: a line of JSON.
    pub fn encode(&self) -> String {
        let (public_key, signature) = self.signature.as_ref().map(|(key, value)| (Hex(key), Hex(value))).unzip();
        let row = Row {
            defaults: self.defaults.as_deref(),
            hash: Is(word::Sha256),
            public_key,
            records: self.records,
            root: Hex(&self.root),
            signature,
            r#type: Is(word::Seal),
            version: VERSION,
        };
        serde_json::json!(row).to_string() + "\n"
    }

    /// Reads a seal's file.
    ///
    /// # Errors
    /// [`SealError::Malformed`] for anything that is none.
    pub fn decode(text: &str) -> Result<Seal, SealError> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|_| SealError::Malformed)?;
        let is = |key: &str, expected: serde_json::Value| value.get(key) == Some(&expected);
        if !is("type", "seal".into()) || !is("version", 1.into()) || !is("hash", "sha256".into()) {
            return Err(SealError::Malformed);
        }
        let bytes = |key: &str| value.get(key)?.as_str().and_then(|digits| hex::decode(digits.as_bytes()));
        let root = bytes("root").and_then(|root| root.try_into().ok()).ok_or(SealError::Malformed)?;
        let records = value.get("records").and_then(serde_json::Value::as_u64).ok_or(SealError::Malformed)?;
        let signature = match (value.get("public_key"), value.get("signature")) {
            (None, None) => None,
            _ => {
                let public = bytes("public_key").and_then(|key| key.try_into().ok());
                let signature = bytes("signature").and_then(|signature| signature.try_into().ok());
                Some(public.zip(signature).ok_or(SealError::Malformed)?)
            }
        };
        let defaults = match value.get("defaults") {
            None => None,
            Some(defaults) => Some(defaults.as_str().ok_or(SealError::Malformed)?.to_owned()),
        };
        Ok(Seal { records, root, defaults, signature })
    }
}

/// The only version.
const VERSION: u64 = 1;

mod word {
    pfh_manifest::constants! { Seal = "seal", Sha256 = "sha256" }
}

/// The seal of a manifest, as its file has it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row<'a> {
    /// The options that had defaults when the manifest was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    defaults: Option<&'a str>,
    /// The function of the tree.
    hash: Is<word::Sha256>,
    /// The Ed25519 key that it is signed with.
    #[serde(skip_serializing_if = "Option::is_none")]
    public_key: Option<Hex<'a>>,
    /// How many records the manifest has.
    records: u64,
    /// The root of the tree over the records (RFC 6962).
    root: Hex<'a>,
    /// The Ed25519 signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<Hex<'a>>,
    r#type: Is<word::Seal>,
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    version: u64,
}

fn hash(sha256: Algorithm, bytes: &[u8]) -> Hash {
    let mut hash = [0; 32];
    hash.copy_from_slice(sha256.digest(bytes).bytes());
    hash
}

fn root(sha256: Algorithm, mut level: Vec<Hash>) -> Hash {
    if level.is_empty() {
        return hash(sha256, b"");
    }
    // Pairing from the left and carrying an odd last one up gives RFC 6962's shape.
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => hash(sha256, &[&[1], &left[..], right].concat()),
                odd => odd[0],
            })
            .collect();
    }
    level[0]
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn digests(out: &mut Vec<u8>, digests: &[Digest]) {
    let mut digests: Vec<&Digest> = digests.iter().collect();
    digests.sort();
    out.extend_from_slice(&(digests.len() as u64).to_le_bytes());
    for digest in digests {
        bytes(out, digest.algorithm().to_string().as_bytes());
        bytes(out, digest.bytes());
    }
}

/// The contents of a record, unambiguously: every part with its length in front.
fn canonical(out: &mut Vec<u8>, entry: &Entry) {
    out.push(1);
    bytes(out, &entry.name);
    match entry.size {
        None => out.push(0),
        Some(size) => {
            out.push(1);
            out.extend_from_slice(&size.to_le_bytes());
        }
    }
    digests(out, &entry.digests);
    out.extend_from_slice(&(entry.pieces.len() as u64).to_le_bytes());
    for piece in &entry.pieces {
        out.extend_from_slice(&piece.offset.to_le_bytes());
        out.extend_from_slice(&piece.length.to_le_bytes());
        digests(out, &piece.digests);
    }
    for time in [entry.times.modified, entry.times.changed, entry.times.accessed] {
        match time {
            None => out.push(0),
            Some(Time { seconds, nanoseconds }) => {
                out.push(1);
                out.extend_from_slice(&seconds.to_le_bytes());
                out.extend_from_slice(&nanoseconds.to_le_bytes());
            }
        }
    }
}

fn canonical_unhashed(out: &mut Vec<u8>, unhashed: &Unhashed) {
    out.push(if unhashed.reason == Reason::Failed { 2 } else { 3 });
    bytes(out, &unhashed.name);
    bytes(out, unhashed.code.as_bytes());
}

#[cfg(all(test, feature = "sign"))]
mod tests {
    use super::*;

    static LISTS: [&[pfh_digest::Row]; 1] = [&pfh_digest::ROWS];

    fn seal(manifest: &str) -> Result<Seal, SealError> {
        Seal::of(manifest.as_bytes(), &Options::default(), Registry::new(&LISTS))
    }

    const A: &str = "900150983cd24fb0d6963f7d28e17f72  a\n";
    const B: &str = "d41d8cd98f00b204e9800998ecf8427e  b\n";
    const C: &str = "d41d8cd98f00b204e9800998ecf8427e  c\n";

    #[test]
    fn order_does_not_matter_and_everything_else_does() {
        let all = seal(&[A, B, C].concat()).expect("a seal");
        assert_eq!(all, seal(&[C, A, B].concat()).expect("a seal"));
        for other in [
            [A, B].concat(),
            [A, B, B].concat(),
            [A, B, C, C].concat(),
            [A, B, C].concat().replace("  a", "  d"),
            [A, B, C].concat().replacen('9', "8", 1),
        ] {
            assert_ne!(all.root, seal(&other).expect("a seal").root, "{other}");
        }
        assert!(matches!(seal(&[A, "rubbish\n"].concat()), Err(SealError::Fault(2))));
        // By hand: three leaves make ((a b) c).
        let sha256: Algorithm = "sha256".parse().expect("sha256");
        let mut leaves = [A, B, C].map(|line| seal(line).expect("a seal").root);
        leaves.sort_unstable();
        let node = |left: &Hash, right: &Hash| hash(sha256, &[&[1], &left[..], right].concat());
        assert_eq!(all.root, node(&node(&leaves[0], &leaves[1]), &leaves[2]));
    }

    #[test]
    fn signatures() {
        let key = SigningKey::from_bytes(&[7; 32]);
        let other = SigningKey::from_bytes(&[8; 32]).verifying_key();
        let found = seal(A).expect("a seal");
        let signed = found.clone().sign(&key);
        assert_eq!(Seal::decode(&signed.encode()).expect("read back"), signed);
        let public = key.verifying_key();
        assert!(signed.verify(&found, Some(&public)).is_ok() && found.verify(&found, None).is_ok());
        assert!(matches!(found.verify(&found, Some(&public)), Err(SealError::Unsigned)));
        assert!(matches!(found.verify(&seal(B).expect("a seal"), Some(&public)), Err(SealError::Records)));
        assert!(matches!(signed.verify(&found, Some(&other)), Err(SealError::Key)));
        assert!(matches!(signed.verify(&seal(B).expect("a seal"), Some(&public)), Err(SealError::Records)));
        let mut forged = signed.clone();
        forged.records += 1;
        assert!(matches!(forged.verify(&found, None), Err(SealError::Signature)));
        for wrong in ["", "{}", "[]", "{\"type\":\"seal\",\"version\":2}"] {
            assert!(matches!(Seal::decode(wrong), Err(SealError::Malformed)), "{wrong}");
        }
    }
}
