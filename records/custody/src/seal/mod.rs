//! Seals: a Merkle root over a manifest's records, signed where there is a key. A seal lies beside
//! its manifest of any format, and covers the contents of the records (names, sizes, digests,
//! times, errors), their order, their algorithms, the directory in which names start, the defaults
//! that they were made with, and its own place in a row of seals. Comments are not covered.
//!
//! The leaves are the SHA-256 of a zero byte and a record's canonical bytes, in ascending order; a
//! node is the SHA-256 of a one byte and its two children; of n leaves the left subtree takes the
//! largest power of two below n (the tree of RFC 6962, §2.1). The order is the SHA-256 of the
//! leaves in the order of the manifest.
//!
//! Seals of version 1 cover records and defaults alone. They are verified, and say so.

mod after;
mod files;
mod newest;
mod replacing;
mod row;
mod tree;
mod witness;

pub use files::{
    FileError, HeldSeal, SignedBy, beside, is_due, is_there, made, read, read_file, verify, waiting, write,
};
pub use replacing::{prepare, put_in_place, replace, settle, settle_as_it_is, write_waiting};
pub use row::Row;
pub use witness::Witness;

#[cfg(feature = "sign")]
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use pfh_digest::{Algorithm, Registry};
use pfh_manifest::{Decoder, Item, Options};
use std::io::{self, BufRead};
use tree::{Hash, canonical, canonical_unhashed, hash};

/// In front of the signed message of each version, so that the signature is good for nothing else.
#[cfg(feature = "sign")]
const CONTEXTS: [&[u8]; 2] = [b"pfh seal 1\0", b"pfh seal 2\0"];

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
    /// The facts about the manifest beside its records; a seal of version 1 has none.
    pub list: Option<List>,
    /// When and where it was made, and which seal it follows; a seal of version 1 has none.
    pub making: Option<Making>,
    /// The public key and the signature, where it is signed.
    pub signature: Option<([u8; 32], [u8; 64])>,
}

/// The facts about a manifest, beside its records, that a verdict relies on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    /// SHA-256 of the leaves in the order of the manifest.
    pub order: Hash,
    /// The directory in which relative names start, where the manifest records it.
    pub base: Option<Vec<u8>>,
    /// The algorithms of its digests, in the order in which they come first.
    pub algorithms: Vec<String>,
}

/// When and where a seal was made, and which one it follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Making {
    /// The file name of the manifest.
    pub name: Vec<u8>,
    /// The directory of the manifest.
    pub place: Vec<u8>,
    /// When, in UTC (RFC 3339). No verdict uses it.
    pub time: String,
    /// 1 for the first seal of a manifest, and one more for each that replaces it.
    pub serial: u64,
    /// The root of the manifest that it replaced.
    pub after: Option<Hash>,
    /// The identity of this row of seals: the SHA-256 of the first seal's message.
    pub origin: Option<Hash>,
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
    /// The seal's file has a member twice.
    #[error("not a seal: the member {0:?} is there twice")]
    Twice(String),
    /// The records are not those that were sealed.
    #[error("the records are not those that were sealed")]
    Records,
    /// The records are those that were sealed, in another order.
    #[error("the records are in another order than when they were sealed")]
    Order,
    /// The recorded start of names is another than the one that was sealed.
    #[error("the directory that the manifest records for its names is not the one that was sealed")]
    Base,
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
    /// The manifest is older than the one of a seal that is known.
    #[error("an older manifest: its seal is number {found}, and number {known} is known")]
    Older {
        /// The seal's number.
        found: u64,
        /// The highest number that is known.
        known: u64,
    },
    /// The seal does not follow the one that is known.
    #[error("the seal does not follow the one that is known: {0}")]
    Aside(&'static str),
    /// Nothing says whether the seal follows the one that is known.
    #[error("nothing to compare with: {0}")]
    Incomparable(&'static str),
}

impl Seal {
    /// The seal of a manifest, not signed. Takes 64 bytes of memory for each record.
    ///
    /// # Errors
    /// The reader's, and lines that are not records.
    pub fn of(manifest: impl BufRead, options: &Options, registry: Registry) -> Result<Seal, SealError> {
        let Ok(sha256) = registry.find("sha256") else { return Err(SealError::Malformed) };
        let mut leaves: Vec<Hash> = Vec::new();
        let mut record = Vec::new();
        let mut algorithms: Vec<Algorithm> = Vec::new();
        let mut order = sha256.hasher();
        let mut decoder = Decoder::with_registry(manifest, options, registry).map_err(SealError::Io)?;
        for located in decoder.by_ref() {
            let located = located.map_err(SealError::Io)?;
            record.clear();
            record.push(0);
            match &located.item {
                Item::Fault(_) => return Err(SealError::Fault(located.line)),
                Item::Entry(entry) => {
                    canonical(&mut record, entry);
                    for digest in entry.digests.iter().chain(entry.pieces.iter().flat_map(|piece| &piece.digests)) {
                        if !algorithms.contains(&digest.algorithm()) {
                            algorithms.push(digest.algorithm());
                        }
                    }
                }
                Item::Unhashed(unhashed) => canonical_unhashed(&mut record, unhashed),
            }
            let leaf = hash(sha256, &record);
            order.update(&leaf);
            leaves.push(leaf);
        }
        let list = List {
            order: order.finalize().bytes().try_into().map_err(|_| SealError::Malformed)?,
            base: decoder.base().map(<[u8]>::to_vec),
            algorithms: algorithms.iter().map(Algorithm::to_string).collect(),
        };
        leaves.sort_unstable();
        let records = leaves.len() as u64;
        let root = tree::root(sha256, leaves);
        Ok(Seal { records, root, defaults: None, list: Some(list), making: None, signature: None })
    }

    /// The bytes that a signature signs. Those of version 1 are the records' count, the root and
    /// the defaults.
    pub(crate) fn message(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(&self.records.to_le_bytes());
        out.extend_from_slice(&self.root);
        let defaults = self.defaults.as_deref().unwrap_or_default().as_bytes();
        let (Some(list), Some(making)) = (&self.list, &self.making) else {
            out.extend_from_slice(defaults);
            return out;
        };
        let optional = |out: &mut Vec<u8>, part: Option<&[u8]>| {
            out.push(u8::from(part.is_some()));
            tree::bytes(out, part.unwrap_or_default());
        };
        optional(&mut out, self.defaults.as_deref().map(str::as_bytes));
        out.extend_from_slice(&list.order);
        optional(&mut out, list.base.as_deref());
        out.extend_from_slice(&(list.algorithms.len() as u64).to_le_bytes());
        list.algorithms.iter().for_each(|name| tree::bytes(&mut out, name.as_bytes()));
        tree::bytes(&mut out, &making.name);
        tree::bytes(&mut out, &making.place);
        tree::bytes(&mut out, making.time.as_bytes());
        out.extend_from_slice(&making.serial.to_le_bytes());
        optional(&mut out, making.after.as_ref().map(<[u8; 32]>::as_slice));
        optional(&mut out, making.origin.as_ref().map(<[u8; 32]>::as_slice));
        out
    }

    #[cfg(feature = "sign")]
    fn signed(&self) -> Vec<u8> {
        [CONTEXTS[usize::from(self.making.is_some())], &self.message()].concat()
    }

    /// The seal with an Ed25519 signature (RFC 8032).
    #[cfg(feature = "sign")]
    #[must_use]
    pub fn sign(mut self, key: &SigningKey) -> Seal {
        let signature = key.sign(&self.signed());
        self.signature = Some((key.verifying_key().to_bytes(), signature.to_bytes()));
        self
    }

    /// Whether the signature is that of the key which the seal names, and this is `key` where one
    /// is asked for.
    ///
    /// # Errors
    /// The fault.
    #[cfg(feature = "sign")]
    pub fn verify_signature(&self, key: Option<&VerifyingKey>) -> Result<(), SealError> {
        let Some((public, signature)) = &self.signature else { return Ok(()) };
        let named = VerifyingKey::from_bytes(public).map_err(|_| SealError::Signature)?;
        let genuine = named.verify_strict(&self.signed(), &Signature::from_bytes(signature));
        genuine.map_err(|_| SealError::Signature)?;
        if key.is_some_and(|key| *public != key.to_bytes()) { Err(SealError::Key) } else { Ok(()) }
    }

    /// Whether this is the seal of the records that `found` was made of, signed with `key` where
    /// one is asked for.
    ///
    /// # Errors
    /// The fault.
    #[cfg(feature = "sign")]
    pub fn verify(&self, found: &Seal, key: Option<&VerifyingKey>) -> Result<(), SealError> {
        self.verify_signature(key)?;
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

    fn has_records_of(&self, found: &Seal) -> bool {
        (self.records, self.root) == (found.records, found.root)
    }

    fn compare(&self, found: &Seal) -> Result<(), SealError> {
        if !self.has_records_of(found) {
            return Err(SealError::Records);
        }
        match (&self.list, &found.list) {
            (Some(sealed), Some(found)) if sealed.order != found.order => Err(SealError::Order),
            (Some(sealed), Some(found)) if sealed.base != found.base => Err(SealError::Base),
            _ => Ok(()),
        }
    }
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
        assert_eq!(all.root, seal(&[C, A, B].concat()).expect("a seal").root);
        assert_ne!(all.list, seal(&[C, A, B].concat()).expect("a seal").list, "the order is sealed apart");
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
        // One is made with both parts; those that earlier versions wrote have neither.
        let making = Making { name: b"list".to_vec(), serial: 1, ..Making::default() };
        let signed = Seal { making: Some(making), ..found.clone() }.sign(&key);
        let earlier = Seal { list: None, ..found.clone() }.sign(&key);
        for one in [&signed, &earlier] {
            assert_eq!(Seal::decode(&one.encode()).expect("read back"), *one);
            assert!(one.verify(&found, Some(&key.verifying_key())).is_ok());
        }
        let public = key.verifying_key();
        assert!(signed.verify(&found, Some(&public)).is_ok() && found.verify(&found, None).is_ok());
        assert!(matches!(found.verify(&found, Some(&public)), Err(SealError::Unsigned)));
        assert!(matches!(found.verify(&seal(B).expect("a seal"), Some(&public)), Err(SealError::Records)));
        assert!(matches!(signed.verify(&found, Some(&other)), Err(SealError::Key)));
        assert!(matches!(signed.verify(&seal(B).expect("a seal"), Some(&public)), Err(SealError::Records)));
        let mut forged = signed.clone();
        forged.records += 1;
        assert!(matches!(forged.verify(&found, None), Err(SealError::Signature)));
        let mut forged = signed.clone();
        forged.making.as_mut().expect("how it was made").serial += 1;
        assert!(matches!(forged.verify(&found, None), Err(SealError::Signature)));
        for wrong in ["", "{}", "[]", "{\"type\":\"seal\",\"version\":2}"] {
            assert!(matches!(Seal::decode(wrong), Err(SealError::Malformed)), "{wrong}");
        }
    }
}
