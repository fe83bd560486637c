//! An object as a record: its names and digests, in any order of its members.

use pfh_digest::{Algorithm, Digest, Output, Registry};
use serde_json::Value;

use super::pattern;
use crate::digits;
use crate::entry::{Entry, Fault, Item};
use crate::known::KnownFile;
use crate::others::{algorithm, deep, is_windows_path, trailing, windows_name};
use crate::roles::{Role, is_folder, is_of_package};

/// Shorter digests identify nothing.
const SHORTEST: usize = 16;

/// The facts of an object.
#[derive(Default)]
pub(crate) struct Object {
    name: Option<(u8, String)>,
    exact: Option<String>,
    /// Where a component was found (CycloneDX 1.5).
    places: Vec<String>,
    size: Option<u64>,
    tag: Option<String>,
    kind: Option<String>,
    /// The algorithm and the value of a pair.
    algorithm: Option<String>,
    value: Option<String>,
    /// Digests whose algorithm another member names, or none.
    unnamed: Vec<String>,
    digests: Vec<Digest>,
    foreign: Vec<Box<str>>,
    fault: Option<Fault>,
    folder: bool,
    /// The directory of the file, beside its name.
    directory: Option<String>,
    /// Whether it has a version, as packages have.
    is_package: bool,
    /// Names and digests of a dictionary, `"a.bin": "d41d…"` or the other way round.
    pairs: Vec<(String, String)>,
    /// Texts of members that mean nothing here.
    others: u64,
    /// The kind of a digest that is not of the file's bytes: git's object, the parts of an upload.
    other: Option<&'static str>,
    /// Whether it has a member for digests, and an array `hashes`.
    has_slot: bool,
    has_hashes: bool,
    pattern: Option<String>,
}

/// The name of a member without separators, in small letters.
pub(super) fn plain(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether the values of a member are digests of the object around it.
pub(super) fn holds_digests(key: &str) -> bool {
    let plain = plain(key);
    matches!(plain.as_str(), "hashes" | "checksums" | "digests" | "digest" | "hash" | "checksum" | "alternativehashes")
}

/// Whether a member holds more of the object around it: Azure's, Hugging Face's, Dataverse's.
pub(super) fn is_part(key: &str) -> bool {
    matches!(key, "properties" | "contentSettings" | "lfs" | "dataFile")
}

/// The contents of a member that may hold a digest of the file.
enum MemberKind {
    Digest,
    /// A digest of something else, by its kind.
    Other(&'static str),
    Nothing,
}

impl MemberKind {
    fn of(key: &str, text: &str) -> MemberKind {
        let is_hex = |text: &str, length: usize| text.len() == length && text.bytes().all(|b| b.is_ascii_hexdigit());
        match key {
            "oid" if is_hex(text, 40) => MemberKind::Other("git's objects, which are not digests of files"),
            _ if !key.eq_ignore_ascii_case("etag") || is_hex(text, 32) => MemberKind::Digest,
            // `"9bb58f26…-3"` is made of the digests of three parts; other stores have numbers.
            _ if text.split_once('-').is_some_and(|(digest, _)| is_hex(digest, 32)) => {
                MemberKind::Other("ETag of parts")
            }
            _ => MemberKind::Nothing,
        }
    }
}

/// Whether the name of a member looks like one of a file, and not like a word or an address.
fn is_file_name(key: &str) -> bool {
    key.contains(['.', '/', '\\']) && !key.contains("://")
}

/// Whether a member holds the value of a pair.
fn is_value(key: &str) -> bool {
    matches!(plain(key).as_str(), "content" | "value" | "checksumvalue" | "hashvalue")
}

impl Object {
    /// Notes a member before its value is known.
    pub(super) fn sees(&mut self, role: Role, key: &str) {
        self.has_slot |= matches!(role, Role::Digest(_) | Role::Hash) || holds_digests(key);
        self.has_hashes |= key == "hashes" || key == "bom-ref";
    }

    /// Takes the text of a member; `false` if it means nothing here.
    pub(super) fn put(&mut self, registry: Registry, role: Role, key: &str, text: &str, is_string: bool) -> bool {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return true;
        }
        match role {
            // Of an item of a list of digests the value is a member of its own.
            _ if is_string && is_value(key) && role != Role::Hash => self.value = Some(trimmed.to_owned()),
            Role::Name(rank) if is_string && self.name.as_ref().is_none_or(|(known, _)| rank < *known) => {
                self.name = Some((rank, text.to_owned()));
            }
            Role::Name(_) => {}
            // A file that was stored in parts has no digest in Backblaze's lists.
            Role::Hash | Role::Digest(_) if trimmed == "none" => {}
            Role::Exact => self.exact = Some(trimmed.to_owned()),
            Role::Size => self.size = trimmed.parse().ok(),
            Role::Algorithm => self.algorithm = Some(trimmed.to_owned()),
            Role::Kind => {
                self.folder |= is_folder(trimmed.as_bytes());
                self.kind = Some(trimmed.to_owned());
            }
            Role::Hash if is_string && is_value(key) => self.value = Some(trimmed.to_owned()),
            // `hash: md5`, as DVC has it.
            Role::Hash if is_string && algorithm(registry, trimmed).is_some() => {
                self.algorithm = Some(trimmed.to_owned())
            }
            // An entity tag stands in quotes.
            Role::Hash if is_string => {
                let text = trimmed.trim_matches('"');
                match MemberKind::of(key, text) {
                    MemberKind::Digest => self.unnamed.push(text.to_owned()),
                    MemberKind::Other(kind) => self.other = Some(kind),
                    MemberKind::Nothing => {}
                }
            }
            Role::Digest(of) if is_string => self.digest(digits::digest(of, trimmed.as_bytes())),
            Role::Hash | Role::Digest(_) => {}
            Role::Other if key == "Category" => self.tag = Some(format!("category {trimmed}")),
            Role::Other if key == "pattern" && is_string => self.pattern = Some(text.to_owned()),
            Role::Folder if is_string => self.directory = Some(trimmed.to_owned()),
            Role::Version => self.is_package = true,
            Role::Mode | Role::Folder | Role::Other => {
                if is_string {
                    self.pair_up(key, trimmed);
                }
                return false;
            }
        }
        true
    }

    /// Notes a member that may be an entry of a dictionary of names and digests.
    fn pair_up(&mut self, key: &str, text: &str) {
        let is_digest = |text: &str| digits::is_digest(text.as_bytes()) || trailing::is_stated(text.as_bytes());
        match (is_digest(key), is_digest(text)) {
            (true, false) => self.pairs.push((text.to_owned(), key.to_owned())),
            (false, true) if is_file_name(key) => self.pairs.push((key.to_owned(), text.to_owned())),
            _ => self.others += 1,
        }
    }

    /// The records of a dictionary, which has nothing but names and digests.
    pub(super) fn dictionary(&mut self) -> Vec<Object> {
        let is_one = self.others == 0 && self.name.is_none() && !self.is_record();
        let pairs = if is_one { std::mem::take(&mut self.pairs) } else { Vec::new() };
        let record = |(name, digest): (String, String)| Object {
            name: Some((0, name)),
            unnamed: vec![digest],
            ..Object::default()
        };
        pairs.into_iter().map(record).collect()
    }

    /// Takes the name of the member that it is the value of, where it has none and that may be a
    /// file's.
    pub(super) fn named_by(&mut self, key: &str) {
        // `"x.conda": {"name": "x", …}`: the name of a package is not that of its file.
        let is_named = self.name.as_ref().is_some_and(|(rank, name)| *rank < 2 || is_file_name(name));
        if !is_named && self.exact.is_none() && self.is_record() && is_file_name(key) {
            self.name = Some((3, key.to_owned()));
        }
    }

    fn digest(&mut self, digest: Result<Digest, Fault>) {
        match digest {
            Ok(digest) => self.digests.push(digest),
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// The type of one of pfh's own documents, such as a plan: the digests in it are not those of
    /// files.
    pub(super) fn document_of_ours(&self) -> Option<&str> {
        self.kind.as_deref().filter(|kind| kind.starts_with("pfh-"))
    }

    /// Notes a digest of an algorithm that is not known here.
    pub(super) fn foreign(&mut self, name: &str) {
        self.foreign.push(name.into());
    }

    /// Notes where a component was found.
    pub(super) fn places(&mut self, evidence: &Value) {
        let found = evidence.get("occurrences").and_then(Value::as_array).into_iter().flatten();
        self.places.extend(found.filter_map(|place| Some(place.get("location")?.as_str()?.to_owned())));
    }

    /// Makes a digest of a pair, where both of its members came: `alg` and `content`, and of MISP
    /// `type` and `value`, which may be `filename|sha256` and `name|digest`. A part of another
    /// record whose algorithm is not known here is noted.
    pub(super) fn pair(&mut self, registry: Registry, is_part: bool) {
        let Some(value) = self.value.take() else { return };
        let word = self.algorithm.clone().or_else(|| self.kind.clone()).unwrap_or_default();
        let (word, value) = match (word.split_once('|'), value.split_once('|')) {
            (Some(("filename", of)), Some((name, digest))) => {
                self.name = Some((0, name.to_owned()));
                (of.to_owned(), digest.to_owned())
            }
            _ => (word, value),
        };
        match algorithm(registry, &word).filter(|of| of.output() != Output::Text) {
            Some(of) => self.digest(digits::digest(of, value.as_bytes())),
            None if is_part && !word.is_empty() => self.foreign(&word),
            None => {}
        }
        self.algorithm = None;
    }

    /// Takes the name and the size of a part.
    pub(super) fn complete(&mut self, part: &mut Object) {
        self.size = self.size.or(part.size);
        if self.name.as_ref().is_none_or(|(rank, _)| part.name.as_ref().is_some_and(|(other, _)| other < rank)) {
            self.name = part.name.take().or(self.name.take());
        }
    }

    /// Takes the digests of a part.
    pub(super) fn merge(&mut self, part: Object) {
        self.unnamed.extend(part.unnamed);
        self.digests.extend(part.digests);
        self.foreign.extend(part.foreign);
        self.fault = self.fault.take().or(part.fault);
        self.other = self.other.or(part.other);
    }

    /// The digests of an indicator's pattern.
    pub(super) fn pattern(&self) -> Vec<Result<Object, Fault>> {
        let found = self.pattern.as_deref().map(pattern::digests).unwrap_or_default();
        let record =
            |found: Result<Digest, Fault>| found.map(|digest| Object { digests: vec![digest], ..Object::default() });
        found.into_iter().map(record).collect()
    }

    /// Whether it has digests, known here or not.
    pub(super) fn is_record(&self) -> bool {
        let any = !(self.digests.is_empty() && self.unnamed.is_empty() && self.foreign.is_empty());
        any || self.fault.is_some() || self.other.is_some()
    }

    /// Whether its member for digests holds none.
    pub(super) fn is_emptied(&self) -> bool {
        self.has_slot && !self.is_record()
    }

    /// Whether it is a folder.
    pub(super) fn is_folder(&self) -> bool {
        self.folder
    }

    /// Its name, if it is a file without a digest.
    pub(super) fn bare_name(&self) -> Option<Box<[u8]>> {
        let (_, name) = self.name.as_ref().filter(|_| !self.folder && !self.is_component())?;
        Some(name.as_bytes().into())
    }

    /// Whether it is a component of CycloneDX, whose name is not that of a file unless it says so.
    fn is_component(&self) -> bool {
        const KINDS: [&str; 12] = [
            "application",
            "framework",
            "library",
            "container",
            "platform",
            "operating-system",
            "device",
            "device-driver",
            "firmware",
            "machine-learning-model",
            "data",
            "cryptographic-asset",
        ];
        self.kind.as_deref().is_some_and(|kind| KINDS.contains(&kind))
    }

    /// The record of a set, and a fault beside it; neither of a record that identifies nothing, but
    /// the fault that says so.
    pub(crate) fn known(self, candidates: &[Algorithm]) -> (Option<KnownFile>, Option<Fault>) {
        let mut fault = self.fault;
        let mut digests = self.digests;
        for text in &self.unnamed {
            static LISTS: [&[pfh_digest::Row]; 1] = [&pfh_digest::ROWS];
            let stated = deep::stated(Registry::new(&LISTS), text.as_bytes());
            match stated.unwrap_or_else(|| digits::unnamed(candidates, text.as_bytes())) {
                Ok(digest) => digests.push(digest),
                Err(error) => fault = Some(error),
            }
        }
        // CRC-32 is none that identifies a file.
        digests.retain(|digest| digest.algorithm().length() >= SHORTEST);
        if digests.is_empty() {
            let none = Fault::Malformed("an item without a digest of a known algorithm");
            return (None, Some(fault.unwrap_or(none)));
        }
        (Some(KnownFile { digests, tag: self.tag }), fault)
    }

    /// The items of a list: the object as a file, or as one under each place where it was found.
    pub(crate) fn items(self, registry: Registry, candidates: &[Algorithm]) -> Vec<Item> {
        let shown = self.name.as_ref().map(|(_, name)| name.as_bytes());
        let exact = match self.exact.as_ref().map(|exact| crate::exact::name(exact.as_bytes(), shown)) {
            Some(Err(fault)) => return vec![Item::Fault(fault)],
            exact => exact.and_then(Result::ok),
        };
        let written = |name: &[u8]| if is_windows_path(name) { windows_name(name) } else { name.to_vec() };
        let name = exact.or_else(|| self.name.as_ref().map(|(_, name)| written(name.as_bytes())));
        let name = name.map(|name| match &self.directory {
            Some(directory) if !name.contains(&b'/') => [directory.as_bytes(), b"/", &name].concat(),
            _ => name,
        });
        let is_file = self.kind.as_deref() == Some("file");
        let is_package =
            self.is_package && !is_file && self.name.as_ref().is_some_and(|(rank, name)| is_of_package(*rank, name));
        if is_package {
            return vec![Item::Fault(Fault::NoFile("package"))];
        }
        let is_component = self.is_component() && self.has_hashes;
        let names: Vec<Vec<u8>> = match is_component {
            true => self.places.iter().map(|place| place.as_bytes().to_vec()).collect(),
            false => name.into_iter().collect(),
        };
        if names.is_empty() {
            let what = if self.has_hashes { "component" } else { "thing without a name" };
            return vec![Item::Fault(Fault::NoFile(what))];
        }
        let entry = self.entry(registry, candidates);
        let of = |name: Vec<u8>| match &entry {
            Err(fault) => Item::Fault(fault.clone().of(&name)),
            Ok(_) if name.contains(&0) => Item::Fault(Fault::Nul),
            Ok(entry) => Item::Entry(Entry { name, ..entry.clone() }),
        };
        names.into_iter().map(of).collect()
    }

    fn entry(self, registry: Registry, candidates: &[Algorithm]) -> Result<Entry, Fault> {
        if self.folder {
            return Err(Fault::NoFile("directory"));
        }
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let (mut digests, mut foreign, mut guesses) = (self.digests, self.foreign, 0);
        for text in &self.unnamed {
            let text = text.as_bytes();
            let digest = match (deep::stated(registry, text), &self.algorithm) {
                (Some(digest), _) => digest?,
                (None, Some(word)) => match algorithm(registry, word) {
                    Some(of) => digits::digest(of, text)?,
                    None => {
                        foreign.push(word.as_str().into());
                        continue;
                    }
                },
                (None, None) => {
                    guesses += 1;
                    digits::unnamed(candidates, text)?
                }
            };
            digests.push(digest);
        }
        if digests.is_empty() {
            foreign.extend(self.other.map(Box::from));
            return Err(Fault::UnknownAlgorithm(foreign.join(", ").into()));
        }
        let guessed = guesses == digests.len();
        foreign.dedup();
        Ok(Entry { size: self.size, digests, guessed, foreign, ..Entry::default() })
    }
}
