//! JSON of others, whole or a document after the other: OCFL's `inventory.json`, CycloneDX, `rclone
//! lsjson --hash`, and others that name their members alike: a name, and digests called by their
//! algorithm.
//!
//! An object is a record if it has a name and digests: members called by an algorithm, or the
//! values in its `hashes`, `checksums` or `digests`, as members or as pairs (`alg`, `content`).
//! Nested values are searched for further records. Documents are read as wholes, of at most as many
//! bytes as a line may have.

use std::io::{self, BufRead, Read};

use data_encoding::BASE64;
use pfh_digest::{Algorithm, Digest, Output, Registry};
use serde_json::{Map, Value};

use super::{algorithm, deep};
use crate::digits;
use crate::entry::{Entry, Fault, Item};

type Object = Map<String, Value>;

/// Members that hold the name of a file, the best first; in small letters, without `_` and `-`.
const NAMES: [&str; 8] = ["pathb64", "path", "filepath", "fullpath", "filename", "file", "location", "name"];
/// Members that hold the digests of their object.
const DIGESTS: [&str; 5] = ["hashes", "checksums", "digests", "digest", "hash"];
/// Members of a pair that hold the algorithm, and those that hold the digest.
const PAIRS: [[&str; 4]; 2] =
    [["alg", "algorithm", "hashname", "type"], ["content", "value", "checksumvalue", "hashvalue"]];

/// Everything that the documents hold, in their order.
///
/// # Errors
/// The reader's.
pub(crate) fn read<R: BufRead>(
    reader: R,
    registry: Registry,
    assumed: &[Algorithm],
    limit: usize,
) -> io::Result<Vec<Item>> {
    let mut bytes = Vec::new();
    reader.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Ok(vec![Item::Fault(Fault::TooLong)]);
    }
    let mut found = Found { registry, candidates: digits::candidates(registry, assumed), items: Vec::new() };
    for document in serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>() {
        match document {
            Ok(document) => found.document(&document),
            Err(_) => {
                found.fault(Fault::Malformed("not JSON, or cut off"));
                break;
            }
        }
    }
    Ok(found.items)
}

struct Found {
    registry: Registry,
    /// The algorithms that a digest without a name may be of.
    candidates: Vec<Algorithm>,
    items: Vec<Item>,
}

/// The name of a member as [`NAMES`] has it.
fn plain(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

fn member<'a>(object: &'a Object, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| object.iter().find(|(key, _)| plain(key) == *name).map(|(_, value)| value))
}

fn text<'a>(object: &'a Object, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| member(object, &[name])?.as_str().filter(|text| !text.is_empty()))
}

/// Digests of one object, and the names of algorithms that are not known here.
#[derive(Default)]
struct Digests {
    known: Vec<(Digest, bool)>,
    foreign: Vec<Box<str>>,
    fault: Option<Fault>,
}

impl Found {
    fn fault(&mut self, fault: Fault) {
        self.items.push(Item::Fault(fault));
    }

    fn document(&mut self, document: &Value) {
        let before = self.items.len();
        match document {
            Value::Object(object) if is_inventory(object) => return self.inventory(object),
            Value::Array(items) => {
                for item in items {
                    let before = self.items.len();
                    self.value(item);
                    let is_directory = item.get("IsDir").and_then(Value::as_bool) == Some(true);
                    if self.items.len() == before && !is_directory {
                        self.fault(Fault::Malformed("an item without a name and a digest of a known algorithm"));
                    }
                }
            }
            other => self.value(other),
        }
        if self.items.len() == before {
            self.fault(Fault::Malformed("a document without a name and a digest of a known algorithm"));
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.value(item)),
            Value::Object(object) => self.object(object),
            _ => {}
        }
    }

    fn object(&mut self, object: &Object) {
        let digests = self.digests(object);
        let is_record = !digests.known.is_empty() || !digests.foreign.is_empty() || digests.fault.is_some();
        if is_record {
            let names = names(object);
            if names.is_empty() {
                self.fault(Fault::NoFile(if object.contains_key("bom-ref") || is_component(object) {
                    "component"
                } else {
                    "thing without a name"
                }));
            }
            for name in names {
                let item = entry(name, object, &digests).map_or_else(Item::Fault, Item::Entry);
                self.items.push(item);
            }
        }
        for (key, below) in object {
            // The digests themselves are not records of their own.
            if !(is_record && DIGESTS.contains(&plain(key).as_str())) {
                self.value(below);
            }
        }
    }

    /// The digests of an object.
    fn digests(&self, object: &Object) -> Digests {
        let mut found = Digests::default();
        for (name, value) in object {
            let key = plain(name);
            match value {
                Value::String(text) if !text.is_empty() => {
                    if let Some(of) = self.algorithm(name) {
                        found.take(digits::digest(of, text.trim().as_bytes()).map(|digest| (digest, false)));
                    } else if DIGESTS.contains(&key.as_str()) || matches!(key.as_str(), "integrity" | "checksum") {
                        found.take(self.unnamed(text.trim(), object));
                    }
                }
                Value::Object(below) if DIGESTS.contains(&key.as_str()) => {
                    below.iter().for_each(|(name, value)| self.named(name, value, &mut found));
                }
                Value::Array(pairs) if DIGESTS.contains(&key.as_str()) => {
                    for pair in pairs.iter().filter_map(Value::as_object) {
                        let [name, value] = PAIRS.map(|names| member(pair, &names));
                        if let (Some(Value::String(name)), Some(value)) = (name, value) {
                            self.named(name, value, &mut found);
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The algorithm that a member's name names.
    fn algorithm(&self, key: &str) -> Option<Algorithm> {
        algorithm(self.registry, key).filter(|algorithm| algorithm.output() != Output::Text)
    }

    fn named(&self, name: &str, value: &Value, found: &mut Digests) {
        let Some(text) = value.as_str().map(str::trim).filter(|text| !text.is_empty()) else { return };
        match algorithm(self.registry, name) {
            Some(of) if of.output() != Output::Text => {
                found.take(digits::digest(of, text.as_bytes()).map(|digest| (digest, false)));
            }
            Some(_) => {}
            None => found.foreign.push(name.into()),
        }
    }

    /// A digest in a member that does not name its algorithm: `sha256:…`, `sha256-…`, one that a
    /// member beside names, or one that its length tells.
    fn unnamed(&self, value: &str, object: &Object) -> Result<(Digest, bool), Fault> {
        if let Some(digest) = deep::stated(self.registry, value.as_bytes()) {
            return digest.map(|digest| (digest, false));
        }
        match text(object, &["algorithm", "alg", "hashalgorithm", "hashtype"]) {
            Some(name) => match algorithm(self.registry, name) {
                Some(of) => digits::digest(of, value.as_bytes()).map(|digest| (digest, false)),
                None => Err(Fault::UnknownAlgorithm(name.into())),
            },
            None => digits::unnamed(&self.candidates, value.as_bytes()).map(|digest| (digest, true)),
        }
    }

    /// OCFL 1.1, section 3.5: digests with the paths of their content, and in `fixity` those of
    /// other algorithms.
    fn inventory(&mut self, object: &Object) {
        let stated = object.get("digestAlgorithm").and_then(Value::as_str).unwrap_or_default();
        let blocks = object.get("fixity").and_then(Value::as_object).into_iter().flatten();
        let blocks = blocks.filter_map(|(name, block)| Some((name.as_str(), block.as_object()?)));
        let manifest = object.get("manifest").and_then(Value::as_object).map(|block| (stated, block));
        for (name, block) in manifest.into_iter().chain(blocks) {
            let of = algorithm(self.registry, name);
            for (value, paths) in block {
                for path in paths.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    let digest = of.ok_or_else(|| Fault::UnknownAlgorithm(name.into()));
                    let digest = digest.and_then(|of| digits::digest(of, value.as_bytes()));
                    let entry = |digest| Entry { name: path.into(), digests: vec![digest], ..Entry::default() };
                    self.items.push(digest.map(entry).map_or_else(Item::Fault, Item::Entry));
                }
            }
        }
        if self.items.is_empty() {
            self.fault(Fault::Malformed("an inventory without content"));
        }
    }
}

impl Digests {
    fn take(&mut self, digest: Result<(Digest, bool), Fault>) {
        match digest {
            Ok(digest) => self.known.push(digest),
            Err(fault) => self.fault = Some(fault),
        }
    }
}

fn is_inventory(object: &Object) -> bool {
    object.get("digestAlgorithm").is_some_and(Value::is_string) && object.get("manifest").is_some_and(Value::is_object)
}

/// Whether an object is a component of CycloneDX, whose name is not that of a file unless it says
/// so.
fn is_component(object: &Object) -> bool {
    let kind = object.get("type").and_then(Value::as_str);
    object.get("hashes").is_some_and(Value::is_array)
        && matches!(
            kind,
            Some(
                "application"
                    | "framework"
                    | "library"
                    | "container"
                    | "platform"
                    | "operating-system"
                    | "device"
                    | "device-driver"
                    | "firmware"
                    | "machine-learning-model"
                    | "data"
                    | "cryptographic-asset"
            )
        )
}

/// The names of the files that an object describes.
fn names(object: &Object) -> Vec<Vec<u8>> {
    if is_component(object) {
        // CycloneDX 1.5: where a component was found.
        let found = object.get("evidence").and_then(|evidence| evidence.get("occurrences")).and_then(Value::as_array);
        let places = found.into_iter().flatten().filter_map(|place| place.get("location")?.as_str());
        return places.map(|place| place.as_bytes().to_vec()).collect();
    }
    let exact = text(object, &NAMES[..1]).and_then(|exact| BASE64.decode(exact.as_bytes()).ok());
    let name = exact.or_else(|| text(object, &NAMES[1..]).map(|name| name.as_bytes().to_vec()));
    name.into_iter().collect()
}

fn entry(name: Vec<u8>, object: &Object, digests: &Digests) -> Result<Entry, Fault> {
    if let Some(fault) = &digests.fault {
        return Err(fault.clone());
    }
    if name.contains(&0) {
        return Err(Fault::Nul);
    }
    if digests.known.is_empty() {
        return Err(Fault::UnknownAlgorithm(digests.foreign.join(", ").into()));
    }
    let size = member(object, &["size", "filesize", "length", "bytes"]).and_then(Value::as_u64);
    Ok(Entry {
        name,
        size,
        guessed: matches!(digests.known[..], [(_, true)]),
        digests: digests.known.iter().map(|(digest, _)| digest.clone()).collect(),
        foreign: digests.foreign.clone(),
        ..Entry::default()
    })
}
