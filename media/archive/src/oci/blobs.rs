//! The members of a tar that holds images, by name.

use crate::limits::Limits;
use crate::tar;
use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::node::Kind;
use pfh_digest::{Algorithm, Digest};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The longest manifest, index or configuration, as registries take it.
const DOCUMENT: u64 = 4 << 20;
/// Digits of a digest that a name may be.
const DIGITS: usize = 64;

/// A path without empty parts and dots; `None` if it leads upwards.
pub fn clean(path: &[u8]) -> Option<Vec<u8>> {
    let parts = path.split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b"."));
    let parts: Vec<&[u8]> = parts.collect();
    (!parts.contains(&&b".."[..])).then(|| parts.join(&b'/'))
}

/// Whether a member of this name may belong to an image.
pub fn is_sign(path: &[u8]) -> bool {
    let Some(path) = clean(path) else { return false };
    let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
    let digits = first.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    matches!(first, b"blobs" | b"oci-layout" | b"index.json" | b"manifest.json" | b"repositories")
        || digits.len() >= DIGITS && digits[..DIGITS].iter().all(u8::is_ascii_hexdigit)
}

/// The digest that is the name of a member: `blobs/ALGORITHM/DIGITS`.
pub fn stated(path: &[u8]) -> Option<Digest> {
    let path = String::from_utf8(clean(path)?).ok()?;
    let (algorithm, digits) = path.strip_prefix("blobs/")?.split_once('/')?;
    Digest::from_hex(algorithm.parse::<Algorithm>().ok()?, digits).ok()
}

/// The digest of a descriptor or a layer: `ALGORITHM:DIGITS`.
pub fn parsed(digest: &str) -> Option<Digest> {
    let (algorithm, digits) = digest.split_once(':')?;
    Digest::from_hex(algorithm.parse::<Algorithm>().ok()?, digits).ok()
}

/// A file of a layout, among the bytes of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name in the layout: `blobs/sha256/…`.
    pub name: Vec<u8>,
    /// Its first byte.
    pub start: u64,
    /// How many bytes it has.
    pub length: u64,
}

/// A member, where it lies.
#[derive(Clone)]
pub struct Blob {
    /// Its name as the tar has it.
    pub path: Vec<u8>,
    /// Its first byte in the tar.
    pub start: u64,
    /// Its bytes.
    pub bytes: Arc<dyn Bytes>,
}

/// The members that are stored plainly.
pub struct Blobs {
    /// The word for the whole in messages: a tar or a layout.
    pub whole: &'static str,
    files: HashMap<Vec<u8>, Blob>,
    links: HashMap<Vec<u8>, Vec<u8>>,
    /// The first parts of all names.
    pub roots: HashSet<Vec<u8>>,
}

impl Blobs {
    fn none(whole: &'static str) -> Blobs {
        Blobs { whole, files: HashMap::new(), links: HashMap::new(), roots: HashSet::new() }
    }

    /// The files of a layout, which are these parts of `bytes`.
    pub fn of_files(bytes: &Arc<dyn Bytes>, files: &[Part]) -> Blobs {
        let mut blobs = Blobs::none("layout");
        for Part { name, start, length } in files {
            let Some(slice) = Slice::new(bytes.clone(), *start, *length) else { continue };
            let blob = Blob { path: name.clone(), start: *start, bytes: Arc::new(slice) };
            blobs.files.insert(name.clone(), blob);
        }
        blobs
    }

    /// The members of a tar, as far as it can be read.
    pub fn of(bytes: &Arc<dyn Bytes>, limits: &Limits) -> Blobs {
        let mut blobs = Blobs::none("tar");
        for node in tar::plain(bytes.clone(), limits).filter_map(Result::ok) {
            let Some(path) = clean(&node.path) else { continue };
            let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
            if !blobs.roots.contains(first) {
                blobs.roots.insert(first.to_vec());
            }
            if let Kind::Link(target) = node.kind {
                blobs.links.insert(path, target);
                continue;
            }
            let runs = node.content.and_then(|content| content.runs()).unwrap_or_default();
            let [run] = runs[..] else { continue };
            let Some(start) = run.medium_offset else { continue };
            let Some(slice) = Slice::new(bytes.clone(), start, run.length) else { continue };
            blobs.files.insert(path, Blob { path: node.path, start, bytes: Arc::new(slice) });
        }
        blobs
    }

    /// The member of this name, or the one that a link of this name leads to.
    pub fn get(&self, path: &str) -> Option<&Blob> {
        let path = clean(path.as_bytes())?;
        if let Some(target) = self.links.get(&path) {
            // Older programs have each layer once, with links beside the others of the same bytes.
            let mut parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
            parts.pop();
            for part in target.split(|byte| *byte == b'/') {
                match part {
                    b"" | b"." => {}
                    b".." => drop(parts.pop()),
                    part => parts.push(part),
                }
            }
            return self.files.get(&parts.join(&b'/'));
        }
        self.files.get(&path)
    }

    /// The blob of a digest.
    pub fn of_digest(&self, digest: &str) -> Option<&Blob> {
        let (algorithm, digits) = digest.split_once(':')?;
        self.get(&format!("blobs/{algorithm}/{digits}"))
    }

    /// Whether there are members that only an image has.
    pub fn are_of_image(&self) -> bool {
        let is_layer = |path: &Vec<u8>| path.starts_with(b"blobs/") || path.ends_with(b"/layer.tar");
        self.files.contains_key(&b"oci-layout"[..]) || self.files.keys().any(is_layer)
    }
}

impl Blob {
    /// All its bytes, compared with the digest in its name or this one.
    ///
    /// # Errors
    /// Why they differ or cannot be read, in words.
    pub fn document(&self, digest: Option<Digest>) -> Result<Vec<u8>, String> {
        let size = self.bytes.size();
        if size > DOCUMENT {
            return Err(format!("has {size} bytes: {DOCUMENT} are allowed"));
        }
        let mut all = vec![0; size as usize];
        self.bytes.read_exact_at(0, &mut all).map_err(|error| error.to_string())?;
        if let Some(stated) = stated(&self.path).or(digest) {
            let is = stated.algorithm().digest(&all);
            if is != stated {
                return Err(format!("has the {} {is} and not {stated} as stated", stated.algorithm()));
            }
        }
        Ok(all)
    }
}
