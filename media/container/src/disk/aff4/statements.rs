//! The statements of a volume: the disk that it holds, and its parts.

use super::turtle::{self, Object};
use super::zip::Zip;
use crate::disk::Failure;
use pfh_digest::{Algorithm, Digest};
use std::collections::BTreeMap;

/// Algorithms of block hashes, in the order in which the block map hash takes them.
pub const ORDER: [&str; 5] = ["MD5", "SHA1", "SHA256", "SHA512", "Blake2b"];

/// The names of the standard begin with this.
pub const SCHEMA: &str = "http://aff4.org/Schema#";
const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
/// The longest description, in bytes.
const LONGEST: u64 = 16 << 20;

/// The statements of a volume by subject.
pub struct Statements(BTreeMap<String, Vec<(String, Object)>>);

impl Statements {
    /// Reads the description of a volume.
    pub fn read(zip: &Zip) -> Result<Statements, Failure> {
        let name = format!("{}/information.turtle", zip.volume);
        let member = zip.member(&name).ok_or_else(|| Failure::malformed("no information.turtle"))?;
        let text = zip.read(&member, LONGEST)?;
        let mut subjects: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (subject, predicate, object) in turtle::parse(&String::from_utf8_lossy(&text))? {
            subjects.entry(subject).or_default().push((predicate, object));
        }
        let all = || subjects.values().flatten();
        let old = "http://afflib.org/2009/aff4#";
        if all().any(|(predicate, _)| predicate.starts_with(old)) {
            return Err(Failure::refused("a volume of before the standard 1.0 of AFF4"));
        }
        Ok(Statements(subjects))
    }

    /// The objects of a predicate of the standard.
    pub fn of<'a>(&'a self, subject: &str, predicate: &'a str) -> impl Iterator<Item = &'a Object> {
        let all = self.0.get(subject).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(move |(name, _)| name.strip_prefix(SCHEMA) == Some(predicate)).map(|(_, object)| object)
    }

    /// The first object.
    pub fn one(&self, subject: &str, predicate: &str) -> Option<String> {
        self.of(subject, predicate).next().map(|object| object.value.clone())
    }

    /// The first object, if it is a number.
    pub fn number(&self, subject: &str, predicate: &str) -> Option<u64> {
        self.one(subject, predicate)?.parse().ok()
    }

    /// Whether a subject has a type of the standard.
    pub fn is_a(&self, subject: &str, kind: &str) -> bool {
        let all = self.0.get(subject).map(Vec::as_slice).unwrap_or_default();
        all.iter().any(|(name, object)| name == TYPE && object.value.strip_prefix(SCHEMA) == Some(kind))
    }

    /// All subjects of a type of the standard.
    pub fn all(&self, kind: &str) -> Vec<&String> {
        self.0.keys().filter(|name| self.is_a(name, kind)).collect()
    }

    /// The one disk of the volume.
    pub fn disk(&self) -> Result<String, Failure> {
        let of = |kind: &str| self.all(kind);
        let images: Vec<&String> =
            of("Image").into_iter().filter(|name| self.of(name, "dataStream").next().is_some()).collect();
        match images[..] {
            [image] => return Ok(image.clone()),
            [] if !of("FileImage").is_empty() => {
                return Err(Failure::refused("a logical image (AFF4-L), which holds files and no disk"));
            }
            [] => {}
            _ => return Err(Failure::refused(format!("{} images in one volume", images.len()))),
        }
        // Volumes without an image of their own: a map, or else a stream.
        for kind in ["Map", "ImageStream"] {
            match of(kind)[..] {
                [only] => return Ok(only.clone()),
                [] => {}
                ref several => return Err(Failure::refused(format!("{} of {kind} and no image", several.len()))),
            }
        }
        Err(Failure::refused("a volume without an image: one of several of a set?"))
    }

    /// The digests of the standard's algorithms that are stated of a subject.
    pub fn digests(&self, subject: &str) -> Result<Vec<Digest>, Failure> {
        self.of(subject, "hash").filter_map(digest).collect()
    }
}

/// A stated digest; `None` if its type is not that of an algorithm.
pub fn digest(object: &Object) -> Option<Result<Digest, Failure>> {
    let algorithm = algorithm(object.kind.strip_prefix(SCHEMA)?)?;
    let wrong = |_| Failure::malformed(format!("a digest of {algorithm} that is none: {:?}", object.value));
    Some(Digest::parse(algorithm, &object.value.to_ascii_lowercase()).map_err(wrong))
}

/// The algorithm of a name like `SHA256` or `blake2b`.
pub fn algorithm(name: &str) -> Option<Algorithm> {
    name.to_ascii_lowercase().parse().ok()
}
