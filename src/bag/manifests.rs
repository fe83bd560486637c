//! The manifests of a bag, and its list of files to be fetched.

use super::declaration::Declaration;
use super::event::{Finding, Severity};
use super::name::{decoded, hostile, plain};
use super::text::{Encoding, lines};
use crate::algorithms::REGISTRY;
use pfh_digest::{Algorithm, Digest, Standing};
use pfh_ledger::Listing;
use pfh_manifest::Entry;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Cause, Problem, Ranges, Stage};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The list of files to be fetched.
pub const FETCH: &[u8] = b"fetch.txt";

/// The largest tag file that is read, in bytes.
const LARGEST: u64 = 1 << 32;

/// One manifest.
pub struct Manifest {
    /// Its name in the bag.
    pub file: Vec<u8>,
    /// The algorithm of its digests; `None` if that is not known here.
    pub algorithm: Option<Algorithm>,
    /// Its statements by name; without digests of an algorithm that is not known here.
    pub entries: BTreeMap<Vec<u8>, Listing>,
}

/// The manifests of a bag.
#[derive(Default)]
pub struct Manifests {
    /// The manifests of the payload.
    pub payload: Vec<Manifest>,
    /// The manifests of the tag files.
    pub tags: Vec<Manifest>,
    /// Files to fetch: names with their URLs.
    pub fetch: BTreeMap<Vec<u8>, Vec<u8>>,
}

/// Reads a tag file.
///
/// # Errors
/// When it cannot be read.
pub fn tag_file(bag: &Path, name: &[u8]) -> Result<Vec<u8>, Problem> {
    let path = bag.join(std::ffi::OsStr::from_bytes(name));
    // A bag of others may point anywhere.
    if path.is_symlink() {
        return Err(Problem::new(Stage::Open, Cause::NoFile("symbolic link")));
    }
    let file = Ranges::open(path.as_os_str().as_bytes())?;
    let bytes = file.read_all(LARGEST)?;
    file.close()?;
    Ok(bytes)
}

/// The file name of an algorithm's manifest: small letters and digits alone (RFC 8493, section
/// 2.4).
pub fn written(algorithm: Algorithm) -> String {
    normal(&algorithm.to_string())
}

fn normal(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn algorithm(name: &str) -> Option<Algorithm> {
    REGISTRY.all().find(|found| found.standing() != Standing::Similarity && normal(found.name()) == normal(name))
}

/// The algorithm's name in the name of a manifest.
fn named<'a>(file: &'a [u8], kind: &str) -> Option<&'a str> {
    let name = file.strip_prefix(kind.as_bytes())?.strip_prefix(b"-")?.strip_suffix(b".txt")?;
    str::from_utf8(name).ok()
}

/// Reads all manifests among the names of a bag, and its list of files to be fetched.
pub fn read(bag: &Path, names: &[Vec<u8>], declared: Declaration, findings: &mut Vec<Finding>) -> Manifests {
    let mut manifests = Manifests::default();
    for file in names {
        let (name, is_payload) = match (named(file, "manifest"), named(file, "tagmanifest")) {
            (Some(name), _) => (name, true),
            (_, Some(name)) => (name, false),
            _ => continue,
        };
        let Some(text) = text(bag, file, declared, findings) else { continue };
        let mut reader = Reader { bag, file, declared, is_payload, findings };
        let entries = reader.entries(&text, algorithm(name));
        let manifest = Manifest { file: file.clone(), algorithm: algorithm(name), entries };
        if manifest.algorithm.is_none() {
            let what = "its algorithm is not known here: nothing is compared with it";
            findings.push(Finding::new(Severity::Incomplete, file, what));
        }
        if is_payload { manifests.payload.push(manifest) } else { manifests.tags.push(manifest) }
    }
    if names.iter().any(|name| name == FETCH)
        && let Some(text) = text(bag, FETCH, declared, findings)
    {
        manifests.fetch = fetch(&text, findings);
    }
    manifests
}

/// A tag file as UTF-8.
pub fn text(bag: &Path, file: &[u8], declared: Declaration, findings: &mut Vec<Finding>) -> Option<Vec<u8>> {
    let bytes = match tag_file(bag, file) {
        Ok(bytes) => bytes,
        Err(problem) => {
            findings.push(Finding::new(Severity::Incomplete, file, problem.to_string()));
            return None;
        }
    };
    let text = declared.encoding.unwrap_or(Encoding::Utf8).decode(&bytes);
    if text.is_none() {
        findings.push(Finding::error(file, "is not text in the encoding that bagit.txt declares"));
    }
    text
}

/// Reads the lines of one manifest.
struct Reader<'a> {
    bag: &'a Path,
    file: &'a [u8],
    declared: Declaration,
    is_payload: bool,
    findings: &'a mut Vec<Finding>,
}

impl Reader<'_> {
    fn say(&mut self, severity: Severity, what: String) {
        self.findings.push(Finding::new(severity, self.file, what));
    }

    fn entries(&mut self, text: &[u8], algorithm: Option<Algorithm>) -> BTreeMap<Vec<u8>, Listing> {
        let mut entries: BTreeMap<Vec<u8>, Listing> = BTreeMap::new();
        // Digests of an algorithm that is not known here, to find those that contradict.
        let mut unknown: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
        let mut folded: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
        for (at, line) in lines(text).into_iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            let Some((digest, written)) = split(line) else {
                self.say(Severity::Error, format!("line {}: is not a digest with a name", at + 1));
                continue;
            };
            let text = String::from_utf8_lossy(digest).to_ascii_lowercase();
            let parsed = algorithm.map(|algorithm| Digest::parse(algorithm, &text).ok());
            if !digest.iter().all(u8::is_ascii_hexdigit) || parsed == Some(None) {
                self.say(Severity::Error, format!("line {}: is not a digest of its algorithm", at + 1));
                continue;
            }
            let Some(name) = self.name(at + 1, written) else { continue };
            let digests: Vec<Digest> = parsed.flatten().into_iter().collect();
            let is_other = algorithm.is_none() && unknown.get(&name).is_some_and(|other| *other != text.as_bytes());
            match entries.get(&name) {
                Some(other) if other.digests != digests || is_other || self.declared.is_final() => {
                    self.say(Severity::Error, format!("lists {} twice", String::from_utf8_lossy(&name)));
                }
                Some(_) => self.say(Severity::Warning, format!("lists {} twice", String::from_utf8_lossy(&name))),
                None => {
                    let small = pfh_ledger::caseless(&name).into_owned();
                    if let Some(other) = folded.insert(small, name.clone()) {
                        let (one, other) = (String::from_utf8_lossy(&name), String::from_utf8_lossy(&other));
                        self.say(Severity::Warning, format!("{other} and {one} differ in capitals alone"));
                    }
                    if algorithm.is_none() {
                        unknown.insert(name.clone(), text.into_bytes());
                    }
                    let entry = Entry { name: name.clone(), digests, ..Entry::default() };
                    entries.insert(name, Listing::from(entry));
                }
            }
        }
        entries
    }

    /// The name that a line has, if it may be in this manifest.
    fn name(&mut self, line: usize, written: &[u8]) -> Option<Vec<u8>> {
        let mut written = written;
        if let Some(rest) = written.strip_prefix(b"*") {
            self.say(Severity::Warning, format!("line {line}: has an asterisk before the name, as md5sum writes it"));
            written = rest;
        }
        if plain(written) != written {
            self.say(Severity::Warning, format!("line {line}: has ./ before the name"));
            written = plain(written);
        }
        // Drafts of BagIt did not encode: a name that exists literally is taken so.
        let literal = || self.bag.join(std::ffi::OsStr::from_bytes(written)).symlink_metadata().is_ok();
        let mut name = decoded(written);
        if name != written && !self.declared.is_final() && hostile(written).is_none() && literal() {
            name = written.to_vec();
        }
        let wrong = match hostile(&name) {
            Some(why) => Some(why),
            None if self.is_payload && !name.starts_with(b"data/") => Some("a name that is not below data"),
            None if !self.is_payload && name.starts_with(b"data/") => Some("a name below data"),
            None => None,
        };
        match wrong {
            Some(why) => {
                self.say(Severity::Error, format!("line {line}: has {why}"));
                None
            }
            None => Some(name),
        }
    }
}

/// A digest and the text behind spaces and tabs.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let end = line.iter().position(is_space)?;
    let name = line[end..].iter().position(|byte| !is_space(byte))?;
    (end > 0).then_some((&line[..end], &line[end + name..]))
}

/// Lines of a URL, a length or `-`, and a name (RFC 8493, section 2.2.3).
fn fetch(text: &[u8], findings: &mut Vec<Finding>) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut all = BTreeMap::new();
    for (at, line) in lines(text).into_iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let mut wrong = |why: &str| findings.push(Finding::error(FETCH, format!("line {}: has {why}", at + 1)));
        let parts = split(line).and_then(|(url, rest)| split(rest).map(|(length, name)| (url, length, name)));
        let Some((url, length, written)) = parts else {
            wrong("no URL, length and name");
            continue;
        };
        let name = plain(&decoded(written)).to_vec();
        if length != b"-" && !length.iter().all(u8::is_ascii_digit) {
            wrong("a length that is neither a number nor -");
        } else if let Some(why) = hostile(&name) {
            wrong(why);
        } else if !name.starts_with(b"data/") {
            wrong("a name that is not below data");
        } else {
            all.insert(name, url.to_vec());
        }
    }
    all
}
